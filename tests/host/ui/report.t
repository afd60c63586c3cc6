#!/usr/bin/perl
# report.t - `sessions export --format html` writes one file: what the commands print lies in it,
# and nothing that is stored can do anything there. (page.t opens it in a browser.)
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Served;
use Test::More;

my $ui = Served->new;
my $airline = "$Served::root/examples/airline";
$ui->run('run', "$airline/flow.lua", '--cassette', "$airline/cassette.jsonl", qw(--session air));

sub exported {
  my ($session, @more) = @_;
  $ui->run('sessions', 'export', $session, qw(--format html -o), "$session.html", @more);
  is $ui->{code}, 0, "$session is exported";
  open my $from, '<', "$session.html" or die "$session.html: $!";
  return do { local $/; <$from> };
}
sub parts {
  my $file = shift;
  my ($json) = $file =~ m{<script type="application/json" id="recorded">(.*?)</script>}s;
  return decode_json($json);
}
sub printed { return [map { decode_json($_) } split /\n/, $ui->run(@_, '--json')] }

my $file = exported('air');
my $parts = parts($file);
is_deeply $parts->{session}, printed(qw(sessions show air)), 'what show prints lies in it';
is_deeply $parts->{events}, printed(qw(sessions log air --all)), 'and every event';
is_deeply $parts->{checkpoints}, printed(qw(sessions checkpoints air)), 'every checkpoint';
is_deeply $parts->{why}, printed(qw(policy explain air --all)), 'why there is one, or none';
is_deeply $parts->{states}, [map { @{printed(qw(sessions inspect air --checkpoint), $_->{id})} }
  reverse @{$parts->{checkpoints}}], 'and their states, the newest first';
is((stat 'air.html')[2] & 0777, 0600, 'it is its owner\'s');
my %once = map { $_ => 1 } $file =~ /nonce-([0-9a-f]{32})/g;
is scalar keys %once, 1, 'one number lets its own script run';
isnt +(exported('air') =~ /nonce-([0-9a-f]{32})/)[0], (keys %once)[0], 'another in each file';
unlike $file =~ s/<script type="application\/json".*?<\/script>//sr,
  qr{(?:src|href)="(?!#)|url\(|\@import},
  'it loads nothing';
my ($policy) = $file =~ /Content-Security-Policy" content="([^"]*)"/;
like $policy, qr/^default-src 'none'; script-src 'nonce-[0-9a-f]{32}' blob:; style-src 'nonce-/,
  'and may not';

# The page that is served is the one that is written.
my ($served) = do { local (@ARGV, $/) = "$Served::root/core/host/ui/page/index.html"; <> } =~
  m{(<title>.*</title>)};
my ($body) = do { local (@ARGV, $/) = "$Served::root/core/host/ui/page/index.html"; <> } =~
  m{(<body>.*</noscript>)}s;
ok index($file, $served) > 0 && index($file, $body) > 0, 'it is the page that is served';
my @modules = map { m{([^/]+)$} } glob "$Served::root/core/host/ui/page/*.js";
for my $name (grep { $_ ne 'report.js' } @modules) {
  open my $from, '<', "$Served::root/core/host/ui/page/$name" or die "$name: $!";
  my $text = do { local $/; <$from> };
  ok index($file, "data-module=\"$name\">$text</script>") > 0, "$name is in it";
  unlike $text, qr/<!--|<\/script/i, "$name does not end its element";
}

# What would end the element that it lies in.
$ui->write_file('hostile.lua', 'return require("ck.flow").custom { run = function(ctx)
  ctx.memory["</script><script>hit()</script>"] = "<!--<script>" .. "]]>" .. "@NONCE@"
  ctx.boundary("tool_round", { position = { path = "</script>" }, node = "<!--" })
end }');
$ui->run(qw(run hostile.lua --session hostile));
my $hostile = exported('hostile');
is scalar(() = $hostile =~ /<\/script/gi), scalar(() = $file =~ /<\/script/gi),
  'no stored text ends an element';
is scalar(() = $hostile =~ /<!--/g), scalar(() = $file =~ /<!--/g), 'or begins a comment';
is parts($hostile)->{states}[0]{state}{'memory.</script><script>hit()</script>'} //
  encode_json(parts($hostile)->{states}[0]{state}) =~ s/.*?(<!--<script>\]\]>\@NONCE\@).*/$1/sr,
  '<!--<script>]]>@NONCE@', 'and it is there as it was';

# A secret of the profile that was not known to be one when it was stored.
$ui->write_file('told.lua', 'return require("ck.flow").custom { run = function(ctx)
  ctx.memory.word = "Zwetschgenmus-77"
  ctx.boundary("tool_round", { position = { path = "a" } })
end }');
$ui->write_file('p.lua', 'return { name = "p", extends = "default" }');
$ui->run(qw(run told.lua --profile p.lua --session told));
like exported('told'), qr/Zwetschgenmus-77/, 'a word like any other';
$ui->write_file('p.lua',
  'return { name = "p", extends = "default", secrets = { w = "env:WORD" } }');
$ENV{WORD} = 'Zwetschgenmus-77';
unlike exported('told'), qr/Zwetschgenmus/, 'is hidden once the profile says that it is a secret';

$ui->run(qw(sessions export nobody --format html));
is $ui->{code}, 3, 'of a session that is none, no file is made';
$ui->run(qw(sessions export air --format html --checkpoint 9));
is $ui->{code}, 2, 'it is of the session as it stands';
done_testing;
