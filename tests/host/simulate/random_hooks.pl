# random_hooks.pl SEED - writes a profile whose policies have every hook: ./draws.lua, which draws
# its answers from what it is shown, and shipped ones with options made from the seed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../..";
use Seeded qw(seed below one truth some);

seed($ARGV[0]);

my %shipped = (
  approve => sub { "classes = " . some(qw(once pure idempotent)) . ", untrusted = " . truth() },
  approve_over => sub { "usd = " . one(0, 0.01, 3) },
  max_age => sub { "hours = " . one(0.0001, 24) . ", ask = true" },
  same_model => sub { "ask = " . truth() },
  resume_limits => sub { "time = \"" . one(qw(reset continue)) . "\", budget = \"" .
    one(qw(reset continue)) . "\"" },
  redact_keys => sub { "keys = { note = \"" . one(qw(drop mask)) . "\" }" },
  tail_involved => sub { "children = " . truth() . ", delegations = " . truth() },
  keep_recent => sub { "count = " . (1 + below(4)) },
  every_boundary => sub { "on_edge = " . truth() },
  every_n => sub { "n = " . (1 + below(4)) },
);
my @list = map { "{ \"$_\", " . $shipped{$_}->() . " }" } grep { below(3) == 0 } sort keys %shipped;
my $own = "{ \"./draws.lua\", seed = " . below(1 << 20) . ", permits = " .
  (@ARGV > 1 ? 'false' : 'true') . ' }';
splice @list, below(@list + 1), 0, $own;
my $tail = @ARGV > 1 ? ' resume_context = "tail",' : '';
print "return { name = \"random\",$tail constraints = { budget_usd = ", 1 + below(9),
  " }, policies = {\n  ", join(",\n  ", @list), " } }\n";
