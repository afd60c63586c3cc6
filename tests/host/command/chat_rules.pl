#!/usr/bin/perl
# chat_rules.pl - holds the history of a run checkpoint (on stdin) to the public rules of the
# chat-completions and messages APIs. Prints what breaks them, one a line; nothing when it is valid.
use strict;
use warnings;
use JSON::PP;

my $text = do { local $/; <STDIN> };
my $document = JSON::PP->new->utf8->decode($text);
my @history = @{ $document->{history} };
my $is_string = sub {
  return defined $_[0] && !ref $_[0] && JSON::PP->new->allow_nonref->encode($_[0]) =~ /^"/;
};
my (%ids, %open, $speaker);

sub wrong { print "history[$_[0]]: $_[1]\n" }

# The call: id, type and function of a name and arguments that are the text of an object.
sub check_call {
  my ($at, $call) = @_;
  wrong($at, "a call without an id") unless $is_string->($call->{id});
  my $id = $call->{id} // "";
  wrong($at, "the id '$id' is none") unless $id =~ /^[A-Za-z0-9_-]{1,64}$/;
  wrong($at, "the id '$id' comes twice") if $ids{$id}++;
  wrong($at, "a call of no function") unless ($call->{type} // "") eq "function";
  my $function = $call->{function} // {};
  wrong($at, "a function without a name") unless $is_string->($function->{name});
  wrong($at, "arguments that are no text") unless $is_string->($function->{arguments});
  my $arguments = eval { JSON::PP->new->decode($function->{arguments}) };
  wrong($at, "arguments that are no object") unless ref $arguments eq "HASH";
  $open{$id} = 1;
}

wrong(0, "there is none") unless @history;
for my $at (0 .. $#history) {
  my $message = $history[$at];
  my $role = $message->{role} // "";
  my %allowed = map { $_ => 1 } qw(role content),
    $role eq "assistant" ? "tool_calls" : (), $role eq "tool" ? qw(tool_call_id name) : ();
  wrong($at, "the role '$role'") unless $role =~ /^(system|developer|user|assistant|tool)$/;
  wrong($at, "no request has '$_'") for grep { !$allowed{$_} } sort keys %$message;
  wrong($at, "its content is no string") unless $is_string->($message->{content});
  if ($role eq "tool") {
    my $id = $message->{tool_call_id} // "";
    wrong($at, "it answers no call: '$id'") unless delete $open{$id};
    next;
  }
  wrong($at, "these calls are not answered: " . join ", ", sort keys %open) if %open;
  %open = ();
  next if $role eq "system" || $role eq "developer";
  wrong($at, "the first who speaks is not the user") if !$speaker && $role ne "user";
  $speaker = 1;
  my $calls = $message->{tool_calls};
  wrong($at, "a turn without words or calls") if $message->{content} !~ /\S/ && !$calls;
  wrong($at, "an empty list of calls") if $calls && !@$calls;
  check_call($at, $_) for @{ $calls // [] };
}
wrong(scalar @history, "these calls are not answered: " . join ", ", sort keys %open) if %open;
wrong(0, "the user never speaks") unless $speaker;
