#!/bin/bash
# meaning.t - an answer is as it was recorded when it means the same: the wait of a retry, the
# question and the reason of a denial count, too, but for what is masked where they are stored; a
# call that its flow carries out is asked about by its tool.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "work", start = "pay",
  nodes = {
    pay = flow.exec { argv = { "sh", "-c", "test -e paid || { touch paid; exit 3; }" },
      class = "once" },
    tell = flow.exec { argv = { "echo", "4111 was billed" }, class = "idempotent" },
  },
  edges = { pay = "tell", tell = flow.done } }
E
# policy NAME WAIT QUESTION REASON RULE: a policy and a profile of that name.
policy() {
  cat >"$1.lua" <<E
return { name = "$1", version = 1,
  on_failure = function(it) if it.try < 2 then return { "retry", wait_ms = $2 } end end,
  permit = function(it)
    if it.class == "once" then return ck.ask("$3") end
    return ck.deny("$4")
  end,
  resume = function() return $5 end }
E
  echo "return { name = '$1', policies = { 'every_boundary', './$1.lua' } }" >"$1.profile.lua"
}
# sums HOOK SESSION POLICY: asked, as recorded, otherwise, not recorded, untold.
sums() {
  run --json policy simulate --hook "$1" --policy "./$3.lua" "$2"
  json "$out" 'join " ",
    @{$d->{profiles}[0]}{qw(asked as_recorded otherwise not_recorded untold)}'
}

policy live 5 'May 4111 be charged?' 'not to 4111' '{ budget = "reset" }'
policy slow 6 'May 4111 be charged?' 'not to 4111' '{ budget = "reset" }'
policy asks 5 'May 4112 be charged?' 'not to 4111' '{ budget = "reset" }'
policy denies 5 'May 4111 be charged?' 'not to 4112' '{ budget = "reset" }'
policy no_wait 0 'May 4111 be charged?' 'not to 4111' '{ budget = "reset" }'
policy rules 5 'May 4111 be charged?' 'not to 4111' '{ budget = "continue" }'
run run flow.lua --profile live.profile.lua --session one
exits 0 "a person allows it" answer one allow
run resume one
is "the same policy: all as recorded" \
  "$(sums permit one live), $(sums on_failure one live), $(sums resume one live)" \
  "3 3 0 0 0, 1 1 0 0 0, 1 1 0 0 0"
is "another wait is another answer" "$(sums on_failure one slow)" "1 0 1 0 0"
is "no wait, too" "$(sums on_failure one no_wait)" "1 0 1 0 0"
is "another question, to each who was asked" "$(sums permit one asks)" "3 1 2 0 0"
run --json policy simulate --hook permit --policy ./asks.lua one
is "which is one question to a person, asked about again behind the answer" \
  "$(json "$out" '$d->{profiles}[0]{questions}')" 1
is "another reason" "$(sums permit one denies)" "3 2 1 0 0"
is "another rule" "$(sums resume one rules)" "1 0 1 0 0"
rm paid
run run flow.lua --profile no_wait.profile.lua --session brisk
run answer brisk allow
run resume brisk
is "a wait where there was none" "$(sums on_failure brisk live)" "1 0 1 0 0"

echo 'return { name = "refuse", version = 1,
  resume = function() return ck.refuse("the 4111 is over") end }' >refuse.lua
sed 's/is over/is late/; s/"refuse"/"late"/' refuse.lua >late.lua
echo 'return { name = "refuse_profile", policies = { "./refuse.lua" } }' >refuse.profile.lua
echo 'return { name = "asking", version = 1,
  resume = function() return ck.ask("Go on for 4111?") end }' >asking.lua
sed 's/4111/4112/; s/"asking"/"asking_on"/' asking.lua >asking_on.lua
echo 'return { name = "asking_profile", policies = { "./asking.lua" } }' >asking.profile.lua
echo 'return require("ck.flow").custom { run = function(ctx) ctx.pause("wait") end }' >pause.lua
for name in refuse asking; do
  run run pause.lua --profile $name.profile.lua --session $name
  run resume $name
done
is "a refusal in other words" "$(sums resume refuse refuse), $(sums resume refuse late)" \
  "1 1 0 0 0, 1 0 1 0 0"
