# Proxy.pm - a process between programs and a server of PostgreSQL that drops and delays what they
# say, duplicates nothing, and writes down which commits the server has answered. It knows of ckrun
# only the statement of a commit, and reads its arguments from the wire.
#
# A folder for each program (p0, p1 …) has its socket. What is told to it, a line each:
#   server FOLDER   where the server's socket is from now on
#   cut before|half|after|blind [SKIP [REFUSE]]   the next commit, or one behind SKIP others: it
#     does not arrive, half of it does, it does and its answer does not, it does and nobody waits;
#     and the connection is lost, and so are the next REFUSE ones before they begin
#   delay MS N      each of the next N commits' connections stands still for so long
#   hole P MS       nothing of program P gets through, in either direction
# In its log, a line each: begun CUT; commit LEVEL SESSION EPOCH FROM TO ASKED, when the server has
# answered that it is made (ASKED: how many lines there were when it was asked); fenced SESSION
# EPOCH; failover.
package Proxy;
use strict;
use warnings;
use IO::Handle;
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes qw(sleep time);

use constant COMMIT => 'WITH fence AS (UPDATE lease';

# ---- one connection ----

# {client, server}: the sockets; {in}{X}: what came from X and is no whole message yet; {out}{X}:
# what goes to X; {asked}: what was asked and not answered; {made}: commits of an open transaction.
sub forget {
  my ($self, $link) = @_;
  return if $link->{gone};
  for my $side (qw(client server)) {
    my $socket = $link->{$side};
    $self->{select}->remove($socket);
    delete $self->{links}{ fileno $socket };
    close $socket;
  }
  $link->{gone} = 1;
  return;
}

sub arrive {
  my ($self, $listener, $program) = @_;
  my $client = $listener->accept or return;
  return close $client if $program && $self->{refuse} > 0 && $self->{refuse}--;
  my $server = IO::Socket::UNIX->new(Peer => "$self->{server}/.s.PGSQL.5432");
  return close $client if !$server;
  my $link = { client => $client, server => $server, program => $program, asked => [], made => [],
    in => { client => '', server => '' }, out => { client => '', server => '' }, until => 0 };
  for my $socket ($client, $server) {
    $socket->blocking(0);
    $self->{select}->add($socket);
    $self->{links}{ fileno $socket } = $link;
  }
  return;
}

# ---- what programs say ----

sub arguments {
  my ($body) = @_;
  my (undef, undef, $formats) = unpack 'Z* Z* n', $body;
  my $at = index($body, "\0", index($body, "\0") + 1) + 1 + 2 + 2 * $formats;
  my ($count) = unpack 'n', substr $body, $at, 2;
  my @values;
  for ($at += 2; $count > 0; $count--) {
    my $length = unpack 'l>', substr $body, $at, 4;
    push @values, $length < 0 ? undef : substr $body, $at + 4, $length;
    $at += 4 + ($length > 0 ? $length : 0);
  }
  return @values;
}

sub number { return defined $_[0] && length $_[0] == 8 ? unpack 'q>', $_[0] : 0 }

# Session, epoch, writer, the last seq before, the last one; the seventh is the level.
sub read_commit {
  my @of = arguments($_[0]);
  return { session => number($of[0]), epoch => number($of[1]), before => number($of[3]),
    last => number($of[4]), level => $of[6] };
}

sub ask {
  my ($self, $link, $type, $body) = @_;
  if ($type eq 'P') {
    my ($name, $text) = unpack 'Z* Z*', $body;
    $link->{commits}{$name} = 1 if index($text, COMMIT) == 0;
  } elsif ($type eq 'B') {
    my (undef, $name) = unpack 'Z* Z*', $body;
    my $commit = $link->{commits}{$name} ? read_commit($body) : undef;
    $commit->{asked} = $self->{lines} if $commit;
    push @{ $link->{asked} }, { commit => $commit };
    return $commit;
  } elsif ($type eq 'S' || $type eq 'Q') {
    push @{ $link->{asked} }, {} if $type eq 'Q';
    push @{ $link->{asked} }, { sync => 1 };
  }
  return;
}

