#!/bin/bash
# erase.t - what is deleted or pruned is in no byte of any file afterwards, though it was in rows of
# every size, beside those of others, and in the log: the files are searched as they lie there.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
umask 077

cat >talk.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "talk", run = function(ctx)
  ctx.facts.put("of." .. ctx.input, ctx.input .. " is a fact")
  for i = 1, 80 do
    ctx.memory["note" .. i] = ctx.input .. " " .. i .. string.rep(" filler", i * 7 % 20)
    ctx.memory.last = i == 3 and ctx.input .. " for once" or "no more"
    ctx.memory.large = string.rep(i .. "-", 60)
    ctx.boundary("tool_round", { position = { path = "round" .. i } })
  end
end }
END
# left WORD: how often it is in the files of the store.
left() { cat store/ckrun.db* 2>/dev/null | grep -aoF -- "$1" | wc -l; }
# made NAME…: a session of each, with a word of its own.
made() {
  local name
  for name; do
    exits 0 "$name is made" run talk.lua --session "$name" --input "\"$name-xyzzy\""
  done
}

# What was written last is in the log.
made one two three
ok "what a state had for once is there" test "$(left 'three-xyzzy for once')" -gt 1
exits 0 "it is pruned" sessions prune three --keep 1
is "what only older states had is gone" "$(left 'three-xyzzy for once')" 0
made four
for name in four two; do
  ok "$name is there" test "$(left "$name-xyzzy")" -gt 40
  exits 0 "$name is deleted" sessions delete "$name" --yes
  is "$name: nothing is left but its fact" "$(left "$name-xyzzy") $(left "of.$name-xyzzy")" "3 2"
done
made five
exits 0 "a fact is deleted" facts delete of.five-xyzzy
is "and stays in the transcript alone" "$(left "five-xyzzy is a fact")" 1
exits 0 "the others are whole" store verify
is "and not touched" "$("$CKRUN" sessions list | cut -f1 | sort | tr '\n' ' ')" "five one three "
finish