is "and a question" "$(sums resume asking asking), $(sums resume asking asking_on)" \
  "1 1 0 0 0, 1 0 1 0 0"

# ---- what is masked can have been anything ----

echo 'return { name = "hides", version = 1,
  redact = function(item) return ck.mask(item.value, "[0-9]{4}") end }' >hides.lua
run --json policy simulate --hook redact --policy ./hides.lua one
is "texts that it ran have some of it, too" "$(json "$out" 'join " ", sort grep { /^files/ }
  map { $_->{where} } @{$d->{profiles}[0]{masked}}')" "files.flow files.policy"
sed "s/'.\/live.lua'/'.\/live.lua', '.\/hides.lua'/" live.profile.lua >masked.profile.lua
rm paid
run run flow.lua --profile masked.profile.lua --session masked
run answer masked allow
run resume masked
has "a number is masked in the question" \
  "$("$CKRUN" sessions log masked --all --kind intent --json)" 'May [redacted:'
told=$("$CKRUN" --json policy simulate --hook permit --policy ./asks.lua masked)
is "another one is no other answer" "$(json "$told" '$d->{profiles}[0]{otherwise}')" 0
cat >why.lua <<'E'
return { name = "why", version = 1, checkpoint = function(at)
  if at.kind == "node_complete" then return "for 4111 at " .. at.node end
end }
E
echo 'return { name = "reasons", policies = { "./why.lua", "./hides.lua" } }' >reasons.profile.lua
run run flow.lua --profile reasons.profile.lua --session reasons
run --json policy simulate --profile ./reasons.profile.lua reasons
is "nor is a masked reason of a checkpoint" \
  "$(json "$out" '$d->{profiles}[0]{boundaries} - $d->{profiles}[0]{as_recorded}')" 0
sed -i 's/for 4111/by 4111/' why.lua
run --json policy simulate --profile ./reasons.profile.lua reasons
is "what is around it counts" \
  "$(json "$out" '$d->{profiles}[0]{boundaries} - $d->{profiles}[0]{as_recorded}')" 2

# ---- delegations: the flow carries them out ----

cp -r "$root/examples/deliberation" team
cat >nobody.lua <<'E'
return { name = "nobody", version = 1, permit = function(effect)
  if effect.tool == "delegate" then return ck.deny("alone") end
end }
E
sed 's/ck.deny("alone")/nil/; s/"nobody"/"all"/' nobody.lua >all.lua
# team SESSION OPTION…
team() {
  run run team/flow.lua --profile team/profile.lua --cassette team/cassette.jsonl \
    --input '"Should the shop move to a cheaper cloud this quarter?"' --session "$@"
}
# delegations SESSION: the calls of the tool in the transcript, and what else may begin.
delegations() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -ne '
    my $e = decode_json($_); my $b = $e->{body};
    $calls++ if $e->{kind} eq "outcome" && $b->{own} && $b->{name} eq "delegate";
    $others++ if $e->{kind} eq "intent" || $b->{own} && $b->{name} ne "delegate";
    END { printf "%d %d", $calls, $others }'
}
answers() {
  run --json policy simulate --hook permit --policy "./$2.lua" "$1"
  json "$out" 'my %n = map { @$_{qw(answer count)} } @{$d->{profiles}[0]{answers}};
    join " ", $n{deny} // 0, $n{allow} // 0, @{$d->{profiles}[0]}{qw(as_recorded untold)}'
}
team asked --policy ./all.lua
read -r calls others <<<"$(delegations asked)"
ok "there are delegations" test "$calls" -ge 3
is "each is asked about by its name" "$(answers asked nobody)" "$calls $others $others 0"
is "and as it was" "$(answers asked all)" "0 $((calls + others)) $((calls + others)) 0"
team unasked
read -r calls others <<<"$(delegations unasked)"
is "in a session without such a policy, too" "$(answers unasked nobody)" "$calls $others 0 0"
echo 'return { name = "whom", version = 1, permit = function(effect)
  if effect.tool == "delegate" and effect.arguments.target == "x" then return ck.deny("x") end
end }' >whom.lua
is "whom it asks is not recorded" "$(answers asked whom)" "0 $others $others $calls"
finish
