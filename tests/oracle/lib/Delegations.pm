# Delegations.pm - who is active, below whom, and which delegations are in flight.
#
# Rules (REQUIREMENTS 1): depth 0 is a top-level perspective agent, so the orchestrator of the main
# scope is nobody's parent; an agent that another one asked has that one as its parent. A delegation
# is pending until its target's scope has ended with an answer that calls nothing; of a sequence
# only the first that has not is.
package Delegations;
use strict;
use warnings;

use Tail;
use View;

# The scope in which an agent works for another.
sub scope_of { "$_[0].agent.$_[1]" }

# agents VIEW, BOUNDARY, EVENT…: { NAME => { parent => NAME|undef, depth => N } } of each that has
# acted, where it acted last; where some of its scopes have not ended, last of those; else where it
# is asked and has not begun.
sub agents {
  my ($view, $boundary, @list) = @_;
  my (%scope, %work);
  push @{ $work{ $_->{scope} } }, $_ for grep { !is_lost($_) } @list;
  my %ended = map { $_ => has_ended($view, @{ $work{$_} }) || is_passed($_, \%work) } keys %work;
  my @acts = grep { has_acted($_) } @list;
  $scope{ $_->{agent} } = $_->{scope} for grep { $ended{ $_->{scope} } } @acts;
  for my $one (pending_scopes($view, $boundary, @list)) {
    my $name = $one->{target};
    $scope{$name} = scope_of($one->{from}, $name) if exists $scope{$name};
  }
  $scope{ $_->{agent} } = $_->{scope} for grep { !$ended{ $_->{scope} } } @acts;
  for my $open (open_scopes(@list)) {
    $scope{$1} //= $open if $open =~ /\.agent\.([^.]+)$/;
  }
  my %agents;
  for my $name (keys %scope) {
    my @above = $scope{$name} =~ /\.agent\.([^.]+)/g;
    pop @above;
    $agents{$name} = { parent => $above[-1], depth => scalar @above };
  }
  return \%agents;
}

# A scope above it has reached a boundary since: what that had opened before is closed.
sub is_passed {
  my ($scope, $work) = @_;
  my $last = $work->{$scope}[-1]{seq};
  while ($scope =~ s/\.[^.]+$//) {
    return 1 if grep { $_->{seq} > $last && View::is_of_scope($_) } @{ $work->{$scope} // [] };
  }
  return 0;
}

# What a run finds out of a call that an earlier one lost: nothing that its scope does, which may
# be one of those that were left behind.
sub is_lost { $_[0]{kind} eq "outcome" && $_[0]{body}{via} eq "lost" }

# In the main scope an agent acts from its first call on. What a person reports to it is no act.
sub has_acted {
  my ($event) = @_;
  return 0 if !defined $event->{agent} || is_lost($event) || $event->{body}{report};
  return $event->{kind} =~ /^(intent|outcome|replay)$/
    || $event->{kind} eq "message" && $event->{scope} ne "main";
}

# The scopes that the last resume took up.
sub open_scopes {
  my ($resumed) = grep { $_->{body}{cuts} } reverse @_;
  return $resumed ? sort keys %{ $resumed->{body}{cuts} } : ();
}

# pending VIEW, BOUNDARY, EVENT…: ["ID TARGET", …], sorted; the checkpoint's, and what lives at it.
sub pending {
  return [ sort map { "$_->{id} $_->{target}" } pending_scopes(@_) ];
}

# The same as { id, target, from: the scope that asked }.
sub pending_scopes {
  my ($view, $boundary, @list) = @_;
  my (%pending, %works, %last);
  my @asked = sort { depth($a) <=> depth($b) || $a->{seq} <=> $b->{seq} }
    grep { $_->{body}{id} } $view->asked($boundary);
  $last{"$_->{scope} $_->{body}{id}"} = $_->{seq} for @asked;
  for my $asked (@asked) {
    my $is_last = $last{"$asked->{scope} $asked->{body}{id}"} == $asked->{seq};
    my $begun = $works{ $asked->{scope} }; # who asked is asked itself, and not for something later
    next if $asked->{scope} =~ /\.agent\./ && !(defined $begun && $begun < $asked->{seq});
    next if answered($asked, grep { $_->{seq} > $asked->{seq} } @list);
    my $first = first_said($view, $asked);
    my @since = grep { $_->{seq} > $first } @list;
    for my $target (Tail::targets($asked->{body})) {
      my @work = grep { $_->{scope} eq scope_of($asked->{scope}, $target) } @since;
      next if has_ended($view, @work);
      next if !$is_last && !grep { has_acted($_) } @work; # others are asked under its id
      $pending{"$asked->{body}{id} $target $asked->{scope}"} =
        { id => $asked->{body}{id}, target => $target, from => $asked->{scope} };
      $works{ scope_of($asked->{scope}, $target) } //= $first;
      last if $is_last && $asked->{body}{sequential}; # the others are not asked yet
    }
  }
  return @pending{ sort keys %pending };
}

sub depth { scalar(() = $_[0]{scope} =~ /\.agent\./g) }

# A delegation is said anew, under its id, when its scope goes on from its cut.
sub first_said {
  my ($view, $asked) = @_;
  my ($first) = grep {
    $_->{kind} eq "delegation" && $_->{scope} eq $asked->{scope}
      && ($_->{body}{id} // "") eq $asked->{body}{id}
  } @{ $view->{all} };
  return $first->{seq};
}

# The delegating scope went on: the call's result, and its next boundary, come behind the answers.
sub answered {
  my ($asked, @since) = @_;
  return scalar grep {
    $_->{scope} eq $asked->{scope} && (View::is_of_scope($_)
      || $_->{kind} eq "message" && ($_->{body}{message}{name} // "") eq "delegate")
  } @since;
}

# Whether the last thing that a scope said is its answer; a person's report behind it changes nothing.
sub has_ended {
  my ($view, @work) = @_;
  my %marked;
  View::mark(\%marked, $_) for @work;
  my @said = grep {
    $_->{kind} eq "message" && !$_->{body}{report} || $view->outcome($_) && !is_lost($_)
  } @work;
  return @said && !%marked && $view->is_answer($said[-1]);
}

1;
