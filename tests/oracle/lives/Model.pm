# Model.pm - a model behind HTTP for random lives: what it answers depends on the seed and on what
# it is asked, and on nothing else (no time, id, port or folder that a message tells); what goes
# wrong does so once.
package Model;
use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use IO::Select;
use IO::Socket::INET;
use JSON::PP;

use Dice;

my $json = JSON::PP->new->utf8->canonical;

# start SEED, FOLDER: (port, pid). FOLDER/pid names the process that a request may kill. The server
# ends with the process that starts it.
sub start {
  my ($seed, $folder) = @_;
  my $server = IO::Socket::INET->new(Listen => 20, LocalAddr => "127.0.0.1") or die "no port: $!";
  my $parent = $$;
  my $pid = fork // die "cannot fork: $!";
  return ($server->sockport, $pid) if $pid;
  $SIG{PIPE} = "IGNORE";
  my $self = { seed => $seed, folder => $folder, seen => {}, parallel => $ENV{ORACLE_PARALLEL} };
  my $waiting = IO::Select->new($server);
  while (getppid == $parent) {
    serve($self, scalar $server->accept) if $waiting->can_read(1);
  }
  exit 0;
}

sub serve {
  my ($self, $client) = @_;
  my ($length, $body) = (0, "");
  while (my $line = <$client>) {
    $length = $1 if $line =~ /^content-length: (\d+)/i;
    last if $line =~ /^\r?$/;
  }
  read $client, $body, $length;
  my $asked = eval { $json->decode($body) } // return close $client;
  my $said = without_chance($self, $json->encode($asked->{messages}));
  my $dice = Dice->new($self->{seed}, md5_hex($said));
  my $fate = $dice->roll(40);
  my $new = !$self->{seen}{$said}++;
  if ($new && $fate == 0) {
    kill_client("$self->{folder}/pid");
  } elsif ($new && $fate <= 2) {
    my $status = $dice->pick("500 Broken", "429 Too Many", "400 Bad Request", "401 Unauthorized");
    reply($client, $status, '{"error":{"message":"not now","type":"no"}}');
  } else {
    reply($client, "200 OK", $json->encode(answer($self, $asked, $dice)));
  }
  close $client;
}

# What is asked, without what is another at each run: times, ids, the port, the folder.
sub without_chance {
  my ($self, $said) = @_;
  $said =~ s/\Q$self->{folder}\E//g;
  $said =~ s/127\.0\.0\.1:\d+//g;
  $said =~ s/\d{4}-\d\d-\d\dT[\d:.]+Z//g;
  $said =~ s/\b(?:checkpoint|run)_[0-9a-f_-]+//g;
  return $said;
}

sub reply {
  my ($client, $status, $body) = @_;
  print $client "HTTP/1.1 $status\r\nContent-Type: application/json\r\nConnection: close\r\n",
    "Content-Length: ", length $body, "\r\n\r\n", $body;
}

sub kill_client {
  open my $from, "<", $_[0] or return;
  my $pid = <$from>;
  kill "KILL", $pid if $pid;
}

sub answer {
  my ($self, $asked, $dice) = @_;
  my $message = message($self, $asked, $dice);
  return { choices => [ { index => 0, message => $message,
    finish_reason => $message->{tool_calls} ? "tool_calls" : "stop" } ],
    usage => {
      prompt_tokens => 100 + $dice->roll(300), completion_tokens => 10 + $dice->roll(90) } };
}

# So many turns lie behind the last message of the user.
sub turns {
  my ($asked) = @_;
  my $turns = 0;
  for my $message (@{ $asked->{messages} }) {
    $turns = 0 if $message->{role} eq "user";
    $turns++ if $message->{role} eq "assistant";
  }
  return $turns;
}

sub message {
  my ($self, $asked, $dice) = @_;
  my %tool = map { $_->{function}{name} => $_->{function} } @{ $asked->{tools} // [] };
  my $text = "Answer " . $dice->roll(1000) . ".";
  my $turns = turns($asked);
  my $over = $turns >= 1 + $dice->roll(4);
  my @calls;
  if ($tool{finish}) {
    @calls = $over ? ([ finish => { result => $text } ]) : delegate($self, $tool{delegate}, $dice);
  } elsif (!$over && %tool) {
    @calls = map { call($self, $_, $tool{$_}, $dice) } $dice->some(sort keys %tool);
    push @calls, [ nothing => {} ] if $dice->one_in(15);
    splice @calls, 3 if @calls > 3;
    @calls = $calls[0] if grep { $_->[0] =~ /^(checkpoint|rewind)$/ } @calls;
  }
  return { role => "assistant", content => $text } if !@calls;
  my $n = 0;
  return { role => "assistant", content => $dice->one_in(2) ? $text : undef, tool_calls => [ map {
    { id => "c" . $turns . "_" . $n++ . "_" . $dice->roll(10000), type => "function",
      function => { name => $_->[0], arguments => $json->encode($_->[1]) } }
  } @calls ] };
}

sub call {
  my ($self, $name, $tool, $dice) = @_;
  return delegate($self, $tool, $dice) if $name eq "delegate";
  return [ note => { text => "note " . $dice->roll(1000) } ] if $name eq "note";
  return [ checkpoint => { goal => "goal " . $dice->roll(100) } ] if $name eq "checkpoint";
  return [ rewind => { report => "report " . $dice->roll(100) } ] if $name eq "rewind";
  return [ $name => { n => $dice->roll(100) } ];
}

# Whom it may ask is in the tool's description.
sub delegate {
  my ($self, $tool, $dice) = @_;
  my ($names) = $tool->{parameters}{properties}{target}{description} =~ /: (.*)/;
  my @names = $dice->some(split /, /, $names);
  my $message = "Question " . $dice->roll(1000) . "?";
  return [ delegate => { target => $names[0], message => $message } ] if @names == 1;
  my $how = $dice->pick("parallel", "sequential");
  $how = "sequential" if !$self->{parallel};
  return [ delegate => { $how => \@names, message => $message } ];
}

1;
