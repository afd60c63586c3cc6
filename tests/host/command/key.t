#!/bin/bash
# key.t - a store with a key: no message is readable in its files, every command works with the key
# and none without.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
export CKRUN_STORE=sqlite:$dir/s.db
unset CKRUN_KEY
key() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
(umask 077 && key >key && key >other)

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "kept", start = "a",
  nodes = {
    a = flow.lua(function(ctx)
      ctx.memory.word = "canaryvalue" .. string.rep(" and more", 200)
      ctx.facts.put("capital", "canaryfact")
    end),
    b = flow.exec { argv = { "printf", "canaryoutput" } },
    c = flow.ask { question = "canaryquestion?" },
  },
  edges = { a = "b", b = "c", c = flow.done },
}
END
printf 'return { name = "every", policies = { "every_boundary" } }\n' >every.lua
canaries() { cat s.db s.db-wal s.db-shm 2>/dev/null | grep -aoE 'canary[a-z]*' | sort -u | \
  tr '\n' ' '; }

exits 8 "without a key" run flow.lua --profile every.lua --session plain --input \
  '{"topic":"canaryinput"}'
is "all of it is there to be read" "$(canaries)" \
  "canaryfact canaryinput canaryoutput canaryquestion canaryvalue "
refused 7 "a key that it does not have" "has no key" --key file:key sessions list
rm -rf s.db*

exits 8 "with a key" --key file:key run flow.lua --profile every.lua --session one --input \
  '{"topic":"canaryinput"}'
is "nothing is" "$(canaries)" ""
has "how to go on names where the key is" "$out" "ckrun --key file:key resume one"
refused 4 "without the key" "is sealed with the key" sessions list
has "what to do is told" "$err" "CKRUN_KEY"
refused 4 "with another one" "the key given by file:other is" --key file:other sessions list
refused 4 "a file that is not there" "file:none cannot be opened" --key file:none sessions list
refused 2 "the key itself" "never the key itself" --key "$(cat key)" sessions list
ok "which is not repeated" test -z "$(grep -F "$(cat key)" <<<"$out$err")"
(umask 077 && head -c 20 key >short)
export CKRUN_KEY=file:key
refused 2 "a reference in the variable" \
  "holds a reference, file:…, where the 64 hex digits of a key belong: a reference is given as" \
  sessions list
unset CKRUN_KEY
refused 2 "a key that is too short" "file:short holds 20 characters" --key file:short sessions list
cp key open && chmod 644 open
refused 5 "a file that others can read" "chmod 600" --key file:open sessions list
export CKRUN_KEY=$(cat key)
exits 0 "the key from the environment" sessions list
has "shows the session" "$out" "one"
has "and why it waits" "$out" "canaryquestion"
for command in "sessions show one" "sessions log one" "sessions checkpoints one" \
  "sessions inspect one" "store verify" "store stats" "sessions export one --format cassette" \
  "sessions fork one --session two" "sessions tail one main" "answer one canaryanswer" \
  "resume one" "sessions prune one --keep 1" "sessions fork one --session three" \
  "sessions delete one --detach" "resume three --dry-run"; do
  run $command
  case "$command" in *dry-run | "sessions tail"* | \
    "sessions delete"*) ok "$command" test "$code" -ne 7 ;; *) is "$command" "$code" 0 ;; esac
done
exits 0 "all is well" store verify
exits 0 "what is asked for" --json sessions inspect two
is "is signed" "$(json "$out" 'length $d->{signature}')" 64
is "nothing is readable after all that" "$(canaries)" ""

# Keys are made, listed and changed.
unset CKRUN_KEY
exits 0 "a key is made" key new fresh
id=$out
is "for its owner alone" "$(stat -c %a fresh) $(wc -c <fresh)" "600 65"
ok "its id is none of it" test -z "$(grep -F "$id" fresh)"
refused 5 "nothing is written over" "is there already" key new fresh
is "nor was it" "$("$CKRUN" --key file:fresh sessions list 2>&1 | \
  grep -c "given by file:fresh is $id")" 1
exits 0 "the keys of a store are listed without one" --json key list
is "all rows have one" "$(json "$out" '$d->{state}')" current
old=$(json "$out" '$d->{key}')
refused 2 "a change needs a new one" "--new-key" --key file:key key rotate
refused 4 "and the old one" "is sealed with the key $old" key rotate --new-key file:fresh
refused 4 "not another one" "the key given by file:other is" --key file:other key rotate --new-key \
  file:fresh
