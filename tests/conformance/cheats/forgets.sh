#!/bin/bash
# forgets.sh - after a resume the store is an older copy: the last commits are lost.
# case: kill
# caught: lost 0
. "${0%/*}/honest.sh"
[ "${words[0]}" = resume ] || exec "$HONEST" "$@"
copy_store
"$HONEST" "$@"
code=$?
restore_store
exit $code
