# losses.pl N GIVEN - of sessions, their whole logs on stdin: by agent and kind of boundary, how
# many boundaries, checkpoints as given and at each N-th seq, then of each kind of work what a crash
# loses on average, as given and at each N-th: what was done since the last checkpoint, at each
# event up to such a boundary, over the events of sessions that have such work. A checkpoint is
# taken at each GIVEN-th, or N-th, seq, and where one always is.
use strict;
use warnings;
use JSON::PP;
use Time::Local qw(timegm);

my @steps = reverse @ARGV;
my %always = map { $_ => 1 } qw(final pause failure edit user_checkpoint);
my %closing = map { $_ => 1 } qw(session_paused session_completed session_failed session_cancelled);
my @work = qw(time_ms cost tokens tool_calls);
my (%of, @session);

sub ms_of {
  my ($text) = @_;
  return 0 if !$text;
  my ($y, $m, $d, $h, $min, $s, $ms) = $text =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(?:\.(\d+))?/;
  return timegm($s, $min, $h, $d, $m - 1, $y) * 1000 + substr(($ms // '') . '000', 0, 3);
}

# What an outcome tells of; a call counts that was begun, whatever came of it.
sub spent {
  my ($b) = @_;
  my $begun = ($b->{via} // '') ne 'runtime' && !$b->{denied} && $b->{status} ne 'ended';
  my $cost = $b->{cost} // 0;
  return (
    cost => $cost > 0 ? $cost : 0,
    tokens => ($b->{input_tokens} // 0) + ($b->{output_tokens} // 0),
    tool_calls => $begun && $b->{kind} eq 'tool' && !$b->{list} ? 1 : 0,
  );
}

# Work up to each event. Time passes between events while something else than a question is under
# way, and but for a user's next message; between two boundaries no more than they tell.
sub add_up {
  my (%sum, %open, $at, $rests, @events);
  @sum{@work} = (0) x @work;
  my ($base, $behind) = (0, 0); # time at the last recorded checkpoint; events behind a boundary
  for my $e (@session) {
    my ($b, $ms) = ($e->{body}, ms_of($e->{at}));
    my $begins = $e->{kind} =~ /^session_(started|resumed)$/;
    my $user = $e->{kind} eq 'message' && $e->{scope} eq 'main' && $b->{message}{role} eq 'user';
    my $works = grep { $_ ne 'ask' } values %open;
    $at = $ms, $rests = 0, %open = () if $begins;
    if (!$begins && $ms && !$rests) {
      my $step = $at ? $ms - $at : 0;
      $sum{time_ms} += $step if $step > 0 && ($works || !(%open || $user));
      $at = $ms if !$at || $step > 0 || $step <= -1000;
    }
    $rests = 1 if $closing{$e->{kind}};
    $open{$b->{key}} = $b->{kind} if $e->{kind} eq 'intent';
    delete $open{$b->{key}} if $e->{kind} eq 'outcome';
    my %done = $e->{kind} eq 'outcome' ? spent($b) : ();
    $sum{$_} += $done{$_} for keys %done;
    my $told = $e->{kind} eq 'boundary' ? $base + ($b->{since}{ms} // 0) : undef;
    $sum{time_ms} = $told if defined $told && $sum{time_ms} > $told;
    push @events, {%sum};
    next if !defined $told;
    for (@events[$behind .. $#events]) { $_->{time_ms} = $told if $_->{time_ms} > $told }
    $behind = @events;
    $base = $sum{time_ms} if $b->{checkpoint};
  }
  return @events;
}

sub done {
  my @sums = add_up();
  my @base = map { $sums[0] } @steps;
  my %has = map { $_ => $sums[-1]{$_} > 0 } @work;
  my (@lost, @group);
  for my $i (0 .. $#session) {
    my ($e, $b) = ($session[$i], $session[$i]{body});
    push @group, [map { my $from = $_; +{map { $_ => $sums[$i]{$_} - $from->{$_} } @work} } @base];
    my $is = $e->{kind} eq 'boundary';
    next if !$is && $i < $#session;
    my $to = $of{$is ? ($e->{agent} // '-') . " $b->{kind}" : '- -'} //= {taken => [0, 0]};
    $to->{boundaries} += $is ? 1 : 0;
    for my $k (0, 1) {
      for my $what (grep { $has{$_} } @work) {
        my $lost = $to->{$what} //= [0, 0, 0];
        $lost->[$k] += $_->[$k]{$what} > 0 ? $_->[$k]{$what} : 0 for @group;
        $lost->[2] += @group if !$k;
      }
      next if !$is || !($always{$b->{kind}} || $e->{seq} % $steps[$k] == 0);
      $to->{taken}[$k]++;
      $base[$k] = $sums[$i];
    }
    @group = ();
  }
  @session = ();
  return;
}

while (<STDIN>) {
  my $e = decode_json($_);
  done() if $e->{seq} == 1 && @session;
  push @session, $e;
}
done();
for my $name (sort keys %of) {
  my $to = $of{$name};
  my @lost = map {
    my ($sum, $form) = ($to->{$_}, $_ eq 'cost' ? '%.0f' : '%.3f'); # micro-dollars are whole
    map { $sum ? sprintf $form, $sum->[$_] / $sum->[2] + 1e-9 : 'null' } 0, 1
  } @work;
  print join(' ', $name, $to->{boundaries} // 0, @{$to->{taken}}, @lost), "\n";
}
