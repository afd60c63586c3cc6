#!/usr/bin/perl
# strangers.t - however many connect to the server of `ckrun ui` and show nothing, whoever has its
# link gets in, and what was let in stays.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Select;
use Served;
use Test::More;

my $ui = Served->new;
$ui->write_file('one.lua',
  'return require("ck.flow").custom { run = function() return 1 end }');
$ui->run(qw(run one.lua --session one));
$ui->start;

my @slow;
# Connections that say less than a request, each in another state of it.
sub crowd {
  my $many = shift;
  for my $i (1 .. $many) {
    my $socket = $ui->connected;
    print $socket ('', 'GET', "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: $ui->{host}\r\n",
      "POST /api/pause?session=one HTTP/1.1\r\nHost: $ui->{host}\r\nContent-Length: 999\r\n\r\nx")
      [$i % 5];
    $socket->flush;
    push @slow, $socket;
  }
}
# None of them is silent long enough to be let go for that: a child says a byte more for each.
my $dripping;
sub drip {
  return if $dripping = fork;
  $SIG{PIPE} = 'IGNORE';
  while (1) {
    syswrite $_, 'x' for @slow;
    select undef, undef, undef, 0.5;
  }
}
END { local $?; kill 'KILL', $dripping and waitpid $dripping, 0 if $dripping }
$SIG{ALRM} = sub { fail('nobody gets in any more'); done_testing; exit 1 };
alarm 60;
# Sends a request on a connection that stays; returns the status.
sub asked {
  my ($socket, $path) = @_;
  print $socket "GET $path HTTP/1.1\r\nHost: $ui->{host}\r\nCookie: $ui->{cookie}\r\n",
    "Ckrun-Page: $ui->{key}\r\n\r\n";
  my $head = '';
  while (defined(my $line = <$socket>)) {
    $head .= $line;
    last if $line eq "\r\n";
  }
  my ($status, $len) = ($head =~ /^HTTP\/1.1 (\d+)/, $head =~ /^Content-Length: (\d+)/mi);
  read $socket, my $body, $len // 0;
  return $status // 0;
}

crowd(150);
drip();
is $ui->enter->{status}, 200, 'behind many who never come to an end the link opens the page';
my $own = $ui->connected;
is asked($own, '/api/session?session=one'), 200, 'a connection that may ask';
crowd(200);
is asked($own, '/api/session?session=one'), 200, 'is kept when others come';
is $ui->get('/api/session?session=one')->{status}, 200, 'and a new one gets in';
my $all = IO::Select->new(@slow);
my $gone = 0;
while ($gone < @slow - 32 and my @ready = $all->can_read(20)) {
  for my $socket (@ready) {
    next if sysread $socket, my $said, 4096;
    $all->remove($socket);
    $gone++;
  }
}
cmp_ok $gone, '>=', @slow - 32, 'of the others those that came first were let go';
crowd(64);
is $ui->get('/api/session?session=one')->{status}, 200, 'again and again';
my $long = $ui->connected;
print $long "POST /api/pause?session=one HTTP/1.1\r\nHost: $ui->{host}\r\n",
  "Content-Length: 1000000\r\n\r\n";
like scalar <$long>, qr/ 40[13] /, 'nobody waits for the body of one that may not ask';
is $ui->stop, 0, 'and it ends as ever';
done_testing;
