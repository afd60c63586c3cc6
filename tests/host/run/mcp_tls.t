#!/bin/bash
# mcp_tls.t - an MCP server over TLS: a certificate that an authority of SSL_CERT_FILE vouches for
# is taken; any other, and one of another name, is refused before the server hears anything.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
for needed in perl openssl; do
  command -v $needed >/dev/null || { echo "1..0 # SKIP $needed is not there"; exit 0; }
done

certify() { # NAME ADDRESS
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.crt" -days 2 \
    -subj "/CN=$1" -addext "subjectAltName=IP:$2" >/dev/null 2>&1
}
certify good 127.0.0.1 && certify other 127.0.0.9 ||
  { echo "1..0 # SKIP openssl makes no certificates"; exit 0; }

mkdir server && printf none >server/fixed
mkfifo input
perl "$root/tests/effect/mcp/http_server.pl" "$dir/server" <input >port &
exec 8>input
until [ -s port ]; do sleep 0.02; done
for one in good other; do
  perl "$root/tests/effect/mcp/tls_front.pl" $one.key $one.crt "$(cat port)" <input 8>&- \
    >$one.port &
  until [ -s $one.port ]; do sleep 0.02; done
  cat >$one.lua <<END
local flow = require "ck.flow"
return flow.custom {
  processes = {
    box = flow.mcp { url = "https://127.0.0.1:$(cat $one.port)/mcp", key = "box_key" },
  },
  run = function(ctx)
    local outcome = ctx.effect {
      kind = "tool", class = "once",
      request = { server = "box", name = "do", arguments = { text = "it is done" } },
    }
    if outcome.status ~= "ok" then error(outcome.error, 0) end
    return outcome.result
  end,
}
END
done
echo 'return { name = "p", extends = "default", secrets = { box_key = "env:BOX_KEY" } }' >p.lua
export BOX_KEY=canary-of-the-box-4711
unset SSL_CERT_FILE SSL_CERT_DIR
begin() { run run "$1.lua" --profile ./p.lua --session "$2"; }
heard() { cat server/log 2>/dev/null | grep -c ''; }

begin good unknown
ok "a certificate that nobody vouches for ends it ($code)" test "$code" != 0
has "the server is named" "$err" "the MCP server 'box'"
has "and why" "$err" "SSL certificate problem"
is "it heard nothing" "$(heard)" 0

export SSL_CERT_FILE=$dir/good.crt
begin good known
is "one that SSL_CERT_FILE vouches for is taken" "$code" 0
has "and the call is made" "$out" "it is done"
is "each request bore the secret" \
  "$(grep -c "authorization=Bearer_$BOX_KEY " server/log)" "$(heard)"
before=$(heard)

SSL_CERT_FILE=$dir/other.crt begin other elsewhere
ok "a certificate of another address ends it ($code)" test "$code" != 0
has "the server is named" "$err" "the MCP server 'box'"
has "and the address that the certificate does not have" "$err" "'127.0.0.1'"
is "it heard nothing" "$(heard)" "$before"

SSL_CERT_FILE=$dir/none.crt begin good missing
ok "a file of certificates that is not there ends it ($code)" test "$code" != 0
has "and is named" "$err" "$dir/none.crt"
is "nothing was sent" "$(heard)" "$before"

mkdir folder && cp good.crt "folder/$(openssl x509 -hash -noout -in good.crt).0"
unset SSL_CERT_FILE
SSL_CERT_DIR=$dir/folder begin good folder
is "one of a folder, SSL_CERT_DIR, is taken" "$code" 0
finish
