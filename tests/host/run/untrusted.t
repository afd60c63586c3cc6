#!/bin/bash
# untrusted.t - what a tool, a server or an agent that is declared untrusted has given is in the
# context of whoever got it, and of all that was made of it: `effect.untrusted` names these sources,
# live, in a resume, a fork and the dry run; approve has a person asked, once for each effect.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# call N NAME ARGUMENTS, model SCOPE TEXT [CALLS], tool SCOPE INDEX NAME ARGUMENTS RESULT: parts of
# a cassette.
call() { printf '{"id":"call_%s","type":"function","function":{"name":"%s","arguments":"%s"}}' \
  "$1" "$2" "${3//\"/\\\"}"; }
model() { printf '{"scope":"%s","kind":"model","message":%s"content":"%s"%s}}\n' \
  "$1" '{"role":"assistant",' "$2" "${3:+,\"tool_calls\":[$3]}"; }
tool() { printf '{"scope":"%s","kind":"tool","index":%s,"name":"%s",%s"result":"%s"}\n' \
  "$1" "$2" "$3" "\"arguments\":\"${4//\"/\\\"}\"," "$5"; }
# seen SESSION [SCOPE]: each effect of a scope, in the order of their intents, with its sources.
seen() {
  "$CKRUN" --json sessions log "$1" --all --kind intent | perl -MJSON::PP -ne '
    BEGIN { $in = shift } my $e = decode_json($_); my $b = $e->{body};
    next if $b->{key} =~ m{/permit$} or $e->{scope} ne $in;
    push @all, ($b->{request}{name} || $b->{kind}) . "=" . join "+", @{$b->{untrusted} || []};
    END { print join " ", @all }' "${2:-main}"
}
# said SESSION SCOPE: the same of the messages that are events of their own, by role.
said() {
  "$CKRUN" --json sessions log "$1" --all --kind message | perl -MJSON::PP -ne '
    BEGIN { $in = shift } my $e = decode_json($_); next if $e->{scope} ne $in;
    push @all, "$e->{body}{message}{role}=" . join "+", @{$e->{body}{untrusted} || []};
    END { print join " ", @all }' "$2"
}
# asked SESSION: what each question is about, with the sources that it names.
asked() {
  "$CKRUN" --json sessions log "$1" --all --kind intent | perl -MJSON::PP -ne '
    my $b = decode_json($_)->{body}; my $e = $b->{request}{effect} or next;
    push @all, "$e->{key}=" . join "+", @{$e->{untrusted} || []};
    END { print join " ", @all }'
}

# ---- an agent that reads the web ----

cat >mail.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "clerk", prompt = flow.recorded, user = flow.ask {},
  stop = function(text) return text == "done" end, tools = {
  web = flow.command { argv = { "echo", "page" }, class = "pure", trust = "untrusted" },
  look = flow.command { argv = { "echo", "seen" }, class = "pure" },
  mail = flow.command { argv = { "sh", "-c", "echo sent >>ran; echo sent" }, class = "once" } } }
END
{ echo '{"cassette":1,"prompt":"Help."}'
  echo '{"scope":"main","kind":"ask","answer":"Go."}'
  model main one "$(call 1 mail '{"to":"ann"}')"
  tool main 0 mail '{"to":"ann"}' sent
  model main two "$(call 2 web '{}'),$(call 3 look '{}'),$(call 4 mail '{"to":"bob"}')"
  tool main 0 web '{}' page
  tool main 1 look '{}' seen
  tool main 2 mail '{"to":"bob"}' sent
  model main three "$(call 5 look '{}')"
  tool main 0 look '{}' seen
  model main four "$(call 6 mail '{"to":"cid"}')"
  tool main 0 mail '{"to":"cid"}' sent
  model main five "$(call 7 mail '{"to":"dee"}')"
  tool main 0 mail '{"to":"dee"}' sent
  model main done
} >mail.tape
cat >approve.profile.lua <<'END'
return { name = "approve", extends = "default", policies = { "approve" } }
END
ran() { is "$1" "$([ -f ran ] && wc -l <ran || echo 0)" "$2"; }

