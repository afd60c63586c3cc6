#!/bin/bash
# original_input.t - a session that goes on elsewhere from a document has the input that it was
# given: an object, a text, null, or none; one without ckrun's own member is read
# as its own system tells it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
at() { export CKRUN_STORE=sqlite:$dir/$1.db; } # a store of its own: another machine

# provider NAME [CONSTRAINTS]: serves the script on stdin, and writes the profile NAME.lua.
provider() {
  serve "$1"
  cat >"$1.lua" <<PROFILE
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  constraints = { ${2:-} },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", retries = 0, price = { input = 3, output = 15 } } } }
PROFILE
}

# A tool tells what the flow sees as its input.
told='function(ctx) return { kind = type(ctx.input), it = ctx.input } end'
cat >agent.flow.lua <<FLOW
local flow = require "ck.flow"
return flow.agent { name = "teller", prompt = "You tell.", input = "Tell me.",
  tools = { tell = flow.tool($told) } }
FLOW
cat >rounds.flow.lua <<FLOW
local flow = require "ck.flow"
return flow.rounds { name = "r", rounds = 9,
  orchestrator = function(ctx, round, ask)
    ctx.memory.seen = { kind = type(ctx.input), it = ctx.input }
    ask { target = "ann", message = "How?" }
  end,
  agents = { ann = flow.agent { prompt = "You count." } } }
FLOW
call='{"answer":{"calls":[{"name":"tell","arguments":{}}]}}'

# seen SESSION: what its tool told last.
seen() {
  "$CKRUN" --json sessions inspect "$1" | perl -MJSON::PP -e 'my $d = decode_json(<STDIN>);
    my @said = grep { $_->{role} eq "tool" } @{$d->{conversation_states}{main}};
    my $it = $said[-1]{content}; $it = decode_json($it) unless ref $it;
    print JSON::PP->new->canonical->encode($it), " ", scalar @said'
}
# noted SESSION: what its orchestrator saw last.
noted() {
  "$CKRUN" --json sessions inspect "$1" | perl -MJSON::PP -e 'my $d = decode_json(<STDIN>);
    print JSON::PP->new->canonical->encode($d->{state}{"memory.seen"})'
}

# travels NAME SEEN [--input JSON]: through a run, a loop and a session checkpoint.
travels() {
  local name=$1 want=$2 format
  shift 2
  at "$name"
  provider "$name" <<<"$call"'
{"status":500,"body":"oh","times":0}'
  exits 8 "$name: a run stops" run agent.flow.lua --profile "./$name.lua" --session here "$@"
  is "$name: its flow sees it" "$(seen here)" "$want 1"
  for format in run loop; do
    at "$name"
    exits 0 "$name: it is given away as $format" sessions export here --format \
      $format-checkpoint -o "$name.$format.json"
    at "$name.$format"
    exits 0 "$name: and taken" sessions import "$name.$format.json" --resume-with agent.flow.lua \
      --profile "./$name.lua" --session there
    exits 0 "$name: with its files, which the store misses none of" store verify
    provider "$name" <<<"$call"'
{"status":500,"body":"oh","times":0}'
    exits 8 "$name: it goes on" resume there
    is "$name: and its flow sees the same" "$(seen there)" "$want 2"
    exits 0 "$name: the store is whole" store verify
    exits 0 "$name: it is given away again" sessions export there --format $format-checkpoint -o \
      again.json
    is "$name: with the same input" "$(json "$(cat again.json)" '$d->{ckrun}')" \
      "$(json "$(cat "$name.$format.json")" '$d->{ckrun}')"
  done
  at "$name"
  provider "$name" "rounds = 1" <<<'{"answer":{"text":"So."},"times":0}'
  exits 8 "$name: a session stops" run rounds.flow.lua --profile "./$name.lua" --session talk "$@"
  exits 0 "$name: it is given away" sessions export talk --format session-checkpoint -o talk.json
  at "$name.talk"
  provider "$name" "rounds = 2" <<<'{"answer":{"text":"So."},"times":0}'
  exits 0 "$name: and taken" sessions import talk.json --resume-with rounds.flow.lua --profile \
    "./$name.lua" --session there
  exits 8 "$name: it goes on" resume there
  is "$name: its orchestrator sees the same" "$(noted there)" "$want"
}

travels object '{"it":{"n":3,"task":"dig","to":[1,null,{"a":true}]},"kind":"table"}' \
  --input '{"task":"dig","n":3,"to":[1,null,{"a":true}]}'
travels message '{"it":{"message":"dig"},"kind":"table"}' --input '{"message":"dig"}'
travels text '{"it":"dig","kind":"string"}' --input '"dig"'
travels null '{"it":null,"kind":"null"}' --input null
travels none '{"kind":"nil"}'
is "none: the document says what was wanted" \
  "$(json "$(cat none.run.json)" '$d->{originalInput}')" \
  '{"message":"Tell me."}'

# Documents of others have no such member.
at foreign
perl -MJSON::PP -e 'my $d = decode_json(<STDIN>); delete $d->{ckrun};
  print encode_json($d)' \
  <text.run.json >foreign.json
exits 0 "a document of another program" sessions import foreign.json --resume-with agent.flow.lua \
  --profile ./text.lua --session foreign
run --json sessions show foreign
is "tells its input as it does" "$(json "$out" '$d->{input}{input}')" \
  '{"message":"dig"}'
for format in run loop; do
  perl -pe 's/"ckrun":\{.*?\}/"ckrun":7/' text.$format.json >broken.json
  refused 2 "a member that is none of ckrun's, $format" "field ckrun must be an object" sessions \
    import broken.json --resume-with agent.flow.lua --profile ./text.lua --session broken
done
finish
