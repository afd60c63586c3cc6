#!/bin/bash
# schema.t - what each tool of `ckrun mcp` answers is what its outputSchema says, and nothing
# beside.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/client.sh"
cd "$dir" || exit 1

cat >hold.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "a", nodes = {
  a = flow.lua(function(ctx) ctx.memory.x = 1 return 1 end),
  b = flow.lua(function(ctx) ctx.pause("look first") end) },
  edges = { a = "b", b = flow.done } }
END
cat >asks.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "a", nodes = {
  a = flow.exec { argv = { "true" } } }, edges = { a = flow.done } }
END
echo 'return { name = "every", extends = "default", policies = { "every_boundary" } }' >every.lua
cat >approve.lua <<'END'
return { name = "asks", extends = "default", policies = { { "approve", untrusted = false } } }
END
"$CKRUN" run hold.lua --session held --profile ./every.lua >/dev/null 2>&1
"$CKRUN" run asks.lua --session asks --profile ./approve.lua >/dev/null 2>&1
"$CKRUN" run "$flow" --cassette "$cassette" --session done >/dev/null 2>&1
serve
ask tools/list
echo "$reply" >tools.json
# One line of TAP's text for each difference between result and schema; JSON Schema as far as it is
# used, and members that the schema does not name.
cat >holds.pl <<'END'
use strict; use warnings; use JSON::PP;
my ($tool, $result) = @ARGV;
open my $in, "<", "tools.json" or die; my $list = decode_json(<$in>)->{result}{tools};
my ($schema) = map { $_->{outputSchema} } grep { $_->{name} eq $tool } @$list;
die "no schema" unless $schema && $schema->{type} eq "object" && $schema->{properties};
sub is_a {
  my ($v, $type) = @_;
  return !defined $v if $type eq "null";
  return ref $v eq "HASH" if $type eq "object";
  return ref $v eq "ARRAY" if $type eq "array";
  return ref $v eq "JSON::PP::Boolean" if $type eq "boolean";
  return 0 if ref $v || !defined $v;
  my $number = encode_json([$v]) !~ /"/;
  return $type eq "string" ? !$number : $type eq "integer" ? $number && $v =~ /^-?\d+$/ : $number;
}
sub holds {
  my ($v, $s, $at) = @_;
  my $types = $s->{type};
  if ($types) {
    my @types = ref $types ? @$types : $types;
    return print "$at: none of @types\n" unless grep { is_a($v, $_) } @types;
  }
  if (ref $v eq "HASH" && $s->{properties}) {
    print "$at: no $_\n" for grep { !exists $v->{$_} } @{$s->{required}};
    for (sort keys %$v) {
      $s->{properties}{$_} ? holds($v->{$_}, $s->{properties}{$_}, "$at.$_") : print "$at: $_?\n";
    }
  }
  if (ref $v eq "ARRAY" && $s->{items}) { holds($_, $s->{items}, "$at\[]") for @$v }
}
holds(decode_json($result), $schema, $tool);
END
told=
while IFS='|' read -r tool arguments; do
  call "$tool" "$arguments"
  is "$tool $arguments" "$(perl holds.pl "$tool" "$result" 2>&1)" ""
  told="$told $tool"
done <<'LIST'
list_resumable_sessions|{}
list_session_checkpoints|{"session_id":"held"}
list_session_checkpoints|{"session_id":"done"}
inspect_checkpoint|{"session_id":"held"}
inspect_checkpoint|{"session_id":"held","include_memory":true}
inspect_checkpoint|{"session_id":"done","include_memory":true}
diff_checkpoints|{"session_id":"held","from":"first","to":"latest"}
agent_tail|{"session_id":"done","agent":"airline"}
pause_session|{"session_id":"held"}
answer_session|{"session_id":"asks","answer":"allow"}
resume_session|{"session_id":"asks"}
LIST
cat >slow.lua <<'END'
return require("ck.flow").custom { name = "slow", run = function(ctx)
  for i = (ctx.position and ctx.position.n or 0) + 1, 100000000 do
    ctx.boundary("loop_iteration", { position = { path = "i#" .. i, n = i } })
    if i == 1 then ctx.pause("begun") end
  end
end }
END
"$CKRUN" run slow.lua --session slow >/dev/null 2>&1
for tool in resume_session checkpoint_session pause_session; do
  call "$tool" '{"session_id":"slow"}'
  is "$tool of one that runs" "$(perl holds.pl "$tool" "$result" 2>&1)" ""
  told="$told $tool"
done
is "that was each tool" "$(perl -MJSON::PP -ne '
  print join " ", sort map { $_->{name} } @{decode_json($_)->{result}{tools}}' tools.json)" \
  "$(tr ' ' '\n' <<<"${told# }" | sort -u | paste -sd' ')"
exec {to}>&-
wait "$server"
finish
