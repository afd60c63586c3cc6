#!/bin/bash
# given_texts.t - what people and other processes give to a session passes its own profile's redact
# on every road into the store; where that cannot be asked, nothing is taken.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../mcp/client.sh"
cd "$dir" || exit 1
word=Zebulon42

cat >mask.lua <<'E'
return { name = "mask", version = 1,
  redact = function(item) return ck.mask(item.value, "Z[e]bulon\\d+") end }
E
# Asked about what one agent gives and is given alone; its list is asked about all that is written.
sed 's/name = "mask"/name = "own"/' mask.lua >own.lua
echo 'return { name = "p", extends = "default", policies = { "./mask.lua" } }' >p.lua
cat >agents.lua <<'E'
return { name = "q", extends = "default", policies = { "every_boundary" },
  agents = { alice = { policies = { "./own.lua" } } } }
E
cat >ask.lua <<'E'
local flow = require "ck.flow"
return flow.custom { name = "asks", run = function(ctx)
  if not ctx.position then
    ctx.boundary("tool_round", { position = { path = "begun#1" } })
  end
  local got = ctx.effect { kind = "ask", class = "idempotent",
    request = { question = "Who is it?" } }
  ctx.memory.said = got.result
  ctx.boundary("tool_round", { position = { path = "asked#1" } })
  return ctx.memory.said
end }
E
cat >facts.lua <<'E'
local flow = require "ck.flow"
return flow.custom { name = "facts", run = function(ctx)
  ctx.facts.guest = "Zebu" .. "lon42 came"
  return ctx.facts.guest
end }
E
write_flow once
cp flow.lua once.lua
write_flow idempotent

sed 's/ctx.facts.guest = .*/ctx.facts.put("Zebu" .. "lon42", 1)/' facts.lua >keyed.lua

# found: the files of the store that hold the word, and the outputs of the program that do.
shown() {
  local id one
  "$CKRUN" sessions list; "$CKRUN" --json sessions list; "$CKRUN" facts list
  "$CKRUN" --json facts list; "$CKRUN" facts get guest; "$CKRUN" facts get typed
  for id in $("$CKRUN" --json sessions list --limit 1000 | grep -o '"id":"[^"]*' | cut -c7-); do
    "$CKRUN" --json sessions log "$id" --all; "$CKRUN" sessions log "$id" --all
    "$CKRUN" sessions show "$id"; "$CKRUN" --json sessions show "$id"
    "$CKRUN" sessions checkpoints "$id"; "$CKRUN" --json sessions checkpoints "$id"
    "$CKRUN" --json sessions inspect "$id"; "$CKRUN" policy explain "$id" --all
    for one in html markdown; do
      "$CKRUN" sessions export "$id" --format $one -o "$dir/export.$one" --force
      cat "$dir/export.$one"
    done
  done
}
clear() { # ROAD: nothing so far holds the word
  is "$1: no file of the store holds it" \
    "$(grep -rlaF "$word" "$dir/store" 2>/dev/null | sed "s|$dir/||" | paste -sd' ')" ""
}
events() { "$CKRUN" --json sessions log "$1" --all; }
masks() { # ROAD SESSION KIND: the event has the mask, and says which policy's
  has "$1: the event has a mask" "$(events "$2" | grep "\"kind\":\"$3\"")" '[redacted:policy:'
}

# ---- at rest ----
for p in p agents; do
  exits 8 "$p: one that asks" run ask.lua --profile $p.lua --session "$p-answer"
  exits 0 "$p: answer" answer "$p-answer" "it is $word"
  clear "$p: answer"
  masks "$p: answer" "$p-answer" resolution
  exits 0 "$p: the resume takes it" resume "$p-answer"
  is "$p: the flow has the mask" "$(cell "$out" result | sed 's/:[0-9a-f]*]/]/')" \
    "it is [redacted:policy]"
  exits 8 "$p: another one" run ask.lua --profile $p.lua --session "$p-rest"
  exits 0 "$p: rewind" sessions rewind "$p-rest" --to first --report "$word was wrong"
  clear "$p: rewind --report"
  masks "$p: rewind --report" "$p-rest" message
  refused 5 "$p: fork --set" "a policy masks or drops it before it is stored" \
    sessions fork "$p-rest" --set "who=$word"
  refused 5 "$p: resume --set" "a policy masks or drops it before it is stored" \
    resume "$p-rest" --set "who=$word"
  exits 0 "$p: cancel" cancel "$p-rest" --reason "for $word"
  clear "$p: cancel --reason"
  masks "$p: cancel --reason" "$p-rest" session_cancelled
  has "$p: also in the list" "$("$CKRUN" sessions show "$p-rest")" '[redacted:policy:'
  begin run once.lua --profile $p.lua --session "$p-doubt"
  die
  exits 75 "$p: one in doubt" resume "$p-doubt"
  exits 0 "$p: resolve" resolve "$p-doubt" "$("$CKRUN" resolve "$p-doubt" | cut -f1)" "done" \
    --result "{\"guest\":\"$word\"}"
  clear "$p: resolve --result"
  masks "$p: resolve --result" "$p-doubt" resolution
done
exits 0 "who masked it is told" policy explain p-rest \
  "$(events p-rest | grep session_cancelled | json "$(cat)" '$d->{seq}')"
has "by name" "$out" "mask masked"

