#!/bin/bash
# filters.t - what sessions list leaves out is what a reader of the whole list, and of every
# transcript, would leave out: by status, agent, flow and age, in plain stores and in sealed ones.
. "$(dirname "$0")/../tap.sh"
mkdir -p "$dir/flows" "$dir/moved" && cd "$dir/flows" || exit 1
cat >one.lua <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "one", run = function(ctx)
  for _, agent in ipairs(ctx.input.agents or {}) do
    ctx.message { role = "assistant", content = "looked", agent = agent }
  end
  if ctx.input.to then ctx.event("delegation", { target = ctx.input.to, message = "go" }) end
  ctx.boundary("step_complete", { position = { path = "n#1", n = 1 } })
  if ctx.input.pause and not ctx.position then ctx.pause("again") end
  if ctx.input.fail then error("no") end
end }
EOF
cp one.lua 'qu"o\te.lua' && cp one.lua über.lua && cp one.lua someone.lua

# all of it, in the store that $CKRUN_STORE names.
fill() {
  run run one.lua --session a1 --input '{"agents":["ann","bob"]}'
  run run one.lua --session a2 --input '{"to":"carl"}'
  run run one.lua --session a3 --input '{"agents":["ann"],"pause":true}'
  run run someone.lua --session b1 --input '{"agents":["bob"],"fail":true}'
  run run 'qu"o\te.lua' --session q1 --input '{"agents":["%"]}'
  run run über.lua --session u1 --input '{"agents":["Über"],"pause":true}'
  run run someone.lua --session m1 --input '{"agents":["dora"],"pause":true}'
  run sessions fork a3 --session f1
  cp someone.lua "$dir/moved/else\"where.lua"
  run resume m1 --flow "$dir/moved/else\"where.lua" --accept-changed
  run resume f1
}

# expected PERL: ids of the whole list for whose row $r the expression holds; $t is the transcript's
# text, one JSON object a line, with what the session inherits.
expected() {
  perl -MJSON::PP -e '
    my ($list, $folder, $what) = @ARGV;
    open my $rows, "<", $list or die;
    while (my $line = <$rows>) {
      my $r = JSON::PP->new->utf8->decode($line);
      open my $log, "<", "$folder/$r->{session}" or die "$r->{session}: $!";
      my @t = map { JSON::PP->new->utf8->decode($_) } <$log>;
      print "$r->{session} " if eval $what;
      die $@ if $@;
    }' "$dir/list" "$dir/logs" "$1"
}

# same NAME PERL ARGUMENTS…
same() {
  local name=$1 want
  want=$(expected "$2")
  shift 2
  run --json sessions list "$@"
  is "$name" "$(perl -ne '/"session":"(\w+)"/ && print "$1 "' <<<"$out")" "$want"
}

agent='my $a = Encode::decode("UTF-8", $ENV{WANTED}); scalar grep {
  ($_->{agent} // "") eq $a || $_->{kind} eq "delegation" && ($_->{body}{target} // "") eq $a } @t'
export PERL5OPT=-MEncode
for sealed in "" yes; do
  export CKRUN_STORE=sqlite:$dir/store$sealed.db
  [ "$sealed" ] && export CKRUN_KEY=$(printf 'c5%.0s' {1..32})
  fill
  "$CKRUN" --json sessions list >"$dir/list"
  rm -rf "$dir/logs" && mkdir "$dir/logs"
  for id in $(perl -ne '/"session":"(\w+)"/ && print "$1\n"' "$dir/list"); do
    "$CKRUN" --json sessions log "$id" --all >"$dir/logs/$id"
  done
  is "${sealed:+sealed: }all are there" "$(grep -c '' "$dir/list")" 8
  for status in running paused waiting in_doubt failing failed completed cancelled; do
    same "${sealed:+sealed: }$status" "\$r->{status} eq '$status'" --status $status
    same "${sealed:+sealed: }$status and resumable" \
      "\$r->{status} eq '$status' && '$status' !~ /^c/" --status $status --resumable
  done
  for who in ann bob carl dora main % Über nobody; do
    WANTED=$who same "${sealed:+sealed: }agent $who" "$agent" --agent "$who"
    WANTED=$who same "${sealed:+sealed: }agent $who, of the paused" \
      "(do { $agent }) && \$r->{status} eq 'paused'" --agent "$who" --status paused
  done
  for name in one.lua someone.lua 'else"where.lua' 'qu"o\te.lua' über.lua lua e.lua none.lua \
    "$dir/flows/one.lua" "$dir/moved/else\"where.lua" "$dir/flows/else\"where.lua" "./one.lua"; do
    WANTED=$name same "${sealed:+sealed: }flow ${name#"$dir"/}" '
      my $f = Encode::decode("UTF-8", $ENV{WANTED}); my $at = $r->{flow} // "";
      $at eq $f || $at =~ m{/\Q$f\E\z} && $f !~ m{/}' --flow "$name"
  done
  same "${sealed:+sealed: }of today" 1 --since 24h
  same "${sealed:+sealed: }the first two" '++$n <= 2' --limit 2
  same "${sealed:+sealed: }the first two of those" "\$r->{status} eq 'completed' && ++\$n <= 2" \
    --limit 2 --status completed
done
finish
