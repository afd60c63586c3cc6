#!/bin/bash
# counts_less.sh - what was spent before a crash is not shown any more.
# case: budgets
# caught: forgotten 0
. "${0%/*}/honest.sh"
[ "${words[0]} ${words[1]}" = "sessions show" ] || exec "$HONEST" "$@"
"$HONEST" "$@" | sed -E 's/("totals":\{"cost_usd":)[0-9.]+/\10.000101/g'
