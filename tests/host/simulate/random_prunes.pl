# random_prunes.pl SEED CHECKPOINTS - writes a profile that takes checkpoints as CHECKPOINTS says (a
# Lua text of policies; none: at random, too), and prunes by policies made from the seed, that hang
# on what is the same in each run of a flow.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../..";
use Seeded qw(seed below one truth);

my ($seed, $checkpoints) = @ARGV;
seed($seed);
my @takes = (
  '{ "every_boundary", on_node_start = false }', '"every_boundary"',
  '{ "every_n", n = ' . (1 + below(4)) . ' }',
);
$checkpoints ||= one(@takes);
my @drops = (
  sub { '{ "keep_recent", count = ' . (1 + below(7)) . ', protect = ' . truth() . ' }' },
  sub { '{ "keep_clean", recent = ' . (1 + below(4)) . ' }' },
  sub { sprintf '{ "./places.lua", every = %d, rest = %d, keep = "%s" }', 2 + below(3), below(2),
    one('none', 'node_start', 'pause', 'step_complete') },
);
my @list = map { $_->() } grep { truth() eq 'true' } @drops;
@list = ($drops[0]->()) if !@list;
my $single = below(8) ? '' : ', checkpoints = "single"';
print "return { name = 'prunes_$seed', prune_every_n_nodes = ", one(0, 1, 2, 3, 5), "$single,\n",
  "  policies = { $checkpoints, \"./again.lua\",\n    ", join(",\n    ", @list), " } }\n";
