# models.sh - a provider of models on a port of its own, and the profiles that name it. Sourced
# behind tap.sh; the test goes on in $dir.
. "$(dirname "${BASH_SOURCE[0]}")/served.sh"

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

# request NAME N EXPRESSION: of the messages, $m, and the whole body, $d, of the N-th request.
request() {
  perl -MJSON::PP -CO -e '
    open my $log, "<", "$ARGV[0].log" or die; my @lines = <$log>;
    my $d = JSON::PP->new->utf8->decode($lines[$ARGV[1] - 1])->{body}; my $m = $d->{messages};
    my $v = eval $ARGV[2]; die $@ if $@;
    print ref $v ? JSON::PP->new->canonical->encode($v) : $v // "null"' "$1" "$2" "$3"
}

# looks_up NAME: writes NAME.lua, an agent whose tool answers what something costs, and serves it:
# its second turn fails twice.
looks_up() {
  cat >"$1.lua" <<'END'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look.", tools = {
  lookup = flow.tool(function(ctx) return ctx.effect { kind = "exec", class = "pure",
    request = { argv = { "echo", "it costs 950" } } }.result.stdout end,
    { description = "Looks it up.", parameters = { type = "object",
      properties = { what = { type = "string" } } } }) } }
END
  serve "$1" <<'END'
{"answer":{"calls":[{"name":"lookup","arguments":{"what":"price"}}]}}
{"status":500,"body":"x"}
{"status":500,"body":"x"}
{"answer":{"text":"It costs 950."}}
END
}
