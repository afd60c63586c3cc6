#!/bin/bash
# fork.t - a fork continues from a checkpoint of any session, as if that had ended there, and keeps
# its history when its origin is deleted.
. "$(dirname "$0")/../tap.sh"

tool=${CKRUN_BUILD:?the folder of the build}/tests/crash/tool_count
golden=$root/tests/golden
cd "$dir" || exit 1
cp "$golden"/*.lua "$golden"/six.jsonl .
for name in count count_probe count_kill; do cp "$tool" $name; done
ids() { "$CKRUN" --json sessions checkpoints "$1" | \
  perl -MJSON::PP -ne 'print JSON::PP->new->decode($_)->{id}, "\n"'; }
state() {
  "$CKRUN" --json sessions inspect "$@" | perl -MJSON::PP -0777 -e '
    my $state = JSON::PP->new->decode(<>)->{state};
    print JSON::PP->new->canonical->encode($state->{"memory.counted"})'
}
messages() {
  "$CKRUN" --json sessions log "$1" | perl -MJSON::PP -ne '
    my $b = JSON::PP->new->decode($_)->{body};
    print JSON::PP->new->canonical->encode($b->{message}), "\n" if $b->{message}'
}
clean() { exits 0 "store verify $1" store verify; }

exits 0 "the origin" run state.lua --cassette six.jsonl --session origin
third=$(ids origin | sed -n 3p)
rm -f count.log
exits 0 "a fork of a completed session" --json sessions fork origin --checkpoint "$third" \
  --session fork
is "it tells what it comes from" "$(json "$out" \
  '"$d->{session} $d->{origin} $d->{from} $d->{status}"')" "fork origin $third paused"
is "and the effects that it does not know of" \
  "$(json "$out" 'join " ", map { $_->{effect} } @{$d->{unknown_to_it}}')" \
  "main/count#3/tool/1 main/count#4/tool/1 main/count#5/tool/1"
clean "with a fork"
is "its state is that of the checkpoint" "$(state fork)" '["counted 1","counted 2","counted 3"]'
is "its transcript is the origin's up to the cut" "$(messages fork)" \
  "$(messages origin | head -n 8)"
exits 0 "it is shown" --json sessions show fork
is "with its lineage" "$(json "$out" '"$d->{origin}{session} $d->{origin}{cut}"')" "origin 19"
is "money that was spent before it is in its totals" \
  "$(json "$out" 'micros($d->{totals}{cost_usd})')" 306
exits 0 "so is the origin" --json sessions show origin
is "with its forks" "$(json "$out" 'join " ", map { "$_->{session} $_->{cut}" } @{$d->{forks}}')" \
  "fork 19"
exits 0 "in a table too" sessions show origin
is "one line each" "$(cell "$out" fork)" "fork, after seq 19"

exits 0 "the fork goes on" resume fork
is "to the end of the recording" "$(state fork)" "$(state origin)"
is "its conversation is the same" "$(messages fork)" "$(messages origin)"
is "it did again what it does not know of, and nothing else" "$(tr '\n' ' ' <count.log)" \
  "main/count#3/tool/1 main/count#4/tool/1 main/count#5/tool/1 "
exits 0 "its totals" --json sessions show fork
is "are those of the whole line" "$(json "$out" 'micros($d->{totals}{cost_usd})')" \
  "$(json "$("$CKRUN" --json sessions show origin)" 'micros($d->{totals}{cost_usd})')"
clean "after it"

exits 0 "a fork of a fork, with an edit" sessions fork fork --session child --set note=later
has "is paused" "$(cell "$out" status)" paused
is "the edit is there" "$(json "$("$CKRUN" --json sessions inspect child)" \
  '$d->{state}{"memory.note"}')" later
is "its transcript begins with the first event" \
  "$("$CKRUN" --json sessions log child | head -n 1 | grep -c session_started)" 1
exits 0 "a fork of what a fork inherits" sessions fork child --checkpoint "$third" --session cousin
is "is one of who has it" "$(json "$("$CKRUN" --json sessions show cousin)" \
  '$d->{origin}{session}')" origin
# Until the cut 306 were spent, and 322 more come: a limit of 400 is one of the fork's own.
printf 'return { name = "tight", extends = "default", constraints = { budget_usd = 0.0004 } }\n' \
  >tight.lua
exits 0 "a fork under a limit" sessions fork origin --checkpoint "$third" --session frugal
exits 0 "that all of the line would pass" resume frugal --profile "$dir/tight.lua"
is "comes to its end" "$(state frugal)" "$(state origin)"
printf 'return { name = "tighter", extends = "default", constraints = { budget_usd = 0.0003 } }\n' \
  >tighter.lua
exits 0 "one under a limit" sessions fork origin --checkpoint "$third" --session spent
exits 8 "that it passes itself" resume spent --profile "$dir/tighter.lua"
exits 0 "its totals" --json sessions show spent
ok "are those of the whole line" test "$(json "$out" 'micros($d->{totals}{cost_usd})')" -gt 500
exits 0 "both" sessions delete frugal
exits 0 "are deleted" sessions delete spent
refused 5 "an id that is taken" "exists" sessions fork origin --session fork
refused 3 "a checkpoint that is not there" "no checkpoint" sessions fork origin --checkpoint \
  checkpoint_x
refused 3 "a session that is not there" "no session" sessions fork nobody
refused 5 "a secret on the command line" "--set-env" sessions fork origin --set \
  api_key=sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD
export NOTE_KEY=canary-of-the-fork-test
exits 0 "a secret by reference" sessions fork origin --session secretive --set-env token=NOTE_KEY
is "is not written" "$(grep -ac "$NOTE_KEY" store/ckrun.db store/ckrun.db-wal | \
  awk -F: '{ n += $2 } END { print n + 0 }')" 0
exits 0 "what a fork needs is not pruned" --json sessions prune origin --keep 0
is "the checkpoint it was cut at stays, and why is told" \
  "$(json "$out" 'join " ", map { $_->{reason} }
    grep { $_->{id} eq "'"$third"'" } @{$d->{kept}}')" "a fork goes on from it"
clean "after a prune"
refused 5 "nor deleted" "forked from it: fork, cousin" sessions delete origin
before=$(messages child)
exits 0 "--detach" sessions delete origin --detach
refused 3 "the origin is gone" "no session" sessions show origin
is "its forks read what they read before" "$(messages child)" "$before"
is "and are nobody's forks" "$(json "$("$CKRUN" --json sessions show fork)" '$d->{origin}')" null
clean "after it"
exits 0 "one that was detached goes on" resume cousin
is "to the end" "$(state cousin)" "$(state fork)"
exits 0 "a paused fork can be forked, too" sessions fork child --session last
exits 0 "and all of them be deleted" sessions delete last
exits 0 "one after the other" sessions delete child
clean "at the end"

finish
