#!/bin/bash
# copy.t - a store is copied into a new one of any kind: killed at any call and run again it is
# whole and nothing is doubled; what was under way goes on in the copy; nothing that is there is
# replaced, or copied while it is run.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../kills.sh"
. "$(dirname "$0")/../postgres.sh"
write_flow idempotent
begin_server
# stored STORE: all that is told of the sessions of a store.
stored() {
  local id
  for id in $("$CKRUN" --store "$1" --json sessions list |
    perl -ne 'print "$1\n" while /"session":"([^"]*)"/g'); do
    "$CKRUN" --store "$1" --json sessions log "$id" --all
    "$CKRUN" --store "$1" --json sessions checkpoints "$id"
    "$CKRUN" --store "$1" sessions inspect "$id"
  done
}
# same NAME STORE STORE
same() {
  stored "$2" >"$dir/first" 2>&1
  stored "$3" >"$dir/second" 2>&1
  ok "$1" test "$(wc -l <"$dir/first")" -gt 20 -a -z "$(diff "$dir/first" "$dir/second" | head -5)"
}

# ---- a session that is killed, and others ----
from=$CKRUN_STORE
exits 0 "a session" run "$flow" --cassette "$cassette" --session flight
exits 0 "a fork of it" sessions fork flight --session branch
begin run "$dir/flow.lua" --session one
steps first second
reach
refused 76 "a copy while a session runs" "is run by process $pid" \
  store copy "$from" "$dir/live.db"
die
ok "makes nothing" test ! -e "$dir/live.db"

# ---- from file to file ----
copy=$dir/new/copy.db
exits 0 "a copy into another file" --json store copy "$from" "$copy"
is "says what it copied" "$(json "$out" '"$d->{sessions} $d->{to} $d->{was_done}"')" \
  "3 sqlite:$copy 0"
is "is one file" "$(ls -A "$dir/new")" "copy.db"
same "it holds the same" "$from" "$copy"
exits 0 "is sound" --store "$copy" store verify
exits 0 "the same again" --json store copy "$from" "$copy"
is "finds that it was done" "$(json "$out" '$d->{was_done}')" 1
: >"$dir/done"
begin --store "$copy" resume one
steps third fourth
ended
is "what was killed goes on in the copy" "$code $(cell "$out" result)" "0 fourth"
is "with the two steps that were not done" "$(wc -l <"$dir/done")" 2
refused 5 "another copy over what went on" "session one differs" store copy "$from" "$copy"
exits 0 "which is as it was" --store "$copy" sessions show one

# ---- what is refused ----
echo precious >"$dir/own.db"
refused 5 "a copy over another file" "exists already" store copy "$from" "$dir/own.db"
is "leaves it" "$(cat "$dir/own.db")" precious
refused 2 "a copy into memory" "a copy is made as sqlite:PATH or postgres" \
  store copy "$from" memory:
refused 2 "a copy of nothing" "it cannot be copied" store copy memory: "$dir/none.db"
refused 3 "a copy of no store" "there is no store" store copy "$dir/absent.db" "$dir/none.db"
refused 2 "a store that is none" "TO 'redis:x'" store copy "$from" redis:x
refused 2 "a password for everybody to see" "TO: a password in it is seen" \
  store copy "$from" "postgres://u:hunter2-Zq7@h/d"
ok "which is not told" test -z "$(grep -F hunter2 <<<"$out$err")"
ok "nothing was made" test ! -e "$dir/none.db"

# ---- a place where the same store went further ----
export CKRUN_COUNTERS=$dir/counters
place=$dir/place.db
exits 0 "a copy" store copy "$from" "$place"
for n in 1 2 3; do run --store "$place" run "$flow" --cassette "$cassette" --session "more$n"; done
rm -rf "$place"*
exits 0 "the same copy to that place anew" store copy "$from" "$place"
exits 0 "is no store that was set back" --store "$place" run "$flow" --cassette "$cassette"
cp "$place" "$dir/older.db"
run --store "$place" run "$flow" --cassette "$cassette"
rm -f "$place"-* "$place.lock"
cp "$dir/older.db" "$place"
refused 7 "one that is set back later is one" "was set back" --store "$place" \
  sessions fork flight
refused 7 "and is not copied" "was set back" store copy "$place" "$dir/laundered.db"
export CKRUN_COUNTERS=off

