# View.pm - the transcript as it came, and what of it lives: at the end, and at each checkpoint.
#
# Rules: every resume, rewind, undo and fork begins a timeline that goes back to a checkpoint; what
# came behind that checkpoint is abandoned. A scope that stood between two of its boundaries says
# its messages anew from its own cut; intents and outcomes stay, because what was begun was begun.
package View;
use strict;
use warnings;

my %said_anew = map { $_ => 1 } qw(message replay divergence rewind delegation note);

sub new {
  my ($class, @all) = @_;
  my $self = bless { all => \@all, by_seq => { map { $_->{seq} => $_ } @all }, checkpoints => [],
      said_anew => {} },
    $class;
  $self->_walk;
  name_agents($self->living);
  return $self;
}

# A message that names nobody, of an older store, is of the only agent that boundaries of its scope
# name, else of the only one that acts there; where a model is asked for nobody, too, it is nobody's.
sub name_agents {
  my (%acts, %owns);
  $owns{ $_->{scope} }{ $_->{agent} } = 1
    for grep { $_->{kind} eq "boundary" && defined $_->{agent} } @_;
  for my $event (grep { $_->{kind} eq "intent" && !defined $_->{agent} } @_) {
    $acts{ $event->{scope} }{""} = 1 if ($event->{body}{kind} // "") eq "model";
  }
  for my $event (grep { $_->{kind} =~ /^(intent|outcome)$/ && defined $_->{agent} } @_) {
    $acts{ $event->{scope} }{ $event->{agent} } = 1;
  }
  for my $event (grep { $_->{kind} eq "message" && !defined $_->{agent} } @_) {
    my @agents = keys %{ $owns{ $event->{scope} } // $acts{ $event->{scope} } // {} };
    $event->{agent} = $agents[0], $event->{unnamed} = 1 if @agents == 1 && $agents[0] ne "";
  }
}

sub _walk {
  my ($self) = @_;
  my (@living, @asked);
  for my $event (@{ $self->{all} }) {
    my $body = $event->{body};
    if (begins_timeline($event)) {
      $self->{rewound}{ $event->{timeline} } = 1 if $event->{kind} eq "session_rewound";
      @living = $self->_back_to($event);
      @asked = $body->{checkpoint} ? @{ $self->{asked_at}{ $body->{checkpoint} } } : ();
    }
    push @living, $event;
    push @asked, $event if $event->{kind} eq "delegation";
    next if $event->{kind} ne "boundary" || !$body->{checkpoint};
    push @{ $self->{checkpoints} }, $event;
    $self->{living_at}{ $body->{checkpoint} } = [@living];
    $self->{asked_at}{ $body->{checkpoint} } = [@asked];
  }
  $self->{living} = \@living;
}

# Whether a message is what a rewind by hand tells: the report, and the answers to calls before which
# it went back, which were never made.
sub is_told {
  my ($self, $event) = @_;
  return $event->{kind} eq "message"
    && ($event->{body}{report} || $self->{rewound}{ $event->{timeline} }) ? 1 : 0;
}

sub begins_timeline { $_[0]{kind} =~ /^session_(resumed|rewound|undone|forked)$/ }

# What lives when a timeline goes back to a checkpoint, or to the first event without one.
sub _back_to {
  my ($self, $event) = @_;
  my $body = $event->{body};
  my $from = $body->{checkpoint};
  my $cuts = $body->{cuts} // {};
  my $then = $from ? $self->{living_at}{$from} // die "no checkpoint $from\n"
    : [ $self->{all}[0] ];
  return grep { !$self->_is_said_anew($_, $cuts->{ $_->{scope} }) } @$then;
}

sub _is_said_anew {
  my ($self, $event, $cut) = @_;
  return 0 if !$said_anew{ $event->{kind} } || !defined $cut || $event->{seq} <= $cut;
  $self->{said_anew}{ $event->{seq} } = 1;
  return 1;
}

# How many events scopes were to say anew that went on from their cuts.
sub said_anew { scalar keys %{ $_[0]{said_anew} } }

# All events, over all timelines, up to `seq`.
sub until {
  my ($self, $seq) = @_;
  return grep { $_->{seq} <= $seq } @{ $self->{all} };
}

# What lives at the checkpoint whose boundary is `event`.
sub at { @{ $_[0]{living_at}{ $_[1]{body}{checkpoint} } } }

# The event of a checkpoint's boundary; undef: there is none of that id.
sub boundary {
  my ($self, $id) = @_;
  return defined $id && (grep { $_->{body}{checkpoint} eq $id } @{ $self->{checkpoints} })[0];
}

# The delegations on the way to a checkpoint, also those that a scope is still to say anew.
sub asked { @{ $_[0]{asked_at}{ $_[1]{body}{checkpoint} } } }

sub living { @{ $_[0]{living} } }

# The outcome that an event gives: its own, or the one that a replay stands for.
sub outcome {
  my ($self, $event) = @_;
  return $event if $event->{kind} eq "outcome";
  return $event->{kind} eq "replay" ? $self->{by_seq}{ $event->{body}{of} } : undef;
}

# Whether a boundary is one of its scope; others are of the session as a whole.
sub is_of_scope {
  return $_[0]{kind} eq "boundary" && $_[0]{body}{kind} !~ /^(pause|failure|edit|final)$/;
}

# What a resume would have now: all up to the newest checkpoint, and the outcomes behind it, which
# it replays; what has failed behind its scope's cut is tried again. A run that went on from there
# has said some of them anew: the replay stands for its outcome, which counts once.
sub resumable {
  my ($self) = @_;
  return $self->living if !$self->_newest && ($self->is_over || !$self->{all}[0]{body}{flow});
  my $until = $self->_newest // $self->{all}[0]; # without a checkpoint it begins anew
  my %again = map { $_->{seq} => 1 } $self->failed_behind, $self->superseded_behind;
  $again{ $_->{body}{of} } = 1
    for grep { $_->{kind} eq "replay" && $_->{seq} > $until->{seq} } $self->living;
  return grep {
    !$again{ $_->{seq} } && ($_->{seq} <= $until->{seq} || $_->{kind} =~ /^(outcome|replay)$/)
  } $self->living;
}

# The outcomes behind the cut of their scope in whose place a later one has come, or a replay, which
# may stand for one of another timeline.
sub superseded_behind {
  my ($self) = @_;
  my $cuts = $self->_cuts_now // return ();
  my (%last, @superseded);
  for my $event (grep { $_->{kind} =~ /^(outcome|replay)$/ } $self->living) {
    next if $event->{seq} <= ($cuts->{ $event->{scope} } // 0);
    my $key = $event->{body}{key};
    push @superseded, $last{$key} if $last{$key};
    $last{$key} = $event;
  }
  return @superseded;
}

# The outcomes that have failed behind the cut of their scope.
sub failed_behind {
  my ($self) = @_;
  my $cuts = $self->_cuts_now // return ();
  return grep {
    $_->{kind} eq "outcome" && $_->{body}{status} eq "failed"
      && $_->{seq} > ($cuts->{ $_->{scope} } // 0)
  } $self->living;
}

sub is_over {
  my ($end) = grep { $_->{kind} =~ /^session_/ } reverse @{ $_[0]{all} };
  return $end->{kind} =~ /^session_(completed|cancelled)$/ ? 1 : 0;
}

# Where each scope would go on from: without a checkpoint from its beginning. undef: nothing goes on.
sub _cuts_now {
  my ($self) = @_;
  my $newest = $self->_newest;
  return $self->cuts($self->at($newest)) if $newest;
  return $self->is_over || !$self->{all}[0]{body}{flow} ? undef : {};
}

# What a resume goes on from: what lives at the newest checkpoint, else the first event.
sub resumed_from {
  my ($self) = @_;
  my $newest = $self->_newest;
  return $newest ? $self->at($newest) : ($self->{all}[0]);
}

# The boundary of the newest checkpoint that lives.
sub _newest {
  return (grep { $_->{kind} eq "boundary" && $_->{body}{checkpoint} } $_[0]->living)[-1];
}

# Where a session begins with what another run had said: the pause behind it covers it.
sub is_import {
  my ($event) = @_;
  return $event->{kind} eq "note" && ($event->{body}{type} // "") eq "run_checkpoint";
}

# Where each scope stands at the end of a list of events: the seq of its last boundary, or of the
# answer with which it ended.
sub cuts {
  my ($self, @list) = @_;
  my (%cut, %marked, $imported);
  for my $event (@list) {
    my $scope = $event->{scope};
    mark(\%marked, $event);
    $imported ||= is_import($event);
    $cut{main} //= $event->{seq} if $imported && $event->{kind} eq "boundary";
    $cut{$scope} = $event->{seq}
      if is_of_scope($event) || $self->is_answer($event) && !$marked{$scope};
  }
  return \%cut;
}

# Whether an event gives an answer that calls nothing. It ends its scope, unless a model's
# checkpoint is active there: then the model is warned and asked again.
sub is_answer {
  my ($self, $event) = @_;
  my $outcome = $self->outcome($event) // return 0;
  my $message = $outcome->{body}{message} // return 0;
  return $outcome->{body}{kind} eq "model" && !@{ $message->{tool_calls} // [] };
}

# Notes in which scopes a model's checkpoint is active: not where it, or a person, has gone back with
# a report.
sub mark {
  my ($marked, $event) = @_;
  my $message = $event->{body}{message};
  my $content = ref $message eq "HASH" ? $message->{content} : undef;
  delete $marked->{ $event->{scope} } if $event->{kind} eq "rewind" || $event->{body}{report};
  $marked->{ $event->{scope} } = 1
    if defined $content && !ref $content && $content =~ /^Checkpoint created\./;
}

1;
