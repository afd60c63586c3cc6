#!/bin/bash
# long_spills.t - a long output of any length is verified, scrubbed and sealed anew in the same
# memory, and a secret that lies where the text is cut into windows goes like any other.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
export CKRUN_COUNTERS=off CKRUN_STORE=s.db
unset CKRUN_KEY CKRUN_KEY_COMMAND
umask 077
effect=main/start/exec/1
bytes=$((40 << 20))
room=$((120 << 10)) # KiB of address space: less than the output takes three times, or twice
(ulimit -v "$room" && exec "$CKRUN" --version) >/dev/null 2>&1 ||
  { echo "ok 1 - # SKIP this build needs more memory by itself"; echo 1..1; exit; }
narrow() { (ulimit -v "$room" && exec "$CKRUN" "$@") >"$dir/out" 2>"$dir/err" </dev/null; code=$?
  out=$(cat "$dir/out") err=$(cat "$dir/err"); }

cat >long.lua <<END
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "head -c $bytes text" }, output_max = 256 }
END
# Words without a line's end, the secret among them wherever a window may be cut.
secret=horse-battery-7319-staple
echo "$secret" >secret
perl -e 'my $word = shift; my ($n, $size) = (0, shift);
  while ($n < $size) { my $part = "pad " x (1 + $i++ * 7919 % 11) . "$word ";
    print $part; $n += length $part; }' "$secret" "$bytes" >text
"$CKRUN" key new one >/dev/null && "$CKRUN" key new two >/dev/null

for key in "" one; do
  with=() name=plain
  [ -z "$key" ] || { with=(--key "file:$key"); name=sealed; }
  rm -rf s.db*
  run "${with[@]}" run long.lua --session s
  is "$name: an output of 40 MB" "$code" 0
  narrow "${with[@]}" store verify
  is "$name: is verified in $((room >> 10)) MB" "$code" 0
  [ -z "$key" ] || { cp s.db.spill/s-*.stdout kept
    perl -e 'open F, "+<", $ARGV[0]; seek F, -9, 2; print F "x"' s.db.spill/s-*.stdout
    narrow "${with[@]}" store verify
    is "$name: a byte at its end that was changed is found" "$code" 7
    mv kept s.db.spill/s-*.stdout; }
  before=$("$CKRUN" "${with[@]}" sessions output s "$effect" | grep -o "$secret" | wc -l)
  ok "$name: it holds the secret" test "$before" -gt 1000
  narrow "${with[@]}" sessions scrub s --secret-file secret --yes
  is "$name: is scrubbed in that, too" "$code" 0
  "$CKRUN" "${with[@]}" sessions output s "$effect" >left
  is "$name: nothing of it is left, of each a placeholder" \
    "$(grep -oE 'horse|staple|7319' left | wc -l) $(grep -o 'redacted:scrubbed' left | wc -l)" \
    "0 $before"
  is "$name: and all else is" "$(perl -0777 -pe 's/\[redacted:[^]]*\]//g' left | cksum)" \
    "$(head -c "$bytes" text | perl -0777 -pe "s/$secret//g" | cksum)"
  narrow "${with[@]}" key rotate --new-key file:two
  is "$name: sealed with the next key in that, too" "$code" 0
  run --key file:two sessions output s "$effect" -o again
  ok "$name: and is what it was" cmp again left
done
finish
