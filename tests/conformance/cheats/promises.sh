#!/bin/bash
# promises.sh - says of an event that it is durable before it is.
# case: kill
# caught: acknowledged and lost 0
. "${0%/*}/honest.sh"
[ "${words[0]}" != run ] ||
  echo '{"seq":900,"timeline":1,"kind":"message","at":"2026-01-31T23:59:59.123Z","scope":"main"}'
exec "$HONEST" "$@"
