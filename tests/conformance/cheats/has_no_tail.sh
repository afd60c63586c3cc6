#!/bin/bash
# has_no_tail.sh - the tail of every agent is empty.
# case: tails
# caught: differences 0
. "${0%/*}/honest.sh"
[ "${words[0]} ${words[1]}" = "sessions tail" ] || exec "$HONEST" "$@"
"$HONEST" "$@" | sed -E 's/"events":\[.*\]/"events":[]/'
