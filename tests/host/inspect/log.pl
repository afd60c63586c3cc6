# log.pl - computes from the transcript alone, in its order, which events were left behind, and
# compares that with what `sessions log` marks and leaves out.
# Usage: log.pl CKRUN SESSION…; prints "sessions events abandoned done_again" and complains on
# stderr. Exit 1: something differs.
use strict;
use warnings;
use JSON::PP;

my ($ckrun, @sessions) = @ARGV;
my $json = JSON::PP->new->utf8->canonical;
my ($events, $abandoned, $done_again, $bad) = (0, 0, 0, 0);

sub read_lines {
  open my $from, "-|", $ckrun, @_ or die "cannot run $ckrun: $!";
  my @lines = <$from>;
  close $from or die "@_ failed\n";
  chomp @lines;
  return @lines;
}

sub read_events { map { $json->decode($_) } read_lines("--json", @_) }

# What a scope says anew when it goes on from its cut. Intents, outcomes and their updates are none
# of it: an effect that was begun was begun, and a replay stands for its outcome.
my %work = map { $_ => 1 } qw(message replay divergence rewind delegation note);

# Goes through the events as they came. At each one that begins a timeline, what lives is taken
# back to its checkpoint, and each scope's work to the scope's own cut.
sub judge {
  my (@all) = @_;
  my (%seen_at, %living_at, @living, %again);
  for my $event (@all) {
    my $body = $event->{body};
    if ($event->{kind} =~ /^session_(resumed|rewound|undone|forked)$/) {
      my $from = $body->{checkpoint};
      @living = $from ? @{$living_at{$from} // die "no checkpoint $from\n"} : $all[0];
      my $cuts = $body->{cuts} // {};
      my @kept;
      for my $old (@living) {
        my $cut = $cuts->{$old->{scope}};
        if ($work{$old->{kind}} && defined $cut && $old->{seq} > $cut) {
          $again{$old->{seq}} = 1;
        } else {
          push @kept, $old;
        }
      }
      @living = @kept;
    }
    push @living, $event;
    $living_at{$body->{checkpoint}} = [@living]
      if $event->{kind} eq "boundary" && $body->{checkpoint};
  }
  $done_again += keys %again;
  return map { $_->{seq} => 1 } @living;
}

sub compare {
  my ($what, $got, $wanted) = @_;
  return if "@$got" eq "@$wanted";
  print STDERR "$what: got @$got\n", " " x length $what, "  not @$wanted\n";
  $bad = 1;
}

for my $session (@sessions) {
  my @all = read_events("sessions", "log", $session, "--all");
  my %lives = judge(@all);
  my @wanted = grep { $lives{$_} } map { $_->{seq} } @all;
  $events += @all;
  $abandoned += @all - @wanted;
  compare("$session --all", [map { $_->{seq} } grep { !$_->{abandoned} } @all], \@wanted);
  compare("$session --all as text",
    [map { (split /\t/)[0] } grep { (split /\t/)[5] !~ /abandoned/ }
      read_lines("sessions", "log", $session, "--all")], \@wanted);
  compare($session, [map { $_->{seq} } read_events("sessions", "log", $session)], \@wanted);
  compare("$session as text", [map { (split /\t/)[0] } read_lines("sessions", "log", $session)],
    \@wanted);
  for my $n (1, 2, 5, int(@wanted / 2) || 1, @wanted + 5) {
    my $first = $n < @wanted ? @wanted - $n : 0;
    compare("$session --last $n",
      [map { $_->{seq} } read_events("sessions", "log", $session, "--last", $n)],
      [@wanted[$first .. $#wanted]]);
  }
  my @messages = grep { $_->{kind} eq "message" } @all;
  compare("$session --kind message --last 3",
    [map { $_->{seq} } read_events(qw(sessions log), $session, qw(--kind message --last 3))],
    [(grep { $lives{$_} } map { $_->{seq} } @messages)[-3 .. -1]]);
}
print scalar(@sessions), " $events $abandoned $done_again\n";
exit $bad;
