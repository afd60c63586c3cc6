#!/bin/bash
# models.t - a session that reaches its model over HTTP: requests and costs; a kill pays nothing
# twice; and the reports on a profile that lacks something.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# profile FILE API [MORE]: with one model.
profile() {
  cat >"$1" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$2", base_url = "$(base_url "$2")", model = "test-model",
    key = "main", retries = 0, price = { input = 3, output = 15 } ${3:-} } } }
END
}

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "counter", prompt = "Count.",
  tools = { count = flow.command { argv = { "./count" }, class = "once" } } }
END
cat >count <<'END'
#!/bin/sh
read -r line
echo "$line" >>count.log
[ ! -e kill-in-tool ] || { rm kill-in-tool; kill -9 $PPID; sleep 1; }
echo '{"counted":true}'
END
chmod +x count
# Each answer belongs to a number of turns: the same request gets the same answer again.
turns=$(cat <<END
{"turn":0,"answer":{"thinking":"Let me \"see\" \u00e9\u00a0…","text":"I count.",\
"calls":[{"name":"count","arguments":{"to": 1.0}},{"name":"count","arguments":{"to":2}}],\
"usage":{"input":100,"output":10}}}
{"turn":1,"answer":{"calls":[{"name":"count","arguments":{"to":3}}],\
"usage":{"input":200,"output":10}}}
{"turn":2,"answer":{"text":"All counted.","usage":{"input":300,"output":10}}}
END
)

for api in openai anthropic responses gemini; do
  for stream in true false; do
    name=$api-$stream
    rm -f count.log
    serve "$name" <<<"$turns"
    profile $name.lua $api ", stream = $stream"
    exits 0 "$name: a session" --json run flow.lua --profile ./$name.lua --session $name --input \
      '"Count to 3."'
    is "$name: comes to an end" "$(json "$out" '$d->{result}{text}')" "All counted."
    is "$name: asked three times" "$(grep -c '' $name.log)" 3
    is "$name: all valid on the wire" "$(grep -c '"problem":"' $name.log)" 0
    is "$name: each tool ran once" "$(grep -c '' count.log)" 3
    has "$name: with the model's own arguments" "$(cat count.log)" '"arguments":{"to": 1.0}'
    is "$name: micro-dollars" "$(json "$("$CKRUN" --json sessions show $name)" \
      'micros($d->{totals}{cost_usd})')" $((600 * 3 + 30 * 15))
    is "$name: three keys of idempotency" \
      "$(grep -o '"idempotency-key":"[0-9a-f]*"' $name.log | sort -u | grep -c '')" 3
    [ $api = openai ] || ok "$name: what it thought goes back to it as it came" \
      test "$(grep -c '"body":.*sig-' $name.log)" = 2
    "$CKRUN" --json sessions log $name --all >log
    is "$name: the key is in no output" "$(grep -c canary log)" 0
  done
done
is "the key is in no file of the store" "$(grep -rlF sk-canary store | wc -l)" 0

# A real model's answers become a recording, whichever API it has.
for api in openai anthropic; do
  serve record-$api <<<"$turns"
  profile record-$api.lua $api
  exits 0 "$api, recorded" --json run flow.lua --profile ./record-$api.lua --session record-$api \
    --record $api.jsonl --input '"Count to 3."'
  exits 0 "$api, run again from the recording" --json run flow.lua --cassette $api.jsonl --session \
    again-$api --input '"Count to 3."'
  is "$api: comes to the same" "$(json "$out" '$d->{result}{text}')" "All counted."
  is "$api: without asking" "$(grep -c '' record-$api.log)" 3
done

# Killed in a tool, at the second answer, and after it: recorded answers are not requested again.
rm -f count.log
serve killed <<<"$turns"
profile killed.lua anthropic
touch kill-in-tool
exits 137 "a kill within a tool" run flow.lua --profile ./killed.lua --session killed --input \
  '"Count to 3."'
