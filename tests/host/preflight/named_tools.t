#!/bin/bash
# named_tools.t - a tool that a policy's options name, and that the flow does not have, is told with
# those that it has, by a run, a resume, its dry run and 'profile check --flow'; nothing is where
# the tools are there, or known only as the flow runs.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
cat >flow.lua <<'E'
local flow = require "ck.flow"
local sum = flow.tool(function() return 1 end, { description = "adds" })
return flow.graph { name = "shop", start = "wait", nodes = {
    wait = flow.lua(function(ctx) ctx.pause("here") end),
    ask = flow.agent { name = "asker", prompt = "x", model = "m",
      tools = { book = "once", mail = "once", sum = sum } } },
  edges = { wait = "ask", ask = flow.done } }
E
echo '{"cassette":1}' >none.jsonl
cat >deny_tools.lua <<'E'
local policy = { name = "deny_tools", version = 1,
  options = { tools = { "book" }, soft_tools = { book = 1 }, tool = "", why = "mial" } }
function policy.permit(effect, _, opt)
  for _, tool in ipairs(opt.tools) do if tool == effect.tool then return ck.deny(opt.why) end end
end
return policy
E
# profile POLICIES [MORE]: Lua.
profile() { echo "return { name = \"p\", extends = \"graph\", policies = { $1 } ${2-} }" >p.lua; }
# told: the notes about tools of the last command, by policy, option and name.
told() { sed -nE "s/.*p\\.lua: policy ([^,]*), option ([a-z_]*): no tool( and no node)? of \
flow shop is called \"([^\"]*)\".*/\\1 \\2 \\4/p" <<<"$err" | paste -sd , ; }
start() { run run flow.lua --profile ./p.lua --cassette none.jsonl "$@"; }

profile '{ "./deny_tools.lua", tools = { "rm_rf", "mial", "sum", "book" } }'
start --session s
is "a run goes on" "$code" 8
is "and tells them" "$(told)" "deny_tools tools rm_rf,deny_tools tools mial"
has "with those that there are" "$err" "p.lua: policy deny_tools, option tools: no tool of flow \
shop is called \"rm_rf\"; it has book, mail, sum"
has "and the nearest" "$err" "called \"mial\" (did you mean 'mail'?); it has"
exits 0 "a resume" resume s --dry-run
ok "its dry run" test "$(told)" = "deny_tools tools rm_rf,deny_tools tools mial"
start --option 'deny_tools.tools=["ax"]'
is "of a run's own options" "$(told)" "deny_tools tools ax"
exits 0 "profile check --flow" profile check ./p.lua --flow flow.lua
err=$(sed 's/^ckrun: //; s/^p: /p.lua: /' <<<"$err")
is "tells the same" "$(told)" "deny_tools tools rm_rf,deny_tools tools mial"
exits 0 "as JSON" --json profile check ./p.lua --flow flow.lua
is "among its notes" "$(json "$out" 'scalar grep { /is called/ } @{$d->{notes}}')" 2
exits 0 "without a flow" profile check ./p.lua
is "the tools are not known" "$(grep -c 'is called' <<<"$err")" 0
refused 3 "a flow that is not there" "nowhere.lua" profile check ./p.lua --flow nowhere.lua

profile '{ "./deny_tools.lua", soft_tools = { rm = 2, mail = 1 }, tool = "ls" }' \
  ', agents = { asker = { policies = { { "./deny_tools.lua", tools = { "cp" } } } } }'
start
is "names of a table, a text, an agent's own list" "$(told)" "deny_tools soft_tools rm,\
deny_tools tool ls,deny_tools of agent asker soft_tools rm,deny_tools of agent asker tool ls,\
deny_tools of agent asker tools cp"
profile '{ "smart", risky = { "wait", "mail", "deploy" } }, { "resume_limits" }'
start
is "risky names nodes, too" "$(told)" "smart risky deploy"

# ---- nothing is told ----
profile '{ "./deny_tools.lua", tools = { "book", "note", "db_*", "^rm" } }'
start
is "of tools that are there, what flows carry out themselves, patterns" "$(told)" ""
profile '{ "./deny_tools.lua", tools = { "rm_rf" } }'
cat >hand.lua <<'E'
local flow = require "ck.flow"
return flow.custom { name = "shop", tools = { look = "pure" }, run = function() return 1 end }
E
run run hand.lua --profile ./p.lua --cassette none.jsonl
is "of a flow written by hand" "$code $(told)" "0 "
cat >served.lua <<'E'
local flow = require "ck.flow"
return flow.agent { name = "shop", prompt = "x", tools = {
  files = flow.mcp { argv = { "true" } } } }
E
exits 0 "of one with a server" profile check ./p.lua --flow served.lua
is "whose tools are known as it runs" "$(grep -c 'is called' <<<"$err")" 0
finish
