# served.sh - models on this machine, whose answers a test writes. Sourced behind tap.sh; the test
# goes on in $dir.

model_server=$CKRUN_BUILD/tests/effect/model/tool_model_server
[ -x "$model_server" ] || { echo "Bail out! $model_server is not built"; exit 1; }
cd "$dir" || exit 1
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 MODEL_KEY=sk-canary-of-the-model-0123456789
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
serving=
trap 'for pid in $serving; do kill "$pid"; done 2>/dev/null; rm -rf "$dir"' EXIT

# serve NAME: with the script on stdin (tests/effect/model/model_server.h); fills port. The requests
# are in NAME.log. Not in a pipe: nobody would end it.
serve() {
  cat >"$1.script"
  rm -f "$1.port" "$1.log"
  "$model_server" "$1.script" "$1.log" "$1.port" &
  local server=$! # that of <(:) is in $! soon
  serving="$serving $server"
  while [ ! -s "$1.port" ]; do
    kill -0 "$server" 2>/dev/null || { echo "Bail out! the model server of $1 is gone"; exit 1; }
    read -rt 0.01 <> <(:) || :
  done
  port=$(cat "$1.port")
}

# base_url API: at the port.
base_url() {
  local path=
  [ "$1" = anthropic ] || path=/v1
  echo "http://127.0.0.1:$port$path"
}

# requests NAME: how many came.
requests() { if [ -f "$1.log" ]; then grep -c '' "$1.log"; else echo 0; fi; }

# write_house: house.lua, a profile whose model is at the port and costs nothing.
write_house() {
  cat >house.lua <<END
return { name = "house", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m", key = "main",
    retries = 0, unmetered = true } } }
END
}

# write_kill: ./kill, a tool that kills whoever runs it, once, where there is a file kill-now.
write_kill() {
  cat >kill <<'END'
#!/bin/sh
[ ! -e kill-now ] || { rm kill-now; kill -9 $PPID; sleep 1; }
echo '"done"'
END
  chmod +x kill
}
