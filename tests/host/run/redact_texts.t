#!/bin/bash
# redact_texts.t - a policy replaces parts of texts before anything is written; what models and
# tools are given of it, in the run itself and behind a resume.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/models.sh"
cd "$dir" || exit 1
n=0

cat >names.lua <<'END'
return { name = "names", version = 1, options = { names = { "Ada Lovelace", "Bob" } },
  redact = function(item, opt)
    local value = ck.mask(item.value, "\\b\\d{4}-\\d{4}\\b")
    for _, name in ipairs(opt.names) do value = ck.mask(value, "\\Q" .. name .. "\\E") end
    return value
  end }
END
printf '#!/bin/sh\necho "card 4111-1111 of Ada Lovelace, 3 orders"\n' >look.sh
cat >pay.sh <<END
#!/bin/sh
read -r line; printf '%s\n' "\$line" >>"$dir/paid"
kill -9 \$PPID
sleep 60
END
chmod +x look.sh pay.sh
cat >flow.lua <<END
local flow = require "ck.flow"
return flow.agent { name = "clerk", prompt = "You serve Bob.", tools = {
  look = flow.command { argv = { "$dir/look.sh" }, class = "pure" },
  pay = flow.command { argv = { "$dir/pay.sh" }, class = "pure" } } }
END
serve clerk <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"calls":[{"name":"pay","arguments":{"to":"Ada Lovelace","usd":7}}]}}
{"answer":{"text":"Ada Lovelace was not paid."}}
END
profile names.profile.lua 'policies = { "tool_rounds", "./names.lua" }'
# hide: each mask by its length alone, so that what stands around it is read.
hide() { sed -E 's/\[redacted:policy:[0-9a-f]{12}\]/#/g'; }

# ---- in the run itself ----
exits 137 "an agent whose tool kills the run" run flow.lua --profile ./names.profile.lua \
  --session work --input '"Help Bob with 4111-1111"'
is "its model is sent the conversation as it is stored: prompt and task" \
  "$(request clerk 1 'join "|", map { $_->{content} } @$m' | hide)" "You serve #.|Help # with #"
is "and what a tool gave" "$(request clerk 2 '$m->[3]{content}' | hide)" \
  "card # of #, 3 orders"
is "the same text has the same mask" "$(request clerk 2 \
  'join "|", map { $_->{content} =~ /(?:card|with) (\S+?)(?: of|$)/ } @$m[1, 3]' |
  awk -F'|' '{ print ($1 == $2 && $1 ~ /^\[redacted:policy:/) }')" 1
ok "which nothing can be guessed by: a store without a key has no fingerprints" test -z \
  "$(grep -oE 'redacted:policy:[0-9a-f]{12}' clerk.log | grep -v ':0\{12\}$')"
is "a tool is called with what the model said" "$(json "$(cat paid)" '$d->{arguments}')" \
  '{"to":"Ada Lovelace","usd":7}'
# The policy names its names, and is kept with the session; the card is nobody's but the tool's.
ok "what a tool gave is in no file of the store" test -z "$(grep -rla 4111-1111 store)"
has "numbers stay, and the text around" "$("$CKRUN" sessions log work --all | hide)" \
  'pay {"to":"#","usd":7}'

# ---- behind a resume: what was masked is gone ----
exits 0 "it is resumed" resume work
is "the tool is not called with a mask" "$(wc -l <paid | tr -d ' ')" 1
has "its model is told why" "$(request clerk 3 '$m->[-1]{content}')" \
  "its arguments held a secret that was not stored"
is "the rest of the conversation is the same, to the byte" \
  "$(request clerk 3 '[@$m[0 .. 3]]')" "$(request clerk 2 '[@$m[0 .. 3]]')"
ok "still nothing is in a file" test -z "$(grep -rla 4111-1111 store)"
exits 0 "the store is sound" store verify

# ---- memory: the flow has it in the run, the mask behind a resume ----
cat >memory.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "learn", nodes = {
  learn = flow.lua(function(ctx) ctx.memory.who = { "Bob", 1.50, { card = "4111-1111" } } end),
  tell = flow.lua(function(ctx)
    ctx.memory.told = ctx.memory.who[1] == "Bob"
    ctx.pause("wait")
    return ctx.memory.who
  end) }, edges = { learn = "tell", tell = flow.done } }
