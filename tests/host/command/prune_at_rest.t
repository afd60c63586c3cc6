#!/bin/bash
# prune_at_rest.t - pins, manual prunes and deletions: a dry run says what a real one does,
# protected checkpoints stay, space is freed.
. "$(dirname "$0")/../tap.sh"

tool=${CKRUN_BUILD:?the folder of the build}/tests/crash/tool_count
golden=$root/tests/golden
cd "$dir" || exit 1
cp "$golden"/*.lua "$golden"/six.jsonl .
for name in count count_probe count_kill; do cp "$tool" $name; done
ids() { "$CKRUN" --json sessions checkpoints "$1" | \
  perl -MJSON::PP -ne 'print JSON::PP->new->decode($_)->{id}, "\n"'; }
reasons() { json "$1" 'join ", ", map { $_->{reason} } @{$d->{kept}}'; }

exits 0 "a session" run state.lua --cassette six.jsonl --session s
second=$(ids s | sed -n 2p)
exits 0 "a checkpoint is pinned" sessions pin s "$second"
is "it is told" "$(cell "$out" pinned)" yes
exits 0 "it is listed as pinned" --json sessions checkpoints s
is "it alone" "$(grep '"pinned":true' <<<"$out" | \
  grep -c "$second") $(grep -c '"pinned":true' <<<"$out")" "1 1"
before=$(sha256sum store/ckrun.db-wal store/ckrun.db | sha256sum)
exits 0 "a dry run" --json sessions prune s --keep 2 --dry-run
dry=$out
is "changes nothing" "$(sha256sum store/ckrun.db-wal store/ckrun.db | sha256sum)" "$before"
is "and tells what would stay" "$(reasons "$dry")" "pinned"
exits 0 "the real one" --json sessions prune s --keep 2
is "does what the dry run said" \
  "$(json "$out" 'delete $d->{freed_bytes}; $d')" "$(json "$dry" '$d')"
is "three are left" "$(ids s | grep -c .)" 3
exits 0 "a page of a dry run" --json sessions prune s --keep 1 --limit 1 --dry-run
is "looks at the oldest that is left, and counts the other" \
  "$(reasons "$out") $(json "$out" '"$d->{checkpoints} $d->{dropped} $d->{more}"')" "pinned 3 0 1"
exits 0 "a page of both" --json sessions prune s --keep 1 --limit 5 --dry-run
is "says what the whole says" "$(json "$out" '[$d->{ids}, $d->{kept}, $d->{more}]')" \
  "$(json "$("$CKRUN" --json sessions prune s --keep 1 --dry-run)" '[$d->{ids}, $d->{kept}, 0]')"
refused 2 "a page is one of a dry run" "--limit" sessions prune s --keep 1 --limit 1
refused 2 "of those that are counted" "--limit" sessions prune s --dry-run --limit 1 --unclean
is "what went is in the log" "$("$CKRUN" --json sessions log s --all --kind pruned | grep -c .)" 1
exits 0 "and the pinned one loads" sessions inspect s --checkpoint "$second"
exits 0 "store verify" store verify
exits 0 "the pin is lifted" sessions pin s "$second" --off
exits 0 "with all asked for" --json sessions prune s --keep 0
is "the head stays" "$(reasons "$out") $(ids s | grep -c .)" "the session stands at it 1"
refused 2 "--keep wants a number" "--keep" sessions prune s --keep few
refused 3 "a checkpoint that was pruned is not pinned" "was pruned" sessions pin s "$second"
exits 0 "nothing more to drop" --json sessions prune s
is "is no failure" "$(json "$out" '$d->{dropped}')" 0

# Policies of the session's profile say it where nothing else is said.
exits 0 "under a profile that prunes" run state.lua --cassette six.jsonl --profile two.lua \
  --session two
exits 0 "a prune by its policies" sessions prune two
is "leaves what they say" "$(ids two | grep -c .)" 2

# A running session: each of its tools waits for a word.
mkfifo waiting go
exec 8<>waiting 9<>go
"$CKRUN" run state.lua --cassette six.jsonl --session live >out 2>err </dev/null 8>&- 9>&- &
pid=$!
# One tool, when it waits.
let_on() { read -r _ <&8 && echo >&9; }
let_on
let_on
let_on
until [ "$(ids live | grep -c .)" = 3 ]; do :; done
exits 0 "a live session's checkpoint is pinned by its owner" sessions pin live first
is "it is pinned" "$("$CKRUN" --json sessions checkpoints live | head -n 1 | \
  grep -c '"pinned":true')" 1
exits 0 "a live session is pruned by its owner" sessions prune live --keep 1
is "to what is pinned and where it stands" "$(ids live | grep -c .)" 2
exits 0 "a dry run needs no owner" sessions prune live --keep 0 --dry-run
exits 0 "the pin is lifted" sessions pin live first --off
kill -INT $pid
let_on
wait $pid
rm -f waiting go
exits 0 "it goes on after it" resume live
exits 0 "store verify of it" store verify
exits 0 "and is deleted" sessions delete live

# Space.
for i in 1 2 3 4 5 6 7 8; do "$CKRUN" run state.lua --cassette six.jsonl --session "more$i" \
  >/dev/null 2>&1 </dev/null; done
free() { json "$("$CKRUN" --json store stats)" '$d->{file_bytes}'; }
full=$(free)
freed=0
for i in 1 2 3 4 5 6 7 8; do
  exits 0 "deleted: more$i" --json sessions delete "more$i"
  freed=$((freed + $(json "$out" '$d->{freed_bytes}')))
done
is "what was freed, of all, is by what the file shrank" "$freed" "$((full - $(free)))"
ok "the file is smaller by what was given back ($full, $(free))" test "$(free)" -lt "$full"
is "nothing is free in it" "$(json "$("$CKRUN" --json store stats)" '$d->{free_bytes}')" 0
refused 3 "a deleted session is not there" "no session" sessions show more1
exits 0 "store verify at the end" store verify


# ---- by hand: one, the old ones, the unclean ones ----
loads() { local id; for id in $(ids "$1"); do
  "$CKRUN" --json sessions inspect "$1" "$id" >/dev/null 2>&1 || return 1; done; }
states() { local id; for id in $(ids "$1" | grep -v "$2"); do
  "$CKRUN" --json sessions inspect "$1" "$id" | perl -MJSON::PP -0777 -ne \
    'print JSON::PP->new->canonical->encode(JSON::PP->new->utf8->decode($_)->{state}), "\n"'
  done; }
exits 0 "another session" run state.lua --cassette six.jsonl --session hand
all=$(ids hand)
third=$(sed -n 3p <<<"$all")
states=$(states hand "$third")
exits 0 "one is dropped by its id" --json sessions prune hand --checkpoint "$third"
is "it, and nothing else" "$(json "$out" '"@{$d->{ids}}"') $(ids hand | tr '\n' ' ')" \
  "$third $(grep -v "$third" <<<"$all" | tr '\n' ' ')"
is "every other one restores what it did" "$(states hand none)" "$states"
exits 3 "it is gone" sessions inspect hand "$third"
exits 5 "the one that it stands at stays" sessions prune hand --checkpoint latest
has "with the reason" "$err" "stays: the session stands at it"
exits 0 "none is older than an hour" --json sessions prune hand --older-than 1h
is "so none goes" "$(json "$out" '$d->{dropped}')" 0
exits 0 "all are clean" --json sessions prune hand --unclean
is "so none goes" "$(json "$out" '$d->{dropped}')" 0
exits 2 "an age that is none" sessions prune hand --older-than soon
exits 0 "all are older than nothing" --json sessions prune hand --older-than 0s --keep 2
is "but for those that are kept" "$(ids hand | tr '\n' ' ')" "$(tail -n 2 <<<"$all" | tr '\n' ' ')"
ok "which load" loads hand
exits 0 "the store is whole" store verify
finish
