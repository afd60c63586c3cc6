#!/bin/bash
# export_otlp.t - a session as a trace of OpenTelemetry: each call once, as the transcript has it,
# the same bytes each time; read back it is the same calls.
. "$(dirname "$0")/../tap.sh"
data=$root/tests/lua/import/data

# logged SESSION: each call of a model or a tool in the whole transcript, in the order in which they
# began: its event, kind, what was asked for, its ending, tokens and price in micro-dollars.
logged() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -e '
    while (<STDIN>) {
      my $e = decode_json($_);
      my $b = $e->{body};
      next unless $e->{kind} =~ /^(intent|outcome)$/ && $b->{kind} =~ /^(model|tool)$/;
      if ($e->{kind} eq "intent") {
        push @calls, $open{$b->{key}} = { seq => $e->{seq}, intent => $b };
      } else {
        my $call = delete $open{$b->{key}};
        push @calls, $call = { seq => $e->{seq} } unless $call;
        $call->{outcome} = $b;
      }
    }
    for my $c (sort { $a->{seq} <=> $b->{seq} } @calls) {
      my ($i, $o) = ($c->{intent} // {}, $c->{outcome} // {});
      next if ($o->{status} // "") eq "ended"; # a recording had no more: nothing was called
      my $cost = $o->{cost} // 0;
      print join(" ", $c->{seq}, $i->{kind} // $o->{kind},
        $i->{request}{name} // $o->{name} // "-", $o->{status} // "none",
        $o->{input_tokens} // 0, $o->{output_tokens} // 0, $cost > 0 ? $cost : 0), "\n";
    }'
}
spans='my $d = JSON::PP->new->decode(join "", <STDIN>);
  our @s = @{$d->{resourceSpans}[0]{scopeSpans}[0]{spans}};
  for my $s (@s) {
    $s->{a} = { map { ($_->{key}, (values %{$_->{value}})[0]) } @{$s->{attributes}} };
  }
  sub op { my $o = shift; grep { ($_->{a}{"gen_ai.operation.name"} // "") eq $o } @s }'
# traced FILE: the same of a trace.
traced() {
  perl -MJSON::PP -e "$spans"'
    for my $s (sort { $a->{a}{"ckrun.event.seq"} <=> $b->{a}{"ckrun.event.seq"} }
        op("chat"), op("execute_tool")) {
      my $a = $s->{a};
      my $tool = $a->{"gen_ai.operation.name"} eq "execute_tool";
      printf "%d %s %s %s %d %d %.0f\n", $a->{"ckrun.event.seq"}, $tool ? "tool" : "model",
        $tool ? $a->{"gen_ai.tool.name"} : "-", $a->{"ckrun.effect.status"} // "none",
        $a->{"gen_ai.usage.input_tokens"} // 0, $a->{"gen_ai.usage.output_tokens"} // 0,
        1e6 * ($a->{"gen_ai.usage.cost"} // 0);
    }' <"$1"
}
# faults FILE: what a collector or a person would not understand of the spans.
faults() {
  perl -MJSON::PP -e "$spans"'
    my (%id, %trace);
    for my $s (@s) {
      print "twice: $s->{spanId}\n" if $id{$s->{spanId}};
      $id{$s->{spanId}} = $s, $trace{$s->{traceId}}++;
      print "id: $s->{spanId}\n" unless $s->{spanId} =~ /^[0-9a-f]{16}$/;
      print "trace: $s->{traceId}\n" unless $s->{traceId} =~ /^[0-9a-f]{32}$/;
      my $ending = $s->{a}{"ckrun.effect.status"} // "none";
      my $failed = $ending ne "ok" && $s->{a}{"ckrun.effect.key"};
      print "status: $s->{name}\n" if $failed && ($s->{status}{code} // 0) != 2;
      print "no type of error: $s->{name}\n" if $s->{status}{code} && !$s->{a}{"error.type"};
    }
    print "traces\n" if keys %trace != 1;
    print "outermost\n" if 1 != grep { !$_->{parentSpanId} } @s;
    for my $s (grep { $_->{parentSpanId} } @s) {
      my $p = $id{$s->{parentSpanId}} or print("no parent: $s->{name}\n"), next;
      print "not within: $s->{name} $p->{name}\n" if
        $s->{startTimeUnixNano} < $p->{startTimeUnixNano} ||
        $s->{endTimeUnixNano} > $p->{endTimeUnixNano};
      print "backward: $s->{name}\n" if $s->{endTimeUnixNano} < $s->{startTimeUnixNano};
    }' <"$1"
}
# told SESSION: what was said and called, agent by agent, as the transcript has it.
told() {
  "$CKRUN" --json sessions log "$1" | perl -MJSON::PP -ne '
    BEGIN { binmode STDOUT, ":utf8"; $c = JSON::PP->new->canonical->allow_nonref }
    my $e = decode_json($_);
    my ($b, $m) = ($e->{body}, $e->{body}{message});
    next unless $e->{kind} =~ /^(message|outcome)$/ && ref $m eq "HASH";
    my $content = $m->{content} // "";
    $content = $c->decode($content) if $content =~ /^[{["]/;
    push @said, join "|", $e->{agent}, $m->{role}, $c->encode($content),
      $b->{input_tokens} // 0, $b->{output_tokens} // 0, $b->{cost} // 0,
      map { my $a = $_->{function}{arguments};
        ($_->{id}, $_->{function}{name}, $c->encode(ref $a ? $a : decode_json($a))) }
        @{$m->{tool_calls} // []};
    END { print join "\n", @said, "" }'
}

exits 0 "a session" run "$flow" --cassette "$cassette" --session air
exits 0 "as a trace" sessions export air --format otlp -o "$dir/air.json"
is "has each call as the transcript has it" "$(traced "$dir/air.json")" "$(logged air)"
ok "which are many" test "$(traced "$dir/air.json" | wc -l)" -gt 20
is "its spans are those of one trace, each within another" "$(faults "$dir/air.json")" ""
exits 0 "once more" sessions export air --format otlp -o "$dir/again.json"
ok "it is the same bytes" cmp "$dir/air.json" "$dir/again.json"
exits 0 "read back" --json sessions import "$dir/air.json" --session back
is "as that format" "$(json "$out" '$d->{format}')" otlp
is "everybody has said the same, also the last word, which no model was given" \
  "$(told back | sort)" "$(told air | sort)"

# Two agents, of which one asks the other; one call that failed; one tool that did.
exits 0 "of two agents" sessions import "$data/otlp.json" --session two
exits 0 "as a trace" sessions export two --format otlp -o "$dir/two.json"
is "has each call" "$(traced "$dir/two.json")" "$(logged two)"
is "and what failed" "$(traced "$dir/two.json" | grep -c ' error ')" 2
is "and the session failed, within which the spans are" "$(faults "$dir/two.json")" ""
is "an image has no bytes there" "$(grep -c R0lGOD "$dir/two.json")" 0
has "but its digest" "$(cat "$dir/two.json")" '\"file_id\":\"1c510757cffc'

# What an answer says of itself, in the names of the conventions.
attributes() {
  perl -MJSON::PP -e "$spans"'
    my @names = map { "gen_ai.$_" } qw(conversation.id response.model response.id
      request.max_tokens request.temperature output.type);
    print join(" ", map { $_ // "-" } @{$_->{a}}{@names}), "\n" for op("chat");
    print join(" ", $_->{name}, $_->{a}{"gen_ai.workflow.name"} // "-"), "\n"
      for op("invoke_workflow")' <"$1"
}
exits 0 "of Anthropic's messages" sessions import "$data/anthropic.json" --session claude
exits 0 "as a trace" sessions export claude --format otlp -o "$dir/claude.json"
is "its answers have the model and the id that they tell" "$(attributes "$dir/claude.json")" \
  $'claude - - - - -\nclaude claude-m msg_1 - - -\ninvoke_workflow -'
cat >"$dir/said.lua" <<'END'
local flow = require "ck.flow"
return flow.agent { name = "clerk", prompt = "Be brief.", max_tokens = 50, temperature = 0.5,
  user = flow.ask {}, stop = function() return true end,
  schema = { type = "object", properties = { ok = { type = "boolean" } } } }
END
cat >"$dir/said.jsonl" <<'END'
{"role":"user","content":"Well?"}
{"role":"assistant","content":"{\"ok\":true}"}
{"role":"assistant","content":null,"refusal":"I will not."}
END
cat >"$dir/tape.jsonl" <<'END'
{"cassette":1}
{"scope":"main","kind":"ask","answer":"Well?"}
{"scope":"main","kind":"model","message":{"role":"assistant","content":"{\"ok\":true}"}}
END
exits 0 "a call with bounds" run "$dir/said.lua" --cassette "$dir/tape.jsonl" --session said
exits 0 "as a trace" sessions export said --format otlp -o "$dir/said.json"
has "has what was asked for" "$(attributes "$dir/said.json")" 'said - - 50 0.5 json'
has "and whose flow it is" "$(attributes "$dir/said.json")" 'invoke_workflow said.lua said.lua'
# Nothing listens there.
cat >"$dir/down.lua" <<'END'
return { name = "down", extends = "loop", models = { default = { api = "anthropic", model = "m",
  base_url = "http://127.0.0.1:1", retries = 0, stream = false } } }
END
run run "$dir/said.lua" --profile "$dir/down.lua" --session down
run answer down "Well?"
run resume down
exits 0 "a call that failed" sessions export down --format otlp -o "$dir/down.json"
has "is a span" "$(traced "$dir/down.json")" " model "
is "and names whom it was asked of" \
  "$(grep -o 'gen_ai.provider.name","value":{[^}]*}' "$dir/down.json")" \
  'gen_ai.provider.name","value":{"stringValue":"anthropic"}'
exits 0 "a refusal" sessions import "$dir/said.jsonl" --session refused
exits 0 "as a trace" sessions export refused --format otlp -o "$dir/refused.json"
has "keeps its words" "$(cat "$dir/refused.json")" \
  '{\"type\":\"refusal\",\"content\":\"I will not.\"}'

# Killed in a call and resumed from before it: what was begun is a span each time.
cd "$dir" && cp -r "$root/examples/crash" crash && cd crash || exit 1
"$CKRUN" run flow.lua --cassette cassette.jsonl --session trip >/dev/null 2>&1
exits 0 "killed in a tool" sessions export trip --format otlp -o "$dir/killed.json"
is "a call without an outcome is a span" \
  "$(traced "$dir/killed.json" | grep none | cut -d' ' -f2-4)" "tool mail none"
is "that failed" "$(faults "$dir/killed.json")" ""
exits 0 "and resumed" resume trip
exits 0 "as a trace" sessions export trip --format otlp -o "$dir/trip.json"
is "what was begun again is there each time" "$(traced "$dir/trip.json")" "$(logged trip)"
is "its spans are understood" "$(faults "$dir/trip.json")" ""
ids() { perl -MJSON::PP -e "$spans"'
  print join("\n", sort map { "$_->{spanId} $_->{name}" } op("chat")), "\n"' <"$1"; }
is "a call keeps its id when the session goes on" \
  "$(comm -23 <(ids "$dir/killed.json") <(ids "$dir/trip.json"))" ""
exits 0 "a fork" sessions fork trip first --session other
exits 0 "as a trace" sessions export other --format otlp -o "$dir/other.json"
is "has ids of its own" "$(perl -ne 'print /"traceId":"(\w+)"/ ? "$1\n" : ""' \
  "$dir/trip.json" "$dir/other.json" | sort -u | wc -l)" 2
exits 2 "at a checkpoint it is not" sessions export trip --format otlp --checkpoint latest

# A live call is one of what really answered, as its API calls it.
. "$root/tests/host/served.sh"
serve openai <<'END'
{"answer":{"text":"Well.","usage":{"input":100,"output":7,"cached":40}}}
END
write_house
echo 'return require "ck.flow".agent { name = "clerk", input = "Well?" }' >live.lua
exits 0 "a live session" run live.lua --profile ./house.lua --session live
exits 0 "as a trace" sessions export live --format otlp -o live.json
is "says what answered" "$(attributes live.json | head -1)" 'live chat-test - - - -'
has "and how many of its tokens a cache had" "$(cat live.json)" \
  '"gen_ai.usage.cache_read.input_tokens","value":{"intValue":"40"}'
exits 0 "its recording" sessions export live --format cassette -o live.tape
exits 0 "played" run live.lua --profile ./house.lua --cassette live.tape --session played
exits 0 "as a trace" sessions export played --format otlp -o played.json
is "says nothing of it" "$(attributes played.json | head -1)" 'played - - - - -'
finish
