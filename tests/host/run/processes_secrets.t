#!/bin/bash
# processes_secrets.t - secrets that servers and agents were given and repeat reach no file and no
# output.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
export CANARY=sk-canary-5f3a9b1c7d2e8f60
cat >profile.lua <<'EOF'
return { name = "p", extends = "default", policies = { "every_boundary" },
  secrets = { main = "env:CANARY" }, permissions = { ["*"] = "ask" } }
EOF
cat >agent.sh <<'EOF'
#!/bin/sh
echo "starting with $CANARY" >&2
session='"sessionId":"s"'
while read -r line; do
  case $line in
  *initialize*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}' ;;
  *session/new*) echo '{"jsonrpc":"2.0","id":2,"result":{'$session'}}' ;;
  *session/prompt*)
    content='{"type":"text","text":"'$CANARY'"}'
    update='{"sessionUpdate":"agent_message_chunk","content":'$content'}'
    echo '{"method":"session/update","params":{'$session',"update":'"$update"'}}'
    case $line in
    *babble*) echo "oops $CANARY" ;;
    *long*)
      # Cut within the secret, wherever it is cut.
      for n in $(seq 300); do printf ' %s' "$CANARY" >&2; done
      i=0; while [ $i -lt 20 ]; do printf '%s' "$CANARY "; i=$((i + 1)); done; echo ;;
    *refuse*) echo '{"id":3,"error":{"code":1,"message":"not with '$CANARY'"}}' ;;
    *beg*)
      option='{"optionId":"'$CANARY'","name":"'$CANARY'","kind":"allow_once"}'
      params=$session',"toolCall":{"toolCallId":"c","title":"'$CANARY'"},"options":['$option']'
      echo '{"id":9,"method":"session/request_permission","params":{'"$params"'}}' ;;
    *) echo '{"id":3,"result":{"stopReason":"end_turn"}}' ;;
    esac ;;
  esac
done
EOF
chmod +x agent.sh
cat >flow.lua <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = {
    coder = flow.acp { argv = { "./agent.sh" }, env = { "CANARY" } },
    box = flow.mcp { argv = { "$CKRUN_BUILD/tests/effect/mcp/tool_mcp_server" },
      env = { "CANARY" } },
  },
  run = function(ctx)
    local there = ctx.effect { kind = "tool", class = "pure",
      request = { server = "box", name = "surroundings" } }.result
    local said = ctx.effect { kind = "agent", class = "pure",
      request = { process = "coder", prompt = ctx.input } }
    return { there = there, said = said.result or said.error }
  end,
}
EOF
reads() {
  run run flow.lua --profile ./profile.lua --session "$1" --input "\"$1\""
  is "$1: exit $2" "$code" "$2"
  printf '%s\n' "$out" "$err" >>shown
}
reads fine 0
has "the server had it" "$out" 'CANARY=[redacted:main'
has "and so had the agent" "$out" '"text":"[redacted:main'
reads babble 8
has "what it wrote instead is shown without it" "$err" 'oops [redacted:main'
reads long 8
reads refuse 0
reads beg 8
for session in fine babble long refuse beg; do "$CKRUN" sessions log "$session" --json; "$CKRUN" \
  sessions show "$session"; done >>shown 2>&1
"$CKRUN" sessions list >>shown
is "it is in no file and in no output" "$(grep -rl -e sk-can -e 'd2e8f60' --exclude=agent.sh . | \
  wc -l)" 0
ok "though much was shown" test "$(wc -c <shown)" -gt 4000
finish
