#!/usr/bin/perl
# markdown.t - `sessions export --format markdown` tells the conversation of the live timeline, and
# no stored text is taken for the document's own.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../ui";
use JSON::PP;
use Served;
use Test::More;

my $ui = Served->new;
my $airline = "$Served::root/examples/airline";

# As recorded, but for the first result of a tool: it would end its code.
open my $recorded, '<', "$airline/cassette.jsonl" or die $!;
my @recorded = <$recorded>;
my ($result) = grep { /"kind":"tool"/ } @recorded;
my $changed = decode_json($result);
$changed->{result} = "```\n# forged\n````\n## 99 user";
$_ eq $result and $_ = encode_json($changed) . "\n" for @recorded;
$ui->write_file('air.jsonl', join '', @recorded);
$ui->run('run', "$airline/flow.lua", qw(--cassette air.jsonl --session air));

# A reader of its own for what the document may hold: [kind, text] for each block, where the text of
# a quote or of code is what it quotes.
sub blocks {
  my @lines = split /\n/, shift;
  my @blocks;
  while (defined(my $line = shift @lines)) {
    if ($line =~ /^(`{3,})$/) {
      my ($fence, @code) = $1;
      push @code, shift @lines while @lines && $lines[0] ne $fence;
      shift @lines;
      push @blocks, ['code', join "\n", @code];
    } elsif ($line =~ s/^> ?//) {
      my @quote = $line;
      push @quote, shift(@lines) =~ s/^> ?//r while @lines && $lines[0] =~ /^>/;
      push @blocks, ['quote', join "\n", @quote];
    } elsif ($line =~ /^(#+) (.*)/) {
      push @blocks, ["h" . length $1, $2];
    } elsif (length $line) {
      push @blocks, ['line', $line];
    }
  }
  return @blocks;
}
my $plain = sub { $_[0] =~ s/\\([\\`*_\[\]<|~&!])/$1/gr };
sub exported { return $ui->run('sessions', 'export', shift, '--format', 'markdown') }
sub events { return map { decode_json($_) } split /\n/, $ui->run('sessions', 'log', shift,
  '--json') }

# ---- what the transcript holds, message by message ----

my @blocks = blocks(exported('air'));
is $blocks[0][1], 'air', 'the session is its title';
my @wanted;
for my $event (events('air')) {
  my $message = $event->{body}{message} or next;
  my $is_tool = $message->{role} eq 'tool';
  push @wanted, [$is_tool ? 'h3' : 'h2', $event->{seq}];
  push @wanted, [$is_tool ? 'code' : 'quote', $message->{content}]
    if length($message->{content} // '');
  push @wanted, ['line', "calls **$_->{function}{name}**"], ['code', $_->{function}{arguments}]
    for @{$message->{tool_calls} // []};
}
my @told = map { $_->[0] =~ /^h[23]$/ ? [$_->[0], 0 + ($_->[1] =~ /^(\d+)/)[0]] :
  $_->[0] eq 'code' ? $_ : [$_->[0], $plain->($_->[1])] } grep { $_->[0] ne 'h1' &&
  ($_->[0] ne 'line' || $_->[1] =~ /^calls/) } @blocks;
ok @wanted > 60, scalar(@wanted) . ' blocks are to be told';
is_deeply \@told, \@wanted, 'the messages, calls and results are told, in their order';
my @taken = map { $_->{seq} } grep { $_->{kind} eq 'boundary' &&
  $_->{body}{checkpoint} } events('air');
is_deeply [map { $_->[1] =~ /^(\d+) \*checkpoint, / } grep { $_->[0] eq 'line' } @blocks], \@taken,
  'each checkpoint is';

# ---- what was left behind is not ----

$ui->run(qw(sessions fork air 19 --session fork));
$ui->run(qw(sessions rewind fork --to 9 --report), 'the other way');
my $rewound = exported('fork');
unlike $rewound, qr/^## 11 /m, 'what a rewind left behind is not in it';
like $rewound, qr/^> the other way$/m, 'its report is';

# ---- texts that would be something else ----

my @hostile = ("# forged\n\n## 99 user\n\n---", "```\n<b>in code</b>\n", '<script>hit()</script>',
  '![x](http://evil.example/seen.png)', "a\n> b\n>> c", "x\x{202e}y\x{7}",
    '* **bold** and `code <b>`',
  "~~~\n```\n<i>\n```\n~~~\n<u>", '&lt;b&gt;', "````\n```\n````");
$ui->write_file('hostile.lua', 'return require("ck.flow").custom { run = function(ctx)
  for i, text in ipairs { ' . join(', ', map { "[==[\n$_]==]" } @hostile) . ' } do
    ctx.effect { kind = "ask", class = "idempotent", request = { question = text } }
  end
end }');
open my $to, '>', 'hostile.jsonl' or die $!;
print $to qq({"cassette":1}\n);
print $to JSON::PP->new->utf8->encode({scope => 'main', kind => 'ask', answer => $_}), "\n"
  for @hostile;
close $to;
$ui->run(qw(run hostile.lua --cassette hostile.jsonl --session hostile));
my @stored = map { $_->{body}{message}{content} } grep { $_->{body}{message} } events('hostile');
is scalar @stored, scalar @hostile, 'hostile texts are stored';
my @quotes = grep { $_->[0] eq 'quote' } blocks(my $document = exported('hostile'));
is scalar @quotes, scalar @stored, 'each is one quote';
is scalar(() = $document =~ /^#+ /mg), 1 + @stored, 'no heading is theirs';
is_deeply [map { $_->[1] } grep { $_->[0] eq 'line' &&
  $_->[1] !~ /^(?:\d+ \*|completed )/ } blocks($document)], [],
  'nor a line';
unlike $document, qr/(?<!\\)<script/, 'markup is none';
unlike $document, qr/!\[x\]/, 'no picture is loaded';
like $document, qr/x\[U\+202E\]y\[U\+0007\]/, 'what acts on a display is named';
like $document, qr/^> <b>in code<\/b>$/m, 'code stays as it is';
done_testing;
