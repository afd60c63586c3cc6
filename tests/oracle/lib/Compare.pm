# Compare.pm - holds what ckrun says of a session against what its transcript says.
package Compare;
use strict;
use warnings;

use JSON::PP;

use Clean;
use CompareDocuments;
use Conversation;
use Delegations;
use Facts;
use Limits;
use Outputs;
use Pads;
use Positions;
use Runs;
use Spending;
use Tail;
use View;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my @totals = qw(cost_micros input_tokens output_tokens model_calls tool_calls unmetered);

sub new {
  my ($class, $said, $profile) = @_;
  return bless { said => $said, profile => $profile, results => {} }, $class;
}

# { THING => [TIMES, DIFFERENCE, …] }
sub results { %{ $_[0]{results} } }

# same THING, WHERE, GOT, WANTED: any JSON values.
sub same {
  my ($self, $thing, $where, $got, $wanted) = @_;
  my $result = $self->{results}{$thing} //= [0];
  $result->[0]++;
  my ($g, $w) = map { $json->encode($_) } $got, $wanted;
  push @$result, "$where: ckrun says " . part($g, $w) . ", the transcript " . part($w, $g)
    if $g ne $w;
}

# What a text says about where another begins to differ.
sub part {
  my ($text, $other) = @_;
  my ($same) = ("$text\n$other" ^ "$other\n$text") =~ /^(\0*)/;
  my $from = length $same > 60 ? length($same) - 60 : 0;
  return ($from ? "…" : "") . substr($text, $from, 240);
}

