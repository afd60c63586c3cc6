#!/bin/bash
# policies.t - what people want of policies, each task as somebody would write it
# (examples/policies): it is checked, its own tests pass, and it does in a live session what it says
# - run, killed, resumed - as the transcript, the files and the counts of calls tell.
. "$(dirname "$0")/../host/tap.sh"
. "$(dirname "$0")/../host/models.sh"
at=$root/examples/policies

# log EXPRESSION SESSION OPTION…: of each event $_ of the transcript, a line where it is defined.
log() {
  local expression=$1
  shift
  "$CKRUN" --json sessions log "$@" | perl -MJSON::PP -CO -ne '
    BEGIN { $e = shift } $_ = JSON::PP->new->utf8->decode($_);
    $v = eval $e; die $@ if $@; print ref $v ? JSON::PP->new->canonical->encode($v) : $v, "\n"
      if defined $v' "$expression"
}
# well NAME: check and test of a policy.
well() {
  exits 0 "$1: check" policy check "$at/$1.lua"
  ok "$1: no problem" eval '! grep -q ^problem <<<"$out"'
  exits 0 "$1: its tests" policy test "$at/$1.lua"
}
# counted NAME [then CODE]: a program that counts its runs, and kills who runs it at the first one.
counted() {
  printf '#!/bin/sh\ncat >/dev/null\necho run >>%s.runs\n%s\necho %s\n' "$1" \
    "[ \$(wc -l <$1.runs) -gt 1 ] || { ${2:-:}; }" "$1" >"$1"
  chmod +x "$1"
}
runs() { if [ -f "$1.runs" ]; then grep -c . "$1.runs"; else echo 0; fi; }
call() { echo '{"answer":{"calls":[{"name":"'"$1"'","arguments":{"n":'"$2"'}}]}}'; }
text() { echo '{"answer":{"text":"'"$1"'"}}'; }

# ---- names of customers, replaced inside of texts ----
well customers
echo 'Ada Lovelace wrote, C-00042, of 12 kettles.' >letter.txt
cat >letter.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "read", nodes = {
  read = flow.exec { argv = { "cat", "letter.txt" }, class = "pure" },
  note = function(ctx) ctx.memory.who = { list = { ctx.outputs.read.stdout, 3 } } end,
  hold = function(ctx) ctx.pause("a person reads") end },
  edges = { read = "note", note = "hold", hold = flow.done } }
END
# written: what the store has of the session, but the policy's own list.
written() { "$CKRUN" --json sessions log letter --all; "$CKRUN" sessions inspect letter 2>&1; }
exits 8 "a session with customers" run letter.lua --policy "$at/customers.lua" --session letter
ok "their names and numbers are in no event and no key" \
  eval '! written | grep -E "Lovelace|C-00042"'
is "the texts around them are" \
  "$(log '$_->{kind} eq "outcome" ? $_->{body}{result}{stdout} : undef' letter | grep .)" \
  "a customer wrote, a customer, of 12 kettles."
has "and what is no text" "$("$CKRUN" sessions inspect letter 2>/dev/null)" \
  '{"list":["a customer wrote, a customer, of 12 kettles.\n",3]}'
exits 0 "a resume goes on" resume letter --policy "$at/customers.lua"
ok "and writes no name either" eval '! written | grep -E "Lovelace|C-00042"'

# ---- twice more with growing waits, then a person ----
well growing_wait
serve away <<'END'
{"status":500,"body":"away","times":0}
END
profile away.profile.lua "policies = { { '$at/growing_wait.lua', wait_ms = 20 } }"
cat >chat.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look." }
END
exits 8 "the service stays away" run chat.lua --profile ./away.profile.lua --session away \
  --input '"Hi"'
is "it was asked three times" "$(requests away)" 3
is "and each is recorded" \
  "$(log '$_->{kind} eq "outcome" && $_->{body}{status}' away --all | grep -c failed)" 3
