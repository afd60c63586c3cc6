#!/bin/bash
# cut_off.t - answers of a model that end before their end, or came over a connection that did: they
# are taken, paid once, and told wherever somebody looks.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer." }
END
cat >told.lua <<'END'
local flow = require "ck.flow"
return flow.custom { models = { "default" }, run = function(ctx)
  ctx.message("user", "Say it.")
  local it = ctx.effect { kind = "model", class = "pure", request = { model = "default" } }
  return { cut = it.cut or "no", note = it.note or "none" }
end }
END

usage='"usage":{"prompt_tokens":200,"completion_tokens":300,"input_tokens":200,"output_tokens":300}'
# answer API REASON: the body of an answer with that reason of its end.
answer() {
  if [ "$1" = openai ]; then
    printf '{"choices":[{"finish_reason":"%s","message":%s}],%s}' "$2" \
      '{"role":"assistant","content":"Once"}' "$usage"
  else
    printf '{"type":"message","role":"assistant","content":[%s],"stop_reason":"%s",%s}' \
      '{"type":"text","text":"Once"}' "$2" "$usage"
  fi
}
# model FILE API FIELDS CONSTRAINTS
model() {
  local base=http://127.0.0.1:$port
  [ "$2" = openai ] && base=$base/v1
  cat >"$1" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { $4 },
  models = { default = { api = "$2", base_url = "$base", model = "test-model", key = "main",
    retries = 2, stream = false, $3 } } }
END
}
# sent NAME: the max_tokens of the first request.
sent() { request "$1" 1 '$d->{max_tokens} // "none"'; }
notes() {
  json "[$("$CKRUN" sessions log "$1" --kind outcome --json | paste -sd,)]" \
    'join "|", map { $_->{body}{cut} . ": " . ($_->{body}{note} // "") } @$d'
}
price='price = { input = 3, output = 15 }'

# ---- a limit that leaves less than was asked for ----
# The request has fewer than 3,000 tokens by any count, so that of $0.02 at least 733 tokens of an
# answer are left, and 4,000 are not.
while read -r api reason; do
  serve "$api-budget" <<<"{\"body\":$(answer "$api" "$reason"),\"times\":0}"
  model "$api-budget.lua" "$api" "max_tokens = 4000, $price" 'budget_usd = 0.02'
  exits 0 "$api: an answer that the budget cuts off is taken" run flow.lua \
    --profile "./$api-budget.lua" --session "$api-budget" --input '"?"'
  most=$(sent "$api-budget")
  ok "$api: its maximum was lowered" test "$most" -lt 4000 -a "$most" -ge 733
  line="its answer is cut off at $most tokens, all that was left for it (budget: \$0.00 of \$0.02"
  has "$api: that is told at once" "$err" \
    "note        main/start/model/1  $line spent); --limit budget_usd="
  has "$api: at the end of the run" "$out" "cut_off	1"
  has "$api: in its result" "$out" "{\"cut\":\"budget\",\"text\":\"Once\",\"turns\":1}"
  has "$api: in the log" "$("$CKRUN" sessions log "$api-budget")" "note $line"
  has "$api: and of the session" "$("$CKRUN" sessions show "$api-budget")" "cut_off	1"
  is "$api: and as JSON" \
    "$(json "$("$CKRUN" --json sessions show "$api-budget")" '$d->{totals}{cut_off}')" 1
  remedy=$(grep -o 'budget_usd=[0-9.]*' <<<"$err" | head -n 1)
  exits 0 "$api: with the budget that it names" run flow.lua --limit "$remedy" \
    --profile "./$api-budget.lua" --session "$api-more" --input '"?"'
  is "$api: another one has all the room that it asks for" \
    "$(request "$api-budget" 2 '$d->{max_tokens}')" 4000
done <<'END'
openai length
anthropic max_tokens
END

serve tokens <<<"{\"body\":$(answer openai length),\"times\":0}"
model tokens.lua openai "max_tokens = 9000, $price" 'tokens = 8000, budget_usd = 1'
exits 0 "an answer that a limit of tokens cuts off" run told.lua --profile ./tokens.lua \
  --session tokens
has "is told of that limit" "$out" '"cut":"tokens","note":"its answer is cut off at '
has "with its remedy" "$out" '(tokens: 0 of 8000 spent); --limit tokens='

cat >agent.lua <<END
return { name = "agent", extends = "./tokens.lua",
  agents = { one = { constraints = { budget_usd = 0.03 } } } }
END
exits 0 "an answer that an agent's own budget cuts off" run flow.lua --profile ./agent.lua \
  --session agent --input '"?"' --limit tokens=100000
has "is told of that one" "$err" \
  "(budget of agent one: \$0.00 of \$0.03 spent); --limit one.budget_usd="

