# decisions.pl SESSION [OPTION…] - compares what `policy simulate --list` says under these options
# with the transcript, boundary by boundary; prints the differences, then how many there were.
use strict;
use warnings;
use JSON::PP;

my ($session, @options) = @ARGV;
my $json = JSON::PP->new->canonical;

sub lines_of {
  open my $in, '-|', $ENV{CKRUN}, '--json', @_ or die;
  return map { decode_json($_) } <$in>;
}

# What is the same in both: a checkpoint or none, waited for or not, and who said why.
sub said {
  my ($taken, $waited, $reasons) = @_;
  my @why = map { [$_->{policy}, $_->{reason}] } @{$reasons || []};
  return $json->encode([$taken ? 1 : 0, $waited ? 1 : 0, \@why]);
}

my %recorded;
for my $event (lines_of('sessions', 'log', $session, '--all', '--kind', 'boundary')) {
  my $body = $event->{body};
  $recorded{$event->{seq}} =
    "$body->{kind} " . said($body->{checkpoint}, $body->{sync}, $body->{reasons});
}
my ($document) = lines_of('policy', 'simulate', $session, '--list', @options);
my %simulated = map {
  $_->{seq} => "$_->{boundary} " . said($_->{taken}, $_->{waited_for}, $_->{reasons})
} @{$document->{profiles}[0]{sessions}[0]{decisions}};

my ($compared, $different) = (0, 0);
for my $seq (sort { $a <=> $b } keys %{{%recorded, %simulated}}) {
  $compared++;
  my ($then, $now) = map { $_->{$seq} // 'nothing' } \(%recorded, %simulated);
  next if $then eq $now;
  $different++;
  print "$session#$seq: recorded $then, simulated $now\n";
}
print "$different of $compared differ\n";
exit($different || !$compared ? 1 : 0);
