#!/bin/bash
# sees_nothing.sh - takes a store that is damaged for one in which nothing is.
# case: corrupt
# caught: told as absent 0
"$HONEST" "$@"
code=$?
case $code in 7 | 74) exit 3 ;; esac
exit $code
