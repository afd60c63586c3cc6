#!/bin/bash
# word_samples.t - policy check and bench try a policy on subjects with the words that its options
# have: what goes wrong of a listed tool alone is found, under --option and a profile's, too.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

# fails HOOK PARAMETERS CONDITION: a policy that goes wrong where the condition holds.
fails() {
  printf '%s\n' 'return { name = "p", version = 1,' \
    '  options = { tools = { "zz1", "zz2" }, mode = "zz3", keys = { zz4 = "mask" }, none = {} },' \
    "  $1 = function($2)" "    if $3 then error(\"met\") end" '  end }' >p.lua
}
found() {
  fails "$1" "$2" "$3"
  exits 1 "policy check: $1, $3" policy check ./p.lua
  has "is met" "$out" "p.lua:4: met"
}
found permit effect 'effect.tool == "zz1"'
found permit effect 'effect.tool == "zz2" and effect.arguments.q'
found permit "effect, at" 'at.next.tool == "zz3"'
found permit effect 'effect.untrusted[1] == "zz1"'
found in_doubt effect 'effect.tool == "zz4"'
found on_failure failure 'failure.tool == "zz1" or failure.node == "zz9"'
found checkpoint at 'at.next.tool == "zz2"'
found checkpoint at 'at.calls and at.calls[1].tool == "zz1"'
found checkpoint at 'at.tools[1] and at.tools[1].tool == "zz3"'
found tail "event, agent" 'agent == "zz3"'
found redact item 'item.kind == "message" and item.value.message.content == "zz2"'
fails permit effect 'effect.tool == "other"'
exits 0 "another word" policy check ./p.lua
exits 1 "is tried where the options have it" policy check ./p.lua --option 'tools=["other"]'
echo "return { name = 'q', policies = { { './p.lua', tools = { 'other' } } } }" >q.lua
exits 1 "and where a profile sets it" profile check ./q.lua
has "is told with its options" "$err" 'p.lua:4: met (with options {"tools":["other"]})'
fails permit effect 'effect.tool == "zz1"'
exits 1 "policy bench" policy bench ./p.lua --calls 10
is "counts the sample that fails" "$(cut -f 6 <<<"$out")" 1
printf '%s\n' 'local l = {}' 'for i = 1, 300 do l[i] = "w" .. i end' \
  'return { name = "p", version = 1, options = { tools = l }, permit = function() end }' >p.lua
exits 0 "of many words some" policy check ./p.lua
exits 0 "are measured" --json policy bench ./p.lua --calls 10
is "eight" "$(json "$out" '$d->{hooks}[0]{samples}')" 12
finish
