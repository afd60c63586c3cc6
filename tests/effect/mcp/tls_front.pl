#!/usr/bin/perl
# tls_front.pl - TLS in front of a server on this machine: `tls_front.pl KEY CERTIFICATE PORT`.
#
# It prints the port that it serves on until its input ends. All its clients, one after the other,
# have one connection to PORT. openssl does the TLS.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use IPC::Open2;
use POSIX ":sys_wait_h";
use Time::HiRes qw(sleep);

my ($key, $certificate, $behind) = @ARGV;
$| = 1;
$SIG{PIPE} = "IGNORE";

sub listens {
  my $hex = sprintf "%04X", $_[0];
  open my $table, "<", "/proc/net/tcp" or return 0;
  return scalar grep { /^\s*\d+: [0-9A-F]{8}:$hex \S+ 0A / } <$table>;
}

# Another process may take the port meanwhile: then openssl ends, and the next port is tried.
my ($pid, $from, $to, $port);
for (1 .. 20) {
  my $free = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1", LocalPort => 0) or next;
  $port = $free->sockport;
  close $free;
  $pid = open2($from, $to, "openssl", "s_server", "-quiet", "-accept", "127.0.0.1:$port", "-key",
    $key, "-cert", $certificate);
  sleep 0.01 until listens($port) || waitpid($pid, WNOHANG) != 0;
  last if kill 0, $pid;
}
my $server = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $behind)
  or die "nobody at $behind: $!\n";
print "$port\n";
my %other = (fileno $from => $server, fileno $server => $to);
my $all = IO::Select->new(\*STDIN, $from, $server);
SERVE: while (1) {
  my @ready = $all->can_read or last;
  for my $one (@ready) {
    my $len = sysread $one, my $bytes, 65536;
    last SERVE if !$len;
    next if $one == \*STDIN;
    my $into = $other{ fileno $one };
    while (length $bytes) {
      my $wrote = syswrite $into, $bytes or last SERVE;
      $bytes = substr $bytes, $wrote;
    }
  }
}
kill "TERM", $pid;
waitpid $pid, 0;
