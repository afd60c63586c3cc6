#!/bin/bash
# interop.sh - whole sessions with an MCP server and an ACP agent of other authors, from the npm
# registry. TAP; without node, npm or the packages everything is skipped.
. "$(dirname "$0")/packages.sh"
server=$place/node_modules/@modelcontextprotocol/server-everything/dist/index.js
agent=$place/node_modules/@agentclientprotocol/sdk/dist/examples/agent.js

. "$(dirname "$0")/../host/tap.sh"
cd "$dir" || exit 1

# ---- MCP: @modelcontextprotocol/server-everything ----

# call NAME TIMEOUT_S TOOL ARGUMENTS: a session of that name that makes one call, and another one
# after it.
call() {
  cat >"$1.lua" <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { everything = flow.mcp { argv = { "node", "$server", "stdio" }, timeout_s = $2 } },
  run = function(ctx)
    local function call(name, arguments)
      return ctx.effect {
        kind = "tool", class = "pure",
        request = { server = "everything", name = name, arguments = arguments },
      }
    end
    local it, last = call("$3", $4), call("echo", { message = "still there" })
    return { status = it.status, result = it.result or it.error, last = last.result }
  end,
}
EOF
  run run "$1.lua" --session "$1"
  is "$1: the session is completed" "$code" 0
  has "$1: the server is there for the next call" "$out" '"last":"Echo: still there"'
}

cat >list.lua <<EOF
local flow = require "ck.flow"
local mcp = require "ck.flow.mcp"
local process = require "ck.flow.process"
local servers = { everything = flow.mcp {
  argv = { "node", "$server", "stdio" }, tools = { ["get-sum"] = "idempotent" },
} }
return flow.custom {
  processes = servers,
  run = function(ctx)
    local found = {}
    for _, tool in ipairs(mcp.offer(ctx, process.declare(servers))) do
      found[tool.name] = tool.class
    end
    return found
  end,
}
EOF
run run list.lua --session list
has "the tools are listed; read-only is pure" "$out" '"echo":"pure"'
has "what the flow declares wins" "$out" '"get-sum":"idempotent"'
ok "what must be called as a task is not offered" test -z \
  "$(grep -o '"simulate-research-query"' <<<"$out")"

call echo 60 echo '{ message = "a \"b\" ü" }'
has "a text comes back" "$out" '"result":"Echo: a \"b\" ü"'
call sum 60 get-sum '{ a = 2, b = 40 }'
has "a sum is made" "$out" '"result":"The sum of 2 and 40 is 42."'
call picture 60 get-tiny-image '{}'
has "content of several kinds stays a list" "$out" '"media_type":"image/png","type":"image"'
call structured 60 get-structured-content '{ location = "Chicago" }'
has "structured content is kept" "$out" '"structuredContent":{'
call slow 60 trigger-long-running-operation '{ duration = 1, steps = 4 }'
has "a long call ends" "$out" 'Long running operation completed'
is "its progress is recorded" "$("$CKRUN" sessions log slow | grep -c notifications/progress)" 4
call wrong 60 echo '{ massage = "x" }'
has "wrong arguments are an error for the model" "$out" '"status":"error"'
call nobody 60 no-such-tool '{}'
has "so is a tool that there is not" "$out" 'no-such-tool not found'
call late 4 trigger-long-running-operation '{ duration = 60, steps = 1 }'
has "a call that takes too long is cancelled" "$out" \
  "the MCP server 'everything' did not answer within"
call questions 60 trigger-sampling-request '{ prompt = "x" }'
has "what this client does not offer is refused" "$out" '"status":"error"'

# ---- MCP over HTTP: the same server, started anew between two calls ----

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => {
  console.log(s.address().port); s.close(); })')
