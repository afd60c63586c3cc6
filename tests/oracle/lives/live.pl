# live.pl - lives one random life, and compares at each stop what ckrun says of it with what its
# transcript says.
# Usage: live.pl CKRUN SEED FOLDER; the folder is made, and keeps the life's files. Prints one line:
# "KIND STOPS COMPARISONS STATUS"; what differs on stderr. Exit 1: something does.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../lib";

use Compare;
use Dice;
use Life;
use Model;
use Said;

my ($ckrun, $seed, $folder) = @ARGV;
mkdir $folder or die "$folder: $!";
chdir $folder or die "$folder: $!";
$ENV{CKRUN_STORE} = "sqlite:$folder/ckrun.db";
delete @ENV{qw(http_proxy HTTP_PROXY all_proxy ALL_PROXY)};
$ENV{no_proxy} = $ENV{NO_PROXY} = "127.0.0.1";

my $life = Life->new($seed);
my $dice = Dice->new("lot", $seed);
my ($port, $server) = Model::start($seed, $folder);
END { kill "KILL", $server if $server } # leaves the exit code as it is
write_file("flow.lua", $life->{flow});
write_file("profile.lua", $life->profile($port));
my $compare = Compare->new(Said->new($ckrun), $life->{profile});
my ($session, $stops, @said) = ("life", 0);

sub write_file {
  my ($name, $text) = @_;
  open my $to, ">", $name or die "$name: $!";
  print $to $text;
  close $to;
}

# Runs a command; its exit code, 128 + N when a signal ended it.
sub ckrun {
  my (@command) = @_;
  push @said, "@command";
  my $pid = fork // die "cannot fork: $!";
  if (!$pid) {
    write_file("pid", $$);
    open STDIN, "<", "/dev/null";
    open STDOUT, ">", "out";
    open STDERR, ">", "err";
    exec $ckrun, @command or die;
  }
  waitpid $pid, 0;
  unlink "pid";
  my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
  $said[-1] .= " ($code)";
  return $code;
}

sub output {
  open my $from, "<", $_[0] or return "";
  local $/;
  return <$from> // "";
}

sub status {
  my ($list) = Said->new($ckrun)->lines("sessions", "show", $session);
  return $list->{status};
}

sub stop_and_compare {
  my ($all) = @_;
  $stops++;
  $compare->session($session, $all ? undef : 3);
  $compare->facts;
}

# A checkpoint of the session's, by chance.
sub checkpoint {
  my @all = Said->new($ckrun)->lines("sessions", "checkpoints", $session);
  return @all ? $dice->pick(@all)->{id} : undef;
}

sub raised {
  return map { ("--limit", $_) } "budget_usd=9", "tool_calls=900", "model_calls=900",
    "tokens=9000000", "rounds=90", map {
      my $name = $_;
      map { "$name.$_=900" } sort keys %{ $life->{profile}{agents}{$name} }
    } sort keys %{ $life->{profile}{agents} };
}

# What a person does to a session that stands.
sub meddle {
  my $id = checkpoint() // return;
  my $lot = $dice->roll(10);
  if ($lot == 0) {
    ckrun("sessions", "rewind", $session, "--to", $id, "--report", "Report of a person.");
    stop_and_compare();
    ckrun("sessions", "undo", $session) if $dice->one_in(2);
  } elsif ($lot == 1) {
    my $fork = "fork" . $stops;
    $session = $fork
      if ckrun("sessions", "fork", $session, "--checkpoint", $id, "--session", $fork) == 0;
  } else {
    return;
  }
  stop_and_compare();
}

sub go_on {
  my $status = status();
  return ckrun("answer", $session, "yes") if $status eq "waiting" && !$dice->one_in(4);
  if ($status eq "in_doubt") {
    ckrun("resolve", $session);
    for my $key (map { (split /\t/)[0] } grep { /\t/ } split /\n/, output("out")) {
      ckrun("resolve", $session, $key, "retry");
    }
  }
  my @options = $dice->one_in(2) ? ("--set", "seen=true") : ();
  push @options, raised() if $dice->one_in(2);
  if ($dice->one_in(8)) {
    my $id = checkpoint();
    push @options, "--checkpoint", $id if $id;
  }
  push @options, "--clean" if $dice->one_in(10) && !grep { $_ eq "--checkpoint" } @options;
  return ckrun("resume", $session, @options);
}

ckrun("run", "flow.lua", "--profile", "./profile.lua", "--session", $session, "--input",
  '"What is to be done?"');
stop_and_compare();
for my $turn (1 .. 10) {
  last if status() =~ /^(completed|cancelled)$/;
  meddle();
  go_on();
  stop_and_compare();
}
stop_and_compare(1);

my %results = $compare->results;
my ($comparisons, $bad) = (0, 0);
for my $thing (sort keys %results) {
  my ($times, @differences) = @{ $results{$thing} };
  $comparisons += $times;
  next if !@differences;
  $bad = 1;
  splice @differences, 4 if @differences > 4;
  print STDERR "# seed $seed: $thing: $_\n" for @differences;
}
if ($bad) { print STDERR "# seed $seed: $_\n" for @said }
print "$life->{kind} $stops $comparisons ", status(), "\n";
exit $bad;
