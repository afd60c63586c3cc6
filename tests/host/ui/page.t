#!/usr/bin/perl
# page.t - the page of `ckrun ui` in a real browser: what a person sees and does there, and that no
# stored text does anything. UI_PICTURES=FOLDER keeps pictures of it.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Browser;
use JSON::PP;
use Served;
use Test::More;

plan skip_all => 'no Chromium here: apt-get install chromium' if !Browser::program();
plan skip_all => 'in the sanitized half the same page would be looked at' if $ENV{CKRUN_SPARSE};

my $ui = Served->new;
my $airline = "$Served::root/examples/airline";
$ui->run('run', "$airline/flow.lua", '--cassette', "$airline/cassette.jsonl", '--session',
  'booking');

# What would do something in a page that took it for markup, an address or a script.
my @payloads = (split(/\n/, <<'END'), "\x{202e}txet", "\x{200b}\x{2066}<b onclick=hit()>\x{2069}");
<script>hit()</script>
<img src=x onerror=hit()>
"><svg onload=hit()>
javascript:hit()
</title><script>hit()</script>
${hit()}
{{hit()}}
<iframe srcdoc="<script>parent.hit()</script>">
' onmouseover='hit()
<style>*{display:none}</style>
<base href=//evil>
&lt;script&gt;hit()&lt;/script&gt;
data:text/html,<script>hit()</script>
<a href="javascript:hit()">x</a>
<form action=/api/pause>
<meta http-equiv=refresh content=0;url=//evil>
<math><mi xlink:href="javascript:hit()">
]]><script>hit()</script>
<object data=x>
<embed src=x>
<link rel=stylesheet href=//evil>
__proto__
constructor
<details open ontoggle=hit()>
<body onload=hit()>
<input autofocus onfocus=hit()>
<video src=x onerror=hit()>
<marquee onstart=hit()>
<template><script>hit()</script></template>
'-hit()-'
";hit();//
`;hit()//
\u003cscript\u003ehit()\u003c/script\u003e
%3Cscript%3Ehit()%3C/script%3E
<svg><script>hit()</script></svg>
<a href="vbscript:hit()">y</a>
<base target=_blank>
<!--<script>hit()</script>-->
--><script>hit()</script>
<noscript><img src=x onerror=hit()>
<xmp><script>hit()</script></xmp>
<isindex action=javascript:hit()>
[x](javascript:hit())
<svg><animate onbegin=hit()>
<select autofocus onfocus=hit()>
toString
#/s/asks
<button popovertarget=x onclick=hit()>z</button>
END
my @lua = map { my $text = $_; $text =~ s/([\\"\n])/\\$1/g; qq("$text") } @payloads;
binmode $_, ':utf8' for Test::More->builder->output, Test::More->builder->failure_output,
  Test::More->builder->todo_output;
$ui->write_file('hostile.lua', do {
  my $list = join ', ', @lua;
  qq(local payloads = { $list }
return require("ck.flow").custom { run = function(ctx)
  for i, text in ipairs(payloads) do
    ctx.memory[i .. " " .. text] = text
    ctx.boundary("tool_round", { position = { path = "lap#" .. i }, node = text })
  end
  ctx.effect { kind = "ask", class = "once", request = { question = table.concat(payloads, " ") } }
  error(payloads[2])
end })
});
$ui->run(qw(run hostile.lua --session hostile));
is $ui->{code}, 8, 'a session full of payloads waits';
$ui->write_file('ask.lua', 'return require("ck.flow").custom { run = function(ctx)
  if not ctx.position then ctx.boundary("tool_round", { position = { path = "asked" } }) end
  local said = ctx.effect { kind = "ask", class = "once",
    request = { question = "Which colour?" } }.result
  for i = (ctx.memory.lap or 0) + 1, 60 do
    ctx.effect { kind = "sleep", class = "pure", request = { ms = 50 } }
    ctx.memory.lap = i
    ctx.boundary("tool_round", { position = { path = "lap#" .. i } })
  end
  return said
end }');
$ui->run(qw(run ask.lua --session asks));
# One that is killed in its second effect, so that its first is replayed; then 30 scopes at once.
$ui->write_file('wide.lua', 'return require("ck.flow").custom { run = function(ctx)
  if ctx.task then
    ctx.effect { kind = "sleep", class = "pure", request = { ms = 1 } }
    return ctx.task
  end
  ctx.effect { kind = "exec", class = "idempotent", request = { argv = { "true" } } }
  ctx.effect { kind = "exec", class = "idempotent", ordinal = 2, request = { argv = { "sh", "-c",
    "test -e was || { touch was; kill -9 $PPID; sleep 9; }" } } }
  local scopes, names = {}, {}
  for i = 1, 30 do
    scopes[i] = { scope = "s" .. i, task = i }
    names[i] = "s" .. i
  end
  ctx.fork(scopes)
  ctx.join(names)
end }');
$ui->run(qw(run wide.lua --session wide));
$ui->run(qw(resume wide));
is $ui->{code}, 0, 'a session that died has gone on';
$ui->write_file('tight.lua',
  'return { name = "tight", extends = "default", constraints = { budget_usd = 0.02 } }');
$ui->run('run', "$airline/flow.lua", '--cassette', "$airline/cassette.jsonl", '--session',
  'tight', '--profile', './tight.lua');

$ui->start('--allow-actions');
my $browser = Browser->start(size => '1280,800');
my $pictures = 0;
sub picture { $browser->picture(sprintf '%s/%02d-%s.png', $ENV{UI_PICTURES}, ++$pictures, $_[0])
  if $ENV{UI_PICTURES} }
sub sees { ok $browser->wait_for($_[1]), $_[0] }
# What is drawn may be drawn a frame after what was waited for.
sub becomes {
  my ($expression, $wanted, $name) = @_;
  my $value = $browser->value_once($expression,
    sub { ref $wanted ? $_[0] =~ $wanted : $_[0] eq $wanted });
  return ref $wanted ? like $value, $wanted, $name : is $value, $wanted, $name;
}
my $text = 'one("main").innerText';
# Presses the button whose words begin so.
sub push_button {
  my $words = shift;
  sees("there is a button '$words'",
    "all('button').some((b) => b.textContent.startsWith('$words'))");
  $browser->act("all('button:enabled')" .
    ".findLast((b) => b.textContent.startsWith('$words')).click()");
}
sub go { $browser->value("location.hash = '$_[0]'") }

# ---- the list ----

$browser->open($ui->{link});
sees 'the link shows the sessions', 'all("tbody tr").length === 5';
is $browser->value('location.search'), '', 'the token does not stay in the address';
becomes $text, qr/5 sessions: 1 paused, 2 waiting, 2 completed/, 'with totals';
picture 'list';
$browser->act('one("select").value = "completed"');
$browser->act('one("select").dispatchEvent(new Event("change"))');
sees 'a filter leaves those that are like it', 'all("tbody tr").length === 2';
$browser->ask('Page.reload');
sees 'a reload keeps the way in, and the filter', 'all("tbody tr").length === 2';
$browser->act('one("[name=find]").value = "flow.lua bOOk"');
$browser->act('one("[name=find]").dispatchEvent(new Event("input", { bubbles: true }))');
becomes 'location.hash', '#/?status=completed&find=flow.lua+bOOk',
  'and what is looked for, which the address has';
$browser->act('one("[name=status]").value = ""; one("[name=find]").value = ""');
push_button 'filter';
sees 'without a filter all are there', 'all("tbody tr").length === 5';
my $first = 'all("tbody a").map((a) => a.textContent).join(" ")';
push_button 'session';
sees 'a column orders them', "$first === 'asks booking hostile tight wide'";
push_button 'session';
sees 'and the other way round', "$first === 'wide tight hostile booking asks'";
becomes 'one("th").getAttribute("aria-sort")', 'descending', 'as is told';
$browser->act('history.back()');
sees 'back leads to the order before', "$first === 'asks booking hostile tight wide'";
$browser->act('one("[name=find]").value = "colour"');
$browser->act('one("[name=find]").dispatchEvent(new Event("input", { bubbles: true }))');
sees 'words find those that have them in any column', "$first === 'asks'";
$browser->act('all("tbody a")[0].focus()');
$browser->act('location.hash = "#/"');
sees 'and all are there again', 'all("tbody tr").length === 5';
becomes 'document.activeElement.textContent', 'asks',
  'a list that is drawn anew leaves the focus where it was';

# ---- a session, by keyboard ----

$browser->act('all("tbody a").find((a) => a.textContent === "booking").focus()');
$browser->ask('Input.dispatchKeyEvent', type => $_, key => 'Enter', code => 'Enter', text => "\r",
  windowsVirtualKeyCode => 13) for qw(keyDown keyUp);
sees 'Enter on a session opens it', 'all(".row.boundary").length > 3';
becomes $text, qr/\$0\.\d+ · [\d,]+ \+ [\d,]+ tokens · 92 events · 12 checkpoints/,
  'with its cost, tokens, events and checkpoints';
becomes 'all(".gutter .diamond.taken").length > 0', 1,
  'a diamond for each checkpoint';
becomes 'all(".gutter .diamond.hollow").length > 0', 1,
  'a hollow one where policies said no';
becomes 'all(".gutter .bar").length > 5', 1, 'a bar for each effect';
sees 'and the curve of its cost',
  'one(".curve .cost").getAttribute("d").split("L").length > 10';
$browser->act('one(".timeline").focus()');
$browser->press('Home');
sees 'Home chooses the first event',
  'one(".detail h2").textContent === "1 session_started"';
$browser->press('ArrowDown') for 1 .. 11;
sees 'the arrows go on, row by row',
  'one(".detail h2").textContent === "12 boundary"';
becomes 'one(".timeline").getAttribute("aria-activedescendant")',
  'row12', 'as a screen reader is told';
becomes 'one("#row12").textContent', qr/no checkpoint \(loop_iteration\)/,
  'with what is drawn beside it';
becomes 'location.hash', '#/s/booking/12', 'and as the address says';
$browser->act('one(".gutter .diamond.hollow")' .
  '.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }))');
sees 'pointing at a hollow diamond tells who said no',
  '/tool_rounds: no/.test(all(".gutter .hollow title").map((t) => t.textContent).join())';
$browser->act('one("#row11").click()');
sees 'an outcome is shown with what was asked for, and its price',
  '/model · default · pure · ok · \\$0.00[0-9]+ paid · .*tokens[^]*asked at 10[^]*' .
  'request[^]*came of it at 11/' .
  '.test(one(".detail").innerText)';
$browser->act('one("#row10").click()');
sees 'and what was asked for with what came of it',
  '/^10 intent[^]*\\$0.00[0-9]+ paid[^]*came of it at 11/.test(one(".detail").innerText)';
$browser->act('one("#row12").click()');
push_button 'Files';
sees 'what was run is shown as it was then',
  '/flow .*airline.flow.lua/.test(one(".detail").innerText)';
$browser->act('all(".detail details")[0].open = true');
becomes 'one(".detail pre").textContent', qr/^--- A customer service agent/,
  'with its text';
push_button 'Why';
sees 'why there is no checkpoint is told',
  '/no checkpoint[^]*tool_rounds no/.test(one(".detail").innerText)';
push_button 'State';
sees 'the state at that point is shown',
  '/of the checkpoint at 9: turn 1 of airline[^]*position.main/.test(one(".detail").innerText)';
push_button 'compare others with 9';
go '#/s/booking/12';
$browser->act('one("#row19").click()');
sees 'another event is chosen',
  'one(".detail h2").textContent === "19 boundary"';
push_button 'Difference';
sees 'and what differs between the two is shown',
  '/from the checkpoint at 9 to that at 19: \$0.005597[^]*\/at\/turn/' .
  '.test(one(".detail").innerText)';
picture 'difference';

# ---- what it may do ----

push_button 'fork at 19';
sees 'a fork asks for its name', 'one("dialog input")';
$browser->act('one("dialog input").value = "branch"');
push_button 'fork';
sees 'and opens',
  'location.hash === "#/s/branch" && /branch/.test(one("h1").textContent)';
go '#/s/booking/24';
sees 'a session at an event that the address names',
  'one(".detail h2")?.textContent === "24 boundary"';
push_button 'pin 24';
sees 'is pinned there', 'one("#notice").textContent === "24 is kept"';
sees 'as its diamond shows', 'one(".gutter .diamond.pinned")?.dataset.seq === "24"';
becomes 'document.activeElement.textContent.startsWith("unpin 24")', 1,
  'and whoever pressed the key is still there';
sees 'a fork is marked where it begins', '/forked here: branch/.test(one(".fork")?.textContent)';
sees 'and has a link', 'one(".top a[href=\'#/s/branch/19\']")';
like $ui->run(qw(sessions checkpoints booking --json)), qr/"seq":24,.*"pinned":true/,
  'in the store';
go '#/s/branch';
sees 'the fork',
  'one("h1")?.textContent.startsWith("branch") && one(".row")';
go '#/s/branch/9';
sees 'at one of its origin\'s checkpoints', 'one(".detail h2")?.textContent === "9 boundary"';
push_button 'rewind to 9';
$browser->act('one("dialog textarea").value = "the flight is full"');
push_button 'rewind';
sees 'is rewound with a report',
  '/goes on from \d+/.test(one("#notice").textContent)';
like $ui->run(qw(sessions log branch --json --all)), qr/the flight is full/, 'that is in the store';
my @begun = map { decode_json($_)->{seq} } grep { /"kind":"session_(forked|rewound)"/ }
  split /\n/, $ui->run(qw(sessions log branch --json --all));
sees 'what was left behind stands beside what goes on', 'all(".branch.left").map((b) => ' .
  "`\${b.dataset.from}-\${b.dataset.to}`).join() === '10-19,20-" . ($begun[1] - 1) . "'";
sees 'and its rows are grey', qq(one("#row$begun[0].abandoned"));
becomes 'one(".top").innerText',
  qr/forked from booking at 19/, 'a fork says whose it is';
becomes 'one(".top").innerText', qr/\$(0\.\d+), of it \$\1 before the fork/,
  'and what of its cost is not its own';
becomes 'one(".top details table").textContent', qr/before the fork\$0\.\d*[1-9]/,
  'which stands beside its agents, who begin anew';
picture 'branches';

go '#/s/wide';
sees 'a session that has gone on after a kill',
  'one("h1")?.textContent.startsWith("wide") && one(".row")';
$browser->act('one(".timeline").focus()');
$browser->press('Home');
sees 'what was replayed is drawn otherwise than what was done',
  'getComputedStyle(one(".gutter .bar.replayed")).fill === "none" &&' .
  'getComputedStyle(one(".gutter .bar.done")).fill !== "none"';
becomes 'one(".gutter .bar.replayed").textContent',
  qr/replayed: the outcome at \d+, not asked for or paid again/, 'and says so';
$browser->act('one(`#row${one(".gutter .bar.replayed").dataset.seq}`).click()');
sees 'with the outcome that it repeats', '/came of it at 3/.test(one(".detail").innerText)';
$browser->act('one(".timeline").focus()');
$browser->press('End');
sees 'thirty scopes have a lane each',
  'new Set(all(".gutter .bar, .gutter .dot").map((b) => b.getBBox())' .
  '.map((box) => box.x + box.width / 2)).size > 30';
