#!/usr/bin/perl
# witness.t - what judges the fleet under faults finds each thing that must not be: a commit that is
# gone, two writers of a seq, an old owner behind a new one, runs between each other; and accuses
# nobody of what may be.
use strict;
use warnings;
use File::Temp 'tempfile';
use FindBin;
use lib $FindBin::Bin;
use Witness;

my ($checks, $failed) = (0, 0);

sub check {
  my ($holds, $name) = @_;
  $checks++;
  $failed += !$holds;
  print $holds ? '' : 'not ', "ok $checks - $name\n";
  return;
}

# The seqs that are said to be lost, and how many have two writers or come behind a newer epoch.
sub judge {
  my ($rows, @lines) = @_;
  my ($file, $name) = tempfile(UNLINK => 1);
  print $file map { "$_\n" } @lines;
  close $file or die $!;
  my ($commits) = Witness::heard($name);
  my ($by, $twice) = Witness::covered($commits);
  return join(',', map { /seq (\d+)/ } @{ Witness::lost($by, $rows) }) . ' ' . @$twice;
}

sub rows { return [map { [1, $_, 1] } 1 .. $_[0]] }

print "TAP version 13\n";
my @whole = ('commit on 1 1 1 2 0', 'commit local 1 1 3 4 1', 'commit on 1 2 5 5 2');
check(judge(rows(5), @whole) eq ' 0', 'what is there, with one writer each, is well');
check(judge(rows(4), @whole) eq '5 0', 'an acknowledged commit that is gone is found');
check(judge(rows(3), @whole[0, 1]) eq '4 0', 'one that was not synchronous, too');
check(judge(rows(2), @whole[0, 1], 'failover') eq ' 0', 'but not behind a failover');
check(judge(rows(2), @whole, 'failover') eq '3,4,5 0',
  'unless a synchronous one was asked for behind it');
check(judge(rows(2), @whole[0, 1], 'commit on 2 1 1 1 1', 'failover') eq '1 0',
  'one that was asked for before does not say so');
check(judge(rows(2), @whole[0, 1], 'failover', 'commit on 1 2 3 4 3') eq '3,4 0',
  'what is written in its place counts');
check(judge(rows(5), @whole, 'commit on 1 3 5 5 3') eq ' 1', 'two writers of a seq are found');
check(judge(rows(6), @whole, 'commit on 1 1 6 6 3') eq ' 1', 'an old owner behind a new one, too');
my @mixed = ([1, 1, 1], [1, 2, 2], [1, 3, 1]);
check(@{ Witness::mixed(\@mixed) } == 1, 'a run that writes behind a newer one is found');
check(@{ Witness::mixed([[1, 1, 1], [1, 3, 1]]) } == 1, 'and a seq that is missing');
check(!@{ Witness::mixed([@mixed[0, 1], [2, 1, 1]]) }, 'runs that follow each other are well');
print "1..$checks\n";
exit($failed > 0);
