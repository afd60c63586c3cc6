#!/bin/bash
# permit_since.t - what a permit is shown of the work since the last checkpoint is what the
# transcript counts up to there, and the checkpoint hook at the next boundary goes on from it; the
# same is read from the record, and behind a resume it is counted from there.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

answers() {
  for turn in 0 1 2 3 4; do
    printf '{"turn":%d,"answer":{"calls":[' $turn
    printf '{"name":"%s","arguments":{"n":%d}}%s' look $turn , send $turn ''
    printf ']},"times":0}\n'
  done
  echo '{"turn":5,"answer":{"text":"Done."},"times":0}'
}
answers >of_model; serve work <of_model
cat >flow.lua <<'END2'
local flow = require "ck.flow"
return flow.graph { start = "plan", nodes = {
  plan = flow.lua(function(ctx) ctx.memory.x = 1 end),
  work = flow.agent { name = "ann", model = "big", prompt = "Work.", input = "Do it.",
    parallel_tools = 1, tools = {
    look = flow.command { argv = { "echo", "seen" }, class = "pure" },
    send = flow.command { class = "idempotent",
      argv = { "sh", "-c", "[ ! -e die ] || { rm die; kill -9 $PPID; }" } } } } },
  edges = { plan = "work", work = flow.done } }
END2
# Says what it is shown at each look. Of six boundaries since the last checkpoint the last is one,
# and a before_call is none by itself.
cat >sees.lua <<'END2'
local names = { "events", "cost_usd", "tokens", "tool_calls", "changed_keys", "changed_bytes",
  "boundaries", "iterations" }
local function say(word, at, last)
  local list = {}
  for i, name in ipairs(names) do list[i] = name .. "=" .. at.since[name] end
  print(("SEES %s %d %s %s"):format(word, at.seq, table.concat(list, " "), last or "model"))
end
return { name = "sees", version = 1, options = { classes = { "idempotent" } },
  checkpoint = function(at)
    say("checkpoint", at, at.kind)
    return at.since.boundaries >= 6
  end,
  permit = function(effect, at) say("permit", at, effect.tool) end }
END2
cat >p.lua <<END2
return { name = "p", policies = { "./sees.lua" },
  secrets = { main = "env:MODEL_KEY" }, models = { big = { api = "openai", model = "mine",
    base_url = "$(base_url openai)", key = "main", retries = 0, stream = false,
    price = { input = 3, output = 15 } } } }
END2
# saw SESSION: what the hooks were shown in its newest run, in order.
saw() { grep -o 'SEES .*' "$1.err" | sed 's/^SEES //'; }
# told SESSION: what is counted of that: events, calls of tools, boundaries, iterations.
told() {
  saw "$1" | perl -ne 'my %n = /(\w+)=(\S+)/g; /^(\w+) (\d+)/;
    print "$1 $2 @n{qw(events tool_calls boundaries iterations)}\n"'
}
# counted SESSION: the same from the transcript alone, at each of these places: from behind the
# last checkpoint, or the beginning of the run.
cat >count.pl <<'END2'
use strict; use warnings; use JSON::PP;
my ($shown, %at) = (shift);
my @events = map { decode_json($_) } <STDIN>;
open my $in, "<", $shown or die;
for (<$in>) {
  my ($word, $seq) = /^(\w+) (\d+) / or die "no line: $_";
  my ($from, @n) = (1, 0, 0, 0);
  for (@events) {
    last if $_->{seq} >= $seq;
    my $body = $_->{body};
    $n[0]++ if $_->{kind} eq "outcome" && $body->{kind} eq "tool";
    next unless $_->{kind} =~ /^(boundary|session_resumed)$/;
    if ($_->{kind} eq "session_resumed" || $body->{checkpoint}) {
      ($from, @n) = ($_->{seq}, 0, 0, 0);
      next;
    }
    $n[1]++ if $body->{kind} ne "before_call";
    $n[2]++ if $body->{kind} =~ /^(loop_iteration|tool_round)$/;
  }
  if ($word eq "checkpoint") {
    my ($kind) = / (\w+)$/;
    $n[1]++ if $kind ne "before_call";
    $n[2]++ if $kind =~ /^(loop_iteration|tool_round)$/;
  }
  print "$word $seq ", $seq - 1 - $from, " @n\n";
}
END2
counted() {
  saw "$1" >"$1.saw"
  "$CKRUN" --json sessions log "$1" | perl count.pl "$1.saw"
}

# ---- live ----
"$CKRUN" run flow.lua --profile ./p.lua --session s >s.out 2>s.err
is "it completes" "$(grep ^status s.out)" "status	completed"
is "each hook is shown what the transcript counts" "$(told s)" "$(counted s)"
is "a permit had boundaries and rounds behind it" \
  "$(told s | grep -cE '^permit [0-9]+ [0-9]+ [1-9][0-9]* [1-9][0-9]* [1-9]')" 10
is "behind a checkpoint it had none" "$(told s | grep -E '^permit 24 ')" "permit 24 0 0 0 0"

# ---- asked later: all of since, from the record ----
saw s | grep '^permit' >live
sed 's/^local function say.*/local function say(_, at, last)/
  s/^  print(("SEES %s/  return (("SEES permit/; s/"):format(word,/"):format(/
  s/permit = .*/permit = function(effect, at)\n    return ck.ask(say(0, at, effect.tool))\n  end }/
  s/checkpoint = function(at)/checkpoint = function()/; /say("checkpoint"/d
  s/return at.since.boundaries >= 6/return false/' sees.lua >asks.lua
"$CKRUN" --json policy explain s --all --rerun ./asks.lua 2>/dev/null |
  grep -o 'SEES permit [^"]*' | sed 's/^SEES //' | awk '!had[$0]++' >again
is "another policy is shown the same" "$(cat again)" "$(cat live)"
exits 0 "eval" policy eval s#21 -e 'at.since.boundaries, at.since.iterations, at.since.tool_calls'
is "shows the same" "$out" "$(perl -ne 'my %n = /(\w+)=(\S+)/g; next unless / 21 /;
  print join "\t", @n{qw(boundaries iterations tool_calls)}' live)"

# ---- behind a kill it is counted from the resume ----
serve work <of_model
sed -i "s|base_url = \"[^\"]*\"|base_url = \"$(base_url openai)\"|" p.lua
touch die
exits 137 "a run" run flow.lua --profile ./p.lua --session killed
echo "$err" >killed.err
is "it is killed in a call" "$(told killed | tail -1)" "permit 13 11 1 4 0"
"$CKRUN" resume killed >killed.out 2>killed.err
is "it goes on" "$(grep ^status killed.out)" "status	completed"
is "and counts from there" "$(told killed)" "$(counted killed)"
finish
