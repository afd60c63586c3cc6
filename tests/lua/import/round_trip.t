#!/bin/bash
# round_trip.t - a session that is exported as a trace of OpenTelemetry and imported again has the
# same messages, answers, calls, results, tokens and prices, event by event, whatever wrote it.
. "$(dirname "$0")/../../host/tap.sh"
data=$root/tests/lua/import/data

said() { "$CKRUN" --json sessions log "$1" --all | perl "$root/tests/lua/import/said.pl"; }
# summed SESSION: its ending, its sums, and what its source says of the whole.
summed() {
  "$CKRUN" --json sessions show "$1" | perl -MJSON::PP -0ne 'my $d = decode_json($_);
    my $of = $d->{input}{import};
    print join " ", $d->{status}, map { $_ // "-" } @{$d->{totals}}{qw(cost_usd model_calls
      tool_calls input_tokens output_tokens unmetered)}, @{$of}{qw(cost input_tokens
      output_tokens)}'
}
# returns SESSION NAME: it comes back; one of which nothing can be told in a trace does not.
returns() {
  said "$1" >"$dir/before"
  "$CKRUN" sessions export "$1" --format otlp -o "$dir/$1.json" >/dev/null 2>"$dir/err" ||
    diag "$(cat "$dir/err")"
  "$CKRUN" sessions import "$dir/$1.json" --session "back_$1" >/dev/null 2>"$dir/err" || {
    [ -s "$dir/before" ] && ok "$2: $(cat "$dir/err")" false
    return
  }
  is "$2: each event is there again" "$(said "back_$1" | diff "$dir/before" - | head -n 6)" ""
  is "$2: and its sums" "$(summed "back_$1")" "$(summed "$1")"
}

formats=
for sample in "$data"/*.expected; do
  file=${sample%.expected}
  "$CKRUN" --json sessions import --partial "$file" >"$dir/report" 2>/dev/null
  formats="$formats $(grep -o '"format":"[a-z0-9_]*"' "$dir/report" | cut -d'"' -f4)"
  ok "${file##*/}: has sessions" test -s "$dir/report"
  for id in $(grep -o '"session":"[^"]*"' "$dir/report" | cut -d'"' -f4); do
    returns "$id" "${file##*/}"
  done
done
is "a sample of each format was there" \
  "$(tr ' ' '\n' <<<"$formats" | sort -u | grep -v '^$')" \
  "$(cd "$root/lua/ck/import" && printf '%s\n' *.lua | sed 's/\.lua$//' | sort)"

# Results that do not name their calls, of an agent and of a user who has tools as well.
recorded=${CKRUN_DATA:-$root/../shared/data}/tau2_bench
if [ -d "$recorded" ]; then
  file=$(ls "$recorded"/gpt*telecom.json)
  ids=$("$CKRUN" sessions import "$file" | cut -f1 | head -n 3)
  ok "recorded sessions are there" test -n "$ids"
  for id in $ids; do returns "$id" "${file##*/}"; done
else
  skip "the recorded sessions (CKRUN_DATA) are not there"
fi

# Calls without ids in a trace that is none of ckrun's: told by their models, by their tools, and
# once more by each later call, as conversations grow.
perl -MJSON::PP -e '
  my ($n, @said, @spans) = (0, { role => "user", parts => [{ type => "text", content => "Go." }] });
  sub attribute {
    my ($key, $value) = @_;
    return { key => $key, value => { stringValue => ref $value ? encode_json($value) : $value } };
  }
  sub span {
    my ($name, %a) = @_;
    $n++;
    push @spans, { traceId => "t", spanId => "s$n", name => $name, startTimeUnixNano => 1e9 * $n,
      endTimeUnixNano => 1e9 * $n + 1, attributes => [map { attribute($_, $a{$_}) } sort keys %a] };
  }
  for my $round (1 .. 3) {
    my @calls = map { { type => "tool_call", name => "price", arguments => { n => "$round$_" } } }
      1, 2;
    my $answer = { role => "assistant", parts => $round < 3 ? \@calls
      : [{ type => "text", content => "Done." }] };
    span("chat", "gen_ai.operation.name" => "chat", "gen_ai.input.messages" => \@said,
      "gen_ai.output.messages" => [$answer]);
    last if $round == 3;
    push @said, $answer;
    for my $i (1, 2) {
      span("tool", "gen_ai.operation.name" => "execute_tool", "gen_ai.tool.name" => "price",
        "gen_ai.tool.call.result" => "cost $round$i");
      push @said, { role => "tool", parts => [{ type => "tool_call_response",
        response => "cost $round$i" }] };
    }
  }
  print encode_json({ resourceSpans => [{ scopeSpans => [{ spans => \@spans }] }] })
' >"$dir/tools.json"
perl -MJSON::PP -0ne 'my $d = decode_json($_); my $s = $d->{resourceSpans}[0]{scopeSpans}[0];
  $s->{spans} = [grep { $_->{name} eq "chat" } @{$s->{spans}}]; print encode_json($d)' \
  "$dir/tools.json" >"$dir/chats.json"
for name in tools chats; do
  exits 0 "calls without ids, $name" sessions import "$dir/$name.json" --session "no_$name"
  is "$name: each call once" "$(said "no_$name" | grep -o '"intent tool".*"n":"[0-9]*"' |
    grep -o '[0-9]*"$' | tr -d '"\n')" "11122122"
  is "$name: each result once, with its words" \
    "$(said "no_$name" | grep '"outcome tool"' | grep -o 'cost [0-9]*' | tr '\n' ' ')" \
    "cost 11 cost 12 cost 21 cost 22 "
done
finish