# ---- what a run is given ----
begin run flow.lua --profile p.lua --session live --input "{\"who\":\"$word\"}"
clear "run --input"
refused 5 "run --set" "a policy masks or drops it before it is stored" \
  run flow.lua --profile p.lua --session none --set "who=$word"

# ---- requests that are left for a running session, while they lie and when they are taken ----
exits 0 "checkpoint" checkpoint live --description "with $word" --no-wait
exits 0 "pause" pause live --reason "by $word" --no-wait
clear "requests that lie in the store"
until events live | grep -q '"kind":"pause"'; do :; done
let_on first
ended
is "it pauses" "$code" 8
clear "pause --reason, checkpoint --description"
masks "pause" live session_paused
masks "both" live note
has "the checkpoint is described by the mask" "$("$CKRUN" sessions checkpoints live)" \
  "with [redacted:policy:"
begin resume live
"$CKRUN" cancel live --reason "no more $word" >"$dir/cancelled" 2>&1 3>&- 4>&- &
until events live | grep -q '"kind":"cancel"'; do :; done
clear "cancel that lies in the store"
ended
wait
clear "cancel --reason of a running one"
masks "cancel" live session_cancelled

# ---- the client of ckrun mcp ----
exits 8 "one that asks" run ask.lua --profile p.lua --session mcp
serve
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
call resume_session "{\"session_id\":\"mcp\",\"memory_modifications\":{\"who\":\"$word\"}}"
has "resume_session: an edit is refused" "$failure" "a policy masks or drops it"
call answer_session "{\"session_id\":\"mcp\",\"answer\":\"$word\"}"
clear "answer_session"
masks "answer_session" mcp resolution
begin run flow.lua --profile p.lua --session mlive
send() { # TOOL ARGUMENTS: a call without its answer, which `got` reads
  number=$((number + 1))
  printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}\n' "$number" \
    "{\"name\":\"$1\",\"arguments\":$2}" >&"$to"
}
got() { IFS= read -r -t 600 -u "$from" reply; }
send checkpoint_session "{\"session_id\":\"mlive\",\"description\":\"$word\"}"
until events mlive | grep -q '"kind":"checkpoint"'; do :; done
clear "checkpoint_session"
let_on first
reach
got
masks "checkpoint_session" mlive note
send pause_session "{\"session_id\":\"mlive\",\"reason\":\"$word\"}"
until events mlive | grep -q '"kind":"pause"'; do :; done
clear "pause_session"
let_on second
ended
got
masks "pause_session" mlive session_paused

# ---- facts ----
exits 0 "a flow keeps one" run facts.lua --profile p.lua --session facts
clear "ctx.facts"
exits 0 "and a person" facts set typed "$word" --profile p.lua
clear "facts set --profile"
exits 1 "a flow whose fact's key a policy masks" run keyed.lua --profile p.lua --session keyed
has "is told" "$err" "a fact's key must not hold what a policy masks"
refused 5 "a person's" "a fact's key must not hold what a policy masks" facts set "for $word" 1 \
  --profile p.lua
refused 5 "and an agent's name" "a fact's agent must not hold what a policy masks" facts set k 1 \
  --agent "$word" --profile p.lua
clear "a fact's key"
cat >all.lua <<'E'
return { name = "all", version = 1, redact = function(item)
  if item.key then return ck.mask end
end }
E
echo 'return { name = "a", extends = "default", policies = { "./all.lua" } }' >a.lua
exits 0 "a policy that masks all facts refuses no key" facts set kept 1 --profile a.lua

is "nothing that is shown holds it" "$(shown 2>/dev/null | grep -caF "$word")" 0
exits 0 "the store is whole" store verify

# ---- files that are gone: the store kept what was accepted; another text was not accepted ----
mkdir kept
cp mask.lua p.lua ask.lua kept
exits 8 "one whose files are moved away" run kept/ask.lua --profile kept/p.lua --session kept
rm -r kept
exits 0 "is answered" answer kept "it is $word"
clear "masked by what the store kept"
for what in gone other broken; do
  mkdir $what
  cp p.lua ask.lua $what
  (cat mask.lua; echo "-- sk-ant-api03-$(printf 'Ab3%.0s' {1..30})") >$what/mask.lua # is not kept
  exits 8 "$what: one that asks" run $what/ask.lua --profile $what/p.lua --session $what
  has "$what: its policy is not kept" "$err" "it is not kept in the store"
done
before=$(events gone)
rm gone/mask.lua
sed -i 's/Z\[e\]bulon/X[a]vier/' other/mask.lua
echo 'return {' >broken/p.lua
for what in gone other broken; do
  for road in "answer $what $word" "cancel $what --reason $word" \
    "sessions rewind $what --to first --report $word" "sessions fork $what --set who=$word"; do
    refused 5 "$what: ${road%% $what*}" "that its policies cannot mask: profile" $road
    has "$what: ${road%% $what*} says how to go on" "$err" "ckrun resume $what --accept-changed"
  done
done
is "nothing was taken" "$(events gone)" "$before"
clear "where the policies cannot be asked"
exits 0 "what has no words of anybody's is done" cancel gone
exits 8 "another text, once it is accepted" resume other --accept-changed
exits 0 "is asked" answer other "Xavier7 came"
has "as it is now" "$(events other | grep resolution)" '[redacted:policy:'
finish
