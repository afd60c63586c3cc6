#!/bin/bash
# unknown_endings.t - programs that a signal, their time limit or a flood of output ended: nobody
# can tell what they did. What may be repeated is, a probe is asked, what must not be repeated never
# is.
. "$(dirname "$0")/../tap.sh"
child=$CKRUN_BUILD/tests/effect/process/tool_child
cd "$dir" || exit 1

# ends WAY TIMES: a program, ./WAY, that notes each payment in WAY.paid and comes to that end the
# first TIMES times; later ones end well.
ends() {
  local end
  case $1 in
    *killed) end='kill -KILL $$' ;;
    *shell) end="sh -c 'kill -TERM \$\$'; exit \$?" ;;
    *timeout) end='timeout 0.1 sh -c "while :; do :; done"; exit $?' ;;
    *late) end="exec '$child' stay /dev/null" ;;
    *flooded) end="exec '$child' flood output" ;;
  esac
  rm -f "$1.paid"
  cat >"$1" <<PROGRAM
#!/bin/sh
echo paid >>'$dir/$1.paid'
echo "half of it"
[ "\$(wc -l <'$dir/$1.paid')" -gt $2 ] || $end
PROGRAM
  chmod +x "$1"
}
paid() { wc -l <"$1.paid" | tr -d ' '; }

# pays COMMAND WAY SESSION ARGUMENTS…: runs WAY.lua, which COMMAND WAY LIMIT writes, in a new
# session; again with a longer time limit until it has got as far as to pay, on a machine of any
# speed.
limits="0.2 2 20 200"
pays() {
  local limit
  for limit in $limits; do
    "$1" "$2" "$limit"
    run run "$2.lua" --session "$3" "${@:4}"
    [ ! -s "$2.paid" ] || return 0
    "$CKRUN" sessions delete "$3" >/dev/null
  done
}

# ---- a node of class once, the default ----
# node WAY FIELDS: WAY.lua, a graph with that one node.
node() {
  cat >"$1.lua" <<FLOW
local flow = require "ck.flow"
return flow.graph {
  start = "pay", edges = { pay = flow.done },
  nodes = { pay = flow.exec { argv = { "$dir/$1" }, ${2-} } },
}
FLOW
}
payment() {
  ends "$1" 1
  node "$1" "$([ "$1" = late ] && echo "timeout_s = $2,") retry = { times = 3, backoff_ms = 0 }"
}
for way in killed late flooded shell timeout; do
  pays payment $way $way
  is "$way: a payment that is $way is in doubt, whatever its retry: exit 75" "$code" 75
  has "$way: it says why" "$err" \
    "effect main/pay#1/exec/1 (once) was begun and its outcome is not known: "
  is "$way: it was done once" "$(paid $way)" 1
  exits 75 "$way: a plain resume asks a person, too" resume $way
  is "$way: and repeats nothing" "$(paid $way)" 1
done
exits 0 "a person has it repeated" resolve killed main/pay#1/exec/1 retry
exits 0 "so it is" resume killed
is "once more" "$(paid killed)" 2
exits 0 "a person says that it was done" resolve late main/pay#1/exec/1 done --result '{"exit":0}'
exits 0 "so it counts" resume late
is "and is not done again" "$(paid late)" 1
exits 0 "a person gives it up" resolve flooded main/pay#1/exec/1 abort
exits 1 "so the node fails" resume flooded
is "and its retry does not repeat it" "$(paid flooded)" 1
exits 1 "a resume at the next attempt does not, either" resume flooded
is "it stays at one" "$(paid flooded)" 1

# ---- a step ----
ends step_killed 1
cat >step_killed.lua <<FLOW
local flow = require "ck.flow"
return flow.steps {
  steps = { { name = "pay", run = flow.exec { argv = { "$dir/step_killed" } },
    retry = { times = 3, backoff_ms = 0 } } },
}
FLOW
exits 75 "a step that is killed is in doubt" run step_killed.lua --session step
exits 75 "also when it is resumed" resume step
is "it was done once" "$(paid step_killed)" 1

# ---- classes that may be repeated: within the node's tries ----
for class in pure idempotent; do
  ends ${class}_killed 2
  node ${class}_killed "class = \"$class\", retry = { times = 3, backoff_ms = 0 }"
  exits 0 "$class: a program that is killed is run again within its tries" \
    run ${class}_killed.lua --session $class
  is "$class: three times in all" "$(paid ${class}_killed)" 3
  ends ${class}_killed 1
  node ${class}_killed "class = \"$class\""
  exits 1 "$class: with one try the node fails" run ${class}_killed.lua --session $class-single
  is "$class: after one run" "$(paid ${class}_killed)" 1
  exits 0 "$class: and a resume asks for it again" resume $class-single
  is "$class: once" "$(paid ${class}_killed)" 2
done

# ---- a policy's word: told to the flow, and not repeated for that by its retry ----
cat >tell.lua <<'POLICY'
return { name = "tell", version = 1, in_doubt = function() return "tell" end }
POLICY
cat >telling.lua <<'PROFILE'
return { name = "telling", extends = "graph", policies = { "every_boundary", "./tell.lua" } }
PROFILE
ends told_killed 1
node told_killed 'retry = { times = 3, backoff_ms = 0 }'
exits 1 "a node that is told that its payment is unknown fails" run told_killed.lua \
  --session told --profile ./telling.lua
