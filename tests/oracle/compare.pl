# compare.pl - works out from the transcript what ckrun must say of a session, and compares. Usage:
# compare.pl CKRUN NAME PROFILE SESSION…; PROFILE: JSON {constraints, minimums, replay}, as written
# by hand from the scenario. Prints one line of TAP, without a number, for each thing that is
# recomputed: "ok - NAME: THING", and what differs on stderr.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";

use JSON::PP;

use Said;
use View;
use Compare;

my ($ckrun, $name, $profile, @sessions) = @ARGV;
my $said = Said->new($ckrun);
my $compare = Compare->new($said, JSON::PP->new->utf8->decode($profile));
$compare->session($_) for @sessions;
$compare->facts;
my %result = $compare->results;
for my $thing (sort keys %result) {
  my ($times, @differences) = @{ $result{$thing} };
  print @differences ? "not ok" : "ok", " - $name: $thing ($times times)\n";
  splice @differences, 3 if @differences > 3;
  print STDERR "# $name: $thing: $_\n" for @differences;
}
