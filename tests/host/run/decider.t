#!/bin/bash
# decider.t - where a policy's answer paused, failed, refused or asked, the run and the resume name
# policy and hook, in the table and with --json; where none decided they name none.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a", nodes = {
    a = flow.exec { argv = { "sh", "-c", "exit 1" }, class = "once" },
    b = flow.lua(function(ctx) ctx.memory.x = "y" end) },
  edges = { a = "b", b = flow.done } }
E
cat >calm.lua <<'E'
local flow = require "ck.flow"
local function nothing() end
return flow.graph { name = "c", start = "a",
  nodes = { a = nothing, b = nothing, c = flow.lua(function(ctx) ctx.pause("here") end) },
  edges = { a = "b", b = "c", c = flow.done } }
E
echo 'return { name = "quiet", version = 1, permit = function() end,
  on_failure = function() end }' \
  >quiet.lua
echo 'return { name = "p", extends = "graph", policies = { "./quiet.lua", "./rule.lua" } }' >p.lua
n=0
# decides WHAT FLOW HOOKS WANT: the run under a policy with these hooks names WANT, "policy hook" or
# "none", in its table, and as JSON.
decides() {
  echo "return { name = \"rule\", version = 1, $3 }" >rule.lua
  n=$((n + 1))
  run run "$2" --profile ./p.lua --session "t$n"
  is "$1: the table" "$(cell "$out" policy) $(cell "$out" hook)" "${4/none/ }"
  run --json run "$2" --profile ./p.lua --session "j$n"
  is "$1: as JSON" "$(json "$out" 'join " ", map { $_ // "" } @{$d}{qw(policy hook)}')" \
    "${4/none/ }"
}
decides "a pause after a failure" flow.lua 'on_failure = function() return "pause" end' \
  "rule on_failure"
decides "a failure that a policy lets fail" flow.lua 'on_failure = function() return "fail" end' \
  "rule on_failure"
decides "tries that are used up" flow.lua 'on_failure = function() return "retry" end' \
  "rule on_failure"
decides "a policy that fails about a failure" flow.lua 'on_failure = function() error("x") end' \
  "rule on_failure"
decides "a question" flow.lua 'permit = function() return ck.ask "May it?" end' "rule permit"
decides "a policy that fails before an effect" flow.lua 'permit = function() error "x" end' \
  "rule permit"
decides "a denial" flow.lua 'permit = function() return ck.deny "no way" end' "rule permit"
decides "checkpoints that fail three times" calm.lua 'checkpoint = function() error "c" end' \
  "rule checkpoint"
decides "a mask that fails" flow.lua 'redact = function() error "x" end' "rule redact"
decides "a failure that nobody has an opinion about" flow.lua '' none
decides "a pause of the flow's own" calm.lua 'on_failure = function() return "pause" end' none

cat >later.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "l", start = "a",
  nodes = { a = flow.exec { argv = { "sh", "-c", "test -e ../was || { touch ../was; exit 1; }" },
      class = "once", cwd = "there" },
    b = flow.lua(function(ctx) ctx.pause("here") end) },
  edges = { a = "b", b = flow.done } }
E
mkdir there
decides "a pause of the flow's own behind a try that a policy asked for" later.lua \
  'on_failure = function() return "retry" end' none
ok "which there was" test -e was

# ---- a doubt ----
cat >doubt.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a", nodes = {
    a = flow.exec { argv = { "sh", "-c", "kill -9 $$" }, class = "once" } },
  edges = { a = flow.done } }
E
decides "a doubt that a policy stops at" doubt.lua 'in_doubt = function() return "stop" end' \
  "rule in_doubt"
decides "one that nobody has an opinion about" doubt.lua '' none

# ---- a denial by the person whom a policy asks ----
echo 'return { name = "rule", version = 1, permit = function() return ck.ask "May it?" end }' \
  >rule.lua
exits 8 "a session that asks" run flow.lua --profile ./p.lua --session person
exits 0 "is denied" answer person deny
run --json resume person
is "whose question it was is named" "$(json "$out" '"$d->{policy} $d->{hook}"')" "rule permit"

# ---- a resume ----
# refused WHAT BODY: the error's object names the policy; the text too.
refused_by() {
  rm -f rule.lua && echo "return { name = \"rule\", version = 1 }" >rule.lua
  n=$((n + 1))
  run run calm.lua --profile ./p.lua --session "r$n"
  echo "return { name = \"rule\", version = 1, resume = function() $2 end }" >rule.lua
  for how in "" --dry-run; do
    run --json resume "r$n" --accept-changed $how
    [ "$code" = 0 ] || is "$1: the error's object $how" \
      "$(json "$err" '"$d->{error}{policy} $d->{error}{hook}"')" "rule resume"
    [ "$code" != 0 ] || continue
    run resume "r$n" --accept-changed $how
    has "$1: its text $how" "$out$err" 'policy "rule", resume'
  done
}
refused_by "a refusal" 'return "refuse"'
refused_by "a refusal with a reason" 'return { refuse = "not at night" }'
refused_by "a limit's refusal" 'return { budget = "refuse" }'
refused_by "a question" 'return ck.ask "Go on?"'
finish
