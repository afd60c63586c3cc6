# Browser.pm - drives Chromium for tests, over the pipe of its DevTools protocol.
package Browser;
use strict;
use warnings;
use Fcntl;
use File::Temp 'tempdir';
use JSON::PP;
use MIME::Base64;
use POSIX ();

# The program, or undef where there is none.
sub program {
  for my $name (qw(chromium chromium-browser google-chrome)) {
    for my $folder (split /:/, $ENV{PATH}) { return "$folder/$name" if -x "$folder/$name" }
  }
  return undef;
}

sub start {
  my ($class, %with) = @_;
  pipe(my $in, my $to) && pipe(my $from, my $out) or die "pipe: $!";
  my $home = tempdir(CLEANUP => 1);
  my $pid = fork // die "fork: $!";
  if (!$pid) {
    my ($a, $b) = (POSIX::dup2(fileno $in, 63), POSIX::dup2(fileno $out, 62)); # off 3 and 4 first
    POSIX::dup2(63, 3), POSIX::dup2(62, 4);
    open STDERR, '>', "$home/errors";
    open STDOUT, '>', '/dev/null';
    $ENV{HOME} = $home;
    exec { program() } program(),
      qw(--headless=new --no-sandbox --disable-gpu --remote-debugging-pipe
      --disable-dev-shm-usage --no-first-run --disable-background-networking --mute-audio),
      "--user-data-dir=$home", '--window-size=' . ($with{size} // '1280,800'),
        'about:blank' or POSIX::_exit(127);
  }
  close $in, close $out;
  $to->autoflush(1);
  my $self = bless {pid => $pid, to => $to, from => $from, number => 0, buffer => '', events => []},
    $class;
  my $target = $self->ask('Target.createTarget', url => 'about:blank')->{targetId};
  $self->{session} = $self->ask('Target.attachToTarget', targetId => $target,
    flatten => JSON::PP::true)->{sessionId};
  $self->ask("$_.enable") for qw(Page Runtime Log Network);
  $self->ask('Page.addScriptToEvaluateOnNewDocument', source =>
    'window.one = (s) => document.querySelector(s);' .
    'window.all = (s) => [...document.querySelectorAll(s)];');
  return $self;
}

sub read_message {
  my ($self, $most) = @_;
  while ((my $end = index $self->{buffer}, "\0") < 0) {
    my $bits = '';
    vec($bits, fileno $self->{from}, 1) = 1;
    return undef if !select($bits, undef, undef, $most);
    sysread($self->{from}, $self->{buffer}, 1 << 16,
      length $self->{buffer}) or die "the browser has ended";
  }
  $self->{buffer} =~ s/^([^\0]*)\0//;
  return decode_json($1);
}

sub ask {
  my ($self, $method, %with) = @_;
  my %message = (id => ++$self->{number}, method => $method, params => \%with);
  $message{sessionId} = $self->{session} if $self->{session};
  syswrite $self->{to}, encode_json(\%message) . "\0" or die "the browser has ended";
  while (my $message = $self->read_message(60)) {
    push @{$self->{events}}, $message if $message->{method};
    next if ($message->{id} // 0) != $self->{number};
    die "$method: $message->{error}{message}" if $message->{error};
    return $message->{result};
  }
  die "$method: no answer";
}

sub open {
  my ($self, $address) = @_;
  return $self->ask('Page.navigate', url => $address);
}

# The value of a JavaScript expression; a promise is waited for.
sub value {
  my ($self, $expression) = @_;
  my $result = $self->ask('Runtime.evaluate', expression => $expression,
    returnByValue => JSON::PP::true, awaitPromise => JSON::PP::true, userGesture => JSON::PP::true);
  die "$expression: $result->{exceptionDetails}{exception}{description}"
    if $result->{exceptionDetails};
  return $result->{result}{value};
}

# Until an expression is true, looked at again after each of the browser's frames. False: it did not
# become so within what no machine takes for it.
sub wait_for {
  my ($self, $expression) = @_;
  return $self->value("new Promise((resolve) => { const end = performance.now() + 20000;" .
    "const look = () => { let good = false; try { good = Boolean($expression) } catch {}" .
    "if (good || performance.now() > end) resolve(good); else setTimeout(look, 20) }; look() })");
}

# The value of an expression once it is as `good` wants it; otherwise the last one there was.
sub value_once {
  my ($self, $expression, $good) = @_;
  my $value;
  for (1 .. 1000) {
    $value = eval { $self->value($expression) };
    last if defined $value && $good->($value);
    $self->value('new Promise((resolve) => setTimeout(resolve, 20))');
  }
  return $value;
}

# Does something to what is there, or comes to be there: until then the expression throws.
sub act {
  my ($self, $expression) = @_;
  my $done = $self->value_once("(() => { $expression; return 'done' })()", sub { 1 });
  return $done // $self->value($expression);
}

sub press {
  my ($self, $key) = @_;
  $self->ask('Input.dispatchKeyEvent', type => $_, key => $key, code => $key,
    windowsVirtualKeyCode => {ArrowDown => 40, ArrowUp => 38, End => 35, Home => 36}->{$key} // 0)
    for qw(keyDown keyUp);
}

sub picture {
  my ($self, $file) = @_;
  my $data = $self->ask('Page.captureScreenshot', format => 'png')->{data};
  CORE::open(my $to, '>', $file) or die "$file: $!";
  print $to decode_base64($data);
  close $to;
}

# What went wrong in the page: errors, breaches of its policy, scripts that threw.
sub complaints {
  my $self = shift;
  my @said;
  for (@{$self->{events}}) {
    push @said, $_->{params}{entry}{text} if $_->{method} eq 'Log.entryAdded' &&
      $_->{params}{entry}{level} eq 'error';
    push @said,
      $_->{params}{exceptionDetails}{exception}{description} // $_->{params}{exceptionDetails}{text}
      if $_->{method} eq 'Runtime.exceptionThrown';
  }
  return @said;
}

sub stop {
  my $self = shift;
  return if !$self->{pid};
  kill 'TERM', $self->{pid};
  waitpid $self->{pid}, 0;
  $self->{pid} = 0;
}

sub DESTROY { local $?; $_[0]->stop }

1;
