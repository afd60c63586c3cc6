#!/usr/bin/perl
# taken_back.t - a client of `ckrun mcp` takes a request back (notifications/cancelled; over HTTP in
# the newer era by going away): it is carried out no further and not answered, and no other one is.
use strict;
use warnings;
use FindBin '$Bin';
use IO::Select;
use IO::Socket::INET;
use IPC::Open2;
use JSON::PP;
use Test::More;
use lib $Bin;
use Listening;

write_holding($_) for qw(held rests);
# The pauses that the session has been asked for: so many calls wait for it, or did.
sub asked { () = `$ckrun sessions log held --all` =~ /\tnote\t.*kind=pause/g }
sub status_of { `$ckrun --json sessions show $_[0]` =~ /"status":"(\w+)"/ ? $1 : '' }

begin($_, $ckrun, 'run', "$_.lua", '--session', $_) for qw(held rests);
for (qw(held rests)) { nap() until -e "there-$_" }
write_file('go-rests', '');
system "$ckrun pause rests >pause 2>&1";
is status_of('rests'), 'paused', 'one session rests, another one comes to no boundary';

my $P = 'io.modelcontextprotocol';
my %eras = (older => {}, newer =>
    { _meta => { "$P/protocolVersion" => '2026-07-28', "$P/clientCapabilities" => {} } });
sub call {
  my ($era, $id, $name, %arguments) = @_;
  return encode_json { jsonrpc => '2.0', id => $id, method => 'tools/call',
    params => { name => $name, arguments => \%arguments, %{ $eras{$era} } } };
}
sub pause_held { call(@_, 'pause_session', session_id => 'held') }
sub list { call(@_, 'list_resumable_sessions') }
sub back {
  my ($era, $id) = @_;
  return encode_json { jsonrpc => '2.0', method => 'notifications/cancelled',
    params => { requestId => $id, reason => 'nobody waits', %{ $eras{$era} } } };
}

# ---- standard input ----

my $server = keep(open2(my $from, my $to, "exec $ckrun mcp 2>mcp.errors"));
sub say_lines { syswrite $to, join '', map "$_\n", @_ }
sub next_id { my $line = <$from> // return 'the end'; decode_json($line)->{id} // 'none' }

for my $era (sort keys %eras) {
  say_lines(pause_held($era, 1), list($era, 2), back($era, 1));
  is next_id(), 2, "$era: of two the one that was not taken back is answered, and waits for none";
  my $before = asked();
  say_lines(pause_held($era, 'a'));
  nap() until asked() > $before;
  say_lines(back($era, 'a'), list($era, 'b'));
  is next_id(), 'b', "$era: one that waits already";
  $before = asked();
  say_lines(pause_held($era, 3));
  nap() until asked() > $before;
  say_lines(pause_held($era, 4), call($era, 'c', 'resume_session', session_id => 'rests'),
    back($era, 4), back($era, 'c'), list($era, 5), back($era, 3));
  is next_id(), 5, "$era: two that have not begun";
  is status_of('rests'), 'paused', "$era: never do";
  say_lines(back($era, 6), back($era, 'x' x 5000), list($era, 6));
  is next_id(), 6, "$era: what comes before a request is not about it";
  say_lines(map(back($era, "n$_"), 1 .. 300), list($era, 7));
  is next_id(), 7, "$era: of what was never asked nothing becomes";
}
say_lines(pause_held('older', 'last'));
nap() until asked() > 4;
is asked(), 5, 'nothing was asked for but by those that had begun';
say_lines(back('older', 'last'));
my $beginning = encode_json { jsonrpc => '2.0', id => 8, method => 'initialize',
  params => { protocolVersion => '2025-11-25', capabilities => {} } };
say_lines($beginning, back('older', 8));
is next_id(), 8, 'a beginning cannot be taken back';
for my $odd ('{"requestId":null}', '{"requestId":{"a":1}}', '{"requestId":[9]}', '[]', '{}') {
  say_lines(list('older', 9), '{"jsonrpc":"2.0","method":"notifications/cancelled","params":' . $odd
    . '}');
  is next_id(), 9, "$odd takes nothing back";
}
say_lines(list('older', 10), '{"jsonrpc":"2.0","id":10,"method":"notifications/cancelled",'
  . '"params":{"requestId":10}}');
is join(' ', next_id(), next_id()), '10 10', 'nor does a request of that name';
say_lines(' ' x (5 << 20), pause_held('older', 11), list('older', 12), back('older', 11));
is join(' ', next_id(), next_id()), 'none 12', 'a line that is too long hides nothing behind it';
say_lines(list('older', 13), back('older', 13));
close $to;
my $rest = join '', <$from>;
unlike $rest, qr/"id":[^1]/, 'nothing comes late';
is ended($server), 0, 'the server ends well';
is text_of('mcp.errors'), '', 'and says nothing';

# ---- HTTP ----

($server, my $port) = listen_on();
if (!$port) { done_testing; exit }
sub post {
  my ($text, @more) = @_;
  my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port", Timeout => 60) or die $!;
  syswrite $socket, posted($port, length $text, @more) . $text;
  return $socket;
}
sub waits { !IO::Select->new(shift)->can_read(0) }
my @clients = map {
  my ($status, $head) = answered(post($beginning));
  $head =~ /^(MCP-Session-Id: ([!-~]{32,}))\r$/mi ? $1 : "none: $head";
} 1 .. 2;
isnt $clients[0], $clients[1], 'each client is given a name of its own';
my $before = asked();
my @calls = map post(pause_held('older', 5), $_), @clients;
nap() until asked() >= $before + 2;
my ($status, $head, $body) = answered(post(back('older', 5)));
is "$status$body", 202, 'whoever has no name takes nothing back';
answered(post(back('older', 5), 'MCP-Session-Id: another'));
answered(post(back('older', 6), $clients[1]));
answered(post(list('older', 5), $clients[1]));
ok waits($calls[0]) && waits($calls[1]), 'nor does another one, or this one of what it did not ask';
answered(post(back('older', 5), $clients[1]));
($status, $head, $body) = answered($calls[1]);
is "$status$body", 200, 'a request that its client takes back is not answered';
like $head, qr{^Content-Type: text/event-stream\r$}mi, 'its stream ends without an answer';
ok waits($calls[0]), 'the other client, which asked by the same id, waits on';
($status, $head, $body) = answered(post(list('older', 7), $clients[1]));
is decode_json($body)->{id}, 7, 'and the one that took back is answered the next time';
answered(post(back('older', 5), $clients[0]));
($status, $head, $body) = answered($calls[0]);
is "$status$body", 200, 'then the other one does';

# All sixteen processes have something to do, one for somebody who waits.
my @newer = ('MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call');
$before = asked();
my $stays = post(pause_held('older', 1), $clients[0]);
my @gone = map post(pause_held('newer', $_), @newer, 'Mcp-Name: pause_session'), 1 .. 15;
nap() until asked() >= $before + 16;
close $_ for @gone;
($status, $head, $body) =
  answered(post(list('newer', 'n'), @newer, 'Mcp-Name: list_resumable_sessions'));
is decode_json($body)->{id}, 'n', 'in the newer era who goes away has taken back what it asked';
ok waits($stays), 'and who stays waits';
write_file('go-held', '');
($status, $head, $body) = answered($stays);
is decode_json($body)->{result}{structuredContent}{status}, 'paused', 'until it is answered';
kill 'TERM', $server;
is ended($server), 0, 'the server ends well';
done_testing;
