#!/bin/bash
# worker.t - sessions in a queue are run by workers: each step once, whoever dies; what a person
# paused, took or must still say is left alone; only flows of the worker's folders run.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
write_flow once
flow=$dir/flow.lua
export CKRUN_COUNTERS=off

# worker ARGUMENTS…: one in the background as $worker, its output in worker.out and worker.err.
worker() {
  : >"$dir/worker.out"; : >"$dir/worker.err" # what an earlier one said is not this one's
  "$CKRUN" worker --poll 50ms "$@" >"$dir/worker.out" 2>"$dir/worker.err" </dev/null 3>&- 4>&- &
  worker=$!
}
# told LINE: waits until the worker has printed that beginning of a line.
told() { until grep -q "^$1" "$dir/worker.out"; do kill -0 "$worker" || break; done; }
child() { sed -n "s/^begun\t$1\tpid //p" "$dir/worker.out" | tail -1; }
stop() { kill -TERM "$worker"; wait "$worker"; code=$?; }
# die PID…: these are killed while a step is under way, and the step with them, without a word.
die() {
  step=$(cat "$dir/step")
  kill -KILL "$@"
  while kill -KILL "$step" 2>/dev/null; do :; done
}
once() { # NAME SESSION STEPS: each of these was done, and none twice.
  is "$1" "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" \
    "$(printf '1 %.0s' $(seq "$3"))"
}
status() {
  json "$("$CKRUN" --json sessions show "$1")" '$d->{status} . " " . ($d->{reason} // "")'
}
# quick NAME: a flow that notes its session's name and ends.
quick() {
  cat >"$dir/$1.lua" <<EOF
local flow = require "ck.flow"
return flow.graph { name = "$1", start = "note", edges = { note = flow.done }, nodes = {
  note = flow.exec { argv = { "sh", "-c", "echo $1 >>'$dir/noted'; echo null" } } } }
EOF
}
quick quick

# ---- submitted, and run ----
exits 0 "submit" submit "$flow" --session one
is "prints the id alone" "$out" one
has "and says what runs it" "$err" "ckrun worker"
is "the session is paused, queued" "$(status one)" "paused queued"
exits 0 "as JSON" --json submit "$dir/quick.lua" --session two
is "the same in one object" \
  "$(json "$out" '"$d->{session} $d->{status} $d->{reason}"')" "two paused queued"
ok "nothing has run yet" test ! -e "$dir/done" -a ! -e "$dir/noted"
refused 5 "an id that is taken" "exists already" submit "$flow" --session one
"$CKRUN" --json sessions watch two >"$dir/seen" 2>&1 </dev/null 3>&- 4>&- &
watch=$!
until [ -s "$dir/seen" ]; do kill -0 "$watch" || break; done
worker --concurrency 1
reach
is "the oldest is begun first" "$(sed -n 's/\tpid.*//p' "$dir/worker.out")" "begun	one"
is "and it runs" "$(status one)" "running "
"$CKRUN" resume one >"$dir/other" 2>&1 </dev/null
is "a person cannot run it beside" $? 76
steps first second third fourth
told "ended	two"
wait "$watch"
is "who watched one in the queue has seen its end" "$? $(json "$(tail -1 "$dir/seen")" \
  '$d->{status}')" "0 completed"
stop
is "both are done, and the worker ends at a signal: exit 0" "$code" 0
is "with all that it did in its lines" "$(sed 's/pid [0-9]*/pid/' "$dir/worker.out")" \
  "begun	one	pid
ended	one	completed
begun	two	pid
ended	two	completed"
once "no step was done twice" one 4
is "the result is there" "$(json "$("$CKRUN" --json sessions log one --kind session_completed)" \
  '$d->{body}{result}')" fourth

# ---- the process of a session is killed, and then the worker itself: another goes on ----
: >"$dir/done"
write_flow idempotent
"$CKRUN" submit "$flow" --session three >/dev/null 2>&1
worker
reach
die "$(child three)"
told "ended	three	died"
reach
is "a session whose process died is begun again by the same worker" \
  "$(grep -c '^begun' "$dir/worker.out")" 2
let_on first
reach
die "$worker" "$(child three)"
wait "$worker" 2>/dev/null
is "one whose worker died with it" "$(json "$("$CKRUN" --json sessions show three)" \
  '$d->{status} . " " . ($d->{live} ? 1 : 0)')" "running 0"
worker
reach
steps second third fourth
told "ended	three"
stop
is "is gone on with by the next" "$(status three)" "completed "
is "the steps that were under way are the only ones that were begun twice" \
  "$(sort "$dir/done" | uniq -c | awk '{ print $1 }' | xargs)" "2 2 1 1"

# ---- a signal drains: back in the queue at the next boundary ----
: >"$dir/done"
write_flow once
"$CKRUN" submit "$flow" --session four >/dev/null 2>&1
worker
reach
kill -TERM "$worker"
until grep -q "pauses at the next boundary" "$dir/worker.err"; do kill -0 "$worker" || break; done
let_on first
wait "$worker"
is "a worker that was told to end ends with 0" $? 0
is "its session is back in the queue" "$(status four)" "paused queued"
worker --until-idle
reach
steps second third fourth
wait "$worker"
is "--until-idle ends when nothing is left" $? 0
once "no step was done twice" four 4

