#!/bin/bash
# permit.t - a policy is asked before an effect begins: it lets it begin, denies it, or has a person
# asked; the answer counts for that very effect, once, and a hook that fails asks.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# ---- a node's effect ----

cat >node.lua <<'EOF'
local flow = require "ck.flow"
return flow.graph { start = "build", nodes = {
  build = flow.exec { argv = { "sh", "-c", "echo ran >>ran" } } },
  edges = { build = flow.done } }
EOF
cat >caught.lua <<'EOF'
local flow = require "ck.flow"
return flow.graph { start = "build", nodes = {
  build = flow.exec { argv = { "sh", "-c", "echo ran >>ran" }, on_error = "other" },
  other = function() return "handled" end },
  edges = { build = flow.done, other = flow.done } }
EOF
cat >no.lua <<'EOF'
return { name = "no", version = 1,
  permit = function(effect) if effect.kind == "exec" then return ck.deny "no programs" end end }
EOF
cat >ask.lua <<'EOF'
return { name = "ask", version = 1, permit = function(effect)
  if effect.kind == "exec" then return ck.ask("Run " .. effect.request.argv[1] .. "?") end
end }
EOF
cat >yes.lua <<'EOF'
return { name = "yes", version = 1, permit = function() return "allow" end }
EOF
# with NAME POLICY…: a profile.
with() {
  local name=$1 list=
  shift
  for policy; do list+="\"$policy\", "; done
  echo "return { name = \"$name\", extends = \"default\", policies = { $list } }" \
    >"$name.profile.lua"
}
for policy in no ask yes; do with $policy ./$policy.lua; done
with both ./ask.lua ./no.lua
# bodies SESSION KIND EXPRESSION: of each such event's body, $b.
bodies() {
  "$CKRUN" --json sessions log "$1" --all --kind "$2" | perl -MJSON::PP -ne '
    BEGIN { $e = shift } my $b = decode_json($_)->{body}; my $v = eval $e; die $@ if $@;
    push @all, $v if defined $v; END { print join " ", @all }' "$3"
}
# ran NAME TIMES
ran() { is "$1" "$([ -f ran ] && wc -l <ran || echo 0)" "$2"; }

exits 0 "allowed" run node.lua --profile ./yes.profile.lua --session yes
ran "it ran" 1
rm ran
exits 1 "denied" run node.lua --profile ./no.profile.lua --session no
has "the node fails, with policy and reason" "$err" \
  "session no failed: node 'build': denied by policy no: no programs"
ran "nothing ran" 0
is "there is no intent" "$(bodies no intent '$b->{key}')" ""
is "the outcome says who denied what" \
  "$(bodies no outcome 'join "|", @{$b->{denied}}{qw(by policies reason)},
    @{$b->{denied}{request}{argv}}, $b->{status}')" \
  "policy|no|no programs|sh|-c|echo ran >>ran|error"
run --json sessions show no
is "it is not clean" "$(bodies no boundary '$b->{kind} eq "failure" ? $b->{clean} : undef')" 0
is "shown, it was denied when its outcome was told" \
  "$(json "$("$CKRUN" --json sessions show no)" 'my ($e) = @{$d->{last_effects}};
    "$e->{status} " . (substr($e->{begun}, 0, 4) >= 2026 ? "then" : $e->{begun})')" "denied then"
exits 0 "a flow can go on from a denied node" run caught.lua --profile ./no.profile.lua --session on
has "as from any error" "$out" "$(printf 'result\thandled')"
exits 1 "a deny comes before a question" run node.lua --profile ./both.profile.lua --session both
has "and nobody is asked" "$err" "denied by policy no: no programs"
run resume no --dry-run
has "the dry run asks the policy" "$out" \
  "$(printf 'effect\tmain/build#1/exec/1 (once): would be denied')"
has "and says what it says" "$out" 'by policy "no": no programs'
run --json resume no --dry-run
is "as JSON" "$(json "$out" 'my $e = $d->{effects}[0];
  "@$e{qw(what policy reason)} $d->{denied}"')" "denied no no programs 1"
run resume no --dry-run --profile ./ask.profile.lua --accept-changed
has "of another policy, too" "$out" 'a person would be asked, by policy "ask": Run sh?'
exits 1 "a resume asks the policy again" resume no
has "and is denied again" "$err" "denied by policy no"
exits 0 "another policy lets it go on" resume no --profile ./yes.profile.lua --accept-changed
ran "it ran" 1
rm ran

