#!/usr/bin/perl
# run_document.pl - runs what a document shows, block by block: run_document.pl DOCUMENT. TAP.
#
#   ```LANGUAGE file=NAME   is written to NAME; executable when its text begins with #!
#   ```sh                   is run line by line (a \ at the end joins the next line). Each line must
#                           exit 0, or N where the line ends in "# exit N". In a block with lines
#                           that begin with "$ ", these are the commands, and the lines behind each
#                           its output, both streams in one: … matches anything within a line, a
#                           line of … alone any lines. A last line "Killed" is what a shell reports
#                           of a command that died of SIGKILL.
#   anything else           is not run
#
# The document begins in an empty folder with ckrun in the PATH; or, with a line
# "<!-- run in a copy of the repository -->", in a copy of the repository as it is after `make`,
# with the usual PATH. Each command has a shell of its own, without standard input. Kept for the
# next command: files, processes that a command leaves running (until the document ends), the folder
# after a line `cd FOLDER`, and variables after a line `export NAME=VALUE`.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use POSIX qw(setsid);

my $DOTS = "\x{2026}";
my $SECONDS = $ENV{DOCUMENT_SECONDS} || 60;
my $checks = 0;
my $failed = 0;
my @left; # process groups that outlived their command

sub check {
  my ($passed, $name, @details) = @_;
  $checks++;
  $failed++ if !$passed;
  $name =~ s/#/\\#/g;
  print $passed ? "ok" : "not ok", " $checks - $name\n";
  return if $passed;
  print map { "#   $_\n" } map { split /\n/ } @details;
}

# ---- the document ----

# True when the document runs in a copy of the repository; then the blocks, {line, info, lines}.
sub read_blocks {
  my ($path) = @_;
  my ($open, $fence, @blocks);
  my $copied = 0;
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
    } elsif ($line eq '<!-- run in a copy of the repository -->') {
      $copied = 1;
    }
  }
  die "$path:$open->{line}: a block that does not end\n" if $open;
  return ($copied, @blocks);
}