is "the model was asked once" "$(grep -c '' killed.log)" 1
exits 75 "a resume is in doubt of the tools" resume killed
for key in $("$CKRUN" --json resolve killed | \
  perl -ne 'print "$1\n" while /"effect":"([^"]+)"/g'); do
  exits 0 "a person tells what became of $key" resolve killed "$key" done --result '"counted"'
done
exits 0 "and it goes on" --json resume killed
is "to the end" "$(json "$out" '$d->{result}{text}')" "All counted."
is "no request was paid twice" "$(grep -c '' killed.log)" 3
is "each different" "$(sed 's/.*"body"://' killed.log | sort -u | grep -c '')" 3
is "all valid on the wire" "$(grep -c '"problem":"' killed.log)" 0
is "the sum is as if nothing had been" "$(json "$("$CKRUN" --json sessions show killed)" \
  'micros($d->{totals}{cost_usd})')" $((600 * 3 + 30 * 15))

# Killed while the model thinks: requested again with the same idempotency key.
serve hanging <<<'{"answer":{"text":"never"},"hang":60}
{"answer":{"text":"Hello."}}'
profile hanging.lua openai
"$CKRUN" run flow.lua --profile ./hanging.lua --session hanging --input '"Hello?"' >/dev/null 2>&1 \
  </dev/null &
pid=$!
while [ ! -s hanging.log ]; do read -rt 0.01 <> <(:) || :; done
{ kill -9 $pid; wait $pid; } 2>/dev/null
is "it is killed while it waits" $? 137
exits 0 "resumed" resume hanging
is "it is asked again" "$(grep -c '' hanging.log)" 2
is "under the same key" "$(grep -o '"idempotency-key":"[0-9a-f]*"' hanging.log | sort -u | \
  grep -c '')" 1

# Stopped at once while it waits: open resources are released, and nothing is lost.
serve stopped <<<'{"answer":{"text":"never"},"hang":60}
{"answer":{"text":"Hello."}}'
profile stopped.lua anthropic
"$CKRUN" run flow.lua --profile ./stopped.lua --session stopped --input '"Hello?"' >/dev/null \
  2>stopped.err </dev/null &
pid=$!
while [ ! -s stopped.log ]; do read -rt 0.01 <> <(:) || :; done
kill -TERM $pid
while ! grep -qs . stopped.err; do read -rt 0.01 <> <(:) || :; done
kill -TERM $pid
wait $pid
is "two signals stop it at once" $? 130
is "and nothing leaks" "$(grep -c 'ERROR: .*Sanitizer' stopped.err)" 0
exits 0 "it goes on" --json resume stopped
is "to its answer" "$(json "$out" '$d->{result}{text}')" "Hello."

# The end of a session when the provider refuses.
serve refusing <<END
{"status":401,"body":{"error":{"message":\
"Incorrect API key provided: sk-canary-of-the-model-0123456789"}}}
{"status":529,"body":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}
{"answer":{"text":"Here I am."}}
END
profile refusing.lua anthropic
exits 1 "401 fails the session" run flow.lua --profile ./refusing.lua --session refused --input \
  '"?"'
url=http://127.0.0.1:$port/v1/messages
has "and says so" "$err" \
  "model \"default\" ($url): status 401: Incorrect API key provided: [redacted:"
exits 8 "529 pauses it" run flow.lua --profile ./refusing.lua --session overloaded --input '"?"'
has "and says so" "$err" "status 529 (overloaded_error): Overloaded"
exits 0 "a resume goes on" --json resume overloaded
is "to its answer" "$(json "$out" '$d->{result}{text}')" "Here I am."