picture 'lanes';

go '#/s/tight';
sees 'a session that its budget has stopped', 'one(".status.paused")';
sees 'its curve has the budget', 'one(".curve .budget")';
push_button 'resume';
sees 'a resume offers the limit that would lift it',
  'one("dialog [name=budget_usd]")?.value === "0.023569"';
becomes 'one("dialog").innerText', qr/budget_usd\s+\$0\.0191 of \$0\.02 used/,
  'with what is used of it';
picture 'limits';
$browser->act('all("dialog button").find((b) => b.textContent === "cancel").click()');
sees 'cancelled, the focus is where it was', 'document.activeElement.textContent === "resume…"';
push_button 'resume';
sees 'and once more', 'one("dialog [name=budget_usd]")';
$browser->act('one("dialog [name=budget_usd]").value = "1";' .
  'one("dialog [name=tokens]").value = "99999"');
$browser->act('all("dialog button").find((b) => b.textContent === "resume").click()');
sees 'under other limits it goes on to its end', 'one(".status.completed")';
my ($tight) = map { decode_json($_) } $ui->run(qw(sessions show tight --json));
cmp_ok $tight->{totals}{cost_usd}, '>', 0.02, 'beyond what the profile allows';

go '#/s/asks';
sees 'a question waits', '/Which colour/.test(one(".question")?.innerText)';
picture 'question';
$browser->act('one(".question textarea").value = "blue <b>"');
push_button 'answer';
sees 'and is answered', '!one(".question")';
push_button 'resume';
sees 'a resume is rehearsed first', '/replayed/.test(one("dialog")?.innerText)';
picture 'rehearsal';
$browser->act('all("dialog button").find((b) => b.textContent === "resume").click()');
sees 'it runs', 'one(".status.running")';
my $events = '/(\d+) events/.exec(one("main").innerText)[1]';
my $many = $browser->value($events);
sees 'and its events come while it does',
  "Number($events) > $many + 20 && one('.status.running')";