# ---- a maximum that no limit made ----
serve own <<<"{\"body\":$(answer openai length),\"times\":0}"
model asked.lua openai "max_tokens = 40, $price" 'budget_usd = 1'
exits 0 "an answer at the maximum that was asked for" run told.lua --profile ./asked.lua \
  --session a
has "is told" "$out" \
  '"cut":"length","note":"its answer is cut off at the max_tokens of 40 that the flow or its prof'
model shipped.lua openai "$price" 'budget_usd = 9'
exits 0 "one at the maximum that a limit needs" run told.lua --profile ./shipped.lua --session b
has "too" "$out" "at 8192 tokens, the most that is asked for under a limit where nobody sets max_"
model free.lua openai "unmetered = true" ''
exits 0 "one at its model's own maximum" run told.lua --profile ./free.lua --session c
has "as well" "$out" "its answer is cut off at the model's own maximum"
serve filter <<<"{\"body\":$(answer openai content_filter),\"times\":0}"
model filter.lua openai "$price" ''
exits 0 "and one that its provider cut off" run told.lua --profile ./filter.lua --session d
has "for that" "$out" \
  '"cut":"content_filter","note":"its answer is cut off by its provider: content_filter; it refus'
serve fine <<<"{\"body\":$(answer openai stop),\"times\":0}"
model fine.lua openai "max_tokens = 4000, $price" 'budget_usd = 0.02'
exits 0 "an answer that ends by itself" run told.lua --profile ./fine.lua --session e
has "is not" "$out" '{"cut":"no","note":"none"}'
is "nor shown" "$(grep -c 'cut_off\|^note' <<<"$out$err")" 0

# ---- a crash behind it: what is replayed says the same ----
cat >twice.lua <<END
local flow = require "ck.flow"
return flow.custom { models = { "default" }, run = function(ctx)
  ctx.message("user", "Say it.")
  local it = ctx.effect { kind = "model", class = "pure", request = { model = "default" } }
  ctx.effect { kind = "exec", class = "pure",
    request = { argv = { "sh", "-c", "[ -e died ] || { touch died; kill -9 \$PPID; }" } } }
  return { cut = it.cut or "no", note = it.note or "none" }
end }
END
serve twice <<<"{\"body\":$(answer openai length),\"times\":0}"
model twice-profile.lua openai "max_tokens = 4000, $price" 'budget_usd = 0.02'
exits 137 "a run dies behind such an answer" run twice.lua --profile ./twice-profile.lua \
  --session twice
exits 0 "its resume" resume twice
has "tells of it" "$out" '"cut":"budget","note":"its answer is cut off at '
is "and pays nothing again" "$(requests twice)" 1

# ---- a whole answer over a connection that ended early ----
body=$(answer openai stop)
serve longer <<<"{\"body\":$body,\"longer\":7,\"times\":0}"
model longer.lua openai "$price" 'budget_usd = 1'
exits 0 "an answer that is shorter than was announced, and whole" run told.lua \
  --profile ./longer.lua --session longer
is "is paid once" "$(requests longer)" 1
has "and told" "$out" "its answer was whole when the connection ended early ("
is "its cost is what it states" \
  "$(json "$("$CKRUN" --json sessions show longer)" 'micros($d->{totals}{cost_usd})')" \
  $((200 * 3 + 300 * 15))
stream='data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Once\"}}]}\n\ndata: [DONE]\n\n'
serve marked <<<"{\"type\":\"text/event-stream\",\"body\":\"$stream\",\"times\":0}"
model marked.lua openai "$price" 'budget_usd = 1'
exits 0 "a stream without a finish_reason" run told.lua --profile ./marked.lua --session marked
is "is paid once, too" "$(requests marked)" 1
has "and told" "$out" "its stream told no finish_reason, and that all of it was sent"
unended=${stream%%data: \[DONE*}
serve half <<<"{\"type\":\"text/event-stream\",\"body\":\"$unended\",\"times\":0}"
model half.lua openai "$price" 'budget_usd = 1'
exits 8 "one that nothing ended is no answer" run told.lua --profile ./half.lua --session half
is "and is asked for again" "$(requests half)" 3
early='data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":0}}\n\n'
serve early <<<"{\"type\":\"text/event-stream\",\"body\":\"$early$unended\",\"times\":0}"
model early.lua openai "$price, max_tokens = 100" 'budget_usd = 1'
exits 8 "nor one whose usage came before it" run told.lua --profile ./early.lua --session early
is "it is asked for again, too" "$(requests early)" 3
ok "and each of them costs its reserve, of 100 tokens and more" \
  test "$(json "$("$CKRUN" --json sessions show early)" 'micros($d->{totals}{cost_usd})')" -ge \
  $((3 * 100 * 15))
finish
