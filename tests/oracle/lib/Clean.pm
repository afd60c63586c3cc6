# Clean.pm - whether no retry and no failure lie before a checkpoint, since the start of the
# session.
#
# Rules (REQUIREMENTS 2; issue 11, line 8). A failure, in what lives at the checkpoint: a boundary
# `failure` or one that names an error before it, and an effect that could not be carried out. A
# retry: a node that starts again in its scope before it was completed, and an effect that is begun
# again, or taken over, after it had failed or had been lost with its run. What a tool says that a
# model called is no failure (REQUIREMENTS 5); to wait anew for a person or a time is no retry.
package Clean;
use strict;
use warnings;

use View;

# is_clean VIEW, SEQ, EVENT…: the checkpoint's, and what lives at it.
sub is_clean {
  my ($view, $seq, @list) = @_;
  return !failures(@list) && !node_retries(@list) && !effect_retries($view, $seq, @list);
}

# Each gives the seqs of what it finds.
sub failures {
  return map { $_->{seq} } grep {
    my $body = $_->{body};
    $_->{kind} eq "boundary" && ($body->{kind} eq "failure" || $body->{last_error})
      || $_->{kind} eq "outcome" && $body->{status} eq "failed"
  } @_;
}

sub node_retries {
  my (@found, %started);
  for my $event (grep { $_->{kind} eq "boundary" && defined $_->{body}{node} } @_) {
    my $kind = $event->{body}{kind};
    my $at = "$event->{scope} $event->{body}{node}";
    push @found, $event->{seq} if $kind eq "node_start" && $started{$at};
    $started{$at} = 1 if $kind eq "node_start";
    delete $started{$at} if $kind =~ /^(node_complete|step_complete|edge_transition)$/;
  }
  return @found;
}

# What became of an effect is known from all timelines; whether it was begun again, from this one.
sub effect_retries {
  my ($view, $seq, @list) = @_;
  my %lives = map { $_->{seq} => 1 } @list;
  my (@found, %trouble, %open);
  for my $event ($view->until($seq)) {
    my $key = $event->{body}{key};
    if (View::begins_timeline($event)) {
      $trouble{$_} = 1 for keys %open;
      %open = ();
    } elsif ($event->{kind} =~ /^(intent|replay)$/) {
      push @found, $event->{seq} if $trouble{$key} && $lives{ $event->{seq} };
      $open{$key} = 1 if $event->{kind} eq "intent" && $event->{body}{kind} !~ /^(ask|sleep)$/;
    } elsif ($event->{kind} eq "outcome") {
      delete $open{$key};
      $trouble{$key} = 1 if $event->{body}{status} eq "failed";
    }
  }
  return @found;
}

1;
