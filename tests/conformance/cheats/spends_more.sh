#!/bin/bash
# spends_more.sh - each resume begins its budget anew.
# case: budgets
# caught: over the budget 0
. "${0%/*}/honest.sh"
[ "${words[0]}" != resume ] || exec "$HONEST" "$@" --limit budget_usd=0.0011
exec "$HONEST" "$@"
