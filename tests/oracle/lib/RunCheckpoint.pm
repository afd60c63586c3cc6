# RunCheckpoint.pm - the portable run checkpoint of a session's last run.
#
# Rules (REQUIREMENTS 5; issue 11, lines 22 and 23): made of every run that stopped short of
# completion behind a completed iteration, unless another run would meet the same (context, malformed
# request) or lack the same (credentials); runId is its run's, originalInput its input, the history a
# conversation that every provider takes.
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
    my @parts = ref $content eq "ARRAY" && $role eq "user" ? @$content : ();
    my $given = @parts && !grep { ($_->{type} // "") !~ /^(?:text|image_url)$/ } @parts;
    return "content that is no text" if !defined $content || (ref $content && !$given);
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

# Whether a run of this session can be gone on with elsewhere.
sub is_made {
  my ($view, @list) = @_;
  return 0 if $view->is_over || grep {
    ($_->{body}{cause} // "") =~ /^CK_E_(CONTEXT|REQUEST|CREDENTIALS)$/
  } map { $_->{outcome} // () } @{ (stopping(@list))[2] // [] };
  return 1 if grep { View::is_import($_) && $_->{body}{lastCompletedIteration} } @list;
  return scalar(grep {
    $_->{kind} eq "boundary" && $_->{scope} eq "main" && $_->{body}{kind}
      =~ /^(tool_round|loop_iteration|round_complete|node_complete|step_complete)$/
  } @list) > 0 ? 1 : 0;
}

# What the run stopped in: [PHASE, STAGE] of each effect that may be told; STAGE is its tool's name,
# else that of the node it is in. What had failed comes before what was open, that before what ended
# badly; what its scope went on from is over. A question and a sleep of a run that was paused have
# not failed.
sub stopped_in {
  my ($paused, @list) = @_;
  my $at = places(@list);
  my @found = map { [ grep { !$paused || $_->{intent}{body}{kind} !~ /^(ask|sleep)$/ } @$_ ] }
    stopping(@list);
  my ($best) = grep { @$_ } reverse @found;
  return map {
    my ($scope, $body) = @{ $_->{intent} }{qw(scope body)};
    [ phase($body->{kind}),
      $body->{kind} eq "tool" ? $body->{request}{name} : node_of($at->{node}, $scope) ];
  } @{ $best // [] };
}

# The effects in which a run stopped: ([those that ended badly], [open], [failed]).
sub stopping {
  my (@list) = @_;
  my ($begun) = grep { View::begins_timeline($_) } reverse @list;
  my $at = places(@list);
  my @found = ([], [], []);
  for my $one (values %{ $at->{effects} }) {
    my ($intent, $outcome) = @$one{qw(intent outcome)};
    my ($scope, $seq) = @$intent{qw(scope seq)};
    next if $seq <= ($at->{floor}{$scope} // 0) || $begun && $seq <= $begun->{seq};
    next if $outcome && $at->{last}{$scope} > $outcome->{seq};
    my $state = $outcome ? $outcome->{body}{status} : "open";
    next if $state =~ /^(ok|ended)$/;
    push @{ $found[ $state eq "failed" ? 2 : $state eq "open" ? 1 : 0 ] }, $one;
  }
  return @found;
}

sub phase { $_[0] eq "model" ? "llm" : $_[0] =~ /^(tool|exec|agent)$/ ? "tool" : "unknown" }

# Where each scope stands, and what became of each effect.
sub places {
  my (%floor, %node, %last, %effects);
  for my $event (@_) {
    my ($scope, $body) = ($event->{scope}, $event->{body});
    if ($event->{kind} eq "intent") {
      $effects{ $body->{key} } = { intent => $event };
      $last{$scope} = $event->{seq};
    } elsif ($event->{kind} eq "outcome" && $effects{ $body->{key} }) {
      $effects{ $body->{key} }{outcome} = $event;
    } elsif (View::is_of_scope($event)) {
      $floor{$scope} = $event->{seq};
      $node{$scope} = $event if $body->{kind} eq "node_start";
      delete $node{$scope} if $body->{kind} =~ /^(node_complete|edge_transition)$/;
      next if $body->{kind} ne "step_complete";
      my $step = "$scope.$body->{node}"; # an optional one that failed is over, too
      delete $node{$step};
      $floor{$step} = $event->{seq};
    }
  }
  return { floor => \%floor, node => \%node, last => \%last, effects => \%effects };
}

# The node that a scope, or the nearest one above it, is in.
sub node_of {
  my ($node, $scope) = @_;
  do {
    return $node->{$scope}{body}{node} if $node->{$scope};
  } while $scope =~ s/\.[^.]+$//;
  return undef;
}

# The node that was begun last and did not complete, when nothing was open.
sub begun_node {
  my @open = sort { $b->{seq} <=> $a->{seq} } values %{ places(@_)->{node} };
  return @open ? $open[0]{body}{node} : undef;
}

1;
