# Served.pm - a folder with a store, `ckrun ui` over it, and requests to it byte by byte: what no
# browser would send is sent, too.
package Served;
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename 'dirname';
use File::Temp 'tempdir';
use IO::Socket::INET;
use JSON::PP;
use POSIX ();

our $root = abs_path(dirname(__FILE__) . '/../../..');
my $ckrun = $ENV{CKRUN} // die "CKRUN: the path of the program\n";

sub new {
  my $class = shift;
  my $self = bless {folder => tempdir('ckrun-ui.XXXXXX', TMPDIR => 1, CLEANUP => 1)}, $class;
  $ENV{CKRUN_STORE} = "sqlite:$self->{folder}/ui.db";
  $ENV{HOME} = $self->{folder};
  delete @ENV{qw(CKRUN_KEY CKRUN_LOG XDG_STATE_HOME)};
  chdir $self->{folder};
  return $self;
}

sub write_file {
  my ($self, $name, $text) = @_;
  open my $to, '>:utf8', $name or die "$name: $!";
  print $to $text;
  close $to;
}

# Runs ckrun; returns its stdout. Its exit code is $self->{code}.
sub run {
  my ($self, @words) = @_;
  my $pid = open my $from, '-|';
  if (!$pid) {
    open STDERR, '>', "$self->{folder}/stderr";
    open STDIN, '<', '/dev/null';
    exec { $ckrun } $ckrun, @words or POSIX::_exit(127);
  }
  my $out = do { local $/; <$from> };
  close $from;
  $self->{code} = $? >> 8;
  return $out // '';
}

sub start {
  my ($self, @options) = @_;
  $self->{pid} = open my $out, '-|';
  if (!$self->{pid}) {
    open STDERR, '>', "$self->{folder}/ui.stderr";
    open STDIN, '<', '/dev/null';
    exec { $ckrun } $ckrun, 'ui', @options or POSIX::_exit(127);
  }
  $self->{out} = $out;
  $self->{link} = <$out> // die "ckrun ui did not start\n";
  chomp $self->{link};
  @$self{qw(host token key)} = $self->{link} =~ m{^http://([^/]+)/\?token=(\w+)#key=(\w+)$};
  return $self;
}

# The server's end: its exit code.
sub stop {
  my ($self, $signal) = @_;
  kill $signal // 'TERM', $self->{pid};
  waitpid $self->{pid}, 0;
  my $how = $?;
  $self->{pid} = 0;
  return $how & 127 ? 128 + ($how & 127) : $how >> 8;
}

sub connected {
  my $self = shift;
  return IO::Socket::INET->new(PeerAddr => $self->{host}) // die "no connection: $!\n";
}

# Sends a request; returns {status, headers, body}. Headers: Host, and the cookie if there is one,
# unless given; undef leaves one out.
sub request {
  my ($self, $method, $path, $headers, $body) = @_;
  my $socket = $self->connected;
  my %sent = (Host => $self->{host}, Connection => 'close', Cookie => $self->{cookie},
    'Ckrun-Page' => $self->{key}, %{$headers // {}});
  $sent{'Content-Length'} = length $body if defined $body;
  my $text = "$method $path HTTP/1.1\r\n";
  defined $sent{$_} and $text .= "$_: $sent{$_}\r\n" for sort keys %sent;
  print $socket "$text\r\n", $body // '';
  my $all = do { local $/; <$socket> } // '';
  my ($head, $rest) = split /\r\n\r\n/, $all, 2;
  my ($first, @lines) = split /\r\n/, $head // '';
  my %headers = map { /^([^:]+):\s*(.*)$/ ? (lc $1 => $2) : () } @lines;
  $rest = unchunk($rest) if ($headers{'transfer-encoding'} // '') eq 'chunked';
  return {status => ($first // '') =~ m{^HTTP/1.1 (\d+)} ? $1 : 0, headers => \%headers,
    body => $rest // ''};
}

sub unchunk {
  my ($rest, $text) = ($_[0] // '', '');
  while ($rest =~ s/^([0-9a-fA-F]+)\r\n//) {
    $text .= substr $rest, 0, hex $1, '';
    $rest =~ s/^\r\n//;
  }
  return $text;
}

# Opens the link, as a browser does; keeps the cookie.
sub enter {
  my $self = shift;
  my $answer = $self->request(GET => "/?token=$self->{token}");
  ($self->{cookie}) = ($answer->{headers}{'set-cookie'} // '') =~ /^([^;]+)/;
  return $answer;
}

sub get { my ($self, $path) = @_; return $self->request(GET => $path) }

sub post {
  my ($self, $path, $body) = @_;
  return $self->request(POST => $path, {Origin => "http://$self->{host}"}, $body // '');
}

# The objects of an answer.
sub objects { return map { decode_json($_) } grep { /\S/ } split /\n/, $_[1]{body} }

sub DESTROY {
  my $self = shift;
  local $?;
  if ($self->{pid}) { kill 'KILL', $self->{pid}; waitpid $self->{pid}, 0 }
  chdir '/';
}

1;
