#!/usr/bin/perl
# asking_server.pl - an MCP server that asks a person in the midst of a call: `asking_server.pl ERA
# FILE`. ERA is "older" (it asks, and its call waits) or "modern" (its call ends with what it
# wants). FILE gets a line for each call, each order that was carried out, and what was offered.
#
# Its tool "order" asks what its arguments say: `form`, a JSON Schema; `mode`; `times`: so often;
# then it orders what it was told.
use strict;
use warnings;
use JSON::PP;

my ($era, $log) = @ARGV;
my $json = JSON::PP->new->canonical->utf8;
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
  return { message => "Which size? ($round)", $args->{mode} ? (mode => $args->{mode}) : (),
    requestedSchema => $args->{form} // { type => "object", required => ["size"],
      properties => { size => { type => "string", enum => ["S", "M"] } } } };
}
sub order {
  my ($id, @heard) = @_;
  my ($last) = grep { $_->{action} ne "accept" } @heard;
  my $text = $last ? "the person chose to $last->{action}"
    : "ordered " . join " and ", map { $json->encode($_->{content}) } @heard;
  note($text);
  say_it(id => $id, result => { resultType => "complete",
    content => [{ type => "text", text => $text }] });
}

sub call_older {
  my ($id, $args) = @_;
  my @heard;
  for my $round (1 .. $args->{times} // 1) {
    my $own = "ask-" . ++$asked;
    say_it(id => $own, method => "elicitation/create", params => params_of($args, $round));
    my $answer = hear();
    $answer = hear() until defined $answer->{id} && $answer->{id} eq $own;
    if ($answer->{error}) {
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
  my $answer = $params->{inputResponses}{size};
  push @heard, $answer if $answer;
  return order($id, @heard) if @heard >= ($args->{times} // 1);
  say_it(id => $id, result => { resultType => "input_required",
    requestState => $json->encode(\@heard),
    inputRequests => { size => { method => "elicitation/create",
      params => params_of($args, @heard + 1) } } });
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
      tools => [{ name => "order", inputSchema => { type => "object" } }] });
  } elsif ($method eq "tools/call") {
    note("called");
    $era eq "modern" ? call_modern($id, $params->{arguments}, $params)
      : call_older($id, $params->{arguments});
  } else {
    say_it(id => $id, error => { code => -32601, message => "no such method" });
  }
}