# Of "lua file=shop.lua": the language, the attributes by name, and the problem with them.
sub read_info {
  my ($info) = @_;
  my ($language, @rest) = split ' ', $info;
  my %attributes;
  for (@rest) {
    return ($language // '', undef, "'$_' is not understood")
      if !/^(file)=([\w.][\w.\/-]*)$/ || $2 =~ m{(^|/)\.\.(/|$)};
    /^(\w+)=(.*)$/;
    $attributes{$1} = $2;
  }
  return ($language // '', \%attributes, undef);
}

# The commands of a block: {line, text, exit, output}; output is undef in a block without "$ ".
sub read_commands {
  my ($block) = @_;
  my $shown = grep { /^\$ / } @{ $block->{lines} };
  my (@commands, $joined);
  my $at = $block->{line};
  for my $line (@{ $block->{lines} }) {
    $at++;
    if ($joined) {
      $commands[-1]{text} .= "\n$line";
    } elsif ($shown ? $line =~ s/^\$ // : $line =~ /^\s*[^\s#]/) {
      push @commands, { line => $at, text => $line, output => $shown ? [] : undef };
    } elsif ($shown && @commands) {
      push @{ $commands[-1]{output} }, $line;
      next;
    } else {
      next;
    }
    $joined = $line =~ /\\$/;
  }
  for (@commands) {
    my @lines = grep { /\S/ } @{ $_->{output} // [] };
    my $killed = @lines && $lines[-1] eq 'Killed';
    $_->{exit} = $_->{text} =~ /#\s*exit\s+(\d+)\s*$/ ? $1 : $killed ? 137 : 0;
  }
  return @commands;
}

# ---- running ----

# All files of the repository of this script, except those of git and of a build.
sub copy_repository {
  my ($to) = @_;
  my $from = abs_path(dirname(__FILE__) . '/../..');
  my $copy = 'tar -C "$0" --exclude=./build --exclude=./.git -cf - . | tar -C "$1" -xf -';
  system('sh', '-c', $copy, $from, $to) == 0 or die "the copy of $from failed\n";
}

sub write_file {
  my ($name, $lines) = @_;
  make_path(dirname($name));
  open my $out, '>', $name or return "$name: $!";
  print $out map { "$_\n" } @$lines;
  close $out or return "$name: $!";
  chmod 0755, $name if @$lines && $lines->[0] =~ /^#!/;
  return undef;
}

# Carries out a line `cd FOLDER` or `export NAME=VALUE`, which hold for the commands that follow.
# Exit code and output; nothing when the line is another command.
sub change_surroundings {
  my ($text) = @_;
  if ($text =~ /^cd ([\w.\/-]+)$/) {
    return chdir $1 ? (0, '') : (1, "cd $1: $!\n");
  }
  if ($text =~ /^export (\w+)=\S+$/) {
    my ($code, $value) = run_shell("$text && printf %s \"\$$1\"");
    $ENV{$1} = $value if $code eq 0;
    return ($code, $code eq 0 ? '' : $value);
  }
  return ();
}

sub run_command {
  my ($text) = @_;
  my @done = change_surroundings($text);
  return @done ? @done : run_shell($text);
}

# Exit code (128 + signal; 'late') and output.
sub run_shell {
  my ($text) = @_;
  my $pid = open my $from, '-|';
  die "fork: $!\n" if !defined $pid;
  if (!$pid) {
    setsid; # a process group of its own, and no terminal for questions
    open STDIN, '<', '/dev/null';
    open STDERR, '>&', \*STDOUT;
    # With eval the shell stays and reports a command that was killed, as a reader's shell does.
    exec 'bash', '-c', 'eval "$0"; exit $?', $text or exit 127;
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
  $output =~ s/^[^\n]*: line \d+: +\d+ Killed [^\n]*$/Killed/m;
  return ($late ? 'late' : $code, $output);
}

# A shown line, as a pattern.
sub pattern_of {
  my ($line) = @_;
  return join '.*', map { quotemeta } split /$DOTS/, $line, -1;
}

# True when the output matches the lines that the document shows.
sub is_like {
  my ($shown, $output) = @_;
  my @shown = @$shown;
  pop @shown while @shown && $shown[-1] =~ /^\s*$/;
  my $any_lines = qr/^\s*$DOTS\s*$/;
  my $pattern = join '', map { /$any_lines/ ? '(?:.*\n)*?' : pattern_of($_) . '[ \t]*\n' } @shown;
  $output .= "\n" if $output ne '' && $output !~ /\n\z/;
  $output =~ s/\n\s*\z/\n/;
  return $output =~ /\A$pattern\z/;
}

sub perform {
  my ($command, $where) = @_;
  my ($code, $output) = run_command($command->{text});
  (my $name = $command->{text}) =~ s/\s+/ /g;
  my @problem = $code eq $command->{exit} ? () : ("exit $code, not $command->{exit}");
  if (!@problem && $command->{output} && !is_like($command->{output}, $output)) {
    @problem = ('shown:', (map { "  $_" } @{ $command->{output} }), 'came:');
  }
  my @printed = map { "  $_" } split /\n/, $output;
  check(!@problem, "$where:$command->{line} $name", @problem, @printed);
}

# ---- main ----

die "usage: run_document.pl DOCUMENT\n" if @ARGV != 1;
my $document = abs_path($ARGV[0]) or die "$ARGV[0]: $!\n";
my $ckrun = abs_path($ENV{CKRUN} // die "CKRUN must be the path of the program\n");
my ($copied, @blocks) = read_blocks($document);
my $scratch = tempdir('ckrun-document.XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $home = "$scratch/home";
my $work = "$scratch/work";
my $bin = $copied ? "$work/build" : "$scratch/bin";
make_path($home, $work, $bin);
copy_repository($work) if $copied;
symlink $ckrun, "$bin/ckrun" or die "$bin/ckrun: $!\n";
delete @ENV{ grep { /^CKRUN|_proxy$/i } keys %ENV };
$ENV{PATH} = "$bin:$ENV{PATH}" if !$copied;
@ENV{qw(HOME XDG_STATE_HOME NO_COLOR LC_ALL)} = ($home, "$home/state", 1, 'C.UTF-8');
chdir $work or die "$work: $!\n";

my $where = $ARGV[0];
for my $block (@blocks) {
  my ($language, $attributes, $problem) = read_info($block->{info});
  if ($problem) {
    check(0, "$where:$block->{line} $block->{info}", $problem);
  } elsif (my $name = $attributes->{file}) {
    my $failure = write_file($name, $block->{lines});
    check(!$failure, "$where:$block->{line} $name", $failure // '');
  } elsif ($language eq 'sh') {
    perform($_, $where) for read_commands($block);
  }
}
kill 'TERM', map { -$_ } @left if @left;
chdir '/';
print "1..$checks\n";
exit($failed > 0);
