#!/bin/bash
# explain_redact.t - each event says which policy took something out of it or of a key, by which
# rule and where, and never what; policy explain tells it in words.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >names.lua <<'E'
return { name = "names", version = 2,
  redact = function(item) return ck.mask(item.value, "Ada|Bob") end }
E
cat >keys.lua <<'E'
return { name = "keys", version = 1, redact = function(item)
  if item.key == "memory.card" then return ck.mask end
  if item.key == "memory.gone" then return ck.drop end
  if item.key == "memory.key" then return ck.ref "env:TOKEN_OF_TEST" end
  if item.kind == "session_started" and item.value.input then return ck.mask end
end }
E
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.lua(function(ctx)
      ctx.memory.who = { name = "Ada", list = { "Eve", "Bob" }, many = ctx.memory.who }
      ctx.memory.card, ctx.memory.gone, ctx.memory.key = ("41"):rep(9), ("un"):rep(9), "tok-en"
    end),
    b = flow.lua(function(ctx)
      ctx.memory.plain = "nothing"
      if not ctx.memory.go then ctx.pause("Bob must look") end
    end) },
  edges = { a = "b", b = flow.done } }
E
echo 'return { name = "p", policies = { "every_boundary", "./names.lua", "./keys.lua" } }' >p.lua
export TOKEN_OF_TEST=tok-en
exits 8 "a session whose policies mask" run flow.lua --profile p.lua --session one

# seq KIND [NODE]: of its event. body SEQ: its body.
log() { "$CKRUN" --json sessions log one --all "$@"; }
seq() {
  log --kind "$1" | grep -F "${2:+\"kind\":\"$2\"${3:+,\"node\":\"$3\"}}" | head -1 |
    sed 's/.*"seq":\([0-9]*\),.*/\1/'
}
body() { json "$(log | grep "\"seq\":$1,")" "\$d->{body}{$2}"; }
after_a=$(seq boundary node_complete a) paused=$(seq session_paused)

# ---- what is recorded ----
is "the boundary behind the keys has policy and rule of each, with the places of texts" \
  "$(body "$after_a" redacted_keys)" "$(printf '[%s,%s,%s,%s]' \
    '{"key":"memory.card","mask":[2]}' '{"drop":[2],"key":"memory.gone"}' \
    '{"key":"memory.key","ref":[2]}' '{"key":"memory.who","paths":["list[1]","name"],"texts":[1]}')"
is "an event has that of its own content" "$(body "$paused" redacted)" \
  '{"paths":["reason"],"texts":[1]}'
is "and no other boundary anything" "$(log --kind boundary | grep -c redacted_keys)" 1
ok "nothing that was taken out is in a file of the store" bash -c \
  '! grep -rqE "(41){9}|(un){9}" store'

# ---- in words ----
exits 0 "the boundary" policy explain one "$after_a"
is "says who masked what" "$(grep ^policy <<<"$out")" \
  "$(printf 'policy %s\n' 'keys masked memory.card' 'keys dropped memory.gone' \
  'keys put a reference in the place of memory.key' \
  'names masked texts of memory.who: list[1], name')"
exits 0 "the end" policy explain one "$paused"
is "says the same of its reason, and who left it" "$(grep -v took <<<"$out")" \
  "event $paused, session_paused
policy names masked texts of content: reason
policy keys left what it was shown as it is"
ok "how long that took is no question's time" grep -qE '^looking through it took [0-9.]+ ' <<<"$out"
exits 0 "all" policy explain one
has "a boundary's row has it behind the checkpoint's answers" "$(grep -P "^$after_a\t" <<<"$out")" \
  "every_boundary: node_complete; keys masked memory.card; keys dropped memory.gone; "
is "the event has a row" "$(grep -P "^$paused\t" <<<"$out" | cut -f 2,6)" \
  "$(printf 'session_paused\tnames masked texts of content: reason')"
exits 0 "as JSON" --json policy explain one "$after_a"
is "the same" "$(json "$out" '$d->{redacted}')" "$(printf '[%s,%s,%s,%s]' \
  '{"key":"memory.card","policy":"keys","rule":"mask"}' \
  '{"key":"memory.gone","policy":"keys","rule":"drop"}' \
  '{"key":"memory.key","policy":"keys","rule":"ref"}' \
  '{"key":"memory.who","paths":["list[1]","name"],"policy":"names","rule":"texts"}')"
exits 0 "the end as JSON" --json policy explain one "$paused"
is "has who was asked, too" \
  "$(json "$out" '[$d->{redacted}, [map { "$_->{policy} $_->{answer}" } @{$d->{answers}}]]')" \
  "$(printf '[%s,%s]' '[{"paths":["reason"],"policy":"names","rule":"texts"}]' \
    '["names left","names texts","keys left"]')"

# ---- behind a resume ----
exits 0 "it goes on" resume one --set go=true
exits 0 "its boundaries" policy explain one
is "what was masked before has its row once, and nothing is masked again" \
  "$(grep -c 'memory.card' <<<"$out")" 1
exits 0 "the store is sound" store verify

# ---- several policies; many texts; a start ----
cat >first.lua <<'E'
return { name = "first", version = 1,
  redact = function(item) if item.key == "memory.both" then return ck.mask end end }
E
cat >second.lua <<'E'
return { name = "second", version = 1, redact = function(item)
  if item.key == "memory.both" then return ck.drop end
  if item.key == "memory.many" then return ck.mask(item.value, "x") end
end }
E
cat >third.lua <<'E'
return { name = "third", version = 1,
  redact = function(item) if item.key == "memory.both" then return ck.mask end end }
E
cat >many.lua <<'E'
return require("ck.flow").lua(function(ctx)
  ctx.memory.both = "here"
  ctx.memory.many = { "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "y" }
end)
E
echo 'return { name = "m", policies = { "./first.lua", "./second.lua", "./third.lua" } }' >m.lua
run run many.lua --profile m.lua --session many
keys=$("$CKRUN" --json sessions log many --all --kind boundary | grep redacted_keys | head -1)
is "each policy that said something has its rule; who was not asked any more has none" \
  "$(json "$keys" '$d->{body}{redacted_keys}[0]')" '{"drop":[1],"key":"memory.both","mask":[0]}'
is "of many texts eight places are told, and how many more" \
  "$(json "$keys" '[map { $_->{more}, scalar @{$_->{paths}} } $d->{body}{redacted_keys}[1]]')" \
  '[2,8]'
run run flow.lua --profile p.lua --session start --input '{"input":"Ada waits"}'
is "the first event has what was taken out of its input: texts, then all that was left" \
  "$(json "$("$CKRUN" --json sessions log start | head -1)" '$d->{body}{redacted}')" \
  '{"mask":[2],"texts":[1]}'

# ---- a sealed store ----
"$CKRUN" key new k >/dev/null 2>&1
sealed="--store sqlite:sealed.db --key file:k"
run $sealed run flow.lua --profile p.lua --session one
exits 0 "a sealed store" $sealed policy explain one
has "tells the same" "$out" "keys masked memory.card"
ok "and no key's name to others" bash -c '! grep -q "memory.gone" sealed.db sealed.db-wal'
finish
