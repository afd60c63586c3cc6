#!/bin/bash
# conformance.sh - `ckrun mcp` under the protocol's own conformance suite and the SDK's client, in
# both eras. TAP; skipped without node, npm or the packages. What does not hold is listed, with the
# reason, in conformance-REVISION.yml.
. "$(dirname "$0")/packages.sh"
here=$(cd "$(dirname "$0")" && pwd)
suite=$place/node_modules/@modelcontextprotocol/conformance/dist/index.js
. "$here/../host/tap.sh"
cd "$dir" || exit 1
"$CKRUN" mcp --listen 127.0.0.1:0 --token env:NOBODY >probe 2>&1
grep -q "built without libmicrohttpd" probe && { echo "1..0 # SKIP no libmicrohttpd"; exit 0; }
for session in trip 123; do run run "$flow" --cassette "$cassette" --session "$session"; done

export MCP_TOKEN=a-token-for-the-suite
"$CKRUN" mcp --listen 127.0.0.1:0 --token env:MCP_TOKEN >said 2>"$dir/err" &
serving=$!
until grep -q '^url' said; do kill -0 "$serving" || break; sleep 0.05; done
url=$(sed -n 's/^url\t//p' said)
node "$here/suite.mjs" "$url" >port &
between=$!
trap 'kill "$serving" "$between" 2>/dev/null; rm -rf "$dir"' EXIT
until [ -s port ]; do kill -0 "$between" || break; sleep 0.05; done

# suite OPTIONS…: its exit code, and what it says in out.
suite() {
  timeout 300 node --import "$here/suite.mjs" "$suite" server \
    --url "http://127.0.0.1:$(cat port)/mcp" "$@" >"$dir/out" 2>&1
  code=$?
  out=$(tail -n 40 "$dir/out")
}
for revision in 2025-11-25 2026-07-28; do
  suite --requirements "$revision" --expected-failures "$here/conformance-$revision.yml" \
    --output-dir "results-$revision"
  is "$revision: what the revision requires holds, but for what is listed" "$code" 0
done
cat results-*/*/checks.json >checks.json
ok "its checks are told" test "$(grep -c '"wire-schema-valid"' checks.json)" -gt 50
is "every message has the form of its revision's schema" \
  "$(perl -MJSON::PP -0777 -e '
    for my $list (JSON::PP->new->incr_parse(<STDIN>)) {
      for (@$list) { print "$_->{errorMessage}\n" if $_->{id} eq "wire-schema-valid" and
        $_->{status} ne "SUCCESS" }
    }' <checks.json)" ""
suite --scenario http-header-validation --spec-version 2026-07-28
is "headers are compared with the body as the suite wants it" "$code" 0

# ---- the SDK's client: each era, each way ----

cat >"$place/eras.mjs" <<'EOF'
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
const [mode, url, program] = process.argv.slice(2);
const client = new Client({ name: "interop", version: "1" }, { versionNegotiation: { mode } });
await client.connect(url
  ? new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_TOKEN}` } } })
  : new StdioClientTransport({ command: program, args: ["mcp"], env: process.env }));
const { tools } = await client.listTools();
const called = await client.callTool({ name: "list_session_checkpoints",
  arguments: { session_id: "trip" } });
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: "ckrun://sessions/trip/log" });
console.log(client.getNegotiatedProtocolVersion(), tools.length, called.isError,
  called.structuredContent.session_id, resources.length, contents[0].text.split("\n").length - 1);
await client.close();
EOF
events=$("$CKRUN" --json sessions log trip | wc -l)
for way in "$url" ""; do
  for mode in legacy auto; do
    out=$(timeout 60 node "$place/eras.mjs" "$mode" "$way" "$CKRUN" 2>"$dir/err")
    err=$(cat "$dir/err")
    revision=2026-07-28
    [ "$mode" = auto ] || revision=2025-11-25
    where="on standard input"
    [ -z "$way" ] || where="over HTTP"
    is "the SDK's client, $mode, $where" "$out" \
      "$revision 9 false trip 6 $events"
  done
done
finish
