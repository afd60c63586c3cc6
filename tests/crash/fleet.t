#!/usr/bin/perl
# fleet.t - workers that share a store are killed, with and without what they run, while a queue is
# emptied: every session comes to its end, no effect of class `once` is done twice by anybody but a
# person, and the store is whole. On a file, and on a server of PostgreSQL, where workers are also
# stopped until their leases are over and then go on.
# FLEET_SESSIONS (10), FLEET_WORKERS (3), FLEET_KILLS (6), FLEET_SEED (1).
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';
use FindBin;
use IPC::Open2;
use JSON::PP;
use POSIX ':sys_wait_h';
use lib "$FindBin::Bin/..";
use Seeded qw(seed below);

my $ckrun = abs_path($ENV{CKRUN} // "$FindBin::Bin/../../build/ckrun");
my $root = abs_path("$FindBin::Bin/../..");
my ($sessions, $workers, $kills) = map { $ENV{"FLEET_$_->[0]"} // $_->[1] }
  [SESSIONS => 10], [WORKERS => 3], [KILLS => 6];
seed($ENV{FLEET_SEED} // 1);
my $dir = tempdir(CLEANUP => 1);
my ($checks, $failed) = (0, 0);
@ENV{qw(HOME CKRUN_COUNTERS NO_COLOR)} = ($dir, 'off', 1);

sub check {
  my ($holds, $name, @more) = @_;
  $checks++;
  $failed += !$holds;
  print $holds ? '' : 'not ', "ok $checks - $name\n", map { "#   $_\n" } $holds ? () : @more;
  return;
}

sub write_file {
  my ($name, $text) = @_;
  open my $file, '>', "$dir/$name" or die "$name: $!";
  print $file $text;
  close $file or die "$name: $!";
  return;
}

# What an effect does is to add its line, at once; what it works on after that changes nothing.
write_file('act', <<'END');
#!/bin/sh
echo "$CKRUN_SESSION $1" >>acts
read -r _ <beat
echo null
END
chmod 0755, "$dir/act" or die $!;
write_file('flow.lua', <<'END');
local flow = require "ck.flow"
local function act(name, class) return flow.exec { argv = { "./act", name }, class = class } end
return flow.graph { name = "fleet", start = "a", nodes = { a = act("a", "once"),
  b = act("b", "idempotent"), c = act("c", "once"), d = act("d", "idempotent") },
  edges = { a = "b", b = "c", c = "d", d = flow.done } }
END

sub slurp {
  open my $file, '<', $_[0] or return '';
  local $/;
  return <$file> // '';
}

# ckrun ARGUMENTS…: what it prints; its errors are the caller's business.
sub ckrun {
  open my $out, '-|', 'sh', '-c', 'exec "$0" "$@" 2>/dev/null </dev/null', $ckrun, @_ or die $!;
  local $/;
  my $text = <$out> // '';
  close $out;
  return $text;
}

sub list { return map { decode_json($_) } split /\n/, ckrun('--json', 'sessions', 'list', @_) }

# ---- the workers ----

my %alive; # by pid
sub start_worker {
  my $pid = fork // die $!;
  if (!$pid) {
    chdir $dir;
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', "$dir/told";
    open STDERR, '>>', "$dir/told";
    exec $ckrun, qw(worker --poll 50ms --concurrency 2 --flows), $dir;
  }
  $alive{$pid} = 1;
  return;
}

sub children {
  my ($pid) = @_;
  return grep { /^\d+$/ } split ' ', slurp("/proc/$pid/task/$pid/children");
}

# One of them, or what one of them runs.
sub kill_one {
  my ($worker) = (sort { $a <=> $b } keys %alive)[below(scalar keys %alive)];
  my @runs = children($worker);
  my $victim = @runs && below(2) ? $runs[below(scalar @runs)] : $worker;
  kill KILL => $victim;
  kill KILL => @runs if $victim == $worker && below(2);
  return if $victim != $worker;
  waitpid $worker, 0;
  delete $alive{$worker};
  start_worker();
  return;
}

# A worker and all that it runs stand still, until somebody else has gone on with its sessions.
my (@stopped, @zombies, %epochs);
sub stop_one {
  my ($worker) = grep { children($_) } sort { $a <=> $b } keys %alive;
  return 0 if !$worker;
  @zombies = children($worker);
  @stopped = ($worker, @zombies);
  kill STOP => @stopped;
  my %its = map { (split /\0/, slurp("/proc/$_/cmdline"))[-1] => 1 } @zombies;
  %epochs = map { $_->{session} => $_->{epoch} } grep { $its{$_->{session}} } list();
  if (!%epochs) { # just started, and nobody could tell what
    kill CONT => @stopped;
    @stopped = @zombies = ();
    return 0;
  }
  delete $alive{$worker};
  start_worker();
  return 1;
}

sub let_go {
  return if !@stopped;
  kill CONT => @stopped;
  $alive{$stopped[0]} = 1;
  @stopped = ();
  return;
}

# Or it had come to an end just before.
sub others_went_on {
  return grep { $epochs{$_->{session}} &&
    ($_->{epoch} > $epochs{$_->{session}} || $_->{status} ne 'running') } list();
}

# ---- the person ----

# What was done is seen outside: the line stands there or it does not.
sub resolve {
  my ($session) = @_;
  for (split /\n/, ckrun('--json', 'resolve', $session)) {
    my $key = decode_json($_)->{effect};
    my ($node) = $key =~ m{^main/(\w)} or die $key;
    my $done = slurp("$dir/acts") =~ /^\Q$session $node\E$/m;
    ckrun('resolve', $session, $key, $done ? ('done', '--result', 'null') : 'retry');
  }
  return;
}

# Not while one that stood still may yet begin what it had announced: nobody could tell.
sub look_after {
  return if grep { kill 0 => $_ } @zombies;
  resolve($_->{session}) for list('--status', 'in_doubt');
  ckrun('resume', $_->{session}, '--retry', '--detach') for list('--status', 'failing');
  return;
}

# ---- one fleet ----

sub verify_log {
  my ($session) = @_;
  my $last = 0;
  for (split /\n/, ckrun('--json', 'sessions', 'log', $session, '--all')) {
    return 0 if decode_json($_)->{seq} != ++$last;
  }
  return $last;
}

sub run_fleet {
  my ($where, $stops) = @_;
  unlink "$dir/acts";
  my $turns = 0;
  chdir $dir or die $!;
  for my $n (1 .. $sessions) { ckrun('submit', 'flow.lua', '--session', "s$n") }
  start_worker() for 1 .. $workers;
  open my $beat, '+<', "$dir/beat" or die $!;
  $beat->autoflush(1);
  my ($killed, $done, $stood, $stands) = (0, 0, 0, 0);
  while ($done < $sessions && $turns++ < 20000) {
    print $beat "go\n";
    my $acts = () = slurp("$dir/acts") =~ /\n/g;
    if ($killed < $kills && $acts > (4 * $sessions * ($killed + 1)) / ($kills + 2)) {
      $killed++;
      my $stops_now = $stops && $killed > 1 && !$stood && ($stood = stop_one());
      kill_one() if !$stops_now;
    }
    look_after() if $turns % 5 == 0;
    let_go() if @stopped && (others_went_on() || ++$stands > 500);
    $done = () = list('--status', 'completed');
  }
  let_go();
  print $beat "go\n" x 20;
  kill TERM => keys %alive;
  waitpid $_, 0 for keys %alive;
  %alive = ();
  my %count;
  $count{$_}++ for split /\n/, slurp("$dir/acts");
  my @twice = grep { /[ac]$/ && $count{$_} > 1 } sort keys %count;
  my @missing = grep { my $s = $_; grep { !$count{"s$s $_"} } qw(a b c d) } 1 .. $sessions;
  check(2 * $killed >= $kills, "$where: $killed kills came among the work");
  check($stood, "$where: one of them stood still until others had gone on instead") if $stops;
  check($done == $sessions, "$where: each of $sessions sessions came to its end",
    map { "$_->{session} $_->{status} " . ($_->{reason} // '') }
      grep { $_->{status} ne 'completed' } list());
  check(!@twice, "$where: nothing of class once was done twice", @twice);
  check(!@missing, "$where: nothing was left out", @missing);
  check(!(grep { !verify_log("s$_") } 1 .. $sessions), "$where: no log has a gap");
  my $verdict = ckrun('store', 'verify');
  check($? == 0, "$where: the store is whole", split /\n/, $verdict);
  close $beat;
  return;
}

print "TAP version 13\n";
system('mkfifo', "$dir/beat") == 0 or die 'mkfifo';
$ENV{CKRUN_STORE} = "sqlite:$dir/fleet.db";
open my $out, '>&', \*STDOUT or die $!;
run_fleet('a file', 0);

chdir $root or die $!;
my $server = open2(my $told, my $hold, 'tests/store/postgres_server.sh');
my $url = <$told> // 'skip: it said nothing';
chomp $url;
if ($url =~ /^skip: (.*)/) {
  print 'ok ', ++$checks, " - # SKIP a server: $1\n";
} else {
  $ENV{CKRUN_STORE} = "$url&lease=2";
  run_fleet('a server', 1);
}
close $hold;
waitpid $server, 0;
print "1..$checks\n";
exit($failed > 0);
