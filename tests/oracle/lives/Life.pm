# Life.pm - a flow and a profile from a seed: agents that ask each other, graphs with retries,
# branches and loops, steps. One thing at a time is done in them, so that a life is a function of
# its seed; with ORACLE_PARALLEL=1 agents, branches and steps run side by side, and what happens
# first is chance.
package Life;
use strict;
use warnings;

use Dice;

# A program that does something for the first time only; each has a mark of its own.
my %first = (
  fails => 'exit 7', dies => 'kill -9 $PPID; sleep 5', pauses => 'kill -TERM $PPID; sleep 0.05',
);

sub new {
  my ($class, $seed) = @_;
  my $self = bless { dice => Dice->new("life", $seed), marks => 0,
      facts => Dice->new("facts", $seed), limits => Dice->new("limits", $seed),
      parallel => $ENV{ORACLE_PARALLEL} }, $class;
  $self->{kind} = $self->{dice}->pick(qw(rounds rounds rounds graph graph steps agent));
  my $make = "_$self->{kind}";
  $self->{flow} = "local flow = require \"ck.flow\"\n\n" . $self->_tools . $self->$make;
  return $self;
}

sub _script {
  my ($self, $does, $then) = @_;
  my $mark = "mark" . $self->{marks}++;
  my $first = $first{$does} ? "[ -e $mark ] || { touch $mark; $first{$does}; }; " : "";
  return qq({ "sh", "-c", [[$first$then]] });
}

# What a program does, mostly nothing of the kind.
sub _fate {
  my ($self) = @_;
  return $self->{dice}->pick(qw(works works works works fails fails dies pauses));
}

sub _class { $_[0]{dice}->pick(qw(pure idempotent)) }

sub _tools {
  my ($self) = @_;
  my $class = $self->{dice}->pick(qw(pure idempotent once));
  my $act = $self->_script($self->_fate, "cat >/dev/null; echo acted");
  return <<"END";
local function tools()
  return {
    look = flow.tool(function(_, arguments) return { seen = arguments.n } end, {
      description = "Looks." }),
    fall = flow.tool(function() error("it fell") end, { description = "Fails." }),
    act = flow.command { argv = $act, class = "$class", description = "Acts." },
  }
end

END
}

sub _names { map { "a$_" } 1 .. 2 + $_[0]{dice}->roll(3) }

sub _rounds {
  my ($self) = @_;
  my $dice = $self->{dice};
  my @names = $self->_names;
  my $rounds = 2 + $dice->roll(2);
  my $agents = join "", map {
    "    $_ = flow.agent { prompt = \"You are $_.\"" . ($dice->one_in(4) ? "" : ", tools = tools()")
      . " },\n"
  } @names;
  my $delegates = join "", map {
    my $name = $_;
    my @others = $dice->some(grep { $_ ne $name } @names);
    "    $name = { " . join(", ", map { "\"$_\"" } @others) . " },\n"
  } $dice->some(@names);
  my $depth = 1 + $dice->roll(2);
  my $gate = $dice->one_in(3) ? "  gate = function(ctx, completed)\n"
    . "    if completed == 1 and not ctx.memory.seen then return \"look at it\" end\n  end,\n" : "";
  my $most = $rounds + 4;
  return "return flow.rounds {\n  name = \"life\", rounds = $most, max_depth = $depth,\n"
    . $self->_orchestrator($rounds, @names) . "  agents = {\n$agents  },\n"
    . "  delegates = {\n$delegates  },\n$gate}\n";
}

sub _orchestrator {
  my ($self, $rounds, @names) = @_;
  my $dice = $self->{dice};
  return "  orchestrator = flow.agent { name = \"chair\", prompt = \"You are the chair.\" },\n"
    if !$dice->one_in(3);
  my $asks = join "", map {
    my @who = $dice->some(@names);
    my $how = @who == 1 ? "target = \"$who[0]\""
      : $self->_side_by_side($dice->pick(qw(targets parallel sequential)), "sequential") . " = { "
      . join(", ", map { "\"$_\"" } @who) . " }";
    "    if round == $_ then ask { $how, message = \"Part $_?\" } end\n"
  } 1 .. $rounds;
  my $fact = $self->_fact;
  return "  orchestrator = function(ctx, round, ask)\n    $fact\n$asks"
    . "    if round == $rounds then return \"done\" end\n  end,\n";
}

sub _side_by_side {
  my ($self, $parallel, $alone) = @_;
  return $self->{parallel} ? $parallel : $alone;
}

# A node's text. Nodes that may fail for good lead to the session's failure.
sub _node {
  my ($self, $name) = @_;
  my $dice = $self->{dice};
  my $kind = $dice->pick(qw(lua exec exec exec agent ask safe sleep));
  return "function(ctx) ctx.memory.$name = (ctx.memory.$name or 0) + 1 " . $self->_fact . "end"
    if $kind eq "lua";
  return "flow.agent { name = \"$name-agent\", prompt = \"You are $name.\", input = \"Do $name.\","
    . " tools = tools() }" if $kind eq "agent";
  return "flow.ask { question = \"Is it $name?\" }" if $kind eq "ask";
  return "flow.safe_point()" if $kind eq "safe";
  return "flow.sleep(1)" if $kind eq "sleep";
  return $self->_exec($dice->one_in(2));
}

# What it may do with what outlives the session. Chance of its own: the lives of a seed without
# facts are what they were before there were any.
sub _fact {
  my ($self) = @_;
  my $dice = $self->{facts};
  return "" if $dice->one_in(3);
  my $key = "k" . $dice->roll(3);
  my $owner = $dice->one_in(3) ? "\"a" . (1 + $dice->roll(2)) . "\"" : "nil";
  return "ctx.facts.put(\"$key\", nil, $owner) " if $dice->one_in(6);
  return "ctx.facts.put(\"$key\", (ctx.facts.get(\"$key\", $owner) or 0) + 1, $owner) ";
}