# ---- killed at each call ----
# again FROM TO: the same command, behind a kill.
again() { "$CKRUN" store copy "$1" "$2" >"$dir/out" 2>&1 </dev/null 8<&- 9>&-; }
if can_kill; then
  target=$dir/killed.db
  calls=$(count_calls store copy "$from" "$target")
  points=0 broken=0
  for ((n = 1; n <= calls; n += 1 + calls / 5)); do
    rm -rf "$target"*
    preloaded "KILL_AT=$n" store copy "$from" "$target"
    points=$((points + 1))
    again "$from" "$target" && ! ls "$target".ckrun-draft-* >/dev/null 2>&1 &&
      "$CKRUN" --store "$target" store verify >/dev/null 2>&1 || broken=$((broken + 1))
  done
  is "killed at $points calls of $calls, run again it is whole, and leaves nothing else" \
    "$broken" 0
  same "and the same" "$from" "$target"
else
  skip "killed at each call: no compiler, or it cannot be preloaded"
fi

if ! has_server; then
  skip "with a store of PostgreSQL: ${server#skip: }"
  finish
fi

# ---- to a server and back ----
there="$server&schema=there"
exits 0 "a copy to a server" --json store copy "$from" "$there"
is "says so" "$(json "$out" '"$d->{sessions} $d->{was_done} $d->{outputs}"')" "3 0 0"
same "it holds the same" "$from" "$there"
exits 0 "is sound" --store "$there" store verify
is "nobody has a lease there" \
  "$(schema=there ask "SELECT count(*) FROM lease WHERE owner IS NOT NULL
  OR expires > now()")" 0
exits 0 "the same again" --json store copy "$from" "$there"
is "finds that it was done" "$(json "$out" '$d->{was_done}')" 1
back=$dir/back.db
exits 0 "and back" store copy "$there" "$back"
same "it is the same as before" "$from" "$back"
exits 0 "a backup of the one on the server" --json --store "$there" store backup "$dir/kept.db"
is "is a file" "$(json "$out" '"$d->{sessions} " . ($d->{file_bytes} == -s $d->{backup})')" "3 1"
same "with the same" "$from" "$dir/kept.db"
refused 5 "which is not replaced" "exists already" --store "$there" store backup "$dir/kept.db"
exits 0 "an archive of one session" --store "$there" sessions delete branch --archive "$dir/one.db"
is "holds it and its origin" "$("$CKRUN" --store "$dir/one.db" --json sessions list |
  grep -o '"session":"[^"]*"' | sort | tr '\n' ' ')" '"session":"branch" "session":"flight" '
refused 5 "another copy over what was changed" "session branch differs" store copy "$from" "$there"
: >"$dir/done"
begin --store "$there" resume one 8<&- 9>&-
steps third fourth
ended
is "what was killed goes on on the server" "$code $(cell "$out" result)" "0 fourth"
is "with the two steps that were not done" "$(wc -l <"$dir/done")" 2

# ---- a scrub: by way of a file, as the refusal says ----
refused 2 "a scrub on a server" "'ckrun store copy' makes a file of it" --store "$there" \
  sessions scrub flight --pattern Meridian --yes
exits 0 "a file of it" store copy "$there" "$dir/scrubbed.db"
exits 0 "which is scrubbed" --store "$dir/scrubbed.db" sessions scrub flight --pattern Meridian \
  --yes
exits 0 "goes to a new schema" store copy "$dir/scrubbed.db" "$server&schema=scrubbed"
exits 0 "it is sound" --store "$server&schema=scrubbed" store verify
exits 0 "its transcript" --store "$server&schema=scrubbed" --json sessions log flight --all
is "does not have the word" "$(grep -c Meridian <<<"$out")" 0

# ---- killed on the way to a server: nothing, or all ----
events=$("$CKRUN" --json --store "$from" store stats | grep -o '"events":[0-9]*' | cut -d: -f2)
if can_kill_sending; then
  sent=$(count_sent store copy "$from" "$server&schema=counted")
  broken=0 points=0 inside=0
  for n in 3 $((sent / 3)) $((sent / 2)) $((sent - 20)) $((sent - 2)) $((sent - 1)) "$sent"; do
    to="$server&schema=killed$n"
    sending "$n" store copy "$from" "$to" >"$dir/out"
    [ $? = 137 ] && points=$((points + 1))
    found=$(schema=killed$n ask "SELECT count(*) FROM event" 2>/dev/null || echo 0)
    [ "${found:-0}" = 0 ] && inside=$((inside + 1)) || [ "$found" = "$events" ] ||
      broken=$((broken + 1))
    again "$from" "$to" && [ "$(schema=killed$n ask "SELECT count(*) FROM event")" = "$events" ] &&
      [ "$(schema=killed$n ask "SELECT count(*) FROM session")" = 3 ] || broken=$((broken + 1))
  done
  is "killed at 7 of $sent messages the server has nothing or all, and then all, once" \
    "$points $broken" "7 0"
  ok "within its transaction, and behind it" test "$inside" -gt 3 -a "$inside" -lt 7
else
  skip "killed on the way to a server: nothing can be put before libpq"
fi
finish