# session ID, N: of the newest N checkpoints, or of all.
sub session {
  my ($self, $session, $n) = @_;
  my @log = $self->{said}->lines("sessions", "log", $session, "--all");
  my $view = View->new(@log);
  $self->{facts}{$session} = [ Facts::of_session($session, @log) ];
  $self->_view($session, $view);
  $self->_tails($session, $view);
  $self->_totals($session, $view);
  my %boundary = map { $_->{body}{checkpoint} => $_ } @{ $view->{checkpoints} };
  $self->_of_agents($session, $view);
  CompareDocuments::compare($self, $session, $view);
  $self->_mcp($session, $view) if @{ $view->{checkpoints} };
  $self->_dry_run($session, $view) if !$view->is_over;
  my @listed = $self->{said}->lines("sessions", "checkpoints", $session);
  $self->_without_checkpoint($session, $view) if !@listed;
  splice @listed, 0, @listed - $n if $n && @listed > $n;
  for my $checkpoint (@listed) {
    my $boundary = $boundary{ $checkpoint->{id} } // die "$checkpoint->{id}: no boundary\n";
    my $told = $self->_checkpoint($session, $view, $boundary);
    $self->same("descriptions are texts", "$session at $boundary->{seq}",
      length($checkpoint->{description} // "") ? 1 : 0, 1);
    $self->same("descriptions", "$session at $boundary->{seq}", $told->{description},
      $checkpoint->{description});
    $self->same("reasons", "$session at $boundary->{seq}", $checkpoint->{reasons},
      $boundary->{body}{reasons} // []);
  }
}

sub _view {
  my ($self, $session, $view) = @_;
  my @shown = map { $_->{seq} } $self->{said}->lines("sessions", "log", $session);
  my @living = map { $_->{seq} } $view->living;
  $self->same("what lives", $session, \@shown, \@living);
  my @unmarked = map { $_->{seq} } grep { !$_->{abandoned} } @{ $view->{all} };
  $self->same("what is marked as abandoned", $session, \@unmarked, \@living);
  my %asked; # said anew it keeps its id, and its scope
  $asked{ $_->{body}{id} }{ $_->{scope} } = 1
    for grep { $_->{kind} eq "delegation" && defined $_->{body}{id} } $view->living;
  $self->same("an id is of one delegation", $session,
    [ sort grep { keys %{ $asked{$_} } > 1 } keys %asked ], []);
}

sub _tails {
  my ($self, $session, $view) = @_;
  $self->same("messages name their agents", $session,
    [ map { $_->{seq} } grep { $_->{unnamed} } @{ $view->{all} } ], []);
  my @list = $view->resumable;
  my %failed = map { ($_->{agent} // "") => 1 } $view->failed_behind;
  for my $agent (Tail::agents($view->living)) {
    next if $failed{$agent}; # whether that is told depends on how its scope ended
    for my $n (3, 50) {
      my ($got) = $self->{said}->lines("sessions", "tail", $session, $agent, "--last", $n);
      my @wanted = Tail::tail($agent, $n, @list);
      my $where = "$session, the last $n of $agent";
      $self->same("tails", $where, [ map { $_->{seq} } @{ $got->{events} } ],
        [ map { $_->{seq} } @wanted ]);
      my @lines = split /\n/, $got->{section};
      my $want = Tail::section($view, @wanted);
      my @begins = map { substr $lines[$_] // "", 0, length $want->[$_] } 0 .. $#$want;
      $self->same("sections", $where, [ scalar(@lines), @begins ], [ scalar(@$want), @$want ]);
      my $told = $self->{said}->tool("agent_tail",
        { session_id => $session, agent => $agent, last => $n });
      $told = {} if ref $told ne "HASH"; # of nobody: an error
      $self->same("to clients: tails", $where, [ map { $_->{seq} } @{ $told->{events} } ],
        [ map { $_->{seq} } @wanted ]);
    }
  }
}

sub _totals {
  my ($self, $session, $view) = @_;
  my ($shown) = $self->{said}->lines("sessions", "show", $session);
  in_micros($shown->{totals}, @{ $shown->{runs} });
  my $spent = Spending::told(Spending::spent($view, @{ $view->{all} })->{all});
  for my $name (@totals) {
    $self->same("totals: $name", $session, $shown->{totals}{$name}, $spent->{$name});
  }
  my $runs = Runs::runs($view);
  my @lines = map { [ map { [ @$_{qw(run parent_run)} ] } @$_ ] } $shown->{runs}, $runs;
  $self->same("runs", $session, @lines);
  for my $name (grep { $_ ne "unmetered" } @totals) {
    $self->same("runs: $name", $session, [ map { $_->{$name} } @{ $shown->{runs} } ],
      [ map { $_->{$name} } @$runs ]);
  }
}

# in_micros FIGURES…: with `cost_micros`, as the oracle counts, of what ckrun says in dollars.
sub in_micros {
  $_->{cost_micros} = micros($_->{cost_usd}) for @_;
}

sub micros { defined $_[0] ? 0 + sprintf "%.0f", $_[0] * 1e6 : undef }

# What a client of the MCP is told.
sub _mcp {
  my ($self, $session, $view) = @_;
  my %boundary = map { $_->{body}{checkpoint} => $_ } @{ $view->{checkpoints} };
  my $all = $self->{said}->tool("list_session_checkpoints", { session_id => $session });
  my $clean = $self->{said}->tool("list_session_checkpoints",
    { session_id => $session, clean_only => JSON::PP::true });
  my @listed = map { $boundary{ $_->{checkpoint_id} } } @{ $all->{checkpoints} };
  my @wanted = grep { Clean::is_clean($view, $_->{seq}, $view->at($_)) } @listed;
  $self->same("is_clean: those listed to clients", $session,
    [ map { $_->{seq} } @{ $clean->{checkpoints} } ], [ map { $_->{seq} } @wanted ]);
  my $resumable = $self->{said}->tool("list_resumable_sessions", { limit => 1000 });
  my ($one) = grep { $_->{session_id} eq $session } @{ $resumable->{sessions} };
  $self->same("resumable to clients", $session, $one ? 1 : 0, $view->is_over ? 0 : 1);
  my ($last) = (grep { $_->{body}{kind} eq "failure" } @listed)[-1];
  return if !$one || $one->{status} ne "failed" || !$last;
  $self->same("failed_at_node", $session, $one->{failed_at_node},
    Positions::failed_node($one->{failed_at_node}, $view->at($last)));
}

# Limits of agents.
sub _of_agents {
  my ($self, $session, $view) = @_;
  $self->same("limits of calls that are passed", $session,
    [ Limits::passed($view, $self->{profile}) ], []);
  $self->same("limits of agents that are hit", "$session, $_->[0]: $_->[1]", @$_[ 2, 3 ])
    for Limits::hits($view);
}

# What the store keeps beyond its sessions, if all of them were compared.
sub facts {
  my ($self) = @_;
  return if grep { !$self->{facts}{ $_->{session} } } $self->{said}->lines("sessions", "list");
  my $kept = Facts::kept(map { @$_ } values %{ $self->{facts} });
  my %said = map { (($_->{agent} // "") . " $_->{key}") => $_->{value} }
    $self->{said}->lines("facts", "list");
  delete @$_{ keys %{ $kept->{unsure} } } for \%said, $kept->{facts};
  $self->same("facts", "the store", \%said, $kept->{facts});
  $self->same("facts that were read", @$_) for @{ $kept->{told} };
}

# What a resume would have left of each limit.
sub _dry_run {
  my ($self, $session, $view) = @_;
  my $got = $self->{said}->document("resume", $session, "--dry-run")->{constraints} // return;
  my $state = Limits::at_resume($view, $self->{profile});
  for my $name (qw(budget rounds tokens tool_calls model_calls)) {
    my ($one, $wanted) = ($got->{$name}, $state->{$name});
    $wanted = Limits::reset($view, $name, $wanted) if ($one->{rule} // "") eq "reset";
    my @said = $name eq "budget"
      ? map { micros($one->{"${_}_usd"}) } qw(used limit left)
      : @$one{qw(used limit left)};
    $self->same("dry run: $name", $session, \@said,
      [ @$wanted{qw(spent limit left)} ]);
  }
}

sub _without_checkpoint {
  my ($self, $session, $view) = @_;
  my ($got) = $self->{said}->lines("sessions", "inspect", $session);
  $self->same("execution_path", $session, $got->{execution_path},
    [ Positions::execution_path($view->living) ]);
  $self->_conversations($session, $view, $got, undef, $view->living);
}

sub _checkpoint {
  my ($self, $session, $view, $boundary) = @_;
  my $seq = $boundary->{seq};
  my $where = "$session at $seq ($boundary->{body}{kind})";
  my ($got) = $self->{said}->lines("sessions", "inspect", $session, "--checkpoint",
    $boundary->{body}{checkpoint});
  my @list = $view->at($boundary);
  my ($node, $next) = Positions::nodes($view, $boundary, $got->{current_node}, @list);
  $self->same("current_node", $where, $got->{current_node}, $node);
  $self->same("next_node", $where, $got->{next_node}, $next);
  $self->same("execution_path", $where, $got->{execution_path},
    [ Positions::execution_path(@list) ]);
  $self->same("is_clean", $where, $got->{is_clean} ? 1 : 0,
    Clean::is_clean($view, $seq, @list) ? 1 : 0);
  my $spent = Spending::told(Spending::spent($view, $view->until($seq))->{all});
  my $metrics = $got->{metrics_snapshot};
  in_micros($metrics);
  $self->same("metrics_snapshot: $_", $where, $metrics->{$_}, $spent->{$_}) for @totals;
  my $over = $boundary->{body}{kind} eq "final"; # nothing is said anew
  $self->_conversations($where, $view, $got, $over ? undef : $view->cuts(@list), @list);
  $self->_state($where, $view, $seq, $got, @list);
  $self->_inspected($session, $where, $boundary->{body}{checkpoint}, {
    current_node => $node, next_node => $next,
    execution_path => [ Positions::execution_path(@list) ],
    is_clean => Clean::is_clean($view, $seq, @list) ? 1 : 0,
    map { $_ => $spent->{$_} } @totals,
  });
  $self->_session_checkpoint($where, $view, $boundary, $got->{session_checkpoint}, @list);
  return $got;
}

# What a client of the MCP is told of a checkpoint.
sub _inspected {
  my ($self, $session, $where, $checkpoint, $wanted) = @_;
  my $got = $self->{said}->tool("inspect_checkpoint",
    { session_id => $session, checkpoint_id => $checkpoint, include_memory => JSON::PP::true });
  return $self->same("to clients: a checkpoint", $where, $got, {}) if ref $got ne "HASH";
  my $metrics = $got->{metrics_snapshot};
  in_micros($metrics);
  $self->same("to clients: $_", $where, $got->{$_}, $wanted->{$_})
    for qw(current_node next_node execution_path);
  $self->same("to clients: is_clean", $where, $got->{is_clean} ? 1 : 0, $wanted->{is_clean});
  $self->same("to clients: $_", $where, $metrics->{$_}, $wanted->{$_}) for @totals;
}

# What the state keeps: outcomes of programs, and what each agent spent.
sub _state {
  my ($self, $where, $view, $seq, $got, @list) = @_;
  my $outputs = Outputs::outputs($view, @list);
  my %said = map { $_ => $got->{accumulated_outputs}{$_} } keys %$outputs;
  $self->same("outputs", $where, \%said, $outputs);
  return if $where =~ /\(edit\)/ || grep { $_ eq "reset" } map {
    my $rules = $_->{body}{rules} // {};
    map { $rules->{$_} // () } qw(budget tokens tool_calls model_calls)
  } @{ $view->{all} };
  my $agents = Spending::of_agents($view, $seq);
  for my $name (sort keys %$agents) {
    my ($one, $spent) = ($got->{state}{spending}{agents}{$name}, $agents->{$name});
    $self->same("spent by agents", "$where, $name",
      [ map { $one->{$_} // 0 } qw(cost tokens tool_calls model_calls) ],
      [ $spent->{cost_micros}, $spent->{input_tokens} + $spent->{output_tokens},
        @$spent{qw(tool_calls model_calls)} ]);
  }
}

sub _conversations {
  my ($self, $where, $view, $got, $cuts, @list) = @_;
  my $states = $got->{conversation_states};
  my %wanted;
  for my $scope (Conversation::scopes($view, @list)) {
    my @messages = Conversation::fold($view, $scope, $cuts && ($cuts->{$scope} // 0), @list);
    $wanted{$scope} = \@messages if @messages;
  }
  my @said = sort grep { @{ $states->{$_} } } keys %$states;
  $self->same("conversation_states: scopes", $where, \@said, [ sort keys %wanted ]);
  for my $scope (grep { $wanted{$_} } @said) {
    my @messages = @{ $wanted{$scope} };
    my @got = @{ $states->{$scope} };
    for my $i (grep { $messages[$_]{report} } 0 .. $#messages) {
      my ($text, $report) = map { $json->encode($_) } $got[$i], $messages[$i]{report};
      $got[$i] = $messages[$i] if index($text, substr $report, 1, -1) > 0;
    }
    my $end = $where =~ /\(final\)$/ ? " at the end" : "";
    $self->same("conversation_states$end", "$where, scope $scope", \@got, \@messages);
  }
}

# Who has spent something on a branch that was left may be told, too; so may who is about to begin.
sub _session_checkpoint {
  my ($self, $where, $view, $boundary, $got, @list) = @_;
  $self->same("roundsCompleted", $where, $got->{roundsCompleted},
    Positions::rounds_completed(@list));
  my $pads = Pads::pads($view, @list);
  my $agents = Delegations::agents($view, $boundary, @list);
  my %said = map { $_->{agentId} => $_ } @{ $got->{activeAgents} };
  my %ever = map { $_ => 1 } Tail::agents($view->until($boundary->{seq}));
  $self->same("activeAgents", $where, [ sort keys %said ],
    [ grep { $agents->{$_} || $said{$_} } sort keys %ever ]);
  for my $name (grep { $said{$_} } sort keys %$agents) {
    my ($one, $at) = ($said{$name}, "$where, $name");
    $self->same("parents and depths", $at, [ @$one{qw(parentAgentId depth)} ],
      [ @{ $agents->{$name} }{qw(parent depth)} ]);
    my $notes = $one->{expertiseSnapshot}{notes};
    $self->same("pads", $at, $notes, Pads::fitting($notes, $pads->{$name}));
    my $n = $self->{profile}{replay}{$name} // $self->{profile}{replay}{"*"} // 50;
    my @tails = ($one->{conversationTail}, [ Tail::tail($name, $n, @list) ]);
    $self->same("tails in a checkpoint", $at, map { [ map { $_->{seq} } @$_ ] }
      @tails);
  }
  $self->_pending($where, $view, $boundary, $got, @list);
  $self->_limits($where, $view, $boundary->{seq}, $got->{constraintState}, @list);
}

# An agent of a graph's node is in flight, but nobody has delegated to it: its id is its scope's.
# Where all scopes are at rest: else one may have ended behind the boundary of another.
sub _pending {
  my ($self, $where, $view, $boundary, $got, @list) = @_;
  return if $boundary->{body}{kind} !~ /^(pause|failure|final)$/;
  $self->same("pendingDelegations", $where,
    [ sort map { "$_->{id} " . ($_->{target} // "") } grep { $_->{id} ne $_->{scope} }
      @{ $got->{pendingDelegations} } ],
    Delegations::pending($view, $boundary, @list));
}

sub _limits {
  my ($self, $where, $view, $seq, $got, @list) = @_;
  my $state = Limits::state($view, $self->{profile}, $seq, @list);
  for my $name (qw(budget rounds tokens tool_calls model_calls)) {
    $self->same("constraint state: $name", $where, [ @{ $got->{$name} }{qw(spent limit)} ],
      [ @{ $state->{$name} }{qw(spent limit)} ]);
  }
  $self->same("constraint state: approaching", $where,
    [ sort grep { $_ ne "time" } @{ $got->{approaching} } ], [ sort @{ $state->{approaching} } ]);
  $self->same("constraint state: hit", $where, $got->{hit} ? 1 : 0, $state->{hit});
  $self->same("constraint state: conflict", $where, $got->{constraint_conflict} ? 1 : 0,
    $state->{constraint_conflict});
  my ($of) = ($got->{hit_reason} // "") =~ /^(\w+)/;
  $self->same("constraint state: reason", $where, defined $of && $state->{hit_of}{$of} ? 1 : 0,
    $state->{hit}) if $state->{hit};
}

1;
