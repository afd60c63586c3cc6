#!/bin/bash
# money.t - what is spent on answers that are refused: it stops at the budget, and
# what is shown as spent, and as an estimate, is what the transcript adds up to.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# profile FILE API RETRIES STREAM: with one model, and five cents.
profile() {
  cat >"$1" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { budget_usd = 0.05 },
  models = { default = { api = "$2", base_url = "$(base_url "$2")", model = "test-model",
    key = "main", retries = $3, stream = $4, max_tokens = 100,
    price = { input = 3, output = 15 } } } }
END
}

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer." }
END

# What the transcript adds up to, from its events alone: tokens at their price; where nothing tells
# them, the reserve of the intent.
cat >oracle.pl <<'END'
use strict; use JSON::PP;
my (%reserve, $cost, $estimate); $cost = $estimate = 0;
while (my $line = <STDIN>) {
  my $e = JSON::PP->new->utf8->decode($line);
  my ($kind, $b) = ($e->{kind}, $e->{body});
  next unless $kind && $b->{kind} && $b->{kind} eq "model";
  $reserve{$b->{key}} = $b->{reserve} if $kind eq "intent";
  next unless $kind eq "outcome";
  if ($b->{reserved}) {
    $cost += $reserve{$b->{key}}; $estimate += $reserve{$b->{key}};
  } else {
    $cost += 3 * ($b->{input_tokens} // 0) + 15 * ($b->{output_tokens} // 0);
  }
}
print "$cost $estimate";
END

shown() {
  json "$("$CKRUN" --json sessions show "$1")" \
    'join " ", map { micros($_) } @{$d->{totals}}{qw(cost_usd reserved_usd)}'
}

# agrees NAME SESSION: what is shown is what the transcript adds up to.
agrees() {
  "$CKRUN" --json sessions log "$2" --all >events
  is "$1: what is shown is what its transcript adds up to" "$(shown "$2")" \
    "$(perl oracle.pl <events)"
  is "$1: so do its runs" "$(json "$("$CKRUN" --json sessions show "$2")" \
    'my @s = (0, 0); for (@{$d->{runs}}) { $s[0] += micros($_->{cost_usd});
     $s[1] += micros($_->{reserved_usd}) } "@s"')" "$(perl oracle.pl <events)"
}

# loop SESSION PROFILE: twenty resumes behind the first run.
loop() {
  run run flow.lua --profile "./$2.lua" --session "$1" --input '"?"'
  for ((i = 0; i < 20; i++)); do run resume "$1"; done
}

# stops NAME SESSION REQUESTS: at the budget, after so many.
stops() {
  has "$1: it stops at the budget" "$err" "budget: "
  is "$1: after so many requests" "$(grep -c '' "$2.log")" "$3"
  agrees "$1" "$2"
  ok "$1: within the budget" test "$(shown "$2" | cut -d' ' -f1)" -le 50000
}

