#!/usr/bin/env bash
# fleet.t - the demonstration of two workers holds what it shows, on a file and on a server: one is
# killed, and no order is charged twice or left.
set -u
cd "$(dirname "$0")/../.." || exit 1
echo 1..8
export CKRUN_COUNTERS=off
count=0
out='' code=0
check() { # NAME COMMAND…
  local name=$1
  shift
  count=$((count + 1))
  "$@" >/dev/null && echo "ok $count - $name" ||
    { echo "not ok $count - $name"; sed 's/^/# /' <<<"exit $code: $out"; }
}
# holds WHERE: what the demonstration shows.
holds() {
  out=$(timeout 300 examples/fleet/demo.sh 2>&1)
  code=$?
  check "$1: it runs to its end" test "$code" = 0
  check "$1: six charges" grep -qE 'charges  *6$' <<<"$out"
  check "$1: none of them twice" grep -qE 'of them twice  *0$' <<<"$out"
  check "$1: all orders are completed" grep -qE 'completed  *6$' <<<"$out"
}
holds 'a file'

coproc SERVER { exec tests/store/postgres_server.sh 2>/dev/null; }
read -r url <&"${SERVER[0]}" || url='skip: it said nothing'
case $url in
  skip:*) for n in 5 6 7 8; do echo "ok $n - # SKIP ${url#skip: }"; done ;;
  *)
    export FLEET_STORE=$url
    holds 'a server'
    ;;
esac
