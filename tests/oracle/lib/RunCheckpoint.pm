# RunCheckpoint.pm - the portable run checkpoint of a session's last run.
#
# Rules (REQUIREMENTS 5; issue 11, lines 22 and 23): made of every run that stopped short of
# completion behind a completed iteration; runId is its run's, originalInput its input, the history
# a conversation that every provider takes.
package RunCheckpoint;
use strict;
use warnings;

use View;

# What a provider would refuse in a history; "" for nothing.
sub fault {
  my (@history) = @_;
  my (%open, %seen, $begun);
  for my $message (@history) {
    my ($role, $content) = ($message->{role} // "", $message->{content});
    my @calls = @{ $message->{tool_calls} // [] };
    return "content that is no text" if !defined $content || ref $content;
    return "a turn without text or calls" if $content eq "" && !@calls && $role ne "tool";
    return "no user before the assistant" if $role eq "assistant" && !$begun;
    $begun = 1 if $role eq "user";
    if ($role eq "tool") {
      return "a result without its call" if !delete $open{ $message->{tool_call_id} // "" };
    } elsif (%open) {
      return "calls without results";
    }
    for my $call (@calls) {
      return "an id twice" if $seen{ $call->{id} // "" }++;
      $open{ $call->{id} } = 1;
    }
  }
  return %open ? "calls without results" : "";
}

# How often a boundary was reached that completes an iteration of the main scope: a turn of an agent
# or of a round's orchestrator; behind those of an imported run. undef for flows of nodes and steps.
sub iterations {
  my @boundaries = grep { $_->{kind} eq "boundary" } @_;
  return undef if grep { defined $_->{body}{node} } @boundaries;
  my ($before) = map { $_->{body}{lastCompletedIteration} } grep { View::is_import($_) } @_;
  return ($before // 0) + grep {
    $_->{scope} eq "main" && $_->{body}{kind} =~ /^(tool_round|loop_iteration|round_complete)$/
  } @boundaries;
}

# The phases that the end of a run allows: what was open, or failed last, when it stopped.
sub phase {
  my (@list) = @_;
  my %open;
  for my $event (@list) {
    $open{ $event->{body}{key} } = $event->{body}{kind} if $event->{kind} eq "intent";
    delete $open{ $event->{body}{key} } if $event->{kind} eq "outcome";
  }
  my ($failed) = grep { $_->{kind} eq "outcome" } reverse @list;
  my $kind = $failed && $failed->{body}{status} eq "failed" ? $failed->{body}{kind} : undef;
  my @kinds = $kind // values %open;
  return map { $_ eq "model" ? "llm" : $_ =~ /^(tool|exec|agent)$/ ? "tool" : () } @kinds;
}

1;
