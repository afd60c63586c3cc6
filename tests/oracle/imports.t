#!/bin/bash
# imports.t - what ckrun says of every recorded session that it imports is what the oracle reads off
# its transcript.
# Of each program's sessions every third is compared, other ones with each commit; ORACLE_EVERY=1
# compares all.
. "$(dirname "$0")/oracle.sh"

every=${ORACLE_EVERY:-3}

# recordings NAME FILE…: all of them, in a store of their own.
recordings() {
  local name=$1 sessions
  shift
  export CKRUN_STORE=sqlite:$dir/$name.db
  exits 0 "$name: all is imported" sessions import "$@"
  sessions=$("$CKRUN" sessions list | cut -f1)
  [ "$(wc -w <<<"$sessions")" -lt "$every" ] ||
    sessions=$("$root/tests/turn.sh" "$every" <<<"$sessions")
  # shellcheck disable=SC2086
  compare "$name" '{}' $sessions
}

samples=$root/tests/lua/import/data
recordings samples "$samples"/{claude_inline,claude_code}.jsonl \
  "$samples"/{crafted,generated,tau_bench}.json "$samples"/pi.jsonl \
  "$samples"/{owl,relay,gemini,opencode,run_state,run_state_js,otlp}.json \
  "$samples"/otlp_events.jsonl "$samples"/langgraph{,_python}.db \
  "$samples"/hyperagent.txt "$samples"/codex.jsonl
if [ -d "${CKRUN_DATA:-}" ]; then
  recordings who_and_when "$CKRUN_DATA"/who_and_when/*/*.json
  recordings claude_code "$CKRUN_DATA"/claude_code/*.jsonl "$CKRUN_DATA"/claude_code_inline/*.jsonl
  recordings relay "$CKRUN_DATA"/relay_trajectories/*.json
  recordings owl "$CKRUN_DATA"/owl_roleplay/*.json
  recordings hyperagent "$CKRUN_DATA"/hyperagent/*.txt
  recordings tau_bench "$CKRUN_DATA"/tau_bench/*.json "$CKRUN_DATA"/tau2_bench/*.json
  recordings pi "$CKRUN_DATA"/pi/*.jsonl
  recordings agentdojo "$CKRUN_DATA"/agentdojo/*.jsonl
  recordings swe_agent "$CKRUN_DATA"/swe_agent/*.traj
  recordings openhands "$CKRUN_DATA"/openhands_llm_logs/*/*.json
else
  skip "no recorded sessions: CKRUN_DATA names no folder"
fi
finish
