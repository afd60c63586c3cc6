#!/bin/bash
# orphans.t - a tool that has not acted yet when its session is killed never acts afterwards, next to the one a resume runs.
. "$(dirname "$0")/lib.sh"

begin
command -v flock >/dev/null || skip_all "flock(1) of util-linux is missing"
cassette 3
folder baseline
ckrun run "$here/agent.lua" --cassette "$work/3.jsonl" --session s >out 2>err && summary s >"$work/expected"
check "it counts to three undisturbed" [ -s "$work/expected" ]

# The first tool waits for "hold"; the FIFO tells when it waits, and its end when it is gone.
folder killed
mkfifo waiting
exec 9>hold
flock 9
"$CKRUN" --store "$store" run "$here/agent.lua" --cassette "$work/3.jsonl" --session s >out 2>err 9>&- &
program=$!
exec 8<waiting
read -r _ <&8
kill -KILL "$program"
wait "$program" 2>/dev/null
check "the tool ends with its session" timeout 5 cat <&8
rm -f waiting hold
marks_left
go_on s
check "a resume completes the session" [ "$ending" = completed ]
# Whoever still waits may go on now.
exec 9>&-
timeout 5 cat <&8
summary s >seen
check "nothing ran twice, nothing is lost" cmp seen "$work/expected"
finish
