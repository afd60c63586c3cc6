# Pads.pm - the scratch pad of each agent: what it kept by the tool `note`.
#
# Rules: a note counts as soon as its result is recorded; the whole pad is { notes = [TEXT, …] }, with
# the notes of each scope in the order of its calls; those of scopes that worked side by side can
# stand in any order, as which comes first is not the same twice. Each open scope's pad counts, nested ones too (issue 11, line 2). A batch
# of results becomes state at the boundary behind it, so what lies behind a scope's cut does not
# count yet.
package Pads;
use strict;
use warnings;

use JSON::PP;

# pads VIEW, EVENT…: { AGENT => [[SCOPE, TEXT], …] }
sub pads {
  my ($view, @list) = @_;
  my $cuts = $view->cuts(@list);
  my (%calls, %pads);
  for my $event (@list) {
    my $message = message_of($view, $event) // next;
    my $scope = $event->{scope};
    remember_calls($calls{$scope} //= {}, $message);
    next if ($message->{role} // "") ne "tool" || $event->{seq} > ($cuts->{$scope} // 0);
    my $call = $calls{$scope}{ $message->{tool_call_id} // "" } // next;
    my $agent = $event->{agent} // next;
    push @{ $pads{$agent} }, [ $scope, $call->{text} ] if $call->{name} eq "note" && defined $call->{text};
  }
  return \%pads;
}

# fitting SAID, PAD: what is said, if it is this pad; else the texts of the pad.
sub fitting {
  my ($said, $pad) = @_;
  return undef if !$pad;
  my @texts = map { $_->[1] } @$pad;
  return \@texts if ref $said ne "ARRAY" || "@{[sort @$said]}" ne "@{[sort @texts]}";
  my %of;
  push @{ $of{ $_->[0] } }, $_->[1] for @$pad;
  for my $own (values %of) {
    my @left = @$own;
    for my $text (@$said) { shift @left if @left && $left[0] eq $text }
    return \@texts if @left;
  }
  return $said;
}

sub message_of {
  my ($view, $event) = @_;
  return $event->{body}{message} if $event->{kind} eq "message";
  my $outcome = $view->outcome($event);
  return $outcome ? $outcome->{body}{message} : undef;
}

sub remember_calls {
  my ($calls, $message) = @_;
  for my $call (@{ $message->{tool_calls} // [] }) {
    my $function = $call->{function} // {};
    my $arguments = eval { JSON::PP->new->decode($function->{arguments} // "") };
    $calls->{ $call->{id} } = { name => $function->{name} // "",
      text => ref $arguments eq "HASH" ? $arguments->{text} : undef };
  }
}

1;
