# Conversation.pm - the messages of a scope as its next request would hold them.
#
# Rules (DESIGN 4.1): the fold of message, outcome, replay and rewind events of the scope in its
# view. A rewind {to, report, keep} leaves the first `to` messages, the report, and the last `keep`.
package Conversation;
use strict;
use warnings;

use View;

# fold VIEW, SCOPE, CUT, EVENT…; CUT: events behind it are not yet state, but for what a person has
# reported; undef: all are. The report of a rewind is { report => TEXT }.
sub fold {
  my ($view, $scope, $cut, @list) = @_;
  my @said; # [seq, message]
  for my $event (@list) {
    @said = still_said($event, $scope, @said) if View::begins_timeline($event);
    my ($seq, $body) = ($event->{seq}, $event->{body});
    next if $event->{scope} ne $scope;
    my $reported = $view->is_told($event);
    next if defined $cut && $seq > $cut && !$reported;
    if ($event->{kind} eq "message") {
      my $message = $body->{message};
      my $one = [ $seq, $body->{report} ? { report => $message->{content} } : $message ];
      # what a person reports is told behind the prompt, also when that comes later
      my $prompt = ($message->{role} // "") eq "system" && !grep { !$_->[1]{report} } @said;
      if ($prompt) { unshift @said, $one } else { push @said, $one }
    } elsif (my $outcome = $view->outcome($event)) {
      push @said, [ $seq, $outcome->{body}{message} ] if $outcome->{body}{message};
    } elsif ($event->{kind} eq "rewind") {
      @said = rewound($event, @said);
    }
  }
  return map { $_->[1] } @said;
}

# A scope that goes on from its cut says anew, by replays, what it had said behind it.
sub still_said {
  my ($event, $scope, @said) = @_;
  my $cut = ($event->{body}{cuts} // {})->{$scope} // return @said;
  return grep { $_->[0] <= $cut } @said;
}

sub rewound {
  my ($event, @said) = @_;
  my $body = $event->{body};
  my ($to, $keep) = ($body->{to} // 0, $body->{keep} // 0);
  my @kept = $keep ? @said[ @said - $keep .. $#said ] : ();
  $to = @said if $to > @said;
  my @report = defined $body->{report} ? [ $event->{seq}, { report => $body->{report} } ] : ();
  return (@said[ 0 .. $to - 1 ], @report, @kept);
}

# The scopes that have said something.
sub scopes {
  my ($view, @list) = @_;
  my %said;
  for my $event (@list) {
    my $outcome = $view->outcome($event);
    $said{ $event->{scope} } = 1
      if $event->{kind} eq "message" || $outcome && $outcome->{body}{message};
  }
  return sort keys %said;
}

1;
