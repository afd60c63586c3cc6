# Clean.pm - whether no retry and no failure lie before a checkpoint, since the start of the
# session.
#
# Rules (REQUIREMENTS 2; issue 11, line 8). A failure, in what lives at the checkpoint: a boundary
# `failure` or one that names an error before it, an effect that could not be carried out, and a
# program that ended badly, whatever its flow made of that. A retry: a node that starts again in its
# scope before it was completed, an effect that is begun again when the last that was heard of it is
# that it failed or was lost with its run, and one whose outcome is taken over although it had failed
# or been lost before that. What is asked anew, or taken over, because a person went back, or edited,
# is none, even if it had failed or been lost in what was left behind: trouble counts where it lives
# at the checkpoint, and in the attempt that met it. What a tool says that a model called is no failure (REQUIREMENTS 5); to wait anew for a
# person or a time is no retry. A reconcilable effect that was lost with its run, and is begun again
# without a person's or a policy's word, is begun for the first time: its probe said so.
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
      || $_->{kind} eq "outcome" && $body->{via} ne "lost" && is_failure($body)
  } @_;
}

# Not one that was put off before it began, or that waits for a person.
sub is_failure {
  my ($body) = @_;
  return $body->{kind} =~ /^(exec|agent)$/ if $body->{status} eq "error";
  my $cause = $body->{cause} // "";
  return $body->{status} eq "failed" && $cause ne "CK_E_WAITING"
    && !($cause eq "CK_E_INTERRUPTED" && $body->{via} eq "runtime");
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

# What became of an effect is known from all timelines; whether that counts, and whether it was
# begun again, from this one. An attempt lasts over crashes.
sub effect_retries {
  my ($view, $seq, @list) = @_;
  my %lives = map { $_->{seq} => 1 } @list;
  my (@found, %trouble, %open, %went);    # by key: all that went wrong; begun; how it went last
  my %lost;                               # by key: reconcilable, lost with its run, nothing said of it
  my %attempt = (1 => 1);                 # of each timeline
  my $counts = sub {
    my ($key, $attempt) = @_;
    return grep { $lives{ $_->{seq} } || attempt($_) == $attempt } @{ $trouble{$key} // [] };
  };
  for my $event ($view->until($seq)) {
    my ($kind, $body) = ($event->{kind}, $event->{body});
    my $key = $body->{key};
    if (View::begins_timeline($event)) {
      $went{$_} = 1, push @{ $trouble{$_} }, $open{$_} for keys %open;
      $lost{$_} = 1 for grep { $open{$_}{body}{class} eq "reconcilable" } keys %open;
      %open = ();
      $attempt{ $event->{timeline} } = attempt($event);
    } elsif ($kind eq "replay") {
      my $of = $view->outcome($event);    # its own: in the place of another one
      push @found, $event->{seq}
        if !$of->{body}{own} && $lives{ $event->{seq} }
        && $counts->($key, $attempt{ $event->{timeline} });
    } elsif ($kind eq "resolution") {
      delete $lost{$key};
    } elsif ($kind eq "intent") {
      pop @{ $trouble{$key} }, $went{$key} = 0 if delete $lost{$key};
      push @found, $event->{seq}
        if $went{$key} && $lives{ $event->{seq} } && $counts->($key, attempt($event));
      $open{$key} = $event if $body->{kind} !~ /^(ask|sleep)$/ && !$body->{held};
    } elsif ($kind eq "outcome") {
      delete $open{$key};
      delete $lost{$key};
      $went{$key} = is_failure($body);
      push @{ $trouble{$key} }, $event if is_failure($body);
    }
  }
  return @found;
}

sub attempt { $_[0]{body}{attempt} // 1 }

1;
