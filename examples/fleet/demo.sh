#!/bin/sh
# demo.sh - six orders in a queue and two workers; one of them is killed, with what it runs, and the
# other goes on with what is left.
set -eu
cd "$(dirname "$0")"
ckrun=${CKRUN:-../../build/ckrun}
case $ckrun in */*) ckrun=$(cd "$(dirname "$ckrun")" && pwd)/$(basename "$ckrun") ;; esac
work=$(mktemp -d)
trap 'touch "$work/released"; rm -rf "$work"' EXIT
cp flow.lua charge ship "$work"
cd "$work"
# A store of your own, such as postgres://…, may take the place of this one.
export CKRUN_STORE="${FLEET_STORE:-sqlite:$work/demo.db}"
touch begun.log done.log

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say '1. Six orders are put into the queue: ckrun submit flow.lua'
for n in 1 2 3 4 5 6; do "$ckrun" submit flow.lua --session "order$n" 2>/dev/null; done |
  sed 's/^/  /'

say '2. A worker takes them, and is killed while it ships the third one: kill -9'
"$ckrun" worker --poll 50ms --concurrency 1 --flows "$work" >first.log 2>&1 &
first=$!
until grep -q 'ship order3' begun.log; do kill -0 "$first"; done
kill -9 "$first" "$(sed -n 's/^begun	order3	pid //p' first.log)"
! wait "$first" 2>/dev/null
sed 's/	/  /g; s/^/  /' first.log

say '3. Another one goes on, here or on any machine that reaches the store: ckrun worker'
touch released
"$ckrun" worker --poll 50ms --concurrency 2 --flows "$work" --until-idle | sed 's/	/  /g; s/^/  /'

say '4. Each order was charged once, and shipped.'
printf '  %-29s%s\n' \
  'charges' "$(grep -c charge done.log)" \
  'of them twice' "$(grep charge done.log | sort | uniq -d | wc -l)" \
  'orders that are completed' "$("$ckrun" sessions list --status completed | wc -l)"
[ "$(grep charge done.log | sort -u | wc -l)" = 6 ] && [ "$(grep -c charge done.log)" = 6 ] &&
  [ "$("$ckrun" sessions list --status completed | wc -l)" = 6 ]
