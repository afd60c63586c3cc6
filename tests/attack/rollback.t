#!/bin/bash
# rollback.t - an older copy in a store's place, and changes cut off its end, are found by a counter
# outside of it; what honest people do with their stores is not taken for that, or can be said to
# be right.
. "$(dirname "$0")/../host/tap.sh"

cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db
unset CKRUN_COUNTERS
counters=$dir/home/.local/state/ckrun/counters
key() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "asking", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.word = "one" end),
    b = flow.ask { question = "Go on?" },
    c = flow.lua(function(ctx) ctx.memory.word = "two" end),
  },
  edges = { a = "b", b = "c", c = flow.done },
}
END

begin() { exits 8 "$kind: session $1" run flow.lua --session "$1"; }
rest() { sqlite3 "${1:-s.db}" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; }
# put FILE NAME: an older state of the store in its place.
put() { rm -rf "$2" "$2"-* "$2".*; cp "$1" "$2"; }
generation() { sed -n 's/^generation 0*//p' "$counters"/*; }

rollbacks() {
  rm -rf s.db* home
  begin one
  is "$kind: a counter outside of it" "$(ls "$counters" | wc -l)" 1
  is "$kind: nobody else's" "$(stat -c %a "$counters"/* "$counters" | tr '\n' ' ')" "600 700 "
  cp s.db older.db
  exits 0 "$kind: it is whole" store verify
  exits 0 "$kind: an answer" answer one yes
  exits 0 "$kind: the session ends" resume one
  local known=$(generation)

  put older.db s.db
  exits 0 "$kind: an older copy can be looked at" sessions show one
  has "$kind: and is told" "$err" "was set back: it is at change"
  exits 0 "$kind: as JSON" sessions show one --json
  has "$kind: and is told there, too" "$err" "was set back: it is at change"
  is "$kind: not among the answer" "$(json "$out" '$d->{id} // $d->{session}')" one
  exits 7 "$kind: verify finds it" store verify
  has "$kind: by name" "$out" "store accept-rollback"
  refused 7 "$kind: nothing is done in it" "store accept-rollback" resume one
  refused 7 "$kind: nor another session begun" "was set back" run flow.lua --session two
  (umask 077 && key >next)
  refused 7 "$kind: nor is its key changed" "was set back" key rotate --new-key "file:$dir/next"
  is "$kind: looking at it leaves the counter" "$(generation)" "$known"

  exits 0 "$kind: a person takes it" store accept-rollback
  ok "$kind: which the counter counts" test "$(generation)" -gt "$known"
  exits 0 "$kind: it is whole" store verify
  is "$kind: without a word" "$(grep -c 'set back' <<<"$err")" 0
  exits 8 "$kind: and goes on" resume one
  exits 0 "$kind: there is nothing to take then" store accept-rollback
  has "$kind: as is said" "$err" "nothing to accept"
  put older.db s.db
  exits 7 "$kind: the same copy once more is found" store verify
  rm -rf s.db*
  begin new
  exits 0 "$kind: a new store in its place is another one" store verify
}

# What people do.
uses() {
  rm -rf s.db* home a b
  begin one
  mkdir a && cp s.db a/copy.db
  exits 0 "$kind: an answer" answer one yes
  exits 0 "$kind: the session ends" resume one
  exits 0 "$kind: a copy elsewhere goes on by itself" --store a/copy.db answer one yes
  exits 0 "$kind: to its end" --store a/copy.db resume one
  is "$kind: each has its counter" "$(ls "$counters" | wc -l)" 2
  exits 0 "$kind: neither takes the other for a rollback" store verify
  exits 0 "$kind: nor that one this" --store a/copy.db store verify
  mv a b
  exits 0 "$kind: a folder that was moved" --store b/copy.db store verify
  ln -s "$dir" link
  exits 0 "$kind: a link to its folder" --store sqlite:$dir/link/s.db facts set a 1
  is "$kind: is the same place" "$(ls "$counters" | wc -l)" 2
  rm -f link

  # Another machine, which shares the file.
  HOME=$dir/home2 begin two
  HOME=$dir/home2 begin three
  exits 0 "$kind: what another machine did is no rollback" store verify
  begin four
  HOME=$dir/home2 exits 0 "$kind: nor is what this one did, there" store verify

  # A backup, and the way back.
  rm -rf backup.db*
  exits 0 "$kind: a backup" store backup backup.db
  exits 0 "$kind: is whole" --store ./backup.db store verify
  put backup.db s.db
  exits 0 "$kind: the newest backup is no older copy" store verify
  exits 0 "$kind: and goes on" sessions delete four
  put backup.db s.db
  exits 7 "$kind: later it is" store verify
  exits 0 "$kind: which a person takes" store accept-rollback --json
  is "$kind: and is told of in numbers" "$(json "$out" '$d->{generation} > $d->{known}')" 1

  # Nothing can be written.
  chmod 400 s.db && chmod -R a-w home
  exits 0 "$kind: a store and a home that nobody can write are read" sessions list
  chmod 600 s.db && chmod -R u+w home
  rest
}

# No place for a counter.
homeless() {
  rm -rf s.db* home
  local before=$HOME
  unset HOME
  exits 8 "$kind: without a home it goes on" run flow.lua --session one
  is "$kind: and says once why it finds no rollback" "$(grep -c 'CKRUN_COUNTERS' <<<"$err")" 1
  exits 0 "$kind: reading says nothing" sessions list
  is "$kind: at all" "$err" ""
  CKRUN_COUNTERS=off exits 0 "$kind: nor does one that is asked to go without" answer one yes
  is "$kind: at all" "$err" ""
  CKRUN_COUNTERS=$dir/c exits 0 "$kind: a folder that is named" resume one
  is "$kind: has it" "$(ls "$dir/c" | wc -l)" 1
  rm -rf "$dir/c"
  export HOME=$before
  CKRUN_COUNTERS=c refused 2 "$kind: a folder is named by its whole path" "CKRUN_COUNTERS" \
    sessions list
  touch home
  exits 0 "$kind: a home that is none" facts set a 1
  has "$kind: is told" "$err" "no rollback of it can be found"
  rm -f home
  exits 0 "$kind: one that comes" facts set a 2
  printf 'x' >"$(ls "$counters"/*)"
  exits 0 "$kind: a counter that is damaged begins anew" facts set a 3
  has "$kind: as is told" "$err" "begins anew"
  exits 0 "$kind: with the next change" facts set a 4
  is "$kind: without a word" "$err" ""
  chmod 666 "$counters"/*
  exits 0 "$kind: one that others can write is none" facts set a 5
  has "$kind: as is told" "$err" "nobody else can write"
}

# A run that was killed, its log and its mark beside it: these are set back, too.
killed() {
  rm -rf s.db* home early late
  cat >dies.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "dies", run = function(ctx)
  local from = ctx.position and ctx.position.n or 0
  for i = math.max(from, 1), 2 do
    ctx.memory["word" .. i] = i
    if i > from then ctx.boundary("tool_round", { position = { path = "n#" .. i, n = i } }) end
    ctx.effect { kind = "exec", class = "idempotent", request = { argv = { "sh", "-c",
      "[ -e " .. ctx.input .. i .. " ] || { : >" .. ctx.input .. i .. "; kill -9 $PPID; }" } } }
  end
end }
END
  rm -f "$dir"/died*
  take() { mkdir "$1" && cp s.db s.db-wal s.db.lock "$1" && cp "$counters"/* counter; }
  back() { rm -f s.db-shm && cp "$1"/* . && cp counter "$counters"/*; }
  exits 137 "$kind: a run is killed" run dies.lua --session one --input "\"$dir/died\""
  take early
  exits 137 "$kind: its resume, too" resume one
  take late
  back early
  refused 7 "$kind: all its files of before" "was set back" resume one
  back late
  cp early/s.db-wal early/s.db.lock .
  exits 7 "$kind: the log and the mark of before" resume one
  back late
  cp early/s.db .
  run resume one
  ok "$kind: the database of before, which the log makes anew, or is refused" \
    grep -qxE '0|7' <<<"$code"
  back late
  exits 0 "$kind: those of now go on" resume one
}

# Steps change nothing that the store says of itself as a whole; once a second it says how far the
# run has come.
steps() {
  rm -rf s.db* home
  cat >steps.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "steps", run = function(ctx)
  for n = 1, 200 do
    ctx.memory.n = n
    ctx.boundary("tool_round", { position = { path = "n#" .. n, n = n } })
  end
end }
END
  echo 'return { name = "every", policies = { { "every_boundary", on_tool_round = true } } }' \
    >steps_every.lua
  SECONDS=0
  exits 0 "$kind: two hundred checkpoints" run steps.lua --profile steps_every.lua --session one
  local most=$((4 + SECONDS))
  ok "$kind: are two changes of the store as a whole, and one a second" \
    test "$(generation)" -ge 2 -a "$(generation)" -le "$most"
}

# Somebody else's program in a home, and one that may not write there. Root may do anything, so both
# are somebody else: a copy of the program that he can reach.
others() {
  [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || { skip "needs root, and setpriv"; return; }
  rm -rf s.db* home
  local me=(setpriv --reuid 64901 --regid 64901 --clear-groups)
  mkdir home && chown 64901 home
  exits 0 "root in another user's home" facts set a 1
  has "is told so" "$err" "HOME is another user's"
  is "and leaves nothing there" "$(ls -A home)" ""
  rm -rf s.db*
  cp "$CKRUN" program && chmod 755 program "$dir"
  mkdir own && chown 64901 own
  local CKRUN_STORE=sqlite:$dir/own/s.db
  as() {
    out=$("${me[@]}" "$dir/program" "$@" 2>err)
    code=$? err=$(cat err)
  }
  as facts set a 1
  is "another user: has a counter" "$code $(stat -c %u "$counters"/*)" "0 64901"
  cp own/s.db older.db
  as facts set a 2
  chmod -R a-w home
  as facts set a 3
  is "in a home that nobody can write any more: goes on" "$code" 0
  has "is told" "$err" "Permission denied, so no rollback of it can be found"
  rm -f own/s.db* && cp older.db own/s.db && chown 64901 own/s.db
  as facts set a 4
  is "and what the counter knew is still compared" "$code" 7
  chmod -R u+w home
}

kind="without a key"
others
killed
steps
rollbacks
uses
homeless
kind="with a key"
export CKRUN_KEY=$(key)
killed
steps
rollbacks
uses
echo "1..$checks"
[ "$failed" = 0 ]
