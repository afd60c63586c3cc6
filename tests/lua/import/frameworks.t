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
# ---- threads of LangGraph: of JavaScript, as JSON, and as Python writes them, as MessagePack ----
# asked DB SQL: what SQLite says of the file.
asked() { sqlite3 "$data/$1" "$2"; }
# threads FILE: imports it, and fills log with the events of all its sessions.
threads() {
  exits 0 "$1" --json sessions import "$data/$1"
  report=$out
  is "$1: its format is told by its content, and each thread is a session" \
    "$(json "[$(paste -sd, <<<"$out")]" 'join " ", map { "$_->{format}/$_->{source_id}" } @$d')" \
    "$(asked "$1" "SELECT group_concat('langgraph/' || t, ' ') FROM
      (SELECT DISTINCT thread_id AS t FROM checkpoints ORDER BY 1)")"
  log=$(for id in $(grep -o 'imported_langgraph_[0-9a-f]*' <<<"$out"); do
    "$CKRUN" --json sessions log "$id" --all
  done)
  is "$1: a state for each checkpoint" \
    "$(events 'scalar grep { $_->{body}{type} eq "state" } kind "note"')" \
    "$(asked "$1" "SELECT count(*) FROM checkpoints")"
}
of_class() { # FILE CLASS: messages of it, by their ids.
  asked "$1" "SELECT count(DISTINCT thread_id || json_extract(m.value, '\$.kwargs.id'))
    FROM checkpoints c, json_each(CAST(c.checkpoint AS TEXT), '\$.channel_values.messages') m
    WHERE json_extract(m.value, '\$.id[2]') = '$2'"
}
file=langgraph.db
threads $file
is "$file: answers" "$(events 'scalar grep { $_->{body}{kind} eq "model" } kind "outcome"')" \
  "$(of_class $file AIMessage)"
is "$file: what people said" "$(events 'scalar kind "message"')" "$(of_class $file HumanMessage)"
is "$file: results" "$(events 'scalar grep { $_->{body}{kind} eq "tool" } kind "outcome"')" \
  "$(of_class $file ToolMessage)"
is "$file: calls" "$(events 'scalar kind "intent"')" \
  "$(asked $file "SELECT count(*) FROM (SELECT DISTINCT thread_id, json_extract(k.value, '\$.id')
    FROM checkpoints c, json_each(CAST(c.checkpoint AS TEXT), '\$.channel_values.messages') m,
    json_each(m.value, '\$.kwargs.tool_calls') k)")"
is "$file: tokens" "$(events 'sum0(map { $_->{body}{input_tokens} // 0 } kind "outcome")')" \
  "$(asked $file "SELECT sum(n) FROM (SELECT DISTINCT thread_id,
    json_extract(m.value, '\$.kwargs.id'),
    json_extract(m.value, '\$.kwargs.usage_metadata.input_tokens') AS n
    FROM checkpoints c,
    json_each(CAST(c.checkpoint AS TEXT), '\$.channel_values.messages') m)")"
is "$file: what was asked, and what was answered" \
  "$(events 'join " ", map { $_->{body}{name} } grep { $_->{body}{type} eq "meta" } kind "note"')" \
  "$(asked $file "SELECT group_concat(channel, ' ') FROM (SELECT channel FROM writes WHERE
    channel IN ('__interrupt__', '__resume__') ORDER BY thread_id, idx DESC)")"
is "$file: a thread that waits for an answer is paused" \
  "$(json "[$(paste -sd, <<<"$report")]" 'join " ", map { $_->{status} } @$d')" "paused completed"
file=langgraph_python.db
threads $file
# texts FILE PATTERN: those that MessagePack has of four bytes, each once.
texts() {
  perl -0777 -ne 'BEGIN { $p = shift } $s{$1}++ while /\xa4($p-\d)/g;
    END { print join " ", sort keys %s }' "$2" "$data/$1"
}
is "$file: each message once, also of parts of the graph, and of steps without end" \
  "$(events 'scalar grep { $_->{kind} eq "message" && $_->{body}{message}{content} ne "yes"
    || $_->{kind} eq "outcome" } @e')" \
  "$(texts $file '(?:hm|am|tm|sm)' | wc -w)"
