#!/bin/bash
# session_checkpoint_again.t - a session checkpoint that was imported and is exported again is the
# same document, but for its session's id and its times: agents, where they stand, tails, pads,
# delegations in flight, tokens, what each agent spent, the limit that was hit; when the session
# has gone on, what it did since is behind that.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
at() { export CKRUN_STORE=sqlite:$dir/$1.db; } # a store of its own: another machine

# provider NAME CONSTRAINTS: serves the script on stdin, and writes the profile NAME.lua.
provider() {
  serve "$1"
  cat >"$1.lua" <<PROFILE
return { name = "test", extends = "deliberation", secrets = { main = "env:MODEL_KEY" },
  constraints = { $2 },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", retries = 0, price = { input = 100, output = 1000 }, max_tokens = 300 } } }
PROFILE
}
cat >team.lua <<'FLOW'
local flow = require "ck.flow"
return flow.rounds { name = "team",
  orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { risk = flow.agent { prompt = "Risk." }, work = flow.agent { prompt = "Work." } },
  delegates = { risk = { "work" } }, rounds = 3, max_depth = 2 }
FLOW
usage='"usage":{"input":100,"output":10}'
ask() { echo '"name":"delegate","arguments":{"target":"'"$1"'","message":"'"$2"'"}'; }
script="{\"answer\":{\"calls\":[{$(ask risk "Is it safe?")}],$usage}}
{\"answer\":{\"calls\":[{$(ask work "Measure.")}],$usage}}
{\"answer\":{\"calls\":[{\"name\":\"note\",\"arguments\":{\"key\":\"m\",\"text\":\"7\"}}],$usage}}"

# without_times FILE: the document, but for its session's id and its times.
without_times() {
  perl -MJSON::PP -e 'my $d = decode_json(<STDIN>);
    delete @$d{qw(sessionId createdAt)};
    delete $d->{constraintState}{time}{spent};
    print JSON::PP->new->canonical->encode($d)' <"$1"
}

at here
provider here "model_calls = 3" <<<"$script"
exits 8 "a session stops at a limit, with delegations in flight" run team.lua --profile ./here.lua \
  --session here --input '{"what":"a bridge"}'
exits 0 "it is exported" sessions export here --format session-checkpoint -o here.json
document=$(cat here.json)
spent='join " ", map { "$_:$d->{ckrun}{agents}{$_}{tokens}" } sort keys %{$d->{ckrun}{agents}}'
of() { json "$document" "my %a = map { \$_->{agentId} => \$_ } @{\$d->{activeAgents}}; $1"; }
is "below risk is work, and risk has nobody above who is somebody's child" \
  "$(of 'join " ", map { my $p = $a{$_}{parentAgentId}; "$_:$a{$_}{depth}:" . ($p // "-") }
    sort keys %a')" "chair:0:- risk:0:- work:1:risk"
is "two delegations are in flight" "$(of 'join " ", sort map { $_->{target} }
  @{$d->{pendingDelegations}}')" "risk work"
is "a limit was hit" "$(of '$d->{constraintState}{hit} ? "hit" : "no"')" hit
is "each call took 100 tokens in and 10 out, and risk pays for work too" \
  "$(of "$spent")" \
  "chair:110 risk:220 work:110"

at there
provider there "model_calls = 3" <<<"$script"
exits 0 "it is imported" sessions import here.json --resume-with team.lua --profile ./there.lua \
  --session there
exits 0 "and exported again" sessions export there --format session-checkpoint -o there.json
is "as the same document" "$(without_times there.json)" "$(without_times here.json)"
run --json sessions show there
is "tokens in and out are what they were" \
  "$(json "$out" '"$d->{totals}{input_tokens} $d->{totals}{output_tokens}"')" "300 30"
at third
exits 0 "the second document is imported" sessions import there.json --resume-with team.lua \
  --profile ./there.lua --session third
exits 0 "and exported" sessions export third --format session-checkpoint -o third.json
is "as the same document once more" "$(without_times third.json)" "$(without_times here.json)"

# It goes on: the chair asks again, work says something, and a limit stops it.
provider on "model_calls = 6" <<<"$script"
exits 0 "under a limit that leaves three calls" sessions import there.json --resume-with team.lua \
  --profile ./on.lua --session on
exits 8 "it goes on" resume on
exits 0 "and is exported" sessions export on --format session-checkpoint -o on.json
document=$(cat on.json)
is "its delegations are those of the round that was begun again" "$(of 'join " ", sort map {
  $_->{target} } @{$d->{pendingDelegations}}')" "risk work"
is "its agents have spent twice that" \
  "$(of "$spent")" \
  "chair:220 risk:440 work:220"
of_tail() { json "$(cat "$1")" 'my ($a) = grep { $_->{agentId} eq "work" } @{$d->{activeAgents}};
  [map { "$_->{kind} $_->{seq}" } @{$a->{conversationTail}}]'; }
earlier=$(of_tail here.json)
has "the tail of work begins as it was" "$(of_tail on.json)" "${earlier%]}"
ok "and goes on" test "$(of_tail on.json | tr , '\n' | grep -c .)" -gt \
  "$(tr , '\n' <<<"$earlier" | grep -c .)"
is "what it was told of it is not in it" "$(grep -c 'Session Context (Resumed)' on.json)" 0

# What ckrun's own member says is taken as far as it can be true.
perl -pe 's/"output_tokens":30/"output_tokens":3000/;
  s/("chair":\{[^}]*"tokens":)110/$1-5/' here.json \
  >odd.json
exits 0 "a member that contradicts the document" sessions import odd.json --resume-with team.lua \
  --profile ./there.lua --session odd
run --json sessions show odd
is "changes no sum" \
  "$(json "$out" '$d->{totals}{input_tokens} + $d->{totals}{output_tokens}')" 330
exits 0 "nor is anything spent below nothing" sessions export odd --format session-checkpoint -o \
  odd2.json
is "of an agent" "$(json "$(cat odd2.json)" '$d->{ckrun}{agents}{chair}{tokens}')" 0
finish
