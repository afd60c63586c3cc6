#!/usr/bin/perl
# run_document.pl - does what a document shows, block by block, in a scratch folder: run_document.pl DOCUMENT. TAP.
#
#   ```LANGUAGE file=NAME   is written to NAME; executable when it begins with #!
#   ```sh                   is run, line by line (a \ at the end joins the next line): each line must exit 0, or with N
#                           where it ends in "# exit N". Lines that begin with "$ " are commands, those behind one its
#                           output, both streams in one: … is anything in a line, a line of … alone any lines.
#   anything else           is only read
#
# Files stay for the blocks that follow, and so does what a command leaves running, until the end; nothing else does: each
# command has a shell of its own, without standard input.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

my $DOTS = "\x{2026}";
my $SECONDS = $ENV{DOCUMENT_SECONDS} || 60;
my $checks = 0;
my $failed = 0;
my @left; # groups of processes that outlived their command

sub check {
  my ($fine, $name, @said) = @_;
  $checks++;
  $failed++ if !$fine;
  $name =~ s/#/\\#/g;
  print $fine ? "ok" : "not ok", " $checks - $name\n";
  return if $fine;
  print map { "#   $_\n" } map { split /\n/ } @said;
}

# ---- the document ----

# A list of {line, info, lines}.
sub read_blocks {
  my ($path) = @_;
  my ($open, $fence, @blocks);
  open my $in, '<', $path or die "$path: $!\n";
  while (my $line = <$in>) {
    chomp $line;
    if ($open) {
      if ($line =~ /^\s*\Q$fence\E\s*$/) { push @blocks, $open; undef $open }
      else { push @{ $open->{lines} }, $line }
    } elsif ($line =~ /^(`{3,})(.*)$/) {
      $fence = $1;
      (my $info = $2) =~ s/^\s+|\s+$//g;
      $open = { line => $., info => $info, lines => [] };
    }
  }
  die "$path:$open->{line}: a block that does not end\n" if $open;
  return @blocks;
}

# Of "lua file=shop.lua": the language, and what is said by name.
sub read_info {
  my ($info) = @_;
  my ($language, @rest) = split ' ', $info;
  my %said;
  for (@rest) {
    /^(file)=([\w.][\w.\/-]*)$/ && $2 !~ m{(^|/)\.\.(/|$)} or return ($language // '', undef, "'$_' is not understood");
    $said{$1} = $2;
  }
  return ($language // '', \%said, undef);
}

# The commands of a block: {line, text, exit, output}; output undef where none is shown.
sub read_commands {
  my ($block) = @_;
  my $shown = grep { /^\$ / } @{ $block->{lines} };
  my (@commands, $joined);
  my $at = $block->{line};
  for my $line (@{ $block->{lines} }) {
    $at++;
    if ($joined) {
      $commands[-1]{text} .= "\n$line";
    } elsif ($shown ? $line =~ s/^\$ // : $line =~ /\S/ && $line !~ /^\s*#/) {
      push @commands, { line => $at, text => $line, output => $shown ? [] : undef };
    } elsif ($shown && @commands) {
      push @{ $commands[-1]{output} }, $line;
      next;
    } else {
      next;
    }
    $joined = $line =~ /\\$/;
  }
  for (@commands) { $_->{exit} = $_->{text} =~ /#\s*exit\s+(\d+)\s*$/ ? $1 : 0 }
  return @commands;
}

# ---- what is done ----

sub write_file {
  my ($name, $lines) = @_;
  make_path(dirname($name));
  open my $out, '>', $name or return "$name: $!";
  print $out map { "$_\n" } @$lines;
  close $out or return "$name: $!";
  chmod 0755, $name if @$lines && $lines->[0] =~ /^#!/;
  return undef;
}

# Exit code (128 + signal; 'late') and output.
sub run_command {
  my ($text) = @_;
  my $pid = open my $from, '-|';
  die "fork: $!\n" if !defined $pid;
  if (!$pid) {
    setpgrp;
    open STDIN, '<', '/dev/null';
    open STDERR, '>&', \*STDOUT;
    exec 'sh', '-c', $text or exit 127;
  }
  my $output = '';
  my $late = 0;
  local $SIG{ALRM} = sub { $late = 1; kill 'KILL', -$pid };
  alarm $SECONDS;
  while (my $line = <$from>) { $output .= $line }
  close $from;
  my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
  alarm 0;
  push @left, $pid if !$late && kill 0, -$pid;
  return ($late ? 'late' : $code, $output);
}

# A shown line, as a pattern.
sub pattern_of {
  my ($line) = @_;
  return join '.*', map { quotemeta } split /$DOTS/, $line, -1;
}

# The output that is shown, with … in it, is the one that came.
sub is_like {
  my ($shown, $output) = @_;
  my @shown = @$shown;
  pop @shown while @shown && $shown[-1] =~ /^\s*$/;
  my $pattern = join '', map { /^\s*$DOTS\s*$/ ? '(?:.*\n)*?' : pattern_of($_) . '[ \t]*\n' } @shown;
  $output .= "\n" if $output ne '' && $output !~ /\n\z/;
  $output =~ s/\n\s*\z/\n/;
  return $output =~ /\A$pattern\z/;
}

sub perform {
  my ($command, $where) = @_;
  my ($code, $output) = run_command($command->{text});
  (my $name = $command->{text}) =~ s/\s+/ /g;
  my $fine = $code eq $command->{exit};
  my @said = $fine ? () : ("exit $code, not $command->{exit}");
  if ($fine && $command->{output} && !is_like($command->{output}, $output)) {
    $fine = 0;
    @said = ('shown:', (map { "  $_" } @{ $command->{output} }), 'came:');
  }
  check($fine, "$where:$command->{line} $name", @said, map { "  $_" } split /\n/, $output);
}

# ---- main ----

die "usage: run_document.pl DOCUMENT\n" if @ARGV != 1;
my $document = abs_path($ARGV[0]) or die "$ARGV[0]: $!\n";
my $ckrun = abs_path($ENV{CKRUN} // die "CKRUN must be the path of the program\n");
my @blocks = read_blocks($document);
my $scratch = tempdir('ckrun-document.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $home = "$scratch/home";
my $work = "$scratch/work";
make_path($home, $work, "$scratch/bin");
symlink $ckrun, "$scratch/bin/ckrun" or die "$scratch/bin/ckrun: $!\n";
delete @ENV{ grep { /^CKRUN|_proxy$/i } keys %ENV };
@ENV{qw(PATH HOME XDG_STATE_HOME NO_COLOR LC_ALL)} = ("$scratch/bin:$ENV{PATH}", $home, "$home/state", 1, 'C.UTF-8');
chdir $work or die "$work: $!\n";

my $where = $ARGV[0];
for my $block (@blocks) {
  my ($language, $said, $problem) = read_info($block->{info});
  if ($problem) {
    check(0, "$where:$block->{line} $block->{info}", $problem);
  } elsif ($said->{file}) {
    my $wrong = write_file($said->{file}, $block->{lines});
    check(!$wrong, "$where:$block->{line} $said->{file}", $wrong // '');
  } elsif ($language eq 'sh') {
    perform($_, $where) for read_commands($block);
  }
}
kill 'TERM', map { -$_ } @left if @left;
chdir '/';
print "1..$checks\n";
exit($failed > 0);
