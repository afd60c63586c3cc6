#!/bin/bash
# explain_oracle.t - over a session that was killed and resumed, a script of its own works out from
# the transcript and the policies' known rules what each boundary's record must say, and compares.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >node.lua <<'E'
return { name = "node", version = 1, checkpoint = function(at)
  if at.kind == "node_complete" then return "node " .. at.node end
end }
E
cat >many.lua <<'E'
return { name = "many", version = 2, checkpoint = function(at) return at.since.events >= 3 end }
E
cat >names.lua <<'E'
return { name = "names", version = 3,
  redact = function(item) if item.key then return ck.mask(item.value, "Ada") end end }
E
cat >torn.lua <<'E'
return { name = "torn", version = 4, checkpoint = function(at)
  if at.kind == "edge_transition" and at.node == "b" then error("lost") end
end }
E
echo 'return { name = "p", policies = { "./node.lua", "./many.lua", "./names.lua",
  "./torn.lua" } }' >p.lua
killer die.sh "$dir/ran"
cat >flow.lua <<E
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.who = "Ada" end),
    b = flow.lua(function(ctx) ctx.memory.list = { "Eve", { name = "Ada" } } end),
    c = flow.exec { argv = { "$dir/die.sh" }, class = "pure" },
    d = flow.lua(function(ctx) ctx.memory.plain = "nobody" end) },
  edges = { a = "b", b = "c", c = "d", d = flow.done } }
E
cat >expect.pl <<'E'
use JSON::PP;
my ($json, %always) = (JSON::PP->new->utf8->canonical, map { $_ => 1 } qw(final pause failure));
my %keys = (a => { key => "memory.who", texts => [2] },
            b => { key => "memory.list", texts => [2], paths => ["[1].name"] });
while (<STDIN>) {
  my $e = $json->decode($_);
  next unless $e->{kind} eq "boundary";
  my $b = $e->{body};
  my $torn = $b->{kind} eq "edge_transition" && $b->{node} eq "b";
  my %yes = (node => $b->{kind} eq "node_complete", many => ($b->{since}{events} // 0) >= 3);
  my $any = $yes{node} || $yes{many} || $torn || $always{$b->{kind}};
  my $masked = $b->{kind} eq "node_complete" ? $keys{$b->{node}} : undef;
  print join(" ", $e->{seq}, ($any ? "taken" : "none"),
    (map { "$_:" . ($yes{$_} ? "yes" : "no") } qw(node many)), "torn:" . ($torn ? "failed" : "no"),
    ($yes{node} ? "because:node $b->{node}" : ()),
    $masked ? $json->encode([$masked]) : ()), "\n";
}
E
cat >recorded.pl <<'E'
use JSON::PP;
my $json = JSON::PP->new->utf8->canonical;
while (<STDIN>) {
  my $e = $json->decode($_);
  next unless $e->{kind} eq "boundary";
  print join(" ", $e->{seq}, ($e->{taken} ? "taken" : "none"),
    (map { "$_->{policy}:$_->{answer}" } @{$e->{answers}}),
    (map { defined $_->{reason} ? "because:$_->{reason}" : () } @{$e->{answers}}),
    $e->{redacted} ? $json->encode([map { { key => $_->{key}, $_->{rule} => [2],
      $_->{paths} ? (paths => $_->{paths}) : () } } @{$e->{redacted}}]) : ()), "\n";
}
E
exits 137 "a session is killed" run flow.lua --profile p.lua --session s
exits 0 "and goes on" resume s
want=$("$CKRUN" --json sessions log s --all | perl expect.pl)
is "each boundary, before the kill and behind it, says what the rules say" \
  "$("$CKRUN" --json policy explain s --all | perl recorded.pl)" "$want"
is "all boundaries that count are there" \
  "$("$CKRUN" --json policy explain s | grep -c '"kind":"boundary"')" \
  "$("$CKRUN" --json sessions log s --kind boundary | grep -c '')"
ok "some yes, some no" bash -c 'grep -q node:yes <<<"$1" && grep -q node:no <<<"$1"' - "$want"
ok "the second policy, too" bash -c 'grep -q many:yes <<<"$1" && grep -q many:no <<<"$1"' - "$want"
is "one failed" "$(grep -c torn:failed <<<"$want")" 1
is "and two masked keys" "$(grep -c '"key"' <<<"$want")" 2
is "each names the policy" "$("$CKRUN" --json policy explain s --all |
  grep -o '"redacted":\[{"policy":"[a-z]*"' | sort | uniq -c | tr -s ' ')" \
  ' 2 "redacted":[{"policy":"names"'
exits 0 "the store is sound" store verify
finish