usage='"usage":{"prompt_tokens":1000,"completion_tokens":50,"input_tokens":1000,"output_tokens":50}'
text='"type":"message","role":"assistant"'
while IFS='|' read -r api what body; do
  name=${what// /-}
  serve "$name" <<<"{\"body\":$body,\"broken\":true,\"times\":0}"
  profile "$name.lua" "$api" 0 false
  loop "$name" "$name"
  stops "$what" "$name" 12
  is "$what: all of it was stated" "$(shown "$name")" "$((12 * 3750)) 0"
  is "$what: no estimate is shown" "$("$CKRUN" sessions show "$name" | grep -c reserved)" 0
done <<END
openai|usage alone|{$usage}
anthropic|bytes that are no UTF-8|"{\"id\":\"ÿ\",${text//\"/\\\"},${usage//\"/\\\"}}"
openai|bytes behind the answer|"{${text//\"/\\\"},${usage//\"/\\\"}} x"
END

# Nothing tells what these cost: each counts at its reserve, and is shown so.
while IFS='|' read -r api stream what script; do
  name=${what// /-}
  serve "$name" <<<"$script"
  profile "$name.lua" "$api" 0 "$stream"
  loop "$name" "$name"
  "$CKRUN" --json sessions log "$name" --all >events
  reserve=$(json "$(grep -m 1 '"kind":"intent"' events)" '$d->{body}{reserve}')
  count=$((50000 / reserve))
  stops "$what" "$name" $count
  is "$what: all of it is an estimate" "$(shown "$name")" \
    "$((count * reserve)) $((count * reserve))"
  text=$("$CKRUN" sessions show "$name" -v)
  is "$what: shown as text, too" "$(cell "$text" reserved)" \
    "$(dollars $((count * reserve)))"
  has "$what: and beside the run" "$text" " of it reserved)"
  has "$what: and in the log" "$("$CKRUN" sessions log "$name" --all)" \
    "reserved $(dollars "$reserve")"
done <<END
openai|true|nothing at all|{"body":{},"times":0}
anthropic|false|negative usage|{"body":{"usage":{"input_tokens":-1,"output_tokens":-1}},"times":0}
anthropic|true|a connection that is closed|{"close":true,"times":0}
END

# Of a call without a bound nobody knows what was reserved: no amount is told, least of all none.
serve unbounded <<<'{"close":true,"times":0}'
profile unbounded.lua openai 1 true
sed -i 's|max_tokens = 100,||; s|constraints = .*||' unbounded.lua
run run flow.lua --profile ./unbounded.lua --session unbounded --input '"?"'
"$CKRUN" --json sessions log unbounded --all >events
ok "a call without a bound is begun again" test "$(grep -c '"via":"lost"' events)" -ge 1
is "which cost what nobody knows" "$(grep '"via":"lost"' events | grep -c '"cost":-1')" \
  "$(grep -c '"via":"lost"' events)"
is "and no reserve is told of it" \
  "$("$CKRUN" sessions log unbounded --all | grep -c 'reserved \$')" 0

# The tries of one run ask the budget, too: it has room for a second one, not for a third.
serve tries <<<"{\"body\":{$usage},\"times\":0}"
profile tries.lua anthropic 20 false
sed -i 's|budget_usd = 0.05|budget_usd = 0.012|' tries.lua
exits 8 "a run of many tries" run flow.lua --profile ./tries.lua --session tries --input '"?"'
stops "many tries of one run" tries 2

# Answers that are taken, refused, and never told of, in one session; a kill in the middle.
serve mixed <<END
{"body":{$usage}}
{"body":{"usage":{"prompt_tokens":"7"}}}
{"answer":{"text":"never"},"hang":60}
{"answer":{"text":"Hello.","usage":{"input":100,"output":10}}}
END
profile mixed.lua openai 0 false
exits 8 "a refused answer pauses" run flow.lua --profile ./mixed.lua --session mixed --input '"?"'
exits 8 "as does another" resume mixed
"$CKRUN" resume mixed >/dev/null 2>&1 </dev/null &
pid=$!
while [ "$(grep -c '' mixed.log)" -lt 3 ]; do read -rt 0.01 <> <(:) || :; done
{ kill -9 $pid; wait $pid; } 2>/dev/null
exits 0 "and at last it is answered" resume mixed
agrees "stated, refused, killed" mixed
reserve=$(json "$(grep -m 1 '"kind":"intent"' events)" '$d->{body}{reserve}')
is "two of four attempts are estimates" "$(shown mixed)" \
  "$((3750 + 2 * reserve + 450)) $((2 * reserve))"
exits 0 "a fork of it" sessions fork mixed --session mixed-fork
is "inherits what is an estimate" "$(shown mixed-fork)" "$(shown mixed)"

# Each call that a kill has lost counts once, however often the session is resumed behind it.
serve lost <<END
{"answer":{"text":"never"},"hang":60}
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":1000,"output":50}}}
{"answer":{"text":"never"},"hang":60,"times":2}
{"answer":{"text":"Hello.","usage":{"input":100,"output":10}}}
END
cat >looks.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer.", tools = {
  look = flow.command { argv = { "true" }, class = "pure" } } }
END
profile lost.lua openai 0 false
# lost_at REQUEST ARGUMENTS…: killed while the model is asked that one.
lost_at() {
  "$CKRUN" "${@:2}" >/dev/null 2>&1 </dev/null &
  pid=$!
  while [ "$(grep -c '' lost.log)" -lt "$1" ]; do read -rt 0.01 <> <(:) || :; done
  { kill -9 $pid; wait $pid; } 2>/dev/null
}
lost_at 1 run looks.lua --profile ./lost.lua --session lost --input '"?"'
lost_at 3 resume lost
lost_at 4 resume lost
exits 0 "and it completes" resume lost
agrees "killed in three calls" lost
is "three calls count as lost" "$(grep -c '"via":"lost"' events)" 3

