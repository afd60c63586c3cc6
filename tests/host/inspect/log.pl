# log.pl - compares which events were left behind, worked out from the transcript alone, with what
# `sessions log` marks and leaves out.
# Usage: log.pl CKRUN SESSION…; prints "sessions events abandoned done_again" and complains on
# stderr. Exit 1: something differs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../oracle/lib";

use Said;
use View;

my ($ckrun, @sessions) = @ARGV;
my $said = Said->new($ckrun);
my ($events, $abandoned, $done_again, $bad) = (0, 0, 0, 0);

sub seqs { map { $_->{seq} } @_ }

# Of a log as text: its columns.
sub rows { map { [ split /\t/ ] } $said->text(0, "sessions", "log", @_) }

sub compare {
  my ($what, $got, $wanted) = @_;
  return if "@$got" eq "@$wanted";
  print STDERR "$what: got @$got\n", " " x length $what, "  not @$wanted\n";
  $bad = 1;
}

for my $session (@sessions) {
  my @log = ("sessions", "log", $session);
  my @all = $said->lines(@log, "--all");
  my $view = View->new(@all);
  my @wanted = seqs($view->living);
  $events += @all;
  $abandoned += @all - @wanted;
  $done_again += $view->said_anew;
  compare("$session --all", [ seqs(grep { !$_->{abandoned} } @all) ], \@wanted);
  compare("$session --all as text",
    [ map { $_->[0] } grep { $_->[5] !~ /abandoned/ } rows($session, "--all") ], \@wanted);
  compare($session, [ seqs($said->lines(@log)) ], \@wanted);
  compare("$session as text", [ map { $_->[0] } rows($session) ], \@wanted);
  for my $n (1, 2, 5, int(@wanted / 2) || 1, @wanted + 5) {
    my $first = $n < @wanted ? @wanted - $n : 0;
    compare("$session --last $n", [ seqs($said->lines(@log, "--last", $n)) ],
      [ @wanted[$first .. $#wanted] ]);
  }
  my @messages = seqs(grep { $_->{kind} eq "message" } $view->living);
  compare("$session --kind message --last 3",
    [ seqs($said->lines(@log, qw(--kind message --last 3))) ], [ @messages[-3 .. -1] ]);
}
print scalar(@sessions), " $events $abandoned $done_again\n";
exit $bad;
