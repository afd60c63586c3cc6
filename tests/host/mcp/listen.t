#!/bin/bash
# listen.t - ckrun mcp over HTTP: to whoever has the token, and to no web page; what it answers is
# what it answers on standard input.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/http.sh"
cd "$dir" || exit 1

run run "$flow" --cassette "$cassette" --session trip

LIST='{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
WELCOME='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'
CALL='{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_session_checkpoints",
  "arguments":{"session_id":"trip"}}}'
printf '%s\n' "$WELCOME" "$LIST" "${CALL//$'\n'/}" | "$CKRUN" mcp >plain
listen
is "it makes a token" "${#token}" 64
post "$WELCOME"
is "a client is welcome" "$code $reply" "200 $(sed -n 1p plain)"
has "with JSON" "$head" "Content-Type: application/json"
post '{"jsonrpc":"2.0","method":"notifications/initialized"}'
is "a notification is taken" "$code $reply" "202 "
post "$LIST" "MCP-Protocol-Version: 2025-11-25"
is "the tools are those of standard input" "$code $reply" "200 $(sed -n 2p plain)"
post "$CALL"
is "and so is what they give" "$code $reply" "200 $(sed -n 3p plain)"
has "which are the checkpoints of the session" "$reply" '"session_id":"trip"'
post '{"jsonrpc":'
is "what is no JSON is refused" "$code" 400
has "with an error of the protocol" "$reply" '"code":-32700'
post "$LIST" "MCP-Protocol-Version: 1999-01-01"
is "so is another revision" "$code" 400
for method in GET DELETE PUT; do
  http "$method" /mcp "" "Host: 127.0.0.1:$port" "Authorization: Bearer $token"
  is "$method: there is nothing of that kind" "$code" 405
done
http POST /other "$LIST" "Host: 127.0.0.1:$port" "Authorization: Bearer $token"
is "nor at another place" "$code" 404

# refuses CODE NAME HEADER…: so is a client with these headers, before its body comes, which never
# does here.
refuses() {
  local want=$1 name=$2
  shift 2
  length=1000000 http POST /mcp "" "$@"
  is "$name" "$code" "$want"
  ok "$name: it learns nothing" test -z "$(grep -F checkpoints <<<"$reply")"
}
mine="Host: 127.0.0.1:$port" bearer="Authorization: Bearer $token"
refuses 401 "nobody without the token" "$mine"
refuses 401 "nobody with another one" "$mine" "Authorization: Bearer ${token%?}x"
refuses 401 "nobody with a part of it" "$mine" "Authorization: Bearer ${token%?}"
refuses 401 "nobody with an empty one" "$mine" "Authorization: Bearer "
refuses 401 "nor as a password" "$mine" "Authorization: Basic $token"
refuses 403 "no page, though it had the token" "$mine" "$bearer" "Origin: https://example.com"
refuses 403 "no page of another port" "$mine" "$bearer" "Origin: http://127.0.0.1:1"
refuses 403 "no page of no origin" "$mine" "$bearer" "Origin: null"
refuses 403 "nobody by another name of the machine" "Host: example.com:$port" "$bearer"
refuses 403 "nor by no name" "$bearer" "X-Host: none"
length=5000000 post "$(printf '%*s' 5000000 '')"
is "a message of five megabytes is too long" "$code" 413
post "$LIST"
is "and the next one is answered" "$code" 200
kill "$listening"
wait "$listening"
is "a signal ends it" "$?" 0

export MCP_TOKEN=a-token-of-my-own-choice
listen --token env:MCP_TOKEN --read-only
is "a token that was given is not shown" "$(grep -c "$MCP_TOKEN" said mcp.err | tr '\n' ' ')" \
  "said:0 mcp.err:0 "
token=$MCP_TOKEN
post "$LIST"
is "and is the one" "$code" 200
ok "--read-only holds here, too" test -z "$(grep -F resume_session <<<"$reply")"
cat >client.lua <<END
local flow = require "ck.flow"
return flow.custom {
  processes = { ckrun = flow.mcp { url = "http://127.0.0.1:$port/mcp", key = "mcp" } },
  run = function(ctx)
    return ctx.effect { kind = "tool", class = "pure", request = { server = "ckrun",
      name = "list_session_checkpoints", arguments = { session_id = "trip" } } }.status
  end,
}
END
echo 'return { name = "p", extends = "default", secrets = { mcp = "env:MCP_TOKEN" } }' >p.lua
run run client.lua --profile ./p.lua
has "a flow is a client of it" "$out" $'result\tok'
kill "$listening"
wait "$listening"
export MCP_TOKEN=short
refused 2 "a short token" "fewer than 16 bytes" mcp --listen 127.0.0.1:0 --token env:MCP_TOKEN
refused 2 "an address of the network" "no address of this machine" mcp --listen 0.0.0.0:80
refused 2 "a token for nobody" "--token is for --listen" mcp --token env:MCP_TOKEN
finish
