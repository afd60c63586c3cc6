# Delegations.pm - who is active, below whom, and which delegations are in flight.
#
# Rules (REQUIREMENTS 1): depth 0 is a top-level perspective agent, so the orchestrator of the main
# scope is nobody's parent; an agent that another one asked has that one as its parent. A delegation
# is pending from its message to its answer: its target's scope has begun, and has not ended with an
# answer that calls nothing.
package Delegations;
use strict;
use warnings;

use Tail;
use View;

# The scope in which an agent works for another.
sub scope_of { "$_[0].agent.$_[1]" }

# agents EVENT…: { NAME => { parent => NAME|undef, depth => N } } of each that has acted, where it
# acted last.
sub agents {
  my (@list) = @_;
  my %scope;
  for my $event (grep { $_->{kind} =~ /^(message|intent|outcome|replay)$/ } @list) {
    $scope{ $event->{agent} } = $event->{scope} if defined $event->{agent};
  }
  my %agents;
  for my $name (keys %scope) {
    my @above = $scope{$name} =~ /\.agent\.([^.]+)/g;
    pop @above;
    $agents{$name} = { parent => $above[-1], depth => scalar @above };
  }
  return \%agents;
}

# pending VIEW, EVENT…: ["ID TARGET", …], sorted.
sub pending {
  my ($view, @list) = @_;
  my %pending;
  for my $i (grep { $list[$_]{kind} eq "delegation" && $list[$_]{body}{id} } 0 .. $#list) {
    my $asked = $list[$i];
    my @since = @list[ $i + 1 .. $#list ];
    next if answered($view, $asked, @since);
    for my $target (Tail::targets($asked->{body})) {
      my @work = grep { $_->{scope} eq scope_of($asked->{scope}, $target) } @since;
      $pending{"$asked->{body}{id} $target"} = 1 if @work && !has_ended($view, @work);
    }
  }
  return [ sort keys %pending ];
}

# The delegating scope went on: its next boundary or request comes behind the answers.
sub answered {
  my ($view, $asked, @since) = @_;
  return scalar grep {
    $_->{scope} eq $asked->{scope} && ($_->{kind} =~ /^(intent|message)$/ || View::is_of_scope($_))
  } @since;
}

# Whether the last thing that a scope said is an answer that calls nothing.
sub has_ended {
  my ($view, @work) = @_;
  my @said = grep { $_->{kind} eq "message" || $view->outcome($_) } @work;
  return @said && $view->ends_scope($said[-1]);
}

1;