# ---- what a person does is a person's ----
: >"$dir/done"
"$CKRUN" submit "$flow" --session five >/dev/null 2>&1
worker
reach
"$CKRUN" pause five --reason "not today" >"$dir/paused" 2>&1 &
pausing=$!
until "$CKRUN" --json sessions log five --kind note | grep -q pause; do :; done
let_on first
wait "$pausing"
stop
is "a session that a person paused" "$(status five)" "paused not today"
exits 5 "is not due for any worker" resume five --queued --dry-run
[ "$code" = 5 ] || finish # a worker would begin it, and wait for its step
exits 0 "is left alone" worker --until-idle
is "and nothing is begun" "$out" ""
begin resume five
die "$pid"
wait "$pid" 2>/dev/null
exits 0 "nor is one that a person resumed, and that died" worker --until-idle
is "begun" "$out" ""
exits 75 "it is in doubt about the step" resume five
key=$("$CKRUN" --json resolve five | head -1)
key=$(json "$key" '$d->{effect} // $d->{key}')
exits 0 "a person says what became of it" resolve five "$key" 'done' --result '"second"'
exits 0 "which is no worker's business" worker --until-idle
is "still" "$out" ""
exits 0 "until the person gives it away" resume five --detach --label any
has "the worker that is named has its label" "$err" "ckrun worker --label any'"
is "by its id" "$out" five
is "then it waits in the queue" "$(status five)" "paused queued"
exits 0 "for a worker with its label" worker --until-idle
is "not for any" "$out" ""
worker --until-idle --label other --label any
reach
steps third fourth
wait "$worker"
is "who goes on with it" "$(status five)" "completed "
once "no step was done twice" five 4

# ---- a question keeps no worker; its answer is heard ----
cat >"$dir/ask.lua" <<EOF
local flow = require "ck.flow"
return flow.graph { name = "asks", start = "ask", edges = { ask = "note", note = flow.done },
  nodes = { ask = flow.ask { question = "go?", options = { "yes", "no" } },
    note = flow.exec { argv = { "sh", "-c", "echo asked >>'$dir/noted'; echo null" } } } }
EOF
exits 0 "run --detach" run "$dir/ask.lua" --session six --detach
is "is the same as submit" "$(status six)" "paused queued"
exits 0 "a worker asks" worker --until-idle
has "and lets it wait" "$out" "ended	six	waiting: go?"
exits 0 "and does not look at it again" worker --until-idle
is "before it is answered" "$out" ""
exits 0 "the answer" answer six yes
exits 0 "then" worker --until-idle
has "it goes on" "$out" "ended	six	completed"

# ---- only what lies in the worker's folders ----
mkdir -p "$dir/trusted" "$dir/elsewhere"
cp "$dir/quick.lua" "$dir/trusted/good.lua"
cp "$dir/quick.lua" "$dir/elsewhere/bad.lua"
ln -s "$dir/elsewhere" "$dir/trusted/link"
echo 'return { name = "mine" }' >"$dir/elsewhere/mine.lua"
cd "$dir/trusted" || exit 1
"$CKRUN" submit "$dir/trusted/good.lua" --session good >/dev/null 2>&1
"$CKRUN" submit "$dir/trusted/link/bad.lua" --session link >/dev/null 2>&1
"$CKRUN" submit "$dir/elsewhere/bad.lua" --session bad >/dev/null 2>&1
"$CKRUN" submit good.lua --profile "$dir/elsewhere/mine.lua" --session profile >/dev/null 2>&1
(cd "$dir/elsewhere" && "$CKRUN" submit "$dir/trusted/good.lua" --session folder) >/dev/null 2>&1
mkdir "$dir/trusted#"
echo '{"cassette":1}' >"$dir/trusted#/tape.jsonl"
"$CKRUN" submit good.lua --cassette "$dir/trusted#/tape.jsonl" --session tape >/dev/null 2>&1
cd "$dir" || exit 1
: >"$dir/noted"
exits 0 "a worker with --flows" worker --until-idle --flows "$dir/trusted"
has "runs what lies there" "$out" "ended	good	completed"
for name in link bad profile folder tape; do
  has "but not $name" "$out" "refused	$name	tried again later: the "
done
is "once for each" "$(grep -c '^refused' <<<"$out") $(grep -c quick "$dir/noted")" "5 1"
exits 0 "one without" worker --until-idle
is "runs them all" "$(grep -c completed <<<"$out")" 5
"$CKRUN" submit "$dir/trusted/good.lua" --session again >/dev/null 2>&1
refused 2 "a folder that is not there" "--flows" resume --queued --flows "$dir/nowhere" again
refused 3 "a worker for one that is not there" "--flows $dir/nowhere: " worker --until-idle \
  --flows "$dir/trusted" --flows "$dir/nowhere"
