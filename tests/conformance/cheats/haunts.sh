#!/bin/bash
# haunts.sh - a process that was taken over writes all the same.
# case: zombie
# caught: writes of zombies 0
. "${0%/*}/honest.sh"
[ "${words[0]}" = run ] || exec "$HONEST" "$@"
"$HONEST" "$@"
code=$?
for ((n = 0; n < ${#words[@]}; n++)); do
  [ "${words[n]}" != --session ] ||
    "$HONEST" --store "$url" sessions fork "${words[n + 1]}" >/dev/null
done
exit $code
