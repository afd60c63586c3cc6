#!/bin/bash
# mask_structure.t - a policy that masks all it is shown masks no name, agent, effect, position or
# payer: budgets hold, tools are known, a resume goes on where it was.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >shop.lua <<'EOF'
local flow = require "ck.flow"
return flow.agent { name = "shop", user = flow.ask {}, tools = { stock = "pure" },
  stop = function(text) return ck.find(text, "^Bye") ~= nil end }
EOF
call() { printf '%s' '{"scope":"main","kind":"model","cost_micros":'"$1"',"usage":' \
  '{"input_tokens":20,"output_tokens":9},"message":{"role":"assistant","content":null,' \
  '"tool_calls":[{"id":"'"$2"'","type":"function","function":{"name":"stock","arguments":' \
  '"{\"item\":\"kettle\"}"}}]}}'; echo; }
tool='{"scope":"main","kind":"tool","index":0,"name":"stock","arguments":"{\"item\":\"kettle\"}"'
{ echo '{"cassette":1}'
  echo '{"scope":"main","kind":"ask","answer":"Kettles for Ada?"}'
  call 900 c1; echo "$tool,\"result\":3}"
  call 900 c2; echo "$tool,\"result\":2}"
  call 900 c3; echo "$tool,\"result\":1}"
  echo '{"scope":"main","kind":"model","cost_micros":800,"usage":{"input_tokens":60,' \
    '"output_tokens":9},"message":{"role":"assistant","content":"Bye: no kettles."}}'
} >shop.jsonl
cat >all.lua <<'EOF'
return { name = "all", version = 1, redact = function() return ck.mask end }
EOF
for one in plain masked; do
  list=$([ $one = masked ] && echo '"./all.lua",')
  cat >$one.profile.lua <<EOF
return { name = "shop", policies = { $list "tool_rounds" },
  agents = { shop = { constraints = { budget_usd = 0.0015 } } } }
EOF
  run run shop.lua --cassette shop.jsonl --profile ./$one.profile.lua --session $one
  eval "$one=\$out\$err"
done
figures() { grep -E '^(status|spent|model_calls|tool_calls)' <<<"$1"; }
has "without a mask the agent's budget holds" "$plain" "$(printf 'status\tpaused')"
is "with one it holds as well" "$(figures "$masked")" "$(figures "$plain")"
exits 0 "what is masked is resumed, with profile and recording" resume masked \
  --limit shop.budget_usd=1
is "to its end" "$(grep -E '^status' <<<"$out")" "$(printf 'status\tcompleted')"
run resume plain --limit shop.budget_usd=1
is "no text of the masked one is left" \
  "$("$CKRUN" --json sessions log masked --all | grep -cE 'kettle|Ada|Bye')" 0

# skeleton SESSION: each event without what people, models and programs said.
skeleton() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -ne '
    BEGIN { $json = JSON::PP->new->canonical }
    my $e = $json->decode($_); my $b = $e->{body};
    sub names { my $v = shift; ref $v eq "HASH" ? join ",", map { "$_:" .
      (/^(role|name|id|type|tool_call_id)$/ ? $v->{$_} : names($v->{$_})) } sort keys %$v
      : ref $v eq "ARRAY" ? join "|", map { names($_) } @$v : "" }
    print join(" ", $e->{kind}, $e->{agent} // "-", map({ $b->{$_} // "-" }
      qw(key kind class status via node attempt)), @{ref $b->{for} ? $b->{for} : []},
      names($b->{message})), "\n"'
}
is "its structure is that of the plain one" "$(skeleton masked)" "$(skeleton plain)"
skeleton masked >skeleton
ok "a tool's message names its tool" grep -q 'name:stock,role:tool' skeleton

# ---- a delegation, interrupted ----

cat >team.lua <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "team", agents = { "alice" }, run = function(ctx)
  if ctx.task then
    local n = ctx.position and ctx.position.n or 0
    if n < 1 then
      local name = ctx.effect { kind = "exec", class = "pure",
        request = { argv = { "cat", "name" } } }.result.stdout
      ctx.message("user", "for " .. name)
      ctx.memory.who, ctx.memory.name = "hers", name
      ctx.effect { kind = "exec", class = "once",
        request = { argv = { "sh", "-c", "echo paid >>paid" } } }
      ctx.boundary("tool_round", { position = { path = "one", n = 1 } })
      ctx.pause(name .. " waits")
    end
    return ctx.memory.who
  end
  local task = { agent = "alice", text = ctx.now() }
  ctx.fork { { scope = "a", task = task, agent = "alice" } }
  return ctx.join { "a" }.a.result and "over"
end }
EOF
echo Grace >name
run run team.lua --profile ./masked.profile.lua --session team
is "a scope is paused" "$(grep -E '^status' <<<"$out")" "$(printf 'status\tpaused')"
run resume team
is "its masked session goes on where it was" "$(grep -E '^status' <<<"$out")" \
  "$(printf 'status\tcompleted')"
is "nothing is done twice" "$(wc -l <paid)" 1
is "the name is nowhere in the store" "$(cat store/ckrun.db* 2>/dev/null | grep -ac Grace)" 0
finish
