#!/bin/bash
# examples.t - what ckrun says of every example, wherever it stands, is what the oracle reads off
# its transcript.
. "$(dirname "$0")/oracle.sh"

# example NAME: goes to a copy of it, with a store of its own.
example() {
  cp -r "$root/examples/$1" "$dir/$1"
  cd "$dir/$1" || exit 1
  export CKRUN_STORE=sqlite:$dir/$1.db
}

example airline
exits 0 "airline runs" run flow.lua --cassette cassette.jsonl --session air
compare "airline, ended" '{}' air
exits 8 "airline under a limit pauses" run flow.lua --cassette cassette.jsonl --session short \
  --limit tool_calls=5
compare "airline, paused at a limit" '{"constraints":{"tool_calls":5}}' short
exits 0 "it is rewound" sessions rewind short --to first --report "Start anew."
compare "airline, rewound" '{"constraints":{"tool_calls":5}}' short
exits 0 "that is taken back" sessions undo short
compare "airline, not rewound" '{"constraints":{"tool_calls":5}}' short
exits 0 "it goes on with more" resume short --limit tool_calls=50
compare "airline, resumed" '{"constraints":{"tool_calls":5}}' short
exits 0 "a fork of it" sessions fork short --checkpoint 36 --session other
compare "airline, just forked" '{"constraints":{"tool_calls":5}}' other
exits 0 "goes on" resume other --limit tool_calls=50
compare "airline, forked" '{"constraints":{"tool_calls":5}}' other
example crash
exits 137 "crash dies" run flow.lua --cassette cassette.jsonl --session trip
compare "crash, died" '{}' trip
exits 0 "it goes on" resume trip
compare "crash, ended" '{}' trip

example deliberation
small='{"constraints":{"budget_usd":0.75},"replay":{"cost":20}}'
exits 8 "deliberation pauses" run flow.lua --profile ./profile.lua --cassette cassette.jsonl \
  --session cloud --input '"Should the shop move to a cheaper cloud this quarter?"'
compare "deliberation, paused" "$small" cloud
exits 8 "resumed, it pauses again" resume cloud
compare "deliberation, paused again" "$small" cloud
exits 0 "with more it ends" resume cloud --limit budget_usd=2
compare "deliberation, ended" "$small" cloud

example research
exits 1 "research fails" run flow.lua --profile graph --cassette cassette.jsonl --set topic=tides \
  --session study
compare "research, failed" '{}' study
export RESEARCH_TOKEN=tok-5f1d8a33c1b24e
exits 0 "with its key it goes on" resume study --set-env token=RESEARCH_TOKEN
compare "research, ended" '{}' study

example pipeline
cp measure measured
printf '#!/bin/sh\n[ -e died ] || { touch died; kill -9 $PPID; }\nexec ./measured "$@"\n' >measure
exits 137 "pipeline dies among its steps" run flow.lua --profile graph --session pipeline
compare "pipeline, died" '{}' pipeline
exits 0 "it goes on" resume pipeline
compare "pipeline, ended" '{}' pipeline

example custom_flow
exits 0 "a kind of flow of one's own" run flow.lua --profile graph --session letters \
  --input '["Ada","Grace","Mary","Emmy"]'
compare "custom flow, ended" '{}' letters

example coding
exits 0 "coding ends" run flow.lua --profile ./profile.lua --session fizzbuzz
compare "coding, ended" '{}' fizzbuzz
finish
