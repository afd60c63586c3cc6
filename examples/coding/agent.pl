#!/usr/bin/perl
# agent.pl - stands in for a coding agent: speaks the Agent Client Protocol, and always makes the
# same mistake first.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical;
my ($sessions, $asked, %cwd) = (0, 0);
$| = 1;

sub send_message { print $json->encode({jsonrpc => "2.0", @_}), "\n" }

sub hear {
  my $line = <STDIN> // exit 0;
  return $json->decode($line);
}

# Asks the client and waits for its answer; undef when it refuses, or when the turn is cancelled.
sub ask {
  my ($method, $params) = @_;
  send_message(id => ++$asked, method => $method, params => $params);
  while (my $message = hear()) {
    return undef if ($message->{method} // "") eq "session/cancel";
    return $message->{result} if !$message->{method} && $message->{id} == $asked;
  }
}

sub update {
  my ($session, %update) = @_;
  send_message(method => "session/update", params => {sessionId => $session, update => \%update});
}

sub speak {
  my ($session, $text) = @_;
  update($session, sessionUpdate => "agent_message_chunk",
    content => {type => "text", text => $text});
}

# The test for both must come first; a beginner puts it last.
sub program {
  my ($right) = @_;
  my @cases = ('  *" 3 "*) echo Fizz ;;', '  *" 5 "*) echo Buzz ;;');
  my $both = '  *" 3 5 "*) echo FizzBuzz ;;';
  @cases = $right ? ($both, @cases) : (@cases, $both);
  return join "\n", "# fizzbuzz.sh - counts to 15.", 'for n in $(seq 15); do', '  divisors=" "',
    '  for d in 3 5; do [ $((n % d)) = 0 ] && divisors="$divisors$d "; done',
    '  case "$divisors" in', @cases, '  *) echo "$n" ;;', '  esac', "done", "";
}

sub turn {
  my ($session, $prompt) = @_;
  my $repairs = $prompt =~ /^The check fails/;
  my $path = "$cwd{$session}/fizzbuzz.sh";
  my %call = (
    toolCallId => "call-" . ($asked + 1), kind => "edit",
    title => ($repairs ? "Repair" : "Write") . " fizzbuzz.sh",
  );
  speak($session, $repairs ? "I see: 15 is a multiple of 3, too. " : "That is quickly done. ");
  update($session, sessionUpdate => "tool_call", %call, status => "pending",
    locations => [{path => $path}]);
  my $answer = ask("session/request_permission", {
    sessionId => $session, toolCall => \%call,
    options => [
      {optionId => "yes", name => "Yes", kind => "allow_once"},
      {optionId => "no", name => "No", kind => "reject_once"},
    ],
  });
  return "cancelled" if !$answer || $answer->{outcome}{outcome} eq "cancelled";
  if ($answer->{outcome}{optionId} ne "yes") {
    speak($session, "Then I leave it as it is.");
    return "end_turn";
  }
  my $done = ask("fs/write_text_file", {
    sessionId => $session, path => $path, content => program($repairs),
  });
  update($session, sessionUpdate => "tool_call_update", toolCallId => $call{toolCallId},
    status => $done ? "completed" : "failed");
  speak($session, $done ? "fizzbuzz.sh is written." : "I could not write fizzbuzz.sh.");
  return "end_turn";
}

while (my $message = hear()) {
  my ($method, $params) = ($message->{method} // "", $message->{params});
  next if !defined $message->{id};
  if ($method eq "initialize") {
    send_message(id => $message->{id}, result => {
      protocolVersion => 1, agentCapabilities => {loadSession => JSON::PP::true},
    });
  } elsif ($method eq "session/new") {
    my $id = "conversation-" . ++$sessions;
    $cwd{$id} = $params->{cwd};
    send_message(id => $message->{id}, result => {sessionId => $id});
  } elsif ($method eq "session/load") { # it has nothing to remember
    $cwd{$params->{sessionId}} = $params->{cwd};
    send_message(id => $message->{id}, result => undef);
  } elsif ($method eq "session/prompt") {
    my $reason = turn($params->{sessionId}, join "", map { $_->{text} // "" } @{$params->{prompt}});
    send_message(id => $message->{id}, result => {stopReason => $reason});
  } else {
    send_message(id => $message->{id},
      error => {code => -32601, message => "method not found: $method"});
  }
}
