# said.pl - of a whole transcript in JSON, one line for each message, answer, call and result, in
# their order, however they are spelt.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->canonical->allow_nonref;
binmode STDOUT, ":utf8";
my %asked; # ids of calls, by the keys of their effects

# What a text says that is an array or an object.
sub decoded {
  my $value = shift;
  return $value if ref $value || !defined $value || $value !~ /^\s*[\[{]/;
  return eval { $json->decode($value) } // $value;
}

sub words {
  my $content = shift // "";
  return $content unless ref $content eq "ARRAY";
  return join "\n", map { ref $_ eq "HASH" ? $_->{text} // () : () } @$content;
}

sub calls {
  my $message = shift;
  my @calls;
  for my $call (@{$message->{tool_calls} // $message->{toolCalls} // []}) {
    my $body = ref $call->{function} eq "HASH" ? $call->{function} : $call;
    push @calls, [$call->{id}, $body->{name} // $call->{function},
      decoded($body->{arguments} // $body->{args} // {})];
  }
  for my $block (ref $message->{content} eq "ARRAY" ? @{$message->{content}} : ()) {
    next unless ref $block eq "HASH" && ($block->{type} // "") =~ /^(tool_use|toolCall)$/;
    push @calls, [$block->{id}, $block->{name}, decoded($block->{input} // $block->{arguments})];
  }
  return \@calls;
}

while (my $line = <STDIN>) {
  my $event = decode_json($line);
  my $body = $event->{body};
  my $message = $body->{message} // {};
  my $kind = "$event->{kind} " . ($body->{kind} // "");
  my @told;
  if ($event->{kind} eq "message") {
    my $role = $message->{role} // "";
    @told = ($role eq "developer" ? "system" : $role, words($message->{content}), calls($message));
  } elsif ($kind eq "intent tool") {
    my $request = $body->{request};
    $asked{$body->{key}} = $request->{call_id};
    @told = ($request->{call_id}, $request->{name}, decoded($request->{arguments}));
  } elsif ($kind eq "outcome model") {
    @told = ($body->{status}, $body->{error}, words($message->{content}), $message->{refusal},
      calls($message), map { 0 + ($body->{$_} // 0) } "input_tokens", "output_tokens", "cost");
  } elsif ($kind eq "outcome tool") {
    @told = ($message->{tool_call_id} // $message->{toolCallId} // $asked{$body->{key}},
      $body->{status}, $body->{error}, decoded($message->{content} // ""));
  } else {
    next;
  }
  print $json->encode([$kind, $event->{agent}, @told]), "\n";
}
