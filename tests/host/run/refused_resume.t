#!/bin/bash
# refused_resume.t - which policy refused a resume, and why, is in the log; a new limit is in the
# dry run; so is a value that a policy would mask.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "one", nodes = {
  one = flow.lua(function(ctx) ctx.memory.a = 1 end),
  two = flow.lua(function(ctx) ctx.pause("wait") end) },
  edges = { one = "two", two = flow.done } }
END
# profile NAME FIELDS…: Lua; `policies` of NAME.lua.
profile() {
  local name=$1
  shift
  echo "return { name = \"p_$name\", extends = \"graph\", $* }" >"p_$name.lua"
}
cat >no.lua <<'END'
return { name = "no_more", version = 1, options = { why = "enough" },
  resume = function(session, _, opt)
    if session.reason ~= "go" then return ck.refuse(opt.why) end
  end }
END
cat >strict.lua <<'END'
return { name = "strict", version = 1, resume = function() return { tokens = "refuse" } end }
END
echo 'return { name = "broken", version = 1, resume = function() error "no idea" end }' >broken.lua
profile no 'policies = { "every_boundary", "resume_limits", "./no.lua" }'
profile strict 'policies = { "every_boundary", "./strict.lua" }'
profile broken 'policies = { "every_boundary", "./broken.lua" }'
profile own 'resume = { tokens = "refuse" }, policies = { "every_boundary", "./no.lua" }'
profile rule 'resume = { tokens = "refuse" }'
# refusals SESSION: policy and reason of each.
refusals() {
  json "[$("$CKRUN" sessions log "$1" --all --kind resume_refused --json | paste -sd,)]" \
    'join "|", map { ($_->{body}{policy} // "-") . ": " . $_->{body}{reason} } @$d'
}
# refuses NAME WANT
refuses() {
  exits 8 "$1: a session that pauses" run flow.lua --profile "./p_$1.lua" --session "$1"
  run resume "$1"
  is "$1: a refused resume is in the log, with its policy" "$(refusals "$1")" "$2"
}
refuses no "no_more: enough"
refuses strict "strict: the rule for its tokens is to refuse"
refuses own "no_more: enough"
refuses rule "-: the rule for its tokens is to refuse"
run run flow.lua --profile ./p_broken.lua --session broken
exits 5 "broken: a hook that fails refuses" resume broken
is "broken: with its error" "$(refusals broken)" \
  "broken: policy \"broken\", resume: $dir/broken.lua:1: no idea"

# ---- once, as long as nothing changes ----
before=$(sha256sum store/ckrun.db)
exits 5 "a dry run refuses, too" resume no --dry-run
is "and writes nothing" "$(sha256sum store/ckrun.db)" "$before"
exits 5 "refused once more" resume no
exits 5 "and with an edit" resume no --set a=2
is "for the same reason, it is the same event" "$(refusals no)" "no_more: enough"
exits 5 "for another one" resume no --option no_more.why=tired --accept-changed
is "it is another" "$(refusals no)" "no_more: enough|no_more: tired"
has "a person reads it" "$("$CKRUN" sessions log no --all)" "tired  policy no_more"
exits 0 "the session's last run" --json sessions show no
is "is the one that paused" \
  "$(json "$out" '"$d->{status} $d->{runs}[-1]{outcome} " . @{$d->{runs}}')" "paused paused 1"
sed -i 's/~= "go"/== "go"/' no.lua
exits 0 "nothing of it stands against a resume" --json resume no --accept-changed
is "which ends" "$(json "$out" '$d->{status}')" completed
exits 0 "in a sound store" store verify

# ---- a new limit is in the dry run ----
exits 8 "a session that pauses" run flow.lua --profile ./p_rule.lua --session limited
printf 'return { name = "l", extends = "graph", constraints = { tool_calls = 5 } }\n' >p_l.lua
exits 8 "with a limit" run flow.lua --profile ./p_l.lua --session lifted
exits 0 "a dry run with another one" --json resume lifted --limit tool_calls=9 --dry-run
is "shows that" "$(json "$out" '$d->{constraints}{tool_calls}{limit}')" 9
exits 0 "as a table" resume lifted --limit tool_calls=9 --limit budget_usd=2 --dry-run
is "with what is left of it" "$(cell "$out" tool_calls) $(cell "$out" budget)" \
  "9 left of 9 (continue) \$2.00 left of \$2.00 (continue)"

# ---- a value that a policy masks ----
cat >card.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "one", nodes = {
  one = flow.lua(function(ctx) ctx.pause("wait") end),
  two = flow.lua(function(ctx) return #ctx.memory.card end) },
  edges = { one = "two", two = flow.done } }
END
profile card 'policies = { "every_boundary", { "redact_keys", keys = { card = "mask" } } }'
text="memory.card: a policy masks or drops it before it is stored, so a resume would not have it: \
give it with --set-env memory.card=VARIABLE or --set-file memory.card=FILE"
refused 5 "a run with a value that a policy masks" "$text" run card.lua --profile ./p_card.lua \
  --set card=4111 --session card
exits 8 "a session" run card.lua --profile ./p_card.lua --session card
refused 5 "a resume of it with such a value" "$text" resume card --set card=4111
exits 5 "a dry run" resume card --set card=4111 --dry-run
is "lists that problem" "$(cell "$out" problem)" "$text"
has "a name of a secret is told as before" "$("$CKRUN" resume card --set password=hunter22 2>&1)" \
  "memory.password looks like a secret"
exits 0 "another value is no problem" resume card --set kind=4111 --dry-run
printf 4111 >number
exits 0 "from a file the flow has it" --json resume card --set-file card=number
is "whole" "$(json "$out" '$d->{result}')" 4
finish