refused 2 "a worker for a file" "is no folder" worker --until-idle --flows "$dir/trusted/good.lua"

# ---- a store that ends with its process ----
for how in submit "run --detach"; do
  # shellcheck disable=SC2086
  refused 2 "$how into memory" "no worker finds a session in it" --store memory: $how \
    "$dir/trusted/good.lua"
done
refused 2 "a worker of it" "give --store sqlite:PATH" --store memory: worker --until-idle --flows .

# ---- what the run was given for itself is what its worker gives it ----
cat >"$dir/typed.lua" <<'EOF'
return { name = "typed", version = 1, options = { a = "", b = "" },
  checkpoint = function(at, opt)
    return type(opt.a) == "string" and opt.a .. " and " .. opt.b
  end }
EOF
"$CKRUN" submit "$root/examples/airline/flow.lua" --cassette "$cassette" --session typed \
  --policy "$dir/typed.lua" --option 'typed.a="17"' --option 'typed.b="\"so\""' >/dev/null 2>&1
exits 0 "a worker of one with options" worker --until-idle
run sessions checkpoints typed --json
has "texts that look like JSON stay what they are" "$out" '17 and \"so\"'

# ---- what cannot be begun is told, not tried without end ----
cat >"$dir/secret.lua" <<EOF
return { name = "needs", secrets = { token = "env:CKRUN_TEST_TOKEN" } }
EOF
CKRUN_TEST_TOKEN=hunter2hunter2 "$CKRUN" submit "$dir/quick.lua" --profile "$dir/secret.lua" \
  --session seven >/dev/null 2>&1
exits 0 "what is left" worker --until-idle
exits 0 "a worker without the secret" worker --until-idle
has "says so" "$out" "CKRUN_TEST_TOKEN"
is "once" "$(grep -c . <<<"$out")" 2
is "and leaves it in the queue" "$(status seven)" "paused queued"
export CKRUN_TEST_TOKEN=hunter2hunter2
exits 0 "for one that has it" --json worker --until-idle
is "who tells it in objects" \
  "$(json "[$(sed 's/$/,/' <<<"$out")0]" \
    'join " ", map { "$_->{event} $_->{session}" } @$d[0, 1]')" \
  "begun seven ended seven"

# ---- what its run was given for itself goes with it ----
cat >"$dir/loud.lua" <<'EOF'
return { name = "loud", version = 1, options = { word = "quiet" },
  checkpoint = function(at, opt)
    if at.kind == "node_complete" then return { reason = opt.word } end
  end }
EOF
exits 0 "submit with a policy and its option" submit "$dir/quick.lua" --session eight \
  --policy "$dir/loud.lua" --option loud.word=heard --set colour=red --limit tool_calls=7
exits 0 "a worker" worker --until-idle
has "runs it" "$out" "ended	eight	completed"
has "under both" "$("$CKRUN" policy explain eight)" "heard"
has "with what was set" "$("$CKRUN" --json sessions inspect eight)" '"memory.colour":"red"'
# ---- many sessions, two workers ----
: >"$dir/noted"
for n in $(seq 12); do quick "many$n"; "$CKRUN" submit "$dir/many$n.lua" --session "many$n"; done \
  >/dev/null 2>&1
worker --until-idle --concurrency 3
"$CKRUN" worker --until-idle --poll 50ms --concurrency 3 >"$dir/second.out" 2>&1 </dev/null
wait "$worker"
is "each ran once" "$(sort "$dir/noted" | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs)" \
  "12 1"
is "and is completed" "$("$CKRUN" --json sessions list --status completed | grep -c '"many')" 12

# ---- the service manager is told ----
perl -MIO::Socket::UNIX -e '
  my $at = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die $!;
  open my $ready, ">", "$ARGV[0].ready"; close $ready;
  $| = 1;
  while (defined $at->recv(my $text, 4096)) { print $text, "\n"; last if $text =~ /STOPPING/ }' \
  "$dir/notify" >"$dir/notified" &
manager=$!
until [ -e "$dir/notify.ready" ]; do :; done
NOTIFY_SOCKET=$dir/notify worker
until grep -q STATUS "$dir/notified"; do kill -0 "$worker" || break; done
stop
[ "$code" = 0 ] || kill "$manager"
wait "$manager"
ok "that it is ready" grep -q "^READY=1" "$dir/notified"
ok "that it lives" grep -q "^WATCHDOG=1" "$dir/notified"
ok "and that it ends" grep -q "^STOPPING=1" "$dir/notified"

# ---- mistakes ----
refused 2 "a label that is none" "letters, digits" submit "$flow" --label "a b"
refused 2 "a label of a run here" "--detach" run "$flow" --label gpu
refused 2 "events of a run that is not here" "--detach" run "$flow" --detach --events
refused 2 "a profile for what is queued" "--queued" resume two --queued --profile default
refused 2 "--flows of a person's resume" "--queued" resume two --flows "$dir"
refused 5 "one that is not queued" "not due" resume one --queued
refused 2 "a poll that is too short" "50ms" worker --poll 1ms
finish
