#!/bin/bash
# scrub.t - fifty secrets that nobody knew when they were written are taken out of a store: of
# events, states, errors, inputs, facts, long outputs, forks and abandoned branches, in every
# spelling, from every byte of every file. Killed at many of its calls it is done as a whole or not
# at all, what is unfinished is told, and the same call brings it to its end.
# A store without a key and a sealed one take turns, and every 47th point is tried, others with each
# commit; KILL_EVERY=1 tries all.
. "$(dirname "$0")/lib.sh"

every=${KILL_EVERY:-47}

begin
command -v perl >/dev/null && perl -MMIME::Base64 -e1 2>/dev/null || skip_all "no perl"
canaries() { perl "$here/canaries.pl" "$@"; }
unset CKRUN_LOG CKRUN_KEY
mkdir "$work/made" && canaries make "$work/made"
made=$work/made
# turns NTH: of the two, this one is tried with this commit.
turns() { [ "$every" = 1 ] || [ $(($("$here/../turn.sh") % 2)) = "$1" ]; }
# One to a line, as --secret-file takes them.
perl -ne "s/'\\\\''/'/g; print \"\$1\n\" if /^export \w+='(.*)'\$/" "$made/env" >"$work/secrets"

# with KEY ARGUMENTS…: KEY "-": none.
with() {
  local key=$1
  shift
  if [ "$key" = - ]; then ckrun "$@"; else ckrun --key "file:$work/$key" "$@"; fi
}
# What nobody needs to look for any more.
hits() { canaries scan s.db* s.db.spill/* "$@" 2>figures | wc -l; }
scrub() { with "$1" sessions scrub "${@:2}" --secret-file "$work/secrets" --yes; }

# long KEY SECRET: a session with an output that lies in a file.
long() {
  printf '%s' "$2" >word
  cat >long.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", 'yes "$(cat word)" | head -n 20000' }, output_max = 500 }
END
  with "$1" run long.lua --session long >out 2>err
  [ -n "$(find s.db.spill -name 'long-*' -size +100k)" ]
}

# A session with all spellings everywhere, a fork of it, an abandoned branch, a pin, a fact, a
# request that waits, and an output too long for a result.
make_store() {
  folder "$2"
  fresh
  cp "$made/leak" leak
  cp "$made/nowhere" "./$(cat "$made/nowhere.name")"
  local first second
  { read -r first; read -r second; } <"$work/secrets"
  with "$1" run "$made/flow.lua" --cassette "$made/flow.jsonl" --session s \
    --input "@$made/input.json" >out 2>err
  [ $? = 1 ] || return 1
  with "$1" sessions pin s first >out && with "$1" facts set note "it is $first" >out || return 1
  with "$1" sessions fork s first --session fork --set "told=$second" >out || return 1
  with "$1" sessions fork s first --session branch >out &&
    with "$1" sessions fork branch --session twig >out || return 1
  with "$1" sessions rewind branch --to first --report "never say $first" >out || return 1
  long "$1" "$second"
}

attacked() {
  [ "$(hits)" -gt "$1" ] || return 1
}
sound() {
  with "$1" store verify >verified 2>&1 && return
  sed 's/^/# /' verified | head -n 3
  return 1
}
# The outputs of a process that knows no secret.
look() {
  local id
  for id in s fork branch twig long; do
    with "$1" --json sessions log "$id" --all
    with "$1" sessions log "$id" --all
    with "$1" --json sessions inspect "$id"
    with "$1" --json sessions show "$id"
  done >looked 2>&1
  with "$1" facts list >>looked 2>&1
}

# clean KEY: nothing is left, in no file and on no output, and all that can be loaded loads.
clean() {
  look "$1"
  local left
  left=$(hits looked)
  [ "$left" = 0 ] || { say "$left left"; canaries scan s.db* s.db.spill/* looked 2>/dev/null |
    head -n 5 | cut -c1-200 | sed 's/^/# /'; return 1; }
  sound "$1"
}

plain() {
  check "a store with all of it is made" make_store - plain
  check "what is looked for is there" test "$(hits)" -gt 1000
  scrub - s --dry-run >told 2>err
  check "a dry run tells what would change" grep -q '^events' told
  check "and changes nothing" attacked 1000
  scrub - twig >out 2>err
  ckrun --json sessions log s --all >log 2>&1
  check "of one session, all that are related to it are scrubbed" test \
    "$(canaries scan log 2>figures | wc -l)" = 0
  scrub - --all >out 2>err || head -n 2 err | sed 's/^/# /'
  check "scrubbed: nothing is left in any file or output" clean -
  check "what was not said stays" test "$(grep -c '"kind":' looked)" -gt 900
  scrub - s >out 2>err
  check "done once more nothing changes" eval '! grep -q ^events out'
  check "a session goes on from what is left, though its flow says all of it again" test \
    "$(ckrun resume fork >out 2>err; grep -c '^done' err)" -gt 100
}
sealed() {
  bounded "$CKRUN" key new "$work/key" >/dev/null
  check "a sealed store with all of it is made" make_store key sealed
  look key
  check "it is there for whoever has the key" test "$(hits looked)" -gt 1000
  scrub key --all >out 2>err
  check "scrubbed: and gone for him, too" clean key
}
turns 0 && plain
turns 1 && sealed

# ---- killed ----

have_compiler && build_kill_at 2>/dev/null || { skip "killed" "no compiler"; finish; exit; }
preloaded() { bounded env "$1" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store "$store" "${@:2}"; }
call=(sessions scrub --all --secret-file "$work/secrets" --yes)

# A smaller store: each point makes it again.
small_store() {
  folder small
  fresh
  local first
  read -r first <"$work/secrets"
  cat >small.lua <<END
local flow = require "ck.flow"
return flow.graph { name = "small", start = "a", edges = { a = "b", b = flow.done },
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.word = "canary"; ctx.facts.put("word", ctx.input) end),
    b = flow.ask { question = "what?" },
  } }
END
  ckrun run small.lua --session s --input "\"it is $first\"" >out 2>err
  ckrun answer s "$first it is" >out 2>err
  ckrun sessions fork s --session fork >out 2>err || return 1
  long - "$first" && [ "$(hits)" -gt 10 ]
}
place() {
  rm -rf s.db s.db-* s.db.* counters
  export CKRUN_COUNTERS=$PWD/counters # of this copy alone: the last one was at the same place
  cp -r "$work/small"/s.db* .
}
expect() {
  folder baseline
  place
  preloaded KILL_COUNT="$work/calls" "${call[@]}" >out 2>err || { cat err; return 1; }
  [ "$(hits)" = 0 ] || return 1
  ckrun --json sessions log s --all | sed -E 's/"at":"[^"]*"//' >"$work/after"
  seq 2 $((2 * $(cat "$work/calls") + 2)) | thin "$every" >"$work/points"
}

# attack POINT: prints the line of lib.sh; "progress" is that something was left to be done.
attack() {
  local lost=0 stuck=0 half=0 text= code
  place
  preloaded KILL_AT="$1" "${call[@]}" >out 2>err
  code=$?
  [ "$code" = 137 ] || [ "$code" = 0 ] ||
    { stuck=1; text="exit $code: $(tail -n 1 err | cut -c1-200)"; }
  ckrun store verify >verified 2>&1
  if [ $? != 0 ]; then
    half=1
    [ "$(grep -vc 'did not come to its end' verified)" = 1 ] ||
      { lost=1; text="verify: $(head -n 2 verified | tr '\n' ' ')"; }
  elif [ "$(hits)" != 0 ] && [ "$(hits)" -lt "$(cat "$work/there")" ]; then
    lost=1 text="something is gone, and nothing tells that the rest is there"
  fi
  ckrun "${call[@]}" >out 2>err || { stuck=1; text="again: $(tail -n 1 err | cut -c1-200)"; }
  ckrun store verify >verified 2>&1 ||
    { lost=1; text="again, verify: $(head -n 2 verified | tr '\n' ' ')"; }
  [ "$(hits)" = 0 ] || { lost=1; text="again: $(hits) are left"; }
  ckrun --json sessions log s --all | sed -E 's/"at":"[^"]*"//' >seen
  cmp -s seen "$work/after" || { lost=1;
    text="again: $(diff "$work/after" seen | head -n 3 | cut -c1-150 | tr '\n' ' ')"; }
  echo "$1 $lost 0 0 $stuck $half $text"
}

check "a small store is made" small_store
hits >"$work/there"
check "and scrubbed" expect
check "killed before and after each of $(cat "$work/calls") calls it is whole, or tells" in_two \
  attack "$work/points"
finish
