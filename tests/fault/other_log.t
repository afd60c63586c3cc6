#!/bin/bash
# other_log.t - a database beside the log or the lock file of another one: each is refused by name,
# nothing is done again, nothing is made anew, and with its own files it goes on. A store that is
# cut or overwritten under a run stops the run.
. "$(dirname "$0")/../crash/lib.sh"
. "$here/../fault/held.sh"

begin
cassette 10
exec 2>"$work/talk"

refused() {
  local name=$1 command
  for command in "sessions list" "store verify" "sessions log s" "resume s" \
    "run $here/state.lua --cassette $work/10.jsonl --session n"; do
    check "$name, $command: exit 7" exits 7 ckrun $command
    check "$name, $command: names the store" has err "$PWD/s.db"
  done
}
complete() { ckrun run "$here/state.lua" --cassette "$work/10.jsonl" --session "$1" >out 2>err; }
sound() { ckrun store verify >out 2>err; }
lists() { ckrun sessions list 2>/dev/null | grep -q "^$1	"; }

folder killed
check "a session completes" complete first
cp s.db ../at_rest.db
check "a backup is made" exits 0 ckrun store backup "$work/backup.db"
kill_after 4
cp count.log ../paid
folder healthy
check "another store completes a session" complete other

# again NAME: a folder with the files of the killed store.
again() {
  folder "$1"
  cp -a ../killed/. .
}
goes_on() {
  check "$1: with its own files it goes on where it was" exits 75 ckrun resume s
  check "$1: and nothing was done again" cmp -s count.log ../paid
}

# ---- at the place of a store at rest ----

folder over
cp -a ../healthy/. .
mkdir kept && cp s.db* kept 2>/dev/null
cp ../killed/s.db s.db
refused "the file of a killed store over one at rest"
check "the file of a killed store over one at rest: salvage says so" exits 7 ckrun store salvage
cp kept/s.db s.db
check "the file of a killed store over one at rest: the other put back is whole" lists other

again own
cp s.db ../midway.db
check "it is resumed, and pauses" exits 75 ckrun resume s
check "it is at rest then" [ "$(log_frames)" = 0 ]
cp ../midway.db s.db
refused "a copy of its file alone while it was used, put back at rest"

# ---- its file is gone ----

again gone
mv s.db away.db
check "its file moved away: a run is refused" exits 7 ckrun run "$here/state.lua" --session n \
  --cassette "$work/10.jsonl"
check "its file moved away: the log is named" has err "$PWD/s.db-wal"
check "its file moved away: nothing is made in its place" [ ! -e s.db ]
: >s.db
check "an empty file in its place: a run is refused" exits 7 ckrun run "$here/state.lua" \
  --session n --cassette "$work/10.jsonl"
check "an empty file in its place: it stays empty" [ ! -s s.db ]
mv s.db.lock away.lock
check "its lock file as well: a run is refused" exits 7 ckrun run "$here/state.lua" --session n \
  --cassette "$work/10.jsonl"
mv away.lock s.db.lock
mv away.db s.db
goes_on "its file moved away"

again removed
rm s.db
check "its file removed: a run is refused" exits 7 ckrun run "$here/state.lua" --session n \
  --cassette "$work/10.jsonl"
mkdir aside && mv s.db-wal s.db.lock aside
check "its file removed, log and lock moved away: a run begins a new store" complete n
check "its file removed, log and lock moved away: which is sound" sound

folder rest_gone
cp -a ../healthy/. .
rm s.db
check "a store at rest is removed: a run begins a new one" complete n
check "a store at rest is removed: the new one is sound" sound

folder moved_live
begin_session
let_on
read -r tool <&8
mv s.db away.db
check "moved away under a run: another run is refused" exits 7 ckrun run "$here/state.lua" \
  --session n --cassette "$work/10.jsonl"
check "moved away under a run: nothing is made in its place" [ ! -e s.db ]
echo >&9
wait "$run"
check "moved away under a run: exit 74" [ $? = 74 ]
end_session
mv away.db s.db
check "moved away under a run: put back it is sound" sound
check "moved away under a run: nothing was done twice" none_twice

# ---- a file at rest beside the log of a killed store ----

for which in backup at_rest healthy/s; do
  name="$which.db over a killed store"
  again "over_${which//\//_}"
  mv s.db mine.db
  cp "../$which.db" s.db
  refused "$name"
  check "$name: the log is named" has err "$PWD/s.db-wal"
  check "$name: salvage reads the file alone" exits 0 ckrun store salvage
  check "$name: and says so" has err "of another file"
  mkdir aside && mv s.db-wal aside
  check "$name: the lock file still tells" exits 7 ckrun sessions list
  mv s.db.lock aside
  session=first
  [ "$which" = healthy/s ] && session=other
  check "$name: log and lock moved away, it is sound" sound
  check "$name: log and lock moved away, it has what it had" lists "$session"
  rm s.db-wal s.db-shm s.db.lock
  mv aside/s.db-wal aside/s.db.lock .
  mv mine.db s.db
  goes_on "$name"
done

folder backed_up
begin_session
let_on
read -r tool <&8
check "a backup is made under a run" exits 0 ckrun store backup "$work/live.db"
kill -9 "$run"
wait "$run"
end_session
cp count.log ../paid_1
mv s.db mine.db
cp ../live.db s.db
refused "a backup of the same run over a killed store"
mv mine.db s.db
check "a backup of the same run over a killed store: with its own file it goes on" exits 75 \
  ckrun resume s
check "a backup of the same run over a killed store: nothing was done again" cmp -s count.log \
  ../paid_1

again unmarked
mv s.db mine.db
cp ../backup.db s.db
rm s.db.lock
check "a backup beside a log without its lock file: exit 7" exits 7 ckrun sessions list
check "a backup beside a log without its lock file: named" has err "$PWD/s.db-wal"

folder restored
cp -a ../healthy/. .
cp ../backup.db s.db
check "a backup over a store at rest: sound" sound
check "a backup over a store at rest: whole" lists first
check "a backup over a store at rest: goes on" complete n

# ---- cut under a run ----

lose cut_log truncate -s 0 s.db-wal
lose cut_half truncate -s 40000 s.db-wal
lose cut_file truncate -s 0 s.db
lose cut_page truncate -s 8192 s.db
over() { cp ../backup.db s.db; }
lose overwritten over
over_used() { cp ../killed/s.db s.db; }
lose overwritten_used over_used
finish
