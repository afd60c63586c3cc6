# Limits.pm - the constraint state at a checkpoint: spent, limit, what is left, what is near or hit.
#
# Rules (REQUIREMENTS 1): a limit is the profile's, unless a person has set another (an edit of
# limits.NAME). What a resume does to each dimension is in its event: `continue` keeps what was
# spent, `reset` begins anew. Those of a fork begin at the fork. `approaching`: 80 % of a maximum or
# more. `hit`: a maximum is reached, or the transcript says since the last resume that the next call
# would pass it, whether of the session or of an agent. `constraint_conflict`: one of the session's is
# hit while another's minimum is under half met. Calls are never more than their limit, an agent's
# own neither, in which those that it asked count (a child cannot get more than its parent has left).
package Limits;
use strict;
use warnings;

use Positions;
use Spending;

my %unit = (budget => 1_000_000, time => 1000);
my %key = (budget => "budget_usd", time => "time_s");
my @dimensions = qw(budget rounds tokens tool_calls model_calls);

# state VIEW, PROFILE {constraints, minimums}, SEQ, EVENT…: by dimension {spent, limit, minimum},
# and approaching, hit, conflict. Time is no fact of the transcript.
sub state {
  my ($view, $profile, $seq, @list) = @_;
  my $now = amounts($view, $seq, @list);
  my $base = base($view, $seq, @list);
  my %state;
  for my $name (@dimensions) {
    my $one = $state{$name} = { spent => $now->{$name} - ($base->{$name} // 0) };
    my $limit = limit($profile->{constraints}, $name, @list);
    $one->{limit} = $limit if defined $limit;
    $one->{left} = $limit > $one->{spent} ? $limit - $one->{spent} : 0 if defined $limit;
  }
  judge(\%state, $profile, @list);
  return \%state;
}

# at_resume VIEW, PROFILE: what a resume from the newest checkpoint has spent and left, where its
# rules say `continue`.
sub at_resume {
  my ($view, $profile) = @_;
  my $state = state($view, $profile, $view->{all}[-1]{seq}, $view->resumed_from);
  my $budget = $state->{budget};
  $budget->{spent} += Spending::unheard($view);
  $budget->{left} = $budget->{limit} > $budget->{spent} ? $budget->{limit} - $budget->{spent} : 0
    if defined $budget->{limit};
  return $state;
}

# One dimension of that where the rule says `reset`: only what was not heard of is still to count.
sub reset {
  my ($view, $name, $one) = @_;
  my $spent = $name eq "budget" ? Spending::unheard($view) : 0;
  my $limit = $one->{limit} // return { spent => $spent };
  return { spent => $spent, limit => $limit, left => $limit > $spent ? $limit - $spent : 0 };
}

sub amounts {
  my ($view, $seq, @list) = @_;
  my $all = Spending::spent($view, $view->until($seq))->{all};
  return { budget => $all->{cost_micros}, tokens => $all->{input_tokens} + $all->{output_tokens},
    tool_calls => $all->{tool_calls}, model_calls => $all->{model_calls},
    rounds => Positions::rounds_completed(@list) };
}

# What was spent when a resume set a dimension back, or when the session was forked: also of a fork
# that went back behind its beginning, with the rounds that are left of its origin's.
sub base {
  my ($view, $seq, @list) = @_;
  my ($forked) = grep { $_->{kind} eq "session_forked" } reverse $view->until($seq);
  my $gone = $forked && !grep { $_ == $forked } @list;
  my @of_origin = grep { $gone && $_->{seq} < $forked->{seq} } @list;
  my %base = $gone ? %{ amounts($view, $forked->{seq}, @of_origin) } : ();
  my $since = $gone ? $forked->{seq} : 0; # what its origin, itself a fork, had set back is covered
  for my $i (grep {
    $list[$_]{seq} > $since && $list[$_]{kind} =~ /^session_(resumed|forked)$/
  } 0 .. $#list) {
    my $rules = $list[$i]{body}{rules} // {};
    my $then = amounts($view, $list[$i]{seq}, @list[ 0 .. $i ]);
    for my $name (@dimensions) {
      $base{$name} = $then->{$name}
        if $list[$i]{kind} eq "session_forked" || ($rules->{$name} // "continue") eq "reset";
    }
  }
  return \%base;
}

# passed VIEW, PROFILE {constraints, agents}: "WHO DIMENSION: SPENT of LIMIT" of each limit of calls
# that is passed, by the most that it ever was. Of the session where none was ever set back.
sub passed {
  my ($view, $profile) = @_;
  my $end = $view->{all}[-1]{seq};
  my $agents = Spending::of_agents($view, $end);
  my @passed = map { over($view, $_, $profile->{agents}{$_}, $agents->{$_}) }
    sort keys %{ $profile->{agents} // {} };
  return @passed if grep { $_->{kind} eq "session_forked" || sets_back($_) } @{ $view->{all} };
  my $all = Spending::spent($view, @{ $view->{all} })->{all};
  return (@passed, over($view, "", $profile->{constraints}, $all));
}

sub sets_back {
  my $rules = $_[0]{body}{rules} // return 0;
  return grep { ($_ // "") eq "reset" } @$rules{qw(tool_calls model_calls)};
}

sub over {
  my ($view, $agent, $limits, $spent) = @_;
  my @over;
  for my $name (grep { defined $limits->{$_} } qw(tool_calls model_calls)) {
    my $key = join ".", "limits", grep({ length } $agent), $name;
    my ($most) = sort { $b <=> $a } $limits->{$name}, map { $_->{body}{value} } grep {
      $_->{kind} eq "edit" && $_->{body}{key} eq $key
    } @{ $view->{all} };
    my $now = $spent->{$name} // 0;
    push @over, "$agent $name: $now of $most" if $now > $most;
  }
  return @over;
}

# hits VIEW: [WHERE, DIMENSION, SPENT, as the event of an agent's limit says, and as it was].
sub hits {
  my ($view) = @_;
  return map {
    my ($seq, $body) = ($_->{seq}, $_->{body});
    my $spent = Spending::of_agents($view, $seq)->{ $body->{agent} } // {};
    [ "$body->{agent} at $seq", @$body{qw(dimension spent)}, $spent->{ $body->{dimension} } // 0 ]
  } grep {
    $_->{kind} eq "constraint" && $_->{body}{what} eq "hit" && defined $_->{body}{agent}
      && $_->{body}{dimension} =~ /^(tool|model)_calls$/
  } @{ $view->{all} };
}

sub limit {
  my ($constraints, $name, @list) = @_;
  my $key = $key{$name} // $name;
  my $limit = $constraints->{$key};
  for my $edit (grep { $_->{kind} eq "edit" && $_->{body}{key} eq "limits.$key" } @list) {
    $limit = $edit->{body}{value};
  }
  return defined $limit ? int($limit * ($unit{$name} // 1) + 0.5) : undef;
}

sub judge {
  my ($state, $profile, @list) = @_;
  my (@near, %hit);
  my @limited = grep { defined $state->{$_}{limit} } @dimensions;
  for my $name (@limited) {
    my $one = $state->{$name};
    push @near, $name if $one->{limit} > 0 && $one->{spent} * 100 >= $one->{limit} * 80;
    $hit{$name} = 1 if $one->{spent} >= $one->{limit};
  }
  my (%said, %of_agents);
  for my $event (@list) {
    %said = %of_agents = () if $event->{kind} =~ /^session_(resumed|forked)$/;
    my $body = $event->{body};
    next if $event->{kind} ne "constraint" || $body->{what} ne "hit";
    (defined $body->{agent} ? \%of_agents : \%said)->{ $body->{dimension} } = 1;
  }
  $state->{approaching} = \@near;
  $state->{hit} = %hit || %said || %of_agents ? 1 : 0;
  $state->{hit_of} = { %hit, %said, %of_agents };
  $state->{constraint_conflict} = conflict($state, $profile, { %hit, %said });
}

sub conflict {
  my ($state, $profile, $hit) = @_;
  return 0 if !%$hit;
  for my $name (@dimensions) {
    my $minimum = $profile->{minimums}{ $key{$name} // $name } // next;
    return 1 if !$hit->{$name} && $state->{$name}{spent} * 2 < $minimum * ($unit{$name} // 1);
  }
  return 0;
}

1;
