#!/bin/bash
# resume.t - a session that was killed, paused or in doubt resumes at its position, once, or reports
# all obstacles.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"

# ---- killed ----
write_flow idempotent
begin run "$dir/flow.lua" --session killed
let_on one
reach
exits 0 "a live session is listed" sessions list --json
is "as running and alive" "$(json "$out" '$d->{status} . " " . $d->{live}')" "running 1"
refused 76 "resume of a live session" "killed" resume killed
refused 76 "dry run of a live session" "killed" resume killed --dry-run
exits 0 "a live session's log" sessions log killed
exits 0 "a live session is shown" sessions show killed
is "there is nothing to do about it" "$(cell "$out" next)" ""
exits 0 "its store is verified" store verify
die
is "the id was told before the end" "$(head -n 1 "$dir/begun")" killed
exits 0 "a killed session" sessions show killed
is "its process is gone" "$(cell "$out" reason)" "its process is gone"
is "how to go on is told" "$(cell "$out" next)" "ckrun resume killed"
exits 0 "resume --dry-run" resume killed --dry-run
is "it would run one effect again" "$(cell "$out" "run again")" 1
has "from the checkpoint" "$(cell "$out" "goes on from")" "tool_round"
exits 0 "resume --dry-run --json" --json resume killed --dry-run
is "the same as JSON" "$(json "$out" \
  '$d->{rerun} . " " . $d->{resumable} . " " . scalar @{$d->{problems}}')" "1 1 0"
exits 0 "a dry run changes nothing" sessions show killed --json
is "one timeline" "$(json "$out" 'scalar @{$d->{timelines}}')" 1
begin resume killed
steps two three four
ended
is "the resumed run: exit 0" "$code" 0
is "its result" "$(cell "$out" result)" four
is "each step ran once, the one that was under way twice: it is idempotent" \
  "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' ')" "1 1 1 2 "
exits 0 "sessions log --all" sessions log killed --all --json
ok "what the resume left behind is marked" test "$(grep -c '"abandoned":true' <<<"$out")" -gt 0
exits 0 "the state" sessions inspect killed --json
is "every step once" "$(json "$out" 'join " ", map { $d->{state}{"memory.step$_"} } 1 .. 4')" \
  "one two three four"
exits 0 "store verify" store verify

# ---- paused ----
begin run "$dir/flow.lua" --session paused
kill -INT "$pid"
let_on one
ended
is "SIGINT pauses at the next boundary: exit 8" "$code" 8
has "how to go on is told" "$(cell "$out" resume)" "ckrun resume paused"
has "and that it is paused" "$err" "session paused is paused: user_requested"
begin resume paused
kill -TERM "$pid"
until grep -q "once more" "$dir/told"; do :; done
kill -TERM "$pid"
ended
is "a second signal stops at once: exit 130" "$code" 130
has "the summary is there all the same" "$(cell "$out" resume)" "ckrun resume paused"
end_step # or it would take the word meant for the next
begin --json resume paused
steps two three last
ended
is "and it goes on" "$code $(json "$out" '$d->{status} . " " . $d->{result}')" "0 completed last"

# ---- in doubt ----
write_flow once
: >"$dir/done"
begin run "$dir/flow.lua" --session doubt
die
exits 75 "a once effect without an outcome stops the resume" resume doubt
has "what to do is told" "$err" "ckrun resolve doubt"
exits 0 "the doubts are listed" resolve doubt
key=$(cut -f1 <<<"$out")
is "one tool of class once" "$(cut -f2,3 <<<"$out")" $'tool\tonce'
exits 0 "the doubts as JSON" --json resolve doubt
is "the same key" "$(json "$out" '$d->{effect}')" "$key"
exits 0 "sessions show" sessions show doubt
is "names it" "$(cell "$out" in_doubt) $(cell "$out" status)" "$key in_doubt"
exits 3 "an effect that is not in doubt" resolve doubt main/nothing done
has "lists those that are" "$out" "$key"
exits 2 "a result that is not JSON" resolve doubt "$key" done --result '{'
exits 0 "done" resolve doubt "$key" done --result '"by hand"'
exits 0 "nothing is in doubt any more" resolve doubt
is "the list is empty" "$out" ""
begin resume doubt
steps two three end
ended
is "it goes on" "$code $(cell "$out" result)" "0 end"
is "and ran nothing twice" "$(sort "$dir/done" | uniq -d)" ""
exits 0 "the state" sessions inspect doubt --json
is "has the result that the person gave" "$(json "$out" '$d->{state}{"memory.step1"}')" "by hand"

# ---- preflight ----
begin run "$dir/flow.lua" --session changed
let_on one
reach
kill -INT "$pid"
let_on two
ended
is "paused for the preflight" "$code" 8
write_flow once "Changed."
refused 5 "a changed flow" "flow.lua has changed" resume changed
mv "$dir/flow.lua" "$dir/away.lua"
refused 5 "a flow that is gone" "flow.lua" resume changed --accept-changed
exits 5 "every problem at once" resume changed --cassette "$dir/absent.jsonl" --profile nowhere
is "three of them" "$(grep -c '^problem: ' <<<"$err")" 3
exits 5 "every problem at once, as JSON" --json resume changed --cassette "$dir/absent.jsonl" \
  --profile nowhere --dry-run
is "three of them" "$(json "$out" 'scalar @{$d->{problems}}')" 3
mv "$dir/away.lua" "$dir/flow.lua"
refused 3 "an unknown checkpoint" "\`ckrun sessions checkpoints changed\` lists them" resume \
  changed --checkpoint nowhere
exits 0 "nothing was touched" sessions show changed --json
is "one timeline" "$(json "$out" '$d->{status} . " " . scalar @{$d->{timelines}}')" "paused 1"
exits 0 "its checkpoints" sessions checkpoints changed
first=$(head -n 1 <<<"$out" | cut -f2) seq=$(head -n 1 <<<"$out" | cut -f1)
for word in "$first" "$seq" first; do
  exits 0 "a checkpoint named by $word" resume changed --accept-changed --checkpoint "$word" \
    --dry-run
  has "is that one" "$out" "$first"
done
begin resume changed --accept-changed --checkpoint "$first"
kill -INT "$pid"
let_on three
ended
is "it goes on when the change is accepted" "$code" 8
exits 0 "its checkpoints" sessions checkpoints changed
has "what lies behind the one chosen is abandoned" "$out" "1 (abandoned)"
# executed RUN: the digest of the flow that this run of the session executed, then other members.
executed() {
  sqlite3 "${CKRUN_STORE#sqlite:}" "SELECT about ->> 'flow', json_type(about -> 'policies'),
    length(about ->> 'profile') FROM timeline WHERE no = $1 AND session =
    (SELECT no FROM session WHERE id = 'changed')"
}
flow_digest=$(b2sum -l 256 "$dir/flow.lua" | cut -d' ' -f1)
is "what the resume executed is kept with it" "$(executed 2)" "$flow_digest|array|64"
is "what the start executed is another flow" \
  "$([ "$(executed 1)" != "$(executed 2)" ] && executed 1 | cut -d'|' -f2-)" "array|64"
exits 0 "store verify" store verify
finish