exits 8 "what cannot be taken back, after the web was read" run mail.lua --cassette mail.tape \
  --profile ./approve.profile.lua --session mail
has "waits for a person" "$err" "waits for a human: May mail (once) be done after reading web?"
ran "what was asked for before it was read was sent" 2
before="ask= model= mail= model= web= look= mail="
is "the sources of each effect: an answer's calls are not made of each other's results" \
  "$(seen mail)" "$before model=web look=web model=web"
is "a trusted tool's result is none, but what follows is made of both" \
  "$("$CKRUN" --json sessions log mail --all --kind message | perl -MJSON::PP -ne '
    my $b = decode_json($_)->{body}; my $m = $b->{message};
    print "$m->{name}=@{$b->{untrusted} || []}|" if ($m->{role} || "") eq "tool"')" \
  "web=web|look=|mail=|"
run resume mail --dry-run
has "the dry run" "$out" "$(printf 'questions\t1')"
exits 0 "allowed" answer mail allow
exits 8 "the next one is asked about for itself" resume mail
ran "the first was sent, once" 3
exits 0 "that is denied" answer mail deny
exits 0 "the agent goes on" resume mail
ran "and it was not sent" 3

# ---- forks, and going back ----

# checkpoint SESSION PATTERN: the id of the last checkpoint whose line has it.
checkpoint() {
  "$CKRUN" --json sessions checkpoints "$1" | perl -MJSON::PP -ne '
    BEGIN { $p = shift } my $c = decode_json($_); $id = $c->{checkpoint_id} if /$p/;
    END { print $id }' "$2"
}
cat >every.profile.lua <<'END'
return { name = "every", extends = "default", policies = { "every_boundary", "approve" } }
END
rm -f ran
exits 8 "a session with checkpoints" run mail.lua --cassette mail.tape \
  --profile ./every.profile.lua --session every