sees 'until it has completed', 'one(".status.completed")';
$browser->act('one(".timeline").focus()');
$browser->press($_) for qw(Home End);
sees 'the last event is a key away', 'one(".detail h2").textContent.endsWith("session_completed")';
becomes 'all(".row").length < 100', 1, 'and only the rows that are seen are there';
like $ui->run(qw(sessions log asks --all)), qr/blue <b>/, 'with that answer';

# ---- what is stored does nothing ----

$browser->act('window.hits = 0; window.hit = () => { window.hits++ }; 1');
go '#/s/hostile';
sees 'the hostile session is shown', 'all(".row").length > 20';
for my $seq (1 .. scalar @payloads) {
  $browser->act("one('.timeline').focus()");
  $browser->act("one('#row$seq')?.click()");
  for my $tab (qw(State Why Event)) {
    $browser->act("all('[role=tab]').find((t) => t.textContent === '$tab')?.click()");
    $browser->wait_for('one(".detail .body").children.length > 0');
  }
}
becomes 'one("main").innerText', qr/<img src=x onerror=hit\(\)>/,
  'payloads are text';
picture 'hostile';
unlike $browser->value('document.body.innerText'), qr/\x{202e}/, 'none turns the text around';
becomes 'document.body.innerText', qr/\[U\+202E\]txet/,
  'what cannot be seen is named';
