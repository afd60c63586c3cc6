#!/usr/bin/perl
# asking_server.pl - an MCP server that asks a person in the midst of a call: `asking_server.pl ERA
# FILE [ARGUMENTS]`. ERA is "older" (it asks, and its call waits) or "modern" (its call ends with
# what it wants). FILE gets a line for each call, each order that was carried out, and what was
# offered. ARGUMENTS, a JSON object, has arguments for calls that leave them out.
#
# Its tool "order" asks what its arguments say: `form`, a JSON Schema; `mode`; `times`: so often;
# then it orders what it was told. Its tool "think" asks a model so often, with what `more` adds to
# its parameters, `wide` times at once; an older one asks `flood` more at once and waits for the
# first of them alone. `hang`, a file: once, it hears the answer and goes no further.
use strict;
use warnings;
use JSON::PP;

my ($era, $log, $defaults) = @ARGV;
my $json = JSON::PP->new->canonical->utf8;
my $given = $json->decode($defaults // "{}");
my $asked = 0;
$| = 1;

sub note {
  open my $file, ">>", $log or die;
  print $file "$_[0]\n";
}
sub say_it { print $json->encode({ jsonrpc => "2.0", @_ }), "\n" }
sub hear { my $line = <STDIN>; exit 0 if !defined $line; return $json->decode($line) }

sub params_of {
  my ($args, $round) = @_;
  return { messages => [{ role => "user", content => { type => "text",
      text => "Which size? ($round)" } }], maxTokens => 100, %{ $args->{more} // {} } }
    if $args->{thinks};
  return { message => "Which size? ($round)", $args->{mode} ? (mode => $args->{mode}) : (),
    requestedSchema => $args->{form} // { type => "object", required => ["size"],
      properties => { size => { type => "string", enum => ["S", "M"] } } } };
}
sub order {
  my ($id, @heard) = @_;
  return thought($id, @heard) if $heard[0]{role};
  my ($last) = grep { $_->{action} ne "accept" } @heard;
  my $text = $last ? "the person chose to $last->{action}"
    : "ordered " . join " and ", map { $json->encode($_->{content}) } @heard;
  note($text);
  say_it(id => $id, result => { resultType => "complete",
    content => [{ type => "text", text => $text }] });
}

sub thought {
  my ($id, @heard) = @_;
  note("thought " . $json->encode($_)) for @heard;
  say_it(id => $id, result => { resultType => "complete",
    content => [map { { type => "text", text => "thought $_->{content}{text}" } } @heard] });
}
sub method_of { $_[0]{thinks} ? "sampling/createMessage" : "elicitation/create" }

sub hang {
  my ($args) = @_;
  my $file = $args->{hang} or return;
  return if -e $file;
  open my $made, ">", $file or die;
  hear() while 1;
}

sub call_older {
  my ($id, $args) = @_;
  my @heard;
  for my $round (1 .. $args->{times} // 1) {
    my $own = "ask-" . ++$asked;
    say_it(id => $own, method => method_of($args), params => params_of($args, $round));
    say_it(id => "$own-$_", method => method_of($args), params => params_of($args, "\e[2J" x $_))
      for 1 .. $args->{flood} // 0;
    my %due = ($own => 1, $args->{flood} ? ("$own-1" => 1) : ());
    my $answer;
    while (%due) {
      my $heard = hear();
      next if !defined $heard->{id} || !delete $due{$heard->{id}};
      $answer = $heard if $heard->{id} eq $own;
    }
    hang($args);
    if ($answer->{error}) {
      note("refused $answer->{error}{code} $answer->{error}{message}");
      return say_it(id => $id, result => { isError => JSON::PP::true,
        content => [{ type => "text", text => "refused: $answer->{error}{message}" }] });
    }
    push @heard, $answer->{result};
  }
  order($id, @heard);
}

# What it knows is in the state that the client brings again.
sub call_modern {
  my ($id, $args, $params) = @_;
  my @heard = @{ $json->decode($params->{requestState} // "[]") };
  my $wide = $args->{wide} // 1;
  push @heard, grep { $_ } map { $params->{inputResponses}{"size$_"} } 1 .. $wide;
  hang($args) if @heard;
  return order($id, @heard) if @heard >= ($args->{times} // 1);
  say_it(id => $id, result => { resultType => "input_required",
    requestState => $json->encode(\@heard),
    inputRequests => { map { ("size$_" => { method => method_of($args),
      params => params_of($args, @heard + $_) }) } 1 .. $wide } });
}

while (1) {
  my $heard = hear();
  my ($id, $method, $params) = @$heard{qw(id method params)};
  next if !defined $id || !defined $method;
  if ($method eq "server/discover" && $era eq "modern") {
    my $offered = $params->{_meta}{"io.modelcontextprotocol/clientCapabilities"};
    note("offered " . $json->encode($offered));
    say_it(id => $id, result => { resultType => "complete", supportedVersions => ["2026-07-28"],
      capabilities => { tools => {} } });
  } elsif ($method eq "initialize" && $era eq "older") {
    note("offered " . $json->encode($params->{capabilities}));
    say_it(id => $id, result => { protocolVersion => "2025-11-25",
      capabilities => { tools => {} }, serverInfo => { name => "asking", version => "1" } });
  } elsif ($method eq "tools/list") {
    say_it(id => $id, result => { resultType => "complete",
      tools => [map { { name => $_, inputSchema => { type => "object" } } } qw(order think)] });
  } elsif ($method eq "tools/call") {
    my $args = { %$given, %{ $params->{arguments} }, thinks => $params->{name} eq "think" };
    note("called");
    $era eq "modern" ? call_modern($id, $args, $params) : call_older($id, $args);
  } else {
    say_it(id => $id, error => { code => -32601, message => "no such method" });
  }
}
