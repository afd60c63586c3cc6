#!/bin/bash
# image_kills.t - a session with images, of its input, of a file and of a tool, killed at calls that
# change something: none is lost, none is kept twice, and each request has all of them, whole.
# IMAGES_EVERY=N tries only every Nth call.
. "$(dirname "$0")/lib.sh"

every=${IMAGES_EVERY:-31}
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 MODEL_KEY=sk-canary-of-the-model
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY

begin
[ -x "$CKRUN_BUILD/tests/effect/model/tool_model_server" ] ||
  { echo "Bail out! tests/effect/model/tool_model_server is not built"; exit 1; }
have_compiler && build_kill_at || skip_all "there is no compiler for the library that kills"
trap 'kill $serving 2>/dev/null; rm -rf "$work"' EXIT
folder images

png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
for name in input file tool; do { base64 -d <<<"$png"; printf %s "$name"; } >$name.png; done
cat >shoot <<'END'
#!/bin/sh
# shoot - notes the key of the call, and gives a picture.
echo "$CKRUN_EFFECT_KEY" >>shots
printf '[{"type":"image","data":"%s","mimeType":"image/png"}]' "$(base64 -w0 tool.png)"
END
chmod +x shoot
cat >look.lua <<'END'
local flow = require "ck.flow"
return flow.custom {
  models = { "default" },
  tools = { shoot = flow.command { argv = { "./shoot" }, class = "idempotent" } },
  run = function(ctx)
    if not ctx.position then
      ctx.message("user", ctx.input)
      ctx.message("user", { { type = "text", text = "And this?" }, ctx.file "file.png" })
    end
    if not ctx.position then
      local answer = ctx.effect { kind = "model", class = "pure",
        request = { model = "default", tools = { "shoot" } } }
      for _, call in ipairs(ctx.tool_calls(answer.raw)) do
        ctx.effect { kind = "tool", class = "idempotent", request = call.request }
      end
      ctx.boundary("tool_round", { position = { path = "second" } })
    end
    return ctx.effect { kind = "model", class = "pure", request = { model = "default" } }.result
  end,
}
END
cat >script <<'END'
{"turn":0,"answer":{"calls":[{"name":"shoot","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"Three."},"times":0}
END
"$CKRUN_BUILD/tests/effect/model/tool_model_server" script requests port &
serving=$!
while [ ! -s port ]; do read -rt 0.01 <> <(:) || :; done
cat >house.lua <<END
return { name = "house", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "anthropic", base_url = "http://127.0.0.1:$(cat port)", model = "m",
    key = "main", retries = 0, takes = { "image" }, unmetered = true } } }
END

clean() { fresh; rm -f shots; : >requests; }
start() { bounded "$@" "$CKRUN" --store "$store" run look.lua --profile ./house.lua --session s \
  --input @input.png >out 2>err; }

# What was sent, each different request once: the images of each in the order of the conversation.
sent() {
  sed 's/.*"body"://' requests | sort -u |
    perl -ne 'my @all = /"data":"([^"]*)"/g; print scalar(@all), " ", join(" ", @all), "\n"' | sort
}

# What must be so at the end, whenever it was killed.
judged() {
  [ "$(sent)" = "$expected" ] || { say "at $1: sent $(sent | cut -c1-60)"; return 1; }
  [ "$(sqlite3 s.db "SELECT count(*) FROM blob WHERE kind = 'image'")" = 3 ] ||
    { say "at $1: not three images"; return 1; }
  [ "$(sort -u shots | wc -l)" = 1 ] || { say "at $1: another key"; return 1; }
  ckrun store verify >/dev/null 2>&1 || { say "at $1: not sound"; return 1; }
  ! ckrun --json sessions log s --all | grep -q "${png:0:40}" ||
    { say "at $1: bytes in the log"; return 1; }
}

killed() {
  clean
  start env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so"
  [ $? = 137 ] || return 0
  kills=$((kills + 1))
  # A session that was never there is begun; one that is goes on.
  if ckrun sessions show s >/dev/null 2>&1; then
    bounded "$CKRUN" --store "$store" resume s --profile ./house.lua >out 2>err
  else
    start env
  fi || { say "at $1: $(tail -n 1 err)"; return 1; }
  judged "$1"
}

all() {
  local at wrong=0
  kills=0
  for at in $(seq $((1 + turn % every)) "$every" "$last"); do killed "$at" || wrong=1; done
  say "$kills kills at $last calls"
  [ "$wrong" = 0 ] && [ "$kills" -gt 0 ]
}

clean
check "undisturbed it completes" start env
expected=$(sent)
check "two requests, with two and three images" test "$(cut -d' ' -f1 <<<"$expected")" = "2
3"
check "whole ones" test "$(tail -n 1 <<<"$expected")" = \
  "3 $(base64 -w0 input.png) $(base64 -w0 file.png) $(base64 -w0 tool.png)"
check "each is kept once" judged "the end"
: >requests; clean
start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so"
last=$(cat "$work/calls")
check "killed at every ${every}th call it goes on to the same" all
finish