END
cat >graph.profile.lua <<'END'
return { name = "g", extends = "graph", policies = { "every_boundary", "./names.lua" } }
END
exits 8 "a flow that keeps a name" run memory.lua --profile ./graph.profile.lua --session memory
has "it is stored masked within its value, number and shape as they were" \
  "$("$CKRUN" sessions inspect memory 2>/dev/null | hide)" '["#",1.5,{"card":"#"}]'
exits 0 "resumed" --json resume memory
is "the flow gets the masks" "$(json "$out" '$d->{result}' | hide)" '["#",1.5,{"card":"#"}]'

# ---- what a node failed of is told by the boundary behind it, masked ----
cat >fails.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "find", nodes = {
  find = flow.lua { on_error = "rest",
    run = function() error("no card 5500" .. "-2200 of Bob") end },
  rest = flow.lua(function() end) }, edges = { find = flow.done, rest = flow.done } }
END
exits 0 "a node fails of what a policy masks, another one goes on" run fails.lua \
  --profile ./graph.profile.lua --session fails
is "its boundary says so with masks" "$("$CKRUN" --json sessions log fails --kind boundary |
  perl -MJSON::PP -ne '$b = decode_json($_)->{body}; print $b->{last_error} =~ /(no card.*)/
    if $b->{last_error}' | hide)" "no card # of #"
ok "what it failed of is in no file" test -z "$(grep -rla 5500-2200 store)"

# ---- fail closed ----
for body in 'item.value .. "!"' '{ item.value }' '7' 'ck.mask(item.value, "(")'; do
  name=closed$((++n))
  echo "return { name = \"p$n\", version = 1, redact = function(item)" \
    "if item.key == \"memory.who\" then return $body end end }" >"$name.lua"
  sed "s/{ \"Bob\".*} end/\"Bob\" .. \" of 4111\" end/" memory.lua >"$name.flow.lua"
  exits 5 "$body: an answer of another shape" run "$name.flow.lua" --policy "./$name.lua" \
    --session "$name"
  has "is told" "$err" "policy \"p$n\", redact: "
  ok "and nothing of the item is written" test -z "$(grep -rla 'Bob of' store)"
done

# ---- what policies are not shown is not written either ----
cat >long.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "cat", "long.txt" }, output_max = 50 }
END
(echo Rosebud-99; seq 1 1000; echo Rosebud-98) >long.txt
cat >buds.lua <<'END'
return { name = "buds", version = 1, redact = function(item)
  return ck.mask(item.value, "Rosebud-\\d+") end }
END
exits 0 "a program with a long output, under a policy" --json run long.lua --policy ./buds.lua \
  --session long
has "keeps no file of it, and says why" "$out" '"spill_lost":"a policy of your own masks'
ok "nor is any of it in a file" test -z "$(grep -rlaE 'Rosebud-9[89]' store*)"
exits 0 "without one" --json run long.lua --session longer
has "there is one" "$out" '"spill":{'
exits 0 "nor is it withheld for a shipped one, which masks keys" --json run long.lua \
  --policy redact_keys --session longest
has "whose outputs are kept as they are" "$out" '"spill":{'

# ---- what a hook says of its failure can be what it was to mask ----
cat >telling.lua <<'END'
return { name = "telling", version = 1, redact = function(item)
  if item.key == "memory.who" then error("cannot parse " .. item.value) end end }
END
cat >mistaken.lua <<'END'
return { name = "mistaken", version = 1, redact = function(item)
  if item.key == "memory.who" then return ck.mask(item.value, item.value .. "(") end end }
END
cat >endless.lua <<'END'
return { name = "endless", version = 1, redact = function(item)
  while item.key == "memory.who" do end end }
END
sed 's/{ "Bob".*} end/"Rosebud-77" end/' memory.lua >secret.flow.lua
sed 's/"Rosebud-77"/"Rose" .. "bud-77"/' secret.flow.lua >whole.flow.lua
for policy in telling mistaken endless; do
  exits 5 "$policy" run whole.flow.lua --policy "./$policy.lua" --session "$policy"
  has "it is told where it failed" "$err" "policy \"$policy\", redact: $dir/$policy.lua:"
  is "and not of what" "$(grep -c 'Rosebud-77' <<<"$out$err$("$CKRUN" sessions show "$policy")")" 0
  ok "nor is that in a file of the store" test -z "$(grep -rla 'Rosebud-77' store)"
done
has "what ckrun says itself of a spent budget stays" "$err" "the budget of"
finish
