# Tail.pm - the last N events in which an agent took part, and the section that a resume gives it.
#
# Rules (REQUIREMENTS 1): events with agentId = agent, or childAgentId = agent, or a delegation
# whose target is the agent (target, targets, parallel, sequential; one or many). Order kept, N = 0
# is none. A replay stands for its outcome, which counts once. Intents, with their requests and
# schemas of tools, are no part of it (issue 11, line 1).
package Tail;
use strict;
use warnings;

use View;

my $heading = "## Session Context (Resumed)\n"
  . "This session was paused and has now resumed. Below is a summary of recent activity\n"
  . "you were involved in before the pause.";

sub is_text { defined $_[0] && !ref $_[0] }

sub targets {
  my ($body) = @_;
  my @all;
  for my $list (grep { defined } map { $body->{$_} } qw(target targets parallel sequential)) {
    for my $one (ref $list eq "ARRAY" ? @$list : $list) {
      push @all, ref $one eq "HASH"
        ? grep { is_text $_ } map { $one->{$_} } qw(agent target agentId)
        : grep { is_text $_ } $one;
    }
  }
  return @all;
}

# The agents that took part in an event.
sub involved {
  my ($event) = @_;
  my %who;
  $who{ $event->{agent} } = 1 if is_text $event->{agent};
  $who{ $event->{body}{childAgentId} } = 1
    if $event->{kind} =~ /^(delegation|note|update)$/ && is_text $event->{body}{childAgentId};
  if ($event->{kind} eq "delegation") { $who{$_} = 1 for targets($event->{body}) }
  return \%who;
}

# The agents of a list of events, sorted.
sub agents {
  my %who = map { %{ involved($_) } } @_;
  return sort keys %who;
}

# tail AGENT, N, EVENT…
sub tail {
  my ($agent, $n, @list) = @_;
  my @tail;
  for my $event (@list) {
    @tail = grep { !said_anew($_, $event) } @tail if View::begins_timeline($event);
    push @tail, $event if $event->{kind} ne "intent" && involved($event)->{$agent};
  }
  splice @tail, 0, @tail - $n if @tail > $n;
  return @tail;
}

# Whether an outcome lies behind the cut of its scope at a resume: a replay says it anew.
sub said_anew {
  my ($event, $resumed) = @_;
  my $cut = ($resumed->{body}{cuts} // {})->{ $event->{scope} };
  return $event->{kind} eq "outcome" && defined $cut && $event->{seq} > $cut;
}

# What each line of the section must begin with: time, kind, and who; of a message its role and the
# begin of its text, as far as that needs no escapes. "" without events.
sub section {
  my ($view, @tail) = @_;
  return [] if !@tail;
  return [ split(/\n/, $heading), map { line($view->outcome($_) // $_) } @tail ];
}

sub line {
  my ($event) = @_;
  my $who = $event->{agent} // $event->{scope};
  my $at = defined $event->{at} ? "$event->{at} " : "";
  my $line = "$at$event->{kind} $who: ";
  my $message = $event->{body}{message};
  return $line if ref $message ne "HASH" || $event->{kind} ne "message";
  my $name = is_text($message->{name}) ? " $message->{name}" : "";
  my ($begin) = (is_text($message->{content}) ? $message->{content} : "")
    =~ /^([A-Za-z0-9 .,;:?!'()-]{0,60})/;
  return $line . ($message->{role} // "") . $name . ":" . (length $begin ? " $begin" : "");
}

1;