has "with its end, and what that means" "$err" \
  "ended by signal 9 (Killed): half of it; unknown: may have happened"
has "which is shown of the session, too" "$("$CKRUN" sessions show told)" \
  "ended by signal 9 (Killed): half of it; unknown: may have happened"
is "its retry does not repeat it" "$(paid told_killed)" 1
exits 1 "nor does a resume, at the next attempt" resume told
is "it stays at one" "$(paid told_killed)" 1

# ---- tools of an agent ----
# agent WAY FIELDS: WAY.lua, an agent with the tool `pay`, whose model calls it once.
agent() {
  cat >"$1.lua" <<FLOW
local flow = require "ck.flow"
return flow.agent { prompt = "p", tools = { pay = flow.command { argv = { "$dir/$1" }, ${2-} } } }
FLOW
}
said='"scope":"main","kind":"model","message":{"role":"assistant","content":'
function='{"name":"pay","arguments":"{}"}'
cat >pay.jsonl <<CASSETTE
{"cassette":1,"prompt":"p"}
{${said}null,"tool_calls":[{"id":"c1","type":"function","function":$function}]}}
{"scope":"main","kind":"tool","index":0,"name":"pay","arguments":"{}","result":"?"}
{$said"I see."}}
CASSETTE
# told SESSION: what the model was told of its call.
told() {
  "$CKRUN" sessions log "$1" --json | perl -MJSON::PP -ne '
    my $m = JSON::PP->new->decode($_)->{body}{message} or next;
    print $m->{content} if $m->{role} eq "tool"'
}
statuses() {
  "$CKRUN" sessions log "$1" --kind outcome --all --json | perl -MJSON::PP -ne '
    my $b = JSON::PP->new->decode($_)->{body};
    print "$b->{status} " if $b->{kind} eq "tool"'
}
tool() {
  ends "$1" 9
  agent "$1" "$([ "$1" = tool_late ] && echo "timeout_s = $2")"
}
for way in killed late flooded shell timeout; do
  pays tool tool_$way tool-$way --cassette pay.jsonl
  is "$way: a model is told of a payment whose outcome is unknown, and goes on: exit 0" "$code" 0
  has "$way: its line says so" "$err" "unknown: may have happened  main/start/tool/1  pay"
  is "$way: and not that it failed" "$(grep -c failed <<<"$err")" 0
  has "$way: so does the log" "$("$CKRUN" sessions log tool-$way)" \
    "main/start/tool/1  unknown: may have happened  tool pay: "
  is "$way: the outcome is recorded as unknown" "$(statuses tool-$way)" "unknown "
  has "$way: the model is told what that means" "$(told tool-$way)" "it may have happened"
  is "$way: the payment was made once" "$(paid tool_$way)" 1
done
has "with the output so far" "$(told tool-killed)" "pay: ended by signal 9 (Killed)
half of it"
has "also of one that a shell saw killed" "$(told tool-shell)" \
  "pay: exit status 143, by which a shell tells of signal 15 (Terminated)
half of it"
has "or timeout(1) ended" "$(told tool-timeout)" \
  "pay: exit status 124, by which timeout(1) tells that it ended a program"
has "also of one that was late" "$(told tool-late)" "half of it"

# Later attempts take what is recorded, too: the same flow with an end that fails.
ends then_killed 9
cat >then_killed.lua <<FLOW
local flow = require "ck.flow"
return flow.graph {
  start = "ask", edges = { ask = "check", check = flow.done },
  nodes = {
    ask = flow.agent { name = "main", prompt = "p",
      tools = { pay = flow.command { argv = { "$dir/then_killed" } } } },
    check = flow.exec { argv = { "test", "-e", "$dir/go" }, class = "pure" },
  },
}
FLOW
sed 's/"scope":"main"/"scope":"main.main"/' pay.jsonl >then.jsonl
run run then_killed.lua --cassette then.jsonl --session then
first=$("$CKRUN" --json sessions checkpoints then 2>/dev/null | grep -o 'checkpoint_[0-9A-Za-z-]*' |
  tail -n 1)
touch go
run resume then --checkpoint "$first"
is "a resume from the first checkpoint makes no second payment" "$(paid then_killed)" 1

# An agent that fails after such a call is not begun again by its node's retry.
ends tried_killed 9
cat >tried_killed.lua <<FLOW
local flow = require "ck.flow"
return flow.graph {
  start = "ask", edges = { ask = flow.done },
  nodes = {
    ask = flow.node { flow.agent { name = "main", prompt = "p", max_iterations = 1,
      tools = { pay = flow.command { argv = { "$dir/tried_killed" } } } },
      retry = { times = 3, backoff_ms = 0 } },
  },
}
FLOW
exits 1 "an agent that may not ask its model again fails" run tried_killed.lua \
  --cassette then.jsonl --session tried
has "for that" "$err" "the most that max_iterations allows"
is "its node's retry does not begin it again" "$(paid tried_killed)" 1

