#!/bin/bash
# before_call.t - between a model's answer and its calls is a boundary when one of them is of class
# once, or a policy names it; a checkpoint there holds the calls: a resume makes them, and asks no
# model again; a fork asks about those that its origin began.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

for name in count count_kill; do cp "$CKRUN_BUILD/tests/crash/tool_count" $name; done
# Two turns with calls: one that may be repeated; the same beside one of class once, which no class
# is given for.
cat >mail.lua <<'END'
local flow = require "ck.flow"
return flow.agent {
  name = "ann", prompt = "Send it.",
  tools = {
    look = flow.command { argv = { "./count" }, class = "pure" },
    send = flow.command { argv = { "./count_kill" } },
  },
}
END
call() { echo "{\"name\":\"$1\",\"arguments\":{\"n\":$2}}"; }
serve mail <<END
{"turn":0,"answer":{"calls":[$(call look 1)]},"times":0}
{"turn":1,"answer":{"calls":[$(call look 2),$(call send 3)]},"times":0}
{"turn":2,"answer":{"text":"Done."},"times":0}
END
# profile NAME POLICIES [MORE]
profile() {
  cat >"$1.profile.lua" <<END
return { name = "$1", secrets = { main = "env:MODEL_KEY" }, policies = { $2 }, ${3:-}
  models = { default = { api = "openai", base_url = "$(base_url openai)", key = "main",
    model = "mine", retries = 0, stream = false } } }
END
}
# begin CODE NAME PROFILE SESSION
begin() {
  rm -f count.log
  exits "$1" "$2" run mail.lua --profile "./$3.profile.lua" --session "$4"
}
# events SESSION KIND EXPRESSION: of each event $e of that kind, $b its body, what is not empty.
events() {
  "$CKRUN" --json sessions log "$1" --all --kind "$2" | EXPRESSION=$3 perl -MJSON::PP -ne '
    our $e = JSON::PP->new->decode($_);
    our $b = $e->{body};
    my $v = eval $ENV{EXPRESSION};
    die $@ if $@;
    $v = JSON::PP->new->canonical->encode($v) if ref $v;
    print "$v\n" if $v ne ""'
}
kinds() { events "$1" boundary '$b->{kind} . ($b->{checkpoint} ? "!" : "")' | paste -sd' '; }
at_calls() { events "$1" boundary '$b->{kind} eq "before_call" ? '"$2"' : ""'; }
reasons() {
  events "$1" boundary '$b->{reasons} ? $b->{reasons}[0]{reason} : "-"' | paste -sd,
}
first_id() {
  json "$("$CKRUN" --json sessions checkpoints "$1" --kind "$2" | head -n 1)" '$d->{id}'
}
said() {
  "$CKRUN" --json sessions log "$1" | perl -MJSON::PP -ne '
    my $b = JSON::PP->new->decode($_)->{body};
    print JSON::PP->new->canonical->encode($b->{message}), "\n" if $b->{message}'
}
status() { json "$("$CKRUN" --json sessions show "$1")" '$d->{status}'; }
# made KEY: how often the tool was called so.
made() { grep -cx "$1" count.log; }
send=main/agent#2/tool/2

# ---- where it is ----

profile effect '"tool_rounds", "before_effect"'
begin 0 "before an effect" effect whole
is "it is before the calls of which one is of class once, and no others" "$(kinds whole)" \
  "tool_round! before_call! tool_round! final!"
is "next is that call, with its class by default" "$(at_calls whole '$b->{next}')" \
  '{"class":"once","tool":"send"}'
is "calls are all of them, in their order" \
  "$(at_calls whole 'join " ", map { "$_->{tool} $_->{class}" } @{$b->{calls}}')" \
  "look pure send once"
is "it lies behind the answer, and before the intents" "$("$CKRUN" --json sessions log whole |
  perl -MJSON::PP -ne '
    my $e = JSON::PP->new->decode($_);
    my $is = $e->{kind} eq "boundary" ? $e->{body}{kind} : "$e->{kind} $e->{body}{key}";
    push @all, $is if $e->{kind} =~ /boundary|intent|outcome/;
    END { print join ", ", @all[6 .. 9] }')" \
  "outcome main/agent#2/model/1, before_call, intent main/agent#2/tool/1, intent $send"
is "people read what it is before" "$("$CKRUN" sessions checkpoints whole --kind before_call |
  cut -f10)" "before send in turn 2 of ann"
said whole >whole.said
keys=$(events whole intent '$b->{key}')

profile plain '"tool_rounds"'
begin 0 "policies that are not interested" plain plain
is "take no checkpoint there" "$(kinds plain)" "tool_round! before_call tool_round! final!"
is "and the keys of the calls are the same" "$(events plain intent '$b->{key}')" "$keys"

profile every '{ "every_n", n = 2 }'
begin 0 "every_n" every every
is "does not count it: it is part of a turn" "$(kinds every)" \
  "tool_round before_call tool_round! final!"

profile named '{ "smart", classes = {}, risky = { "look" } }'
begin 0 "a policy that names a tool" named named
is "is asked before it, whatever its class, once a batch" "$(kinds named)" \
  "before_call! tool_round before_call! tool_round final!"
is "next is what is of class once, else the first that is named" \
  "$(at_calls named '$b->{next}' | paste -sd' ')" \
  '{"class":"pure","tool":"look"} {"class":"once","tool":"send"}'
is "the reason is the call that the policy names" "$(reasons named)" \
  "before look,-,before look,-,-"

