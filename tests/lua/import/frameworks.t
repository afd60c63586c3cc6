#!/bin/bash
# frameworks.t - what agents' frameworks keep of a run is imported by its content: each item becomes
# events, none is lost or told twice; calls, results, texts and tokens are as many as the file says.
. "$(dirname "$0")/../../host/tap.sh"
. "$(dirname "$0")/counting.sh"

# ---- run states of the OpenAI Agents SDK: of Python, and of JavaScript ----
names='sub both { my ($v, @n) = @_; for (@n) { return $v->{$_} if exists $v->{$_} } }
  our @r = @{both($d, "model_responses", "modelResponses")};
  our @i = @{both($d, "session_items", "generatedItems")};
  sub raw { both($_[0], "raw_item", "rawItem") }
  our @o = map { @{$_->{output}} } @r; our @s = ref $d->{original_input} ? @{$d->{original_input}}
    : { role => "user" };'
for file in run_state.json run_state_js.json; do
  imported $file openai_agents
  said="$names scalar(@r) + grep { (\$_->{role} // '') eq 'assistant' } @s"
  is "$file: answers" "$(events 'scalar grep { $_->{body}{kind} eq "model" } kind "outcome"')" \
    "$(counted "$data/$file" "$said")"
  is "$file: what it was given" \
    "$(events 'join " ", map { $_->{body}{message}{role} } kind "message"')" \
    "$(counted "$data/$file" "$names join ' ', grep { \$_ ne 'assistant' } map { \$_->{role} } @s")"
  is "$file: calls, by agent and name" \
    "$(events 'join " ", map { "$_->{agent}/$_->{body}{request}{name}" } kind "intent"')" \
    "$(counted "$data/$file" "$names join ' ', map { my \$n = raw(\$_)->{name} // 'web_search';
      \"\$_->{agent}{name}/\$n\" } grep { \$_->{type} =~ /^(tool|handoff)_call_item/ } @i")"
  is "$file: results" "$(events 'scalar grep { $_->{body}{kind} eq "tool" } kind "outcome"')" \
    "$(counted "$data/$file" "$names scalar grep { \$_->{type} =~ /output_item/
      && \$_->{type} ne 'message_output_item' || raw(\$_)->{type} eq 'web_search_call' } @i")"
  is "$file: thoughts" "$(events 'scalar grep { $_->{body}{type} eq "thought" } kind "note"')" \
    "$(counted "$data/$file" "$names scalar grep { \$_->{type} eq 'reasoning' } @o")"
  is "$file: tokens" "$(events 'join " ", map { my $n = $_; sum0(map { $_->{body}{$n} // 0 }
    kind "outcome") } "input_tokens", "output_tokens"')" \
    "$(counted "$data/$file" "$names my \$u = \$d->{context}{usage}; join ' ',
      both(\$u, 'input_tokens', 'inputTokens'), both(\$u, 'output_tokens', 'outputTokens')")"
  is "$file: each item is told of" \
    "$(events 'my %s = map { $_ => 1 } sources(); join " ", sort { $a <=> $b } keys %s')" \
    "$(counted "$data/$file" "$names join ' ', 1 .. @i")"
done
is "a run that has its answer is completed" "$(json "$report" '$d->{status}')" completed
imported_again=imported_openai_agents_7333f078
run --json sessions show $imported_again
is "one that waits for an approval is paused, and says so" \
  "$(json "$out" '"$d->{status} " . join " ", map { $_->{id} } @{$d->{input}{import}{agents}}')" \
  "paused desk clerk"
run --json sessions log $imported_again --all
has "an image is one" "$out" '"type":"image","media_type":"image/gif"'
hides "the key that traces are sent with is not kept" "$out" key-of-traces
exits 0 "the store is sound" store verify

# ---- one list of formats ----
exits 0 "the help" help sessions import
modules=$(cd "$root/lua/ck/import" && ls *.lua | sed 's/\.lua$//' | tr '\n' ' ')
is "names the formats that there are" \
  "$(tr -s ' \n' ' ' <<<"$out" | grep -o 'workflow-checkpoint, .*, or the path' |
    sed 's/^[^ ]* //; s/, or the path//; s/,//g') " "$modules"
finish
