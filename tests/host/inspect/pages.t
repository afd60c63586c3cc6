#!/bin/bash
# pages.t - the pages of a session's log and of its checkpoints, put together, are the whole lists.
. "$(dirname "$0")/../tap.sh"

# pages COMMAND CURSOR SIZE: all lines of session $of by pages of SIZE, oldest first; CURSOR is the
# member that names the first line of a page.
pages() {
  local command=$1 cursor=$2 size=$3 all= page= before=() most=--limit
  [ "$command" = log ] && most=--last
  while page=$("$CKRUN" --json sessions "$command" "$of" "$most" "$size" "${before[@]}") &&
    [ -n "$page" ]; do
    [ "$(grep -c '' <<<"$page")" -le "$size" ] || { echo "too long"; return 1; }
    all=$page${all:+$'\n'$all}
    before=(--before "$(json "$(head -n 1 <<<"$page")" "\$d->{$cursor}")")
  done
  echo "$all"
}

exits 0 "a session" run "$flow" --cassette "$cassette" --profile default --session s
exits 0 "a fork, which inherits" sessions fork s --session t
for of in s t; do
  for size in 2 5 1000; do
    exits 0 "all checkpoints of $of" --json sessions checkpoints "$of"
    is "checkpoints of $of by $size" "$(pages checkpoints seq "$size")" "$out"
  done
  exits 0 "all of the log of $of" --json sessions log "$of"
  is "events of $of by 7" "$(pages log seq 7)" "$out"
done
of=s
exits 0 "all checkpoints" --json sessions checkpoints s
is "named by id" "$(pages checkpoints id 3)" "$out"
first=$(json "$(head -n 1 <<<"$out")" '$d->{id}')

exits 0 "with a filter" --json sessions checkpoints s --kind tool_round
wanted=$(tail -n 2 <<<"$out")
exits 0 "its last two" --json sessions checkpoints s --kind tool_round --limit 2
is "of those that fit" "$out" "$wanted"

exits 0 "before the first" sessions checkpoints s --limit 3 --before "$first"
is "nothing" "$out$err" ""
exits 0 "before the first event" sessions log s --last 3 --before 1
is "no event" "$out" ""
refused 2 "a page of what comes" "leave out --follow" sessions log s --before 9 --follow
refused 2 "a page of one event" "leave out --seq" sessions log s --before 9 --seq 3
exits 3 "before none" sessions checkpoints s --before checkpoint_none
exits 2 "a number is one" sessions log s --before nothing
finish
