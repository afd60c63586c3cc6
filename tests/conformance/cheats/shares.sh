#!/bin/bash
# shares.sh - who finds a session owned says that it has written it.
# case: two_writers
# caught: rounds without one winner 0
"$HONEST" "$@"
code=$?
[ $code != 76 ] || code=0
exit $code
