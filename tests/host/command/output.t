#!/usr/bin/env bash
# output.t - long outputs beside a store with a key are sealed: read with it, found when changed,
# erased, copied, and sealed anew with the next key.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
export CKRUN_COUNTERS=off
unset CKRUN_STORE
umask 077

cat >long.lua <<'LUA'
local flow = require "ck.flow"
return flow.exec {
  argv = { "sh", "-c", "i=0; while [ $i -lt 400 ]; do echo line $i marker-$i-here;"
    .. " i=$((i+1)); done; echo some error-marker >&2; seq 3000 >&2" },
  output_max = 256,
}
LUA
not() { ! "$@"; }
lines() { i=0; while [ $i -lt 400 ]; do echo "line $i marker-$i-here"; i=$((i+1)); done; }
lines >want
for n in 1 2 3; do "$CKRUN" key new "key$n" >/dev/null 2>&1; done
effect=main/start/exec/1
# sealed N ARGUMENTS…: with that key.
sealed() { local n=$1; shift; run --store s.db --key "file:key$n" "$@"; }
long() { echo s.db.spill/s-*.stdout; }
readable() { grep -raq -e marker- -e 2999 s.db*; }
whole() { sealed "$1" sessions output s "$effect" && cmp -s "$dir/out" want; }

sealed 1 run long.lua --session s
is "a program with long outputs" "$code" 0
is "has a file of each" "$(find s.db.spill -name 's-*' | wc -l)" 2
ok "nothing of them can be read beside the store" not readable
ok "with the key the whole is printed" whole 1
sealed 1 sessions output s "$effect" --stderr
has "that of stderr, too" "$out" "some error-marker"
run --store s.db sessions output s "$effect"
is "without the key nothing is" "$code$out" 4
sealed 1 --json sessions output s "$effect"
is "as JSON" "$(json "$out" 'length $d->{text}')" "$(wc -c <want)"
sealed 1 sessions output s main/start/exec/2
is "another effect has none" "$code" 3
has "and the text says where it is" "$err" "sessions log"
sealed 1 store verify
is "all is well" "$code" 0

spoilt() {
  sealed 1 store verify
  is "$1: verify finds it" "$code" 7
  sealed 1 sessions output s "$effect"
  is "$1: it is not shown" "$code$out" 7
  cp kept "$(long)"
}
file=$(long)
cp "$file" kept
size=$(stat -c %s kept)
for at in 9 40 $((size / 2)) $((size - 1)); do
  perl -e 'open F, "+<", $ARGV[0]; seek F, $ARGV[1], 0; read F, $_, 1; seek F, $ARGV[1], 0;
    print F chr(ord() ^ 1)' "$file" "$at"
  spoilt "a bit of byte $at flipped"
done
head -c $((size - 20)) kept >"$file"
spoilt "cut"
cat kept kept >"$file"
spoilt "put behind itself"
cp "${file%stdout}stderr" "$file"
spoilt "exchanged for the other output"
cp want "$file"
sealed 1 store verify
has "one that is not sealed, such as of an older ckrun, is told" "$err" \
  "1 long outputs are not sealed"
cp kept "$file"

sealed 1 store backup copy.db
is "a copy of the store" "$code" 0
run --store copy.db --key file:key1 sessions output s "$effect"
ok "has them, for the same key" cmp -s "$dir/out" want

echo marker-77-here >secret
sealed 1 sessions scrub s --secret-file secret --yes
is "a line is taken out" "$code" 0
sealed 1 sessions output s "$effect"
is "of the whole, too" "$(grep -c 'marker-77' <<<"$out") $(grep -c 'marker-78' <<<"$out")" "0 1"
ok "which is still sealed" not readable
cp "$dir/out" want

sealed 1 key rotate --new-key file:key2
is "another key" "$code" 0
ok "opens them" whole 2
ok "and nothing else lies there" test "$(find s.db.spill -type f | wc -l)" = 2
run --store copy.db --key file:key1 store verify
is "the copy is as it was" "$code" 0

# A store that gets its first key.
run --store plain.db run long.lua --session s
ok "without a key the files can be read" grep -qr marker-77 plain.db.spill
run --store plain.db --key file:key1 sessions output s "$effect"
run --store plain.db sessions output s "$effect"
has "and are printed" "$out" "marker-77-here"
run --store plain.db key rotate --new-key file:key1
is "it gets a key" "$code" 0
ok "and they are sealed" not grep -qr marker- plain.db.spill
run --store plain.db --key file:key1 sessions output s "$effect"
has "and printed with it" "$out" "marker-77-here"

now=2
# Killed at each call of the change that changes a file, it is whole for the key that the store has.
if ! ldd "$CKRUN" | grep -q san.so && "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC \
  -DKILL_AT_PRELOAD "$root/tests/crash/kill_at.c" -o kill_at.so -ldl 2>/dev/null; then
  now=3
  mkdir base && cp -r s.db* base
  reset() { rm -rf s.db*; cp -r base/s.db* .; }
  rotate() { env LD_PRELOAD="$dir/kill_at.so" "$@" "$CKRUN" --store s.db --key file:key2 \
    key rotate --new-key file:key3 >/dev/null 2>&1; }
  rotate KILL_COUNT="$dir/calls"
  calls=$(cat "$dir/calls")
  bad=0 points=0
  for ((at = 2; at <= 2 * calls + 1; at += 1 + calls / 7)); do
    reset
    rotate KILL_AT="$at"
    points=$((points + 1))
    readable && bad=$((bad + 1)) && echo "# readable at $at"
    sealed 2 key rotate --new-key file:key3
    [ "$code" = 0 ] && whole 3 && [ "$(find s.db.spill -type f | wc -l)" = 2 ] ||
      { bad=$((bad + 1)); echo "# $at of $calls: $code $err"; }
  done
  ok "killed at $points calls, the same command goes on ($calls calls)" test "$bad:$points" != 0:0
  is "and every time all outputs are there" "$bad" 0
else
  skip "killed in between: no compiler, or a sanitizer"
fi

sealed "$now" sessions delete s --yes
is "a session that goes takes its files with it" "$(find s.db.spill -type f 2>/dev/null | wc -l)" 0
finish
