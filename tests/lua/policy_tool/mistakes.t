#!/bin/bash
# mistakes.t - what a policy's author gets wrong is told by check and test, with its place, and not
# only by a session: answers that do not last, words for verdicts, changes that are lost, tests that
# are none.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

# asks NAME HOOK BODY ASKED: a policy, and a test that asks it.
asks() {
  printf '%s\n' "return { name = \"$1\", version = 1," "$2 = function($3) $4 end }" >"$1.lua"
  printf '%s\n' 'local test = require "ck.test"' "local policy = test.policy \"./$1.lua\"" \
    "return { test_it = function() $5 end }" >"$1_test.lua"
}

# ---- what redact answers is asked about again ----
item='policy.redact { key = "memory.who", value = "Ann" }'
asks grows redact item 'if type(item.value) == "string" then return item.value .. "!" end' "$item"
again="it changes that again; leave what is masked as it is"
exits 1 "policy test: an answer that would change again" policy test grows.lua
has "tells it with file and line" "$out" \
  "grows.lua:2: asked about the text that it had made of the item, $again"
exits 1 "policy check" policy check ./grows.lua
has "tells it, too" "$out$err" "$again"
asks lasts redact item 'return ck.mask(item.value, "Ann")' "$item"
exits 0 "one that lasts passes" policy test lasts.lua
exits 0 "both" policy check ./lasts.lua
asks word redact item 'if item.key == "memory.who" then return "mask" end' "$item"
exits 1 "a verdict's name as a text" policy test word.lua
has "is not taken for the verdict" "$out" \
  'the answer is the text "mask": ck.mask expected, without quotes'

# ---- migrate ----
moved='policy.migrate({ ["memory.a"] = { 1, { b = 2 } } }, 1, 2)'
asks lost migrate document 'document["memory.a"][2].b = 3' "$moved"
exits 1 "a document that is changed in place, and nil" policy test lost.lua
has "is told" "$out" "the answer is nil, which leaves it as it is: return the document"
asks gone migrate document 'document["memory.a"] = nil' "$moved"
exits 1 "so is one from which a key is taken" policy test gone.lua
asks more migrate document 'document["memory.b"] = 1' "$moved"
exits 1 "or added" policy test more.lua
asks kept migrate document 'document["memory.a"][1] = document["memory.a"][1]' "$moved"
exits 0 "what is as it was may be nil" policy test kept.lua

# ---- files of tests ----
mkdir tests
cat >tests/b_test.lua <<'END'
return { test_b = function() end }
END
echo 'return {}' >tests/a_test.lua
exits 1 "a folder with a file without tests" policy test tests
has "tells that" "$out" "tests/a_test.lua: there is no function test_* in its table"
has "and runs the others" "$out" "ok 2 - tests/b_test.lua: test_b"
rm tests/a_test.lua
cat >tests/c_test.lua <<'END'
return { test_c = function() end, tset_d = function() error "never" end,
  helper = function() end, t = 7 }
END
exits 1 "a function that is no test" policy test tests/c_test.lua
has "is told" "$out" "'tset_d' is a function: a test is a function whose name begins with test_"
echo 'return { test_c = 7 }' >tests/c_test.lua
exits 1 "a test that is no function" policy test tests/c_test.lua
has "is told, too" "$out" "'test_c' is a number: a test is a function"

# ---- what check asks ----
# kinds HOOK EXPRESSION: the values that the hook meets, by a policy that fails at each once.
kinds() {
  local kind
  for kind in $3; do
    printf '%s\n' 'return { name = "k", version = 1,' \
      "$1 = function(of) if $2 == \"$kind\" then error \"met\" end end }" >k.lua
    exits 1 "check asks $1 about $kind" policy check ./k.lua
    has "which is met" "$out$err" "k.lua:2: met"
  done
}
kinds in_doubt of.kind "model tool exec agent sleep ask read"
kinds redact of.kind "message outcome intent delegation note"

# ---- the template of redact masks in events, too ----
exits 0 "a new policy that redacts" policy new mine --hook redact
exits 0 "its test passes" policy test mine.lua
exits 0 "and it has no problem" policy check ./mine.lua
echo "card 4111-1111-1111-1111" >card.txt
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "say", nodes = {
  say = flow.exec { argv = { "cat", "card.txt" } },
  keep = flow.lua(function(ctx) ctx.memory.card = 4 end) },
  edges = { say = "keep", keep = flow.done } }
END
exits 0 "a run under it" run flow.lua --policy ./mine.lua --session mine
ok "what a program says of a card is in no file" test -z "$(grep -rla "4111-1111" store*)"

# ---- print ----
asks talk checkpoint _ 'print("a", 1)' 'policy.checkpoint {}'
exits 0 "print of several values" policy test talk.lua
has "has spaces between them" "$err" "talk.lua:2: a  1"
finish
