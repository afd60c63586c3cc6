#!/bin/bash
# rehearsed_permit.t - what the dry run of a resume says of an effect that policies have a say in is
# what the resume then does: whatever was asked, answered and changed meanwhile.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# The program fails in passing while there is no folder "there"; what begins leaves a mark.
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a", nodes = {
    a = flow.exec { argv = { "sh", "-c", "echo x >>../ran" }, cwd = "there", class = "once" },
    b = flow.lua(function(ctx) ctx.pause("behind it") end) },
  edges = { a = "b", b = flow.done } }
E
echo 'return { name = "p", extends = "graph", policies = { "every_boundary", "./rule.lua" } }' \
  >p.lua
# rule BODY: what permit does.
rule() {
  echo "return { name = \"rule\", version = 1, permit = function(effect, at) $1 end," \
    "on_failure = function() return \"pause\" end }" >rule.lua
}
declare -A bodies=(
  [same]='return ck.ask("May it?")' [other]='return ck.ask("Really?")'
  [allow]='return "allow"' [silent]='return nil' [deny]='return ck.deny("no way")'
  [fails]='error("oh")' [node]='return ck.ask("May " .. tostring(at.node) .. "?")' [gone]=
)

# predicted: what the dry run says becomes of the effect: "begins", "denied", "asks QUESTION".
predicted() {
  "$CKRUN" --json resume "$1" --dry-run --accept-changed 2>"$dir/err" | perl -MJSON::PP -0ne '
    my $d = decode_json($_);
    my %n = map { $_->{what} => 0 } @{$d->{effects}};
    $n{$_->{what}}++ for @{$d->{effects}};
    my @e = grep { $_->{effect} =~ m{^main/a#\d+/exec/1(/permit)?$} } @{$d->{effects}};
    my ($q) = grep { $_->{effect} =~ m{/permit$} } @e;
    my ($e) = grep { $_->{effect} !~ m{/permit$} } @e;
    my $of = $e && $e->{what} ne "replay" ? $e : $q // $e;
    # the counts are those of the rows
    die "counts" if $d->{denied} != ($n{denied} // 0) || $d->{asked} != ($n{ask} // 0)
      || $d->{questions} != ($n{wait} // 0);
    my $what = !$of ? "begins" : $of->{what} eq "denied" ? "denied"
      : $of->{what} eq "ask" || $of->{what} eq "wait" ? "asks $of->{question}" : "begins";
    print $what'
}
# happened SESSION: what the resume did of it, by the events behind the last resume and by the mark.
happened() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -e '
    my ($begun, @e) = shift;
    while (<STDIN>) {
      my $e = decode_json($_);
      @e = () if $e->{kind} eq "session_resumed";
      push @e, $e;
    }
    for my $e (grep { ($_->{body}{key} // "") =~ m{^main/a#\d+/exec/1} } @e) {
      my $b = $e->{body};
      $said = "denied" if $e->{kind} eq "outcome" && $b->{denied};
      $said = "asks $b->{request}{question}" if $e->{kind} eq "intent" && $b->{key} =~ /permit$/;
      $said = "begins" if $e->{kind} eq "intent" && $b->{key} !~ /permit$/;
      $said = "begins" if $e->{kind} eq "replay" && $b->{key} !~ /permit$/;
    }
    print $said // "nothing"' 2>&1
}

# try STATE RULE FIRST PREPARE…: a session of its own under the rule FIRST; the commands bring it to
# the state; then it goes on under RULE.
try() {
  local state=$1 now=$2 first=$3 id want
  id=${1//[ ,]/-}-$2
  shift 3
  rule "${bodies[$first]}"
  rm -rf ran there
  mkdir there
  run run flow.lua --profile ./p.lua --session "$id"
  for step in "$@"; do ${step//ID/$id} >/dev/null 2>&1 </dev/null; done
  rule "${bodies[$now]}"
  want=$(predicted "$id")
  "$CKRUN" resume "$id" --accept-changed >"$dir/out" 2>&1 </dev/null
  is "$state, then $now: the resume does what the dry run said: $want" "$(happened "$id")" "$want"
}
for now in same other allow silent deny fails gone; do
  try "not answered" $now same
  try "allowed" $now same "$CKRUN answer ID allow"
  try "denied" $now same "$CKRUN answer ID deny"
  try "failed in passing" $now same "rmdir there" "$CKRUN answer ID allow" "$CKRUN resume ID" \
    "mkdir there"
  try "done and rewound" $now same "$CKRUN answer ID allow" "$CKRUN resume ID" \
    "$CKRUN sessions rewind ID --to first --report again"
  try "denied and rewound" $now same "$CKRUN answer ID deny" "$CKRUN resume ID" \
    "$CKRUN sessions rewind ID --to first --report again"
  try "denied by a policy" $now deny
done
try "asked for its node, allowed" node node "$CKRUN answer ID allow"
try "asked for its node, not answered" node node

# ---- in words ----

# words ID: what the dry run says of the effect.
words() {
  "$CKRUN" resume "$1" --dry-run --accept-changed 2>/dev/null </dev/null |
    sed -n 's/^effect\t.*): //p'
}
rule "${bodies[same]}"
rm -rf ran there
mkdir there
run run flow.lua --profile ./p.lua --session named
exits 0 "it is allowed" answer named allow
by=$("$CKRUN" --json sessions log named --all --kind resolution | tail -1)
by=$(json "$by" 'my $b = $d->{body}{by}; "$b->{user} on $b->{host}, $b->{via}"')
is "what was allowed begins now, and by whom is said" "$(words named)" "begins now: allowed by $by"
rm -rf there
"$CKRUN" resume named >/dev/null 2>&1 </dev/null
is "one that failed is asked about anew, and nobody has allowed that" "$(words named)" \
  "a person would be asked, by policy \"rule\": May it?"
run run flow.lua --profile ./p.lua --session unasked
rule "${bodies[allow]}"
is "of what nobody asks about any more nobody is named" "$(words unasked)" \
  "begins now: no policy asks about it any more"
finish
