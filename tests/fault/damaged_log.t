#!/bin/bash
# damaged_log.t - a store whose log was damaged after a kill is refused, so that nothing that was
# paid for is done again; salvage reads it. A store that goes away under a run stops the run.
. "$(dirname "$0")/../crash/lib.sh"
. "$here/../fault/held.sh"

begin
cassette 10
exec 2>"$work/talk"

# flip AT BIT: in the log.
flip() {
  local byte
  byte=$(od -An -tu1 -j "$1" -N 1 s.db-wal)
  printf "\\x$(printf %02x $((byte ^ (1 << $2))))" | \
    dd of=s.db-wal bs=1 seek="$1" conv=notrunc 2>/dev/null
}
restore() { rm -rf s.db*; cp -a ../killed/. .; }

# ---- a log with a wrong bit ----

folder killed
kill_after 7
folder damaged
restore
cp count.log paid
check "7 calls were paid for" marks_are 7
frame=$((4096 + 24))
for place in 20 $((32 + 5)) $((32 + 9)) $((32 + 30 * frame + 17)) $((32 + 30 * frame + 2000)); do
  restore
  flip "$place" 3
  for command in "resume s" "sessions list" "store verify" "sessions log s" "store stats"; do
    check "byte $place, $command: exit 7" exits 7 ckrun $command
    check "byte $place, $command: names the log" has err s.db-wal
  done
  check "byte $place: nothing was done again" cmp -s count.log paid
  check "byte $place: salvage sets it right" exits 0 ckrun store salvage --to whole.db
  check "byte $place: and says so" has err "1 bits of the log were set right"
  check "byte $place: the copy is sound" exits 0 ckrun_at "sqlite:$PWD/whole.db" store verify
  check "byte $place: and goes on where it was" exits 75 ckrun_at "sqlite:$PWD/whole.db" resume s
  check "byte $place: still nothing was done again" cmp -s count.log paid
  check "byte $place: the damaged store is refused as before" exits 7 ckrun resume s
  rm -rf whole.db* "$CKRUN_COUNTERS" # the next one has its place
done

restore
flip $((32 + 20 * frame + 500)) 1
flip $((32 + 20 * frame + 900)) 1
check "two wrong bits: exit 7" exits 7 ckrun resume s
check "two wrong bits: salvage says so" exits 7 ckrun store salvage
check "two wrong bits: it lists the session" has out "s	running"
check "two wrong bits: and what was cut" has err "cut: frames "
check "two wrong bits: in JSON as well" exits 7 ckrun --json store salvage
check "two wrong bits: with numbers" has out '"cut_frames":'
check "two wrong bits: a copy is left where it was asked for only" [ "$(ls)" = \
  "$(ls | grep -v salvage)" ]
check "two wrong bits: the copy is kept" exits 7 ckrun store salvage --to part.db
check "two wrong bits: it is sound" exits 0 ckrun_at "sqlite:$PWD/part.db" store verify
check "an existing file is not replaced" exits 5 ckrun store salvage --to part.db

# ---- a file without its log ----

restore
rm -f s.db-wal
check "a log that was removed: exit 7" exits 7 ckrun resume s
check "a log that was removed: named" has err s.db-wal
check "a log that was removed: salvage says so" exits 7 ckrun store salvage
check "a log that was removed: in words" has err "cut: the write-ahead log is gone"
mkdir alone
cp ../killed/s.db alone
check "the file alone, copied after a kill: exit 7" exits 7 ckrun_at "sqlite:$PWD/alone/s.db" \
  sessions list
check "the file alone, copied after a kill: named" has err alone/s.db
check "a sound store is salvaged as well" exits 0 ckrun_at "sqlite:$work/killed/s.db" store salvage
check "with nothing cut" has err "cut: nothing"
folder rested
check "a run that ends" exits 0 ckrun run "$here/state.lua" --cassette "$work/10.jsonl" --session r
ckrun --json sessions log r --all >expected
mkdir alone
cp s.db alone
check "the file alone, copied at rest: sound" exits 0 ckrun_at "sqlite:$PWD/alone/s.db" store verify
ckrun_at "sqlite:$PWD/alone/s.db" --json sessions log r --all >seen
check "the file alone, copied at rest: whole" cmp -s seen expected

# ---- a store that goes away under a run ----

lose removed rm s.db
check "removed: nothing is made in its place" [ ! -e s.db ]
check "removed: one more call was made at most" none_twice
lose renamed mv s.db t.db
check "renamed: nothing is made in its place" [ ! -e s.db ]
mv t.db s.db
check "renamed: put back it is sound" exits 0 ckrun store verify
replace() { cp s.db t.db && mv t.db s.db; }
lose replaced replace
lose unlogged rm s.db-wal
check "unlogged: no log is made in its place" [ ! -e s.db-wal ]
lose swept rm -rf s.db s.db-wal s.db-shm s.db.lock s.db.sessions
check "swept: nothing is made in its place" [ ! -e s.db ]
finish
