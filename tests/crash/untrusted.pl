#!/usr/bin/perl
# untrusted.pl - tells from a transcript alone what untrusted sources each effect of it was made of,
# and compares: untrusted.pl LIVE ALL SOURCE…. LIVE is `sessions log --json`, ALL that with --all;
# SOURCE are the tools, and the nodes with programs, that are not trusted. Prints what differs, and
# how much was compared.
#
# What it does not look at is the member "untrusted", but to compare it at the end: it knows from
# the names of tools, the order of events, the scopes' names and the delegations who has read what.
use strict;
use warnings;
use JSON::PP;

my ($live, $all, @sources) = @ARGV;
my %is_source = map { $_ => 1 } @sources;

sub read_log {
  my ($path) = @_;
  open my $file, "<:raw", $path or die "$path: $!\n";
  return map { decode_json($_) } <$file>;
}
my @events = read_log($live);
my %by_seq = map { $_->{seq} => $_ } read_log($all);

my %tool_of;    # the tool that a key's effect calls, the node whose program it is
for my $event (values %by_seq) {
  my $body = $event->{body};
  $tool_of{ $body->{key} } = $body->{request}{name}
    if $event->{kind} eq "intent" && $body->{kind} eq "tool";
  $tool_of{ $body->{key} } = $1
    if $event->{kind} eq "intent" && $body->{kind} eq "exec" && $body->{key} =~ m{/([^/#]+)#};
}

sub above { my ($scope) = @_; return $scope =~ /^(.*)\.[^.]+\z/ ? ($1) : () }

# What the scope has, with those above it.
sub context {
  my ($has, $scope) = @_;
  my %found = %{ $has->{$scope} || {} };
  %found = (%found, %{ context($has, $_) }) for above($scope);
  return \%found;
}

# What each scope has read behind these events, and what it had when its model answered last.
sub read_so_far {
  my (%has, %answered, %asked);
  for my $event (@_) {
    my ($scope, $body) = @$event{qw(scope body)};
    $body = $by_seq{ $body->{of} }{body} if $event->{kind} eq "replay";
    my $kind = $event->{kind} eq "replay" ? "outcome" : $event->{kind};
    if ($kind eq "delegation") {
      push @{ $asked{$scope} }, map { ref $_ ? @$_ : $_ }
        grep { defined } @$body{qw(target targets parallel sequential)};
    } elsif ($kind eq "outcome") {
      my $tool = $tool_of{ $body->{key} };
      # what an agent has read when it is asked for is of its own context from then on
      $has{$scope} = { %{ $has{$scope} || {} }, %{ context(\%has, $scope) } }
        if grep { $_ eq $body->{kind} } qw(model tool exec);
      $has{$scope}{$tool} = 1
        if defined $tool && $is_source{$tool} && !$body->{denied};
      $answered{$scope} = context(\%has, $scope) if $body->{kind} eq "model";
    } elsif ($kind eq "boundary" && $body->{kind} eq "node_complete") {
      # what the node's agent had is the graph's from here on
      $has{$scope} = { %{ $has{$scope} || {} }, %{ $has{"$scope.$body->{node}"} || {} } };
    } elsif ($kind eq "message" && ($body->{message}{name} || "") eq "delegate") {
      for my $agent (@{ delete $asked{$scope} || [] }) {
        $has{$scope} = { %{ $has{$scope} || {} }, %{ $has{"$scope.agent.$agent"} || {} } };
      }
    }
  }
  return (\%has, \%answered);
}

my ($compared, $tainted, $wrong) = (0, 0, 0);
sub compare {
  my ($event, $what, $want, $got) = @_;
  my ($wanted, $is) = (join("+", sort keys %{ $want || {} }), join("+", @{ $got || [] }));
  $compared++;
  $tainted++ if $wanted ne "";
  return if $wanted eq $is;
  $wrong++;
  print "event $event->{seq}, $what: $is, not $wanted\n";
}

# The calls of an answer are made of what the model had; all else of what the scope has by now.
sub judge {
  my ($event, @before) = @_;
  my ($scope, $body) = @$event{qw(scope body)};
  my ($has, $answered) = read_so_far(@before);
  if ($event->{kind} eq "intent") {
    my $of = $body->{key} =~ m{/permit\z} ? $body->{request}{effect} : $body;
    my $want = $of->{kind} eq "tool" ? $answered->{$scope} : context($has, $scope);
    compare($event, $of->{key}, $want, $of->{untrusted});
  } elsif ($event->{kind} eq "message" && $body->{message}{role} eq "tool") {
    my $tool = $body->{message}{name};
    return if $tool eq "delegate" || $tool eq "finish";
    compare($event, "result of $tool",
      { %{ $answered->{$scope} || {} }, $is_source{$tool} ? ($tool => 1) : () },
      $body->{untrusted});
  }
}

my @so_far;
for my $event (@events) {
  my $cuts = $event->{kind} eq "session_resumed" ? $event->{body}{cuts} || {} : {};
  @so_far = grep { !defined $cuts->{ $_->{scope} } || $_->{seq} <= $cuts->{ $_->{scope} } } @so_far;
  judge($event, @so_far);
  push @so_far, $event;
}
print "compared $compared, with sources $tainted, wrong $wrong\n";
exit($wrong ? 1 : 0);
