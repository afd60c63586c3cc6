# Listening.pm - what tests of `ckrun mcp` with many requests under way share: a folder and a store
# of their own, programs that end with the test, sessions that are held up, the server over HTTP and
# a client of it.
package Listening;
use strict;
use warnings;
use Exporter 'import';
use File::Temp 'tempdir';
use IO::Socket::INET;
use Test::More;

our @EXPORT = qw($ckrun write_file text_of nap write_holding begin keep ended listen_on posted
  answered);

our $ckrun = $ENV{CKRUN} // die 'CKRUN: the path of the program';
my $dir = tempdir(CLEANUP => 1);
chdir $dir or die $!;
@ENV{qw(CKRUN_STORE HOME NO_COLOR CKRUN_TOKEN)} =
  ("sqlite:$dir/store/ckrun.db", "$dir/home", 1, 'a-token-for-them-all');
$SIG{ALRM} = sub { fail('nobody is answered any more'); done_testing; exit 1 };
$SIG{PIPE} = 'IGNORE';
alarm 240;

sub write_file { my ($name, $text) = @_; open my $to, '>', $name or die $!; print $to $text }
sub text_of { open my $from, '<', shift or return ''; local $/; scalar <$from> // '' }
sub nap { select undef, undef, undef, 0.02 }

# NAME.lua: each of its nodes writes there-NAME, and goes on when there is go-NAME.
sub write_holding {
  my $name = shift;
  write_file("$name.lua", <<END);
return require("ck.flow").custom { run = function(ctx)
  for i = (ctx.position and ctx.position.n or 0) + 1, 1000 do
    local held = { "sh", "-c", "touch there-$name; while [ ! -e go-$name ]; do sleep 0.05; done" }
    ctx.effect { kind = "exec", class = "idempotent", request = { argv = held } }
    ctx.boundary("node_complete", { node = "n" .. i, position = { path = "n#" .. i, n = i } })
  end
end }
END
}

# ---- programs, which are ended with the test ----

my %started;
END { local $?; kill 'KILL', $_ for keys %started }
sub keep { $started{ $_[0] } = 1; return $_[0] }
sub ended { my $pid = shift; waitpid $pid, 0; delete $started{$pid}; return $? >> 8 }

# Its output is written to $to, what it says else beside that.
sub begin {
  my ($to, @argv) = @_;
  write_file($to, '');
  defined(my $pid = fork) or die $!;
  return keep($pid) if $pid;
  open STDOUT, '>', $to or die $!;
  open STDERR, '>', "$to.errors" or die $!;
  exec @argv or die $!;
}

# ---- the server and a client ----

# Its process and port; none: it was built without one.
sub listen_on {
  my $server =
    begin('said', $ckrun, 'mcp', '--listen', '127.0.0.1:0', '--token', 'env:CKRUN_TOKEN');
  nap() until text_of('said') =~ /\n/ or waitpid($server, 1) > 0;
  my $errors = text_of('said.errors');
  return if $errors =~ /built without libmicrohttpd/;
  my ($port) = text_of('said') =~ /127\.0\.0\.1:(\d+)/ or die $errors;
  return ($server, $port);
}

# The head of a request with a body of $len bytes.
sub posted {
  my ($port, $len, @more) = @_;
  return join "\r\n", 'POST /mcp HTTP/1.1', "Host: 127.0.0.1:$port",
    "Authorization: Bearer $ENV{CKRUN_TOKEN}", "Content-Length: $len", @more, '', '';
}

# The status, the head and the body.
sub answered {
  my $from = shift;
  my $head = '';
  while (defined(my $line = <$from>)) { $head .= $line; last if $line eq "\r\n" }
  my ($status, $len) = ($head =~ /^HTTP\/1.1 (\d+)/, $head =~ /^Content-Length: (\d+)/mi);
  read $from, my $body, $len // 0;
  return ($status // 0, $head, $body // '');
}

1;
