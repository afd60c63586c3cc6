#!/bin/bash
# repeats.sh - a resume does the last effect once more.
# case: kill
# caught: duplicated 0
. "${0%/*}/honest.sh"
[ "${words[0]}" = resume ] || exec "$HONEST" "$@"
"$HONEST" "$@"
code=$?
[ ! -s count.log ] || tail -n 1 count.log >>count.log
exit $code
