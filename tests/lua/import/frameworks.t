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
is "the key that traces are sent with is not kept" "$(grep -c key-of-traces <<<"$out")" 0

# ---- traces of OpenTelemetry ----
spans='our %a; our @s = map { my $s = $_; $s->{a} = { map { my ($v) = values %{$_->{value}};
    ($_->{key}, $v) } @{$s->{attributes}} }; $s }
    map { @{$_->{spans}} } map { @{$_->{scopeSpans}} } map { @{$_->{resourceSpans} // []} }
    $d ? $d : @l;
  sub op { my $o = shift; grep { ($_->{a}{"gen_ai.operation.name"} // "") eq $o } @s }
  sub said { my ($s, $n) = @_; @{decode_json($s->{a}{"gen_ai.$n.messages"} // "[]")} }
  sub parts { my $t = shift; grep { $_->{type} eq $t } map { @{$_->{parts}} } @_ }'
file=otlp.json
imported $file otlp
is "otlp: an answer for each call of a model" \
  "$(events 'join " ", map { $_->{body}{status} } grep { $_->{body}{kind} eq "model" }
    kind "outcome"')" \
  "$(counted "$data/$file" "$spans join ' ', map { \$_->{status}{code} ? 'error' : 'ok' }
    op 'chat'")"
is "otlp: calls" "$(events 'join " ", sort map { $_->{body}{request}{call_id} } kind "intent"')" \
  "$(counted "$data/$file" "$spans my %c = map { (\$_->{id}, 1) } map { parts('tool_call',
    said(\$_, 'output')) } op 'chat'; join ' ', sort keys %c")"
is "otlp: results, one of them an error" \
  "$(events 'join " ", sort map { $_->{body}{status} } grep { $_->{body}{kind} eq "tool" }
    kind "outcome"')" \
  "$(counted "$data/$file" "$spans join ' ', sort map { \$_->{status}{code} ? 'error' : 'ok' }
    op 'execute_tool'")"
is "otlp: each message of a growing conversation once" "$(events 'scalar kind "message"')" \
  "$(counted "$data/$file" "$spans my %m; for my \$c (op 'chat') {
    my \$n = grep { \$_->{role} =~ /system|user/ } said(\$c, 'input');
    my \$first = (said(\$c, 'input'))[0]{parts}[0]{content};
    \$m{\$first} = \$n if \$n > (\$m{\$first} // 0) } sum0(values %m)")"
is "otlp: tokens of the calls, not again those of an agent" \
  "$(events 'join " ", map { my $n = $_; sum0(map { $_->{body}{$n} // 0 } kind "outcome") }
    "input_tokens", "output_tokens"')" \
  "$(counted "$data/$file" "$spans join ' ', map { my \$n = \$_;
    sum0(map { \$_->{a}{\"gen_ai.usage.\$n\"} } op 'chat') } 'input_tokens', 'output_tokens'")"
is "otlp: the price" "$(events 'sum0(map { my $c = $_->{body}{cost} // 0; $c > 0 ? $c : 0 }
  kind "outcome")')" \
  "$(counted "$data/$file" "$spans 1e6 * sum0(map { \$_->{a}{'gen_ai.usage.cost'} // 0 } @s)")"
is "otlp: each span but those of the outermost agent is told of" \
  "$(events 'my %s = map { $_ => 1 } sources(); join " ", sort { $a <=> $b } keys %s')" \
  "$(counted "$data/$file" "$spans join ' ', grep { \$s[\$_ - 1]{parentSpanId} } 1 .. @s")"
is "otlp: in the order of time" "$(events 'join " ", map { $_->{at_ms} // 0 } @e')" \
  "$(events 'join " ", sort { $a <=> $b } map { $_->{at_ms} // 0 } @e')"
is "otlp: who asked whom" \
  "$(events 'join " ", map { "$_->{agent} $_->{body}{childAgentId}" } kind "delegation"')" \
  "planner clerk"
is "otlp: two traces of a conversation are one session, and it failed as the last one" \
  "$(json "$report" '"$d->{source_id} $d->{status} $d->{model_calls}"')" "conv-7 failed 5"
has "otlp: an image is one" "$log" '"type":"image","media_type":"image/gif"'
file=otlp_events.jsonl
exits 0 "older spans, with events, with log records, with numbered attributes" \
  --json sessions import "$data/$file"
is "otlp: a trace is a session" "$(grep -c '' <<<"$out")" 2
log=$(for id in $(grep -o 'imported_otlp_[0-9a-f]*' <<<"$out"); do
  "$CKRUN" --json sessions log "$id" --all
done)
is "otlp: each call of a model, its message and its tokens" \
  "$(events 'join " ", map { $_->{body}{input_tokens} . "/" . $_->{body}{output_tokens} }
    grep { $_->{body}{kind} eq "model" } kind "outcome"')" \
  "$(counted "$data/$file" "$spans join ' ', map { my \$a = \$_->{a};
    (\$a->{'gen_ai.usage.input_tokens'} // \$a->{'gen_ai.usage.prompt_tokens'}) . '/' .
    (\$a->{'gen_ai.usage.output_tokens'} // \$a->{'gen_ai.usage.completion_tokens'}) } @s")"
is "otlp: what is said, in order" \
  "$(events 'join "|", map { $_->{content} // "-" } map { $_->{body}{message} // () } @e')" \
  "Be short.|Weather in Paris?|-|rainy, 57 F|It rains.|And in Rome?|-|dry|Dry."

# circle FILE: spans that are within each other.
circle() {
  perl -MJSON::PP -e 'my @s = map { { traceId => "t", spanId => "s$_", name => "chat",
      parentSpanId => "s" . (1 + $_ % 3), attributes => [{ key => "gen_ai.operation.name",
      value => { stringValue => "chat" } }] } } 1 .. 3;
    print encode_json({ resourceSpans => [{ scopeSpans => [{ spans => \@s }] }] })' >"$1"
}
circle "$dir/circle.json"
refused 2 "spans in a circle are refused" "circle.json: 1: the spans around it are a circle" \
  sessions import "$dir/circle.json"
perl -e 'print "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[";
  print join ",", map { my $p = $_ - 1; "{\"traceId\":\"t\",\"spanId\":\"s$_\",\"name\":\"chat\",
    \"parentSpanId\":\"s$p\",\"attributes\":[{\"key\":\"gen_ai.operation.name\",\"value\":{
    \"stringValue\":\"chat\"}}]}" } 1 .. 1002; print "]}]}]}"' >"$dir/deep.json"
refused 2 "spans within spans without end, too" "deep.json:1001: it lies within more than 1000" \
  sessions import "$dir/deep.json"
echo '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":"s","name":"GET"}]}]}]}' \
  >"$dir/web.json"
refused 2 "a trace without models is none of a session" "it holds no session of format otlp" \
  sessions import "$dir/web.json"
exits 0 "the store is sound" store verify

# ---- one list of formats ----
exits 0 "the help" help sessions import
modules=$(cd "$root/lua/ck/import" && ls *.lua | sed 's/\.lua$//' | tr '\n' ' ')
is "names the formats that there are" \
  "$(tr -s ' \n' ' ' <<<"$out" | grep -o 'workflow-checkpoint, .*, or the path' |
    sed 's/^[^ ]* //; s/, or the path//; s/,//g') " "$modules"
finish
