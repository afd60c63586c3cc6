#!/bin/bash
# words.t - a reason that workers go on for is nobody's own: not a flow's, a gate's, a policy's. A
# session that is paused for one would be begun again and again.
. "$(dirname "$0")/../tap.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1

status() {
  json "$("$CKRUN" --json sessions show "$1")" '$d->{status} . " " . ($d->{reason} // "")'
}
begun() { grep -c "^begun" <<<"$out"; }
# pauses LUA: a flow that pauses for that reason, once.
pauses() {
  cat >"$dir/flow.lua" <<END
local flow = require "ck.flow"
return flow.custom { name = "pauses", run = function(ctx) ctx.pause($1) return "on" end }
END
}

# ---- a flow's own ----
n=0
for reason in '"queued"' '"answered"' '"resolved"' '"sleeping until 2020-01-01T00:00:00.000Z"' \
  '"retrying at 2020-01-01T00:00:00.000Z"'; do
  n=$((n + 1))
  pauses "$reason"
  word=$(sed 's/^"//; s/"$//' <<<"$reason")
  "$CKRUN" submit flow.lua --session "own$n" >/dev/null 2>&1
  exits 0 "a worker has a flow that pauses for $reason" worker --until-idle
  is "it is begun once" "$(begun)" 1
  has "and fails" "$out" "ended	own$n	failed"
  has "with the word" "$(status "own$n")" "failed the flow pauses: the reason '$word' is that of"
  has "and what helps" "$(status "own$n")" "a session which workers go on with: give another"
done
pauses '"queue"'
"$CKRUN" submit flow.lua --session other >/dev/null 2>&1
exits 0 "another reason" worker --until-idle
is "is a pause" "$(status other)" "paused queue"
exits 0 "that no worker" worker --until-idle
is "goes on with" "$out" ""

# ---- a gate of rounds ----
cat >gate.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { name = "gate", rounds = 2,
  agents = { one = flow.agent { prompt = "You count." } },
  gate = function() return "answered" end, orchestrator = function() end }
END
cat >asked.lua <<'END'
return { name = "asked", extends = "default",
  models = { default = { api = "openai", base_url = "http://127.0.0.1:9", model = "m" } } }
END
"$CKRUN" submit gate.lua --profile ./asked.lua --session gate >/dev/null 2>&1
exits 0 "a worker has one whose gate gives such a reason" worker --until-idle
has "it fails" "$out" "ended	gate	failed: the flow pauses: the reason 'answered'"

# ---- what a policy leaves of a reason ----
cat >words.lua <<'END'
return { name = "words", version = 1, redact = function(item)
  if item.kind == "session_paused" then return { reason = "queued" } end
end }
END
cat >profile.lua <<'END'
return { name = "words", extends = "default", policies = { "./words.lua" } }
END
pauses '"a person has to look"'
"$CKRUN" submit flow.lua --profile ./profile.lua --session ruled >/dev/null 2>&1
exits 0 "a worker has a session whose policy makes another word of its reason" worker --until-idle
is "it is begun once" "$(begun)" 1
is "and paused, for none that workers go by" "$(status ruled)" "paused paused: queued"
finish
