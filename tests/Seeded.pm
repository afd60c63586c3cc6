# Seeded.pm - draws from a seed, the same on every machine.
package Seeded;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(seed below one truth some);
my $state;

sub seed {
  $state = $_[0] * 2654435761 % 4294967296;
  below(2) for 1 .. 8;
  return;
}

# 0 to less than this many. It is xorshift.
sub below {
  $state ^= $state << 13 & 0xffffffff;
  $state ^= $state >> 17;
  $state ^= $state << 5 & 0xffffffff;
  return $state % $_[0];
}

sub one { return $_[below(scalar @_)] }
sub truth { return one('true', 'false') }

# A Lua list of some of these texts.
sub some { return '{ ' . join(', ', map { "\"$_\"" } grep { below(2) } @_) . ' }' }

1;
