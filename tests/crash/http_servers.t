#!/bin/bash
# http_servers.t - an MCP server over HTTP kills its client at each step of a call: what is of class
# `once` is never done twice, and its secret is written nowhere.
. "$(dirname "$0")/../host/tap.sh"
cd "$dir" || exit 1
command -v perl >/dev/null || { echo "1..0 # SKIP perl is not there"; exit 0; }

mkdir server
mkfifo input
perl "$root/tests/effect/mcp/http_server.pl" "$dir/server" <input >port &
exec 8>input
until [ -s port ]; do sleep 0.02; done
cat >flow.lua <<END
local flow = require "ck.flow"
return flow.custom {
  processes = { box = flow.mcp { url = "http://127.0.0.1:$(cat port)/mcp", key = "box_key" } },
  run = function(ctx)
    local function call(class, arguments)
      return ctx.effect {
        kind = "tool", class = class,
        request = { server = "box", name = "do", arguments = arguments },
      }
    end
    local first = call("pure", { act = false, text = "hello" })
    local it = call(ctx.input.class, { text = "it", events = ctx.input.events, ids = true,
      cut = ctx.input.cut, retry = 1, status = ctx.input.status, body = ctx.input.body })
    return { first = first.result, status = it.status, result = it.result or it.error }
  end,
}
END
echo 'return { name = "p", extends = "default", secrets = { box_key = "env:BOX_KEY" } }' >p.lua
export BOX_KEY=canary-of-the-box-4711
begin() { run run flow.lua --profile ./p.lua --session "$1" --input "$2"; }
acted() { cat server/done 2>/dev/null | grep -c '^it$'; }
fresh() { (cd server && rm -f done session times log ready kill pid); }

begin good '{"class":"once"}'
is "a session with a server over HTTP is completed" "$code" 0
has "with what it gave" "$out" '"result":"it"'
is "the tool acted once" "$(acted)" 1
is "each request bore the secret" "$(grep -vc "authorization=Bearer_$BOX_KEY " server/log)" 0
has "the session was given back" "$(cat server/log)" "DELETE session"
run resume good
is "what is over is not done again" "$(acted)" 1

for step in initialize initialized before after half; do
  fresh
  echo "$step" >server/kill
  "$CKRUN" run flow.lua --profile ./p.lua --session "killed-$step" --input '{"class":"once"}' \
    >/dev/null 2>"$dir/err" &
  pid=$!
  echo "$pid" >server/pid
  { wait "$pid"; code=$?; } 2>/dev/null
  is "$step: it was killed there" "$code" 137
  before=$(acted)
  run resume "killed-$step"
  ok "$step: a resume goes on, or stops in doubt ($code)" test "$code" = 0 -o "$code" = 75
  [ "$code" = 75 ] && is "$step: in doubt it does nothing" "$(acted)" "$before"
  ok "$step: the tool acted once at most" test "$(acted)" -le 1
  if [ "$code" = 75 ]; then
    "$CKRUN" resolve "killed-$step" "$(grep -o 'main/start/tool/[12]' <<<"$err" | tail -1)" retry \
      >/dev/null
    run resume "killed-$step"
  fi
  is "$step: then it is completed" "$code" 0
done

for cut in 0 40 120; do
  fresh
  begin "cut$cut" "{\"class\":\"once\",\"cut\":$cut}"
  is "an answer that ends at byte $cut leaves the call in doubt" "$code" 75
  is "and it was done once" "$(acted)" 1
done
fresh
begin taken '{"class":"once","events":true,"cut":250}'
is "a stream that breaks off is taken up again" "$code" 0
is "what it is about was done once" "$(acted)" 1

fresh
begin refused '{"class":"once","status":401,"body":"no such key: AUTHORIZATION"}'
is "a server that refuses the secret fails the call" "$code" 8
has "the error does not say the secret, and says where it is named" "$err" "its 'key' and 'headers'"
run sessions log refused --all --json
found=$(grep -l "$BOX_KEY" "$dir/out" "$dir/err" store/* 2>/dev/null)
is "the secret is in no file of the store and no output" "$found" ""
echo 'return { name = "bare", extends = "default" }' >bare.lua
run run flow.lua --profile ./bare.lua --input '{"class":"once"}'
has "a profile without the secret is refused before anything runs" "$err" \
  'MCP server "box" is sent secret "box_key" as Authorization, and profile bare has none'
exec 8>&-
finish
