#!/bin/bash
# diff.t - sessions diff: the differences, applied to the one checkpoint, give the other, however
# the two are named.
. "$(dirname "$0")/../tap.sh"

cat >"$dir/every.lua" <<'LUA'
return { name = "every", extends = "default", policies = { "every_boundary" } }
LUA
cat >"$dir/notes.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom {
  name = "notes",
  run = function(ctx)
    local long = ("lorem ipsum "):rep(20)
    ctx.memory.list = { 1, 2, { a = 1 }, 4 }
    ctx.memory.gone = "x"
    ctx.memory.text = long .. "OLD" .. long
    ctx.boundary("node_complete", { node = "collect", position = { path = "notes#1" } })
    ctx.memory.list = { 1, 2, { a = 2, b = "new" }, 3, 4 }
    ctx.memory.gone = nil
    ctx.memory.added = { k = "v\n" }
    ctx.memory.text = long .. "A NEW" .. long
    ctx.boundary("node_complete", { node = "write", position = { path = "notes#2" } })
  end,
}
LUA
exits 0 "a session" run "$dir/notes.lua" --session notes --profile "$dir/every.lua"
run sessions checkpoints notes
mapfile -t seqs < <(cut -f1 <<<"$out")
mapfile -t ids < <(cut -f2 <<<"$out")

exits 0 "two of its checkpoints" sessions diff notes "${ids[0]}" "${ids[1]}"
told=$out
row() { grep -P "^$1\t$2\t" <<<"$told" | cut -f3-; }
is "what was added" "$(row added memory.added)" $'\t\t{"k":"v\\n"}'
is "what was removed" "$(row removed memory.gone)" $'\t"x"\t'
is "what changed, by its path" "$(row changed memory.list)" $'/2/a\t1\t2'
is "what was added within" "$(row added memory.list)" $'/2/b\t\t"new"\n/3\t\t3'
old='…(224)sum lorem ipsum [OLD]lorem ipsum lore(224)…'
new='…(224)sum lorem ipsum [A NEW]lorem ipsum lore(224)…'
is "of a long text what differs" "$(row changed memory.text)" $'\t'"$old"$'\t'"$new"
is "the node that was completed" "$(row completed write)" $'node_complete\t\t'"${seqs[1]}"
is "and no other" "$(grep -c ^completed <<<"$told")" 1
is "the events between them" "$(row events boundary)" $'\t0\t1'

for words in "${seqs[0]} ${seqs[1]}" "first ${seqs[1]}" "${ids[0]} ${seqs[1]}"; do
  exits 0 "named by $words" sessions diff notes $words
  is "they are the same two" "$out" "$told"
done
run sessions diff notes latest "${seqs[2]}"
is "the latest is the last one" "$(grep -cE '^(added|removed|changed|events)' <<<"$out")" 0
exits 0 "the other way round" sessions diff notes "${seqs[1]}" "${seqs[0]}"
told=$out
is "what was completed is undone" "$(row undone write)" $'node_complete\t\t'"${seqs[1]}"
is "what was added is removed" "$(row removed memory.added)" $'\t{"k":"v\\n"}\t'

refused 2 "a beginning that is not clear" "3 checkpoints are meant by 'checkpoint_'" sessions diff \
  notes checkpoint_ first
refused 3 "an id that is not there" "has no checkpoint 'nosuch'" sessions diff notes nosuch first
refused 3 "a seq that is none" "has no checkpoint '999'" sessions diff notes first 999
refused 3 "an empty word" "has no checkpoint ''" sessions diff notes "" first
refused 3 "an unknown session" "nosuch" sessions diff nosuch first latest
refused 2 "one checkpoint alone" "B" sessions diff notes first
run run "$dir/notes.lua" --session one
exits 0 "the beginning of an id, where it is clear" sessions diff one checkpoint_ latest
is "and nothing lies between a checkpoint and itself" "$(cut -f1 <<<"$out" | tr '\n' ' ')" \
  "checkpoint spent "