cat >mine.lua <<'END'
return { name = "mine", version = 1, options = { classes = { "pure" } },
  checkpoint = function(at)
    if at.kind == "before_call" then return at.next.tool .. " " .. #at.calls end
    if at.calls ~= nil then error("calls elsewhere") end
  end }
END
cat >two.lua <<'END'
local flow = require "ck.flow"
local tools = { look = flow.command { argv = { "./count" }, class = "pure" } }
return flow.rounds {
  rounds = 1,
  orchestrator = function(_, _, ask)
    return ask { sequential = { "ann", "bob" }, message = "Look." }
  end,
  agents = {
    ann = flow.agent { prompt = "A.", tools = tools },
    bob = flow.agent { prompt = "B.", tools = tools },
  },
}
END
serve two <<'END'
{"turn":0,"answer":{"calls":[{"name":"look","arguments":{"n":1}}]},"times":0}
{"turn":1,"answer":{"text":"Seen."},"times":0}
END
profile others '' 'agents = { bob = { policies = { "./mine.lua" } } },'
exits 0 "an agent's own policy" run two.lua --profile ./others.profile.lua --session two
is "names calls of that agent alone" "$(events two boundary '"$e->{agent} $b->{kind}"' |
  grep before_call)" "bob before_call"
is "a policy reads the calls" "$(reasons two | tr , '\n' | grep look)" "look 1"
is "and finds none elsewhere" "$("$CKRUN" sessions log two --kind policy_error)" ""
port=$(cat mail.port)

# ---- a resume ----

touch kill
begin 137 "killed in the call" effect killed
asked=$(requests mail)
exits 75 "what was begun is in doubt" resume killed
has "and named" "$err" "$send"
is "no model was asked again, nor is its answer replayed" "$(($(requests mail) - asked)) $(
  "$CKRUN" --json sessions log killed --all | grep '"timeline":2' | grep -c model/1)" "0 0"
exits 0 "a person says what came of it" resolve killed "$send" done --result '"counted 3"'
exits 0 "it goes on" resume killed
said killed >killed.said
ok "to the same conversation" cmp whole.said killed.said
is "the call was made once" "$(made "$send")" 1

# ---- forks ----

before=$(first_id whole before_call)
rm -f count.log
exits 0 "a fork from before the calls" --json sessions fork whole --checkpoint "$before" \
  --session fork
is "asks about those that its origin began, and says so" \
  "$(json "$out" 'join " ", (map { $_->{effect} } @{$d->{asks_about}}), "-",
    map { $_->{effect} } @{$d->{unknown_to_it}}')" "$send -"
asked=$(requests mail)
exits 75 "so it is in doubt" resume fork
is "and has run nothing of it, nor asked a model" "$(made "$send") $(($(requests mail) - asked))" \
  "0 0"
edited=$(json "$("$CKRUN" --json sessions checkpoints fork --kind edit)" '$d->{id}')
exits 0 "a person says that it is done" resolve fork "$send" done --result '"counted 3"'
exits 0 "the fork goes on" resume fork
said fork >fork.said
ok "to the same conversation" cmp whole.said fork.said
is "the call was not made" "$(made "$send")" 0
exits 0 "a fork of the fork's beginning, with an edit" sessions fork fork --checkpoint "$edited" \
  --session child --set note=later
exits 75 "asks as well" resume child
exits 0 "a person wants it made again" resolve child "$send" retry
exits 0 "then it is made" resume child
is "once, and the edit is kept" "$(made "$send") $(json "$("$CKRUN" --json sessions inspect \
  child)" '$d->{state}{"memory.note"}')" "1 later"
exits 0 "a fork that is told in text" sessions fork whole --checkpoint "$before" --session text
is "says it in a line" "$(cell "$out" asks_about)" "$send (tool, once)"
exits 0 "a fork from the turn before" --json sessions fork whole \
  --checkpoint "$(first_id whole tool_round)" --session earlier
is "knows nothing of it, as ever" "$(json "$out" 'join " ", scalar @{$d->{asks_about}},
  map { $_->{effect} } @{$d->{unknown_to_it}}')" "0 $send"

# ---- a session that goes back ----

touch kill
begin 137 "another one is killed in the call" effect back
exits 75 "and in doubt" resume back
exits 0 "and resolved" resolve back "$send" done --result '"counted 3"'
exits 0 "rewound to before the calls" --json sessions rewind back \
  --to "$(first_id back before_call)" --report "Do not send it twice."
is "the agent is told" "$(json "$out" '$d->{told}')" main
is "each call has an answer, and then comes the report" "$(said back | tail -n 3 |
  perl -MJSON::PP -ne 'my $m = JSON::PP->new->decode($_);
    print "$m->{role} ", substr($m->{content}, 0, 11), ";"')" \
  "tool The session;tool The session;user <rewind-rep;"
asked=$(requests mail)
exits 0 "it goes on" resume back
is "the model is asked what now, and takes the conversation" "$(($(requests mail) - asked)) $(
  json "$(tail -n 1 mail.log)" '$d->{problem} // "fits"')" "1 fits"
is "the call was not made again" "$(made "$send") $(status back)" "1 completed"

touch kill
begin 137 "a third one" effect edited
exits 75 "in doubt" resume edited
exits 0 "and resolved" resolve edited "$send" done --result '"counted 3"'
asked=$(requests mail)
exits 0 "resumed with an edit" resume edited --set note=later
is "takes the answer that there was, and asks the model once, for the next turn" \
  "$(($(requests mail) - asked)) $(made "$send") $(status edited)" "1 1 completed"
exits 0 "the store is sound" store verify

finish
