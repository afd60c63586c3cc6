#!/bin/bash
# deliberation.t - the example deliberates in rounds, pauses at its budget in the middle of one, and
# goes on with more.
. "$(dirname "$0")/../host/tap.sh"

example=$root/examples/deliberation
question='"Should the shop move to a cheaper cloud this quarter?"'
start() { exits "$1" "$2" run "$example/flow.lua" --profile "$example/profile.lua" --cassette \
  "$example/cassette.jsonl" --input "$question" --session "$3"; }
# member EXPRESSION: of what inspect tells, $d.
member() {
  run --json sessions inspect deliberation
  json "$out" "$1"
}

start 8 "a deliberation whose budget is too small" deliberation
has "it is paused before the call that would exceed it" "$err" \
  'budget: $0.70 of $0.75 spent, and the next call may cost $0.06'
is "one round is complete" "$(member '$d->{state}{"rounds.completed"}')" 1
is "as the session's checkpoint tells" "$(member '$d->{session_checkpoint}{roundsCompleted}')" 1
is "a delegation is pending" \
  "$(member '[map { $_->{target} } @{$d->{session_checkpoint}{pendingDelegations}}]')" '["cost"]'
is "under its id" "$(member '[map { $_->{id} } @{$d->{session_checkpoint}{pendingDelegations}}]')" \
  '["2.1"]'
is "with the answer of the one before it in the sequence" \
  "$(member '$d->{state}{"position.main.agent.cost"}{task}{message} =~
    /\[risk\]\nIn January a bad day costs little/ ? "heard" : "not heard"')" heard
is "the pad of the agent is kept" "$(member '$d->{state}{"scratch.cost"}')" \
  '{"notes":["old 1400, new 950: 450 USD a month"]}'
is "money counts for those who spent it, and above them" \
  "$(member '$d->{state}{spending}{agents}{risk}{cost} - 3 * 70000')" 50000

exits 8 "it goes on" resume deliberation
has "and is paused at once: what was spent stays spent" "$err" 'budget: $0.70 of $0.75 spent'
exits 0 "with more it ends" resume deliberation --limit budget_usd=2
has "with the decision" "$out" 'Move in January: it saves 450 USD a month'
has "after two rounds" "$out" '"rounds":2'
has "for what the recording cost, each call once" "$out" $'spent\t$0.88'
run sessions log deliberation --all --kind outcome --json
is "no call was made twice" "$(while read -r line; do json "$line" \
  '$d->{body}{status} eq "ok" ? $d->{body}{key} : ""'; echo; done <<<"$out" | sort | uniq -d | \
  grep .)" ""
run sessions tail deliberation chair --json
is "in its tail the chair delegated each once, however often it was resumed" \
  "$(json "$out" '$d->{section}' | grep -o ' delegation chair.*' | grep -o ' id=[^ ]*' | \
  tr -d '\n')" ' id=1.1 id=2.1'
exits 0 "its store is whole" store verify
exits 0 "the flow can be checked beforehand" profile check "$example/profile.lua"
zeros=$(printf '0%.0s' {1..64})
sed '/"main.agent.risk.agent.work"/s/"request_digest":"[0-9a-f]*"/"request_digest":"'"$zeros"'"/' \
  "$example/cassette.jsonl" >"$dir/differs.jsonl"
exits 1 "what an agent below an agent cannot go on from is no answer" run "$example/flow.lua" \
  --cassette "$dir/differs.jsonl" \
  --input "$question" --session differs
has "the session fails with it" "$err" "scope main.agent.risk.agent.work"
out=$("$example/demo.sh" 2>&1)
is "the demonstration holds what it shows" $? 0
finish