# Nor when ckrun died in between, and the agent went on behind its unknown call.
ends then_died_killed 9
cat >die <<PROGRAM
#!/bin/sh
[ -e '$dir/died' ] || { touch '$dir/died'; kill -KILL \$PPID; }
PROGRAM
chmod +x die
cat >then_died.lua <<FLOW
local flow = require "ck.flow"
return flow.graph {
  start = "ask", edges = { ask = flow.done },
  nodes = {
    ask = flow.node { flow.agent { name = "main", prompt = "p", max_iterations = 2,
      tools = { pay = flow.command { argv = { "$dir/then_died_killed" } },
        die = flow.command { argv = { "$dir/die" }, class = "pure" } } },
      retry = { times = 3, backoff_ms = 0 } },
  },
}
FLOW
{ sed '$d' then.jsonl; sed -n '2,3s/"pay"/"die"/p' then.jsonl; } >then_died.jsonl
{ "$CKRUN" run then_died.lua --cassette then_died.jsonl --session then-died --profile graph; } \
  >out1 2>&1
exits 1 "an agent that died behind an unknown call, went on and failed" resume then-died
has "for that" "$err" "the most that max_iterations allows"
is "is not begun again, either" "$(paid then_died_killed)" 1

# ---- tools of a server that goes away ----
server=$CKRUN_BUILD/tests/effect/mcp/tool_mcp_server
for class in once pure; do
  cat >gone.lua <<FLOW
local flow = require "ck.flow"
return flow.custom { processes = { box = flow.mcp { argv = { "$server", "good" } } },
  run = function(ctx)
    local request = { server = "box", name = "die", call_id = "c1" }
    return ctx.effect { kind = "tool", class = "$class", request = request }.error
  end }
FLOW
  run run gone.lua --session gone-$class
  case $class in
    once)
      is "a server that goes away during a call of class once: the model is told" \
        "$code $(statuses gone-once)" "0 unknown "
      has "what that means" "$(told gone-once)" "it may have happened"
      ;;
    pure)
      is "a pure call is made three times, then the session pauses" \
        "$code $(statuses gone-pure)" "8 failed failed failed "
      ;;
  esac
done

# ---- a policy may stop the session instead ----
cat >stop.lua <<'POLICY'
return { name = "stop", version = 1, in_doubt = function() return "stop" end }
POLICY
cat >stopping.lua <<'PROFILE'
return { name = "stopping", extends = "default", policies = { "every_boundary", "./stop.lua" } }
PROFILE
ends stopped_killed 1
agent stopped_killed
exits 75 "a policy stops the session for a person" run stopped_killed.lua --cassette pay.jsonl \
  --session stopped --profile ./stopping.lua
exits 0 "who says what became of it" resolve stopped main/start/tool/1 done --result '"paid 7"'
exits 0 "and the model goes on" resume stopped
is "with that" "$(told stopped) $(paid stopped_killed)" "paid 7 1"

# ---- pure tools: again at once, three times in all ----
ends again_killed 2
agent again_killed 'class = "pure"'
exits 0 "a pure tool that is killed" run again_killed.lua --cassette pay.jsonl --session again
is "is run again at once" "$(paid again_killed) $(statuses again)" "3 failed failed ok "
ends over_killed 9
agent over_killed 'class = "idempotent"'
exits 0 "one that is killed each time" run over_killed.lua --cassette pay.jsonl --session over
is "is run three times, then the model is told" "$(paid over_killed) $(statuses over)" \
  "3 failed failed unknown "
ok "and not warned" test -z "$(told over | grep 'may have happened')"

# ---- reconcilable ones are probed ----
# probe ANSWER: exit 0 with a result, 1 (it did not happen) or 2 (cannot tell).
for answer in 0 1 2; do
  ends probe${answer}_killed 1
  printf '#!/bin/sh\necho probed >>%s/probe%s.log\n[ %s = 0 ] && echo "paid after all"\nexit %s\n' \
    "$dir" $answer $answer $answer >probe$answer
  chmod +x probe$answer
  agent probe${answer}_killed "class = \"reconcilable\", probe = { \"$dir/probe$answer\" }"
  exits 0 "probe $answer: a reconcilable tool that is killed is probed" \
    run probe${answer}_killed.lua --cassette pay.jsonl --session probe$answer
  is "probe $answer: once" "$(wc -l <probe$answer.log | tr -d ' ')" 1
done
is "it had happened" "$(told probe0) $(paid probe0_killed)" "paid after all 1"
is "it had not: it is made" "$(told probe1) $(paid probe1_killed)" "half of it 2"
has "nobody can tell: so the model is told" "$(told probe2)" "it may have happened"
is "and it is not repeated" "$(paid probe2_killed)" 1
ends absent_killed 9
agent absent_killed "class = \"reconcilable\", probe = { \"$dir/probe1\" }"
exits 0 "one that is killed each time before it does anything" run absent_killed.lua \
  --cassette pay.jsonl --session absent
is "is tried three times, then it is an error" "$(paid absent_killed) $(statuses absent)" "3 error "
finish
