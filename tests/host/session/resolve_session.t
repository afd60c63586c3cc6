#!/bin/bash
# resolve_session.t - a session is named by its id; one that ckrun made also by an unambiguous part
# of it; nothing is guessed.
. "$(dirname "$0")/../tap.sh"

cat >"$dir/flow.lua" <<'END'
return require "ck.flow".custom { name = "nothing", run = function(ctx)
  if not ctx.position then
    ctx.boundary("tool_round", { position = { path = "a" } })
    ctx.pause("look")
  end
end }
END
for id in s s1 s10 order_deadbee1x order-20; do "$CKRUN" run "$dir/flow.lua" --session $id \
  >/dev/null 2>&1; done
made=() tails=()
for n in 1 2; do made+=("$("$CKRUN" run "$dir/flow.lua" 2>/dev/null | head -n 1)"); done
tails=("${made[0]: -8}" "${made[1]: -8}")
shown() { json "$("$CKRUN" --json sessions show "$1")" '$d->{session}'; }

is "an id in full" "$(shown s1)" s1
is "that others begin with" "$(shown s)" s
is "the last part of one that was made" "$(shown "${tails[0]}")" "${made[0]}"
is "of the other" "$(shown "${tails[1]}")" "${made[1]}"
refused 2 "what several begin with" "2 sessions are meant by 'session_'" sessions show session_
refused 3 "fewer than four characters" "there is no session" sessions show "${tails[0]:0:3}"
refused 3 "a part of an id that a person gave" "did you mean 'order-20'?" sessions show order-2
for command in show checkpoints inspect log undo "rewind --to first --report x"; do
  refused 3 "sessions $command of one that is gone is not done to another" \
    "there is no session s2 in store" sessions ${command%% *} s2 ${command#"${command%% *}"}
done
for command in resume cancel pause resolve answer; do refused 3 "$command of one that is gone" \
  "there is no session s2 in store" $command s2; done
is "all is as it was" "$("$CKRUN" sessions list --status paused | grep -c .)" 7
refused 3 "one that is spelt wrong is suggested" "did you mean 's10'?" sessions show s1O
refused 2 "what is deleted is named in full" "is a part of session ${made[0]}" sessions delete \
  "${tails[0]}"
exits 0 "resume takes a part, too" --json resume "${tails[0]}"
is "and goes on with that one" "$(json "$out" '"$d->{session} $d->{status}"')" \
  "${made[0]} completed"
exits 0 "so does cancel" --json cancel "${tails[1]}"
is "with that one" "$(json "$out" '"$d->{session} $d->{status}"')" "${made[1]} cancelled"

mapfile -t newest < <("$CKRUN" sessions list | cut -f1)
is "the one begun last" "$(shown latest)" "${newest[0]}"
is "and the one before" "$(shown '@{1}')" "${newest[1]}"
refused 3 "further back than there are" "there are 7 sessions in store" sessions show '@{7}'
refused 2 "what is deleted is no @" "is a part of session" sessions delete latest

# The ids of runs, of the last one and of those before it.
exits 8 "a session of two runs" run "$dir/flow.lua" --session two
first=$(json "$("$CKRUN" --json sessions show two)" '$d->{run}')
exits 0 "goes on under its run's id" --json resume "$first"
is "with that one" "$(json "$out" '"$d->{session} $d->{status}"')" "two completed"
last=$(json "$out" '$d->{run}')
ok "in a run of its own" test "$last" != "$first"
exits 0 "it is forked" sessions fork two --session twofork
for id in "$first" "$last" "${first:0:20}"; do
  is "run $id" "$(shown "$id")" two
  for command in "sessions log" "sessions checkpoints" "sessions inspect" \
    "sessions export --format cassette"; do
    exits 0 "$command takes a run's id" $command "$id"
  done
done
is "the run of a fork's own" "$(shown "$(json "$("$CKRUN" --json sessions show twofork)" \
  '$d->{run}')")" twofork
exits 0 "simulate takes it, too" policy simulate "$last"
refused 3 "a run that is nowhere" "there is no session run_0000" sessions show run_00000000
refused 3 "what all runs begin with" "there is no session run_ in" sessions show run_
for word in "" "a b" "é" "../x" "$(printf 'x%.0s' {1..300})"; do refused 2 "no id: '${word:0:9}'" \
  "an id is 1 to 64" sessions show "$word"; done
refused 2 "a word that looks like an option" "unknown option --x" sessions show --x
refused 2 "behind -- it is no id either" "'--x': an id does not begin with '-'" sessions show -- --x
finish
