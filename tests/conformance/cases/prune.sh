#!/bin/bash
# prune.sh - what a prune keeps can be read, and what forks and pins stand on is kept.
# promise: every checkpoint that a prune keeps restores what it did; the base of a fork, a pinned
#   one and the latest are kept; a dry run says what goes; a prune that is killed did all or nothing
# attack: a session with a fork and a pin is pruned to its latest checkpoint, killed at each call of
#   the prune (in a store on a server: before each message to it), and then undisturbed; each
#   checkpoint is inspected before and behind it
# figure: points > 0, kept > 0, changed 0, unreadable 0, bases lost 0, half done 0, lost 0
. "$(dirname "$0")/../lib.sh"

ids() { ckrun --json sessions checkpoints "$session" | grep -oE '^\{"ckrun_json":1,"id":"[^"]*' |
  sed 's/.*"//'; }
inspect() { ckrun --json sessions inspect "$session" "$1"; }

# A session with checkpoints; what each restores is in states/ID.
make_session() {
  fresh
  start_bare >out 2>err
  ids >all
  base=$(sed -n 3p all) pinned=$(sed -n 2p all)
  ckrun sessions fork "$session" "$base" --session "$session-fork" >out 2>err &&
    ckrun sessions pin "$session" "$pinned" >out 2>err || return 1
  rm -rf states && mkdir states
  while read -r id; do inspect "$id" >"states/$id"; done <all
  ckrun --json sessions prune "$session" --keep 1 --dry-run >dry 2>err &&
    member 'join "\n", @{ $d->{ids} }, ""' <dry | sort >goes
  sort all | comm -23 - goes >stays
}

prune() { bounded "$@" "$CKRUN" --store "$store" sessions prune "$session" --keep 1; }

# kill_prune COMMAND…: a prune under a command that kills it: all is there, or what the dry run
# said.
kill_prune() {
  prune "$@" >out 2>err
  [ $? = 137 ] || return
  count points
  ids | sort >left
  if cmp -s left stays || [ "$(sort all)" = "$(cat left)" ]; then count "half done" 0; else
    count "half done"
    say "killed by $*: $(diff stays left | tr '\n' ' ')"
  fi
}

look_at_kept() {
  ids >kept
  sort kept | cmp -s - stays || { count changed; say "$(sort kept | diff stays - | tr '\n' ' ')"; }
  while read -r id; do
    count kept
    inspect "$id" >state 2>err || { count unreadable; say "$id: $(tail -n 1 err)"; continue; }
    cmp -s state "states/$id" || { count changed; say "$id restores something else"; }
  done <kept
  for id in "$base" "$pinned" "$(tail -n 1 all)"; do grep -qx "$id" kept || count "bases lost"; done
}

# Of a summary: the messages and what was counted; the totals of a fork have a beginning of its own.
content() { sed -E '/^main\//d; s/^"totals".*("memory.counted":\[[^]]*\]).*/\1/'; }

# The fork goes on from its base to the end of its origin, and does what lies behind it anew.
go_on_fork() {
  rm -f count.log
  session=$session-fork
  go_on "$session"
  summary "$session" >seen 2>&1
  check "the fork does what lies behind its base" \
    test "$ending $(grep -c . count.log)" = "completed $((steps - 3))"
  content <seen >seen.content
  content <expected | diff - seen.content >differ || { count lost; say "$(head -n 2 differ)"; }
  ckrun store verify >out 2>err || { count lost; say "verify: $(head -n 1 out)"; }
}

# ---- where it is killed: at calls that change a file, or before messages to a server ----
build_kills() {
  [ -n "$file" ] && { build_kill_at; return; }
  "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -DKILL_SEND_PRELOAD "$here/../host/kill_send.c" \
    -o "$work/kill_send.so" -ldl
}
# Prunes, and sets `last`, the number of the last point.
count_kills() {
  if [ -n "$file" ]; then
    prune env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err
    last=$((2 * $(cat calls) + 1))
  else
    prune env KILL_SEND=0 "LD_PRELOAD=$work/kill_send.so" >out 2>err
    last=$(awk '$1 == "sent" { print $2 }' out)
  fi
}
kill_at() {
  if [ -n "$file" ]; then
    kill_prune env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so"
  else
    kill_prune env "KILL_SEND=$1" "LD_PRELOAD=$work/kill_send.so"
  fi
}

begin_case
check "undisturbed it counts to eight" expect 8
for figure in changed unreadable "bases lost" lost; do count "$figure" 0; done
check "a session with a fork and a pin, that can be pruned" make_session
check "there is something to prune" test -s goes
if have_compiler && build_kills; then
  count_kills
  look_at_kept
  for at in $(seq 2 "$last" | spread); do
    make_session
    kill_at "$at"
    prune env >out 2>err
    look_at_kept
  done
  go_on_fork
else
  cannot "there is no compiler for the library that kills"
fi
finish_case
