#!/bin/bash
# resume_decisions.t - before changed policies are accepted, the dry run of a resume says how many
# of the session's decisions would have been others, and names the command that lists them.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# rule BODY: rule.lua with such a checkpoint hook.
rule() {
  echo "return { name = \"rule\", version = 1, checkpoint = function(at) $1 end }" >rule.lua
}
rule 'return at.kind == "node_complete"'
echo 'return { name = "p", policies = { "./rule.lua" } }' >p.lua
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.x = 1 end),
    b = flow.lua(function(ctx) ctx.pause("here") end) },
  edges = { a = "b", b = flow.done } }
E
run run flow.lua --profile p.lua --session s
is "a session that paused" "$("$CKRUN" --json sessions log s --all --kind boundary |
  grep -o '"body":{"kind":"[a-z_]*"' | cut -d'"' -f 6 | tr '\n' ' ')" \
  "node_start node_complete edge_transition node_start pause "
row() { "$CKRUN" resume s --dry-run 2>/dev/null | grep -P "^decisions\t" | cut -f 2; }
files() { sha256sum store/ckrun.db store/ckrun.db-wal; }

is "unchanged policies decide as they did: no row" "$(row)" ""
# Of the five boundaries it now takes those of the two node_starts, and not that of node_complete;
# the pause is always taken.
rule 'return at.kind == "node_start"'
before=$(files)
command="ckrun policy explain s --rerun $dir/p.lua"
is "changed ones would have decided otherwise at three of five" "$(row)" \
  "3 of 5 would be others under the policies as they are now: $command"
run --json resume s --dry-run
is "as JSON" "$(json "$out" '[$d->{resumable}, $d->{decisions}]')" \
  "[false,{\"boundaries\":5,\"command\":\"$command\",\"other\":3}]"
is "the command lists these" "$("$CKRUN" ${command#ckrun } 2>/dev/null | cut -f 2,7)" \
  "$(printf '%s\t%s\n' node_start yes node_complete no node_start yes)"
is "nothing was written" "$(files)" "$before"
rule 'if at.kind == "node_complete" then return true end'
is "a change that decides the same says so" "$(row)" \
  "0 of 5 would be others under the policies as they are now"
exits 5 "without --accept-changed it is refused" resume s
exits 0 "with it, it goes on" resume s --accept-changed

# ---- other hooks ----

# guard WORD WORD: permit gives the first to what is done once; on_failure says the second.
guard() {
  cat >guard.lua <<E
return { name = "guard", version = 1,
  checkpoint = function() return true end,
  permit = function(effect) if effect.class == "once" then return ck.$1("so") end end,
  on_failure = function() return "$2" end }
E
}
cat >work.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.exec { argv = { "true" }, class = "pure" },
    b = flow.exec { argv = { "false" }, class = "once" } },
  edges = { a = "b", b = flow.done } }
E
echo 'return { name = "w", policies = { "./guard.lua" } }' >w.lua
guard ask pause
exits 8 "a session that asks a person" run work.lua --profile w.lua --session w
exits 0 "who allows it" answer w allow
exits 8 "and that pauses behind a failure" resume w
guard deny fail
# permit: a was allowed, b asked about twice (the question, and behind the answer). One failure.
told=$("$CKRUN" resume w --dry-run 2>/dev/null | grep -P "^decisions\t" | cut -f 2)
list="--list --profile $dir/w.lua"
is "under others two answers to permit and one to on_failure are told beside the boundaries" \
  "$(tail -n +2 <<<"$told" | tr '\n' ';')" "permit: 2 of 3 answers would be others: ckrun policy \
simulate w --hook permit $list;on_failure: 1 of 1 answers would be others: ckrun policy simulate w \
--hook on_failure $list;"
run --json resume w --dry-run
is "as JSON, each hook that was asked" "$(json "$out" '[map { my $h = $_;
  join " ", @$h{qw(hook asked other untold)} } @{$d->{decisions}{hooks}}]')" \
  '["resume 1 0 0","permit 3 2 0","on_failure 1 1 0"]'
command=$(json "$out" '(grep { $_->{hook} eq "permit" } @{$d->{decisions}{hooks}})[0]{command}')
is "the command lists these" \
  "$("$CKRUN" ${command#ckrun } 2>/dev/null | cut -f 4,5 | tr '\t\n' ' ;')" \
  "allow allow;ask deny;ask deny;"
run policy explain w --rerun w.lua
has "policy explain --rerun tells the same of permit" "$err" \
  "permit: 2 of 3 answers would be others: ckrun policy simulate w --hook permit --list"
has "and of on_failure" "$err" "on_failure: 1 of 1 answers would be others"
is "of nothing else" "$(grep -c answers <<<"$err")" 2
run policy explain w --rerun ./guard.lua
has "so it does of a policy alone" "$err" "--hook permit --list --policy ./guard.lua"
run policy explain w --rerun every_boundary
is "of the hooks that it has" "$code $(grep -c answers <<<"$err")" "0 0"

# ---- once they are accepted ----
exits 1 "a resume that accepts them" resume w --accept-changed
is "leaves nothing to compare" \
  "$("$CKRUN" resume w --dry-run 2>/dev/null | grep -cP "^(decisions|changed)\t")" 0
finish
