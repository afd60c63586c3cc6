#!/bin/bash
# eras_http.t - the newer era of the protocol over HTTP: headers say what the body says, or the
# request is refused; what is refused is so by the status and the code that the protocol has for it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/http.sh"
run run "$flow" --cassette "$cassette" --session trip
P=io.modelcontextprotocol
CAN="\"$P/clientCapabilities\":{}"
META="\"_meta\":{\"$P/protocolVersion\":\"2026-07-28\",$CAN}"
code() { json "$reply" '$d->{error}{code}'; }
of_result() { json "$reply" "\$d->{result}$1"; }
listen
# send METHOD PARAMS NAME HEADER…: a request of the newer era, with the headers that it must have;
# one that is given takes the place of its own, and is left out as "-HEADER".
send() {
  local method=$1 params=$2 name=$3 own given all=()
  shift 3
  for own in "MCP-Protocol-Version: 2026-07-28" "Mcp-Method: $method" ${name:+"Mcp-Name: $name"}; do
    for given; do [ "${own%%:*}" = "$(sed 's/^-//; s/:.*//' <<<"$given")" ] && own=; done
    all+=(${own:+"$own"})
  done
  for given; do [ "${given:0:1}" = - ] || all+=("$given"); done
  post "{\"jsonrpc\":\"2.0\",\"id\":\"a7\",\"method\":\"$method\",\"params\":{$params}}" \
    "${all[@]}"
}
send tools/list "$META" ""
is "a request without a beginning" "$code $(of_result '{resultType}')" "200 complete"
send tools/call "$META,\"name\":\"list_resumable_sessions\"" list_resumable_sessions
is "a call" "$code $(of_result '{isError}')" "200 0"
send resources/read "$META,\"uri\":\"ckrun://sessions/trip\"" ckrun://sessions/trip
is "a resource" "$code $(of_result '{cacheScope}')" "200 private"
send resources/read "$META,\"uri\":\"ckrun://sessions/none\"" ckrun://sessions/none
is "one that there is not" "$code $(code)" "200 -32602"
send tools/call "$META,\"name\":\"list_resumable_sessions\"" \
  "=?base64?$(printf list_resumable_sessions | base64)?="
is "a name as base64" "$code" 200
send tools/call "$META,\"name\":\"list_resumable_sessions\"" "  list_resumable_sessions	"
is "a name between blanks" "$code" 200
for method in initialize ping resources/unsubscribe nothing; do
  send "$method" "$META" ""
  is "$method: not found, and not as if there were no server" "$code $(code)" "404 -32601"
  is "$method: the answer is to its request" "$(json "$reply" '$d->{id}')" a7
done
# refuse CODE WHAT METHOD PARAMS NAME HEADER…
refuse() {
  local want=$1 what=$2
  shift 2
  send "$@"
  is "$what" "$code $(code) $(json "$reply" '$d->{id}')" "400 $want a7"
}
CALL="$META,\"name\":\"list_resumable_sessions\""
refuse -32020 "no method in the headers" tools/list "$META" "" -Mcp-Method
refuse -32020 "another method" tools/list "$META" "" "Mcp-Method: tools/call"
refuse -32020 "the method in capitals" tools/list "$META" "" "Mcp-Method: TOOLS/LIST"
refuse -32020 "no name" tools/call "$CALL" ""
refuse -32020 "another name" tools/call "$CALL" resume_session
refuse -32020 "another name as base64" tools/call "$CALL" "=?base64?$(printf pause | base64)?="
refuse -32020 "a name as what is no base64" tools/call "$CALL" "=?base64?bGlz!!!?="
refuse -32020 "another resource" resources/read "$META,\"uri\":\"ckrun://sessions/trip\"" \
  ckrun://sessions/trip/log
refuse -32020 "no revision in the headers" tools/list "$META" "" -MCP-Protocol-Version
refuse -32020 "an older revision there" tools/list "$META" "" "MCP-Protocol-Version: 2025-11-25"
refuse -32020 "one of tomorrow there" tools/list "$META" "" "MCP-Protocol-Version: 2027-01-01"
refuse -32602 "no revision in the body" server/discover "" ""
refuse -32602 "no capabilities" tools/list "\"_meta\":{\"$P/protocolVersion\":\"2026-07-28\"}" ""
refuse -32022 "a revision of tomorrow" tools/list \
  "\"_meta\":{\"$P/protocolVersion\":\"2027-01-01\",$CAN}" "" "MCP-Protocol-Version: 2027-01-01"
refuse -32022 "in the headers alone" tools/list "" "" "MCP-Protocol-Version: 2027-01-01"
is "it is told which there are" "$(json "$reply" '$d->{error}{data}')" \
  '{"requested":"2027-01-01","supported":["2026-07-28"]}'
post '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' "MCP-Protocol-Version: 2025-11-25" \
  "Mcp-Session-Id: of-somebody-else"
is "the older era needs no such headers, and has no sessions to steal" "$code" 200
is "nor begins one" "$(grep -ci mcp-session-id <<<"$head")" 0
post '{"jsonrpc":"2.0","id":1,"method":"nothing"}'
is "its unknown methods are answered as before" "$code $(code)" "200 -32601"
kill "$listening"
wait "$listening"
finish
