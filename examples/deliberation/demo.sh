#!/bin/sh
# demo.sh - three analysts deliberate until the budget is spent in the middle of a round, and go on
# with more where they stood.
set -eu
cd "$(dirname "$0")"
ckrun=${CKRUN:-../../build/ckrun}
case $ckrun in */*) ckrun=$(cd "$(dirname "$ckrun")" && pwd)/$(basename "$ckrun") ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CKRUN_STORE="sqlite:$work/demo.db"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }
calls() { "$ckrun" sessions log cloud --all --kind outcome --json | grep '"status":"ok"' | \
  sed -n 's/.*"key":"\([^"]*\)".*/\1/p'; }

say '1. A chair asks three analysts; one of them asks another. The budget is 75 cents.'
code=0
"$ckrun" run flow.lua --profile profile.lua --cassette cassette.jsonl --session cloud \
  --input '"Should the shop move to a cheaper cloud this quarter?"' >"$work/out" 2>&1 || code=$?
grep -v checkpoint "$work/out" | sed 's/^/  /'
before=$(calls | wc -l)

say '2. Who has said what, and what is pending: ckrun sessions log cloud --kind delegation'
"$ckrun" sessions log cloud --kind delegation | cut -c1-150 | sed 's/^/  /'

say '3. With two dollars it goes on: ckrun resume cloud --limit budget_usd=2'
"$ckrun" resume cloud --limit budget_usd=2 >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
grep -v checkpoint "$work/out" | sed 's/^/  /'

say '4. No call was paid for twice.'
twice=$(calls | sort | uniq -d | wc -l)
printf '  %-30s%s\n' \
  'model calls before the pause' "$before" \
  'model calls after it' $(($(calls | wc -l) - before)) \
  'made twice' "$twice"
[ "$code" = 8 ] && [ "$twice" = 0 ] && grep -q 'Move in January' "$work/out"
