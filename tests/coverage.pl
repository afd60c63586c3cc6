#!/usr/bin/perl
# coverage.pl - what of the code was run: lines, branches and functions by room, and the largest
# functions that never were.
#   coverage.pl BUILD [FOLDER…]   BUILD: objects made with --coverage, whose programs have run;
#                                 FOLDER: the sources that count, core and lua if none are named
#   HOLES=N                       so many of the functions that never ran, 25 unless told
#   GCOV=PROGRAM                  of the compiler's version, gcov unless told
# The counters are those of gcov. A program writes them when it ends: what one did that was killed,
# or left by _exit, is not in them.
use strict;
use warnings;
use File::Find;
use JSON::PP;

my ($build, @folders) = @ARGV;
die "usage: coverage.pl BUILD [FOLDER…]\n" unless $build && -d $build;
@folders = qw(core lua) unless @folders;
my $gcov = $ENV{GCOV} || 'gcov';
my $holes = length($ENV{HOLES} // '') ? $ENV{HOLES} : 25;

# An object that no program had is counted, too: its notes are there, its counters are not.
my @notes;
my @under = grep { -d } map { "$build/$_" } @folders;
die "coverage.pl: there are no objects of @folders in $build\n" unless @under;
find({ no_chdir => 1, wanted => sub { push @notes, $_ if /\.gcno$/ } }, @under);
die "coverage.pl: nothing in $build was built with --coverage\n" unless @notes;
my $counters = grep { (my $data = $_) =~ s/gcno$/gcda/; -e $data } @notes;
die "coverage.pl: no program of $build has run, or each was killed\n" unless $counters;

# What a header defines is in several objects: a line, a branch or a function ran if it did in any.
my (%lines, %branches, %functions);

sub add_line {
  my ($file, $line) = @_;
  my $key = "$line->{line_number} " . ($line->{function_name} // '');
  $lines{$file}{$key} += $line->{count};
  my $taken = $branches{$file}{$key} ||= [];
  my $at = 0;
  $taken->[$at++] += $_->{count} for @{ $line->{branches} };
}

sub add_function {
  my ($file, $function) = @_;
  my $known = $functions{$file}{"$function->{name} $function->{start_line}"} ||=
    { name => $function->{name}, at => $function->{start_line}, count => 0 };
  $known->{count} += $function->{execution_count};
}

my $wanted = join '|', map { quotemeta } @folders;
while (my @some = splice @notes, 0, 50) {
  open my $in, '-|', "$gcov --json-format --branch-probabilities --stdout @some 2>/dev/null"
    or die "coverage.pl: $gcov: $!\n";
  while (my $text = <$in>) {
    for my $file (@{ decode_json($text)->{files} }) {
      (my $name = $file->{file}) =~ s{^\./}{};
      next unless $name =~ m{^(?:$wanted)/};
      add_line($name, $_) for @{ $file->{lines} };
      add_function($name, $_) for @{ $file->{functions} };
    }
  }
  close $in or die "coverage.pl: $gcov failed, of $some[0] or one behind it\n";
}

# A line counts once, whatever functions it is part of; the holes are measured in their own lines.
my (%rooms, @never);
for my $file (keys %lines) {
  (my $room = $file) =~ s{/[^/]+$}{};
  my $sum = $rooms{$room} ||= {};
  my (%ran, %size);
  for my $key (keys %{ $lines{$file} }) {
    my ($number, $function) = split / /, $key, 2;
    $ran{$number} += $lines{$file}{$key};
    $size{$function}++;
    $sum->{branches} += @{ $branches{$file}{$key} };
    $sum->{taken} += grep { $_ } @{ $branches{$file}{$key} };
  }
  $sum->{lines} += keys %ran;
  $sum->{run} += grep { $_ } values %ran;
  for my $function (values %{ $functions{$file} }) {
    $sum->{functions}++;
    next if $function->{count};
    $sum->{never}++;
    push @never, [$size{ $function->{name} } // 0, "$file:$function->{at}", $function->{name}];
  }
}

sub row {
  my ($name, $sum) = @_;
  my $share = sub {
    my ($part, $whole) = map { $sum->{$_} // 0 } @_;
    return sprintf '%7d %6s', $whole, $whole ? sprintf('%.1f%%', 100 * $part / $whole) : '-';
  };
  printf "%-32s %s  %s %9d %6d\n", $name, $share->('run', 'lines'), $share->('taken', 'branches'),
    $sum->{functions} // 0, $sum->{never} // 0;
}

printf "%-32s %7s %6s %8s %6s %9s %6s\n", qw(room lines run branches taken functions never);
my %all;
for my $room (sort keys %rooms) {
  row($room, $rooms{$room});
  $all{$_} += $rooms{$room}{$_} for keys %{ $rooms{$room} };
}
row('all', \%all);

@never = sort { $b->[0] <=> $a->[0] || $a->[1] cmp $b->[1] } @never;
if (@never && $holes) {
  my $last = $holes < @never ? $holes : @never;
  print "\nnever run, the largest $last of ", scalar @never, ":\n";
  printf "%5d lines  %-48s %s\n", @$_ for @never[0 .. $last - 1];
}
