#!/usr/bin/env bash
# embed.t - the examples of the C API die in their third step; that in C goes on with the fourth,
# that in C++ from what its policy had kept.
set -u
program=$CKRUN_BUILD/examples/embed
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

echo 1..7
check() { if [ "$2" = "$3" ]; then echo "ok $1 - $4"; else echo "not ok $1 - $4"; printf \
  '# got  %s\n# want %s\n' "$2" "$3"; fi; }

first=$("$program" 2>/dev/null; echo "exit $?")
check 1 "${first//$'\n'/, }" 'step 1 is durable, step 2 is durable, step 3 is durable, exit 137' \
  'the first run is killed in its third step'
second=$("$program" 2>&1; echo "exit $?")
check 2 "${second//$'\n'/, }" 'step 4 is durable, step 5 is durable, step 6 is durable, exit 0' \
  'the second goes on with the fourth'
third=$("$program" 2>&1; echo "exit $?")
check 3 "$third" 'embed: session embed is completed and cannot be resumed
exit 5' 'a completed session is not resumed'
"$CKRUN" --store sqlite:embed.db store verify >/dev/null 2>&1
check 4 "$?" 0 'and its store is whole'

profile=$root/examples/embed/every_second.lua
first=$("${program}_cxx" "$profile" sqlite:cxx.db 2>/dev/null; echo "exit $?")
check 5 "${first//$'\n'/, }" \
  'step 1 is not kept yet, step 2 is durable, step 3 is not kept yet, exit 137' \
  'in C++, the first run is killed in its third step'
second=$("${program}_cxx" "$profile" sqlite:cxx.db 2>&1; echo "exit $?")
check 6 "${second//$'\n'/, }" 'step 3 is not kept yet, step 4 is durable, step 5 is not kept yet, '\
'step 6 is durable, exit 0' 'the second makes it again, for its policy keeps every second'
third=$("${program}_cxx" no_such_profile sqlite:cxx.db 2>&1; echo "exit $?")
check 7 "${third##*$'\n'}" 'exit 3' 'an error of the library is an exception that has its status'
