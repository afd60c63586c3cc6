#!/usr/bin/perl
# changing_server.pl - an MCP server whose tools become others: `changing_server.pl ERA LOG
# [ARGUMENTS]`. ERA is "older" (it tells by itself) or "modern" (it tells who listens). LOG gets a
# line for each list, each call of a tool and who listens.
#
# Its tool "grow" takes "old" away, makes "new" and has "shift" read only; of its arguments, whose
# defaults are ARGUMENTS, `when` is "before" the result, "after" it or "never", `times` how often it
# tells, `names` how many more tools there are, `broken` that it lists them no more.
use strict;
use warnings;
use JSON::PP;

my ($era, $log, $defaults) = @ARGV;
my $json = JSON::PP->new->canonical->utf8;
my ($grown, $listens, $broken, $more) = (0, undef, 0, 0);
binmode STDOUT;
my $out = "";

sub note {
  open my $file, ">>", $log or die;
  print $file "$_[0]\n";
}
sub say_it { $out .= $json->encode({ jsonrpc => "2.0", @_ }) . "\n" }
sub flush_it { syswrite STDOUT, $out; $out = "" }
sub tool {
  my ($name, %hints) = @_;
  return { name => $name, inputSchema => { type => "object" }, annotations => \%hints };
}
sub tools {
  my $read = { readOnlyHint => JSON::PP::true };
  return [tool("grow", %$read), tool("shift", $grown ? %$read : ()),
    tool($grown ? "new" : "old", %$read), map { tool("more$_") } 1 .. $more];
}
sub tell_it {
  return if $era eq "modern" && !defined $listens;
  say_it(method => "notifications/tools/list_changed", params => $era eq "modern"
    ? { _meta => { "io.modelcontextprotocol/subscriptionId" => $listens } } : {});
}

while (defined(my $line = <STDIN>)) {
  my $heard = $json->decode($line);
  my ($id, $method, $params) = @$heard{qw(id method params)};
  next if !defined $id || !defined $method;
  my $capabilities = { tools => { listChanged => JSON::PP::true } };
  if ($method eq "server/discover" && $era eq "modern") {
    say_it(id => $id, result => { resultType => "complete", supportedVersions => ["2026-07-28"],
      capabilities => $capabilities });
  } elsif ($method eq "initialize" && $era eq "older") {
    say_it(id => $id, result => { protocolVersion => "2025-11-25", capabilities => $capabilities,
      serverInfo => { name => "changing", version => "1" } });
  } elsif ($method eq "subscriptions/listen" && $era eq "modern") {
    $listens = $id;
    note("listens " . $json->encode($params->{notifications}));
    say_it(method => "notifications/subscriptions/acknowledged", params => {
      notifications => $params->{notifications},
      _meta => { "io.modelcontextprotocol/subscriptionId" => $id } });
  } elsif ($method eq "tools/list") {
    note("list");
    $broken ? say_it(id => $id, error => { code => -32603, message => "no list" })
      : say_it(id => $id, result => { resultType => "complete", tools => tools() });
  } elsif ($method eq "tools/call") {
    my $args = { when => "before", times => 1, %{ $json->decode($defaults // "{}") },
      %{ $params->{arguments} } };
    note("call $params->{name}");
    my $grows = $params->{name} eq "grow";
    ($grown, $broken, $more) = (1, $args->{broken}, $args->{names} // 0) if $grows;
    if ($grows && $args->{when} eq "before") { tell_it() for 1 .. $args->{times} }
    say_it(id => $id, result => { resultType => "complete",
      content => [{ type => "text", text => "called $params->{name}" }] });
    if ($grows && $args->{when} eq "after") { tell_it() for 1 .. $args->{times} }
  } else {
    say_it(id => $id, error => { code => -32601, message => "no such method" });
  }
  flush_it();
}
