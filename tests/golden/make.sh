#!/bin/bash
# make.sh - makes the golden stores of the schema that CKRUN writes: make.sh CKRUN TOOL_COUNT
# KILL_AT_SO OUT.db SEALED.db, as root, once per schema, by the last program that writes it.
# Sessions are made in /golden, so that no path of a machine is in them. SEALED.db has the key
# in sealed.key.
set -eu
ckrun=$1 tool=$2 kill_at=$3 out=$4 sealed=$5
here=$(cd "$(dirname "$0")" && pwd)
rm -rf /golden && mkdir /golden && cd /golden
trap 'rm -rf /golden' EXIT
cp "$here"/*.lua "$here"/six.jsonl .
for name in count count_probe count_kill; do cp "$tool" $name; done
export CKRUN_STORE=sqlite:/golden/s.db NO_COLOR=1 HOME=/golden
at() { echo "== $*"; }
go() { "$ckrun" "$@" >out 2>err </dev/null || echo "exit $?: $(tail -n 1 err)"; }
# killed PERCENT ARGUMENTS…: of the calls that its session makes.
killed() { (env KILL_AT="$((calls * $1 / 100))" LD_PRELOAD="$kill_at" "$ckrun" "${@:2}" >out 2>err \
  </dev/null) 2>/dev/null || true; }
# Interrupted in its second tool, so it is paused at the boundary behind it.
paused() {
  rm -f waiting && mkfifo waiting
  "$ckrun" "$@" >out 2>err </dev/null &
  local pid=$!
  read -r _ <waiting
  exec 5<>waiting
  read -r _ <&5
  kill -INT $pid
  wait $pid || true
  exec 5>&-
  rm -f waiting
  tail -n 1 err
}

at calls; KILL_COUNT=calls LD_PRELOAD="$kill_at" go run state.lua --cassette six.jsonl --session \
  calls; calls=$(cat calls); echo "$calls"
rm -rf count.log s.db*
at done; go run agent.lua --cassette six.jsonl --session done
at paused; rm -f count.log; paused run state.lua --cassette six.jsonl --session paused
at killed; rm -f count.log; killed 50 run agent.lua --cassette six.jsonl --session killed
at pruned; rm -f count.log; killed 92 run state.lua --cassette six.jsonl --profile two.lua \
  --session pruned
at branched; rm -f count.log; killed 70 run state.lua --cassette six.jsonl --session branched
first=$("$ckrun" --json sessions checkpoints branched | grep -o '"id":"checkpoint_[^"]*' | \
  tail -n 1 | cut -c7-)
killed 42 resume branched --checkpoint "$first"
at doubt; rm -f count.log; touch kill; go run once.lua --cassette six.jsonl --session doubt; rm -f \
  kill; go resume doubt
# Since schema 2.
at forked; go sessions fork done --checkpoint 19 --session forked --set note=golden
at child; go resume forked; go sessions fork forked --checkpoint latest --session child
at rewound; go sessions fork paused --session rewound; go sessions rewind rewound --to first \
  --report "A dead end."
at undone; go sessions fork paused --session undone; go sessions rewind undone --to first --report \
  "A dead end."; go sessions undo undone
at pinned; go sessions pin done first
at failing; rm -f count.log; killed 40 run state.lua --cassette six.jsonl --session failing
for n in 1 2 3; do killed 20 resume failing; done; go resume failing
at failed; go run fail.lua --session failed
"$ckrun" sessions list
"$ckrun" store verify
keep() { sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; cp s.db "$1"; rm -rf s.db*; \
  chmod 644 "$1"; ls -l "$1"; }
keep "$out"

export CKRUN_KEY=$(cat "$here/sealed.key")
at sealed; rm -f count.log; go run agent.lua --cassette six.jsonl --session done
rm -f count.log; paused run state.lua --cassette six.jsonl --session paused
go sessions fork done --checkpoint 19 --session forked --set note=golden
go sessions pin done first
go run facts.lua --session asks
"$ckrun" sessions list
"$ckrun" store verify
keep "$sealed"
