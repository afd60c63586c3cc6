#!/bin/bash
# locked_store.t - who waits for a locked store is told after a second who holds it: process,
# command, since when and its session, and none of the command's other words.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

exits 0 "a session" run "$flow" --cassette "$cassette" --session air
store=${CKRUN_STORE#sqlite:}
mkfifo locked on said
# A program that is called as ckrun is, and holds the lock until it is told to go on.
cat >sessions <<END_OF_SCRIPT
use Fcntl ":flock";
open my \$lock, ">>", "$store.lock" or die; flock \$lock, LOCK_EX or die;
open my \$to, ">", "$dir/locked" or die; print \$to "\$\$\n"; close \$to;
open my \$on, "<", "$dir/on" or die; <\$on>;
END_OF_SCRIPT
# hold NAME WORD…: a process of that name and these words holds the store's lock.
hold() {
  (cd "$dir" && exec -a "$1" perl "${@:2}") &
  holder=$!
  read -r -t 60 pid <locked
}
# told COMMAND…: the first line that it says while it waits; the holder goes on when it is said.
told() {
  "$CKRUN" "$@" >out 2>said </dev/null &
  waiter=$!
  exec 9<said
  read -r -t 60 told <&9
  told=$(perl -pe 's/begun \d+ s ago/begun N s ago/' <<<"$told")
  echo on >on
  wait $holder
  cat <&9 >rest
  exec 9<&-
  wait $waiter
  code=$?
}

hold ckrun sessions prune --input secret-word
mkdir -p "$store.sessions"
echo "$pid $(hostname) 0" >"$store.sessions/trip.lock"
echo "1 $(hostname) 0" >"$store.sessions/none.lock"
told sessions fork air --session one
is "who waits is told of process, command, age and session" "$told" "$(printf '%s' \
  "ckrun: $store.lock is held by process $pid (ckrun sessions prune), begun N s ago, " \
  "which runs session trip; waiting for it up to 10 s")"
is "once" "$(grep -c 'is held by' rest)" 0
is "and has it then" "$code $(grep -c ^session out)" "0 1"
rm "$store.sessions/trip.lock" "$store.sessions/none.lock"

# Another program has SQLite's own lock; of it only the name is told.
sqlite3 -cmd ".print secret-word" "$store" <<END_OF_COMMANDS >printed &
begin immediate;
.shell echo \$PPID >locked; read -r line <on
END_OF_COMMANDS
holder=$!
read -r -t 60 pid <locked
told sessions fork air --session two
is "another program's lock of the database is told" "$told" "$(printf '%s' \
  "ckrun: store $store is locked by process $pid (sqlite3), begun N s ago; " \
  "waiting for it up to 10 s")"
is "and waited for" "$code $(grep -c ^session out)" "0 1"
finish
