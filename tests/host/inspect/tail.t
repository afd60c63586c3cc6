#!/bin/bash
# tail.t - sessions tail: exactly the tail that a resume gives, for every agent of every session.
. "$(dirname "$0")/../tap.sh"
samples=$root/tests/lua/import/data
heading="## Session Context (Resumed)
This session was paused and has now resumed. Below is a summary of recent activity
you were involved in before the pause."

exits 0 "a session of three agents" sessions import "$samples/claude_inline.jsonl"
session=$(cut -f1 <<<"$out")
exits 0 "the tail of one of them" sessions tail "$session" a1
is "begins with these words" "$(head -n 3 <<<"$out")" "$heading"
run --json sessions tail "$session" a1
is "and is the section byte for byte" "$(json "$out" '$d->{section}')" \
  "$("$CKRUN" sessions tail "$session" a1)"
is "fifty at most, when nobody says how many" "$(json "$out" '$d->{depth}')" 50
is "one line for each event" "$("$CKRUN" sessions tail "$session" a1 | sed 1,3d | grep -c '')" \
  "$(json "$out" 'scalar @{$d->{events}}')"
is "oldest first" "$("$CKRUN" sessions tail "$session" a1 | sed 1,3d | cut -d' ' -f1)" \
  "$("$CKRUN" sessions tail "$session" a1 | sed 1,3d | cut -d' ' -f1 | sort)"
ok "each names its time, its kind and who it belongs to" test \
  "$("$CKRUN" sessions tail "$session" a1 | sed 1,3d | \
  grep -cvE '^20[0-9T:.-]+Z [a-z_]+ (main|a1): ')" = 0
exits 0 "the last two" sessions tail "$session" main --last 2
is "are two" "$(sed 1,3d <<<"$out" | grep -c '')" 2
for agent in nobody b; do
  exits 3 "an agent that is not there" sessions tail "$session" "$agent"
  is "has no tail, and no heading" "$out" ""
  has "who there is, is said" "$err" ": main, b1, a1"
done
exits 3 "an agent that is spelt wrong" sessions tail "$session" mian
is "the one that is meant is named" "$(grep -o "did you mean 'main'" <<<"$err")" \
  "did you mean 'main'"
exits 3 "as JSON" --json sessions tail "$session" mian
is "there are no events, and the error is an object" \
  "$(json "$out" 'scalar @{$d->{events}}') $(json "$err" '$d->{error}{exit}')" "0 3"
exits 0 "none are asked for" sessions tail "$session" a1 --last 0
is "none are given" "$out" ""
refused 2 "no number" "'two' is not a number of events" sessions tail "$session" a1 --last two
refused 2 "less than none" "'-1' is not a number of events" sessions tail "$session" a1 --last=-1
refused 3 "no such session" "nosuch" sessions tail nosuch a1
refused 3 "no such profile" "nosuch" sessions tail "$session" a1 --profile ./nosuch.lua

# The text of an event cannot pass for another line, nor act on a terminal.
perl -e 'print qq({"role":"user","content":"x"}\n);
  print qq({"role":"assistant","content":"one\\ntwo \\u001b[31mred\\u202e back\\\\nslash"}\n);
  print qq({"role":"assistant","content":"), "é" x 900, qq("}\n)' >"$dir/hostile.jsonl"
exits 0 "hostile text" sessions import "$dir/hostile.jsonl" --session hostile
exits 0 "its tail" sessions tail hostile assistant
is "each event stays on its line" "$(sed 1,3d <<<"$out" | grep -c '')" \
  "$("$CKRUN" sessions log hostile --agent assistant | grep -c '')"
has "control characters are escaped" "$out" 'one\ntwo \x1b[31mred\xe2\x80\xae back'
has "what is long is cut and says so" "$out" "é… (8"
ok "between characters" perl -e 'use Encode; local $/; decode("UTF-8", <STDIN>, Encode::FB_CROAK)' \
  <<<"$out"

cat >"$dir/short.lua" <<'LUA'
return { name = "short", extends = "default", constraints = { transcript_replay_depth = 2 },
  agents = { ann = { constraints = { transcript_replay_depth = 1 } } } }
