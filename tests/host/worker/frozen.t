#!/bin/bash
# frozen.t - a server that stands still holds nobody without end: who reads is told that it does not
# answer, a run that cannot renew its lease is told as lapsed, an idle worker goes on when it does.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../postgres.sh"
need_server
schema=one
export CKRUN_STORE="$server&schema=one&lease=9&margin=3"
tell() { echo "$1" >&9; read -r _ <&8; }
cd "$dir" || exit 1
# comes FILE TEXT: waits until the file has it; a worker that ends is not waited for.
comes() {
  for _ in $(seq 3000); do
    grep -q "$2" "$1" 2>/dev/null && return
    kill -0 "$worker" || return
    sleep 0.02
  done
}
worker() { # NAME ARGUMENTS…
  "$CKRUN" worker --poll 50ms --flows "$dir" "${@:2}" >"$1.out" 2>"$1.err" </dev/null \
    8<&- 9>&- 3>&- 4>&- &
  worker=$!
}

write_flow idempotent
"$CKRUN" submit flow.lua --session s --label one >/dev/null 2>&1 </dev/null
worker idle --label none
idle=$worker
worker busy --label one --concurrency 1
busy=$worker
reach
step=$(cat step)
for _ in $(seq 3000); do
  [ "$(ask "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")" = 1 ] && break
  sleep 0.02
done
# One that waits longer for an answer, since its leases last longer, and tells how it is.
lease=$CKRUN_STORE CKRUN_STORE="$server&schema=one&lease=120"
worker patient --label none --metrics 127.0.0.1:0
CKRUN_STORE=$lease
patient=$worker
comes patient.err "metrics at"
url=$(sed -n 's/^.*metrics at \(http:.*\)\/metrics.*/\1/p' patient.err | head -1)
[ -n "$url" ] || skip "no libmicrohttpd here"
tell freeze

# ---- who asks how a worker is ----
if [ -n "$url" ]; then
  ready() { perl -MHTTP::Tiny -e 'my $r = HTTP::Tiny->new(timeout => 60)->get("$ARGV[0]/readyz");
    print "$r->{status} $r->{content}"' "$url"; }
  for _ in $(seq 3000); do said=$(ready); [[ $said == 503* ]] && break; sleep 0.02; done
  has "a worker whose store does not answer is not ready" "$said" "503 the store has not answered"
  is "which is told long before its own question has waited enough" \
    "$(grep -c 'nothing is begun' patient.err)" 0
fi

# ---- who reads ----
for words in "sessions list" "sessions show s" "sessions watch s"; do
  (timeout 60 "$CKRUN" $words >"out.${words// /-}" 2>&1 </dev/null
    echo "exit $?" >>"out.${words// /-}") 8<&- 9>&- &
  readers="${readers:-} $!"
done
wait $readers
for words in "sessions list" "sessions show s" "sessions watch s"; do
  said=$(cat "out.${words// /-}")
  has "$words of a server that stands still ends" "$said" "exit 74"
  has "$words says how long it waited, and what to do" "$said" "try again when 'pg_isready'"
done

# ---- the workers ----
worker early --label none
early=$worker
comes early.err "nothing is begun"
ok "one that begins meanwhile waits, too" kill -0 "$early"
worker=$busy
comes busy.err "nothing is begun"
has "a worker whose handle has asked it says so" "$(cat busy.err)" \
  "the server has not answered for "
worker=$idle
comes idle.err "nothing is begun"
has "an idle one, too" "$(cat idle.err)" "nor does it take a connection"
for _ in $(seq 3000); do [ -d "/proc/$step" ] || break; sleep 0.02; done
ok "the step of a run that cannot renew its lease is ended" test ! -d "/proc/$step"
tell thaw
worker=$busy
comes busy.out "ended	s	"
has "a run that could not renew its lease is told so" "$(cat busy.out)" \
  "ended	s	lapsed: store $server&schema=one"
is "and not as taken by another" "$(grep -c '^taken' busy.out)" 0
comes busy.err "works again"
has "the worker says that the server answers again" "$(cat busy.err)" "works again"
worker=$idle
comes idle.err "works again"
has "the idle one, too" "$(cat idle.err)" "works again"
ok "and lives" kill -0 "$idle"
worker=$early
comes early.err "works again"
has "and the one that began meanwhile" "$(cat early.err)" "works again"

# ---- behind the end of the lease it is gone on with ----
reach
steps one two three four
worker=$busy
comes busy.out "ended	s	completed"
has "the session ends" "$(cat busy.out)" "ended	s	completed"
kill -TERM "$busy" "$idle" "$patient" "$early"
wait "$busy" "$idle" "$patient" "$early"
exits 0 "all is whole" store verify
finish
