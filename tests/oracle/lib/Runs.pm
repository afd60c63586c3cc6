# Runs.pm - the runs of a session: their ids, parents, and what each spent.
#
# Rules (REQUIREMENTS 4): a resume is a run of its own with the run before as its parent; usage
# carries forward, so the session's is the sum of its runs'.
package Runs;
use strict;
use warnings;

use Spending;

# runs VIEW: [{ run, parent_run, attempt, cost_micros, … }, …] as they were begun.
sub runs {
  my ($view) = @_;
  my $spent = Spending::spent($view, @{ $view->{all} })->{timelines};
  my @runs;
  for my $event (@{ $view->{all} }) {
    next if $event->{kind} !~ /^session_(started|resumed|rewound|undone|forked)$/;
    @runs = () if $event->{kind} eq "session_forked"; # those of its origin
    my $body = $event->{body};
    push @runs, { run => $body->{run}, parent_run => $body->{parent_run},
      %{ Spending::told($spent->{ $event->{timeline} } // {Spending::nothing()}) } };
  }
  return \@runs;
}

1;
