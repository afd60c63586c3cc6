#!/usr/bin/perl
# json_walk.pl - holds what commands printed as JSON against JSON.md: json_walk.pl JSON.md FOLDER,
# where FOLDER/COMMAND (a _ for each space) has what the command printed, an object a line. Prints
# 1 or 0, what is checked, and what is wrong.
use strict;
use warnings;
use JSON::PP;

my ($document, $folder) = @ARGV;
my $json = JSON::PP->new->utf8;

# Rows of the tables: of a command, of an object inside, and of what is passed on as it is.
my (%row, %known, %passed_on);
my $section = "";
open my $in, "<", $document or die "$document: $!\n";
while (my $line = <$in>) {
  $section = $1 if $line =~ /^## (.*)/;
  next if $line !~ /^\|\s*`/;
  my (undef, $names, @cells) = split /\|/, $line;
  my @names = $names =~ /`([^`]+)`/g;
  my %members = map { $_ => 1 } "@cells" =~ /`([a-z_0-9]+)`/g;
  if ($section eq "Passed on") { $passed_on{$_} = 1 for @names }
  else { $known{$_} = 1 for keys %members, @names }
  if ($section eq "Commands") { $row{ s/ /_/gr } = \%members for @names }
}
my ($version) = do { open my $all, "<", $document or die; local $/; <$all> } =~
  /`"ckrun_json": (\d+)`/ or die "no version in $document\n";

sub say_of { print join("\t", @_), "\n" }

my %bare = map { $_ => 1 } qw(cost costs spent price budget money paid reserve reserved usd bytes
  size ms us s micros seconds time duration latency elapsed active average mean_time age);

# What is wrong with a member's name; `unit` is that of the object around it.
sub wrong {
  my ($name, $value, $unit) = @_;
  return "camelCase" if $name =~ /[A-Z]/;
  return "a unit of another scheme" if $name =~ /_(us|s|sec|seconds|min|micros|cents|kb|mb)$/;
  return if ref $value || !defined $value || $value !~ /^-?[0-9.]+(e[-+]?\d+)?$/i;
  return "no unit" if $bare{$name};
  my %word = map { $_ => 1 } split /_/, $name;
  my ($last) = $name =~ /([a-z]+)$/;
  return "money without _usd" if (grep { $word{$_} } qw(cost spent price budget money reserved
    reserve paid)) && $last ne "usd";
  return "a duration without _ms" if (grep { $word{$_} } qw(time duration latency elapsed active
    average)) && $last ne "ms";
  return "a size without _bytes" if (grep { $word{$_} } qw(size bytes)) && $last ne "bytes";
  return "an amount without the unit of $unit" if $unit eq "budget" && $last ne "usd" ||
    $unit eq "time" && $last ne "ms";
  return;
}

my @problems;
sub walk {
  my ($at, $value, $unit) = @_;
  if (ref $value eq "ARRAY") { walk($at, $_, $unit) for @$value }
  return if ref $value ne "HASH";
  for my $name (sort keys %$value) {
    my $wrong = wrong($name, $value->{$name}, $unit);
    push @problems, "$at.$name: $wrong" if $wrong;
    push @problems, "$at.$name is not in JSON.md" if !$known{$name};
    walk("$at.$name", $value->{$name}, $name) if !$passed_on{$name};
  }
}

# Numbers of dollars and milliseconds as they are written: decimals that are exact.
sub written {
  my ($line) = @_;
  my $number = qr/-?(0|[1-9]\d*)(\.\d*[1-9])?/;
  return grep { !/^"[a-z_]*":($number|null|\{)$/ || /\.\d{7}/ }
    $line =~ /("[a-z_]*_(?:usd|ms)":(?:\{|[^,}\]]+))/g;
}

opendir my $list, $folder or die "$folder: $!\n";
for my $file (sort grep { !/^\./ } readdir $list) {
  open my $lines, "<", "$folder/$file" or die "$folder/$file: $!\n";
  my ($command, $objects, @unversioned, @inexact, @strange) = ($file =~ s/_/ /gr, 0);
  @problems = ();
  while (my $line = <$lines>) {
    chomp $line;
    my $object = eval { $json->decode($line) };
    if (ref $object ne "HASH") { push @strange, "no object: $line"; next }
    $objects++;
    push @unversioned, substr $line, 0, 60 if ($object->{ckrun_json} // "") ne $version ||
      ($file !~ /^mcp/ && $line !~ /^\{"ckrun_json":/);
    delete $object->{ckrun_json};
    push @strange, map { "$_ is not in its row" } grep { !($row{$file} // {})->{$_} } keys %$object;
    push @inexact, written($line) if $file !~ /^(sessions_(log|tail)|run_--events|mcp_agent)/;
    walk($command, $object, "");
  }
  my %seen;
  my @wrong = grep { !$seen{$_}++ } @problems;
  say_of(@unversioned ? 0 : 1, "$command: each of its objects has the version", "@unversioned");
  say_of(@wrong ? 0 : 1, "$command: each member has its unit, and is documented",
    join "; ", @wrong);
  say_of(@strange ? 0 : 1, "$command: its row has its members", join "; ", @strange);
  say_of(@inexact ? 0 : 1, "$command: dollars and milliseconds are exact", "@inexact");
  say_of($objects && $row{$file} ? 1 : 0, "$command: has a row", "");
}