# What is to become of a commit, and of its connection.
sub disturb {
  my ($self, $link, $message) = @_;
  if ($self->{delays} > 0) {
    $self->{delays}--;
    $link->{until} = time + $self->{delay};
  }
  return if !$self->{cut} || $self->{skip}-- > 0;
  my $how = delete $self->{cut};
  $self->{refuse} = $self->{refuses};
  $self->note("begun $how");
  return $link->{mute} = 1 if $how eq 'after';
  return $link->{blind} = 1 if $how eq 'blind';
  $link->{out}{server} .= substr $message, 0, length($message) / 2 if $how eq 'half';
  return $self->leave($link);
}

sub leave {
  my ($self, $link) = @_;
  syswrite $link->{server}, $link->{out}{server};
  return $self->forget($link);
}

sub take_client {
  my ($self, $link) = @_;
  my $in = \$link->{in}{client};
  while (!$link->{gone}) {
    my $head = $link->{started} ? 5 : 4;
    last if length $$in < $head;
    my $length = unpack('N', substr $$in, $head - 4, 4) + $head - 4;
    last if length $$in < $length;
    my $message = substr $$in, 0, $length, '';
    if ($link->{started}) {
      my $commit = $self->ask($link, substr($message, 0, 1), substr $message, 5);
      $self->disturb($link, $message) if $commit && $link->{program};
    }
    $link->{out}{server} .= $message if !$link->{gone};
    $self->leave($link) if $link->{blind} && $message =~ /^S/;
    $link->{started} = 1;
  }
  return;
}

# ---- what the server answers ----

sub settle {
  my ($self, $link, $tag) = @_;
  my $asked = $link->{asked};
  return if !@$asked || $asked->[0]{sync};
  my $one = shift @$asked;
  my $commit = $one->{commit};
  $link->{made} = [] if $tag =~ /^ROLLBACK/;
  return if !$commit;
  push @{ $link->{made} }, $commit if $one->{matched};
  $self->note("fenced $commit->{session} $commit->{epoch}") if !$one->{matched};
  return;
}

# The transaction is over: what was made in it is.
sub end {
  my ($self, $link) = @_;
  for my $commit (@{ $link->{made} }) {
    next if $commit->{last} < 0 || $commit->{before} < 0;
    $self->note(join ' ', 'commit', $commit->{level}, $commit->{session}, $commit->{epoch},
      $commit->{before} + 1, $commit->{last}, $commit->{asked});
  }
  $link->{made} = [];
  return;
}

sub answer {
  my ($self, $link, $type, $body) = @_;
  my $asked = $link->{asked};
  if ($type eq 'D' && @$asked && $asked->[0]{commit}) {
    my (undef, $length) = unpack 'n l>', $body;
    $asked->[0]{matched} = number(substr $body, 6, $length) == $asked->[0]{commit}{session};
  } elsif ($type eq 'C') {
    $self->settle($link, unpack 'Z*', $body);
  } elsif ($type eq 'E') {
    $link->{made} = [];
    shift @$asked while @$asked && !$asked->[0]{sync};
  } elsif ($type eq 'Z') {
    shift @$asked while @$asked && !$asked->[0]{sync};
    shift @$asked;
    $self->end($link) if $body eq 'I';
    return $link->{mute};
  }
  return 0;
}

sub take_server {
  my ($self, $link) = @_;
  my $in = \$link->{in}{server};
  while (length $$in >= 5) {
    my $length = unpack('N', substr $$in, 1, 4) + 1;
    last if length $$in < $length;
    my $message = substr $$in, 0, $length, '';
    return $self->forget($link) if $self->answer($link, substr($message, 0, 1), substr $message, 5);
    $link->{out}{client} .= $message if !$link->{mute};
  }
  return;
}

# ---- the turns ----

