#!/bin/bash
# eval_hooks.t - policy eval at the event of a hook shows what the hook was shown live: the effect
# and the place of permit, the failure of on_failure, the effect of in_doubt, the session and the
# checkpoint of resume. The same expression is printed live and evaluated.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "work", start = "plan", nodes = {
  plan = function(ctx) ctx.memory.topic = "kettles" end,
  build = flow.exec { argv = { "sh", "-c", "[ -e built ] || { touch built; exit 7; }" },
    class = "idempotent", retry = { times = 2, backoff_ms = 1 } },
  send = flow.exec { argv = { "echo", "sent" }, class = "once" },
  hold = function(ctx) ctx.pause("a person looks") end,
  deadly = flow.exec { argv = { "sh", "-c", "[ -e died ] || { touch died; kill -9 $PPID; }" },
    class = "once" },
}, edges = { plan = "build", build = "send", send = "hold", hold = "deadly", deadly = flow.done } }
E
effect='("%s %s %s %s %s %d %s"):format(effect.key, effect.scope, effect.kind, effect.class,
  tostring(effect.agent), effect.attempt, effect.request.argv[1])'
at='("%s %s %d %d %s %d %s %s %s %g %s"):format(tostring(at.kind), tostring(at.node), at.seq,
  at.since.events, tostring(at.is_clean), at.since.boundaries, at.random, at.next.class, at.scope,
  at.now % 1000000, tostring(at.budget.limit))'
failure='("%s %s %s %s %d %d %s %s"):format(failure.key, tostring(failure.node), failure.kind,
  failure.status, failure.try, failure.attempt, failure.error, tostring(failure.retry_after))'
session='("%s %s %s %s %d %d %d %s %s"):format(session.id, session.status, session.reason,
  session.profile, session.now, session.updated, session.tool_calls, tostring(session.host.same),
  tostring(session.budget.limit))'
checkpoint='("%s %s %d %d"):format(checkpoint.id, checkpoint.kind, checkpoint.seq,
  checkpoint.age_ms)'
cat >seen.lua <<E
return { name = "seen", version = 1, options = { word = "x" },
  permit = function(effect, at, opt)
    print("permit " .. $effect .. " | " .. $at)
    if opt.word == "no" and at.node == "send" then return ck.deny(opt.word) end
  end,
  on_failure = function(failure) print("on_failure " .. $failure) end,
  in_doubt = function(effect)
    print("in_doubt " .. $effect)
    return "tell"
  end,
  resume = function(session, checkpoint)
    print("resume " .. $session .. " | " .. $checkpoint)
  end }
E
cat >p.lua <<'E'
return { name = "p", extends = "graph",
  policies = { "every_boundary", { "./seen.lua", word = "y" } },
  constraints = { budget_usd = 2 } }
E
sed 's/"p"/"no"/; s/word = "y"/word = "no"/' p.lua >no.lua
# life NAME CODE ARGUMENTS…: what the policy prints is added to NAME.told.
life() {
  local name=$1 want=$2
  shift 2
  exits "$want" "$name, $1" "$@"
  sed -n 's/^ckrun: [^ ]*seen.lua:[0-9]*: //p' <<<"$err" >>"$name.told"
}
life s 8 run flow.lua --profile ./p.lua --session s
life s 137 resume s
life s 1 resume s
rm built
life d 1 run flow.lua --profile ./no.lua --session d

# asked SESSION HOOK: the events at which the hook was asked live, in order, by what they are.
asked() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -ne '
    BEGIN { $hook = shift } my $e = decode_json($_); my $b = $e->{body};
    my $begun = $e->{kind} eq "intent" && $b->{kind} eq "exec";
    my $here = $hook eq "permit" ? ref $b->{denied} || $begun
      : $hook eq "on_failure" ? ref $b->{failure}
      : $hook eq "in_doubt" ? $e->{kind} eq "resolution"
      : $e->{kind} eq "session_resumed";
    print "$e->{seq} " if $here' "$2"
}
# evaluated SESSION HOOK EXPRESSION: the same expression at each of these events.
evaluated() {
  local seq
  for seq in $(asked "$1" "$2"); do
    "$CKRUN" policy eval "$1#$seq" -e "\"$2 \" .. $3" 2>&1
  done
}
same() {
  local live
  live=$(grep "^$2 " "$1.told")
  ok "$1: $2 was asked live" test -n "$live"
  is "$1: $2 is shown the same again" "$(evaluated "$1" "$2" "$3")" "$live"
}
same s permit "$effect .. \" | \" .. $at"
same d permit "$effect .. \" | \" .. $at"
same s on_failure "$failure"
same s in_doubt "$effect"
same s resume "$session .. \" | \" .. $checkpoint"

# ---- what there is, and what there is not ----
broken=$(asked s on_failure | cut -d' ' -f1)
intent=$(asked s permit | cut -d' ' -f1)
denied=$(asked d permit | awk '{ print $NF }')
resumed=$(asked s resume | cut -d' ' -f1)
exits 0 "a hook without its options" policy eval "d#$denied" --profile ./no.lua --policy seen \
  -e 'policy.permit(effect, at)'
has "has those in force" "$out" '"no"'
exits 5 "a view of another hook" policy eval "s#$intent" -e failure
has "is told not to be there" "$err" "there is no 'failure' at this event"
prompted() {
  script -qec "stty -echo; $CKRUN policy eval $1" /dev/null </dev/null 2>/dev/null | tr -d '\r'
}
if command -v script >/dev/null; then
  has "at the prompt it is said whose views they are" "$(prompted "s#$intent")" \
    "permit is shown effect and at here"
  has "of a failure" "$(prompted "s#$broken")" "on_failure is shown failure here"
  has "of a resume" "$(prompted "s#$resumed")" "resume is shown session and checkpoint here"
else
  skip "script is not installed"
fi

# ---- a session whose policy looked at nothing ----
echo 'return { name = "blind", version = 1, permit = function() end }' >blind.lua
echo 'return { name = "b", extends = "graph", policies = { "./blind.lua" } }' >b.lua
rm -f built died
run run flow.lua --profile ./b.lua --session b
intent=$(asked b permit | cut -d' ' -f1)
exits 0 "the place of an effect that was not kept" policy eval "b#$intent" -e 'at.seq < event.seq' \
  -e at.kind
is "is the boundary before it" "$out" $'true\nnode_start'
finish
