# Positions.pm - where a session stands at a checkpoint: nodes, the path that led there, rounds.
#
# Rules (REQUIREMENTS 2; issue 11, line 9): current_node is the node of the boundary, next_node the
# one that the boundary names; a boundary without a node (pause, final) has those of the last one of
# its scope, a failure has the node that failed, an edit those of the checkpoint behind which it is
# made: nothing has moved. execution_path has completed nodes and steps
# and passed safe points, in order, each as often as it was passed; not an optional step that
# failed. All are names, never internal paths.
package Positions;
use strict;
use warnings;

use View;

# ($node, $next) of a checkpoint: `boundary` is its event, the last of the list. SAID: the node that
# is told, which is right where several have failed and it is one of them.
sub nodes {
  my ($view, $boundary, $said, @list) = @_;
  if ($boundary->{body}{kind} eq "edit") {
    my ($begun) = grep { View::begins_timeline($_) } reverse @list;
    my $behind = $begun && $view->boundary($begun->{body}{checkpoint});
    return nodes($view, $behind, $said, $view->at($behind)) if $behind;
  }
  my $failed = $boundary->{body}{kind} eq "failure" ? failed_at($said, @list) : undef;
  my $at = $failed
    // (defined $boundary->{body}{node} ? $boundary : last_of($boundary->{scope}, @list));
  return $at ? ($at->{body}{node}, next_of($at)) : ();
}

# The last boundary of a scope that names a node.
sub last_of {
  my ($scope, @list) = @_;
  return (grep {
    View::is_of_scope($_) && $_->{scope} eq $scope && defined $_->{body}{node}
  } @list)[-1];
}

sub next_of {
  my $next = $_[0]{body}{next};
  return ref $next eq "HASH" ? $next->{node} : undef;
}

# The node at which a session failed: one that has begun and is not over; where several have, one
# whose last effect went wrong.
sub failed_node {
  my $at = failed_at(@_); # SAID, EVENT…
  return $at ? $at->{body}{node} : undef;
}

# The boundary at which it was begun.
sub failed_at {
  my ($said, @list) = @_;
  my (%open, %wrong);
  for my $event (@list) {
    my ($scope, $body) = ($event->{scope}, $event->{body});
    $wrong{$scope} = $body->{status} ne "ok" if $event->{kind} eq "outcome";
    next if !View::is_of_scope($event) || !defined $body->{node};
    delete $open{$scope};
    delete $open{"$scope.$body->{node}"} if $body->{kind} eq "step_complete";
    $open{$scope} = $event if $body->{kind} eq "node_start";
  }
  my @open = sort { $a->{seq} <=> $b->{seq} } values %open;
  my @wrong = grep { $wrong{ $_->{scope} } } @open;
  my ($told) = grep { defined $said && $_->{body}{node} eq $said } @wrong;
  return $told // $wrong[-1] // $open[-1];
}

sub execution_path {
  return map { $_->{body}{node} } grep {
    $_->{kind} eq "boundary" && defined $_->{body}{node}
      && $_->{body}{kind} =~ /^(node_complete|step_complete|safe_point)$/
      && !($_->{body}{kind} eq "step_complete" && $_->{body}{last_error})
  } @_;
}

sub rounds_completed {
  return scalar grep { $_->{kind} eq "boundary" && $_->{body}{kind} eq "round_complete" } @_;
}

1;
