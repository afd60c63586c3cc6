#!/usr/bin/perl
# crowd.t - many clients of `ckrun mcp --listen` at once: none waits for another one's call, for one
# that says half of a request, or for a thousand who say nothing; what is too much is refused.
use strict;
use warnings;
use FindBin '$Bin';
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use Test::More;
use lib $Bin;
use Listening;

write_holding('held');
my ($server, $port);
sub serve {
  ($server, $port) = listen_on();
  plan skip_all => 'no libmicrohttpd' if !$port;
}
sub connected {
  IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port", Timeout => 60) or die "connect: $!";
}
sub head { posted($port, @_) }
sub message {
  my ($id, $name, %arguments) = @_;
  return encode_json { jsonrpc => '2.0', id => $id, method => 'tools/call',
    params => { name => $name, arguments => \%arguments } };
}
sub say_whole { my ($to, $text) = @_; syswrite $to, head(length $text) . $text; return $to }
# The status and what the body says.
sub told {
  my ($status, undef, $body) = answered(shift);
  return ($status, $body =~ /^\{/ ? decode_json($body) : $body);
}
sub asked { told(say_whole(connected(), message(@_))) }
sub is_answered {
  my ($status, $said) = asked(7, 'list_resumable_sessions');
  is "$status $said->{id}", '200 7', shift;
}

begin('run', $ckrun, 'run', 'held.lua', '--session', 'held');
nap() until -e 'there-held';
serve();
is_answered('a client');

# ---- calls that take their time ----

my $slow = say_whole(connected(), message(1, 'pause_session', session_id => 'held'));
is_answered('beside a call that waits for a session, another one');
is_answered('and one more');
ok !IO::Select->new($slow)->can_read(0), 'while it waits';
my @many = map say_whole(connected(), message($_, 'list_resumable_sessions')), 1 .. 24;
my @ids = map { my ($status, $said) = told($_); $status == 200 ? $said->{id} : $status } @many;
is "@ids", join(' ', 1 .. 24), 'two dozen at once are each given their own answer';
undef @many;
write_file('go-held', '');
my ($status, $said) = told($slow);
is $said->{result}{structuredContent}{status}, 'paused', 'the one that waited is answered, too';

# ---- requests that never come to an end ----

my $text = message(3, 'list_resumable_sessions');
# A client that was let in, and has said no more than its headers: (it, 100), or it was not.
sub entered {
  my $socket = connected();
  syswrite $socket, head(length $text, 'Expect: 100-continue');
  my $line = <$socket> // '';
  <$socket> if $line =~ / 100 /;
  return ($socket, $line =~ / (\d+)/);
}
my ($first) = entered();
syswrite $first, substr $text, 0, 10;
my @half = map { my ($socket) = entered(); syswrite $socket, '{'; $socket } 1 .. 40;
is_answered('forty who say half of what they may say hold nobody up');
syswrite $first, substr $text, 10;
($status, $said) = told($first);
is "$status $said->{id}", '200 3', 'and one who goes on is answered';
my ($more, $code);
do { ($more, $code) = entered(); push @half, $more } until $code != 100 or @half > 99;
is $code, 503, 'whoever comes to too many is told so';
undef $more;
undef @half;
for (1 .. 3000) {
  ($status) = asked(8, 'list_resumable_sessions');
  last if $status == 200;
  nap();
}
is $status, 200, 'and gets in when they have gone';

# A thousand, more than a process may open: each child has some, in every state of a request, and
# says when it has them.
pipe my $from_crowd, my $tell or die $!;
my @crowd = map {
  defined(my $pid = fork) or die $!;
  if (!$pid) {
    my @open = map {
      my $socket = connected();
      syswrite $socket, ('', 'POST', "POST /mcp HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA: b",
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nContent-Length: 99\r\n")[$_ % 5];
      $socket;
    } 1 .. 250;
    syswrite $tell, '.';
    sleep 1 while 1;
  }
  keep($pid);
} 1 .. 4;
my $there = 0;
$there += sysread $from_crowd, my $dots, 4 while $there < 4;
is_answered('behind a thousand who say nothing, a client is answered');
is_answered('again');
kill 'KILL', $_ and ended($_) for @crowd;

# ---- too much at once ----

my $fat = connected();
syswrite $fat, head(2, 'X-Fat: ' . 'x' x 200_000) . '{}';
($status) = told($fat);
ok $status >= 400 && $status < 500 || !$status, 'a header of 200 kB is refused';
my $wide = connected();
syswrite $wide, head(2, map "X-$_: $_", 1 .. 20_000) . '{}';
($status) = told($wide);
ok $status >= 400 && $status < 500 || !$status, 'so are twenty thousand of them';
is_answered('and the next one is answered');

# ---- a process that dies amid its call ----

unlink qw(go-held there-held);
begin('again', $ckrun, 'resume', 'held');
nap() until -e 'there-held';
$slow = say_whole(connected(), message(5, 'pause_session', session_id => 'held'));
is_answered('beside the next one that waits');
ok !IO::Select->new($slow)->can_read(0), 'which waits';
my @children = grep { text_of("/proc/$_/stat") =~ /^\d+ \(.*\) \S $server / }
  map m{/proc/(\d+)/}, glob '/proc/[0-9]*/stat';
cmp_ok scalar @children, '<=', 16, 'no more processes than calls';
kill 'KILL', @children;
for my $pid (@children) { nap() while text_of("/proc/$pid/stat") =~ /^\d+ \(.*\) [^Z] / }
($status, $said) = told($slow);
is "$status $said->{error}{code}", '503 -32603', 'a call whose process dies has failed';
like $said->{error}{message}, qr/not known/, 'and nobody claims to know how';
is_answered('the next one has a new process');
system "$ckrun pause held --no-wait >pause 2>&1";
write_file('go-held', '');

# ---- the end ----

sub state_of { `$ckrun --json sessions show held` =~ /"status":"(\w+)"/ ? $1 : '' }
for my $signal (qw(TERM KILL)) {
  for (1 .. 3000) { last if state_of() ne 'running'; nap() }
  is state_of(), 'paused', 'the session rests';
  unlink qw(go-held there-held);
  ($status, $said) = asked(6, 'resume_session', session_id => 'held');
  is $said->{result}{structuredContent}{status}, 'running', 'a client resumes it';
  nap() until -e 'there-held';
  kill $signal, $server;
  write_file('go-held', '');
  my $code = ended($server);
  is $code, 0, 'the server ends well' if $signal eq 'TERM';
  serve() if $signal eq 'TERM';
}
for (1 .. 3000) { last if state_of() ne 'running'; nap() }
is state_of(), 'paused', 'and it is paused with the server, by whatever that ended';
done_testing;
