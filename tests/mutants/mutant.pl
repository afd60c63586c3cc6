#!/usr/bin/perl
# mutant.pl - reads a patch of tests/mutants, holds it against the tree, and applies it.
#   mutant.pl field PATCH NAME     what its header says of NAME, one line for each time
#   mutant.pl apply TREE PATCH     changes the files of the tree
#   mutant.pl check TREE PATCH…    says what is wrong, one line each; exit code 1: something is
# Where a hunk belongs is found by its text alone, which must stand in its file exactly once: line
# numbers, and whatever neighbours change around it, do not matter.
use strict;
use warnings;

my @fields = ("name", "breaks", "promise", "killed-by", "also-killed-by");
my %several = ("killed-by" => 1, "also-killed-by" => 1);

sub text_of {
  my ($path) = @_;
  open my $in, "<", $path or return undef;
  local $/;
  my $text = <$in>;
  return $text // "";
}

# {fields: {NAME: [values]}, hunks: [{file, before, after}]}, or what is wrong with it.
sub parse {
  my ($path) = @_;
  my ($file, $hunk, %field, @hunks);
  my $text = text_of($path) // return "$path cannot be read";
  for my $line (split /\n/, $text) {
    if (!$file && $line =~ /^([a-z-]+): (.*\S)$/) { push @{ $field{$1} }, $2 }
    elsif ($line =~ /^--- /) { undef $hunk }
    elsif ($line =~ m{^\+\+\+ b/(\S+)}) { $file = $1 }
    elsif ($line =~ /^@@ /) { push @hunks, $hunk = { file => $file, before => "", after => "" } }
    elsif ($hunk && $line =~ /^([ +-]?)(.*)$/) {
      $hunk->{before} .= "$2\n" if $1 ne "+";
      $hunk->{after} .= "$2\n" if $1 ne "-";
    }
    elsif ($line ne "") { return "its header has the line '$line'" }
  }
  return "it changes nothing" if !@hunks;
  return { fields => \%field, hunks => \@hunks };
}

# The files as the patch makes them, by path; or what is wrong.
sub changed {
  my ($tree, $patch) = @_;
  my %files;
  for my $hunk (@{ $patch->{hunks} }) {
    my $file = $hunk->{file};
    $files{$file} //= text_of("$tree/$file") // return "there is no file $file";
    my @places = split /(?<=\n)\Q$hunk->{before}\E/, "\n$files{$file}", -1;
    my ($line) = split /\n/, $hunk->{before};
    my $times = @places - 1;
    return "$file: the lines at '$line' stand there $times times, not once" if $times != 1;
    $files{$file} = substr join($hunk->{after}, @places), 1;
  }
  return \%files;
}

sub problems {
  my ($tree, $path) = @_;
  my $patch = parse($path);
  return $patch if !ref $patch;
  my (@found, $field);
  $field = $patch->{fields};
  my ($file) = $path =~ m{([^/]+)\.patch$};
  for my $name (@fields) {
    my $times = @{ $field->{$name} || [] };
    push @found, "its header has no '$name:'" if !$times;
    push @found, "its header has '$name:' $times times" if $times > 1 && !$several{$name};
  }
  push @found, "its header has an unknown '$_:'"
    for grep { my $name = $_; !grep { $_ eq $name } @fields } sort keys %$field;
  push @found, "its name is $field->{name}[0]" if ($field->{name}[0] // "") ne ($file // "");
  my %tests;
  for my $test (map { @{ $field->{$_} || [] } } "killed-by", "also-killed-by") {
    my ($script) = split / /, $test;
    push @found, "there is no test $script" if !-e "$tree/$script";
    push @found, "$script is named twice" if $tests{$script}++;
  }
  my $promises = text_of("$tree/tests/REQUIREMENTS.md") . text_of("$tree/core/README.md");
  push @found, "neither tests/REQUIREMENTS.md nor core/README.md promises '$_'"
    for grep { index($promises, $_) < 0 } @{ $field->{promise} || [] };
  my $made = changed($tree, $patch);
  push @found, $made if !ref $made;
  return @found;
}

my ($do, @rest) = @ARGV;
if ($do eq "field") {
  my $patch = parse($rest[0]);
  die "$rest[0]: $patch\n" if !ref $patch;
  print "$_\n" for @{ $patch->{fields}{ $rest[1] } || [] };
} elsif ($do eq "apply") {
  my $patch = parse($rest[1]);
  my $made = ref $patch ? changed($rest[0], $patch) : $patch;
  die "$rest[1]: $made\n" if !ref $made;
  for my $file (keys %$made) {
    open my $out, ">", "$rest[0]/$file" or die "$file: $!\n";
    print $out $made->{$file};
    close $out or die "$file: $!\n";
  }
} elsif ($do eq "check") {
  my $tree = shift @rest;
  my $bad = 0;
  for my $path (@rest) {
    for my $problem (problems($tree, $path)) {
      $bad = 1;
      print "$path: $problem\n";
    }
  }
  exit $bad;
} else {
  die "mutant.pl: field, apply or check\n";
}
