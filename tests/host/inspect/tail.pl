# tail.pl - compares every agent's tail, worked out from `sessions log`, with the output of
# `sessions tail`.
# Usage: tail.pl CKRUN SESSION…; prints "sessions agents tails events" and complains on stderr.
# Exit 1: something differs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../oracle/lib";
use JSON::PP;

use Said;
use Tail;

my ($ckrun, @sessions) = @ARGV;
my $said = Said->new($ckrun);
my $json = JSON::PP->new->utf8->canonical;
my ($agents, $tails, $events, $bad) = (0, 0, 0, 0);

for my $session (@sessions) {
  my @log = $said->lines("sessions", "log", $session);
  my %known = map { $_ => 1 } Tail::agents(@log);
  for my $agent (sort keys %known, "nobody of that name") {
    $agents++;
    for my $n (0, 3, 50) {
      my @want = Tail::tail($agent, $n, @log);
      my @command = ("--json", "sessions", "tail", $session, $agent, "--last", $n);
      my ($got) = map { $json->decode($_) } $said->text($known{$agent} ? 0 : 3, @command);
      my $same = $json->encode([ @{ $got->{events} } ]) eq $json->encode([@want]);
      my @lines = split /\n/, $got->{section};
      $same &&= @lines == (@want ? @want + 3 : 0);
      $tails++;
      $events += @want;
      next if $same;
      $bad++;
      print STDERR "# $session, the last $n of $agent: not ",
        join(" ", map { $_->{seq} } @want), " but ",
        join(" ", map { $_->{seq} } @{ $got->{events} }), "\n";
    }
  }
}
print join(" ", scalar @sessions, $agents, $tails, $events), "\n";
exit($bad ? 1 : 0);
