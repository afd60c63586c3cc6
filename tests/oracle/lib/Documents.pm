# Documents.pm - when a session can be given away, and what the documents of a workflow and of a loop
# hold besides what a run checkpoint does.
#
# Rules (REQUIREMENTS 4, 7.1; issue 11, line 20): none is made while an effect that must not be done
# twice may have happened. Completed steps are recorded by id with their outcome,
# in the order in which they completed, each once; a step that failed, also an optional one, is not
# among them, as it runs again. Usage is cumulative over all runs.
package Documents;
use strict;
use warnings;

use View;

# Whether nothing is open, on any timeline, that a run elsewhere would do again.
sub is_settled {
  my ($view) = @_;
  my %open;
  for my $event (@{ $view->{all} }) {
    my ($kind, $body) = ($event->{kind}, $event->{body});
    $open{ $body->{key} } = 1
      if $kind eq "intent" && $body->{kind} ne "ask" && $body->{class} =~ /^(once|reconcilable)$/;
    delete $open{ $body->{key} }
      if $kind eq "outcome" || $kind eq "resolution" && $body->{verdict} eq "retry";
  }
  return !%open;
}

# steps VIEW, EVENT…: ([ID, OUTCOME], …); [ID] where the transcript does not tell what it came to: a
# function, not a program.
sub steps {
  my ($view, @list) = @_;
  my (%last, %seen, @steps);
  for my $event (@list) {
    my $body = $event->{body};
    my $outcome = $view->outcome($event);
    $last{ $event->{scope} } = $outcome->{body}{result} if $outcome;
    next if $event->{kind} ne "boundary" || $event->{scope} ne "main";
    next if $body->{kind} ne "step_complete" || $body->{last_error} || $seen{ $body->{node} }++;
    push @steps, [ $body->{node}, $last{"main.$body->{node}"} // () ];
  }
  return @steps;
}

# The results of steps whose programs ended well and whose boundary is still to come, where several
# ended together: { ID => RESULT }. They may be told, behind the others.
sub unmarked {
  my ($view, @list) = @_;
  my %unmarked;
  for my $event (@list) {
    my $outcome = $view->outcome($event);
    if ($outcome && $event->{scope} =~ /^main\.([^.]+)$/) {
      delete $unmarked{$1};
      $unmarked{$1} = $outcome->{body}{result} if $outcome->{body}{status} eq "ok";
    }
    delete $unmarked{ $event->{body}{node} }
      if $event->{kind} eq "boundary" && $event->{body}{kind} eq "step_complete";
  }
  return \%unmarked;
}

# The roles of a history there: results of tools that come together are one message of the user's.
sub roles {
  my @roles;
  for my $i (0 .. $#_) {
    my $is_result = $_[$i]{role} eq "tool";
    push @roles, $is_result ? "user" : $_[$i]{role}
      if !$is_result || !$i || $_[ $i - 1 ]{role} ne "tool";
  }
  return @roles;
}

1;
