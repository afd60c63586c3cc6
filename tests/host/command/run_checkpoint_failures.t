#!/bin/bash
# run_checkpoint_failures.t - the failures that happen: after each of them the run is given away,
# valid for every provider, and goes on elsewhere; those that another run would meet again are
# refused, by a resume, too.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
rules=$root/tests/host/command/chat_rules.pl

# profile FILE API [MODEL'S MORE] [EXTENDS]: with one model.
profile() {
  cat >"$1" <<END
return { name = "test", extends = "${4:-default}", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$2", base_url = "$(base_url "$2")", model = "test-model",
    key = "main", retries = 0, price = { input = 3, output = 15 } ${3:-} } } }
END
}

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "counter", prompt = "Count.",
  tools = { count = flow.command { argv = { "./count" }, class = "pure" } } }
END
cat >count <<'END'
#!/bin/sh
echo '{"counted":true}'
END
chmod +x count

# Two turns that call, then the one that fails: given on stdin.
script() {
  local call='"name":"count","arguments"'
  cat <<END
{"turn":0,"answer":{"text":"I count.","calls":[{$call:{"to":1}},{$call:{"to":2}}],\
"usage":{"input":100,"output":10}}}
{"turn":1,"answer":{"thinking":"Hm.","calls":[{$call:{"to":3}}],"usage":{"input":200,"output":10}}}
END
  cat
}
rest() { echo '{"answer":{"text":"All counted.","usage":{"input":300,"output":10}},"times":0}'; }

# valid NAME FILE: its history keeps the public rules.
valid() { is "$1: the history is valid for a provider" "$(perl "$rules" <"$2")" ""; }

# is_given NAME SESSION: the session's run is a checkpoint of two iterations that stopped in the
# model.
is_given() {
  exits 0 "$1: it is given away" sessions export "$2" --format run-checkpoint -o "$2.json"
  valid "$1" "$2.json"
  document=$(cat "$2.json")
  is "$1: two iterations are complete" "$(json "$document" '$d->{lastCompletedIteration}')" 2
  is "$1: the model was open in the third" "$(json "$document" '$d->{failurePoint}')" \
    '{"iteration":3,"phase":"llm"}'
  is "$1: it knows what was asked" "$(json "$document" '$d->{originalInput}{message}')" \
    "Count to 3."
  is "$1: and all that was said" "$(json "$document" \
    'join " ", map { $_->{role} } @{$d->{history}}')" \
    "system user assistant tool tool assistant tool"
}

# goes_on NAME SESSION API: another store, another provider: the same end.
goes_on() {
  local elsewhere=sqlite:$dir/$2.elsewhere.db
  serve "$2-rest" < <(rest)
  profile "$2-rest.lua" "$3"
  CKRUN_STORE=$elsewhere exits 0 "$1: it is imported elsewhere" sessions import "$2.json" \
    --resume-with flow.lua --profile "./$2-rest.lua" --session new
  CKRUN_STORE=$elsewhere exits 0 "$1: and goes on" --json resume new
  is "$1: to the end" "$(json "$out" '$d->{result}{text}')" "All counted."
  is "$1: with one call" "$(grep -c '' "$2-rest.log")" 1
  is "$1: that the provider takes" "$(grep -c '"problem":"' "$2-rest.log")" 0
}

for api in openai anthropic; do
  while IFS='|' read -r name code more failure; do
    session=$name-$api
    serve "$session" < <(script <<<"$failure")
    profile "$session.lua" $api "$more"
    exits "$code" "$session" run flow.lua --profile "./$session.lua" --session "$session" --input \
      '"Count to 3."'
    is_given "$session" "$session"
    goes_on "$session" "$session" $api
  done <<'END'
500|8||{"status":500,"body":"oh","times":0}
429|8||{"status":429,"body":{"error":{"message":"slow down"}},"times":0}
cut|8||{"answer":{"text":"never heard in full"},"cut":20,"times":0}
refused|8||{"close":true,"times":0}
END
done

# The provider says nothing more: the limit ends it.
serve late < <(script <<<'{"answer":{"text":"never"},"hang":0,"times":0}')
profile late.lua openai ", timeout_s = 5"
exits 8 "a timeout" run flow.lua --profile ./late.lua --session late --input '"Count to 3."'
is_given "a timeout" late

# Killed while the model thinks.
serve killed < <(script <<<'{"answer":{"text":"never"},"hang":0,"times":0}')
profile killed.lua anthropic
"$CKRUN" run flow.lua --profile ./killed.lua --session killed --input '"Count to 3."' \
  >/dev/null 2>&1 </dev/null &
pid=$!
while [ "$(grep -sc '' killed.log)" != 3 ]; do read -rt 0.01 <> <(:) || :; done
refused 5 "a run that is alive" "session killed is running: " sessions export killed --format \
  run-checkpoint
{ kill -9 $pid; wait $pid; } 2>/dev/null
is_given "kill -9" killed
goes_on "kill -9" killed anthropic

