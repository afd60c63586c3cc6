#!/usr/bin/perl
# cut.t - a worker's run loses its connection in the midst of any of its commits, and the server
# cannot be reached when it asks what became of it: the session stays in the queue, is gone on with,
# and does nothing twice.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use FindBin;
use IPC::Open2;
use Time::HiRes qw(sleep time);
use lib $FindBin::Bin;
use Proxy;

my $ckrun = abs_path($ENV{CKRUN} // "$FindBin::Bin/../../../build/ckrun");
my $dir = tempdir(CLEANUP => 1);
my ($checks, $failed) = (0, 0);
@ENV{qw(HOME CKRUN_COUNTERS NO_COLOR)} = ($dir, 'off', 1);
$SIG{PIPE} = 'IGNORE';

sub write_file {
  my ($name, $text) = @_;
  open my $file, '>', "$dir/$name" or die "$name: $!";
  print $file $text;
  close $file or die "$name: $!";
  return;
}

sub slurp {
  open my $file, '<', "$dir/$_[0]" or return '';
  local $/;
  return <$file> // '';
}

write_file('act', "#!/bin/sh\necho \"\$CKRUN_SESSION \$1\" >>acts\necho null\n");
chmod 0755, "$dir/act" or die $!;
write_file('flow.lua', <<'END');
local flow = require "ck.flow"
local function act(name) return flow.exec { argv = { "./act", name }, class = "idempotent" } end
return flow.graph { name = "cut", start = "a", edges = { a = "b", b = flow.done },
  nodes = { a = act("a"), b = act("b") } }
END

chdir "$FindBin::Bin/../../.." or die $!;
my $server = open2(my $told, my $hold, 'tests/store/postgres_server.sh');
my $url = readline $told // 'skip: it said nothing';
if ($url =~ /^skip: (.*)/) {
  print "1..0 # SKIP a server: $1\n";
  exit 0;
}
my ($folder) = $url =~ /host=([^&]+)/;
my ($proxy, $proxy_pid) = Proxy::start($dir, 1, $folder);

sub ckrun {
  my $pid = fork // die $!;
  if (!$pid) {
    chdir $dir;
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', "$dir/out";
    open STDERR, '>>', "$dir/out";
    exec $ckrun, '--store', "postgres:///postgres?host=$dir/p$_[0]&user=ckrun", @_[1 .. $#_];
  }
  return $pid;
}

print "TAP version 13\n";
waitpid ckrun(0, qw(sessions list)), 0;
my $worker = ckrun(1, qw(worker --poll 50ms --concurrency 1 --flows), $dir);
for my $how (qw(after before)) {
  for my $skip (0 .. 3) {
    my @wrong;
    for my $refuse (0 .. 2) {
      my $id = "$how$skip$refuse";
      print $proxy "cut $how $skip $refuse\n";
      waitpid ckrun(0, 'submit', 'flow.lua', '--session', $id), 0;
      my $end = time + 60;
      sleep 0.02 while slurp('out') !~ /^ended\t$id\tcompleted/m && time < $end;
      my @said = grep { /\t$id\t/ } split /\n/, slurp('out');
      push @wrong, @said if !grep { /\tcompleted/ } @said;
    }
    $checks++;
    $failed += !!@wrong;
    print @wrong ? 'not ' : '', "ok $checks - commit $skip cut $how: the session goes on\n",
      map { "#   $_\n" } @wrong;
  }
}
kill TERM => $worker;
waitpid $worker, 0;
close $proxy;
waitpid $proxy_pid, 0;
close $hold;
waitpid $server, 0;
print "1..$checks\n";
exit($failed > 0);
