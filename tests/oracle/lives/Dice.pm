# Dice.pm - chance from a seed: the same on every machine.
package Dice;
use strict;
use warnings;

use Digest::MD5 qw(md5);

# new SEED…: texts and numbers.
sub new { my ($class, @seed) = @_; return bless { seed => "@seed", n => 0 }, $class }

# A whole number from 0, below `sides`.
sub roll {
  my ($self, $sides) = @_;
  return unpack("N", md5("$self->{seed} " . $self->{n}++)) % $sides;
}

sub one_in { $_[0]->roll($_[1]) == 0 }
sub pick { my ($self, @of) = @_; return $of[ $self->roll(scalar @of) ] }

# Some of a list, in order, at least one.
sub some {
  my ($self, @of) = @_;
  my @some = grep { $self->one_in(2) } @of;
  return @some ? @some : $self->pick(@of);
}

1;
