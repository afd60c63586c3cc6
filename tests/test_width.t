#!/usr/bin/perl
# test_width.t - one width: no line of the sources is wider than 100 columns. Of documents only
# prose counts: a table's row and what stands in a fence are as wide as they are. Two kinds of files
# keep theirs: lua/ck/meta.lua, made from the C tables, whose annotations cannot be broken, and the
# flows of tests/golden, whose digests stand in the golden stores.
use strict;
use warnings;
use open qw(:std :utf8);
use File::Find;
use File::Temp 'tempfile';
use FindBin;

# wide FILE: the numbers of the lines that are too wide.
sub wide {
  my ($file) = @_;
  open my $lines, '<', $file or return ("$file: $!");
  my ($fenced, @wide);
  while (<$lines>) {
    chomp;
    $fenced = !$fenced if $file =~ /\.md$/ && /^\s*```/;
    next if length() <= 100 || $file =~ /\.md$/ && ($fenced || /^\s*\|/ || !/\S \S/);
    push @wide, $.;
  }
  return @wide;
}

my %kinds = map { $_ => 1 } qw(c h lua sql sh t pl awk md);
my (@files, @offenders);
chdir "$FindBin::Bin/.." or die $!;
find({
  no_chdir => 1,
  wanted => sub {
    $File::Find::prune = 1 if m{^\./(build|\.git)$} || m{/node_modules$};
    return if $_ eq './lua/ck/meta.lua' || m{^\./tests/golden/.*\.lua$};
    push @files, $_ if -f && (m{/Makefile$} || m{^\./\.ci/} || /\.(\w+)$/ && $kinds{$1});
  },
}, '.');
for my $file (sort @files) {
  my @lines = wide($file);
  push @offenders, "$file: line @lines" if @lines;
}
print "TAP version 13\n1..3\n";
print @files > 500 ? '' : 'not ', "ok 1 - the sources are found\n";
print @offenders ? 'not ' : '', "ok 2 - none has a line of more than 100 columns\n";
print STDERR "# $_\n" for @offenders;

# The check sees what it is for: characters count, not bytes; a document's tables and fences do not.
my ($out, $sample) = tempfile(SUFFIX => '.md', UNLINK => 1);
binmode $out, ':utf8';
print $out "x " x 51, "\n| ", 'x ' x 60, "|\n```\n", 'x ' x 60, "\n```\n", "\x{e9} " x 50, "\n";
close $out;
my @seen = wide($sample);
print "@seen" eq '1' ? '' : 'not ', "ok 3 - a line that is too wide is seen\n";
exit(@offenders || "@seen" ne '1' ? 1 : 0);
