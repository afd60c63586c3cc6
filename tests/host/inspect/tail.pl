# tail.pl - computes every agent's tail from `sessions log`, and compares it with the output of
# `sessions tail`.
# Usage: tail.pl CKRUN SESSION…; prints "sessions agents tails events" and complains on stderr.
# Exit 1: something differs.
use strict;
use warnings;
use JSON::PP;

my ($ckrun, @sessions) = @ARGV;
my $json = JSON::PP->new->utf8->canonical;
my ($agents, $tails, $events, $bad) = (0, 0, 0, 0);

my $wanted = 0; # the exit code of the next calls

sub read_lines {
  open my $from, "-|", $ckrun, "--json", @_ or die "cannot run $ckrun: $!";
  my @lines = map { $json->decode($_) } <$from>;
  close $from;
  $? >> 8 == $wanted or die "@_: exit $?\n";
  return @lines;
}

sub is_text { defined $_[0] && !ref $_[0] }

sub targets {
  my ($body) = @_;
  my @all;
  for my $list (grep { defined } map { $body->{$_} } qw(target targets parallel sequential)) {
    for my $one (ref $list eq "ARRAY" ? @$list : $list) {
      push @all, ref $one eq "HASH"
        ? grep { is_text $_ } map { $one->{$_} } qw(agent target agentId)
        : grep { is_text $_ } $one;
    }
  }
  return @all;
}

# The agents that took part in an event.
sub involved {
  my ($event) = @_;
  my %who;
  $who{ $event->{agent} } = 1 if is_text $event->{agent};
  $who{ $event->{body}{childAgentId} } = 1
    if $event->{kind} =~ /^(delegation|note|update)$/ && is_text $event->{body}{childAgentId};
  if ($event->{kind} eq "delegation") { $who{$_} = 1 for targets($event->{body}) }
  return \%who;
}

for my $session (@sessions) {
  $wanted = 0;
  my @log = map { [$_, involved($_)] } read_lines("sessions", "log", $session);
  my %known = map { $_ => 1 } map { keys %{ $_->[1] } } @log;
  @log = grep { $_->[0]{kind} ne "intent" } @log; # what was asked for is not in a tail
  for my $agent (sort keys %known, "nobody of that name") {
    $agents++;
    $wanted = $known{$agent} ? 0 : 3;
    for my $n (0, 3, 50) {
      my @want = map { $_->[0] } grep { $_->[1]{$agent} } @log;
      splice @want, 0, @want - $n if @want > $n;
      my ($got) = read_lines("sessions", "tail", $session, $agent, "--last", $n);
      my $same = $json->encode([ @{ $got->{events} } ]) eq $json->encode([@want]);
      my @lines = split /\n/, $got->{section};
      $same &&= @lines == (@want ? @want + 3 : 0);
      $tails++;
      $events += @want;
      next if $same;
      $bad++;
      print STDERR "# $session, the last $n of $agent: not ",
        join(" ", map { $_->{seq} } @want), " but ",
        join(" ", map { $_->{seq} } @{ $got->{events} }), "\n";
    }
  }
}
print join(" ", scalar @sessions, $agents, $tails, $events), "\n";
exit($bad ? 1 : 0);
