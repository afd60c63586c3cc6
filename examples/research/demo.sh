#!/bin/sh
# demo.sh - a graph researches, fails because a key is missing, is given the key, and repeats
# nothing.
set -eu
cd "$(dirname "$0")"
ckrun=${CKRUN:-../../build/ckrun}
case $ckrun in */*) ckrun=$(cd "$(dirname "$ckrun")" && pwd)/$(basename "$ckrun") ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp flow.lua cassette.jsonl plan search publish "$work"
cd "$work"
export CKRUN_STORE="sqlite:$work/demo.db"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say '1. Two searches side by side, twice, until there is enough; a writer;' \
  'then a publication that needs a key.'
code=0
"$ckrun" run flow.lua --profile graph --cassette cassette.jsonl --set topic=tides --session study \
  >out 2>&1 || code=$?
grep -v checkpoint out | sed 's/^/  /'
before=$(wc -l <runs.log)

say '2. The key, from the environment: ckrun resume study --set-env token=RESEARCH_TOKEN'
export RESEARCH_TOKEN=tok-5f1d8a33c1b24e
"$ckrun" resume study --set-env token=RESEARCH_TOKEN >out 2>&1 || { cat out; exit 1; }
grep -v checkpoint out | sed 's/^/  /'

say '3. What ran before the key was there did not run again; the key is in no file.'
printf '  %-29s%s\n' \
  'programs run before' "$before" \
  'programs run after' $(($(wc -l <runs.log) - before)) \
  'publications' "$(grep -c publish runs.log)"
found=$(grep -rl "$RESEARCH_TOKEN" . | wc -l || true)
printf '  files that hold the key      %s\n' "$found"
[ "$code" = 1 ] && [ "$(($(wc -l <runs.log) - before))" = 1 ] && [ "$found" = 0 ]
