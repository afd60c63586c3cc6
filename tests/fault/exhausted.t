#!/bin/bash
# exhausted.t - with any number of descriptors or processes a session completes, pauses or is not
# begun; with more of them it goes on, and nothing is done twice.
. "$(dirname "$0")/../host/tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$dir" || exit 1
. "$here/shortage.sh"

# sweep WHAT LIMIT VALUES: `bad`: where a session was lost; `paused`: what one was told.
sweep() {
  bad= paused=
  for count in $3; do
    "$1" "$2" "$count"
    [ "$code" = 8 ] && grep -q 'is paused' err && paused=$(tail -n 1 err)
    goes_on "$1 with $count" || bad="$bad $count"
  done
}

sweep runs -n "$(seq 4 40) $(seq 42 4 60)"
is "with any number of descriptors a session ends well or can go on" "$bad" ""
ok "some of them pause it" test -n "$paused"
has "and it says what to do" "$paused" "raise the limit ('ulimit -n')"

begin_half
half=$(wc -l <marks)
is "a session is paused half way" "$(status) $((half > 0 && half < 8))" "paused 1"
sweep resumes -n "$(seq 4 40)"
is "and resumed with any number of descriptors" "$bad" ""

# An ordinary user's limit counts all of his processes: here he has no others.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  as=(setpriv --reuid 64901 --regid 64901 --clear-groups)
  chown -R 64901 "$dir"
  if "${as[@]}" "$CKRUN" --version >/dev/null 2>&1; then
    sweep runs -u "$(seq 0 12)"
    is "with any number of processes a session ends well or can go on" "$bad" ""
    has "and it says what to do" "$paused" "('ulimit -u', 'ulimit -v')"
  fi
fi
finish
