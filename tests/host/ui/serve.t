#!/usr/bin/perl
# serve.t - `ckrun ui` answers who came by its link, from its own page, with what the commands
# print, and changes nothing unless it may.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Served;
use Test::More;

my $ui = Served->new;
my $airline = "$Served::root/examples/airline";
$ui->run('run', "$airline/flow.lua", '--cassette', "$airline/cassette.jsonl", '--session',
  'booking');
$ui->write_file('ask.lua', 'return require("ck.flow").custom { run = function(ctx)
  return ctx.effect { kind = "ask", class = "once",
    request = { question = "<script>alert(1)</script> which?" } }.result
end }');
$ui->run('run', 'ask.lua', '--session', 'asks');
is $ui->{code}, 8, 'a session waits for a person';
$ui->start;

# ---- who may ask ----

my $host = $ui->{host};
sub status { return $ui->request(@_)->{status} }
is status(GET => '/'), 401, 'a stranger is not let in';
is status(GET => '/api/sessions?limit=9'), 401, 'nor told anything';
is status(GET => '/app.js'), 401, 'not even the page';
is status(GET => '/?token=' . 'a' x 64), 401, 'another token is none';
is status(GET => "/app.js?token=$ui->{token}"), 401, 'the token opens the page, nothing else';
is status(GET => "/?token=$ui->{token}", {Host => 'evil.example:80'}), 403,
  'by another name of the machine';
is status(GET => "/?token=$ui->{token}", {Origin => 'http://evil.example'}), 403,
  'from another page';
is status(POST => "/?token=$ui->{token}", {Origin => "http://$host"}, ''), 401,
  'a link is opened, not posted';
my $page = $ui->enter;
is $page->{status}, 200, 'whoever has the link is';
like $page->{headers}{'set-cookie'},
  qr/^ckrun_\d+=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/, 'and gets a cookie';
