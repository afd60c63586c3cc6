#!/bin/bash
# sees_no_damage.sh - a store that is damaged is listed as an empty one, and verified as sound.
# case: corrupt
# caught: wrong answers 0
. "${0%/*}/honest.sh"
"$HONEST" "$@" >said
code=$?
case "$code ${words[0]} ${words[1]:-}" in 7" sessions list" | 7" store verify") exit 0 ;; esac
cat said
exit $code
