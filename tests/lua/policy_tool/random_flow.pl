# random_flow.pl SEED - writes a flow of nodes and programs that gives keys of its memory values
# made from the seed, often those that they have, and removes some.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../..";
use Seeded qw(seed below one);

seed($ARGV[0]);

my @nodes = ('a', 'b', 'c', 'run');
my (@turns, @way);
for my $turn (1 .. 12 + below(8)) {
  push @way, one(@nodes);
  my @writes = map {
    my $value = below(6) ? below(2) : 'ck.null';
    one('plan', 'n', 'list', 'draft', 'seen') . " = $value"
  } 1 .. below(4);
  push @turns, '{ ' . join(', ', @writes) . ' }';
}
my $class = one('once', 'pure', 'idempotent');
print <<"FLOW";
local flow = require "ck.flow"
local writes = { @{[join ', ', @turns]} }
local way = { "@{[join '", "', @way]}" }
local function work(ctx)
  local turn = (ctx.memory.turn or 0) + 1
  ctx.memory.turn = turn
  for key, value in pairs(writes[turn]) do
    if value == ck.null then ctx.memory[key] = nil else ctx.memory[key] = value end
  end
  return turn % 3
end
local function go(ctx) return way[(ctx.memory.turn or 0) + 1] or flow.done end
return flow.graph { name = "random", start = "a", max_visits = 100,
  nodes = { a = flow.lua(work), b = flow.lua(work), c = flow.lua(work), late = flow.lua(work),
    run = flow.exec { argv = { "true" }, class = "$class" } },
  edges = { a = go, b = go, c = go, late = go, run = "late" } }
FLOW