cat >eager.lua <<'EOF'
return { name = "eager", version = 1, on_failure = function() return "retry" end }
EOF
with eager ./eager.lua ./no.lua
exits 1 "a policy that has everything tried again" run node.lua --profile ./eager.profile.lua \
  --session eager
is "is not asked about what is denied: it is denied once" \
  "$(bodies eager outcome '$b->{denied} ? $b->{key} : undef')" main/build#1/exec/1

# A node's retry is for what fails, not for what is denied.
cat >tries.lua <<'EOF'
local flow = require "ck.flow"
local retry = { times = 3, backoff_ms = 0 }
return flow.graph { start = "build", nodes = {
  build = flow.exec { argv = { "sh", "-c", "echo ran >>ran" }, retry = retry, on_error = "other" },
  other = flow.node { flow.agent { name = "ann", prompt = "Build.", tools = {
    make = flow.tool(function(ctx)
      return ctx.effect { kind = "exec", class = "once", request = { argv = { "sh" } } }.error
    end) } }, writes = { "made" }, retry = retry, on_error = "last" },
  last = flow.exec { argv = { "sh", "-c",
    "[ ! -e die ] || { rm die; kill -9 $PPID; }; exit 3" }, retry = retry, on_error = "end_" },
  end_ = function() return "handled" end },
  edges = { build = flow.done, other = flow.done, last = flow.done, end_ = flow.done } }
EOF
cat >some.lua <<'EOF'
return { name = "some", version = 1, permit = function(effect)
  if effect.kind == "exec" and effect.request.argv[3] == "echo ran >>ran" then
    return WORD
  elseif effect.kind == "exec" and effect.request.argv[2] == nil then
    return ck.ask "By the agent?"
  end
end }
EOF
{ echo '{"cassette":1}'
  printf '{"scope":"main.ann","kind":"model","message":{"role":"assistant","content":"%s"%s}}\n' \
    "" ',"tool_calls":[{"id":"c","type":"function","function":{"name":"make","arguments":"{}"}}]' \
    made ""
} >tries.tape
sed 's/WORD/ck.ask "Build?"/' some.lua >some_ask.lua
sed 's/WORD/ck.deny "no"/' some.lua >some_no.lua
for policy in some_ask some_no; do with $policy ./$policy.lua; done
# tried SESSION: what came of the programs; asked SESSION: the questions.
tried() {
  bodies "$1" outcome '$b->{kind} ne "exec" ? undef : $b->{denied} ? $b->{denied}{by} : "ran"'
}
asked() {
  bodies "$1" intent '$b->{request}{effect} ? $b->{request}{question} : undef' | tr -d ' '
}
touch die
exits 8 "three tries, and a question" run tries.lua --cassette tries.tape \
  --profile ./some_ask.profile.lua --session tries
exits 0 "denied" answer tries deny
exits 8 "an agent that has three tries, too" resume tries
has "has its program asked about" "$err" "By the agent?"
exits 0 "denied" answer tries deny
exits 137 "no try is left to either; what fails is tried, and killed" resume tries
run resume tries
exits 0 "what was lost is said" resolve tries "$(
  "$CKRUN" resolve tries 2>/dev/null | head -1 | cut -f1)" retry
exits 0 "it goes on, and what only fails is tried three times" resume tries
has "to its end" "$out" "$(printf 'result\thandled')"
is "each was denied once, behind the kill, too" "$(tried tries)" \
  "person person ran ran ran"
is "each question was put once" "$(asked tries)" "Build?Bytheagent?"
cat >pair.lua <<'EOF'
local flow = require "ck.flow"
local function program(script)
  return { kind = "exec", class = "pure", request = { argv = { "sh", "-c", script } } }
end
return flow.graph { start = "pair", nodes = { pair = flow.lua { run = function(ctx)
  ctx.effect(program "echo ran >>ran")
  ctx.effect(program "[ ! -e die ] || { rm die; kill -9 $PPID; }")
  error("one of them was denied", 0)
end, retry = { times = 3, backoff_ms = 0 } } }, edges = { pair = flow.done } }
EOF
exits 8 "two programs" run pair.lua --profile ./some_ask.profile.lua --session pair
exits 0 "the first is denied" answer pair deny
touch die
exits 137 "a kill behind it" resume pair
exits 1 "and the node fails" resume pair
is "the deny that is replayed is the last word, too" "$(asked pair) $(tried pair)" \
  "Build? person ran"