# A kill between an outcome and the next checkpoint: what was paid is shown before any resume.
serve killed <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":1000,"output":50}}}
{"answer":{"calls":[{"name":"die","arguments":{}}],"usage":{"input":1000,"output":50}}}
{"answer":{"text":"Hello.","usage":{"input":100,"output":10}}}
EOF
cat >die.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "one", prompt = "Answer.", tools = {
  look = flow.command { argv = { "true" }, class = "pure" },
  die = flow.command { argv = { "./die" }, class = "pure" } } }
END
killer die died
profile killed.lua openai 0 false
exits 137 "a run that is killed behind its second call" run die.lua --profile ./killed.lua \
  --session killed --input '"?"'
agrees "killed, and not resumed" killed
is "two calls were paid for" "$(shown killed)" "7500 0"
is "and are shown" "$(json "$("$CKRUN" --json sessions show killed)" \
  'join " ", @{$d->{totals}}{qw(model_calls tool_calls input_tokens output_tokens)}')" \
  "2 1 2000 100"
text=$("$CKRUN" sessions show killed)
is "in words, too" "$(cell "$text" spent) $(cell "$text" model_calls)" '$0.0075 2'
exits 0 "it goes on" --json resume killed
is "this run's part is told" "$(json "$out" 'join " ", micros($d->{this_run}{cost_usd}),
  @{$d->{this_run}}{qw(model_calls tool_calls input_tokens output_tokens)}')" \
  "450 1 1 100 10"
is "and that of all runs" "$(json "$out" 'join " ", micros($d->{totals}{cost_usd}),
  @{$d->{totals}}{qw(model_calls tool_calls input_tokens output_tokens)}')" \
  "7950 3 2 2100 110"
is "which is what is shown" "$(shown killed)" "7950 0"

# In words, after a resume.
serve words <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":1000,"output":50}}}
{"answer":{"text":"Hello.","usage":{"input":100,"output":10}}}
EOF
profile words.lua openai 0 false
exits 8 "a run of one call" run die.lua --profile ./words.lua --session words --input '"?"' \
  --limit model_calls=1
is "has no parts" "$(cell "$out" run_spent)" ""
exits 0 "the resume" resume words --limit model_calls=2
is "has both" "$(for name in run_spent run_input_tokens run_output_tokens total_model_calls \
  total_tool_calls total_input_tokens total_output_tokens spent; do
  cell "$out" $name; done | paste -sd' ')" '$0.00045 100 10 2 1 1100 60 $0.0042'

# Estimates on a branch that was left before the fork are the fork's, like the money.
serve left <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":1000,"output":50}}}
{"body":{}}
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":1000,"output":50}},"times":0}
EOF
profile left.lua openai 0 false
exits 8 "a call whose cost is an estimate" run die.lua --profile ./left.lua --session left \
  --input '"?"'
exits 0 "is left behind" sessions rewind left --report "Nothing." --to \
  "$("$CKRUN" sessions checkpoints left | awk -F'\t' '$3 == "tool_round" { print $2; exit }')"
exits 8 "the session goes on" resume left --limit model_calls=3
agrees "with a branch that was left" left
exits 0 "a fork of it" sessions fork left --session leftfork
is "has its estimates" "$(shown leftfork)" "$(shown left)"
exits 0 "and so has a fork of the fork" sessions fork leftfork --session leftfork2
is "as many" "$(shown leftfork2)" "$(shown left)"

by_run() {
  json "$("$CKRUN" --json sessions show "$1")" 'join " ", map { join ":", $_->{outcome},
    micros($_->{cost_usd}), micros($_->{reserved_usd}) // 0, $_->{model_calls} } @{$d->{runs}}'
}

