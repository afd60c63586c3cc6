#!/bin/bash
# tamper_table.t - each column of each table changed, with the check that anybody can make and
# without; each row taken away, doubled, put in from the same store before, from another one and
# from one with another key; tables set back one by one and in pairs: `store verify` finds it, or it
# is one of those that stand here, with the words of SECURITY.md that say so.
. "$(dirname "$0")/../host/tap.sh"

table=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper_table
cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db CKRUN_COUNTERS=off
key() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
rest() { sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; }

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "kept", start = "a",
  nodes = {
    a = flow.lua(function(ctx)
      ctx.facts.put("capital", "Paris")
      ctx.memory.word = "one"
      ctx.memory.long = string.rep("three ", 200)
    end),
    b = flow.ask { question = "Go on?" },
    c = flow.lua(function(ctx)
      ctx.memory.word = "two"
      ctx.facts.put("capital", "Rome") ctx.facts.put("river", "Tiber")
    end),
  },
  edges = { a = "b", b = "c", c = flow.done },
}
END
# Dies in its program, and a request of somebody waits.
cat >dies.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "dies", run = function(ctx)
  ctx.memory.word = "one"
  ctx.boundary("tool_round", { position = { path = "a" } })
  ctx.effect { kind = "exec", class = "idempotent", request = { argv = { "sh", "-c",
    ctx.input.program .. " pause dead --no-wait; kill -9 $PPID" },
    env = { CKRUN_STORE = ctx.input.store, CKRUN_COUNTERS = "off",
      CKRUN_KEY = ctx.input.sealed and { ref = "env:CKRUN_KEY" } or nil } } }
end }
END
cat >every.lua <<'END'
return { name = "every", policies = { "every_boundary" } }
END

# makes NAME: a store with sessions of every sort; NAME-older.db is what it was before their ends.
makes() {
  local sealed=false
  [ -z "$CKRUN_KEY" ] || sealed=true
  rm -rf s.db*
  for name in one two; do
    exits 8 "$kind, $1: session $name" run flow.lua --profile every.lua --session $name \
      --input '{"word":"given"}'
  done
  exits 137 "$kind, $1: one that dies" run dies.lua --profile every.lua --session dead \
    --input "{\"program\":\"$CKRUN\",\"store\":\"$CKRUN_STORE\",\"sealed\":$sealed}"
  exits 0 "$kind, $1: a fact" facts set lake Como
  rest && cp s.db "$1-older.db"
  local checkpoint=$("$CKRUN" --json sessions checkpoints one | head -n 1 | \
    perl -MJSON::PP -ne 'print JSON::PP->new->decode($_)->{id}')
  exits 0 "$kind, $1: a pin" sessions pin one "$checkpoint"
  exits 0 "$kind, $1: an answer" answer one yes
  exits 0 "$kind, $1: it ends" resume one
  exits 0 "$kind, $1: a fork" sessions fork two --session three
  exits 8 "$kind, $1: a session" run flow.lua --session gone
  exits 0 "$kind, $1: which is deleted" sessions delete gone --yes
  exits 0 "$kind, $1: the fact changes" facts set lake Garda
  exits 0 "$kind, $1: it is whole" store verify
  rest && cp s.db "$1.db"
}

# What verify does not find, and the words of SECURITY.md that say so.
known() {
  if [ -n "$CKRUN_KEY" ]; then
    cat <<'LIST'
meta recovered: .*#a count of recoveries (`recovered`)
meta last_session: .*#the last number of a session (`last_session`)
meta uuid: .*#which nothing reads (`uuid`)
LIST
  else
    cat <<'LIST'
.*, with its check#its checks can be made by anybody
(event|checkpoint): "(mac|key_id)" changed#a signature where nothing is signed
meta (recovered|last_session|inventory|uuid): a row taken away#an inventory that is gone
timeline: .*rows of (twin|other).*#rows of another store that fit as they are
LIST
  fi
  echo '(event|checkpoint): "row" changed#in which order rows lie in the file'
}
said=$(tr -s '\n ' '  ' <"$root/SECURITY.md")

# campaign: a part of it, another one with each commit.
campaign() {
  local pattern words unknown
  rm -rf stores && mkdir stores
  makes kept && makes twin
  cp kept.db twin.db stores && cp kept-older.db stores/older.db
  (CKRUN_KEY=${CKRUN_KEY:+$(key)} makes other) >/dev/null 2>&1
  cp other.db stores
  "$table" stores "${TABLE_EVERY:-5}" "$("$root/tests/turn.sh")" >told 2>why
  is "$kind: attacks were made" "$?$(cat why)" 0
  ok "$kind: and found" test "$(sed -n 's/^found\t//p' told)" -gt 100
  unknown=$(sed -n 's/^unfound\t//p' told | sort -u)
  while IFS='#' read -r pattern words; do
    has "$kind: SECURITY.md says: $words" "$said" "$words"
    unknown=$(grep -vxE -- "$pattern" <<<"$unknown")
  done < <(known)
  is "$kind: each other one is found" "$unknown" ""
}
kind="with a key"
export CKRUN_KEY=$(key)
campaign
kind="without a key"
export CKRUN_KEY=
campaign
finish
