#!/bin/bash
# conversations.t - what a checkpoint holds of conversations: those of scopes that have ended stay;
# and loops are checkpointed every so many turns of an agent, too.
. "$(dirname "$0")/../tap.sh"

echo 'return { name = "all", extends = "default", policies = { "every_boundary" } }' >"$dir/all.lua"
cat >"$dir/asked.lua" <<'LUA'
local flow = require "ck.flow"
local function serve(ctx)
  ctx.message("user", ctx.task)
  ctx.message("assistant", "I know of " .. ctx.task)
  return ctx.task
end
local function ask(ctx, about)
  ctx.fork { { scope = "ann", agent = "ann", task = about } }
  ctx.join { "ann" }
  ctx.boundary("node_complete", { node = about, position = { path = about } })
end
return flow.custom { name = "asked", run = function(ctx)
  if ctx.task then return serve(ctx) end
  ctx.message("user", "begin")
  ask(ctx, "bread")
  ctx.fork { { scope = "mute", agent = "mute", task = "" } }
  ctx.join { "mute" }
  ask(ctx, "salt")
  ctx.pause("look")
end }
LUA
sed -i 's/^local function serve(ctx)/&\n  if ctx.task == "" then return end/' "$dir/asked.lua"
exits 8 "an agent that was asked twice, and has ended" run "$dir/asked.lua" --session asked \
  --profile "$dir/all.lua"
states() {
  json "$("$CKRUN" --json sessions inspect asked --checkpoint "$1")" '
    my $s = $d->{conversation_states};
    join " ", map { my $k = $_; "$k:" . join ",", map { $_->{content} } @{$s->{$k}} } sort keys %$s'
}
first=$("$CKRUN" sessions checkpoints asked | sed -n 1p | cut -f2)
is "after the first time its conversation is there" "$(states "$first")" \
  "main:begin main.ann:bread,I know of bread"
is "after the second both are; who said nothing has none" "$(states latest)" \
  "main:begin main.ann:bread,I know of bread,salt,I know of salt"

# ---- every third turn of an agent ----
turns() { # OPTIONS: the turns at which a checkpoint was taken
  rm -rf "$dir/store"
  echo "return { name = 'n', extends = 'default', policies = { { 'every_boundary', $1 } } }" \
    >"$dir/n.lua"
  "$CKRUN" run "$flow" --cassette "$cassette" --session air --profile "$dir/n.lua" \
    >/dev/null 2>&1
  "$CKRUN" --json sessions checkpoints air | perl -ne 'print "$1 " if /"turn (\d+) of airline/'
}
all=$(turns 'every_n_iterations = 1')
count=$(wc -w <<<"$all")
ok "the recording has many turns" test "$count" -gt 6
is "each of them" "$all" "$(seq -s' ' 1 "$count") "
is "every third" "$(turns 'every_n_iterations = 3')" "$(seq -s' ' 3 3 "$count") "
is "every third, though tool rounds are switched off" \
  "$(turns 'every_n_iterations = 3, on_tool_round = false')" "$(seq -s' ' 3 3 "$count") "
finish