LUA
exits 0 "the airline's session" run "$flow" --cassette "$cassette" --session air --profile \
  "$dir/short.lua"
exits 0 "a profile says how many" sessions tail air airline
is "two" "$(sed 1,3d <<<"$out" | grep -c '')" 2
exits 0 "the command line overrides it" sessions tail air airline --last 5
is "five" "$(sed 1,3d <<<"$out" | grep -c '')" 5
exits 0 "so does another profile" sessions tail air airline --profile default
ok "more than five" test "$(sed 1,3d <<<"$out" | grep -c '')" -gt 5

# An agent that is only delegated to takes part, too.
printf '%s\n' '{"role":"user","content":"x"}' '{"role":"assistant","content":"y"}' \
  >"$dir/plain.jsonl"
exits 0 "a session without that agent" sessions import "$dir/plain.jsonl" --session plain
exits 0 "sessions in which it took part" sessions list --agent a1
is "one" "$(cut -f1 <<<"$out")" "$session"
exits 0 "of those that wait" sessions list --agent a1 --status waiting
is "none" "$out$err" "agent 'a1' took part in no session that is waiting"
exits 0 "an agent of no session" sessions list --agent nobody --json
is "none, as JSON" "$out$err" ""

# listed NAME: for each agent of the store, the list of its sessions is that of the sessions in
# which it has a tail.
listed() {
  local session agent want=""
  "$CKRUN" sessions list | cut -f1 >"$dir/all"
  while read -r session; do "$CKRUN" sessions log "$session" --all | cut -f5; done <"$dir/all" | \
    sort -u | awk '$0 != "" && ++n % 4 == 1' >"$dir/agents"
  while read -r agent; do
    want=$(while read -r session; do [ -z \
      "$("$CKRUN" sessions tail "$session" "$agent" 2>/dev/null)" ] ||
      echo "$session"; done <"$dir/all")
    is "$1: sessions with $agent" "$("$CKRUN" sessions list --agent "$agent" | cut -f1)" "$want"
  done <"$dir/agents"
}

compare() {
  local name=$1 sessions
  shift
  export CKRUN_STORE=sqlite:$dir/$name.db
  ok "$name: all is imported" "$CKRUN" sessions import "$@"
  sessions=$("$CKRUN" sessions list | cut -f1)
  out=$(perl "$root/tests/host/inspect/tail.pl" "$CKRUN" $sessions 2>"$dir/err")
  code=$? err=$(cat "$dir/err")
  is "$name: every tail is what was worked out by other means" "$code" 0
  echo "# $name: sessions agents tails events: $out"
}

compare samples "$samples"/{claude_inline,claude_code}.jsonl \
  "$samples"/{crafted,generated,tau_bench}.json "$samples"/pi.jsonl \
  "$samples"/{owl,relay}.json "$samples"/hyperagent.txt
listed samples
if [ -d "${CKRUN_DATA:-}" ]; then
  compare who_and_when "$CKRUN_DATA"/who_and_when/*/*.json
  compare claude_code "$CKRUN_DATA"/claude_code/*.jsonl "$CKRUN_DATA"/claude_code_inline/*.jsonl
  compare relay "$CKRUN_DATA"/relay_trajectories/*.json
  compare owl_roleplay "$CKRUN_DATA"/owl_roleplay/*.json
  compare hyperagent "$CKRUN_DATA"/hyperagent/*.txt
  is "hyperagent: as many delegations as its log has headers of them" \
    "$(for s in $("$CKRUN" sessions list | cut -f1); do "$CKRUN" sessions log "$s" --kind \
    delegation; done | grep -c '')" "$(grep -hcE \
    '^(Navigator|Editor|Executor) \(to [A-Z][a-z]+ Manager\):$' "$CKRUN_DATA"/hyperagent/*.txt)"
  compare tau_bench "$CKRUN_DATA"/tau_bench/*.json "$CKRUN_DATA"/tau2_bench/*.json
else
  skip "no recorded sessions: CKRUN_DATA names no folder"
fi
finish
