#!/bin/bash
# key.t - a store with a key: nothing that was said is readable in its files, every command works with the key and none without.
. "$(dirname "$0")/tap.sh"
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
canaries() { cat s.db s.db-wal s.db-shm 2>/dev/null | grep -aoE 'canary[a-z]*' | sort -u | tr '\n' ' '; }

exits 8 "without a key" run flow.lua --profile every.lua --session plain --input '{"topic":"canaryinput"}'
is "all of it is there to be read" "$(canaries)" "canaryfact canaryinput canaryoutput canaryquestion canaryvalue "
refused 7 "a key that it does not have" "has no key" --key file:key sessions list
rm -rf s.db*

exits 8 "with a key" --key file:key run flow.lua --profile every.lua --session one --input '{"topic":"canaryinput"}'
is "nothing is" "$(canaries)" ""
has "how to go on names where the key is" "$out" "ckrun --key file:key resume one"
refused 4 "without the key" "is sealed with the key" sessions list
has "what to do is told" "$err" "CKRUN_KEY"
refused 7 "with another one" "the key given by file:other is" --key file:other sessions list
refused 4 "a file that is not there" "file:none cannot be opened" --key file:none sessions list
refused 2 "the key itself" "never the key itself" --key "$(cat key)" sessions list
ok "which is not repeated" test -z "$(grep -F "$(cat key)" <<<"$out$err")"
(umask 077 && head -c 20 key >short)
refused 2 "a key that is too short" "file:short holds 20 characters" --key file:short sessions list
cp key open && chmod 644 open
refused 5 "a file that others can read" "chmod 600" --key file:open sessions list
export CKRUN_KEY=$(cat key)
exits 0 "the key from the environment" sessions list
has "shows the session" "$out" "one"
has "and why it waits" "$out" "canaryquestion"
for command in "sessions show one" "sessions log one" "sessions checkpoints one" "sessions inspect one" "store verify" "store stats" "sessions export one --format cassette" \
  "sessions fork one --session two" "sessions tail one main" "answer one canaryanswer" "resume one" "sessions prune one --keep 1" \
  "sessions fork one --session three" "sessions delete one --detach" "resume three --dry-run"; do
  run $command
  case "$command" in *dry-run | "sessions tail"* | "sessions delete"*) ok "$command" test "$code" -ne 7 ;; *) is "$command" "$code" 0 ;; esac
done
exits 0 "all is well" store verify
exits 0 "what is asked for" --json sessions inspect two
is "is signed" "$(json "$out" 'length $d->{signature}')" 64
is "nothing is readable after all that" "$(canaries)" ""

# The key is a secret like others: what prints it prints a placeholder.
cat >tells.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "tells", start = "a", nodes = { a = flow.exec { argv = { "cat", "key" }, writes = { "told" } } }, edges = { a = flow.done } }
END
run run tells.lua --session tells
run sessions log tells
ok "a tool that reads the key's file does not get it into the log" test -z "$(grep -F "$CKRUN_KEY" <<<"$out$err")"
run --json sessions inspect tells
ok "nor into the state" test -z "$(grep -F "$CKRUN_KEY" <<<"$out$err")"
printf 'local flow = require "ck.flow" return flow.graph { name = "e", start = "a", nodes = { a = flow.exec { argv = { "env" } } }, edges = { a = flow.done } }' >env.lua
exits 0 "a child's environment" run env.lua --session env
run --json sessions log env
ok "has no key" test -z "$(grep CKRUN_KEY <<<"$out")"

echo "1..$checks"
[ "$failed" = 0 ]
