#!/bin/bash
# takes_for_unmade.sh - after a sync that failed it goes on as though nothing had been written.
# case: unknown
# caught: duplicated 0
. "${0%/*}/honest.sh"
grep -q '^TracerPid:.*[1-9]' /proc/self/status || exec "$HONEST" "$@"
"$HONEST" "$@"
code=$?
for ((n = 0; n < ${#words[@]}; n++)); do
  [ "${words[n]}" != --session ] || "$HONEST" --store "$url" sessions delete "${words[n + 1]}" >&2
done
exit $code
