#!/bin/bash
# export_openai.t - a session as conversations of chat completions: what the transcript says, once,
# and imported and exported again it is the same.
. "$(dirname "$0")/../tap.sh"
data=$root/tests/lua/import/data

# said SESSION: of the transcript, by scope and agent, roles, words and calls.
said() {
  "$CKRUN" --json sessions log "$1" | perl -MJSON::PP -ne '
    my $e = decode_json($_);
    my $m = $e->{body}{message};
    next unless $e->{kind} =~ /^(message|outcome)$/ && ref $m eq "HASH";
    my $of = "$e->{scope}/" . ($e->{agent} // "");
    push @order, $of unless $said{$of};
    my $text = ref $m->{content} ? "parts " . @{$m->{content}} : $m->{content} // "";
    push @{$said{$of}}, join "|", $m->{role}, $text,
      map { $_->{function}{name} } @{$m->{tool_calls} // []};
    END { binmode STDOUT, ":utf8"; print join "\n", map({ ($_, @{$said{$_}}) } @order), "" }'
}
# exported FILE: the same of an export.
exported() {
  perl -MJSON::PP -ne '
    BEGIN { binmode STDOUT, ":utf8" }
    my $d = decode_json($_);
    print "$d->{scope}/", $d->{agent} // "", "\n";
    for my $m (@{$d->{messages}}) {
      my $text = ref $m->{content} ? "parts " . @{$m->{content}} : $m->{content} // "";
      print join("|", $m->{role}, $text, map { $_->{function}{name} } @{$m->{tool_calls} // []}),
        "\n";
    }' "$1"
}
messages() {
  perl -MJSON::PP -ne '
    print JSON::PP->new->canonical->utf8->encode(decode_json($_)->{messages}), "\n"' "$1"
}

exits 0 "a session" run "$flow" --cassette "$cassette" --session air
exits 0 "as conversations" sessions export air --format openai -o "$dir/air.jsonl"
is "says what the transcript says" "$(exported "$dir/air.jsonl")" "$(said air)"
run --json sessions show air
is "with its tokens and its price" \
  "$(json "$(cat "$dir/air.jsonl")" 'join " ", @{$d->{usage}}{qw(prompt_tokens completion_tokens)},
    $d->{cost_usd}')" \
  "$(json "$out" 'join " ", @{$d->{totals}}{qw(input_tokens output_tokens cost_usd)}')"
exits 0 "is imported" --json sessions import "$dir/air.jsonl" --session back
is "as that format" "$(json "$out" '$d->{format}')" openai
exits 0 "and exported again" sessions export back --format openai -o "$dir/back.jsonl"
is "is the same" "$(messages "$dir/back.jsonl")" "$(messages "$dir/air.jsonl")"
used() { json "$(head -1 "$1")" 'join " ", @{$d->{usage}}{qw(prompt_tokens completion_tokens)},
  $d->{cost_usd} // "none"'; }
is "with the tokens and the price of the whole" "$(used "$dir/back.jsonl")" \
  "$(used "$dir/air.jsonl")"
exits 0 "as a trace" sessions export back --format otlp -o "$dir/back.otlp"
exits 0 "which is imported" --json sessions import "$dir/back.otlp" --session trace
is "of the same cost" "$(json "$out" '"$d->{input_tokens} $d->{output_tokens} $d->{cost_usd}"')" \
  "$(used "$dir/air.jsonl")"
exits 0 "and exported a third time" sessions export trace --format openai -o "$dir/third.jsonl"
is "has them still" "$(used "$dir/third.jsonl")" "$(used "$dir/air.jsonl")"

exits 0 "of two agents" sessions import "$data/otlp.json" --session two
exits 0 "a line for each" sessions export two --format openai -o "$dir/two.jsonl"
is "of which each says its own" "$(exported "$dir/two.jsonl" | grep -c /)" 2
has "an image is in line" "$(cat "$dir/two.jsonl")" '"url":"data:image/gif;base64,R0lGOD'
exits 0 "which are sessions each" sessions import "$dir/two.jsonl" --session each
exits 0 "each exported again" sessions export each --format openai -o "$dir/one.jsonl"
is "has its own part" "$(used "$dir/one.jsonl")" "$(used "$dir/two.jsonl")"
exits 0 "a source that tells of each call and of the whole" --json sessions import \
  "$data/moatless_loop.json" --session both
told=$(json "$out" '$d->{cost_usd}')
exits 0 "as conversations" sessions export both --format openai -o "$dir/both.jsonl"
is "counts its calls, once" "$(json "$(cat "$dir/both.jsonl")" '$d->{cost_usd}')" "$told"
exits 0 "a source that tells of the whole only" sessions import "$data/swe_agent.traj" --session swe
exits 0 "as conversations" sessions export swe --format openai -o "$dir/swe.jsonl"
is "tells it once" "$(perl -MJSON::PP -ne '$sum += decode_json($_)->{cost_usd} // 0;
    END { print $sum }' "$dir/swe.jsonl")" \
  "$(perl -MJSON::PP -0 -ne 'print decode_json($_)->{info}{model_stats}{instance_cost}' \
    "$data/swe_agent.traj")"
exits 0 "the second one" sessions show each_2

# ---- prices that nobody knows ----

exits 0 "a session without prices" sessions import "$data/claude_code.jsonl" --session free
exits 0 "as conversations" sessions export free --format openai -o "$dir/free.jsonl"
is "tells of no price" "$(grep -c '"cost_usd":null' "$dir/free.jsonl")" \
  "$(wc -l <"$dir/free.jsonl")"
exits 0 "as a document" sessions export free --format markdown
has "neither" "$out" "· an unknown cost ·"
is "at no answer" "$(grep '^## ' <<<"$out" | grep -cF '$')" 0

exits 2 "at a checkpoint it is not" sessions export air --format openai --checkpoint latest
finish
