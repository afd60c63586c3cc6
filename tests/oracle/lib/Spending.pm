# Spending.pm - what was spent: money in micro-dollars, tokens, calls of models and of tools.
#
# Rules (DESIGN 7; issue 11, lines 4 and 19): the sum of all outcomes over all timelines, each once;
# a replay is free. What a provider does not state counts at the reserve of its intent; so does a
# call that a run began and did not live to hear of. Every function that a model calls is a tool
# call (flow.tool, note, delegate), counted once for each place in the flow; to list a server's
# tools is none. What an agent spends counts for each agent above it, too. A timeline has what it
# began, whichever finds out what became of it; of what a fork's origin began, the fork has it.
package Spending;
use strict;
use warnings;

use View;

my @amounts = qw(cost_micros input_tokens output_tokens model_calls tool_calls unmetered
  reserved_micros);

sub nothing { map { $_ => 0 } @amounts }

# spent VIEW, EVENT…: { all => {…}, agents => { NAME => {…} }, timelines => { N => {…} } }
sub spent {
  my ($view, @list) = @_;
  my $self = bless { view => $view, all => {nothing()}, agents => {}, timelines => {},
    above => above(@{ $view->{all} }), counted => {}, open => {}, reserve => {} };
  $self->_take($_) for @list;
  return $self;
}

# of_agents VIEW, SEQ: what each has spent up to there; in a fork, since it began.
sub of_agents {
  my ($view, $seq) = @_;
  my $agents = spent($view, $view->until($seq))->{agents};
  my ($forked) = grep { $_->{kind} eq "session_forked" } reverse $view->until($seq);
  my $before = $forked ? spent($view, $view->until($forked->{seq}))->{agents} : {};
  for my $name (keys %$before) {
    $agents->{$name}{$_} -= $before->{$name}{$_} for keys %{ $before->{$name} };
  }
  return $agents;
}

# What paid calls may have cost of which nothing was heard yet: a resume counts them.
sub unheard {
  my ($view) = @_;
  my (%open, $sum);
  for my $event (@{ $view->{all} }) {
    my $body = $event->{body};
    $open{ $body->{key} } = $body->{reserve} // 0
      if $event->{kind} eq "intent" && $body->{kind} eq "model";
    delete $open{ $body->{key} } if $event->{kind} eq "outcome";
  }
  $sum += $_ for 0, values %open;
  return $sum;
}

# What is told of amounts: a cost that nobody knows is none (issue 11, line 25).
sub told {
  my ($amounts) = @_;
  my $unknown = !$amounts->{cost_micros} && $amounts->{unmetered};
  return { %$amounts, $unknown ? (cost_micros => undef) : () };
}

# The agents above each agent's scope: { SCOPE => [AGENT, …] }, its own first. An orchestrator, in
# the main scope, is above nobody: who it asks is at depth 0.
sub above {
  my (%of, %above);
  for my $event (@_) {
    $of{ $event->{scope} } //= $event->{agent} if $event->{scope} ne "main";
  }
  for my $scope (keys %of) {
    my @parts = split /\./, $scope;
    my @chain;
    while (@parts > 1) {
      my $agent = $of{ join ".", @parts };
      push @chain, $agent if defined $agent && !grep { $_ eq $agent } @chain;
      pop @parts;
    }
    $above{$scope} = \@chain;
  }
  return \%above;
}

sub _take {
  my ($self, $event) = @_;
  my $body = $event->{body};
  $self->_lose_open($event) if View::begins_timeline($event);
  $self->{begun} = {} if $event->{kind} eq "session_forked";
  if ($event->{kind} eq "intent") {
    $self->{open}{ $body->{key} } = $self->{begun}{ $body->{key} } = $event;
    $self->{reserve}{ $body->{key} } = $body->{reserve} // 0;
    my $tools = ($body->{request} // {})->{tools} // [];
    $self->{offered}{ $body->{key} } = { map { (ref $_ ? $_->{name} : $_) => 1 } @$tools };
  } elsif ($event->{kind} eq "outcome") {
    delete $self->{open}{ $body->{key} };
    $self->_outcome($event);
  }
  $self->_remember_calls($event);
  $self->_answered($event) if $event->{kind} eq "message";
}

sub _outcome {
  my ($self, $event) = @_;
  my $body = $event->{body};
  my %amounts = (nothing(), cost_of($body, $self->{reserve}{ $body->{key} }));
  my $begun = delete $self->{begun}{ $body->{key} };
  if ($body->{kind} eq "model" && $body->{status} ne "ended") {
    $amounts{model_calls} = 1;
    $amounts{$_} = $body->{$_} // 0 for qw(input_tokens output_tokens);
  } elsif ($body->{kind} eq "tool" && !$body->{list} && $body->{status} =~ /^(ok|error|unknown)$/) {
    $amounts{tool_calls} = 1;
    $self->{counted}{ $body->{key} } = 1;
  }
  $self->_add($event, $begun // $event, %amounts);
}

# The part of %amounts that is money; a cost below 0 is one that nobody knows.
sub cost_of {
  my ($body, $reserve) = @_;
  return (cost_micros => $reserve, reserved_micros => $reserve) if $body->{reserved};
  my $cost = $body->{cost} // 0;
  return $cost < 0 ? (unmetered => 1) : (cost_micros => $cost);
}

# A run ended without hearing what became of these: they may have cost all that was set aside.
sub _lose_open {
  my ($self, $event) = @_;
  for my $lost (values %{ $self->{open} }) {
    my $body = $lost->{body};
    next if $body->{kind} ne "model" || $body->{class} eq "once";
    $self->{lost}{ $body->{key} } = $lost;
  }
  $self->{open} = {};
}

# The calls of an answer: { CALL ID => KEY OF ITS EFFECT } for each scope. What was not offered is
# not called.
sub _remember_calls {
  my ($self, $event) = @_;
  my $outcome = $self->{view}->outcome($event) // return;
  my $message = $outcome->{body}{message} // return;
  return if ($outcome->{body}{key} // "") !~ m{^(.*)/model/\d+$};
  my ($place, $index) = ($1, 0);
  my $offered = $self->{offered}{ $outcome->{body}{key} } // {};
  for my $call (@{ $message->{tool_calls} // [] }) {
    $index++;
    next if ref $call->{function} ne "HASH";    # an imported call in another shape
    next if !$offered->{ ($call->{function} // {})->{name} // "" };
    $self->{calls}{ $event->{scope} }{ $call->{id} } = "$place/tool/$index";
  }
}

# A function's result is a message of its own, without an effect.
sub _answered {
  my ($self, $event) = @_;
  my $message = $event->{body}{message};
  return if ref $message ne "HASH" || ($message->{role} // "") ne "tool";
  return if $self->{view}->is_told($event);
  my $key = $self->{calls}{ $event->{scope} }{ $message->{tool_call_id} // "" } // return;
  $self->_add($event, $event, nothing(), tool_calls => 1) if !$self->{counted}{$key}++;
}

sub _add {
  my ($self, $event, $begun, %amounts) = @_;
  my @payers = @{ $self->{above}{ $event->{scope} } // [] };
  @payers = ($event->{agent} // ()) if !@payers;
  for my $into ($self->{all}, $self->{timelines}{ $begun->{timeline} } //= {nothing()},
    map { $self->{agents}{$_} //= {nothing()} } @payers) {
    $into->{$_} += $amounts{$_} for keys %amounts;
  }
}

1;
