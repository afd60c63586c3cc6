#!/usr/bin/perl
# http_server.pl - an MCP server over streamable HTTP that can misbehave: `http_server.pl FOLDER`.
#
# It prints its port and serves until its input ends. In FOLDER are `log` (a line for each request:
# method, what it asks for, and its headers of interest), `done` (a line for each time that a tool
# acted), `session` (the id that it takes now; remove it, and the session is over). What a tool
# does is in its arguments:
#   text, act            the answer's text; false: it has no effect
#   status, body, type   another answer than a result; `times`: so often, then the result;
#                        AUTHORIZATION in it is what the request has there; retry_at: when it may
#                        be asked again, as a date
#   events               the answer as a stream of events; ids: with ids; retry: ms
#   progress             so many notifications before the answer
#   polls                the stream is closed so many times before the answer, and taken up by GET
#   cut                  the connection ends after so many bytes of the answer, headers counted
#   junk                 this event, or body, in the place of the answer
#   hang                 nothing more comes
#   ask                  the server asks the client for this method, and answers what it heard
#   forget               the session is over first, so often
#   apart                with `ask`: on the stream that stands, in the place of the call's own
# With a file `standing` it has a stream that stands, and says that its tools may change: lines of
# that file are events as they come, `stood` counts them; or CLOSE, BREAK, FLOOD N, and WAIT
# for the client to go away, or DROWN it until then. The requests for that stream get the statuses
# in `busy` first.
# With a file `modern` it is of revision 2026-07-28, else it answers "server/discover" with HTTP
# 404, or what the file `refuses` says. A session that is over it tells with HTTP 404, with a file
# `says-400` with that; with `own-id` under the id of the request, with `says-code` as that error.
# With a file `slow` it takes a while to be told that it is initialized. A file `kill` has a step
# (initialize, initialized, before, after, half) and what is to be killed there, once: the
# process of the file `pid`. Those of a call are for one whose text is "it".
use strict;
use warnings;
use IO::Socket::INET;
use Encode ();
use JSON::PP;
use MIME::Base64 qw(decode_base64);
use Time::HiRes qw(sleep);

my $folder = shift or die "usage: http_server.pl FOLDER\n";
my $json = JSON::PP->new->canonical->utf8->allow_nonref;
my ($client, $cut, $authorization);
$SIG{CHLD} = "IGNORE";
$SIG{PIPE} = "IGNORE";

sub append {
  my ($name, $line) = @_;
  open my $file, ">>", "$folder/$name" or die;
  syswrite $file, "$line\n";
}
sub slurp {
  open my $file, "<", "$folder/$_[0]" or return "";
  local $/;
  return scalar(<$file>) // "";
}
sub put {
  open my $file, ">", "$folder/$_[0].new" or die;
  print $file $_[1];
  close $file;
  rename "$folder/$_[0].new", "$folder/$_[0]";
}
sub times_before {
  my ($what) = @_;
  my $count = () = slurp("times") =~ /^\Q$what\E$/mg;
  append("times", $what);
  return $count;
}

sub maybe_kill {
  my ($step) = @_;
  return if slurp("kill") !~ /^\Q$step\E$/m;
  unlink "$folder/kill";
  sleep 0.01 until slurp("pid") =~ /^(\d+)\n/;
  kill 9, $1;
  append("log", "killed at $step");
  exit 0; # and nothing more is done for it
}