serve() {
  PORT=$port node "$server" streamableHttp >>"$dir/http.log" 2>&1 &
  serving=$!
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "$serving" || return
    sleep 0.05
  done
}
serve
trap 'kill "$serving" 2>/dev/null; rm -rf "$dir"' EXIT
cat >http.lua <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { everything = flow.mcp { url = "http://127.0.0.1:$port/mcp" } },
  run = function(ctx)
    local function call(name, arguments)
      local it = ctx.effect {
        kind = "tool", class = "once",
        request = { server = "everything", name = name, arguments = arguments },
      }
      return it.result or it.error
    end
    local first = call("echo", { message = "over HTTP" })
    local slow = call("trigger-long-running-operation", { duration = 1, steps = 4 })
    ctx.effect { kind = "exec", class = "once", request = { argv = { "./again" } } }
    return { first, slow, call("get-sum", { a = 2, b = 40 }) }
  end,
}
EOF
printf '#!/bin/sh\ntouch restart; while [ -e restart ]; do sleep 0.05; done\n' >again
chmod +x again
"$CKRUN" run http.lua --session http >"$dir/out" 2>"$dir/err" &
pid=$!
until [ -e restart ]; do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
kill "$serving"
wait "$serving" 2>/dev/null
serve
rm -f restart
wait "$pid"
code=$?
out=$(cat "$dir/out") err=$(cat "$dir/err")
is "over HTTP: a session goes on behind a restart of the server" "$code" 0
has "over HTTP: a text comes back" "$out" '"Echo: over HTTP"'
has "over HTTP: a stream of progress ends" "$out" 'Long running operation completed'
has "over HTTP: a new session is begun" "$out" '"The sum of 2 and 40 is 42."'
is "over HTTP: its progress is recorded" \
  "$("$CKRUN" sessions log http | grep -c notifications/progress)" 4
has "over HTTP: the session is given back" "$(cat "$dir/http.log")" "session termination request"
kill "$serving"
wait "$serving" 2>/dev/null

# ---- ckrun mcp over HTTP: the SDK's client ----

export MCP_TOKEN=a-token-for-the-client
"$CKRUN" mcp --listen 127.0.0.1:0 --token env:MCP_TOKEN >said 2>"$dir/err" &
serving=$!
until grep -q '^url' said; do kill -0 "$serving" || break; sleep 0.05; done
cat >"$place/client.mjs" <<'EOF'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const client = new Client({ name: "interop", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2]), {
  requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_TOKEN}` } } }));
const { tools } = await client.listTools();
const result = await client.callTool({ name: "list_session_checkpoints",
  arguments: { session_id: "http" } });
console.log(tools.length, result.isError, JSON.stringify(result.structuredContent));
await client.close();
EOF
out=$(timeout 60 node "$place/client.mjs" "$(sed -n 's/^url\t//p' said)" 2>"$dir/err")
err=$(cat "$dir/err")
has "the SDK's client lists the tools over HTTP, and calls one" "$out" 'false {"'
has "its answer is about the session" "$out" '"session_id":"http"'
out=$(MCP_TOKEN=another timeout 60 node "$place/client.mjs" "$(sed -n 's/^url\t//p' said)" 2>&1)
has "with another token it gets nothing" "$out" "401"
kill "$serving"
wait "$serving" 2>/dev/null

# ---- ACP: the SDK's example agent ----

cat >prompt.lua <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { coder = flow.acp { argv = { "node", "$agent" } } },
  run = function(ctx)
    return ctx.effect {
      kind = "agent", class = "once", request = { process = "coder", prompt = "Improve it" },
    }.result
  end,
}
EOF
for rule in allow reject ask; do
  echo "return { name = \"$rule\", extends = \"default\", permissions = { edit = \"$rule\" } }" \
    >"$rule.lua"
done

run run prompt.lua --profile ./allow.lua --session allowed
is "an agent's turn is completed" "$code" 0
has "it says why it stopped" "$out" '"stop_reason":"end_turn"'
has "it was allowed" "$out" "I've successfully updated the configuration"
is "what it told is recorded" "$("$CKRUN" sessions log allowed | grep -c sessionUpdate)" 7
run run prompt.lua --profile ./reject.lua --session rejected
has "or it was not" "$out" "you prefer not to make that change"
run run prompt.lua --profile ./ask.lua --session asked
is "or nobody was there to be asked" "$code" 8
has "then the session waits" "$err" \
  "asks for permission: Modifying critical configuration file (edit)"
run resume asked --accept-changed
is "and still does at the next try" "$code" 8

"$CKRUN" run prompt.lua --profile ./allow.lua --session killed >/dev/null 2>&1 &
pid=$!
until "$CKRUN" sessions log killed 2>/dev/null | grep -q sessionUpdate; do sleep 0.02; done
{ kill -9 "$pid"; wait "$pid"; } 2>/dev/null
agents() { grep -l 'dist/examples/agent[.]js' /proc/[0-9]*/cmdline 2>/dev/null | wc -l; }
for _ in $(seq 1000); do [ "$(agents)" = 0 ] && break; done
is "an agent ends with the program that talks to it" "$(agents)" 0
run resume killed
is "a turn that was cut off is in doubt" "$code" 75
finish