exits 8 "a policy's deny of a node" run tries.lua --cassette tries.tape \
  --profile ./some_no.profile.lua --session tried
is "ends its tries, too" "$(tried tried)" "policy"
ran "nothing ran" 0

# ---- a person is asked ----

exits 8 "asked, with nobody there" run node.lua --profile ./ask.profile.lua --session ask
has "it waits" "$err" "session ask waits for a human: Run sh?"
ran "nothing ran" 0
run --json answer ask
is "the question tells its choices" \
  "$(json "$out" '"$d->{effect} $d->{question} @{$d->{options}}"')" \
  "main/build#1/exec/1/permit Run sh? allow deny"
exits 8 "without an answer it waits on" resume ask
exits 5 "no other answer is taken" answer ask yes
has "as is told" "$err" "'yes' is none of the answers that can be given: allow, deny"
exits 0 "the dry run" resume ask --dry-run
has "shows the question" "$out" "$(printf 'questions\t1')"
exits 0 "allowed" answer ask allow
exits 0 "it goes on" resume ask
ran "it ran" 1
rm ran
is "what was asked is recorded with its answer" \
  "$(bodies ask outcome '$b->{key} =~ m{/permit$} ? "$b->{via} $b->{result}" : undef')" \
  "answer allow"
exits 8 "asked" run node.lua --profile ./ask.profile.lua --session deny
exits 0 "denied" answer deny deny
exits 1 "the node fails" resume deny
has "a person did it" "$err" "node 'build': denied by a person, asked by policy ask: Run sh?"
ran "nothing ran" 0
exits 8 "tried again, the person is asked again" resume deny
exits 0 "now allowed" answer deny allow
exits 0 "it goes on" resume deny
ran "and runs" 1
rm ran
exits 8 "asked" run node.lua --profile ./ask.profile.lua --session kept
exits 0 "denied" answer kept deny
sed 's/Run/Start/' ask.lua >start.lua
sed 's/ask/start/g' ask.profile.lua >start.profile.lua
run --json resume kept --dry-run
is "the dry run says that it is denied" "$(json "$out" '"@$d{qw(denied asked replayed)}"')" "1 0 0"
run --json resume kept --dry-run --profile ./start.profile.lua
is "and that another question is put" "$(json "$out" '"@$d{qw(denied asked replayed)}"')" "0 1 0"
exits 1 "the answer stands when no policy asks any more" resume kept --profile ./yes.profile.lua \
  --accept-changed
has "it is the person's" "$err" "denied by a person"
exits 8 "asked" run node.lua --profile ./ask.profile.lua --session over
exits 0 "allowed" answer over allow
exits 1 "but a policy's deny comes before it" resume over --profile ./no.profile.lua \
  --accept-changed
ran "nothing ran" 0

sed 's/echo ran/echo other/' node.lua >edited.lua
cp node.lua mine.lua
exits 8 "asked" run mine.lua --profile ./ask.profile.lua --session edited
exits 0 "allowed" answer edited allow
cp edited.lua mine.lua
exits 8 "for this request alone: another one in its place is asked about" resume edited \
  --accept-changed
ran "nothing ran" 0
exits 0 "that is allowed" answer edited allow
exits 0 "and made" resume edited --accept-changed
is "alone" "$(cat ran)" other
rm ran

# ---- a person at a terminal ----

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  mkfifo keys
  # at_terminal SESSION: runs it at a terminal, whose keys come from descriptor 7, until its
  # question stands.
  at_terminal() {
    : >terminal # an earlier question is not this one
    (script -qec "'$CKRUN' run node.lua --profile ./ask.profile.lua --session $1" /dev/null <keys \
      >terminal 2>&1; echo $? >terminal.code) &
    at=$!
    exec 7>keys
    until grep -q '> $' terminal || ! kill -0 "$at"; do :; done
  }
  away() { wait "$at"; exec 7>&-; code=$(cat terminal.code) out=$(tr -d '\r' <terminal); }
  rm -f ran
  at_terminal here
  echo allow >&7
  away
  has "it is asked at the terminal" "$out" "Run sh?"
  has "with what would be run" "$out" 'exec {"argv":["'
  is "and allowed there" "$code" 0
  ran "it ran" 1
  at_terminal else
  run answer else perhaps --effect main/build#1/exec/1/permit
  is "an answer from elsewhere that is none" "$code" 5
  exits 0 "one that is" answer else deny --effect main/build#1/exec/1/permit
  away
  has "takes the question back" "$out" "answered from elsewhere: deny"
  has "and is obeyed" "$out" "denied by a person, asked by policy ask: Run sh?"
  ran "nothing ran" 1
  at_terminal left
  run pause left
  away
  is "a pause gives the question up" "$code" 8
  exits 0 "a resume asks it again" answer left allow
  exits 0 "and goes on" resume left
  ran "once" 2
  rm ran
