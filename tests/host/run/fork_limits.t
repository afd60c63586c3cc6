#!/bin/bash
# fork_limits.t - limits of a fork count what the fork spends, in each dimension and for each agent,
# whichever checkpoint it goes on from.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"

cat >one.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look.", tools = {
  look = flow.tool(function() return "a wall" end, { description = "Looks." }) } }
END
look='{"answer":{"calls":[{"name":"look","arguments":{}}]}}'

# origin NAME FIELDS: it has looked twice when its model is away; what is asked later is answered.
origin() {
  serve "$1" <<<"$look
$look
{\"status\":500,\"body\":\"x\"}
{\"answer\":{\"calls\":[{\"name\":\"look\",\"arguments\":{}}]},\"times\":0}"
  profile "$1.profile.lua" "$2"
  exits 8 "$1 stops behind two calls" run one.lua --profile "./$1.profile.lua" --session "$1" \
    --input '"?"'
}
# calls SESSION: all of them, those of its origin included.
calls() { json "$("$CKRUN" --json sessions show "$1")" '$d->{totals}{tool_calls}'; }

origin session 'constraints = { tool_calls = 3 }'
exits 0 "a fork of it" sessions fork session --session other
exits 8 "goes on" resume other
has "and has three calls of its own" "$err" "tool_calls: 3 of 3 spent"
is "behind the two of its origin" "$(calls other)" 5
exits 8 "it goes back behind its beginning" resume other --checkpoint first
has "what it spent stays spent, and nothing else is" "$err" "tool_calls: 3 of 3 spent"
is "so it makes no call" "$(calls other)" 5
exits 8 "with one call more" resume other --checkpoint first --limit tool_calls=4
has "it makes that" "$err" "tool_calls: 4 of 4 spent"
exits 8 "so it does again" resume other --limit tool_calls=5
has "from where it is now" "$err" "tool_calls: 5 of 5 spent"
is "and no other" "$(calls other)" 7

origin agents 'agents = { solo = { constraints = { tool_calls = 3 } } }'
exits 0 "a fork where an agent has a limit" sessions fork agents --session third
exits 8 "goes on" resume third
has "its agent has three calls of its own" "$err" "tool_calls of agent solo: 3 of 3 spent"
is "behind the two of the origin" "$(calls third)" 5
exits 8 "the origin goes on" resume agents
has "with what it has left" "$err" "tool_calls of agent solo: 3 of 3 spent"
is "which is one" "$(calls agents)" 3

# constraint SESSION DIMENSION: what is spent of it, as the newest checkpoint has it.
constraint() {
  json "$("$CKRUN" --json sessions inspect "$1")" \
    "\$d->{session_checkpoint}{constraintState}{$2}{spent}"
}
origin again 'constraints = { tool_calls = 3 }'
exits 0 "another fork" sessions fork again --session fourth
exits 8 "goes on, too" resume fourth
exits 0 "a person takes it back behind its beginning" sessions rewind fourth --to first \
  --report "Look elsewhere."
is "its own three calls stay spent, those of its origin do not count" \
  "$(constraint fourth tool_calls)" 3
exits 0 "that is undone" sessions undo fourth
is "they still do" "$(constraint fourth tool_calls)" 3
exits 0 "and taken back again" sessions rewind fourth --to first --report "Look elsewhere."
exits 8 "it goes on with one call more" resume fourth --limit tool_calls=4
has "which it makes" "$err" "tool_calls: 4 of 4 spent"
finish
