# Witness.pm - what a store in PostgreSQL must hold, by what the proxy has heard the server answer:
# asked of the server itself, with no code of ckrun.
package Witness;
use strict;
use warnings;

# heard(LOG): the commits that must be there, and what was counted. One that is not synchronous
# (`local`) may be lost with a failover, unless a synchronous one was asked for behind its answer
# and answered before that.
sub heard {
  my ($log) = @_;
  my (@must, @local, %count);
  my ($line, $safe) = (0, 0);
  open my $file, '<', $log or die "$log: $!";
  while (<$file>) {
    my ($what, @of) = split;
    $count{$what}++;
    if ($what eq 'commit') {
      my $commit = { level => $of[0], session => $of[1], epoch => $of[2], from => $of[3],
        to => $of[4], line => $line };
      push @{ $of[0] eq 'local' ? \@local : \@must }, $commit;
      $safe = $of[5] if $of[0] ne 'local' && $of[5] > $safe;
    } elsif ($what eq 'failover') {
      push @must, grep { $_->{line} < $safe } @local;
      $count{open} += grep { $_->{line} >= $safe } @local;
      @local = ();
    } elsif ($what eq 'begun') {
      $count{"cut $of[0]"}++;
    }
    $line++;
  }
  return ([sort { $a->{line} <=> $b->{line} } @must, @local], \%count);
}

# covered(COMMITS): of each session, by seq, the epoch whose commit wrote it; and those places that
# two commits are said to have written, or an older epoch behind a newer one.
sub covered {
  my ($commits) = @_;
  my (%by, @twice);
  for my $commit (@$commits) {
    my $of = $by{ $commit->{session} } //= {};
    for my $seq ($commit->{from} .. $commit->{to}) {
      push @twice, "session $commit->{session} seq $seq: epochs $of->{$seq} and $commit->{epoch}"
        if defined $of->{$seq};
      push @twice, "session $commit->{session} seq $seq: epoch $commit->{epoch} behind another"
        if ($of->{ $seq - 1 } // 0) > $commit->{epoch};
      $of->{$seq} = $commit->{epoch};
    }
  }
  return (\%by, \@twice);
}

# lost(COVERED, ROWS): ROWS are "session seq timeline", in that order, from the server.
sub lost {
  my ($by, $rows) = @_;
  my %there;
  $there{ $_->[0] }{ $_->[1] } = 1 for @$rows;
  my @lost;
  for my $session (sort { $a <=> $b } keys %$by) {
    push @lost, map { "session $session seq $_" }
      grep { !$there{$session}{$_} } sort { $a <=> $b } keys %{ $by->{$session} };
  }
  return \@lost;
}

# mixed(ROWS): gaps, and runs (a timeline each) that wrote between each other's events.
sub mixed {
  my ($rows) = @_;
  my (%seq, %timeline, @wrong);
  for (@$rows) {
    my ($session, $seq, $timeline) = @$_;
    push @wrong, "session $session has no seq before $seq" if $seq != ($seq{$session} // 0) + 1;
    push @wrong, "session $session seq $seq is of an older run than the one before"
      if $timeline < ($timeline{$session} // 0);
    ($seq{$session}, $timeline{$session}) = ($seq, $timeline);
  }
  return \@wrong;
}

1;