else
  skip "script(1) or terminals are missing"
fi

# ---- a hook that fails asks ----

cat >bad.lua <<'EOF'
return { name = "bad", version = 1, permit = function() error("lost") end }
EOF
with bad ./bad.lua ./ask.lua
exits 8 "a hook that fails asks" run node.lua --profile ./bad.profile.lua --session bad
has "says of what it failed, and joins the others" "$err" \
  "policy \"bad\", permit: $dir/bad.lua:1: lost; Run sh?"
is "the failure is an event" "$(bodies bad policy_error '$b->{hook}')" permit
ran "nothing ran" 0
cat >word.lua <<'EOF'
return { name = "word", version = 1, permit = function() return "deny" end }
EOF
with word ./word.lua
exits 8 "so does an answer that is none" run node.lua --profile ./word.profile.lua --session word
has "by its place and remedy" "$err" \
  'nil, "allow", ck.deny "why" or ck.ask "question" expected, got '"'deny'"

# ---- tools of a model ----

# call N NAME ARGUMENTS, model TEXT [CALLS], tool INDEX NAME ARGUMENTS RESULT: parts of a cassette.
call() { printf '{"id":"call_%s","type":"function","function":{"name":"%s","arguments":"%s"}}' \
  "$1" "$2" "${3//\"/\\\"}"; }
model() { printf '{"scope":"main","kind":"model","message":%s"content":"%s"%s}}\n' \
  '{"role":"assistant",' "$1" "${2:+,\"tool_calls\":[$2]}"; }
tool() { printf '{"scope":"main","kind":"tool","index":%s,"name":"%s",%s"result":"%s"}\n' \
  "$1" "$2" "\"arguments\":\"${3//\"/\\\"}\"," "$4"; }
# tape FIRST SECOND: what the model is given for its two calls of send.
tape() {
  echo '{"cassette":1,"prompt":"Send."}'
  echo '{"scope":"main","kind":"ask","answer":"Go."}'
  model one "$(call 1 send '{"to":"ann"}'),$(call 2 look '{}'),$(call 3 add '{"n":1}')"
  tool 0 send '{"to":"ann"}' "$1"
  tool 1 look '{}' seen
  model two "$(call 4 send '{"to":"ann"}')"
  tool 0 send '{"to":"ann"}' "$2"
  model done
}
tape "not to ann" "not to ann" >denied.tape
tape sent "denied by a person" >asked.tape
cat >agent.lua <<'EOF'
local flow = require "ck.flow"
return flow.agent { name = "sender", prompt = flow.recorded, user = flow.ask {},
  stop = function(text) return text == "done" end, tools = {
  send = flow.command { argv = { "sh", "-c", "echo sent >>ran; echo sent" }, class = "once" },
  look = flow.command { argv = { "echo", "seen" }, class = "pure" },
  add = flow.tool(function(ctx, arguments)
    ctx.memory.sum = (ctx.memory.sum or 0) + arguments.n
    return "added"
  end) } }
EOF
cat >once.lua <<'EOF'
return { name = "once", version = 1, options = { word = "ask" }, permit = function(e, at, opt)
  if e.kind ~= "tool" then return end
  print(e.tool, e.class, e.arguments.to, e.agent, e.reserve_usd, at.kind, at.agent, at.next.tool)
  if e.tool == "add" and opt.word == "deny" then return ck.deny "no sums" end
  if e.class ~= "once" then return end
  if opt.word == "deny" then return ck.deny("not to " .. e.arguments.to) end
  return ck.ask("Send it to " .. e.arguments.to .. "?")
end }
EOF
cat >denies.profile.lua <<'EOF'
return { name = "denies", extends = "default", policies = { { "./once.lua", word = "deny" } },
  constraints = { tool_calls = 1 } }
EOF
with asks ./once.lua
exits 0 "an agent whose calls are denied" run agent.lua --cassette denied.tape --session denies \
  --profile ./denies.profile.lua
