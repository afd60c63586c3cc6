#!/bin/sh
# demo.sh - a kind of flow of one's own is paused on its way, resumed, and sends each letter once.
set -eu
cd "$(dirname "$0")"
ckrun=${CKRUN:-../../build/ckrun}
case $ckrun in */*) ckrun=$(cd "$(dirname "$ckrun")" && pwd)/$(basename "$ckrun") ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp flow.lua greet "$work"
cd "$work"
export CKRUN_STORE="sqlite:$work/demo.db"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say '1. A letter to each of a list; stopped with SIGTERM after the first.'
mkfifo progress
"$ckrun" run flow.lua --profile graph --input '["Ada","Grace","Mary","Emmy"]' --session letters \
  >/dev/null 2>progress &
pid=$! told=
{
  while IFS= read -r line; do
    case $line in checkpoint*) continue ;; esac
    printf '  %s\n' "$line"
    case $told$line in done*) kill -TERM "$pid" 2>/dev/null || true && told=once ;; esac
  done
} <progress
wait "$pid" && code=0 || code=$?
printf '  exit code %s, %s of 4 letters sent\n' "$code" "$(wc -l <letters.log)"

say '2. It goes on with the rest: ckrun resume letters'
"$ckrun" resume letters >out 2>err || { cat err; exit 1; }
grep result out | sed 's/^/  /'

say '3. Each letter was sent once.'
sort letters.log | uniq -c | sed 's/^/  /'
[ "$code" = 8 ] && [ "$(wc -l <letters.log)" = 4 ] && [ -z "$(sort letters.log | uniq -d)" ]
