#!/usr/bin/perl
# fleet_faults.t - workers that share a store in PostgreSQL, while all that can fail does: workers
# and runs are killed, or stand still past their leases; connections are cut in the midst of a
# commit, delayed, or lead nowhere; the server crashes, or dies and its synchronous standby takes
# its place; workers' clocks are set. Judged from outside: by what effects did, by what a proxy
# heard the server answer, and by the server's rows. No acknowledged commit is lost, no effect of
# class `once` is done twice, each seq has one writer, and each session ends, or is in doubt of an
# effect that was done once or not at all.
# FAULTS_SECONDS (0: each kind of fault once), FAULTS_SESSIONS (12) at a time, FAULTS_WORKERS (3),
# FAULTS_SEED (1), FAULTS_GAP (700 ms, between faults at most), FAULTS_KEEP=1: what the workers said
# stays.
use strict;
use warnings;
use Cwd 'abs_path';
use Fcntl;
use File::Temp 'tempdir';
use FindBin;
use IPC::Open2;
use JSON::PP;
use POSIX ':sys_wait_h';
use Time::HiRes qw(sleep time);
use lib "$FindBin::Bin/..", "$FindBin::Bin/fleet";
use Proxy;
use Seeded qw(seed below one);
use Witness;

my $ckrun = abs_path($ENV{CKRUN} // "$FindBin::Bin/../../build/ckrun");
my $root = abs_path("$FindBin::Bin/../..");
my ($seconds, $sessions, $workers, $gap) = map { $ENV{"FAULTS_$_->[0]"} // $_->[1] }
  [SECONDS => 0], [SESSIONS => 12], [WORKERS => 3], [GAP => 700];
my $lease = 2;
seed($ENV{FAULTS_SEED} // 1);
my $dir = tempdir(CLEANUP => !$ENV{FAULTS_KEEP});
my ($checks, $failed) = (0, 0);
@ENV{qw(HOME CKRUN_COUNTERS NO_COLOR POSTGRES_SETTINGS)} =
  ($dir, 'off', 1, '-c max_connections=300');
$SIG{PIPE} = 'IGNORE';

sub check {
  my ($holds, $name, @more) = @_;
  $checks++;
  $failed += !$holds;
  splice @more, 50;
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

sub slurp {
  open my $file, '<', $_[0] or return '';
  local $/;
  return <$file> // '';
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
my $once = qr/[ac]/;

# ---- the server ----

my $server = do {
  chdir $root or die $!;
  open2(my $told, my $words, 'tests/store/postgres_server.sh');
  { told => $told, words => $words };
};
my $first = readline $server->{told} // 'skip: it said nothing';
if ($first =~ /^skip: (.*)/) {
  print "1..0 # SKIP a server: $1\n";
  exit 0;
}
my @folders = $first =~ /host=([^&]+)/;
push @folders, "$folders[0]/second";
my ($psql) = grep { -x } map { "$_/psql" } split(/:/, $ENV{PATH}), glob '/usr/lib/postgresql/*/bin';

sub order {
  my ($word) = @_;
  print { $server->{words} } "$word\n";
  my $line = readline $server->{told} // die "the server's script has ended at $word";
  chomp $line;
  die "the server: $word has failed\n" if $line eq 'failed';
  return;
}

# The rows that the primary answers, as lists of columns.
sub ask {
  open my $out, '-|', $psql, qw(-XAtq -F), ' ', '-h', $folders[0], qw(-U ckrun -d postgres -c),
    "SET search_path = ckrun; $_[0]" or die $!;
  return map { [split] } readline $out;
}

my ($proxy, $proxy_pid) = Proxy::start($dir, $workers, $folders[0]);
sub url { return "postgres:///postgres?host=$dir/p$_[0]&user=ckrun&lease=$lease" }

# ---- ckrun ----

# What it prints; its errors are the caller's business, and in $?.
sub ckrun {
  open my $out, '-|', 'sh', '-c', 'exec "$0" "$@" 2>/dev/null </dev/null', $ckrun, @_ or die $!;
  local $/;
  my $text = <$out> // '';
  close $out;
  return $text;
}

sub list { return map { decode_json($_) } split /\n/, ckrun('--json', 'sessions', 'list', @_) }

my (%alive, %number); # workers: pid by number, and back
my @ended;            # those that ended by themselves
my $clocks = $ckrun !~ m{/asan/} && system('sh', '-c', '${CC:-cc} -D_GNU_SOURCE -shared -fPIC '
  . '-DSTEP_CLOCK_PRELOAD "$0" -o "$1" 2>/dev/null', "$FindBin::Bin/fleet/step_clock.c",
  "$dir/step_clock.so") == 0;

sub start_worker {
  my ($number) = @_;
  my $pid = fork // die $!;
  if (!$pid) {
    chdir $dir;
    @ENV{qw(LD_PRELOAD CLOCK_STEP)} = ("$dir/step_clock.so", "$dir/clock$number") if $clocks;
    $ENV{CKRUN_STORE} = url($number);
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', "$dir/told$number";
    open STDERR, '>>', "$dir/told$number";
    exec $ckrun, qw(worker --poll 100ms --concurrency 3 --flows), $dir;
  }
  $alive{$number} = $pid;
  $number{$pid} = $number;
  return;
}

sub below_it {
  my ($pid) = @_;
  my @children = grep { /^\d+$/ } split ' ', slurp("/proc/$pid/task/$pid/children");
  return map { $_, below_it($_) } @children;
}

# ---- the faults ----

my (%count, @later); # later: [time, what is done then]

sub busy_worker {
  my @busy = grep { below_it($alive{$_}) } sort keys %alive;
  return one(@busy ? @busy : sort keys %alive);
}

sub kill_worker {
  my $number = busy_worker();
  my @with = below(2) ? below_it($alive{$number}) : ();
  kill KILL => $alive{$number}, @with;
  waitpid $alive{$number}, 0;
  start_worker($number);
  return 1;
}

sub kill_run {
  my ($run) = below_it($alive{ busy_worker() });
  return $run && kill KILL => $run;
}

# With all that it runs, until its leases are over; another one takes its place.
sub stand_still {
  my $number = busy_worker();
  my @all = ($alive{$number}, below_it($alive{$number}));
  return 0 if @all < 2;
  kill STOP => @all;
  delete $alive{$number};
  start_worker($number);
  push @later, [time + $lease + 1 + below(2000) / 1000, sub {
    kill CONT => @all;
    kill TERM => $all[0];
  }];
  return 1;
}

sub through_proxy { print $proxy "@_\n"; return 1 }

sub restart {
  order('stop');
  sleep below(500) / 1000;
  order('start');
  return 1;
}

sub fail_over {
  order('failover');
  @folders = reverse @folders;
  through_proxy("server $folders[0]");
  order('standby');
  order('synchronous');
  return 1;
}

sub step_clock {
  my $number = one(sort keys %alive);
  write_file("clock$number", below(7200) - 3600);
  return 1;
}

my %kinds = (
  'worker killed' => \&kill_worker,
  'run killed' => \&kill_run,
  'stood still' => \&stand_still,
  'delay' => sub { through_proxy('delay', 100 + below(1500), 1 + below(5)) },
  'hole' => sub { through_proxy('hole', one(sort keys %alive), 1000 * $lease + below(3000)) },
  'restart' => \&restart,
  'failover' => \&fail_over,
  'clock' => \&step_clock,
  map { my $how = $_; ("cut $how" => sub { through_proxy('cut', $how) }) }
    qw(before half after blind),
);
# Of many faults few are of the server: everything else waits for it.
my @often = ((grep { !/restart|failover/ } sort keys %kinds) x 3, qw(restart failover));

# ---- the sessions ----

my ($made, $retried, $submitted) = (0, 0, 0);
my %at; # status by session, as it was seen last

sub submit_some {
  chdir $dir or die $!;
  $submitted = time;
  for (1 .. $sessions) {
    my $id = 's' . ($made + 1);
    ckrun('submit', 'flow.lua', '--session', $id);
    $made++ if $? == 0 || list($id);
  }
  return;
}

sub look {
  my @list = list();
  return if $? != 0;
  %at = map { $_->{session} => $_->{status} } @list;
  for my $session (grep { $at{$_} eq 'failing' } sort keys %at) {
    ckrun('resume', $session, '--retry', '--detach');
    $retried += $? == 0;
  }
  return;
}

my $ends = qr/^(completed|in_doubt)$/;
sub is_over { return ($at{ $_[0] } // '') =~ $ends }
sub over { return scalar grep { is_over($_) } keys %at }

sub reap {
  for my $number (sort keys %alive) {
    next if waitpid($alive{$number}, WNOHANG) != $alive{$number};
    my $why = (split /\n/, slurp("$dir/told$number"))[-1];
    # One that cannot reach its store when it starts is for its manager to start again.
    push @ended, "worker $number: $why" if $why !~ /^ckrun: store .*: cannot (connect|open)/;
    start_worker($number);
  }
  return;
}

sub do_later {
  my $now = time;
  $_->[1]->() for grep { $_->[0] <= $now } @later;
  @later = grep { $_->[0] > $now } @later;
  return;
}

# ---- one campaign ----

sub verdict {
  my ($in_doubt) = @_;
  my @rows = ask('SELECT session, seq, timeline FROM event ORDER BY session, seq');
  my ($commits, $heard) = Witness::heard("$dir/log");
  my ($covered, $twice) = Witness::covered($commits);
  my $lost = Witness::lost($covered, \@rows);
  my $mixed = Witness::mixed(\@rows);
  my ($takeovers) = ask('SELECT count(*) FROM event e JOIN event b ON b.session = e.session AND '
    . 'b.seq = e.seq - 1 WHERE e.kind = 2 AND b.kind NOT BETWEEN 3 AND 6');
  check(@$commits >= 4 * $made, 'the proxy heard of the commits of each session');
  check(!@$lost, 'no commit that the server had answered is lost', @$lost);
  check(!@$twice && !@$mixed, 'each seq has one writer, runs follow each other', @$twice, @$mixed);
  my $faults = join ', ', map { ($heard->{$_} // $count{$_} // 0) . " $_" } sort keys %kinds;
  print "# faults: $faults\n";
  printf "# sessions %d, commits %d, takeovers %d, fenced %d, retried %d, lost %d, duplicated %d, "
    . "in doubt %d, stuck %d\n", $made, scalar @$commits, $takeovers->[0], $heard->{fenced} // 0,
    $retried, scalar @$lost, scalar(my @twice = twice()), $in_doubt, $made - over();
  return;
}

sub acts {
  my %acts;
  $acts{$_}++ for split /\n/, slurp("$dir/acts");
  return \%acts;
}

sub twice { my $acts = acts(); return grep { / $once$/ && $acts->{$_} > 1 } sort keys %$acts }

# What was done is seen outside: the line stands there once, or it does not.
sub resolve {
  my ($acts, $session) = @_;
  my @wrong;
  for (split /\n/, ckrun('--json', 'resolve', $session)) {
    my $key = decode_json($_)->{effect};
    my ($node) = $key =~ m{^main/(\w)} or die $key;
    my $done = $acts->{"$session $node"} // 0;
    push @wrong, "$session $node: $done" if $node !~ $once || $done > 1;
    ckrun('resolve', $session, $key, $done ? ('done', '--result', 'null') : 'retry');
  }
  return @wrong;
}

sub turn {
  my ($beat) = @_;
  syswrite $beat, "go\n" x (2 * $workers);
  do_later();
  reap();
  sleep 0.05;
  return;
}

# Until all is over, or nothing has changed for long.
sub finish {
  my ($beat) = @_;
  my ($turns, $last) = (0, time);
  while ((over() < $made || @later) && time < $last + 90) {
    turn($beat);
    next if $turns++ % 10;
    my $before = join ' ', %at{ sort keys %at };
    look();
    $last = time if $before ne join ' ', %at{ sort keys %at };
  }
  return;
}

print "TAP version 13\n";
system('mkfifo', "$dir/beat") == 0 or die 'mkfifo';
sysopen my $beat, "$dir/beat", O_RDWR | O_NONBLOCK or die $!;
$ENV{CKRUN_STORE} = url(0);
order('standby');
order('synchronous');
submit_some();
start_worker($_) for 1 .. $workers;
delete $kinds{clock} if !$clocks;
my @once_each = sort { $a->[0] <=> $b->[0] } map { [below(1000), $_] } sort keys %kinds;
my ($begun, $story, $turns) = (time, '', 0);
my ($next, $end) = ($begun + 1, $begun + $seconds);
while (time < ($seconds ? $end : $begun + 300) && ($seconds || @once_each)) {
  turn($beat);
  look() if $turns++ % 20 == 0;
  # What waits for long, though nothing fails, is told at the end; it keeps the others from nothing.
  my $idle = time > $submitted + 20 && !grep { below_it($_) } values %alive;
  submit_some() if $idle || over() >= $made;
  next if time < $next;
  my $kind = $seconds ? one(@often) : (shift @once_each)->[1];
  if ($kinds{$kind}->()) {
    $count{$kind}++;
    $story .= sprintf "%.1f %s\n", time - $begun, $kind;
  } elsif (!$seconds) { # nothing ran just then
    push @once_each, [0, $kind];
  }
  $next = time + (100 + below($gap)) / 1000;
}
finish($beat);
my @in_doubt = grep { $at{$_} eq 'in_doubt' } sort keys %at;
check(over() == $made, "each of $made sessions has ended, or is in doubt",
  (map { "$_: $at{$_}" } grep { !is_over($_) } sort keys %at), split /\n/, $story);
check(!@ended, 'no worker has ended by itself', @ended);
my $acts = acts();
my @wrong = map { resolve($acts, $_) } @in_doubt;
check(!@wrong, 'what is in doubt is of class once, and was done once or not at all', @wrong);
my $doubts = @in_doubt;
$ends = qr/^completed$/;
finish($beat);
check(!(grep { $at{$_} ne 'completed' } keys %at), 'what a person resolved has ended, too');
kill TERM => values %alive;
sleep 0.1, syswrite $beat, "go\n" x 50 for 1 .. 5;
waitpid $_, 0 for values %alive;
$acts = acts();
my @twice = twice();
check(!@twice, 'nothing of class once was done twice', map { "$_: $acts->{$_}" } @twice);
my @missing = grep { my $s = $_; grep { !$acts->{"s$s $_"} } qw(a b c d) } 1 .. $made;
check(!@missing, 'nothing was left out', @missing);
verdict($doubts);
my $whole = ckrun('store', 'verify');
check($? == 0, 'the store is whole', split /\n/, $whole);
close $proxy;
waitpid $proxy_pid, 0;
close $server->{words};
1 while readline $server->{told};
print "1..$checks\n";
exit($failed > 0);