is "$file: those without an id by their place" \
  "$(events 'scalar grep { $_->{body}{message}{content} eq "yes" } kind "message"')" 2
is "$file: calls, those with arguments that are no JSON, too" \
  "$(events 'join " ", sort map { $_->{body}{request}{call_id} } kind "intent"')" \
  "$(texts $file tc)"
is "$file: answers by agent, with their tokens" \
  "$(events 'join " ", map { "$_->{agent}/$_->{body}{input_tokens}/$_->{body}{output_tokens}" }
    grep { $_->{body}{kind} eq "model" } kind "outcome"')" \
  "supervisor/70/9 reader/30/4 reader/44/3 supervisor/95/6"
is "$file: the price" "$(events 'join " ", grep { $_ && $_ > 0 } map { $_->{body}{cost} }
  kind "outcome"')" 200
is "$file: a node that is due is a pause, an error a failure" \
  "$(json "[$(paste -sd, <<<"$report")]" 'join " ", map { $_->{status} } @$d')" "paused failed"
has "an image is one" "$log" '"type":"image","media_type":"image/gif"'
exits 5 "the same again is there already" sessions import "$data/$file"

# What is in the log beside the file alone is read; nothing is left beside a file without one.
mkdir "$dir/made" "$dir/wal"
sqlite3 "$dir/made/w.db" <<SQL >/dev/null
ATTACH '$data/langgraph.db' AS a;
PRAGMA main.journal_mode = WAL;
PRAGMA main.wal_autocheckpoint = 0;
CREATE TABLE main.checkpoints AS SELECT * FROM a.checkpoints;
CREATE TABLE main.writes AS SELECT * FROM a.writes;
.shell cp $dir/made/w.db $dir/made/w.db-wal $dir/wal
SQL
exits 0 "a file whose rows are in its log" --json --store "$dir/s1.db" sessions import \
  "$dir/wal/w.db"
is "has them all" "$(grep -o '"source_id":"[^"]*"' <<<"$out" | tr '\n' ' ')" \
  '"source_id":"trip" "source_id":"trip2" '
mkdir "$dir/alone"
cp "$data/langgraph.db" "$dir/alone"
exits 0 "one without a log" --store "$dir/s2.db" sessions import "$dir/alone/langgraph.db"
is "has nothing beside it then" "$(ls "$dir/alone")" langgraph.db

# broken FILE SQL: a copy of langgraph.db, changed.
broken() {
  cp "$data/langgraph.db" "$dir/$1"
  sqlite3 "$dir/$1" "$2"
}
broken bad.db "UPDATE checkpoints SET type = 'pickle', checkpoint = x'80049506' WHERE rowid = 2"
refused 2 "a checkpoint that cannot be read is named" \
  "is neither JSON nor MessagePack: 'pickle'" sessions import "$dir/bad.db"
broken view.db "ALTER TABLE checkpoints RENAME TO c; CREATE VIEW checkpoints AS SELECT * FROM c"
exits 2 "a view in the place of a table is not run" sessions import "$dir/view.db"
broken other.db "DROP TABLE checkpoints; DROP TABLE writes; CREATE TABLE t (a)"
refused 2 "another program's file" "none of the formats known" sessions import "$dir/other.db"
exits 0 "the store is sound" store verify

# ---- one list of formats ----
exits 0 "the help" help sessions import
modules=$(cd "$root/lua/ck/import" && printf '%s\n' *.lua | sed 's/\.lua$//' | sort)
is "names the formats that there are" \
  "$(tr -s ' \n' ' ' <<<"$out" | grep -o 'workflow-checkpoint, .* or the path' |
    sed 's/^[^ ]* //; s/, or the path//; s/, /\n/g' | sort)" "$modules"
exits 2 "a format that there is not" sessions import --format nope "$data/pi.jsonl"
is "names them, too" "$(grep -o 'there are .*;' <<<"$err" |
  sed 's/^there are //; s/;$//; s/, /\n/g' | sort)" "$modules"
is "the manual has a row for each" \
  "$(sed -n '/^### Sessions of other programs/,/^### What/s/^| `\([a-z0-9_]*\)` |.*/\1/p' \
    "$root/lua/README.md" | sort)" "$modules"
finish
