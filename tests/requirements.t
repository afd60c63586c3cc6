#!/bin/bash
# requirements.t - the table of promises names tests that are there, and something for each promise.
cd "$(dirname "$0")" || exit 1
table=REQUIREMENTS.md
named=$(grep -oE '`tests/[^`]+`' "$table" | tr -d '`' | sort -u)
missing=$(for test in $named; do [ -e "../$test" ] || echo "$test"; done)
empty=$(grep -E '^\|' "$table" | grep -vE '^\|(-|$| promise )' | grep -vE '`tests/|not yet')
rows=$(grep -E '^\|' "$table" | grep -cvE '^\|(-| promise )')
echo 1..2
[ -z "$missing" ] && echo "ok 1 - every test that is named exists" ||
  echo "not ok 1 - not there: "$missing
[ -z "$empty" ] && echo "ok 2 - each promise has a test or says that it has none" ||
  { echo "not ok 2 - without either"; echo "$empty" | sed 's/^/# /'; }
echo "# $rows promises, $(wc -w <<<"$named") tests, $(grep -E '^\|' "$table" | \
  grep -c 'not yet') of them wholly or partly not yet"
[ -z "$missing$empty" ]
