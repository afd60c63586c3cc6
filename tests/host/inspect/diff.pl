# diff.pl - applies each key's differences to its value at A and compares the result with its value
# at B.
# Usage: diff.pl DIFF A B: the JSON of `sessions diff`, and of `sessions inspect` at both ends.
# Exit 1: something differs.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my ($diff, $from, $to) = map { $json->decode($_) } @ARGV;
my %state = %{ $from->{state} };
my $root;

# A reference to the place that the last step of a path names, within what holds it.
sub place {
  my ($path) = @_;
  my @steps = map { s/~1/\//gr =~ s/~0/~/gr } split m{/}, $path, -1;
  shift @steps;
  my $last = pop @steps;
  my $at = $root;
  $at = ref $at eq "ARRAY" ? $at->[$_] : $at->{$_} for @steps;
  return ($at, $last);
}

for my $key (@{ $diff->{keys} }) {
  if ($key->{change} eq "removed") { delete $state{ $key->{key} }; next }
  if ($key->{change} eq "added") { $state{ $key->{key} } = $key->{value}; next }
  $root = $state{ $key->{key} };
  for my $one (@{ $key->{differences} }) {
    if ($one->{path} eq "") { $root = $one->{value}; next }
    my ($at, $last) = place($one->{path});
    if (ref $at eq "HASH") {
      $one->{op} eq "remove" ? delete $at->{$last} : ($at->{$last} = $one->{value});
    }
    elsif ($one->{op} eq "remove") { splice @$at, $last, 1 }
    elsif ($one->{op} eq "add") { splice @$at, $last, 0, $one->{value} }
    else { $at->[$last] = $one->{value} }
  }
  $state{ $key->{key} } = $root;
}
exit($json->encode(\%state) eq $json->encode($to->{state}) ? 0 : 1);
