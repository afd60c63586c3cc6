#!/bin/bash
# coding_agents.t - sessions of Codex, of the Gemini CLI, of opencode: each line or message becomes
# events, none is lost or told twice; calls, results, texts and tokens are as many as the file says.
. "$(dirname "$0")/../../host/tap.sh"
. "$(dirname "$0")/counting.sh"

calls='function_call$|custom_tool_call$|local_shell_call$'
for file in codex.jsonl codex_old.jsonl; do
  imported $file codex
  is "$file: calls" "$(events 'scalar kind "intent"')" \
    "$(counted "$data/$file" "scalar grep { (\$_->{type} // '') =~ /^(?:$calls)/ } @i")"
  is "$file: results" "$(events 'scalar grep { $_->{body}{kind} eq "tool" } kind "outcome"')" \
    "$(counted "$data/$file" 'scalar grep { ($_->{type} // "") =~ /_output$/ } @i')"
  is "$file: what people said" "$(events 'scalar kind "message"')" \
    "$(counted "$data/$file" 'scalar grep { ($_->{role} // "") eq "user" } @i')"
  is "$file: each line is told of" \
    "$(events 'my %s = map { $_ => 1 } sources(); join " ", sort { $a <=> $b } keys %s')" \
    "$(counted "$data/$file" 'join " ", 1 .. @l')"
done
file=codex.jsonl
run --json sessions log imported_codex_42b1fba6 --all
log=$out
is 'tokens: each reply its own, once' \
  "$(events 'sum0(map { $_->{body}{input_tokens} // 0 } kind "outcome")')" \
  "$(counted "$data/$file" 'my %t; $t{$_->{total_token_usage}{total_tokens}} =
    $_->{last_token_usage}{input_tokens} for grep { $_ } map { $_->{payload}{info} } @l;
    sum0(values %t)')"
is 'as many that were written' \
  "$(events 'sum0(map { $_->{body}{output_tokens} // 0 } kind "outcome")')" \
  "$(counted "$data/$file" 'my %t; $t{$_->{total_token_usage}{total_tokens}} =
    $_->{last_token_usage}{output_tokens} for grep { $_ } map { $_->{payload}{info} } @l;
    sum0(values %t)')"
is 'a call that failed is one' "$(events 'join " ", map { $_->{body}{status} }
  grep { $_->{body}{kind} eq "tool" } kind "outcome"')" 'ok error'
is 'an image is kept, not told' "$(grep -c R0lGOD <<<"$log")" 0
has 'it is an image' "$log" '"type":"image","media_type":"image/gif"'
exits 5 'the same again is there already' sessions import "$data/$file"

file=gemini.json
imported $file gemini
is 'gemini: answers' "$(events 'scalar grep { $_->{body}{kind} eq "model" } kind "outcome"')" \
  "$(counted "$data/$file" 'scalar grep { $_->{type} eq "gemini" } @{$d->{messages}}')"
is 'gemini: calls and results' "$(events 'join " ", scalar kind("intent"),
  map { $_->{body}{status} } grep { $_->{body}{kind} eq "tool" } kind "outcome"')" \
  "$(counted "$data/$file" 'my @c = map { @{$_->{toolCalls} // []} } @{$d->{messages}};
    join " ", scalar @c, map { $_->{status} eq "success" ? "ok" : "error" } @c')"
is 'gemini: tokens' \
  "$(events 'sum0(map { ($_->{body}{input_tokens} // 0) + ($_->{body}{output_tokens} // 0) }
    kind "outcome")')" \
  "$(counted "$data/$file" 'sum0(map { $_->{tokens}{total} // 0 } @{$d->{messages}})')"
is 'gemini: each message is told of' \
  "$(events 'my %s = map { $_ => 1 } sources(); join " ", sort { $a <=> $b } keys %s')" \
  "$(counted "$data/$file" 'join " ", 1 .. @{$d->{messages}}')"
is 'gemini: parts are one text' \
  "$(events 'join "|", map { $_->{body}{message}{content} } kind "message"')" \
  'List files.|Thank
you.'

# Newer versions write a line for each change: a message again when it has more, and rewinds.
file=gemini_lines.jsonl
imported $file gemini
last='my %m = map { $_->{id} => $_ } grep { $_->{id} } @l; my @m = values %m;'
is 'lines: answers, calls and what people said, each once' \
  "$(events 'join " ", scalar(grep { $_->{body}{kind} eq "model" } kind "outcome"),
    scalar kind("intent"), scalar kind("message")')" \
  "$(counted "$data/$file" "$last"'join " ", scalar(grep { $_->{type} eq "gemini" } @m),
    scalar(map { @{$_->{toolCalls} // []} } @m), scalar(grep { $_->{type} eq "user" } @m)')"
is 'lines: tokens as the last form of each has them' \
  "$(events 'sum0(map { ($_->{body}{input_tokens} // 0) + ($_->{body}{output_tokens} // 0) }
    kind "outcome")')" \
  "$(counted "$data/$file" "$last"'sum0(map { $_->{tokens}{total} // 0 } @m)')"
is 'lines: each is told of, but for those about the session' \
  "$(events 'my %s = map { $_ => 1 } sources(); join " ", sort { $a <=> $b } keys %s')" \
  "$(counted "$data/$file" 'join " ", grep { my $x = $l[$_ - 1]; $x->{id} || $x->{q($rewindTo)} }
    1 .. @l')"
has 'lines: a rewind is told' "$log" '"name":"rewind"'

file=opencode.json
imported $file opencode
is 'opencode: each step is an answer, one that was cut off, too' \
  "$(events 'join " ", map { $_->{body}{status} }
    grep { $_->{body}{kind} eq "model" } kind "outcome"')" \
  "$(counted "$data/$file" 'join " ", map { my $e = $_->{info}{error};
    my $n = grep { $_->{type} eq "step-finish" } @{$_->{parts}}; (("ok") x $n, $e ? "error" : ()) }
    grep { $_->{info}{role} eq "assistant" } @{$d->{messages}}')"
is 'opencode: calls and results' "$(events 'join " ", scalar kind("intent"),
  map { $_->{body}{status} } grep { $_->{body}{kind} eq "tool" } kind "outcome"')" \
  "$(counted "$data/$file" 'my @c = grep { $_->{type} eq "tool" } map { @{$_->{parts}} }
    @{$d->{messages}}; join " ", scalar @c, map { $_ eq "completed" ? "ok" : $_ }
    grep { $_ ne "running" } map { $_->{state}{status} } @c')"
is 'opencode: the price' \
  "$(events 'sum0(map { $_->{body}{cost} // 0 } kind "outcome")')" \
  "$(counted "$data/$file" 'sprintf "%.0f", 1e6 * sum0(map { $_->{info}{cost} // 0 }
    @{$d->{messages}})')"
is 'opencode: tokens of the cache are read ones; thoughts are written where they stand apart' \
  "$(events 'join " ", map { ($_->{body}{input_tokens}, $_->{body}{output_tokens}) }
    grep { $_->{body}{kind} eq "model" && $_->{body}{status} eq "ok" } kind "outcome"')" \
  '1730 60 40 10'
is 'opencode: each message is told of' \
  "$(events 'my %s = map { $_ => 1 } sources(); join " ", sort { $a <=> $b } keys %s')" \
  "$(counted "$data/$file" 'join " ", 1 .. @{$d->{messages}}')"
has 'opencode: an image is one' "$log" '"type":"image","media_type":"image/gif"'
run --json sessions show "$(json "$report" '$d->{session}')"
is 'opencode: what was aborted is paused, and its agents are two' \
  "$(json "$out" '"$d->{status} " . join " ", map { $_->{id} } @{$d->{input}{import}{agents}}')" \
  'paused build plan'
exits 0 'the store is sound' store verify

# ---- lines of nobody's ----
printf '{"a":%s}\n' 1 2 3 >"$dir/other.jsonl"
run sessions import "$dir/other.jsonl"
has 'lines of JSON that nobody knows are not called malformed' "$err" \
  'none of the formats known is its own (lines of JSON); name one with --format'

# ---- what is cut off ----
head -c 900 "$data/codex.jsonl" >"$dir/cut.jsonl"
run sessions import "$dir/cut.jsonl"
is 'a line that is cut off is an error' "$code" 2
has 'it is named' "$err" 'cut.jsonl:'

echo "1..$checks"
[ "$failed" = 0 ]
