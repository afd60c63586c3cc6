# models.sh - a provider of models on a port of its own, and the profiles that name it. Sourced
# behind tap.sh; the test goes on in $dir.
server=$CKRUN_BUILD/tests/effect/model/tool_model_server
[ -x "$server" ] || { echo "Bail out! $server is not built"; exit 1; }
cd "$dir" || exit 1
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 MODEL_KEY=sk-canary-of-the-model-0123456789
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
serving=
trap 'for pid in $serving; do kill "$pid"; done 2>/dev/null; rm -rf "$dir"' EXIT

# serve NAME: with the script on stdin (tests/effect/model/model_server.h); fills port. The requests
# are in NAME.log.
serve() {
  cat >"$1.script"
  rm -f "$1.port" "$1.log"
  "$server" "$1.script" "$1.log" "$1.port" &
  serving="$serving $!"
  while [ ! -s "$1.port" ]; do read -rt 0.01 <> <(:) || :; done
  port=$(cat "$1.port")
}

# profile FILE FIELDS…: one model at the port, without retries; FIELDS are Lua.
profile() {
  local file=$1
  shift
  cat >"$file" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "http://127.0.0.1:$port/v1",
    model = "test-model", key = "main", retries = 0, stream = false, max_tokens = 100,
    price = { input = 3, output = 15 } } },
  $* }
END
}

# requests NAME: how many came.
requests() { if [ -f "$1.log" ]; then grep -c '' "$1.log"; else echo 0; fi; }

# request NAME N EXPRESSION: of the messages, $m, and the whole body, $d, of the N-th request.
request() {
  perl -MJSON::PP -CO -e '
    open my $log, "<", "$ARGV[0].log" or die; my @lines = <$log>;
    my $d = JSON::PP->new->utf8->decode($lines[$ARGV[1] - 1])->{body}; my $m = $d->{messages};
    my $v = eval $ARGV[2]; die $@ if $@;
    print ref $v ? JSON::PP->new->canonical->encode($v) : $v // "null"' "$1" "$2" "$3"
}
