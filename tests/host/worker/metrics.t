#!/bin/bash
# metrics.t - the numbers of a worker are those of what it did: counted from the transcripts; in the
# form that Prometheus reads; without a session's name. Health tells trouble and the end.
. "$(dirname "$0")/../tap.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1
cp "$root"/examples/airline/* . 2>/dev/null

worker() {
  : >worker.out; : >worker.err
  "${short[@]}" "$CKRUN" worker --poll 50ms --metrics 127.0.0.1:0 "$@" >worker.out 2>worker.err \
    </dev/null 3>&- 4>&- &
  worker=$!
  comes worker.err "metrics at"
  url=$(sed -n 's/^.*metrics at \(http:.*\)\/metrics.*/\1/p' worker.err | head -1)
}
comes() {
  for _ in $(seq 1500); do
    grep -q "$2" "$1" 2>/dev/null && return
    kill -0 "$worker" || return
    sleep 0.02
  done
}
stop() { kill -TERM "$worker"; wait "$worker"; }
# ask PATH: its body in $body, its code in $answer.
ask() {
  body=$(perl -MHTTP::Tiny -e '
    my $r = HTTP::Tiny->new(timeout => 20)->get($ARGV[0]); print "$r->{status}\n$r->{content}"' \
    "$url$1")
  answer=${body%%$'\n'*} body=${body#*$'\n'}
}
value() { awk -v name="$1" '$1 == name { print $2 }' <<<"$body"; }
short=(env)
worker --concurrency 2
if grep -q "built without\|cannot be loaded" worker.err; then
  skip "no libmicrohttpd here"
  finish
fi
ask /healthz
is "a worker is well" "$answer $body" "200 ok"
# named HOST: the code of the answer to a request with that name of this machine; -: without any.
named() {
  perl -MIO::Socket::INET -e 'my ($to, $host) = @ARGV;
    my $s = IO::Socket::INET->new(PeerAddr => $to =~ s,.*//,,r, Timeout => 20) or exit;
    print $s "GET /metrics HTTP/1.", $host eq "-" ? "0\r\n" : "1\r\nHost: $host\r\n",
      "Connection: close\r\n\r\n"; print split " ", <$s> =~ s/^\S+ (\d+).*/$1/sr' "$url" "$1"
}
is "a page that was led here by a name of its own reads nothing" \
  "$(for host in evil.example:9 evil.example 127.0.0.1.evil.example localhost.evil ''; do
    named "$host"; echo; done | sort | uniq -c | tr -s ' ' | tr '\n' ,)" " 5 403,"
is "by this machine's own names, through a tunnel, too, it is read" \
  "$(for host in "${url#http://}" localhost LOCALHOST:1 127.0.0.1 '[::1]:9' 10.0.0.7:99 -; do
    named "$host"; echo; done | sort | uniq -c | tr -s ' ' | tr '\n' ,)" " 7 200,"
ask /readyz
is "and ready" "$answer $body" "200 ready"
ask /nothing
is "nothing else is there" "$answer" 404
cat >profile.lua <<'END'
return { name = "keyed", extends = "default", secrets = { token = "env:METRICS_TOKEN" } }
END
cat >tell.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "tell", start = "tell", edges = { tell = flow.done }, nodes = {
  tell = flow.exec { argv = { "sh", "-c", "echo '\"hunter2hunter2 AKIAIOSFODNN7EXAMPLE\"'" } } } }
END
stop
export METRICS_TOKEN=hunter2hunter2
for n in 1 2 3; do "$CKRUN" submit flow.lua --cassette cassette.jsonl --session "air$n"; done \
  >/dev/null 2>&1
"$CKRUN" submit tell.lua --profile ./profile.lua --session tell >/dev/null 2>&1
worker --concurrency 2
for s in air1 air2 air3 tell; do comes worker.out "^ended	$s"; done
ask /metrics
is "metrics are there" "$answer" 200

# ---- the same numbers, worked out from what each session says of itself ----
sums=$(for s in air1 air2 air3 tell; do "$CKRUN" --json sessions show "$s"; done |
  perl -MJSON::PP -ne '$t = decode_json($_)->{totals}; $i += $t->{input_tokens};
    $o += $t->{output_tokens}; $c += $t->{cost_usd}; END { printf "%d %d %.6f", $i, $o, $c }')
is "tokens and dollars are those of the sessions" \
  "$(value 'ckrun_tokens_total{direction="input"}') $(value \
    'ckrun_tokens_total{direction="output"}') $(value ckrun_cost_dollars_total)" "$sums"
checkpoints=$(for s in air1 air2 air3 tell; do
  "$CKRUN" --json sessions log "$s" --all --kind boundary
done | grep -c '"id":"checkpoint_\|"checkpoint":"checkpoint_')
# The final checkpoint is part of the end, and not measured.
is "each checkpoint but the last ones is measured" \
  "$(value ckrun_checkpoint_seconds_count)" "$((checkpoints - 4))"
is "each claim is counted" "$(value ckrun_claims_total)" 4
is "and how long it waited" "$(value ckrun_queue_seconds_count)" 4
is "each end by its state" "$(value 'ckrun_runs_total{status="completed"}')" 4
ok "within each bound as many as there were, or fewer" test "$(value \
  'ckrun_checkpoint_seconds_bucket{le="5"}')" -gt 0 -a "$(value \
  'ckrun_checkpoint_seconds_bucket{le="5"}')" -le "$((checkpoints - 4))"
is "so is what the store has" "$(value 'ckrun_sessions{status="completed"}')" 4
is "nobody was fenced, died, or was taken over" "$(value ckrun_fences_total) $(value \
  ckrun_deaths_total) $(value ckrun_takeovers_total)" "0 0 0"
ok "what was masked is counted by rule" grep -q \
  '^ckrun_redactions_total{family="known",rule=""} [1-9]' <<<"$body"
ok "also by another one" grep -q '^ckrun_redactions_total{family="value",rule="[a-z_]*"} [1-9]' \
  <<<"$body"
is "no session is named, nor a flow" "$(grep -cE 'air[123]|tell|flow|airline' <<<"$body")" 0

# ---- the form ----
# check_form: every sample has HELP and TYPE before it, once; names and labels are of the right
# letters; buckets ascend, and the last one is the count.
check_form() {
  perl -ne '
    chomp; next if $_ eq "";
    if (/^# HELP ([a-z_:][a-z0-9_:]*) \S/) { die "HELP $1 twice" if $help{$1}++; next }
    if (/^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)$/) {
      die "TYPE $1 twice" if $type{$1}; $type{$1} = $2;
      die "$1: a counter ends in _total" if $2 eq "counter" && $1 !~ /_total$/;
      die "$1: no counter" if $2 ne "counter" && $1 =~ /_total$/; next }
    my ($name, $labels, $value) = /^([a-z_:][a-z0-9_:]*)(\{[^}]*\})? (-?[0-9.e+]+)$/
      or die "line: $_";
    (my $base = $name) =~ s/_(bucket|sum|count)$//;
    my $of = $type{$name} ? $name : $base;
    die "$name has no TYPE" if !$type{$of}; die "$name has no HELP" if !$help{$of};
    die "twice: $_" if $seen{"$name" . ($labels // "")}++;
    if ($labels) {
      (my $rest = $labels) =~ s/^\{|\}$//g;
      $rest =~ s/^[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,|$)// or die "labels: $labels"
        while $rest ne "";
    }
    if ($name =~ /_bucket$/) { die "buckets: $_" if $value < ($last{$base} // 0);
      $last{$base} = $value; $inf{$base} = $value if $labels =~ /\+Inf/ }
    if ($name =~ /_count$/ && $type{$base} eq "histogram") {
      die "$base: no +Inf" if !defined $inf{$base}; die "$base: count" if $inf{$base} != $value }
    $lines++;
    END { exit 1 if !$lines }' <<<"$body"
}
ok "the text has the form of Prometheus" check_form
if command -v promtool >/dev/null; then
  ok "and promtool has nothing against it" promtool check metrics <<<"$body"
fi
refused 2 "an address of the network" "no address of this machine alone" worker \
  --metrics 0.0.0.0:9090
"$CKRUN" worker --until-idle --metrics "${url#http://}" >out 2>err </dev/null
is "one that is in use" $? 5

# ---- a run that dies, and is taken over ----
cat >die.lua <<END
local flow = require "ck.flow"
return flow.graph { name = "die", start = "die", edges = { die = flow.done }, nodes = {
  die = flow.exec { class = "idempotent", argv = { "sh", "-c",
    "[ -e '$dir/died' ] || { : >'$dir/died'; kill -9 \$PPID; sleep 60; }; echo null" } } } }
END
"$CKRUN" submit die.lua --session die >/dev/null 2>&1
comes worker.out "^ended	die	completed"
ask /metrics
is "a death, and the take-over behind it" \
  "$(value ckrun_deaths_total) $(value ckrun_takeovers_total)" "1 1"
stop

# ---- trouble makes it unready, not ill ----
if "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -shared -fPIC -DSHORTAGE_PRELOAD \
  "$root/tests/host/worker/shortage.c" -o shortage.so 2>/dev/null; then
  mkdir short
  : >short/processes
  short=(env "LD_PRELOAD=$dir/shortage.so" "SHORTAGE=$dir/short"
    "ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0")
  "$CKRUN" submit tell.lua --profile ./profile.lua --session late >/dev/null 2>&1
  worker
  comes worker.err "nothing is begun"
  for _ in $(seq 200); do ask /readyz; [ "$answer" = 503 ] && break; sleep 0.02; done
  is "a worker that gets no process is not ready" "$answer" 503
  has "and says why" "$body" "cannot be started"
  ask /healthz
  is "but it is well" "$answer" 200
  ask /metrics
  is "and says that, too" "$(value ckrun_worker_troubled)" 1
  rm short/processes
  comes worker.out "^ended	late"
  ask /readyz
  is "ready again when it passes" "$answer" 200
  stop
fi
finish
