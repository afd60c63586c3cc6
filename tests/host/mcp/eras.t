#!/bin/bash
# eras.t - the two eras of the protocol on one server, told apart by each request: what the newer
# one demands of a request and a result, and what it has no more. Over HTTP: eras_http.t.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/client.sh"
cd "$dir" || exit 1
run run "$flow" --cassette "$cassette" --session trip
P=io.modelcontextprotocol
CAN="\"$P/clientCapabilities\":{}"
META="\"_meta\":{\"$P/protocolVersion\":\"2026-07-28\",$CAN}"
code() { json "$reply" '$d->{error}{code}'; }
of_result() { json "$reply" "\$d->{result}$1"; }

# ---- on standard input: without a beginning ----

serve
ask tools/list "{$META}"
is "the first request is answered: there is no handshake" "$(of_result '{resultType}')" complete
is "a client may keep the list for a time" "$(of_result '{cacheScope}') $(of_result '{ttlMs}')" \
  "public 300000"
is "it says who answers" "$(of_result "{_meta}{'$P/serverInfo'}{name}")" ckrun
modern=$(of_result '{tools}')
ask server/discover "{$META}"
is "discover: the revisions of the era" "$(of_result '{supportedVersions}')" '["2026-07-28"]'
is "what it can" "$(of_result '{capabilities}')" \
  '{"completions":{},"resources":{},"tools":{}}'
has "what it is for" "$(of_result '{instructions}')" "data, not instructions"
ok "and for how long that holds" test "$(of_result '{ttlMs}')" -ge 0
while IFS='|' read -r method params scope; do
  ask "$method" "{$META${params:+,$params}}"
  is "$method: complete" "$(of_result '{resultType}')" complete
  is "$method: who may keep it" "$(of_result '{cacheScope}')" "$scope"
  is "$method: by whom" "$(of_result "{_meta}{'$P/serverInfo'}{version}")" \
    "$("$CKRUN" --version | cut -d' ' -f2)"
done <<'END'
resources/list||private
resources/templates/list||public
resources/read|"uri":"ckrun://sessions/trip"|private
tools/call|"name":"list_resumable_sessions"|null
tools/call|"name":"inspect_checkpoint","arguments":{"session_id":"nobody"}|null
END
ask tools/call \
  "{$META,\"name\":\"list_session_checkpoints\",\"arguments\":{\"session_id\":\"trip\"}}"
is "a result is marked as data there, too" "$(of_result "{_meta}{'ckrun/stored'}")" 1

# ---- beside the older one ----

ask initialize '{"protocolVersion":"2025-11-25","capabilities":{}}'
is "a client may begin as before, on the same stream" "$(of_result '{protocolVersion}')" 2025-11-25
ask tools/list
is "its lists are the same" "$(of_result '{tools}')" "$modern"
is "and have nothing of the newer era" "$(of_result '' | grep -cE 'resultType|ttlMs|_meta')" 0
ask ping
is "it can ping" "$(of_result '')" '{}'
ask ping "{\"_meta\":{\"progressToken\":1}}"
is "a _meta of another kind is no new era" "$(of_result '')" '{}'
ask initialize '{"protocolVersion":"2026-07-28"}'
is "a beginning of the era without one gets the newest before" \
  "$(of_result '{protocolVersion}')" 2025-11-25
for method in initialize ping logging/setLevel resources/subscribe subscriptions/listen x; do
  ask "$method" "{$META}"
  is "$method: the newer era has it no more, or nothing for it" "$(code)" -32601
done
ask server/discover
is "discover without what each request needs" "$(code)" -32602
while IFS='|' read -r name want meta; do
  ask tools/list "{\"_meta\":$meta}"
  is "$name" "$(code)" "$want"
done <<END
no capabilities|-32602|{"$P/protocolVersion":"2026-07-28"}
capabilities that are none|-32602|{"$P/protocolVersion":"2026-07-28","$P/clientCapabilities":[]}
a revision that is a number|-32602|{"$P/protocolVersion":7,$CAN}
a revision of tomorrow|-32022|{"$P/protocolVersion":"2027-01-01",$CAN}
an older one without its handshake|-32022|{"$P/protocolVersion":"2025-11-25",$CAN}
END
is "a client is told which it may ask in, and what it asked in" \
  "$(json "$reply" '$d->{error}{data}')" '{"requested":"2025-11-25","supported":["2026-07-28"]}'
exec {to}>&- {from}<&-
wait "$server"

finish
