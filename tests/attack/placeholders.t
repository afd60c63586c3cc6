#!/bin/bash
# placeholders.t - a PIN that was masked is tried in all its 10,000 forms against everything that
# lies in a store; and what is masked replays under another key, and from stores whose placeholders
# had fingerprints that anybody could compute.
. "$(dirname "$0")/../host/tap.sh"

mover=$(readlink -f "${CKRUN_BUILD:?}/tests/golden/tool_golden_move")
guess=$(readlink -f "$CKRUN_BUILD/tests/attack/tool_guess")
[ -x "$mover" ] && [ -x "$guess" ] || { echo "Bail out! tools are not built"; exit 1; }
cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db PIN=7391

# found FILE…: whether a digest of a PIN, keyed or not by any 32 bytes of the first one's `meta`, is
# in the files.
found() {
  sqlite3 "file:$1?mode=ro" "SELECT hex(value) FROM meta" >keys
  "$guess" keys "$@" >hits
}
unfound() { ! found "$@"; }
lacks() { ! grep -q "$1" <<<"$2"; }
marks() { grep -ohaE '\[redacted:env_pin:[0-9a-f]{12}\]' "$@" | sort -u; }

cat >tell.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", 'echo "{\"pin\":\"$PIN\",\"again\":\"$PIN!\"}"' },
  env = { PIN = { ref = "env:PIN" } } }
END

# ---- a store without a key ----

exits 0 "a program prints a PIN" run ./tell.lua --session tell
run sessions log tell --all --json
printf %s "$out" >log
ok "what is stored of it is masked" grep -q 'redacted:env_pin:000000000000' log
ok "and carries no fingerprint" test "$(marks log)" = '[redacted:env_pin:000000000000]'
is "nothing of it stands in the store's files" "$(cat s.db s.db-wal | grep -ac "$PIN")" 0
ok "no digest of the PIN is in them, under any key that they hold" \
  unfound s.db s.db-wal log
# The attack is one: with the fingerprint of earlier versions it finds the PIN.
key=$(sqlite3 s.db "SELECT hex(value) FROM meta WHERE key = 'fingerprint_key'")
fingerprint=$(perl -e 'print pack("H*", $ARGV[0]), pack("Q<", 4), $ARGV[1]' "$key" "$PIN" |
  b2sum -l 256 | cut -c1-12)
echo "[redacted:env_pin:$fingerprint]" >planted
ok "the attack finds the PIN behind a fingerprint of earlier versions" found s.db planted
has "by name" "$(cat hits)" "planted: $PIN"

# ---- stores with a key ----

for name in a b; do
  "$CKRUN" key new "$name.key" >/dev/null 2>&1
  export CKRUN_STORE=sqlite:$dir/$name.db
  for session in one two; do
    exits 0 "sealed store $name, session $session" --key "file:$name.key" run ./tell.lua \
      --session "$session"
  done
  for session in one two; do
    "$CKRUN" --key "file:$name.key" sessions log "$session" --all --json
  done >"$name.log"
  is "store $name: one secret reads the same in all of it" "$(marks "$name.log" | wc -l)" 1
  ok "store $name: with a fingerprint" sh -c '! grep -q :0000000 "$1.log"' - "$name"
done
ok "it is no digest under anything that the store's files hold" unfound b.db b.db-wal b.log
ok "another store has another one" test "$(marks a.log)" != "$(marks b.log)"

# ---- another key, another host ----

cp "$root/tests/golden/masked.lua" "$root/tests/golden/masked.jsonl" .
# tools SESSION: mail kills what runs it, once, when the outcome of book, which runs beside it, is
# in the store.
tools() {
  printf '#!/bin/sh\necho KL1234 >>bookings\necho KL1234\n' >book
  cat >mail <<END
#!/bin/sh
if mkdir crashed 2>/dev/null; then
  until CKRUN_STORE='$CKRUN_STORE' CKRUN_KEY='${CKRUN_KEY:-}' '$CKRUN' --json sessions log '$1' \\
    --kind outcome | grep -q KL1234; do :; done
  kill -9 "\$PPID"
fi
echo sent
END
  chmod +x book mail
}
export CKRUN_STORE=sqlite:$dir/moved.db CKRUN_KEY
CKRUN_KEY=$(cat a.key)
tools moved
run run ./masked.lua --cassette masked.jsonl --session moved
is "a session with masked requests is killed" "$code" 137
exits 0 "its store gets another key" key rotate --new-key file:b.key
CKRUN_KEY=$(cat b.key)
exits 0 "it is resumed under that" resume moved
ok "the masked call is not made again" test "$(cat bookings)" = KL1234
is "all that was recorded is replayed" "$(grep -c ^replayed <<<"$err")" 3
run sessions log moved --all --json
ok "no request is another one" lacks '"kind":"divergence"' "$out"
exits 0 "it is verified" store verify
unset CKRUN_KEY

# What differs in more than a fingerprint is another request.
rm -rf bookings crashed
export CKRUN_STORE=sqlite:$dir/other.db
tools other
run run ./masked.lua --cassette masked.jsonl --session other
is "another one is killed" "$code" 137
sed -i 's/opens the desk/opens a desk/' masked.lua
run resume other --force
is "a changed request is seen beside a placeholder" "$(grep -c '^replayed.*model' <<<"$err")" 0

# ---- a store of an earlier version ----

mkdir old && cd old || exit 1
cp "$root/tests/golden/masked.lua" "$root/tests/golden/masked.jsonl" .
cp "$root/tests/golden/masked3.db" s.db && chmod 600 s.db
"$mover" s.db /golden-masked "$PWD" && rm -f s.db-wal s.db-shm
tools masked
mkdir crashed
export CKRUN_STORE=sqlite:$PWD/s.db
run sessions log masked --all --json
ok "an old store has old fingerprints" grep -qE 'redacted:password:[1-9a-f][0-9a-f]{11}' <<<"$out"
exits 0 "a session of it is resumed" resume masked
is "all that was recorded is replayed" "$(grep -c ^replayed <<<"$err")" 3
ok "a call that may not happen again does not" test ! -e bookings
run sessions log masked --all --json
ok "no request is another one for its fingerprint" \
  lacks '"kind":"divergence"' "$out"
exits 0 "the old store is verified" store verify

finish