is scalar @payloads, 50, 'fifty payloads';
is $browser->value('window.hits'), 0, 'none was executed';
is $browser->value('all("script").length'), 1,
  'the page has its own script alone';
is $browser->value('all("main :is(img, iframe, object, embed, base, meta, link, style)").length'),
  0, 'and nothing that was stored became an element';
is_deeply [grep { !/status of 40[49]/ } $browser->complaints], [],
  'no error, and no breach of its policy';

# ---- the same as one file ----

$ui->run(qw(sessions export hostile --format html -o hostile.html));
my $reader = Browser->start(size => '1280,800');
$reader->open("file://$ui->{folder}/hostile.html");
ok $reader->wait_for('all(".row").length > 20'),
  'a session that was exported is shown from its file';
$reader->value('window.hits = 0; window.hit = () => { window.hits++ }; 1');
$reader->value('location.hash = "#/s/hostile/30"');
ok $reader->wait_for('one(".detail h2")?.textContent === "30 boundary"'),
  'at the event in its address';
for my $tab (qw(State Why Event)) {
  ok $reader->wait_for("all('[role=tab]').find((t) => t.textContent === '$tab')"), "with its $tab";
  $reader->value("all('[role=tab]').find((t) => t.textContent === '$tab').click()");
  ok $reader->wait_for('one(".detail .body details")'), 'that the file holds';
}
is $reader->value('window.hits'), 0, 'nothing that is stored runs there';
is_deeply [$reader->complaints], [], 'no error, and no breach of its policy';

# ---- in the dark, and narrow ----

$browser->ask('Emulation.setEmulatedMedia', features => [{name => 'prefers-color-scheme',
  value => 'dark'}]);
go '#/s/booking/24';
sees 'in the dark', 'one(".detail h2")?.textContent === "24 boundary"';
isnt $browser->value('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)',
  'the page is dark';
picture 'dark';
$browser->ask('Emulation.setDeviceMetricsOverride', width => 420, height => 800,
  deviceScaleFactor => 1, mobile => JSON::PP::false);
becomes 'document.documentElement.scrollWidth <= 420', 1,
  'a narrow one is not wider than its window';
picture 'narrow';

# ---- the server's end ----

$ui->stop;
$browser->act('one("#home").click()');
sees 'that the server has ended is told', '/the server has ended/.test(document.body.innerText)';
picture 'ended';
done_testing;
