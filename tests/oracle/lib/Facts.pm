# Facts.pm - what the store keeps beyond sessions, and what flows are told of it.
#
# Rules (REQUIREMENTS 4): facts and a session's state are separate: what was put stays, whatever is
# rewound, forked or abandoned, for all sessions of the store. Each access is a recorded effect, so
# a replay gives what was told then, and puts nothing.
package Facts;
use strict;
use warnings;

# The events of a session that tell of facts: its own, not those that it has from its origin.
sub of_session {
  my ($session, @log) = @_;
  my ($forked) = grep { $_->{kind} eq "session_forked" } reverse @log;
  return map { { %$_, session => $session } } grep {
    $_->{kind} =~ /^(intent|outcome)$/ && $_->{body}{kind} eq "read"
      && (!$forked || $_->{seq} > $forked->{seq})
  } @log;
}

# kept EVENT…, of all sessions of a store: { facts => { "OWNER KEY" => VALUE }, unsure => {
# "OWNER KEY" => 1 }, told => [[WHERE, TOLD, KEPT], …] }. unsure: a put was begun, and nobody heard
# of its outcome. told: what each reading of a fact gave, and what was kept there.
sub kept {
  my (%kept, %asked, %open, @told);
  for my $event (sort { $a->{at} cmp $b->{at} || $a->{seq} <=> $b->{seq} } @_) {
    my $body = $event->{body};
    my $id = "$event->{session} $body->{key}";
    if ($event->{kind} eq "intent") {
      my $request = $body->{request};
      $asked{$id} = $request if ($request->{what} // "") eq "fact";
      $open{$id} = name($request) if $asked{$id} && exists $request->{value};
      next;
    }
    my $request = $asked{$id} // next;
    my $fact = name($request);
    delete $open{$id};
    next if $body->{status} ne "ok";
    if (!exists $request->{value}) {
      push @told, [ "$event->{session} at $event->{seq}", $body->{result}, $kept{$fact} ]
        if !grep { $_ eq $fact } values %open;
      next;
    }
    $kept{$fact} = $request->{value};
    delete $kept{$fact} if !defined $request->{value};
  }
  return { facts => \%kept, told => \@told, unsure => { map { $_ => 1 } values %open } };
}

sub name { "$_[0]{owner} $_[0]{key}" }

1;