# An untrusted certificate: nothing is sent, above all no key.
tls=
if command -v openssl >/dev/null &&
  openssl req -x509 -newkey rsa:2048 -nodes -keyout tls.key -out tls.crt -days 2 -subj \
    /CN=127.0.0.1 >/dev/null 2>&1; then
  # Its standard input has no end.
  mkfifo tls.in && exec 6<>tls.in
  openssl s_server -accept 127.0.0.1:0 -key tls.key -cert tls.crt >tls.got 2>&1 <&6 &
  tls=$!
  serving="$serving $tls"
  while kill -0 $tls 2>/dev/null && ! grep -qs '^ACCEPT .*:[0-9]' tls.got; do read -rt 0.01 <> \
    <(:) || :; done
  port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' tls.got)
fi
if [ -n "$tls" ] && [ -n "$port" ]; then
  profile tls.lua openai
  sed -i 's|http://|https://|' tls.lua
  exits 8 "a certificate that nobody vouches for" run flow.lua --profile ./tls.lua --session tls \
    --input '"?"'
  has "is told" "$err" "SSL certificate problem"
  is "and gets no key" "$(grep -c canary tls.got)" 0
else
  skip "no TLS server (openssl s_server) to refuse"
fi

# A call that may cost more than the rest of the budget is not made; known prices are spent to the
# micro-dollar.
serve dear <<<'{"answer":{"text":"Hello.","usage":{"input":100,"output":10}},"times":0}'
profile dear.lua anthropic ", max_tokens = 1000"
sed -i 's|return { |return { constraints = { budget_usd = 0.001 }, |' dear.lua
exits 8 "a call that may cost more than the budget" run flow.lua --profile ./dear.lua --session \
  dear --input '"?"'
ok "is not made" test ! -s dear.log
sed -i 's|budget_usd = 0.001|budget_usd = 1|' dear.lua
exits 0 "with more of it" resume dear --profile ./dear.lua --accept-changed
is "it is" "$(grep -c '' dear.log)" 1

# Missing settings of a profile are reported before anything is made.
CKRUN_STORE=sqlite:$dir/none.db refused 5 "a model that the profile lacks" \
  'flow counter asks model "default", which profile default does not have' \
  run flow.lua --session lacking --input '"?"'
ok "no store is made" test ! -e none.db
cat >graph.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "pair", start = "first",
  nodes = {
    first = flow.agent { model = "fast", prompt = "." },
    second = flow.agent { model = "slow", prompt = "." },
  },
  edges = { first = "second", second = flow.done } }
END
CKRUN_STORE=sqlite:$dir/none.db exits 5 "models that the profile lacks" run graph.lua --profile \
  ./refusing.lua
has "are named" "$err" 'problem: graph.lua: flow pair asks model "fast"'
has "both" "$err" 'problem: graph.lua: flow pair asks model "slow"'
exits 5 "a resume with such a profile" resume refused --profile default
has "is refused before anything is touched" "$err" \
  'flow counter asks model "default", which profile default does not have'
exits 5 "a dry run" resume refused --profile default --dry-run
MODEL_KEY='' exits 4 "a key that is not set" run flow.lua --profile ./refusing.lua --session \
  lacking --input '"?"'
has "names the variable" "$err" "env:MODEL_KEY"
cat >literal.lua <<'END'
return { name = "literal",
  models = { default = { api = "openai", model = "m", key = "sk-canary-itself" } } }
END
exits 2 "a key in the profile" run flow.lua --profile ./literal.lua --session lacking
has "is refused with the remedy" "$err" \
  'models.default.key: the name of a secret is expected, never the key itself'
is "and not repeated" "$(grep -c canary <<<"$err")" 0
exits 0 "profile show" profile show ./refusing.lua
has "shows where the model is" "$out" "models.default.base_url	http://127.0.0.1:$(cat \
  refusing.port)"
has "and the name of the secret" "$out" "models.default.key	main"
is "not the secret" "$(grep -c canary <<<"$out")" 0

# With a recording no request goes to the model.
before=$(grep -c '' refusing.log)
exits 0 "a recording comes first" run "$flow" --cassette "$cassette" --profile ./refusing.lua \
  --session recorded
is "nothing was sent" "$(grep -c '' refusing.log)" "$before"
finish
