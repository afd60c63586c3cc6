#!/bin/bash
# agents.t - a resume names the agents that the flow has lost while their delegations are in flight.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"

cat >kept.lua <<'END'
local flow = require "ck.flow"
return flow.rounds {
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { risk = flow.agent { prompt = "Risk." }, work = flow.agent { prompt = "Work." } },
  delegates = { risk = { "work" } }, rounds = 3, max_depth = 2 }
END
serve team <<'END'
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"risk","message":"How risky?"}}]}}
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"work","message":"How much?"}}]}}
{"answer":{"calls":[{"name":"note","arguments":{"text":"a month"}}]}}
{"status":500,"body":"x"}
{"answer":{"text":"A month."}}
{"answer":{"text":"Low."}}
{"answer":{"calls":[{"name":"finish","arguments":{"result":"Go."}}]}}
END
profile team.profile.lua
cp kept.lua team.lua
exits 8 "two delegations are in flight" run team.lua --profile ./team.profile.lua --session team \
  --input '"What to do?"'
lost() { echo "agent \"$1\", whose delegation \"$2\" is in flight, is not in the flow any more"; }

sed 's/work = /labour = /; s/{ "work" }/{ "labour" }/' kept.lua >team.lua
exits 5 "the one below is renamed" resume team --accept-changed --dry-run
is "the dry run names it, with its delegation, once" "$(grep -c '^problem' <<<"$out")" 1
has "by its name" "$out" "$(lost work 1.1/1.1)"
has "with the way on" "$out" "give it its name back"
exits 5 "nor is it resumed" resume team --accept-changed
has "for the same reason" "$err" "$(lost work 1.1/1.1)"
exits 5 "from a checkpoint that is named, too" resume team --accept-changed --dry-run \
  --checkpoint latest
has "it is lost" "$out" "$(lost work 1.1/1.1)"
sed 's/risk = /danger = /' kept.lua >team.lua
exits 5 "the one above is renamed" resume team --accept-changed --dry-run
has "it is named" "$out" "$(lost risk 1.1)"
is "the one below, which is there, is not" "$(grep -c '"work"' <<<"$(grep ^problem <<<"$out")")" 0
sed 's/risk = /danger = /; s/work = /labour = /; s/{ "work" }/{ "labour" }/' kept.lua >team.lua
sed -i 's/delegates = { risk/delegates = { danger/' team.lua
run --json resume team --accept-changed --dry-run
is "both are named" "$(json "$out" 'scalar grep { /is in flight/ } @{$d->{problems}}')" 2
is "nothing was asked meanwhile" "$(requests team)" 4
cp kept.lua team.lua
exits 0 "with their names the session ends" resume team
is "with the answers of both" "$(requests team)" 7

# Before any checkpoint there is the transcript alone.
serve early <<'END'
{"answer":{"calls":[{"name":"delegate","arguments":{"target":"risk","message":"How risky?"}}]}}
{"answer":{"text":"never"},"hang":10}
END
profile early.profile.lua
"$CKRUN" run team.lua --profile ./early.profile.lua --session early --input '"?"' \
  >/dev/null 2>&1 </dev/null &
pid=$!
while [ "$(requests early)" -lt 2 ]; do read -rt 0.01 <> <(:) || :; done
{ kill -9 $pid; wait $pid; } 2>/dev/null
is "a session that was killed has no checkpoint" \
  "$("$CKRUN" --json sessions checkpoints early | grep -c '"id"')" 0
sed 's/risk = /danger = /; s/{ risk/{ danger/' kept.lua >team.lua
exits 5 "its delegation is repeated by a resume" resume early --accept-changed --dry-run
has "and the agent that it names is lost" "$out" "$(lost risk 1.1)"
finish
