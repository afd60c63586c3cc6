# random_profile.pl SEED - writes a profile of one to five shipped policies with options made from
# the seed, and of one that hangs on chance and on everything since the last checkpoint.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../..";
use Seeded qw(seed below one truth some);

seed($ARGV[0]);

my @classes = ('once', 'pure', 'idempotent', 'reconcilable');
my @tools = ('get_user_details', 'search_direct_flight', 'book_reservation', 'a', 'b', 'c');
my %options = (
  before_effect => sub { ['classes', some(@classes)], ['async', truth()] },
  every_boundary => sub {
    (map { ["on_$_", truth()] } qw(node_start node_complete edge tool_round step_complete)),
      ['every_n_iterations', below(4)], ['async', truth()];
  },
  every_n => sub { ['n', 1 + below(7)] },
  smart => sub {
    ['slow_ms', one(0, 5, 30000)], ['changed_keys', below(5)], ['usd', one(0.0005, 0.003, 0.02)],
      ['classes', some(@classes)], ['risky', some(@tools)];
  },
  tool_rounds => sub { () },
  expected_loss => sub {
    ['failures_per_hour', one(0.01, 0.5, 20)], ['unclean_factor', 1 + below(20)],
      ['usd_per_hour', one(1, 5, 60)], ['usd_per_tool_call', one(0, 0.008, 0.05)];
  },
  keep_recent => sub { ['count', 1 + below(6)], ['protect', truth()] },
  keep_budget => sub { ['bytes', one(100, 2000, 100000)] },
  keep_clean => sub { ['recent', 1 + below(3)] },
);

my @list;
for (0 .. below(5)) {
  my $name = one(sort keys %options);
  next if grep { /'$name'/ } @list; # a profile has a policy once
  push @list, "{ '$name'" . join('', map { ", $_->[0] = $_->[1]" } $options{$name}->()) . ' }';
}
push @list, "{ './spy.lua', share = 0." . below(6) . ', events = ' . one(3, 9, 40) . ' }';
print "return { name = 'random_$ARGV[0]', constraints = { budget_usd = ", 1 + below(9),
  " }, policies = {\n  ", join(",\n  ", @list), " } }\n";
