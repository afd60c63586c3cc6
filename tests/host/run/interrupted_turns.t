#!/bin/bash
# interrupted_turns.t - a turn of an ACP agent that was interrupted goes on in the agent's own
# session: each step is taken once, whoever died, and 'resolve' says beforehand how it will go on.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# An agent that takes four steps, each a line of `steps`, and keeps its sessions in files. Before
# the third it dies, or kills who started it, once.
cat >agent <<'EOF2'
#!/usr/bin/perl
use strict;
use warnings;
use JSON::PP;
my ($offers, $dies) = @ARGV;
my ($session, $refused);
$| = 1;
sub note { my ($file, $text) = @_; open my $out, '>>', $file or die $!; print $out "$text\n" }
sub send_message { print encode_json({ jsonrpc => "2.0", @_ }), "\n" }
sub update {
  send_message(method => "session/update", params => { sessionId => $session, update => {@_} });
}
sub step {
  my $n = shift;
  update(sessionUpdate => "tool_call", toolCallId => "c$n", title => "Step $n", kind => "execute");
  if ($n == 2 && !-e "died") {
    note("died", 1);
    exit 3 if $dies eq "agent";
    kill 9, getppid();
    sleep 600;
  }
  note("steps", $n);
  note("session-$session", $n);
  update(sessionUpdate => "tool_call_update", toolCallId => "c$n", status => "completed");
}
sub done { open my $in, '<', "session-$session" or return 0; return scalar(() = <$in>) }
while (<STDIN>) {
  my $m = decode_json($_);
  my ($id, $method, $p) = @$m{qw(id method params)};
  next unless defined $method && defined $id;
  note("methods", $method);
  my $result = {};
  if ($method eq "initialize") {
    my %can = $offers =~ /load/ ? (loadSession => JSON::PP::true) : ();
    $can{sessionCapabilities} = { resume => {} } if $offers =~ /resume/;
    $result = { protocolVersion => 1, agentCapabilities => \%can };
  } elsif ($method eq "session/new") {
    $session = $result->{sessionId} = "s$$";
  } elsif ($method =~ /load|resume/) {
    if ($offers =~ /refuse/ && $method =~ /resume/ || !-e "session-$p->{sessionId}") {
      send_message(id => $id, error => { code => -32002, message => "no such session" });
      next;
    }
    $session = $p->{sessionId};
    update(sessionUpdate => "agent_message_chunk", content => { type => "text", text => "old" })
      if $method =~ /load/;
  } elsif ($method eq "session/prompt") {
    if ($dies eq "prompted" && !-e "died") {
      note("session-$session", 0);
      note("died", 1);
      kill 9, getppid();
      sleep 600;
    }
    note("prompts", encode_json($p->{prompt}));
    step($_) for done() .. 3;
    $result = { stopReason => "end_turn" };
  }
  send_message(id => $id, result => $result);
}
EOF2
chmod +x agent

# flow OFFERS DIES CLASS
flow() {
  rm -f steps session-* died methods prompts
  cat >flow.lua <<EOF2
local flow = require "ck.flow"
return flow.custom {
  processes = { coder = flow.acp { argv = { "./agent", "$1", "$2" } } },
  run = function(ctx)
    local turn = ctx.effect { kind = "agent", class = "$3",
      request = { process = "coder", prompt = "Take four steps." } }
    return { text = turn.result.text, updates = turn.result.updates }
  end,
}
EOF2
}
steps() { tr '\n' ' ' <steps; }
opened() { grep -oE 'new|load|resume' methods | tr '\n' ' '; }

# The agent dies, the class is `once`: a person is asked.
try_once() { # OFFERS HOW OPENED STEPS
  flow "$1" agent once
  run run flow.lua --session "once-$1"
  is "$1: a turn whose agent died is in doubt" "$code" 75
  run resolve "once-$1"
  has "$1: resolve says how a retry goes on" "$err" "$2"
  is "$1: and so does its JSON" \
    "$(json "$("$CKRUN" --json resolve "once-$1")" '$d->{retry}{by}')" "${2%% *}"
  run resolve "once-$1" main/start/agent/1 retry
  has "$1: and when it is said" "$err" "$2"
  run resume "once-$1"
  is "$1: the resume ends it" "$code" 0
  is "$1: it goes on so" "$(opened)" "$3"
  is "$1: each step is taken" "$(steps)" "$4"
}
try_once resume 'resume of its session' 'new resume ' '0 1 2 3 '
has "its result has nothing of the try before" "$out" '{"text":"","updates":4}'
has "the agent is told of its last calls" "$(tail -n 1 prompts)" '\n- Step 1 (execute): completed'
has "and of the one that nobody knows the end of" "$(tail -n 1 prompts)" \
  '\n- Step 2 (execute); nothing tells whether it took effect'
has "and what it was asked" "$(tail -n 1 prompts)" '"Take four steps."'
try_once load 'load of its session' 'new load ' '0 1 2 3 '
has "what it repeats of its session is not its result" "$out" '{"text":"","updates":4}'
try_once resume-refuse-load 'resume of its session' 'new resume load ' '0 1 2 3 '
try_once none 'new session' 'new new ' '0 1 0 1 2 3 '
has "one that starts over is told what was begun" "$(tail -n 1 prompts)" \
  'it cannot be gone on with. See what is done already'

# What may be repeated is tried again in the same run, and goes on all the same.
flow resume agent idempotent
run run flow.lua --session again
is "an idempotent turn goes on at once" "$code $(steps)" "0 0 1 2 3 "

# The whole program is killed in mid-turn.
for offers in resume load; do
  flow "$offers" host idempotent
  run run flow.lua --session "killed-$offers"
  is "$offers: the program is killed in mid-turn" "$code" 137
  run resume "killed-$offers"
  is "$offers: the turn goes on where it was left" "$code $(steps)" "0 0 1 2 3 "
  is "$offers: in the session that it had" "$(opened)" "new $offers "
done

# It is killed as soon as the agent has the prompt: the session is in the store by then.
for n in 1 2 3 4 5; do
  flow resume prompted idempotent
  run run flow.lua --session "prompted-$n"
  run resume "prompted-$n"
  is "killed with the prompt, $n: the session that it had" "$(opened)" "new resume "
done

# Another prompt is another turn, whatever became of the one before.
flow resume agent once
run run flow.lua --session other
"$CKRUN" resolve other main/start/agent/1 retry 2>/dev/null
sed -i 's/four steps/these four steps/' flow.lua
run resume other --accept-changed
is "another prompt begins a session of its own" "$(opened)" 'new new '
ok "and is told of no other turn" test -z "$(tail -n 1 prompts | grep interrupted)"
finish