is "what the policy sees" \
  "$(grep -cF 'once.lua:3: send  once  ann  sender  0.0  nil  sender  send' <<<"$err")" 2
ran "nothing was sent" 0
is "the model is told why, in the order of its calls; the other one was made" \
  "$("$CKRUN" --json sessions inspect denies | perl -MJSON::PP -0777 -ne '
    my $d = decode_json($_); my ($c) = values %{$d->{conversation_states}};
    print join ";", map { "$_->{name}=$_->{content}" } grep { $_->{role} eq "tool" } @$c')" \
  "send=not to ann;look=seen;add=no sums;send=not to ann"
run --json sessions show denies
is "a denied call is none, and takes nothing of a limit" \
  "$(json "$out" '$d->{totals}{tool_calls}')" 1
is "nor is it a failure" "$(bodies denies boundary 'defined $b->{clean} ? 1 : undef')" ""
is "what a denied function would have written is not there" \
  "$("$CKRUN" --json sessions inspect denies | grep -c '"sum"')" 0

exits 8 "an agent whose call is asked about" run agent.lua --cassette asked.tape --session asks \
  --profile ./asks.profile.lua
has "waits" "$err" "Send it to ann?"
ran "nothing was sent" 0
exits 0 "allowed" answer asks allow
exits 8 "the next call is asked about for itself" resume asks
ran "the first was sent, once" 1
exits 0 "that is denied" answer asks deny
exits 0 "the agent goes on" resume asks
ran "and the second was not sent" 1
is "the first was asked about once, the second once" \
  "$(bodies asks outcome '$b->{key} =~ m{/permit$} ? $b->{result} : undef')" "allow deny"
run sessions log asks --all
has "the log says so" "$out" "denied by a person"
rm ran

# ---- an agent's own list only adds ----

cat >own.profile.lua <<'EOF'
return { name = "own", policies = { { "./once.lua", word = "deny" } },
  agents = { sender = { extend = false,
    policies = { { "./once.lua", word = "ask" }, "./yes.lua" } } } }
EOF
exits 0 "an agent's own list" run agent.lua --cassette denied.tape --session own --profile \
  ./own.profile.lua
ran "allows nothing that the profile's denies" 0
is "of the same name, too" "$(bodies own outcome '$b->{denied} ? $b->{denied}{reason} : undef')" \
  "not to ann no sums not to ann"
cat >hers.profile.lua <<'EOF'
return { name = "hers", extends = "default",
  agents = { sender = { policies = { { "./once.lua", word = "deny" } } } } }
EOF
exits 0 "it denies what the profile's allows" run agent.lua --cassette denied.tape --session hers \
  --profile ./hers.profile.lua
ran "to her" 0
# ---- a redact hook ----

cat >mask.lua <<'EOF'
return { name = "mask", version = 1, redact = function(item)
  if item.kind == "outcome" or item.kind == "resolution" then return ck.mask end
end }
EOF
with mask ./mask.lua ./ask.lua
exits 8 "with a policy that masks every outcome" run node.lua --profile ./mask.profile.lua \
  --session mask
exits 0 "the answer is taken" answer mask allow
exits 0 "and obeyed" resume mask
ran "once" 1

# ---- nothing of a question is hidden ----
cat >shows.lua <<'END'
return { name = "shows", version = 1, permit = function(effect)
  if effect.kind == "exec" then return ck.ask("Run " .. effect.request.argv[3] .. "?") end
end }
END
lines() {
  cat >lines.lua <<END
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", $1 } }
END
  exits 8 "$2" run lines.lua --policy ./shows.lua --session "$3"
}
lines '"true\nrm -rf x\27[2K"' "a program of two lines" lines
has "the question shows both, and what would hide them" "$err" 'Run true\nrm -rf x\u{1b}[2K?'
lines '"true " .. string.rep("x", 3000)' "a long one" long
exits 0 "what is asked about is listed" answer lines
has "with its class and its whole request" "$out" \
  $'once\t{"argv":["sh","-c","true\\nrm -rf x\\u001b[2K"]}'
is "as JSON, too" "$(json "$("$CKRUN" --json answer lines)" 'join " ",
  map { $d->{asked_about}{$_} } qw(kind class key)')" "exec once main/start/exec/1"
has "is cut, and says by how much" "$("$CKRUN" answer long 2>/dev/null)" '… (2009 more bytes)'
finish
