#!/bin/bash
# escape.t - no content of a session can control the terminal of a person who reads it.
. "$(dirname "$0")/../tap.sh"

# Escape sequences, a title, a link, backspaces, C1 controls, directions, in every place a recording
# or flow can fill.
evil='\u001b[2J\u001b]0;owned\u0007\u001b]8;;http://x\u001b\\\\\b\b\r\u009b31m\u202e\u0007'
cat >"$dir/evil.jsonl" <<EOF
{"cassette":1,"prompt":"$evil"}
{"scope":"main","kind":"ask","answer":"ask $evil"}
{"scope":"main","kind":"model","message":{"role":"assistant","content":"model $evil",\
"tool_calls":[{"id":"$evil","type":"function","function":{"name":"think",\
"arguments":"{\"thought\": \"x\u001b[31m\"}"}}]}}
{"scope":"main","kind":"tool","index":0,"name":"think",\
"arguments":"{\"thought\": \"x\u001b[31m\"}","result":"result $evil"}
EOF
exits 0 "a hostile recording runs" run "$flow" --cassette "$dir/evil.jsonl" --session evil --input \
  "\"$evil\""
all="$out$err"
# A failure that shows what was recorded.
sed 's/"name":"think","arguments"/"name":"other\\u001b[31m","arguments"/' "$dir/evil.jsonl" \
  >"$dir/differs.jsonl"
run run "$flow" --cassette "$dir/differs.jsonl" --session differs
ok "one that differs is refused or fails" test "$code" != 0
all+="$out$err"
cat >"$dir/keys.lua" <<'EOF'
--- Writes a hostile value, and fails with a hostile text.
local flow = require "ck.flow"
return flow.custom { name = "keys\27[31m", run = function(ctx)
  ctx.memory["k\u{202e}"] = "v\27[31m\8"
  ctx.memory.unseen = "\127\u{9b}\u{2066}z\u{200b}\u{200d}\u{2060}\u{feff}\u{ad}\u{fff9}\u{e0041}"
  ctx.message("user", ctx.memory.unseen)
  ctx.boundary("tool_round", { position = { path = "a" } })
  error("failed\27[31m\nckrun: all is well", 0)
end }
EOF
exits 1 "a flow that fails with a hostile text" run "$dir/keys.lua" --session keys
all+="$out$err"
for command in "sessions list" "sessions show evil" "sessions show keys" \
  "sessions checkpoints keys" "sessions inspect keys" "sessions log evil" \
  "sessions log keys --all" "sessions log differs" "store verify" "resume keys --dry-run"; do
  exits 0 "$command" $command
  all+="$out$err"
done
for bad in $'\e' $'\a' $'\b' $'\r' $'\xc2\x9b' $'\xe2\x80\xae' $'\xe2\x80\x8b' $'\xe2\x80\x8d' \
  $'\xe2\x81\xa0' $'\xef\xbb\xbf' $'\xc2\xad' $'\xef\xbf\xb9' $'\xf3\xa0\x81\x81'; do
  ok "no $(printf '%q' "$bad") in any output" test "${all#*"$bad"}" = "$all"
done
has "it is shown as text instead" "$all" '\x1b[2J'
is "no line of its own" "$(grep -c '^ckrun: all is well' <<<"$all")" 0
for command in "sessions log evil" "sessions show evil" "sessions inspect keys" "sessions list" \
  "sessions checkpoints keys"; do
  exits 0 "$command --json" --json $command
  ok "is JSON" lines "$out"
  ok "without control characters" test -z "$(tr -d '\n -\377' <<<"$out")"
  is "and without what acts" "$(perl -CS -ne 'print for /[\x{7f}-\x{9f}\x{ad}\x{200b}-\x{200f}]/g,
    /[\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{fff9}-\x{fffb}\x{e0000}-\x{e007f}]/g' \
    <<<"$out" | od -An -tx1)" ""
done
run --json sessions inspect keys
is "their values stay" "$(perl -MJSON::PP -e 'my $m = decode_json($ARGV[0])->{shared_memory};
    print join " ", map { sprintf "%x", ord } split //, $m->{unseen}; print " ", exists
    $m->{"k\x{202e}"} ? 1 : 0' "$out")" \
  "7f 9b 2066 7a 200b 200d 2060 feff ad fff9 e0041 1"
exits 2 "an error that repeats them" --json sessions list \
  $'--x\xe2\x80\xae\xe2\x80\x8b\xf3\xa0\x81\x81'
is "has none of them" "$(LC_ALL=C tr -d ' -~\n' <<<"$err")" ""
run --json sessions log evil
has "values keep their bytes in JSON" "$out" "ask $evil"

# On a terminal the program's own bold and colours are the only escapes.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  shown=$(NO_COLOR= TERM=xterm script -qec \
    "'$CKRUN' sessions log evil; '$CKRUN' sessions list; '$CKRUN' sessions show evil" /dev/null \
    </dev/null)
  plain=$(sed -E $'s/\e\\[([012]|3[1236])m//g' <<<"$shown" | tr -d '\r')
  ok "a terminal gets bold and colours, and nothing else" test "${plain#*$'\e'}" = "$plain"
  has "a table has a header" "$plain" "SESSION"
  ok "it is bold" test "${shown#*$'\e[1m'}" != "$shown"
  plain=$(NO_COLOR=1 TERM=xterm script -qec "'$CKRUN' sessions list" /dev/null </dev/null)
  ok "NO_COLOR: no bold" test "${plain#*$'\e'}" = "$plain"
  # A long path gives way, its beginning first, so that each session stays on its line.
  mkdir -p "$dir/a-folder-with-a-rather-long-name/below-another-of-the-kind"
  cp "$flow" "$dir/a-folder-with-a-rather-long-name/below-another-of-the-kind/long.lua"
  run run "$dir/a-folder-with-a-rather-long-name/below-another-of-the-kind/long.lua" --cassette \
    "$cassette" --session long
  shown=$(script -qec "stty cols 80; '$CKRUN' sessions list" /dev/null </dev/null | tr -d '\r')
  has "a long path keeps its end" "$shown" "/long.lua"
  ok "and each row its line" perl -CS -ne 'chomp; exit 1 if length > 80' <<<"$shown"
  # Elsewhere, too: columns that say least are left out, others are cut; an id that must be copied
  # is whole.
  id=$("$CKRUN" sessions checkpoints long | head -n 1 | cut -f2)
  for command in "sessions list" "sessions log long" "sessions checkpoints long" \
    "sessions diff long first latest" "sessions show long" \
    "profile show deliberation" "store stats" "help" "help resume"; do
    shown=$(script -qec "stty cols 80; '$CKRUN' $command" /dev/null </dev/null | tr -d '\r')
    ok "$command: no line is longer than 80 columns" perl -CS -ne 'chomp; exit 1 if length > 80' \
      <<<"$shown"
  done
  for columns in 40 80 200; do
    shown=$(script -qec "stty cols $columns; '$CKRUN' sessions checkpoints long" /dev/null \
      </dev/null | tr -d '\r')
    has "at $columns columns the part of an id that names it is whole" "$shown" "${id: -8}"
  done
  has "with room there is everything" "$(head -n 1 <<<"$shown")" AGE
else
  skip "script(1) is missing: no terminal to look at"
fi
finish
