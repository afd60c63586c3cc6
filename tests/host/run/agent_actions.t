#!/bin/bash
# agent_actions.t - what an agent process wants to do in its turn is put to the policies' permit:
# allowed, denied, or put to a person, whose answer is recorded once and found by the next turn.
. "$(dirname "$0")/../tap.sh"
agent=$(realpath "$CKRUN_BUILD/tests/effect/acp/tool_acp_agent")
[ -x "$agent" ] || { echo "Bail out! $agent is not built"; exit 1; }
cd "$dir" || exit 1
export WANTED=$dir/wanted
rm='{"toolCallId":"w9","kind":"execute","title":"Run rm","rawInput":{"command":"rm -r x"}}'

# flow CLASS [TRUST]: one turn, of the prompt that is the input.
flow() {
  cat >flow.lua <<END
local flow = require "ck.flow"
return flow.custom { agents = { "ann" },
  processes = { coder = flow.acp { argv = { "$agent" }, env = { "WANTED" },
    trust = "${2:-trusted}" } },
  run = function(ctx)
    local turn = ctx.effect { kind = "agent", class = "$1", agent = "ann",
      request = { process = "coder", prompt = ctx.input } }
    return { status = turn.status, text = turn.result and turn.result.text }
  end }
END
}
# profile [PERMISSIONS]: with the hook of the text on stdin.
profile() {
  { echo 'return { name = "p", version = 1, permit = function(effect, at)'
    echo 'if effect.kind ~= "agent_tool" then return end'; cat; echo 'end }'; } >permit.lua
  echo "return { name = \"p\", extends = \"default\", permissions = { $* },
    policies = { \"./permit.lua\" } }" >profile.lua
}
# session NAME PROMPT [OPTION…]
session() {
  local name=$1 prompt=$2
  shift 2
  run run flow.lua --profile ./profile.lua --session "$name" --input "$(quoted "$prompt")" "$@"
}
quoted() { perl -MJSON::PP -e 'print JSON::PP->new->allow_nonref->encode($ARGV[0])' "$1"; }
# told NAME KIND PATTERN: how many events of that kind have it.
told() { "$CKRUN" --json sessions log "$1" --all | grep "\"kind\":\"$2\"" | grep -c -- "$3"; }

flow once
profile <<'END'
  return ck.deny(table.concat({ effect.tool, effect.class, effect.agent, effect.request.process,
    effect.request.title, effect.arguments.command, at.next.tool, #effect.request.options }, "|"))
END
session deny "want $rm"
is "denied: the turn goes on" "$code" 0
has "the agent hears its option to reject" "$out" "optionId\\\":\\\"no"
run sessions log deny
has "what the policy saw, and said, is recorded" "$out" \
  'execute|once|ann|coder|Run rm|rm -r x|execute|3'
is "as a denied outcome" "$(told deny outcome '"denied":{')" 1
is "of which nothing was begun" "$(told deny intent '"kind":"agent_tool"')" 0
run policy explain deny
has "which policy explain tells" "$out" 'denied'

profile '["*"] = "reject"' <<<'return "allow"'
session rejected "want $rm"
has "what the profile rejects no policy allows" "$out" "optionId\\\":\\\"no"
profile <<<'return "allow"'
session allow "want $rm"
has "allowed where the profile has no rule" "$out" "optionId\\\":\\\"yes"
is "it is recorded, intent and outcome" "$(told allow intent '"kind":"agent_tool"') $(
  told allow outcome '"option":"yes"')" "1 1"
profile <<<'return nil'
session none "want $rm"
has "a policy without an objection allows nothing by itself" "$out" "optionId\\\":\\\"no"
is "the profile's want of a rule is told" "$(told none outcome 'no policy allows it')" 1
profile 'execute = "allow"' <<<'return nil'
session rule "want $rm"
has "nor does it stand against the profile's rule" "$out" "optionId\\\":\\\"yes"
profile 'execute = "allow"' <<<'return nil'
sed -i 's/permit = function/no_permit_at_all = nil, checkpoint = function/' permit.lua
session hookless "want $rm"
is "without a permit hook it is as the rule says, and an update of the turn" \
  "$(told hookless update '"by":"rule"') $(told hookless intent agent_tool)" "1 0"
profile <<<'error "boom"'
session failing "want $rm"
is "a hook that fails asks" "$code" 8
has "and says of what" "$err" boom

# ---- a person ----

profile <<<'return ck.ask("May it " .. effect.request.title .. "?")'
session asked "want $rm"
is "nobody is there: the session waits" "$code" 8
has "for the question" "$err" 'May it Run rm?'
ok "the agent was told to stop" grep -q stopped wanted
rm -f wanted
run answer asked
has "the question can be read" "$out" 'May it Run rm?'
has "with what it is about" "$out" 'rm -r x'
run answer asked maybe
is "only allow and deny are answers" "$code" 5
exits 0 "it is answered" answer asked allow
run resume asked
is "the turn goes again" "$code" 0
has "and finds the answer" "$out" "optionId\\\":\\\"yes"
is "asked once, answered once" \
  "$(told asked intent '/permit"') $(told asked outcome '/permit"')" "1 1"
is "who answered is recorded" "$(told asked outcome '"via":"ckrun answer"')" 1
run policy explain asked
has "and told" "$out" 'was answered allow by'
session refused "want $rm"
run answer refused deny
run resume refused
has "what a person denies the agent does not do" "$out" "optionId\\\":\\\"no"
is "and the flow goes on" "$code" 0

# ---- a person, by the profile's rule ----

# No policy has a word in it; the agent keeps its sessions.
export PROMPTS=$dir/prompts
cat >ruled.lua <<END
local flow = require "ck.flow"
return flow.graph { start = "work",
  processes = { coder = flow.acp { argv = { "$agent", "loads" }, env = { "WANTED", "PROMPTS" } } },
  nodes = { work = flow.prompt { process = "coder", prompt = function(ctx) return ctx.input end } },
  edges = { work = flow.done } }
END
echo 'return { name = "ruled", permissions = { execute = "ask" } }' >ruled-profile.lua
for word in allow deny; do
  rm -f prompts
  "$CKRUN" submit ruled.lua --profile ./ruled-profile.lua --session "rule-$word" \
    --input "$(quoted "want $rm")" >/dev/null 2>&1
  run worker --until-idle
  has "$word: a rule asks where nobody is: the session waits" "$out" \
    "waiting: the agent 'coder' asks for permission: Run rm (execute)"
  run resume "rule-$word" --dry-run
  has "$word: a dry run knows the question" "$out" $'questions\t1'
  exits 0 "$word: it is answered" answer "rule-$word" "$word"
  run resume "rule-$word" --dry-run
  has "$word: and the answer" "$out" $'to be asked about\t0'
  run worker --until-idle
  has "$word: the worker goes on" "$out" completed
  has "$word: the agent is told before it asks again" "$(tail -n 1 prompts)" \
    "- Run rm (execute): $([ "$word" = allow ] && echo allowed || echo denied)"
  is "$word: it has its answer, asked once" "$(told "rule-$word" update '"by":"person"') $(
    told "rule-$word" intent '/permit"')" "1 1"
done
run policy explain rule-allow
has "explain names who answered" "$out" 'was answered allow by'
run policy simulate --hook permit --profile ./ruled-profile.lua rule-allow
is "and simulate goes over it" "$code" 0

# ---- twice ----

session same "twice same"
run answer same allow
run resume same
is "asked about twice, the same call is one question" "$code $(told same intent '/permit"')" "0 1"
session again "twice again"
run answer again allow
run resume again
is "the same action a second time is another one" "$code" 8
run answer again deny
run resume again
is "each has its answer" "$code $(told again outcome '"option":"yes"')" "0 2"
session once at-once
run answer once allow
run resume once
is "asked twice at once: each request gets the answer" \
  "$code $(grep -o "optionId..:..yes" <<<"$out" | grep -c .)" "0 2"
session deaf "at-once deaf"
is "an agent that does not wait ends its turn" "$code" 0
run answer deaf allow
is "and nobody is asked any more" "$code" 5
for what in call options always other; do
  session "bad-$what" "nonsense $what"
  ok "nonsense ($what) allows nothing" test "$(grep -c "optionId..:..\(yes\|ever\)" <<<"$out")" = 0
done

# ---- kills ----

flow idempotent
session dies "new $dir/died"
is "a question before the agent dies" "$code" 8
run answer dies allow
run resume dies
is "the answer holds for the turn that goes again" "$code $(told dies intent '/permit"')" "0 1"

# ---- at a terminal ----

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  mkfifo keys
  profile <<<'return ck.ask("May it " .. effect.request.title .. "?")'
  # at_terminal SESSION: runs it at a terminal, whose keys come from descriptor 7, until its
  # question stands.
  at_terminal() {
    : >terminal # an earlier question is not this one
    (script -qec "echo \$\$ >pid; exec '$CKRUN' run flow.lua --profile ./profile.lua --session $1 \
      --input '\"new\"'" /dev/null <keys >terminal 2>&1; echo $? >terminal.code) &
    at=$!
    exec 7>keys
    until grep -q '> $' terminal || ! kill -0 "$at"; do :; done
  }
  away() { wait "$at"; exec 7>&-; code=$(cat terminal.code) out=$(tr -d '\r' <terminal); }
  at_terminal here
  echo allow >&7
  away
  has "it is asked at the terminal, and the turn is held" "$out" "May it Run it?"
  is "allowed there, it goes on" "$code $(told here outcome '"option":"yes"')" "0 1"
  at_terminal else
  exits 0 "an answer from elsewhere" answer else deny
  away
  has "takes the question back" "$out" "answered from elsewhere: deny"
  is "and is obeyed in the turn" "$code $(told else outcome '"denied":{"by":"person"')" "0 1"
  at_terminal left
  run pause left
  away
  is "a pause gives the question up" "$code" 8
  exits 0 "which can be answered" answer left allow
  exits 0 "and a resume goes on" resume left
  is "with that answer" "$(told left intent '/permit"') $(told left outcome '"option":"yes"')" "1 1"
  at_terminal killed
  kill -9 "$(cat pid)"
  away
  exits 0 "killed while it asks: it can be answered" answer killed allow
  exits 0 "and goes on" resume killed
  is "with that answer, too" \
    "$(told killed intent '/permit"') $(told killed outcome '"option":"yes"')" "1 1"
else
  skip "script(1) or terminals are missing"
fi

# ---- what is not trusted ----

flow once untrusted
echo 'return { name = "p", extends = "default", policies = { "approve" } }' >profile.lua
session approve "want $rm"
is "an agent that is not to be trusted: a person approves what cannot be taken back" "$code" 8
has "with its source" "$err" coder
session harmless "permit read"
is "not what only looks" "$code" 0

run policy simulate --hook permit --profile ./profile.lua deny allow asked refused approve
is "simulate asks again about all of it" "$code" 0
exits 0 "the store is as it should be" store verify
# ---- an agent that offers no answer for this once ----
profile '["*"] = "ask"' <<<'return nil'
session ever "permit-ever"
is "a person is asked all the same" "$code" 8
has "and told what an allow means" "$err" \
  "it offers no allow for this once: allow means its allow_always"
exits 0 "who allows it" answer ever allow
exits 0 "the turn goes on" resume ever
is "with what they said" "$(told ever outcome '"option":"ever"')" 1
session never "permit-ever"
exits 0 "who denies it" answer never deny
exits 0 "the turn goes on" resume never
has "without it" "$out" "optionId\\\":\\\"never"
profile '["*"] = "allow"' <<<'return nil'
session unasked "permit-ever"
has "where nobody is asked nothing is allowed for ever" "$out" "optionId\\\":\\\"never"
profile '["*"] = "ask"' <<<'return "allow"'
session policy "permit-ever"
is "no policy takes the question away" "$code" 8

finish