# Killed while its first request is under way, and so at its reserve; or in the wait for the next
# one, when what the first one cost was stated. The call is that of the run which began it.
while read -r name cost reserved answer; do
  serve "$name" <<<"{$answer,\"headers\":{\"retry-after\":\"59\"}}
{\"answer\":{\"text\":\"Hello.\",\"usage\":{\"input\":100,\"output\":10}}}"
  profile "$name.lua" openai 5 false
  { "$CKRUN" run flow.lua --profile "./$name.lua" --session "$name" --input '"?"' >/dev/null 2>&1 \
    </dev/null & } 2>/dev/null
  pid=$!
  while ! { [[ $answer == *pause_ms* ]] && [ -s "$name.log" ]; } &&
    ! "$CKRUN" sessions log "$name" --all 2>/dev/null | grep -q wait_ms; do
    read -rt 0.05 <> <(:) || :
  done
  kill -KILL $pid
  wait $pid 2>/dev/null
  exits 0 "$name: one that is killed goes on" --json resume "$name"
  is "$name: the resume has what it spent itself" "$(json "$out" 'join " ",
    micros($d->{this_run}{cost_usd}),
    @{$d->{this_run}}{qw(model_calls tool_calls input_tokens output_tokens)}')" "450 1 0 100 10"
  is "$name: and the session all" "$(json "$out" 'join " ", map { micros($_->{cost_usd}),
    $_->{model_calls} } $d->{totals}')" "$((cost + 450)) 2"
  is "$name: so each run is shown" "$(by_run "$name")" "died:$cost:$reserved:1 completed:450:0:1"
  agrees "$name: killed" "$name"
  is "$name: with the first try at that" "$(shown "$name")" "$((cost + 450)) $reserved"
done <<END
waiting 3750 0 "body":{$usage}
begun $reserve $reserve "pause_ms":59000,"body":{$usage}
END
# So is one that a probe tells of.
serve probed <<EOF
{"answer":{"calls":[{"name":"look","arguments":{}}],"usage":{"input":1000,"output":50}}}
{"answer":{"text":"Hello.","usage":{"input":100,"output":10}}}
EOF
sed 's/"pure"/"reconcilable", probe = { "echo", "seen" }/; s/{ "true" }/{ ".\/kill" }/' \
  die.lua >probed.lua
killer kill
profile probes.lua openai 0 false
exits 137 "a run that is killed in its tool" run probed.lua --profile ./probes.lua \
  --session probed --input '"?"'
exits 0 "goes on with what a probe tells" --json resume probed
is "it has made no tool call itself" "$(json "$out" 'join " ", $d->{this_run}{tool_calls},
  $d->{totals}{tool_calls}')" "0 1"
is "the killed run has" "$(json "$("$CKRUN" --json sessions show probed)" \
  'join " ", map { "$_->{outcome}:$_->{tool_calls}" } @{$d->{runs}}')" "died:1 completed:0"
exits 0 "a fork of it" sessions fork waiting --session waiting-fork
is "begins with neither" "$(by_run waiting-fork)" "forked:0:0:0"

# Told to pause while it waits, by a signal or a command: the wait ends at once, whatever the grace
# is, so no second signal can come in between. What the first try cost was stated, or is nothing of
# a refusal: that counts, and no estimate. The third is told before its refusal comes.
names=0
while read -r how cost answer; do
  name=paused-$((names += 1))
  serve "$name" <<<"{$answer,\"headers\":{\"retry-after\":\"59\"}}
{\"answer\":{\"text\":\"Hello.\",\"usage\":{\"input\":100,\"output\":10}}}"
  profile "$name.lua" openai 5 false
  "$CKRUN" run flow.lua --profile "./$name.lua" --session "$name" \
    --grace 1h --input '"?"' >/dev/null 2>&1 </dev/null &
  pid=$!
  if [[ $answer == *pause_ms* ]]; then
    while [ ! -s "$name.log" ]; do read -rt 0.01 <> <(:) || :; done
  else
    while ! "$CKRUN" sessions log "$name" --all 2>/dev/null | grep -q wait_ms; do
      read -rt 0.05 <> <(:) || :
    done
  fi
  case $how in
    signal) kill -TERM $pid ;;
    command) "$CKRUN" pause "$name" >/dev/null ;;
  esac
  wait $pid
  is "$how, $cost: it is paused in the wait" $? 8
  agrees "$how, $cost: paused in a wait" "$name"
  is "$how, $cost: the first try counts at what is known" "$(shown "$name")" "$cost 0"
  exits 0 "$how, $cost: it goes on" resume "$name"
  is "$how, $cost: and nothing is an estimate" "$(shown "$name")" "$((cost + 450)) 0"
done <<END
signal 3750 "body":{$usage}
signal 0 "status":529
signal 0 "status":529,"pause_ms":300
command 0 "status":529
END
finish