exits 0 "it is changed" --key file:key key rotate --new-key file:fresh
is "to the new one" "$out" "$id"
refused 4 "the old one does not open it any more" "is sealed with the key $id" --key file:key \
  sessions list
exits 0 "the new one does" --key file:fresh store verify
run key list
is "no row has the old one" "$(grep -c "$old" <<<"$out") $(grep -c "$id.*current" <<<"$out")" "0 1"
exits 0 "once is enough" --key file:key key rotate --new-key file:fresh
has "which is told" "$err" "already"
cp s.db good.db && sqlite3 s.db "UPDATE event SET at_ms = 1 WHERE seq = 2" &&
  rm -f s.db-wal s.db-shm
refused 7 "a store that is not whole keeps its key" "nothing was changed" --key file:fresh key \
  rotate --new-key file:key
cp good.db s.db && rm -f s.db-wal s.db-shm
refused 2 "a store in memory" "cannot be changed" --store memory: key rotate --new-key file:key
exits 0 "back again" --key file:fresh key rotate --new-key file:key
export CKRUN_KEY=$(cat key)

# Settings of a profile.
unset CKRUN_KEY
export CKRUN_STORE=sqlite:$dir/p.db
pcanaries() { cat p.db p.db-wal 2>/dev/null | grep -aoE 'canary[a-z]*' | sort -u | tr '\n' ' '; }
mkdir profiles && (umask 077 && cp key profiles/store.key)
printf 'return { name = "must", extends = "default", encrypt = true }\n' >profiles/must.lua
printf 'return { name = "has", extends = "default", encrypt = true, key = "file:store.key" }\n' \
  >profiles/has.lua
cat >profiles/signs.lua <<'END'
return { name = "signs", extends = "default", policies = { "every_boundary" }, encrypt = false }
END
refused 4 "a profile that wants its sessions encrypted, and no key" "encrypt = true" run flow.lua \
  --profile profiles/must.lua --session one
is "nothing was made" "$(ls p.db* 2>/dev/null)" ""
exits 8 "a profile that says where the key is" run flow.lua --profile profiles/has.lua --session \
  one --input '{"topic":"canaryinput"}'
is "its session is encrypted" "$(pcanaries)" ""
has "the key is named to whoever goes on" "$out" "store.key resume one"
export CKRUN_KEY=$(cat key)
exits 8 "which takes it from anywhere" resume one
exits 8 "one that wants it not" run flow.lua --profile profiles/signs.lua --session two --input \
  '{"topic":"canaryinput"}'
is "can be read" "$(pcanaries)" "canaryfact canaryinput canaryoutput canaryquestion canaryvalue "
exits 0 "and is whole" store verify
is "all of it is signed" "$(sqlite3 p.db \
  "SELECT count(*) FROM event WHERE mac IS NULL OR key_id IS NULL")" 0
exits 0 "answered" answer two canaryanswer
exits 0 "it goes on" resume two
exits 0 "whole again" store verify
exits 0 "its key can be changed" key rotate --new-key file:other
exits 0 "and it is whole still" --key file:other store verify
sqlite3 p.db "UPDATE event
  SET body = CAST(replace(CAST(body AS TEXT), 'node_start', 'node_begin') AS BLOB)
  WHERE encoding = 0"
exits 7 "nobody changes it unnoticed" --key file:other store verify
CKRUN_KEY= CKRUN_STORE=sqlite:$dir/q.db run run flow.lua --session plain
CKRUN_KEY= CKRUN_STORE=sqlite:$dir/q.db run resume plain --profile profiles/must.lua
is "a session that was begun without a key is not gone on with by a profile that wants one" \
  "$code" 5
export CKRUN_STORE=sqlite:$dir/s.db

# The key is a secret like others: output has a placeholder for it.
cat >tells.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "tells", start = "a",
  nodes = { a = flow.exec { argv = { "cat", "key" }, writes = { "told" } } },
  edges = { a = flow.done } }
END
run run tells.lua --session tells
run sessions log tells
ok "a tool that reads the key's file does not get it into the log" test -z \
  "$(grep -F "$CKRUN_KEY" <<<"$out$err")"
run --json sessions inspect tells
ok "nor into the state" test -z "$(grep -F "$CKRUN_KEY" <<<"$out$err")"
cat >env.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "e", start = "a",
  nodes = { a = flow.exec { argv = { "env" } } }, edges = { a = flow.done } }
END
exits 0 "a child's environment" run env.lua --session env
run --json sessions log env
ok "has no key" test -z "$(grep CKRUN_KEY <<<"$out")"

echo "1..$checks"
[ "$failed" = 0 ]
