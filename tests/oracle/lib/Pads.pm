# Pads.pm - the scratch pad of each agent: what it kept by the tool `note`.
#
# Rules: a note counts as soon as its result is recorded; the whole pad is { notes = [TEXT, …] } in
# the order of the calls. Each open scope's pad counts, nested ones too (issue 11, line 2). A batch
# of results becomes state at the boundary behind it, so what lies behind a scope's cut does not
# count yet.
package Pads;
use strict;
use warnings;

use JSON::PP;

# pads VIEW, EVENT…: { AGENT => [TEXT, …] }
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
    push @{ $pads{$agent} }, $call->{text} if $call->{name} eq "note" && defined $call->{text};
  }
  return \%pads;
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
