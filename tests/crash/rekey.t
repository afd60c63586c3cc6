#!/bin/bash
# rekey.t - a change of a store's key is killed at many of its calls: each row is as before or as
# after, nothing else opens the store until the same command has come to its end, and then all is
# there with the new key, and nothing of before is left in the files.
# Every 19th point is tried; KILL_EVERY=1 tries all.
. "$(dirname "$0")/lib.sh"

golden=$here/../golden
every=${KILL_EVERY:-19}

begin
have_compiler && build_kill_at || skip_all "there is no compiler for the library that kills"
unset CKRUN_KEY

# A store without a key gets one, and a store with a key another one. with KEY ARGUMENTS…: KEY "-":
# none.
command_of() {
  case $1 in
    first) echo key rotate --new-key "file:$work/a" ;;
    second) echo --key "file:$work/a" key rotate --new-key "file:$work/b" ;;
  esac
}
key_before() { case $1 in first) echo - ;; second) echo a ;; esac; }
key_after() { case $1 in first) echo a ;; second) echo b ;; esac; }
with() {
  local key=$1
  shift
  if [ "$key" = - ]; then ckrun "$@"; else ckrun --key "file:$work/$key" "$@"; fi
}
preloaded() { bounded env "$1" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store "$store" "${@:2}"; }

# The contents of the store, read with a key.
look() {
  local session
  with "$1" --json sessions list | perl -MJSON::PP -ne '
    my $d = decode_json($_);
    print join(" ", map { $_ // "-" } @$d{qw(session status reason)}), "\n"' | sort
  for session in whole other; do
    with "$1" --json sessions log "$session" --all | sha256sum
    with "$1" --json sessions inspect "$session" | perl -MJSON::PP -e '
      my $d = decode_json(join("", <>));
      delete $d->{signature};
      delete $d->{checkpoint}{stored_bytes};
      print JSON::PP->new->canonical->encode($d), "\n"'
  done
}

# The log that a killed process leaves holds commits that are nowhere else.
# die KEY
die() {
  cat >die.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "kill -9 $PPID" } }
END
  with "$1" run die.lua --session "killed_$1" --input '{"topic":"canarykilled"}' >out 2>err
}

# Enough rows for several transactions; what was readable has come into the file itself, and is in
# the log, too.
make_templates() {
  bounded "$CKRUN" key new "$work/a" >"$work/a.id" &&
    bounded "$CKRUN" key new "$work/b" >"$work/b.id" || return 1
  folder template
  fresh
  cp "$golden"/*.lua "$golden"/six.jsonl .
  cat >facts.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "facts", start = "a", edges = { a = "b", b = flow.done },
  nodes = {
    a = flow.lua(function(ctx)
      ctx.facts.put("word", "canaryfact")
      ctx.memory.word = "canarystate"
    end),
    b = flow.ask { question = "canaryquestion?" },
  } }
END
  local n
  for n in 1 2 3 4 5 6 7 8; do ckrun run state.lua --cassette six.jsonl --session "s$n" >out 2>err \
    || return 1; done
  ckrun run state.lua --cassette six.jsonl --session whole >out 2>err || return 1
  ckrun run facts.lua --session other --input '{"topic":"canaryinput"}' >out 2>err
  [ $? = 8 ] || return 1
  sqlite3 s.db "PRAGMA wal_checkpoint" >out || return 1
  ckrun sessions fork other --session fork >out && ckrun sessions pin whole latest >out || return 1
  [ "$(sqlite3 s.db "SELECT count(*) FROM event")" -gt 200 ] || return 1
  die -
  [ "$(log_frames)" -gt 3 ] && grep -q canaryinput s.db && grep -q canarykilled s.db-wal || return 1
  folder sealed
  fresh
  cp -r "$work"/template/s.db* . && ckrun $(command_of first) >out 2>err || return 1
  die a
  [ "$(log_frames)" -gt 3 ]
}

place() {
  rm -rf s.db s.db-* s.db.*
  local from=template
  [ "$1" = second ] && from=sealed
  cp -r "$work/$from"/s.db* . 2>/dev/null
  [ -s s.db ]
}

expect() {
  folder baseline
  place "$1" && look "$(key_before "$1")" >"$work/$1.before" 2>&1 || return 1
  preloaded KILL_COUNT="$work/$1.calls" $(command_of "$1") >out 2>err || { cat err; return 1; }
  look "$(key_after "$1")" >seen 2>&1
  cmp seen "$work/$1.before" || return 1
  seq 2 $((2 * $(cat "$work/$1.calls") + 2)) | \
    awk -v every="$every" -v name="$1" 'NR % every == 0 { print name, $1 }' >"$work/$1.points"
}

# attack OPERATION POINT: prints the line of lib.sh; "progress" is that it was begun and not ended.
attack() {
  local lost=0 stuck=0 half=0 text= code opened=
  place "$1"
  preloaded KILL_AT="$2" $(command_of "$1") >out 2>err
  code=$?
  [ "$code" = 137 ] || [ "$code" = 0 ] ||
    { stuck=1; text="exit $code: $(tail -n 1 err | cut -c1-200)"; }
  for key in "$(key_before "$1")" "$(key_after "$1")"; do with "$key" store verify >verified 2>&1 \
    && opened=$key; done
  if [ -z "$opened" ]; then
    half=1
    grep -q "on its way to the key $(cat "$work/$(key_after "$1").id")" verified ||
      { lost=1; text="half: $(head -n 2 verified | tr '\n' ' ')"; }
  fi
  ckrun $(command_of "$1") >out 2>err || { stuck=1; text="again: $(tail -n 1 err | cut -c1-200)"; }
  with "$(key_after "$1")" store verify >verified 2>&1 ||
    { lost=1; text="verify: $(head -n 2 verified | tr '\n' ' ')"; }
  look "$(key_after "$1")" >seen 2>&1
  cmp -s seen "$work/$1.before" || { lost=1; \
    text="again: $(diff "$work/$1.before" seen | head -n 3 | cut -c1-150 | tr '\n' ' ')"; }
  grep -q canary s.db s.db-wal s.db-shm 2>/dev/null &&
    { lost=1; text="something is left that can be read"; }
  echo "$1:$2 $lost 0 0 $stuck $half $text"
}

check "the stores are made" make_templates
for operation in first second; do
  check "the $operation key: all is there with it" expect "$operation"
  check "the $operation key: killed before and after each of $(cat \
    "$work/$operation.calls") calls it goes on" in_two attack "$work/$operation.points"
done

folder held
place first
check "no key for a store of which a session is run" test "$(
  mkfifo up go
  cat >hold.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "hold", start = "a", edges = { a = flow.done },
  nodes = { a = flow.exec { argv = { "sh", "-c", "echo >up; read x <go" } } } }
END
  ckrun run hold.lua --session held >held.out 2>&1 &
  read -r _ <up
  ckrun key rotate --new-key "file:$work/a" >out 2>err
  code=$?
  echo >go
  wait
  echo $code
)" = 76
check "and it goes on as it was" ckrun store verify
finish