log '$_->{kind} =~ /^(intent|outcome)$/ ? "$_->{kind} $_->{at}" : undef' away --all >times
waits=$(perl -ne '
  my ($kind, $h, $m, $s) = /^(\w+) .*T(\d+):(\d+):([\d.]+)Z/ or next;
  my $t = ($h * 60 + $m) * 60 + $s;
  push @waits, ($t - $end + ($t < $end ? 86400 : 0)) * 1000 if $kind eq "intent" && defined $end;
  $end = $t if $kind eq "outcome";
  END { printf "%d %d", $waits[0] >= 19, $waits[1] >= 79 }' times)
is "after 20 ms, then after 80" "$waits" "1 1"

# ---- a lost call: each tool has its answer ----
well doubt_by_tool
for tool in search send_mail pay; do counted $tool 'kill -9 $PPID; sleep 9'; done
cat >one.lua <<'END'
local flow = require "ck.flow"
local function once(name) return flow.command { argv = { "./" .. name }, class = "once" } end
return flow.custom {
  name = "one", tools = { search = once "search", send_mail = once "send_mail", pay = once "pay" },
  run = function(ctx)
    local made = ctx.effect { kind = "tool", class = "once",
      request = { name = ctx.input, arguments = {} } }
    return made.status
  end,
}
END
for tool in search send_mail pay; do
  run run one.lua --policy "$at/doubt_by_tool.lua" --input "\"$tool\"" --session $tool
  is "$tool: the program ends ckrun" "$code $(runs $tool)" "137 1"
done
exits 0 "a search is made again" resume search --policy "$at/doubt_by_tool.lua"
is "so it was made twice" "$(runs search) $(grep ^result <<<"$out")" "2 $(printf 'result\tok')"
exits 0 "of a mail the flow is told" resume send_mail --policy "$at/doubt_by_tool.lua"
is "and it is not sent again" "$(runs send_mail) $(grep ^result <<<"$out")" \
  "1 $(printf 'result\tunknown')"
exits 75 "a payment stops the session" resume pay --policy "$at/doubt_by_tool.lua"
is "and is not made again" "$(runs pay)" 1

# ---- a tail of what was said ----
well quiet_tail
counted look
cat >desk.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "ann", prompt = "You count.", tools = {
  look = flow.command { argv = { "./look" }, class = "pure" } } }
END
serve desk <<END
$(call look 1)
$(text "There are three.")
END
profile desk.profile.lua "policies = { 'tool_rounds', '$at/quiet_tail.lua' }"
exits 0 "an agent with a tool" run desk.lua --profile ./desk.profile.lua --session desk \
  --input '"How many?"'
run --json sessions tail desk ann
is "its tail is what was said" "$(json "$out" 'join "; ", map { "$_->{role}: $_->{content}" }
    grep { $_ } map { $_->{body}{message} } @{$d->{events}}')" \
  "system: You count.; user: How many?; assistant: There are three."
is "the transcript has the tool, too" \
  "$(log '$_->{kind} eq "outcome" && $_->{body}{kind}' desk | grep -v ^$ | paste -sd' ')" \
  "model tool model"

# ---- two agents with different lists ----
exits 0 "desk: check" profile check "$at/desk.lua"
rm -f search.runs
for tool in search publish; do counted $tool 'kill -9 $PPID; sleep 9'; done
cat >team.lua <<'END'
local flow = require "ck.flow"
local function once(name) return flow.command { argv = { "./" .. name }, class = "once" } end
return flow.graph {
  start = "begin",
  nodes = {
    begin = function(ctx) ctx.memory.source, ctx.memory.price = "a wiretap", "12 of gold" end,
    research = flow.agent { name = "researcher", prompt = "Find.", input = "Kettles.",
      tools = { search = once "search" } },
    write = flow.agent { name = "writer", prompt = "Write.", input = "Kettles.",
      tools = { publish = once "publish" } },
  },
  edges = { begin = "research", research = "write", write = flow.done },
}
END
fails='{"status":500,"body":"away"}'
serve team <<END
$fails
$fails
$(call search 1)
$(text "Found.")
$fails
$(call publish 1)
$(text "Published.")
END
profile team.profile.lua
sed -i "s|extends = .default.|extends = '$at/desk.lua'|" team.profile.lua
exits 137 "the researcher is tried again twice, then its call is lost" \
  run team.lua --profile ./team.profile.lua --session team
is "it was asked three times" "$(requests team)" 3
exits 8 "its call is made again; the writer's failure pauses at once" resume team
is "by what each list says" "$(runs search) $(requests team)" "2 5"
exits 137 "the writer goes on, and its call is lost" resume team
exits 0 "it is told, and ends" resume team
is "its call was made once" "$(runs publish) $(grep -c '"unknown"' <(log '$_' team --all))" "1 1"
is "checkpoints before the writer's call, behind the researcher's round" \
  "$(log '$_->{kind} eq "boundary" && $_->{agent} && $_->{body}{reasons} ? join " ", $_->{agent},
      $_->{body}{kind}, map { $_->{policy} } @{$_->{body}{reasons}} : undef' team | paste -sd,)" \
  "researcher tool_round tool_rounds,writer before_call before_effect"
