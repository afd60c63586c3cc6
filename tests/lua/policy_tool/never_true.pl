# never_true.pl - a random policy of comparisons, each on a line of its own, and which of these
# lines are ever true: worked out by going through it with every view that there can be.
# perl never_true.pl SEED: the policy on stdout, the lines that are true for some view on stderr.
use strict; use warnings;

srand(shift);
my @kinds = qw(tool_round final failure);
my @nodes = (undef, "a", "b");
my $line = 0;
my @text;

sub emit { push @text, shift; return ++$line }
sub pick { $_[rand @_] }

# {field, op, value}: of words, of what may be nil, of numbers; or the field alone, or not.
sub comparison {
  my $of = pick qw(kind node node events events);
  return { of => $of, op => pick(qw(== == ~=)), value => pick(@kinds) } if $of eq "kind";
  return { of => $of, op => pick(qw(== == ~= < <= > >=)), value => int rand 5 }
    if $of eq "events";
  my $op = pick qw(== == ~= true not);
  return { of => $of, op => $op, value => $op =~ /=/ ? pick(@nodes) : undef };
}
my %path = (kind => "at.kind", node => "at.node", events => "at.since.events");
sub words {
  my $c = shift;
  return $path{$c->{of}} if $c->{op} eq "true";
  return "not $path{$c->{of}}" if $c->{op} eq "not";
  my $value = !defined $c->{value} ? "nil" : $c->{of} eq "events" ? $c->{value} : "\"$c->{value}\"";
  my %turned = ("<" => ">", ">" => "<", "<=" => ">=", ">=" => "<=");
  return $value . " " . ($turned{$c->{op}} // $c->{op}) . " $path{$c->{of}}" if rand() < 0.2;
  return "$path{$c->{of}} $c->{op} $value";
}
# A condition: operands joined by and, these by or. Written and kept.
sub condition {
  my ($word, @parts) = shift;
  emit($word);
  for my $i (0 .. pick(0, 0, 0, 1)) {
    my @part;
    for my $j (0 .. pick(0, 0, 1, 2)) {
      my $c = comparison();
      $c->{line} = emit(($j ? "and " : $i ? "or " : "") . words($c));
      push @part, $c;
    }
    push @parts, \@part;
  }
  emit("then");
  return \@parts;
}
sub block {
  my ($depth, @statements) = shift;
  for (1 .. 1 + int rand 3) {
    my @branches = ([condition("if"), body($depth)]);
    push @branches, [condition("elseif"), body($depth)] while rand() < 0.3;
    if (rand() < 0.3) { emit("else"); push @branches, [undef, body($depth)] }
    emit("end");
    push @statements, \@branches;
  }
  return { statements => \@statements };
}
sub body {
  my $depth = shift;
  my $of = $depth > 0 && rand() < 0.6 ? block($depth - 1) : { statements => [] };
  $of->{returns} = rand() < 0.5;
  emit("return nil") if $of->{returns};
  return $of;
}

emit("return { name = \"p\", version = 1, checkpoint = function(at)");
my $all = block(2);
emit("end }");

my %true;
sub holds {
  my ($c, $view) = @_;
  my ($is, $value, $op) = ($view->{$c->{of}}, @$c{qw(value op)});
  return defined $is if $op eq "true";
  return !defined $is if $op eq "not";
  if ($c->{of} eq "events") {
    return $op eq "==" ? $is == $value : $op eq "~=" ? $is != $value : $op eq "<" ? $is < $value
      : $op eq "<=" ? $is <= $value : $op eq ">" ? $is > $value : $is >= $value;
  }
  my $same = defined $is ? defined $value && $is eq $value : !defined $value;
  return $op eq "==" ? $same : !$same;
}
sub meets {
  my ($parts, $view) = @_;
  return 1 if !$parts;
  for my $part (@$parts) {
    my $all = 1;
    for my $c (@$part) {
      $all = holds($c, $view) or last;
      $true{$c->{line}} = 1;
    }
    return 1 if $all;
  }
  return 0;
}
# Whether it returned.
sub walk {
  my ($of, $view) = @_;
  for my $branches (@{$of->{statements}}) {
    for (@$branches) {
      my ($parts, $body) = @$_;
      next if !meets($parts, $view);
      return 1 if walk($body, $view);
      last;
    }
  }
  return $of->{returns};
}
for my $kind (@kinds) {
  for my $node (@nodes) {
    walk($all, { kind => $kind, node => $node, events => $_ }) for map { $_ / 2 } -2 .. 12;
  }
}
print "$_\n" for @text;
print STDERR "$_\n" for sort { $a <=> $b } keys %true;
