# Said.pm - what ckrun says: the output of its commands and of its MCP server.
package Said;
use strict;
use warnings;

use IPC::Open2;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical;

sub new { bless { ckrun => $_[1] }, $_[0] }

# One object for each line of a command's output, without its version.
sub lines {
  my ($self, @command) = @_;
  my @objects = map { $json->decode($_) } $self->text(0, "--json", @command);
  delete $_->{ckrun_json} for @objects;
  return @objects;
}

# The lines of the output of a command that ends with exit code `exit`.
sub text {
  my ($self, $exit, @command) = @_;
  open my $from, "-|", $self->{ckrun}, @command or die "cannot run $self->{ckrun}: $!";
  chomp(my @lines = <$from>);
  close $from;
  $? == $exit << 8 or die "ckrun @command: status $?, not exit $exit\n";
  return @lines;
}

# The object on a command's standard output, whatever its exit code; {} when there is none.
sub document {
  my ($self, @command) = @_;
  my $pid = open(my $from, "-|") // die "cannot fork: $!";
  if (!$pid) {
    open STDERR, ">", "/dev/null";
    exec $self->{ckrun}, "--json", @command or die;
  }
  my $text = do { local $/; <$from> };
  close $from;
  return eval { $json->decode($text) } // {};
}

# The object of a command, or { refused => TEXT }.
sub object {
  my ($self, @command) = @_;
  my $pid = open(my $from, "-|") // die "cannot fork: $!";
  if (!$pid) {
    open STDERR, ">&", \*STDOUT;
    exec $self->{ckrun}, "--json", @command or die;
  }
  my $text = do { local $/; <$from> };
  my $good = close $from;
  my $object = eval { $json->decode($text) } // { error => { text => $text } };
  return $good ? $object : { refused => $object->{error}{text} };
}

# The result of a tool of the MCP server; its text when that is an error.
sub tool {
  my ($self, $name, $arguments) = @_;
  $self->_begin_mcp if !$self->{to};
  my $answer = $self->_ask("tools/call", { name => $name, arguments => $arguments });
  return $answer->{isError} ? $answer->{content}[0]{text} : $answer->{structuredContent};
}

sub _begin_mcp {
  my ($self) = @_;
  $self->{pid} = open2($self->{from}, $self->{to}, $self->{ckrun}, "mcp");
  $self->_ask("initialize", { protocolVersion => "2025-06-18", capabilities => {},
    clientInfo => { name => "oracle", version => "1" } });
  print { $self->{to} } $json->encode({ jsonrpc => "2.0", method => "notifications/initialized" }),
    "\n";
}

sub _ask {
  my ($self, $method, $params) = @_;
  my $id = ++$self->{id};
  my $to = $self->{to};
  $to->autoflush(1);
  print $to $json->encode({ jsonrpc => "2.0", id => $id, method => $method, params => $params }),
    "\n";
  while (my $line = readline $self->{from}) {
    my $answer = $json->decode($line);
    return $answer->{result} // die "$method: $line" if ($answer->{id} // 0) == $id;
  }
  die "the MCP server has ended at $method\n";
}

sub DESTROY {
  my ($self) = @_;
  return if !$self->{to};
  local $?; # the exit code of who uses this
  close $self->{to};
  waitpid $self->{pid}, 0;
}

1;
