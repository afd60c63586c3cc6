#!/bin/bash
# read_only.t - a store that cannot be written is read: listed, shown, exported, verified, and a
# resume from it is tried dry. Nothing in it changes.
. "$(dirname "$0")/../tap.sh"

# Root may write whatever the modes say: reads are made as nobody then.
reader=()
if [ "$(id -u)" = 0 ]; then
  reader=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  "${reader[@]}" true 2>/dev/null || { echo "1..0 # SKIP there is no setpriv"; exit 0; }
fi
chmod 755 "$dir"
cp "$CKRUN" "$dir/ckrun"
chmod 755 "$dir/ckrun"
cd "$dir" || exit 1
as_reader() { "${reader[@]}" "$dir/ckrun" "$@" >"$dir/out" 2>"$dir/err" </dev/null; }
# reads NAME ARGUMENTS…: it ends well.
reads() {
  local name=$1
  shift
  as_reader "$@"
  code=$? out=$(cat "$dir/out") err=$(cat "$dir/err")
  is "$place: $name" "$code" 0
}

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "three", start = "a", edges = { a = "b", b = "c", c = flow.done },
  nodes = { a = flow.ask { question = "first?" }, b = flow.lua(function(ctx)
    ctx.memory.told = "by b"
  end), c = flow.ask { question = "second?" } } }
END
mkdir live
export CKRUN_STORE=sqlite:$dir/live/s.db
exits 0 "a session that is done" run "$flow" --cassette "$cassette" --session whole
exits 8 "and one that waits" run flow.lua --session waits
exits 0 "with a fork" sessions fork whole --checkpoint first --session fork
sed -i 's/by b/by somebody else/' flow.lua
chmod 644 flow.lua
look() {
  wanted=$("$CKRUN" sessions list; "$CKRUN" sessions log whole; "$CKRUN" sessions export whole \
    --format cassette)
}
look

# The commands that only read.
attack() {
  local before
  before=$(sums)
  CKRUN_STORE=sqlite:$dir/$place/s.db
  reads "its sessions are listed" sessions list
  local seen=$out
  reads "a log is printed" sessions log whole
  seen+=$'\n'$out
  reads "it is exported" sessions export whole --format cassette
  is "$place: what is read is what was written" "$seen"$'\n'"$out" "$wanted"
  reads "it is shown" --json sessions show whole
  is "$place: as completed" "$(json "$out" '$d->{status}')" completed
  reads "its checkpoints are listed" sessions checkpoints whole
  reads "a checkpoint is inspected" --json sessions inspect whole
  reads "two are compared" sessions diff whole first latest
  reads "an agent's tail is printed" sessions tail whole airline
  reads "it is verified" store verify
  has "$place: all of it" "$err" "$(sed '/^[0-9]/,$d' <<<"$wanted" | grep -c .) sessions"
  reads "its figures are told" store stats
  reads "its keys are told" key list
  as_reader --json resume waits --dry-run
  code=$? out=$(cat out) err=$(cat err)
  is "$place: a dry run is made, and finds what stands against it" "$code" 5
  has "$place: by name" "$out" "has changed since the session was started"
  as_reader --json resume waits --dry-run --accept-changed
  code=$? out=$(cat out) err=$(cat err)
  is "$place: or nothing" "$code" 0
  is "$place: the question is still to be answered" "$(json "$out" '$d->{effects}[0]{what}')" wait
  reads "what a prune would do is told" sessions prune whole --keep 1 --dry-run
  as_reader resume waits --accept-changed
  code=$? err=$(cat err)
  is "$place: a resume is refused" "$code" 74
  has "$place: by name" "$err" "$dir/$place/s.db"
  is "$place: not a byte has changed" "$(sums)" "$before"
}
# Of all files but the index of the log, which readers share.
sums() { (cd "$dir/$place" && find . -type f ! -name '*-shm' | sort | xargs sha256sum); }
# keep NAME: a copy of the live store that the reader owns and cannot write.
keep() {
  place=$1
  cp -a live "$place"
}
close_it() {
  [ "$(id -u)" != 0 ] || chown -R 65534:65534 "$place"
  find "$place" -type f -exec chmod 0400 {} +
  find "$place" -type d -exec chmod 0500 {} +
  attack
  find "$place" -type d -exec chmod 0700 {} +
}

# At rest the database alone is the store.
keep alone
rm -f alone/s.db-wal alone/s.db-shm alone/s.db.lock
close_it
# With a log that holds commits, and then without its index, as on a medium that was copied.
cat >die.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "die", start = "a", edges = { a = flow.done },
  nodes = { a = flow.exec { argv = { "sh", "-c", "kill -9 $PPID; sleep 1" } } } }
END
CKRUN_STORE=sqlite:$dir/live/s.db
exits 137 "one that is killed" run die.lua --session killed
look
has "the log says so" "$wanted" "its process is gone"
keep whole
close_it
keep indexless
ok "there is a log, and no index of it" test -s indexless/s.db-wal
rm -f indexless/s.db-shm
close_it

# ---- after a kill, without an index: all of it is in the log ----
mkdir dead
CKRUN_STORE=sqlite:$dir/dead/s.db
cat >dead.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "kill -9 $PPID" } }
END
exits 137 "a run is killed" run dead.lua --session dead
rm -f dead/s.db-shm
place=dead
protect() {
  [ "$(id -u)" != 0 ] || chown -R 65534:65534 dead
  chmod 0400 dead/s.db* 2>/dev/null
  chmod 0500 dead dead/s.db.sessions
}
protect
reads "after a kill it is listed" sessions list
has "with what was in the log" "$out" "dead"
is "and no index is made" "$(ls dead | grep -c shm)" 0
chmod 0700 dead && chmod 0600 dead/s.db-wal
printf '\xff' | dd of=dead/s.db-wal bs=1 seek=9000 conv=notrunc 2>/dev/null
protect
as_reader sessions list
code=$? err=$(cat err)
is "with a wrong byte in the log it is refused" "$code" 7
has "by name" "$err" "dead/s.db-wal is damaged"
chmod 0700 dead
finish