sub out {
  my ($bytes) = @_;
  if (defined $cut) {
    $bytes = substr $bytes, 0, $cut;
    $cut -= length $bytes;
  }
  while (length $bytes) {
    my $wrote = syswrite $client, $bytes;
    exit 0 if !$wrote;
    $bytes = substr $bytes, $wrote;
  }
  exit 0 if defined $cut && $cut <= 0;
}
sub reply {
  my ($code, $body, %headers) = @_;
  my $head = "HTTP/1.1 $code X\r\n";
  $head .= "$_: $headers{$_}\r\n" for sort keys %headers;
  out("${head}Content-Length: " . length($body) . "\r\n\r\n$body");
}
sub chunk { out(sprintf("%x\r\n%s\r\n", length $_[0], $_[0])) }
sub begin_stream {
  out("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    . "Transfer-Encoding: chunked\r\n\r\n");
}
sub end_stream { out("0\r\n\r\n") }
sub event {
  my ($data, $id) = @_;
  chunk((defined $id ? "id: $id\n" : "") . "data: $data\n\n");
}

sub read_request {
  my ($input) = @_;
  while ($$input !~ /\r\n\r\n/) {
    sysread $client, $$input, 65536, length $$input or return;
  }
  my ($head, $rest) = split /\r\n\r\n/, $$input, 2;
  my ($first, @lines) = split /\r\n/, $head;
  my %headers = map { /^([^:]+):\s*(.*)$/ ? (lc $1, $2) : () } @lines;
  my $length = $headers{"content-length"} // 0;
  while (length $rest < $length) {
    sysread $client, $rest, 65536, length $rest or return;
  }
  $$input = substr $rest, $length;
  my ($method) = $first =~ /^(\S+)/;
  return { method => $method, headers => \%headers, body => substr $rest, 0, $length };
}

sub result_of {
  my ($id, $text) = @_;
  return $json->encode({ jsonrpc => "2.0", id => $id,
    result => { content => [{ type => "text", text => $text }] } });
}

# The rest of a stream, behind so many polls.
sub stream {
  my ($id, $args, $polled) = @_;
  my $token = $args->{token};
  begin_stream();
  my $left = ($args->{polls} // 0) - $polled;
  my $cursor = sub { $args->{ids} ? "$id/$_[0]/" . $json->encode($args) : undef };
  chunk("retry: $args->{retry}\n") if defined $args->{retry};
  chunk("id: " . $cursor->($polled + 1) . "\ndata:\n\n") if $args->{ids};
  for my $n (1 .. ($args->{progress} // 0)) {
    event($json->encode({ jsonrpc => "2.0", method => "notifications/progress",
      params => { progressToken => $token, progress => $n } }), $cursor->($polled + 1));
  }
  return end_stream() if $left > 0;
  sleep 3600 if $args->{hang};
  event($args->{junk} // result_of($id, $args->{text} // "done"), $cursor->($polled + 1));
  end_stream();
}

# A request of the server on the stream; the answer comes as a request of its own.
sub ask {
  my ($id, $args) = @_;
  begin_stream();
  unlink "$folder/heard";
  my $asks = $json->encode({ jsonrpc => "2.0", id => "ask-$id", method => $args->{ask},
    params => $args->{params} // {} });
  if ($args->{apart}) { append("standing", $asks) } else { event($asks) }
  sleep 0.01 until -s "$folder/heard";
  event(result_of($id, slurp("heard")));
  end_stream();
}

sub call {
  my ($asked) = @_;
  my $args = $asked->{params}{arguments} // {};
  my $id = $asked->{id};
  $args->{token} = $asked->{params}{_meta}{progressToken};
  my $kills = ($args->{text} // "") eq "it";
  maybe_kill("before") if $kills;
  if (defined $args->{status} && times_before($json->encode($args)) < ($args->{times} // 1e9)) {
    my $body = $args->{body} // "";
    $body =~ s/AUTHORIZATION/$authorization/ if !ref $body;
    $body = $json->encode({ jsonrpc => "2.0", id => $id, error => $body }) if ref $body;
    return reply($args->{status}, $body, "Content-Type" => $args->{type} // "application/json",
      "Location" => "http://127.0.0.1:9/elsewhere", "Retry-After" => $args->{retry_at} // "0");
  }
  append("done", $args->{text} // "done") if $args->{act} // 1;
  maybe_kill("after") if $kills;
  $cut = $args->{cut};
  out("") if defined $cut;
  exit 0 if defined $cut && $cut == 0;
  return ask($id, $args) if $args->{ask};
  return stream($id, $args, 0) if $args->{events};
  sleep 3600 if $args->{hang};
  my $body = $args->{junk} // result_of($id, $args->{text} // "done");
  if ($kills && slurp("kill") =~ /^half$/m) {
    out("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
      . length($body) . "\r\n\r\n" . substr $body, 0, 20);
    maybe_kill("half");
    exit 0;
  }
  reply(200, $body, "Content-Type" => $args->{type} // "application/json");
}

sub expired {
  my ($request, $asked) = @_;
  my $given = $request->{headers}{"mcp-session-id"} // "";
  my $session = slurp("session");
  return 0 if $given eq $session && $session ne "";
  my $id = $asked && slurp("own-id") ? $asked->{id} : undef;
  reply($given eq "" || slurp("says-400") ? 400 : 404, $json->encode({ jsonrpc => "2.0", id => $id,
    error => { code => 0 + (slurp("says-code") || -32001), message => "no such session" } }),
    "Content-Type" => "application/json");
  return 1;
}

sub initialize {
  my ($asked) = @_;
  maybe_kill("initialize");
  put("offers", $json->encode($asked->{params}{capabilities}));
  my $session = slurp("fixed") || "s-" . (() = slurp("log") =~ /POST initialize /g);
  put("session", $session) if $session ne "none";
  my %session = $session eq "none" ? () : ("Mcp-Session-Id" => $session);
  reply(200, $json->encode({ jsonrpc => "2.0", id => $asked->{id}, result => {
    protocolVersion => "2025-11-25",
    capabilities => { tools => slurp("standing") ? { listChanged => JSON::PP::true } : {} },
    serverInfo => { name => "t", version => "1" } } }),
    "Content-Type" => "application/json", %session);
}

sub note {
  my ($request, $what) = @_;
  my $headers = $request->{headers};
  $authorization = $headers->{authorization} // "";
  append("log", join " ", $request->{method}, $what,
    map { my $value = $headers->{$_} // "-"; $value =~ s/ /_/g; "$_=$value" }
      qw(accept mcp-session-id mcp-protocol-version authorization x-tenant last-event-id));
}

sub fails {
  my ($asked, $code, $error, $message) = @_;
  return reply($code, $json->encode({ jsonrpc => "2.0", id => $asked->{id},
    error => { code => $error, message => $message } }), "Content-Type" => "application/json");
}

# Of revision 2026-07-28: each request says everything, in its body and in its headers.
sub modern {
  my ($request, $asked) = @_;
  my $method = $asked->{method} // "answer";
  my $headers = $request->{headers};
  my $meta = $asked->{params}{_meta} // {};
  my $name = $headers->{"mcp-name"} // "";
  $name = decode_base64($1) if $name =~ /^=\?base64\?(.*)\?=$/;
  return fails($asked, 404, -32601, "no such method: $method")
    if $method !~ m{^(server/discover|tools/list|tools/call)$};
  return fails($asked, 400, -32022, "only 2026-07-28")
    if ($meta->{"io.modelcontextprotocol/protocolVersion"} // "") ne "2026-07-28";
  return fails($asked, 400, -32602, "no capabilities")
    if ref $meta->{"io.modelcontextprotocol/clientCapabilities"} ne "HASH";
  return fails($asked, 400, -32020, "headers and body differ")
    if ($headers->{"mcp-protocol-version"} // "") ne "2026-07-28"
    || ($headers->{"mcp-method"} // "") ne $method
    || $method eq "tools/call" && $name ne Encode::encode("UTF-8", $asked->{params}{name});
  put("offers", $json->encode($meta->{"io.modelcontextprotocol/clientCapabilities"}));
  return call($asked) if $method eq "tools/call";
  my %more = $method eq "tools/list" ? (tools => [{ name => "do",
    inputSchema => { type => "object" } }]) : (supportedVersions => ["2026-07-28"],
    capabilities => { tools => {} });
  reply(200, $json->encode({ jsonrpc => "2.0", id => $asked->{id}, result => {
    resultType => "complete", ttlMs => 0, cacheScope => "private", %more } }),
    "Content-Type" => "application/json");
}

# Until it is told to end, the client goes away, or the session is over.
sub stand {
  my $session = slurp("session");
  begin_stream();
  while (slurp("session") eq $session) {
    my @lines = split /\n/, slurp("standing");
    my $stood = () = slurp("stood") =~ /\n/g;
    sleep(0.01), next if $stood >= @lines;
    append("stood", "");
    my $line = $lines[$stood];
    return end_stream() if $line eq "CLOSE";
    exit 0 if $line eq "BREAK" || $line eq "WAIT" && !sysread $client, my $none, 1;
    my $nothing = '{"jsonrpc":"2.0","method":"notifications/x"}';
    event($nothing) while $line eq "DROWN";
    if ($line =~ /^FLOOD (\d+)$/) { event($nothing) for 1 .. $1 }
    else { event($line, "standing/$stood") }
  }
}

sub serve_get {
  my ($request) = @_;
  note($request, "stream");
  return if expired($request);
  my $last = $request->{headers}{"last-event-id"};
  if (slurp("standing") ne "" && ($last // "standing") =~ /^standing/) {
    my @busy = slurp("busy") =~ /^(\d+)$/mg;
    my $turn = times_before("busy");
    return $turn < @busy ? reply($busy[$turn], "") : stand();
  }
  return reply(405, "") if !defined $last || slurp("no-streams");
  my ($id, $polled, $args) = $last =~ m{^(\d+)/(\d+)/(.*)$};
  stream(0 + $id, $json->decode($args), $polled);
}

sub serve_post {
  my ($request) = @_;
  my $asked = $json->decode($request->{body});
  my $method = $asked->{method} // "answer";
  my $args = $asked->{params}{arguments} // {};
  note($request, $method);
  return modern($request, $asked) if slurp("modern");
  return reply(slurp("refuses") || 404, "{}", "Content-Type" => "application/json")
    if $method eq "server/discover";
  return initialize($asked) if $method eq "initialize";
  if ($args->{forget} && times_before($json->encode($args)) < $args->{forget}) {
    unlink "$folder/session";
  }
  return if slurp("fixed") ne "none" && expired($request, $asked);
  if ($method eq "notifications/initialized") {
    maybe_kill("initialized");
    sleep 0.05 if slurp("slow");
    append("ready", slurp("session"));
    return reply(202, "");
  }
  put("heard", $json->encode($asked->{result} // $asked->{error})) if $method eq "answer";
  return reply(202, "") if !defined $asked->{id} || $method eq "answer";
  append("log", "too early") if slurp("ready") eq "";
  return reply(200, $json->encode({ jsonrpc => "2.0", id => $asked->{id}, result => { tools => [
    map { { name => $_, inputSchema => { type => "object" },
            annotations => $_ eq "look" ? { readOnlyHint => JSON::PP::true } : {} } }
      qw(do look) ] } }), "Content-Type" => "application/json") if $method eq "tools/list";
  return call($asked) if $method eq "tools/call";
  reply(404, "{}", "Content-Type" => "application/json");
}

sub serve {
  my $input = "";
  while (my $request = read_request(\$input)) {
    if ($request->{method} eq "POST") { serve_post($request) }
    elsif ($request->{method} eq "GET") { serve_get($request) }
    else {
      note($request, "session");
      unlink "$folder/session";
      reply(200, "");
    }
  }
}

my $server = IO::Socket::INET->new(Listen => 64, LocalAddr => "127.0.0.1", LocalPort => 0)
  or die "no port: $!\n";
$| = 1;
print $server->sockport, "\n";
my $parent = $$;
if (!fork) { # the one that started it has gone
  1 while sysread STDIN, my $ignored, 4096;
  kill "TERM", $parent;
  exit 0;
}
local $SIG{TERM} = sub { local $SIG{TERM} = "IGNORE"; kill "TERM", -$$; exit 0 };
setpgrp(0, 0);
while (1) {
  $client = $server->accept or next;
  my $pid = fork;
  if (defined $pid && $pid == 0) {
    $SIG{TERM} = "DEFAULT";
    close $server;
    serve();
    exit 0;
  }
  close $client;
}