sub note {
  my ($self, $line) = @_;
  $self->{lines}++;
  print { $self->{log} } "$line\n";
  return;
}

sub obey {
  my ($self, $line) = @_;
  my ($word, @more) = split ' ', $line;
  if ($word eq 'server') {
    $self->{server} = $more[0];
    $self->note('failover');
  } elsif ($word eq 'cut') {
    @$self{qw(cut skip refuses)} = ($more[0], $more[1] // 0, $more[2] // 0);
  } elsif ($word eq 'delay') {
    @$self{qw(delay delays)} = ($more[0] / 1000, $more[1]);
  } elsif ($word eq 'hole') {
    $self->{holes}{ $more[0] } = time + $more[1] / 1000;
  }
  return;
}

sub stands_still {
  my ($self, $link) = @_;
  my $now = time;
  return $link->{until} > $now || ($self->{holes}{ $link->{program} } // 0) > $now;
}

sub move {
  my ($self, $link, $from, $to) = @_;
  return if $link->{gone};
  my $read = sysread $link->{$from}, my $bytes, 65536;
  if (!$read) {
    return if !defined $read && $!{EAGAIN};
    $self->flush($link);
    return $self->forget($link);
  }
  $link->{in}{$from} .= $bytes;
  return $from eq 'client' ? $self->take_client($link) : $self->take_server($link);
}

sub flush {
  my ($self, $link) = @_;
  for my $side (qw(server client)) {
    next if $link->{gone} || $link->{out}{$side} eq '' || $self->stands_still($link);
    my $wrote = syswrite $link->{$side}, $link->{out}{$side};
    substr $link->{out}{$side}, 0, $wrote, '' if $wrote;
    $self->forget($link) if !defined $wrote && !$!{EAGAIN};
  }
  return;
}

# What stands still is not read: who sends waits, and who is gone is seen later.
sub turn {
  my ($self) = @_;
  my $moved = 0;
  for my $ready ($self->{select}->can_read(0.01)) {
    my $fd = fileno $ready // next;
    if (defined(my $program = $self->{listeners}{$fd})) {
      $self->arrive($ready, $program);
    } elsif ($ready == $self->{words}) {
      return 0 if !sysread $ready, my $bytes, 4096;
      $self->{line} .= $bytes;
      $self->obey($1) while $self->{line} =~ s/^(.*)\n//;
    } elsif (my $link = $self->{links}{$fd}) {
      next if $self->stands_still($link);
      my @way = $ready == $link->{client} ? qw(client server) : qw(server client);
      $self->move($link, @way);
    } else {
      next;
    }
    $moved = 1;
  }
  sleep 0.005 if !$moved;
  my %all = map { $_ => $_ } values %{ $self->{links} };
  $self->flush($_) for values %all;
  return 1;
}

# start(FOLDER, PROGRAMS, SERVER): what is written to the handle that it returns is told to it; it
# ends with that. Its log is FOLDER/log.
sub start {
  my ($folder, $programs, $server) = @_;
  pipe my $words, my $tell or die $!;
  my %self = (words => $words, select => IO::Select->new($words), server => $server, line => '',
    lines => 0, delays => 0, refuse => 0, links => {});
  for my $program (0 .. $programs) {
    mkdir "$folder/p$program" or die $!;
    my $listener = IO::Socket::UNIX->new(Local => "$folder/p$program/.s.PGSQL.5432",
      Listen => 100) or die $!;
    $self{select}->add($listener);
    $self{listeners}{ fileno $listener } = $program;
    $self{open}{$program} = $listener;
  }
  my $pid = fork // die $!;
  if (!$pid) {
    close $tell;
    $SIG{PIPE} = $SIG{INT} = 'IGNORE';
    open $self{log}, '>>', "$folder/log" or die $!;
    $self{log}->autoflush(1);
    my $self = bless \%self;
    1 while $self->turn;
    POSIX::_exit(0);
  }
  $tell->autoflush(1);
  return ($tell, $pid);
}

1;