heard() {
  json "$("$CKRUN" --json sessions tail team "$1")" 'join " ", map { $_->{role} }
    grep { $_ } map { $_->{body}{message} } @{$d->{events}}'
}
is "the researcher's tail is what was said" "$(heard researcher)" "system user assistant"
is "the writer's has its tool" "$(heard writer)" "system user assistant tool assistant"
is "what either list masks is masked" \
  "$("$CKRUN" sessions inspect team 2>/dev/null | grep ^memory | cut -f1,3 | cut -c1-31)" \
  "$(printf 'memory.price\t"[redacted:policy:')"

# ---- no resume after a day, over $3 a person, nothing irreversible after untrusted reading ----
exits 0 "house: check" profile check "$at/house.lua"
cat >day_test.lua <<'END'
local test = require "ck.test"
local max_age = test.policy "max_age"
local now, hour = 1700000000000, 3600000
return {
  test_a_day = function() test.ok(max_age.resume { now = now, updated = now - 24 * hour }) end,
  test_longer = function()
    local rules, why = max_age.resume { now = now, updated = now - 25 * hour }
    test.equal(rules, nil)
    test.ok(ck.find(why, "25"), why)
  end,
}
END
exits 0 "a day is not too long, an hour more is" policy test day_test.lua
rm -f pay.runs
for tool in web pay; do counted $tool; done
cat >buyer.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "buyer", prompt = "Buy.", tools = {
  web = flow.command { argv = { "./web" }, class = "pure", trust = "untrusted" },
  pay = flow.command { argv = { "./pay" }, class = "once" },
} }
END
# 200,000 tokens of output at $15 a million: $3.
dear() { echo "${1%\}\}},\"usage\":{\"input\":0,\"output\":200000}}}"; }
serve buyer <<END
$(call pay 1)
$(call web 1)
$(dear "$(call pay 2)")
$(text "Bought.")
END
profile house.profile.lua
sed -i "s|extends = .default.|extends = '$at/house.lua'|; s|max_tokens = 100|max_tokens = 300000|" \
  house.profile.lua
exits 8 "what is paid before anything was read is paid, then a person is asked" \
  run buyer.lua --profile ./house.profile.lua --session buyer --input '"A kettle."'
is "so it was paid once" "$(runs pay) $(runs web)" "1 1"
has "the question names the source" "$err" "after reading web"
exits 0 "the questions are listed" answer buyer
has "by the place of the payment" "$out" "main/agent#3/tool/1/permit"
exits 0 "a person allows it" answer buyer allow
exits 8 "the session has spent more than \$3, so its resume is asked about" resume buyer
has "with what was spent" "$err" '$3'
exits 0 "a person allows that, too" answer buyer allow --effect resume
run resume buyer
is "it ends, and has paid twice" "$(grep ^status <<<"$out") $(runs pay)" \
  "$(printf 'status\tcompleted') 2"

# ---- tiers that keep what lies before risky tools ----
well before_risky
for tool in look deploy; do counted $tool; done
cat >ops.lua <<'END'
local flow = require "ck.flow"
local function tool(name) return flow.command { argv = { "./" .. name }, class = "pure" } end
return flow.agent { name = "ops", prompt = "Deploy.", tools = { look = tool "look",
  deploy = tool "deploy" } }
END
serve ops <<END
$(call look 1)
$(call deploy 2)
$(call look 3)
$(call deploy 4)
$(call look 5)
$(text "Deployed.")
END
profile ops.profile.lua "policies = { 'tool_rounds', '$at/before_risky.lua',
  { 'keep_tiers', all_s = 0, hourly_s = 0 } }"
exits 0 "a session with two deployments" run ops.lua --profile ./ops.profile.lua --session ops \
  --input '"Go."'
exits 0 "its checkpoints" sessions checkpoints ops
is "tiers leave of the day the last one, and those before a deployment stay" \
  "$(cut -f3 <<<"$out" | paste -sd' ')" "before_call before_call final"
is "eight were taken" "$(log '$_->{kind} eq "boundary" && $_->{body}{checkpoint} ? 1 : undef' ops |
  grep -c .)" 8
first=$(json "$("$CKRUN" --json sessions checkpoints ops | head -n 1)" '$d->{id}')
exits 0 "a fork goes on from before the first deployment" sessions fork ops --checkpoint "$first"

# ---- a checkpoint when a plan changes ----
well plan_changed
counted update_plan
cat >plans.lua <<'END'
local flow = require "ck.flow"
local function tool(name) return flow.command { argv = { "./" .. name }, class = "pure" } end
return flow.agent { name = "planner", prompt = "Plan.", tools = { look = tool "look",
  update_plan = tool "update_plan" } }
END
serve plans <<END
$(call look 1)
$(call update_plan 2)
$(call look 3)
$(call update_plan 4)
$(text "Planned.")
END
profile plans.profile.lua "policies = { '$at/plan_changed.lua' }"
exits 0 "a session with two plans" run plans.lua --profile ./plans.profile.lua --session plans \
  --input '"Go."'
is "has a checkpoint behind each, and its last one" \
  "$(log '$_->{kind} eq "boundary" && $_->{body}{checkpoint} ?
    join ":", $_->{body}{kind}, map { $_->{reason} } @{$_->{body}{reasons} // []} : undef' plans |
    paste -sd,)" \
  "tool_round:the plan changed: update_plan,tool_round:the plan changed: update_plan,final"
finish
