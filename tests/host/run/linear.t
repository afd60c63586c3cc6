#!/bin/bash
# linear.t - a session's size on disk grows with its content, not with the square of it: a coding
# agent's 200 turns, each with a checkpoint, stay near the bytes of the messages.
. "$(dirname "$0")/../tap.sh"

cat >"$dir/agent.lua" <<'LUA'
local flow = require "ck.flow"
return flow.agent { name = "coder", prompt = "Read and edit.", tools = { read = "pure" },
  max_iterations = 1000 }
LUA

# record TURNS: in each the model reads another file of 20 KB, of words that do not repeat in the
# same order.
record() {
  perl -e '
    my ($turns) = @ARGV;
    srand 7;
    my @words = map { join "", map { chr(97 + int rand 26) } 1 .. 3 + rand 7 } 1 .. 4000;
    print "{\"cassette\":1}\n";
    for my $n (1 .. $turns) {
      my $arguments = "\"{\\\"path\\\":\\\"src/$n.c\\\"}\"";
      print qq({"scope":"main","kind":"model","message":{"role":"assistant",),
        qq("content":"Now file $n.","tool_calls":[{"id":"c$n","type":"function",),
        qq("function":{"name":"read","arguments":$arguments}}]}}\n);
      my $text = join " ", map { $words[rand @words] } 1 .. 2800;
      print qq({"scope":"main","kind":"tool","index":0,"name":"read",),
        qq("arguments":$arguments,"result":"$text"}\n);
    }
    print qq({"scope":"main","kind":"model","message":{"role":"assistant","content":"Done."}}\n)' \
      "$1" >"$dir/$1.jsonl"
}

# takes TURNS: bytes of the database after them; the log beside it has a fixed size.
takes() {
  local store="$dir/turns$1.db"
  record "$1"
  "$CKRUN" --store "sqlite:$store" run "$dir/agent.lua" --cassette "$dir/$1.jsonl" --profile graph \
    --session s >"$dir/out" 2>"$dir/err" || return 1
  checkpoints=$("$CKRUN" --store "sqlite:$store" --json sessions checkpoints s | \
    grep -c checkpoint_)
  sqlite3 "$store" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
  bytes=$(stat -c %s "$store")
}

if ! command -v sqlite3 >/dev/null; then
  skip "sqlite3 is missing"
else
  takes 200
  said=$(stat -c %s "$dir/200.jsonl") two=$bytes
  ok "200 turns end" test -s "$dir/turns200.db"
  ok "each of them could be gone back to ($checkpoints checkpoints)" test "$checkpoints" -ge 100
  echo "# 200 turns said $said bytes and take $two"
  ok "they take no more than what was said, and a third" test "$two" -lt $((said * 4 / 3))
  takes 400
  echo "# 400 turns take $bytes"
  ok "twice as many take twice as much" test "$bytes" -lt $((two * 9 / 4))
  ok "far from the 129 MB that 200 turns take at best elsewhere" test "$two" -lt 129000000
fi

echo "1..$checks"
[ "$failed" = 0 ]
