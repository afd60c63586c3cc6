#!/bin/bash
# tamper_table.t - each column of each table changed, with the check that anybody can make and
# without; each row taken away, doubled, put in from the same store before, from another one and
# from one with another key; tables set back one by one and in pairs: `store verify` finds it, or it
# is one of those that stand here, with the words of SECURITY.md that say so. One list for a store
# in a file and one in a server.
. "$(dirname "$0")/../host/tap.sh"
. "$(dirname "$0")/../host/postgres.sh"

table=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper_table
cd "$dir" || exit 1
export CKRUN_COUNTERS=off
key() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
begin_server

# ---- where stores are, and what is kept of one ----
in_file() { [ "$where" = file ]; }
begin_store() {
  export CKRUN_STORE=sqlite:$dir/s.db
  in_file && { rm -rf s.db*; return; }
  export CKRUN_STORE="$server&schema=main"
  schema=public ask "DROP SCHEMA IF EXISTS main CASCADE" 2>/dev/null
}
rest() { sqlite3 s.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; }
# keep NAME: the store as it is. In a server that is its tables, but for `main` itself.
keep() {
  in_file && { rest && cp s.db "stores/$1.db"; return; }
  schema=public ask "DROP SCHEMA IF EXISTS $1 CASCADE; CREATE SCHEMA $1;
    DO \$\$ DECLARE t name; BEGIN
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'main' LOOP
    EXECUTE format('CREATE TABLE $1.%I AS TABLE main.%I', t, t); END LOOP; END \$\$" 2>/dev/null
}
place() { in_file && echo stores || echo "$server"; }

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

# makes NAME: a store with sessions of every sort; older is what the last one was before their ends.
makes() {
  local sealed=false
  [ -z "$CKRUN_KEY" ] || sealed=true
  begin_store
  for name in one two; do
    exits 8 "$kind, $1: session $name" run flow.lua --profile every.lua --session $name \
      --input '{"word":"given"}'
  done
  exits 137 "$kind, $1: one that dies" run dies.lua --profile every.lua --session dead \
    --input "{\"program\":\"$CKRUN\",\"store\":\"$CKRUN_STORE\",\"sealed\":$sealed}"
  exits 0 "$kind, $1: a fact" facts set lake Como
  keep older
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
  keep "$1"
}

# What verify does not find, and the words of SECURITY.md that say so.
known() {
  if in_file; then known_in_file; else known_in_server; fi
}
known_in_file() {
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
known_in_server() {
  cat <<'LIST'
(pin|fact|request): .*#a pin, a fact or a request, changed, set back or taken away
(meta|pin|fact|request), (pin|fact|request|blob|blob_use|output)(, meta)?: set back#some of these
session: "[a-z_]*" (changed|emptied)#what a session's row, its runs
session: (a row|all rows) taken away#a session that is taken away as a whole
head: ("(session|seq)" changed|(a row|all rows) taken away)#a head that is taken
timeline: "(about|attempt|cut|run|parent_run)" (changed|emptied)#its runs and its files say
blob: "kind" changed#its runs and its files say
lease: .*#who runs a session and until when (`lease`)
meta serving: .*#since when the server serves (`serving`)
LIST
  [ -z "$CKRUN_KEY" ] || return
  cat <<'LIST'
meta fingerprint_key: "value" changed#a store in PostgreSQL without a key
(meta|session|timeline): .*rows of (twin|other).*#a store in PostgreSQL without a key
(event|checkpoint): "(mac|key_id)" changed#a signature where nothing is signed
LIST
}
said=$(tr -s '\n ' '  ' <"$root/SECURITY.md")

# campaign: a part of it, another one with each commit.
campaign() {
  local pattern words unknown
  rm -rf stores && mkdir stores
  (CKRUN_KEY=${CKRUN_KEY:+$(key)} makes other) >/dev/null 2>&1
  makes twin && makes kept
  "$table" "$(place)" "${TABLE_EVERY:-$every}" "$("$root/tests/turn.sh")" >told 2>why
  is "$kind: attacks were made" "$?$(cat why)" 0
  ok "$kind: and found" test "$(sed -n 's/^found\t//p' told)" -gt "$least"
  unknown=$(sed -n 's/^unfound\t//p' told | sort -u)
  while IFS='#' read -r pattern words; do
    has "$kind: SECURITY.md says: $words" "$said" "$words"
    unknown=$(grep -vxE -- "$pattern" <<<"$unknown")
  done < <(known)
  is "$kind: each other one is found" "$unknown" ""
}
# both PLACE EVERY LEAST: with a key and without; of the attacks of a turn LEAST are found.
both() {
  local where=$1 every=$2 least=$3
  kind="$where, with a key"
  export CKRUN_KEY=$(key)
  campaign
  kind="$where, without a key"
  export CKRUN_KEY=
  campaign
}
both file 5 100
if has_server; then
  both server 25 5 8<&- 9>&-
else
  skip "in a server: ${server#skip: }"
fi
finish
