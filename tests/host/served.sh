# served.sh - models on this machine, whose answers a test writes. Sourced behind tap.sh.

server=$CKRUN_BUILD/tests/effect/model/tool_model_server
[ -x "$server" ] || { echo "Bail out! $server is not built"; exit 1; }
cd "$dir" || exit 1
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 MODEL_KEY=sk-canary-of-the-model-0123456789
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
serving=
trap 'for pid in $serving; do kill "$pid"; done 2>/dev/null; rm -rf "$dir"' EXIT

# serve NAME: with the script on stdin; fills port. The log is NAME.log.
serve() {
  cat >"$1.script"
  rm -f "$1.port" "$1.log"
  "$server" "$1.script" "$1.log" "$1.port" &
  serving="$serving $!"
  while [ ! -s "$1.port" ]; do read -rt 0.01 <> <(:) || :; done
  port=$(cat "$1.port")
}