ran "so far" 2
checkpoints=$("$CKRUN" sessions checkpoints every --json | perl -MJSON::PP -ne '
  print decode_json($_)->{id}, "\n"')
exits 0 "a fork from before the web was read" sessions fork every "$(sed -n 1p <<<"$checkpoints")" \
  --session early
exits 0 "one from behind it" sessions fork every "$(sed -n 3p <<<"$checkpoints")" --session late
exits 8 "the first" resume early
is "has read nothing until it reads it itself" "$(seen early)" \
  "ask= model= mail= model= web= look= mail= model=web look=web model=web"
exits 8 "the second is asked, too" resume late
has "with the sources of what it began with" "$err" "May mail (once) be done after reading web?"
is "which the question names" "$(asked late | tr ' ' '\n' | sort -u)" main/agent#4/tool/1=web
exits 0 "back to before it was read" sessions rewind every \
  --to "$(sed -n 1p <<<"$checkpoints")" --report "Look again."
exits 1 "the recording has no such message" resume every
is "what is asked for then is made of nothing untrusted" "$(seen every)" \
  "$before model=web look=web model=web model="

# ---- delegations and answers ----

# turn N CALL [ARGUMENTS], says N TEXT: a line of a model's script.
turn() { printf '{"turn":%s,"answer":{"calls":[{"name":"%s","arguments":%s}]},"times":0}\n' \
  "$1" "$2" "${3:-{\}}"; }
says() { printf '{"turn":%s,"answer":{"text":"%s"},"times":0}\n' "$1" "$2"; }
# at NAME: a model of that name, with the script on stdin.
models=
at() {
  serve "$1"
  models+="$1 = { api = \"openai\", base_url = \"$(base_url openai)\", key = \"main\",
    model = \"$1\", retries = 0, stream = false }, "
}
at default <<END
$(turn 0 delegate '{"parallel":["reader","clerk"],"message":"first"}')
$(turn 1 delegate '{"target":"clerk","message":"second"}')
$(turn 2 finish '{"result":"all sent"}')
END
at reader <<<"$(turn 0 web; says 1 found)"
at clerk <<<"$(turn 0 mail; says 1 "sent one"; turn 2 mail; says 3 "sent two")"
at fetcher <<<"$(turn 0 fetch; says 1 found)"
# profile NAME POLICIES
profile() {
  echo "return { name = \"$1\", extends = \"default\", policies = { $2 },
    secrets = { main = \"env:MODEL_KEY\" }, models = { $models } }" >"$1.profile.lua"
}
profile asks '"approve"'
team() {
  cat <<END
local flow = require "ck.flow"
return flow.rounds { name = "team", orchestrator = flow.agent { prompt = "Lead.", input = "Go." },
  agents = {
    reader = flow.agent { model = "reader", prompt = "Read.", $1 tools = {
      web = flow.command { argv = { "echo", "page" }, class = "pure" $2 } } },
    clerk = flow.agent { model = "clerk", prompt = "Send.", tools = {
      mail = flow.command { argv = { "sh", "-c", "echo sent >>ran; echo sent" } } } } } }
END
}
# team_goes SESSION SOURCE READS: SOURCE is in the answers of the reader; READS: what that has seen.
team_goes() {
  rm -f ran
  exits 8 "$2: who is asked by one that got such an answer" run "$1.lua" \
    --profile ./asks.profile.lua --session "$1"
  has "$2: waits" "$err" "May mail (once) be done after reading $2?"
  ran "$2: what was sent beside the reading, in another agent's context, is sent" 1
  is "$2: the reader" "$(seen "$1" main.agent.reader)" "$3"
  is "$2: who got its answer" "$(seen "$1")" "model= model=$2"
  is "$2: who was asked then" "$(seen "$1" main.agent.clerk)" "model= mail= model= model=$2"
  is "$2: what the flow tells them is made of it, too" \
    "$(said "$1" main) | $(said "$1" main.agent.clerk)" \
    "system= user= tool=$2 | system= user= user=$2"
  is "$2: the question" "$(asked "$1")" "main.agent.clerk@round#2/start/tool/1=$2"
  exits 0 "$2: allowed" answer "$1" allow
  exits 0 "$2: it goes on" resume "$1"
  ran "$2: sent" 2
  is "$2: up to the end" "$(seen "$1") | $(seen "$1" main.agent.clerk)" \
    "model= model=$2 model=$2 | model= mail= model= model=$2 mail=$2 model=$2"
}
team "" ', trust = "untrusted"' >web.lua
team_goes web web "model= web= model=web"
team 'trust = "untrusted",' "" >reader.lua
team_goes reader reader "model= web=reader model=reader"

# ---- programs and functions; the dry run ----

cat >steps.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "read", nodes = {
  read = flow.agent { model = "fetcher", prompt = "Read.", input = "Go.", tools = {
    fetch = flow.tool(function() return "page" end, { trust = "untrusted" }) } },
  ship = flow.exec { argv = { "sh", "-c", "echo ran >>ran" } } },
  edges = { read = "ship", ship = flow.done } }
END
cat >no.lua <<'END'
return { name = "no", version = 1, permit = function(effect)
  if effect.kind == "exec" and #effect.untrusted > 0 then
    return ck.deny("made of " .. table.concat(effect.untrusted, ", "))
  end
end }
END
profile no '"./no.lua"'
rm -f ran
exits 1 "a node behind one that has read" run steps.lua --profile ./no.profile.lua --session steps
has "is made of what that has read" "$err" "denied by policy no: made of fetch"
ran "it did not run" 0
run resume steps --dry-run
has "the dry run knows that, too" "$out" 'by policy "no": made of fetch'
sed 's/, { trust = "untrusted" }//' steps.lua >trusted.lua
exits 0 "where nothing is untrusted" run trusted.lua --profile ./no.profile.lua --session trusted
ran "it runs" 1
rm ran
is "and no event has the member" "$("$CKRUN" --json sessions log trusted --all | grep -c untrust)" 0

sed 's/  ship = flow.exec/  hold = function(ctx) ctx.pause "look" end,\n&/
  s/read = "ship"/read = "hold", hold = "ship"/' steps.lua >held.lua
rm -f ran
exits 8 "held between the two" run held.lua --profile ./no.profile.lua --session held
exits 1 "what a scope that was joined had read" resume held
has "is known to another process, without a message of it" "$err" \
  "denied by policy no: made of fetch"
ran "it did not run" 0
run resume held --dry-run --profile ./asks.profile.lua --accept-changed
has "and to the dry run, of another policy" "$out" "May exec (once) be done after reading fetch?"
exits 8 "which asks" resume held --profile ./asks.profile.lua --accept-changed
has "so" "$err" "May exec (once) be done after reading fetch?"
exits 0 "allowed" answer held allow
exits 0 "it goes on" resume held --profile ./asks.profile.lua --accept-changed
ran "and runs" 1

# A program that prints what is not to be trusted has the name of its node; alone, its own.
cat >prints.lua <<'END'
local flow = require "ck.flow"
local function prints(what)
  return flow.exec { argv = { "echo", what }, class = "pure", trust = "untrusted" }
end
local node = prints "other"
return flow.graph { start = "page", nodes = {
  page = prints "page",
  own = function(ctx) node.run(ctx, node) end,
  fails = flow.exec { argv = { "sh", "-c", "echo bad; exit 1" }, trust = "untrusted",
    on_error = "ship" },
  ship = flow.exec { argv = { "sh", "-c", "echo ran >>ran" } } },
  edges = { page = "own", own = "fails", fails = flow.done, ship = flow.done } }
END
# sources SESSION: each effect, with what it was made of.
sources() {
  "$CKRUN" --json sessions log "$1" --all --kind intent | perl -MJSON::PP -ne '
    my $b = decode_json($_)->{body}; next if $b->{key} =~ m{/permit$};
    push @all, "$b->{key}=" . join "+", @{$b->{untrusted} || []};
    END { print join " ", @all }'
}
rm -f ran
exits 8 "after programs that are not trusted" run prints.lua --profile ./asks.profile.lua \
  --session prints
has "a person is asked" "$err" "May exec (once) be done after reading echo, page?"
exits 0 "allowed" answer prints allow
exits 8 "the next one" resume prints
has "knows what a program printed that failed, too" "$err" \
  "May exec (once) be done after reading echo, fails, page?"
exits 0 "allowed" answer prints allow
exits 0 "it goes on" resume prints
ran "and runs" 1
is "what a program prints is in what follows, not in itself" "$(sources prints)" "$(echo \
  main/page#1/exec/1= main/own#1/exec/1=page main/fails#1/exec/1=echo+page \
  main/ship#1/exec/1=echo+fails+page)"
cat >two_steps.lua <<'END'
local flow = require "ck.flow"
return flow.steps { steps = {
  { name = "get", run = flow.exec { argv = { "true" }, trust = "untrusted" } },
  { name = "put", run = flow.exec { argv = { "true" } }, needs = { "get" } } } }
END
exits 1 "a step" run two_steps.lua --profile ./no.profile.lua --session two_steps
has "has its name, too" "$err" "denied by policy no: made of get"

# ---- a mistake in a declaration ----

sed 's/trust = "untrusted"/trust = "unstrusted"/' mail.lua >mistake.lua
exits 2 "another word" run mistake.lua --cassette mail.tape --session mistake
has "is told with those that there are" "$err" \
  "flow.command: 'trust' must be trusted or untrusted, not 'unstrusted'"
sed 's/trust = "untrusted"/trust = "yes"/' two_steps.lua >mistake.lua
exits 2 "of a program" run mistake.lua --session mistaken
has "the same" "$err" "flow.exec: 'trust' must be trusted or untrusted, not 'yes'"
finish