sub _exec {
  my ($self, $retries) = @_;
  my $retry = $retries ? ", retry = { times = 3, backoff_ms = 1 }" : "";
  return "flow.exec { argv = " . $self->_script($self->_fate, "cat; echo did")
    . ", class = \"" . $self->_class . "\"$retry }";
}

sub _graph {
  my ($self) = @_;
  my $dice = $self->{dice};
  my @names = map { "n$_" } 1 .. 3 + $dice->roll(5);
  my $nodes = join "", map { "    $_ = " . $self->_node($_) . ",\n" } @names;
  my $edges = "";
  my $fork = @names > 4 && $dice->one_in(2) ? 1 + $dice->roll(@names - 4) : -1;
  $fork = $self->_side_by_side($fork, -1);
  for (my $i = 0; $i < @names; $i++) {
    my $next = $i == $#names ? "flow.done" : "\"$names[$i + 1]\"";
    if ($i == $fork) { # two branches, and the node where they meet
      $edges .= "    $names[$i] = { \"$names[$i + 1]\", \"$names[$i + 2]\" },\n"
        . "    $names[$i + 1] = \"$names[$i + 3]\", $names[$i + 2] = \"$names[$i + 3]\",\n";
      $i += 2;
    } elsif ($i == $#names && $dice->one_in(2)) {
      $nodes .= "    turn = function(ctx) ctx.memory.turns = (ctx.memory.turns or 0) + 1 end,\n";
      $edges .= "    $names[$i] = \"turn\",\n"
        . "    turn = flow.choose { to = { \"$names[0]\", flow.done },\n"
        . "      function(ctx) return ctx.memory.turns < 2 and \"$names[0]\" or flow.done end },\n";
    } else {
      $edges .= "    $names[$i] = $next,\n";
    }
  }
  return "return flow.graph {\n  name = \"life\", start = \"n1\",\n  nodes = {\n$nodes  },\n"
    . "  edges = {\n$edges  },\n}\n";
}

sub _steps {
  my ($self) = @_;
  my $dice = $self->{dice};
  my $steps = "";
  for my $i (1 .. 3 + $dice->roll(4)) {
    my @needs = $i > 1 && $dice->one_in(2) ? $dice->some(map { "s$_" } 1 .. $i - 1) : ();
    my $needs = @needs ? ", needs = { " . join(", ", map { "\"$_\"" } @needs) . " }" : "";
    my $optional = $dice->one_in(4) ? ", optional = true" : "";
    my $run = $self->_exec($dice->one_in(2));
    $steps .= "    { name = \"s$i\", run = $run$needs$optional },\n";
  }
  my $parallel = $self->_side_by_side(1 + $dice->roll(3), 1);
  return "return flow.steps {\n  name = \"life\", parallel = $parallel,\n"
    . "  steps = {\n$steps  },\n}\n";
}

# Of some agents; chance of its own, like that of facts.
sub _limits_of_agents {
  my ($self) = @_;
  my $dice = $self->{limits};
  return {} if !$dice->one_in(4);
  return { map { $_ => { $dice->pick(qw(tool_calls model_calls)) => 2 + $dice->roll(6) } }
    $dice->some(qw(a1 a2)) };
}

sub agent_limits {
  my ($name, $limits) = @_;
  return "$name = { constraints = { "
    . join(", ", map { "$_ = $limits->{$_}" } sort keys %$limits) . " } }";
}

sub _agent {
  return "return flow.agent {\n  name = \"solo\", prompt = \"You work alone.\",\n"
    . "  input = \"Do it.\", tools = tools(),\n}\n";
}

# profile PORT: its text; the constraints are in $self->{profile}, as the oracle wants them.
sub profile {
  my ($self, $port) = @_;
  my $dice = $self->{dice};
  my %base = (rounds => "deliberation", graph => "graph", steps => "graph", agent => "loop");
  my $extends = $dice->one_in(4) ? $dice->pick(qw(portable explore loop)) : $base{ $self->{kind} };
  my %constraints;
  $constraints{budget_usd} = (1 + $dice->roll(60)) / 1000 if $dice->one_in(3);
  $constraints{tool_calls} = 1 + $dice->roll(12) if $dice->one_in(4);
  $constraints{model_calls} = 1 + $dice->roll(12) if $dice->one_in(5);
  $constraints{tokens} = 200 * (1 + $dice->roll(30)) if $dice->one_in(6);
  $constraints{rounds} = 1 + $dice->roll(3) if $self->{kind} eq "rounds" && $dice->one_in(4);
  my $agents = $self->{kind} eq "rounds" ? $self->_limits_of_agents : {};
  $self->{profile} = { constraints => \%constraints, replay => { "*" => 8 }, agents => $agents };
  my $limits = join "", map { "$_ = $constraints{$_}, " } sort keys %constraints;
  return "return { name = \"life\", extends = \"$extends\",\n"
    . "  constraints = { ${limits}transcript_replay_depth = 8 },\n  agents = { "
    . join(", ", map { agent_limits($_, $agents->{$_}) } sort keys %$agents) . " },\n"
    . "  models = { default = { api = \"openai\", base_url = \"http://127.0.0.1:$port/v1\",\n"
    . "    model = \"tiny\", stream = false, retries = 0, max_tokens = 100,\n"
    . "    price = { input = 3, output = 15 } } } }\n";
}

1;
