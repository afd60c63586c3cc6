# Outputs.pm - the outcomes of completed nodes and steps that are programs. Those of branches become
# the flow's where the branches meet, which the transcript does not show.
#
# Rules (REQUIREMENTS 4): completed steps are recorded by id with their outcome, which a resume
# gives unchanged. A node's is the result of the last program that ran in its scope, a step's that
# of its own scope, main.STEP.
package Outputs;
use strict;
use warnings;

# outputs VIEW, EVENT…: { NAME => RESULT }
sub outputs {
  my ($view, @list) = @_;
  my (%last, %outputs);
  for my $event (@list) {
    my ($scope, $body) = ($event->{scope}, $event->{body});
    my $outcome = $view->outcome($event);
    $last{$scope} = $outcome->{body}{status} eq "ok" ? $outcome->{body}{result} : undef
      if $outcome && $outcome->{body}{kind} eq "exec";
    next if $event->{kind} ne "boundary" || !defined $body->{node} || $scope ne "main";
    delete $last{$scope} if $body->{kind} eq "node_start";
    my $of = $body->{kind} eq "step_complete" ? "$scope.$body->{node}" : $scope;
    $outputs{ $body->{node} } = $last{$of}
      if $body->{kind} =~ /^(node|step)_complete$/ && $last{$of};
  }
  return \%outputs;
}

1;