is status(GET => "/?token=$ui->{token}", {Cookie => undef}), 401, 'the link is good once';
is status(GET => '/'), 200, 'the cookie lets in again';
is status(GET => '/', {Cookie => 'ckrun_1=' . 'a' x 64}), 401, 'another cookie does not';
for (['Host', 'evil.example'], ['Host', undef], ['Host', '127.0.0.1:1'], ['Origin',
  'http://evil.example'],
  ['Origin', 'null'], ['Origin', "https://$host"], ['Sec-Fetch-Site', 'cross-site'],
    ['Sec-Fetch-Site', 'same-site']) {
  my $got = status(GET => '/api/sessions?limit=9', {$_->[0] => $_->[1]});
  ok $got == 403 || (!defined $_->[1] && $got == 400), "with the cookie, but $_->[0] " .
    ($_->[1] // 'missing');
}
is status(GET => '/api/sessions?limit=9', {'Sec-Fetch-Site' => 'same-origin'}), 200,
  'from its own page it answers';
is status(GET => '/api/sessions?limit=9', {Host => 'LOCALHOST:' . ($host =~ /(\d+)$/)[0]}), 200,
  'by localhost, too';

# ---- what it answers ----

my %types = ('/' => 'text/html; charset=utf-8', '/app.js' => 'text/javascript; charset=utf-8',
  '/style.css' => 'text/css; charset=utf-8', '/icon.svg' => 'image/svg+xml');
for my $path (sort keys %types) {
  my $file = $ui->get($path);
  is "$file->{status} $file->{headers}{'content-type'}", "200 $types{$path}",
    "$path is a file of the page";
  like $file->{headers}{'content-security-policy'},
    qr/default-src 'none'.*script-src 'self';.*require-trusted-types-for 'script'/,
    'under a policy that lets it load its own files alone';
  unlike $file->{headers}{'content-security-policy'}, qr/unsafe|\*|http/, 'without an exception';
}
is $ui->get($_)->{status}, 404, "$_ is none" for '/../main.c', '/%2e%2e/page.c',
  '/page/index.html', '/.', '//', '/lua/ck/flow.lua', '/api/', '/api/delete', '/index';
my $size = 0;
$size += -s $_ for glob "$Served::root/core/host/ui/page/*";
cmp_ok $size, '<', 150_000, "the page has $size bytes";

# The commands themselves are asked for the same.
my %same = (
  'sessions?limit=9' => [qw(sessions list --limit 9)],
  'session?session=booking' => [qw(sessions show booking)],
  'events?session=booking&last=7&before=30' =>
    [qw(sessions log booking --all --last 7 --before 30)],
  'event?session=booking&seq=9' => [qw(sessions log booking --seq 9)],
  'checkpoints?session=booking&limit=3' => [qw(sessions checkpoints booking --limit 3)],
  'state?session=booking&at=19' => [qw(sessions inspect booking 19)],
  'files?session=booking' => [qw(sessions inspect booking --files)],
  'difference?session=booking&from=9&to=19' => [qw(sessions diff booking 9 19)],
  'why?session=booking&at=12' => [qw(policy explain booking 12 --all)],
  'rehearsal?session=asks' => [qw(resume asks --dry-run)],
);
for my $path (sort keys %same) {
  my $answer = $ui->get("/api/$path");
  is $answer->{status}, 200, "$path is answered";
  is $answer->{headers}{'content-type'}, 'application/json',
    'as JSON, which no browser takes for a page';
  is $answer->{body}, $ui->run(@{$same{$path}}, '--json'), "with what ckrun @{$same{$path}} prints";
}
# Another server of this machine has the cookie, once its page was opened.
is $ui->request(GET => '/api/sessions?limit=9', {'Ckrun-Page' => $_})->{status}, 401,
  'the cookie alone shows nothing' for undef, '', $ui->{token};
is $ui->request(GET => "/api/sessions?limit=9&page=$ui->{key}", {'Ckrun-Page' => undef})->{status},
  200, 'the key may be in the address: a stream has no other place for it';
my ($settings) = $ui->objects($ui->get('/api/settings'));
is $settings->{store}, $ENV{CKRUN_STORE}, 'the page is told which store it shows';

my %refused = ('session?session=nobody' => 404, 'session?session=--help' => 400, 'session' => 400,
  'sessions' => 400, 'sessions?limit=x' => 400, 'sessions?limit=1&status=--json' => 400,
  'state?session=booking&at=--files' => 400, 'event?session=booking&seq=999' => 404,
  'session?session=%00' => 400, 'session?session=' . 'a' x 3000 => 400);
for my $path (sort keys %refused) {
  my $answer = $ui->get("/api/$path");
  my ($said) = eval { $ui->objects($answer) };
  my $name = length $path > 60 ? substr($path, 0, 60) . '…' : $path;
  ok $answer->{status} == $refused{$path} || ($refused{$path} == 400 && $answer->{status} == 404),
    "$name is refused";
  ok length($said->{error}{text} // ''), 'and why is told';
}

# ---- it only shows ----

for my $path (qw(answer?session=asks pause?session=asks resume?session=asks
  fork?session=booking&at=9 rewind?session=booking&at=9&report=x pin?session=booking&at=9
  resolve?session=asks&effect=x&verdict=done)) {
  is $ui->post("/api/$path", 'x')->{status}, 403, "$path is not allowed";
  is $ui->get("/api/$path")->{status}, 405, 'nor by GET';
}
is $ui->request($_ => '/api/sessions?limit=1')->{status}, 405, "$_ is not answered"
  for qw(PUT DELETE PATCH OPTIONS TRACE);
is $ui->post('/api/sessions?limit=1')->{status}, 405, 'what only reads is not posted';
is scalar(() = $ui->run(qw(sessions list)) =~ /\n/g), 2, 'and nothing was changed';
is $ui->stop, 0, 'a SIGTERM ends it';

# ---- it may change sessions ----

$ui->start('--allow-actions', '--listen', '127.0.0.1:0');
$ui->enter;
sub act { my ($path, $body) = @_; my $answer = $ui->post("/api/$path",
  $body); return ($answer->{status}, $ui->objects($answer)) }
is $ui->request(POST => '/api/pin?session=booking&at=9', {}, '')->{status}, 403,
  'an action says where it comes from';
is $ui->request(POST => '/api/pin?session=booking&at=9', {Origin => 'http://127.0.0.1:1'},
  '')->{status}, 403, 'another port of this machine may not';
is $ui->request(POST => '/api/pin?session=booking&at=9', {Origin => "http://$ui->{host}",
  'Sec-Fetch-Site' => 'same-site'}, '')->{status}, 403,
  'nor what a browser calls the same site';
my ($status, $said) = act('pin?session=booking&at=9');
is "$status $said->{pinned}", '200 yes', 'a checkpoint is pinned';
($status, $said) = act('unpin?session=booking&at=9');
is "$status $said->{pinned}", '200 no', 'and its pin lifted';
($status, $said) = act('fork?session=booking&at=19&id=branch');
is "$status $said->{session} $said->{cut}", '200 branch 19', 'a session is forked';
($status, $said) = act('fork?session=booking&at=19&id=-x');
is $status, 400, 'but not under a name that reads like an option';
($status, $said) = act('answer?session=asks', "\$(touch hacked) \"' -- --help\n");
is $status, 200, 'a question is answered with any text';
($status, $said) = act('answer?session=booking', 'x' x (1 << 20) . 'x');
is $status, 413, 'which is not longer than 1 MiB';
($status, $said) = act('resume?session=asks');
is "$status $said->{status}", '200 completed', 'a session is resumed';
is $said->{result}, "\$(touch hacked) \"' -- --help", 'with that answer';
($status, $said) = act('resume?session=asks');
is $status, 409, 'once';
like $said->{error}{text}, qr/completed/, 'and why not twice is told';

# One that runs on: it is followed while it runs, and paused when the server ends.
$ui->write_file('long.lua', 'return require("ck.flow").custom { run = function(ctx)
  ctx.effect { kind = "ask", class = "once", request = { question = "go?" } }
  for i = 1, 100000 do
    ctx.effect { kind = "sleep", class = "pure", request = { ms = 20 } }
    ctx.boundary("tool_round", { position = { path = "lap#" .. i } })
  end
end }');
$ui->run(qw(run long.lua --session long));
act('answer?session=long', 'yes');
($status, $said) = act('resume?session=long');
is "$status $said->{begun}", '202 1', 'one that runs on has begun';
my $stream;
for (1 .. 4) { # each begins at another moment of a commit
  $stream = $ui->connected;
  print $stream "GET /api/follow?session=long HTTP/1.1\r\nHost: $ui->{host}\r\n",
    "Cookie: $ui->{cookie}\r\nCkrun-Page: $ui->{key}\r\n\r\n";
  my @seqs;
  while (@seqs < 5 && defined(my $line = <$stream>)) {
    push @seqs, decode_json($1)->{seq} if $line =~ /^data: (.*)/;
  }
  is "@seqs", join(' ', $seqs[0] .. $seqs[0] + 4), 'its events come one by one as they are made';
}
is $ui->stop, 0, 'the server ends';
is((() = <$stream>) > 0 ? 1 : 1, 1, 'and the stream with it');
like $ui->run(qw(sessions show long --json)), qr/"status":"paused"/,
  'what was resumed from the page is paused';

# ---- where it listens ----

for my $address (qw(0.0.0.0:0 :80 127.0.0.1 127.0.0.1:99999 192.168.1.1:80 localhost:0 [::]:0
  unix:)) {
  $ui->run('ui', '--listen', $address);
  is $ui->{code}, 2, "it does not listen at $address";
}
$ui->run(qw(--store nowhere.db ui));
is $ui->{code}, 3, 'a store that is not there is told in the terminal';
$ui->start('--listen', "unix:$ui->{folder}/page");
my @stat = stat "$ui->{folder}/page";
is sprintf('%o', $stat[2] & 0777), '600', 'a Unix socket is for this user alone';
is $ui->{host}, 'localhost', 'whose address is localhost';
$ui->stop('KILL');
ok -e "$ui->{folder}/page", 'one that is left by a server that was killed';
$ui->start('--listen', "unix:$ui->{folder}/page");
ok 1, 'is no hindrance';
is $ui->stop('INT'), 0, 'Ctrl-C ends it';
ok !-e "$ui->{folder}/page", 'and removes it';
done_testing;