exits 0 "a session without any" sessions import "$root/tests/lua/import/data/pi.jsonl" --session pi
refused 3 "of which none can be named" "session pi has no checkpoint" sessions diff pi first latest

# Inherited checkpoints of a fork are named and compared like its own.
cat >"$dir/halting.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "halting", run = function(ctx)
  for i = (ctx.position and ctx.position.n or 0) + 1, 4 do
    ctx.memory.list = { i, ctx.memory.word or "none" }
    ctx.boundary("node_complete", { node = "n" .. i, position = { path = "n#" .. i, n = i } })
    if i == 2 then ctx.pause("here") end
  end
end }
LUA
run run "$dir/halting.lua" --session parent --profile "$dir/every.lua"
exits 0 "a session is forked" sessions fork parent --session child --set word=forked
exits 0 "and goes on" resume child
exits 0 "from the parent's first checkpoint to the fork's latest" sessions diff child first latest
told=$out
is "a key that both wrote" "$(row changed memory.list)" $'/0\t1\t4\n/1\t"none"\t"forked"'
is "the nodes of both" "$(grep ^completed <<<"$told" | cut -f2 | tr '\n' ' ')" "n2 n3 n4 "
exits 0 "the parent's own latest by its id" sessions diff child \
  "$("$CKRUN" --json sessions inspect parent | \
  perl -ne 'print $1 if /"checkpoint_id":"([^"]*)"/')" latest
is "two nodes lie between" "$(grep -c ^completed <<<"$out")" 2

# Applied, for every key.
exits 0 "the airline's session" run "$flow" --cassette "$cassette" --session air --profile \
  "$dir/every.lua"
mapfile -t air < <("$CKRUN" sessions checkpoints air | cut -f1)
ok "has checkpoints" test "${#air[@]}" -gt 3
bad=0 pairs=0
for a in "${air[@]:0:6}"; do
  for b in "${air[@]: -3}" first latest; do
    pairs=$((pairs + 1))
    perl "$root/tests/host/inspect/diff.pl" "$("$CKRUN" --json sessions diff air "$a" "$b")" \
      "$("$CKRUN" --json sessions inspect air --checkpoint "$a")" \
      "$("$CKRUN" --json sessions inspect air --checkpoint "$b")" ||
      { bad=$((bad + 1)); echo "# air $a $b" >&2; }
  done
done
is "applied to one checkpoint it gives the other ($pairs pairs)" "$bad" 0
for pair in "0 1" "1 0" "0 2" "2 1"; do
  set -- $pair
  ok "so it does for notes $pair" perl "$root/tests/host/inspect/diff.pl" \
    "$("$CKRUN" --json sessions diff notes "${seqs[$1]}" "${seqs[$2]}")" \
    "$("$CKRUN" --json sessions inspect notes --checkpoint "${ids[$1]}")" \
    "$("$CKRUN" --json sessions inspect notes --checkpoint "${ids[$2]}")"
done

# On a terminal what was is red and what is now is green; nowhere else is there a colour.
. "$root/tests/host/views.sh"
if has_terminal; then
  seen=$(COLOR=1 screen 200 --no-pager sessions diff notes "${ids[0]}" "${ids[1]}" | tr -d '\r')
  of() { grep -F "$1" <<<"$seen" | head -n 1; }
  has "what was is red" "$(of /2/a)" $'\e[31m1'
  has "what is now is green" "$(of /2/a)" $'\e[32m2'
  has "what came is green as a whole" "$(of memory.added)" $'\e[32madded'
  has "what went is red as a whole" "$(of memory.gone)" $'\e[31mremoved'
  is "without colours there is none" \
    "$(screen 200 --no-pager sessions diff notes "${ids[0]}" "${ids[1]}" | grep -c $'\e\\[3')" 0
else
  skip "no terminal"
fi
is "nor is there one in a pipe" "$(grep -c $'\e' <<<"$told")" 0
finish
