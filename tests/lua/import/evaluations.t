#!/bin/bash
# evaluations.t - runs of AgentDojo, moatless-tools and OpenHands, requests of two APIs: each is
# told apart by its content; answers, calls, results, tokens and prices are as many as the file has.
. "$(dirname "$0")/../../host/tap.sh"
. "$(dirname "$0")/counting.sh"

# What came of a file: answers, calls, results that failed, others, tokens, micro-dollars.
sums='my @m = grep { $_->{body}{kind} eq "model" } kind "outcome";
  my @t = grep { $_->{body}{kind} eq "tool" } kind "outcome"; sub sum { my $k = shift;
    sum0(map { my $n = $_->{body}{$k} // 0; $n > 0 ? $n : 0 } @m) }
  join " ", scalar @m, scalar kind("intent"), scalar(grep { $_->{body}{status} eq "error" } @t),
    scalar(grep { $_->{body}{status} eq "ok" } @t), sum("input_tokens"), sum("output_tokens"),
    sum("cost")'
# whole FILE FORMAT CODE: of all its sessions together; CODE counts the same of the file itself.
whole() {
  local from=$data/$1
  [ -e "$1" ] && from=$1
  exits 0 "$1" --json sessions import "$from"
  is "$1: its format is told by its content" "$(grep -o '"format":"[a-z_]*"' <<<"$out" | sort -u)" \
    "\"format\":\"$2\""
  log=$(grep -o '"session":"[^"]*"' <<<"$out" | cut -d'"' -f4 |
    xargs -I {} "$CKRUN" --json sessions log {} --all)
  is "$1: as many as the file has" "$(events "$sums")" "$(counted "$from" "$3")"
}

runs='my @m = map { @{$_->{messages}} } $d ? $d : @l;
  my @t = grep { $_->{role} eq "tool" } @m; my $bad = grep { $_->{error} } @t;
  join " ", scalar(grep { $_->{role} eq "assistant" } @m),
    scalar(map { @{$_->{tool_calls} // []} } @m), $bad, @t - $bad, 0, 0, 0'
loop='my @a = map { @{$_->{actions}} } @{$d->{transitions}}; join " ", scalar @a, scalar @a,
  scalar(grep { defined $_->{retry_message} } @a),
  scalar(grep { !defined $_->{retry_message} && defined $_->{output} } @a), 0, 0,
  sum0(map { sprintf "%.0f", 1e6 * ($_->{completion_cost} // 0) } @a)'
tree='my @n = @{$d->{nodes}}; my @c = grep { $_ } map { values %{$_->{completions}} } @n;
  my @u = map { [$_->{usage}, exists $_->{response}{content}] } @c;
  my @s = grep { $_->{action} && $_->{observation} } @n;
  my $bad = grep { $_->{observation}{expect_correction} } @s;
  join " ", scalar @c, scalar(grep { $_->{action} } @n), $bad, @s - $bad,
    sum0(map { $_->[0]{prompt_tokens} + ($_->[1] ? $_->[0]{cached_tokens} : 0) } @u),
    sum0(map { $_->[0]{completion_tokens} } @u),
    sum0(map { sprintf "%.0f", 1e6 * $_->[0]{completion_cost} } @u)'
# A call of a model has an id; what came without one is an answer each.
steps='my %seen; my @h = map { ref eq "ARRAY" ? @$_ : $_ } map { @{$_->{history}} } $d ? $d : @l;
  my @a = grep { $_->{source} eq "agent" && $_->{action} && $_->{action} ne "system" } @h;
  my @m = grep { my $i = $_->{tool_call_metadata}{model_response}{id}; !$i || !$seen{$i}++ } @a;
  my %by = map { $_->{id} => $_ } grep { $_->{action} && $_->{action} !~ /message|delegate/ } @a;
  my @o = grep { $_->{observation} && defined $_->{cause} && $by{$_->{cause}} } @h;
  my $bad = grep { $_->{observation} eq "error" } @o;
  my @u = map { @{$_->{metrics}{token_usages} // []} } $d ? $d : @l;
  join " ", scalar @m, scalar(keys %by), $bad, @o - $bad, sum0(map { $_->{prompt_tokens} } @u),
    sum0(map { $_->{completion_tokens} } @u), 0'
logged='my $u = $d->{response}{usage}; my @m = (@{$d->{messages}},
    map { $_->{message} } @{$d->{response}{choices}});
  join " ", scalar(grep { $_->{role} eq "assistant" } @m),
    scalar(map { @{$_->{tool_calls} // []} } @m), 0, scalar(grep { $_->{role} eq "tool" } @m),
    $u->{prompt_tokens}, $u->{completion_tokens}, sprintf "%.0f", 1e6 * $d->{cost}'
blocks='my @r = $d ? $d : @l; my @a = map { $_->{response} // (($_->{role} // "") eq "assistant"
    ? $_ : ()) } @r;
  my @m = (@a, map { my $q = $_->{request} // $_; @{$q->{messages} // []} } @r);
  my @b = map { ref $_->{content} ? @{$_->{content}} : () } @m;
  my @t = grep { $_->{type} eq "tool_result" } @b; my $bad = grep { $_->{is_error} } @t;
  join " ", scalar(grep { $_->{role} eq "assistant" } @m),
    scalar(grep { $_->{type} eq "tool_use" } @b), $bad, @t - $bad,
    sum0(map { my $u = $_->{usage}; map { $u->{$_} // 0 } qw(input_tokens
      cache_creation_input_tokens cache_read_input_tokens) } @a),
    sum0(map { $_->{usage}{output_tokens} } @a), sum0(map { 1e6 * ($_->{cost} // 0) } @r)'

whole agentdojo.jsonl agentdojo "$runs"
whole moatless_loop.json moatless "$loop"
whole moatless_tree.json moatless "$tree"
has 'a node that goes back says so' "$log" '"name":"back"'
whole openhands.jsonl openhands "$steps"
is 'a delegation is one' "$(events 'scalar kind "delegation"')" 1
whole openhands_log.json openhands "$logged"
whole anthropic.json anthropic "$blocks"
whole anthropic_lines.jsonl anthropic "$blocks"

# ---- what an answer cost ----
exits 0 'logs of chat completions' --json sessions import "$data/openai_log.jsonl"
is 'have the usage and the price of a response, or of the whole' \
  "$(for line in 1 2 3; do json "$(sed -n "${line}p" <<<"$out")" \
    'join ",", map { $d->{$_} // "" } qw(model_calls input_tokens output_tokens cost_usd)'; done |
    tr '\n' ' ')" '1,4,2,0.51,5,3,0.251,40,20,1.25'

# ---- the recorded ones ----
recorded=${CKRUN_DATA:-$root/../shared/data}
if [ -d "$recorded" ]; then
  shopt -s globstar nullglob
  for file in "$recorded"/moatless_loop/**/*.json; do whole "$file" moatless "$loop"; done
  for file in "$recorded"/moatless_tree/*; do whole "$file" moatless "$tree"; done
  for file in "$recorded"/openhands_events/*; do whole "$file" openhands "$steps"; done
  for file in "$recorded"/openhands_llm_logs/**/*.json; do whole "$file" openhands "$logged"; done
else
  skip 'the recorded sessions (CKRUN_DATA) are not there'
fi
exits 0 'the store is sound' store verify
finish
