#!/bin/bash
# rewind.t - a manual rewind leaves a branch, a report and a paused session; undo goes back, and its
# own undo forth again.
. "$(dirname "$0")/../tap.sh"

tool=${CKRUN_BUILD:?the folder of the build}/tests/crash/tool_count
golden=$root/tests/golden
cd "$dir" || exit 1
cp "$golden"/*.lua "$golden"/six.jsonl .
for name in count count_probe count_kill; do cp "$tool" $name; done
ids() { "$CKRUN" --json sessions checkpoints "$1" | \
  perl -MJSON::PP -ne 'print JSON::PP->new->decode($_)->{id}, "\n"'; }
counted() { "$CKRUN" --json sessions inspect "$1" | \
  perl -MJSON::PP -0777 -e 'print scalar @{JSON::PP->new->decode(<>)->{state}{"memory.counted"}}'; }
last_message() {
  "$CKRUN" --json sessions log "$1" | perl -MJSON::PP -ne '
    my $b = JSON::PP->new->decode($_)->{body};
    $m = $b->{message}{content} if $b->{message};
    END { print $m }'
}
status() { json "$("$CKRUN" --json sessions show "$1")" '$d->{status}'; }

# A session that is interrupted in its third tool, so that it is paused behind it: each tool waits
# for a word.
mkfifo waiting go
exec 8<>waiting 9<>go
"$CKRUN" run state.lua --cassette six.jsonl --session s >out 2>err </dev/null 8>&- 9>&- &
pid=$!
# One tool, when it waits.
let_on() { read -r _ <&8 && echo >&9; }
let_on
let_on
until [ "$(ids s | grep -c .)" = 2 ]; do :; done
refused 76 "a live session is not rewound" "pause it first" sessions rewind s --to first --report \
  "no"
refused 76 "nor is a rewind of it undone" "pause it first" sessions undo s
refused 76 "nor is it deleted" "cancel it first" sessions delete s
exits 0 "but forked" sessions fork s --checkpoint first --session of_live
is "at a checkpoint of its own" "$(status of_live) $(counted of_live)" "paused 1"
kill -INT $pid
let_on
wait $pid
rm -f waiting go
is "it is paused" "$(status s)" paused
at=$(counted s)
first=$(ids s | head -n 1)
refused 5 "there is nothing to undo yet" "nothing to undo" sessions undo s
refused 2 "a report is needed" "Report cannot be empty." sessions rewind s --to first --report "  "
# labelled REPORT: as it is told from what the user says.
labelled() { printf '<rewind-report>\n%s\n</rewind-report>' "$1"; }
refused 2 "and where to" "CHECKPOINT" sessions rewind s --report "found"
refused 3 "a checkpoint that is not there" "no checkpoint" sessions rewind s --to checkpoint_x \
  --report "found"
exits 0 "a rewind" --json sessions rewind s --to first --report "The third count was wrong."
is "tells where it went" "$(json "$out" '"$d->{from} $d->{status} $d->{left}"')" "$first paused 1"
is "and who was told" "$(json "$out" '$d->{told}')" main
is "the state is that of the checkpoint" "$(counted s)" 1
is "the report is the last message" "$(last_message s)" "$(labelled "The third count was wrong.")"
is "it is paused" "$(status s)" paused
is "the branch that was left is kept" "$("$CKRUN" --json sessions log s --all | \
  grep -c '"abandoned":true')" "$("$CKRUN" --json sessions log s --all | \
  awk -F'"seq":' '{ split($2, n, ","); if (n[1] > 9) print }' | grep -c '"timeline":1')"
exits 0 "store verify" store verify
exits 0 "undo" sessions undo s
is "says how to go on" "$(cell "$out" next)" "ckrun resume s"
is "the state is what it was" "$(counted s)" "$at"
has "the report is not seen any more" "$(last_message s)" "counted"
exits 0 "undo of the undo" sessions undo s
is "the rewind is back" "$(last_message s)" "$(labelled "The third count was wrong.")"
exits 0 "and once more" sessions undo s
is "the state is what it was before all that" "$(counted s)" "$at"
exits 0 "store verify" store verify
exits 0 "it goes on from there" resume s
is "to its end" "$(counted s)" 6
refused 5 "a completed session is not rewound" "sessions fork s" sessions rewind s --to first \
  --report "no"
refused 5 "nor is anything of it undone" "completed" sessions undo s

# From an older checkpoint, and back.
exits 0 "a session that went on" sessions fork s --session branch --checkpoint "$first"
exits 0 "from a checkpoint" resume branch
exits 0 "a fork of it" sessions fork branch --session again
second=$(ids again | sed -n 2p)
exits 0 "resumed from an older checkpoint" resume again --checkpoint "$second"
is "came to the same end" "$(counted again)" 6

# A rewind to the session's own position is one, too.
exits 0 "another one" sessions fork s --session here --checkpoint "$first"
exits 0 "rewound to where it stands" sessions rewind here --to latest --report "Think again."
is "has the report" "$(last_message here)" "$(labelled "Think again.")"
exits 0 "undone" sessions undo here
has "has it no more" "$(last_message here)" "counted 1"
exits 0 "a fork of it" sessions fork here --session fresh
refused 5 "what its origin did is not undone in a fork" "nothing to undo" sessions undo fresh
exits 0 "store verify at the end" store verify

finish
