#!/bin/bash
# untrusted_processes.t - what an MCP server or an agent process that is declared untrusted gives is
# in the context of its scope, and of who has joined that; memory is as who may have written it.
. "$(dirname "$0")/../tap.sh"
server=$CKRUN_BUILD/tests/effect/mcp/tool_mcp_server
agent=$CKRUN_BUILD/tests/effect/acp/tool_acp_agent
[ -x "$server" ] && [ -x "$agent" ] || { echo "Bail out! $server is not built"; exit 1; }
cd "$dir" || exit 1

cat >see.lua <<'END'
return { name = "see", version = 1, permit = function(effect)
  if effect.kind ~= "exec" or effect.request.argv[1] == "sh" then return end
  return ck.deny(effect.request.argv[2] .. "=" .. table.concat(effect.untrusted, "+"))
end }
END
echo 'return { name = "see", extends = "default", policies = { "./see.lua" } }' >see.profile.lua
# flow BODY: a flow of one's own; look NAME tells what permit saw.
flow() {
  cat <<END
local flow = require "ck.flow"
local mcp = require "ck.flow.mcp"
local process = require "ck.flow.process"
local servers = {
  box = flow.mcp { argv = { "$server" }, trust = "untrusted" },
  tin = flow.mcp { argv = { "$server" }, trust = "trusted" } }
local calm = flow.acp { argv = { "$agent" } }
local processes = { calm = calm, coder = flow.acp { argv = { "$agent" }, trust = "untrusted" },
  box = servers.box, tin = servers.tin }
return flow.custom { agents = { "ann", "bob" }, processes = processes, run = function(ctx)
  local seen = {}
  local function look(name, at)
    local outcome = (at or ctx).effect {
      kind = "exec", class = "once", request = { argv = { "true", name } } }
    seen[#seen + 1] = outcome.error:sub(#"denied by policy see: " + 1)
  end
  local function add(name, at)
    return (at or ctx).effect { kind = "tool", class = "once",
      request = { server = name, name = "add", arguments = { a = 2, b = 3 } } }.result
  end
  $1
  return { seen = table.concat(seen, " ") }
end }
END
}
# sees NAME WANTED BODY
sees() {
  flow "$3" >flow.lua
  exits 0 "$1" run flow.lua --profile ./see.profile.lua
  has "$1" "$out" "\"seen\":\"$2\""
}
sees "a server's list is not counted, what its tools give is; a trusted server's is not" \
  "listed= tin= box=box" '
  mcp.offer(ctx, process.declare { box = servers.box })
  look "listed"
  add "tin"
  look "tin"
  add "box"
  look "box"'
sees "an agent process" "before= after=coder" '
  look "before"
  ctx.effect { kind = "agent", class = "once", agent = "coder",
    request = { process = "coder", prompt = "hello" } }
  look "after"'
sees "a scope that was joined, and its writes; none that runs beside it; who is forked then" \
  "beside= alone= joined=box beside=box" '
  if ctx.task == "reads" then
    add "box"
    ctx.memory.plan = "its plan"
    return "read"
  end
  if ctx.task == "looks" then
    look "beside"
    return seen[1]
  end
  ctx.fork { { scope = "a", task = "reads", agent = "ann" },
    { scope = "b", task = "looks", agent = "bob" } }
  seen[1] = ctx.join({ "b" }).b.result
  look "alone"
  ctx.memory.plan = ctx.join({ "a" }).a.writes["memory.plan"]
  look "joined"
  ctx.boundary("safe_point", { position = { path = "two" } })
  ctx.fork { { scope = "c", task = "looks", agent = "bob" } }
  seen[4] = ctx.join({ "c" }).c.result'
# One process, prompted by two scopes: the second hears of what the first has told it. The first
# prompts it only once the second has heard of nothing.
cat >shared <<'END'
  local function wait(name, script)
    ctx.effect { kind = "exec", class = "pure", request = { argv = { "sh", "-c",
      script .. "; until [ -e " .. name .. " ]; do sleep 0.01; done" } } }
  end
  local function prompt()
    return ctx.effect { kind = "agent", class = "once", agent = "calm",
      request = { process = "calm", prompt = "hello" } }
  end
  if ctx.task == "tells" then
    add "box"
    wait("clean", ":")
    prompt()
    wait("told", "touch told")
    wait("heard", ":")
    return "told"
  end
  if ctx.task == "hears" then
    prompt()
    look "clean"
    wait("told", "touch clean")
    wait("told", "[ ! -e die ] || { rm die; kill -9 $PPID; }")
    prompt()
    look "heard"
    ctx.boundary("safe_point", { position = { path = "heard" } })
    wait("heard", "touch heard")
    return table.concat(seen, " ")
  end
  ctx.fork { { scope = "a", task = "tells", agent = "ann" },
    { scope = "b", task = "hears", agent = "bob" } }
  seen[1] = ctx.join({ "b" }).b.result
  ctx.join { "a" }
END
flow "$(cat shared)" >flow.lua
# prompts SESSION: the sources of each prompt, in order, and of each answer.
prompts() {
  local kind
  for kind in intent outcome; do
    "$CKRUN" --json sessions log "$1" --kind $kind | perl -MJSON::PP -ne '
      my $e = decode_json($_); my $b = $e->{body}; next if $b->{kind} ne "agent";
      print "$e->{scope}=", join("+", @{$b->{untrusted} || []}), " "'
  done
}
fresh() { rm -f clean told heard die; }
fresh
exits 0 "two scopes prompt one process" run flow.lua --profile ./see.profile.lua --session two
has "what the one had read is in the other's, once it has answered both" "$out" \
  '"seen":"clean= heard=box"'
is "so the transcript says" "$(prompts two)" \
  "main.b= main.a=box main.b=box main.b= main.a=box main.b=box "
sed 's/policies = { /&"every_boundary", /' see.profile.lua >every.profile.lua
for profile in see every; do
  fresh
  touch die
  exits 137 "$profile: killed between the two" run flow.lua --profile ./$profile.profile.lua \
    --session "killed_$profile"
  exits 0 "$profile: it goes on" resume "killed_$profile"
  has "$profile: the process was told, in another life" "$out" '"seen":"clean= heard=box"'
done

# hint SERVER: the class of a tool that the server says is read-only.
hint() {
  echo "
  for _, tool in ipairs(mcp.offer(ctx, process.declare { $1 = servers.$1 })) do
    if tool.name == 'echo' then seen[#seen + 1] = tool.class end
  end"
}
sees "a trusted server's hint is taken" "pure" "$(hint tin)"
sees "that of an untrusted one is not" "once" "$(hint box)"
finish
