# Known.pm - what ckrun is known to say wrong, by the line of issue 11 that names it. A comparison
# that passes here must become a plain one: its row goes.
package Known;
use strict;
use warnings;

our $lives = 0; # a row holds for random lives alone, unless it says "everywhere"

my @known = (
  [qr/^parents and depths$/, 5, "everywhere"], # of one that acted in an ended scope, too
  [qr/^is_clean/, 8], # a branch has failed, and no event says so while its siblings run
  [qr/^(current_node|next_node)$/, 9], # of an edit behind a checkpoint of a branch or a step
);

# " # TODO …" for a thing that differs, when that is known. Which rows were needed is noted in the
# file $ORACLE_KNOWN, if there is one.
sub todo {
  my ($thing) = @_;
  my ($row) = grep { $thing =~ $_->[0] && ($lives || $_->[2]) } @known;
  return "" if !$row;
  if (my $file = $ENV{ORACLE_KNOWN}) {
    open my $to, ">>", $file or die "$file: $!";
    print $to "$row->[0]\n";
  }
  return " # TODO issue line $row->[1]";
}

# One line of TAP for each row that no comparison of this test needed.
sub unneeded {
  my ($file) = @_;
  my %needed;
  if (open my $from, "<", $file) {
    chomp(my @rows = <$from>);
    @needed{@rows} = ();
  }
  my @rows = grep { !exists $needed{ $_->[0] } } @known;
  return map { "ok - no difference: $_->[0] of Known.pm can go # TODO issue line $_->[1]" } @rows;
}

1;