# Every shipped profile.
for given in default deliberation explore graph loop portable; do
  serve "under-$given" < <(script <<<'{"status":503,"body":"oh","times":0}')
  profile "under-$given.lua" openai "" $given
  run run flow.lua --profile "./under-$given.lua" --session "under-$given" --input '"Count to 3."'
  is_given "profile $given" "under-$given"
done
exits 8 "and after a resume that failed again" resume under-loop
is_given "a second failure" under-loop

# Paused by a person between its turns: nothing failed.
json "$("$CKRUN" --json sessions show under-loop)" '$d->{status}' >/dev/null
serve asked < <(script <<<'{"answer":{"text":"Done.","usage":{"input":1,"output":1}}}')
profile asked.lua openai
cat >pausing.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "pausing", start = "a",
  nodes = { a = flow.lua(function(ctx) ctx.outputs.a = "first" end),
            b = flow.lua(function(ctx) ctx.pause("lunch") end) },
  edges = { a = "b", b = flow.done } }
END
exits 8 "a flow that pauses itself" run pausing.lua --session pausing
exits 0 "it is given away" sessions export pausing --format run-checkpoint -o pausing.json
valid "a pause" pausing.json
is "nothing failed" "$(json "$(cat pausing.json)" '$d->{failurePoint}')" null
is "its node is a call with its output" "$(json "$(cat pausing.json)" \
  '[map { $_->{role} eq "tool" ? "$_->{name}=$_->{content}" : () } @{$d->{history}}]')" \
  '["a=first"]'

# What another run would meet again is refused with its reason; by a resume, too, unless something
# changed.
while IFS='|' read -r name api text next failure; do
  case $text in
    context) text="the conversation is longer than the model takes" ;;
    request) text="the provider refused the request as malformed" ;;
  esac
  serve "$name" < <(script <<<"$failure"; rest)
  profile "$name.lua" "$api"
  exits 1 "$name" --json run flow.lua --profile "./$name.lua" --session "$name" --input \
    '"Count to 3."'
  is "$name: what to do is not the same again" "$(json "$out" '$d->{resume}')" null
  has "$name: but a change" "$(json "$out" '$d->{next}')" "$next"
  has "$name: show says the same" "$(cell "$("$CKRUN" sessions show "$name")" next)" "$next"
  refused 5 "$name: no checkpoint of it" "is not resumable: $text" sessions export "$name" \
    --format run-checkpoint
  asked=$(grep -c '' "$name.log")
  exits 5 "$name: a resume" resume "$name"
  has "$name: is refused with the reason" "$err" "failed because $text"
  exits 5 "$name: a dry run" resume "$name" --dry-run
  has "$name: tells it, too" "$out$err" "failed because $text"
  is "$name: nothing was asked" "$(grep -c '' "$name.log")" "$asked"
done <<END
overflow|openai|context|sessions rewind overflow --to|{"status":400,"body":{"error":{\
"message":"This model's maximum context length is 8 tokens"}},"times":2}
too-long|anthropic|context|sessions rewind too-long --to|{"status":400,"body":{"type":"error",\
"error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens"}},"times":2}
malformed|openai|request|resume malformed --profile|{"status":422,"body":{"error":{\
"message":"no"}},"times":2}
unknown|anthropic|request|resume unknown --profile|{"status":404,"body":{"type":"error",\
"error":{"type":"not_found_error","message":"model"}},"times":2}
END
exits 1 "--retry sends it again all the same" resume overflow --retry
first=$("$CKRUN" --json sessions checkpoints overflow | grep tool_round | \
  grep -o 'checkpoint_[0-9]*_[0-9]*_[0-9a-f]*' | tail -n 1)
exits 0 "a rewind" sessions rewind overflow --to "$first" --report "I counted to two."
exits 0 "is the change that lets it go on" --json resume overflow
is "to the end" "$(json "$out" '$d->{result}{text}')" "All counted."
exits 0 "so does another profile" --json resume malformed --profile ./under-loop.lua --dry-run
sed -i 's/test-model/other-model/' unknown.lua
exits 1 "and the same profile with another model asks again" resume unknown --accept-changed
is "it was asked" "$(grep -c other-model unknown.log)" 1

# Credentials: not elsewhere, but here once they are supplied.
serve denied < <(script <<<'{"status":401,"body":{"error":{"message":"Incorrect API key"}}}'; rest)
profile denied.lua openai
exits 1 "401" run flow.lua --profile ./denied.lua --session denied --input '"Count to 3."'
refused 5 "credentials" "is not resumable elsewhere: the provider refused the credentials" \
  sessions export denied --format run-checkpoint
exits 0 "here it goes on" --json resume denied
is "to the end" "$(json "$out" '$d->{result}{text}')" "All counted."
refused 5 "a run that is over" "session denied is completed: " sessions export denied --format \
  run-checkpoint
finish
