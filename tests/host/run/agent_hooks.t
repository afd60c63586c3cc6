#!/bin/bash
# agent_hooks.t - what an agent's own list of policies says of redaction and failures holds; a hook
# that is the session's is refused there; a list can replace the profile's.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# Alice writes a card to the memory, says it, and hands it to Bob, who repeats it.
cat >team.lua <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "team", agents = { "alice", "bob" }, run = function(ctx)
  if ctx.task == "alice" then
    ctx.memory.card = "card 4111 of Ada"
    ctx.message("user", "my card is card 4111 of Ada")
    ctx.boundary("tool_round", { position = { path = "a" } })
    return "card 4111 of Ada"
  end
  if ctx.task then
    ctx.message("user", "her card is " .. ctx.task)
    ctx.memory.card = ctx.task .. " again"
    ctx.boundary("tool_round", { position = { path = "b" } })
    return "done"
  end
  ctx.fork { { scope = "a", task = "alice", agent = "alice" } }
  local card = ctx.join { "a" }.a.result
  ctx.put("memory.card", "\"" .. card .. "\"")
  ctx.fork { { scope = "b", task = card, agent = "bob" } }
  ctx.join { "b" }
  ctx.scratch.alice = { card = "her card" }
  ctx.scratch.bob = { card = "the queen" }
  ctx.boundary("tool_round", { position = { path = "c" } })
  return "over"
end }
EOF
cat >cards.lua <<'EOF'
local function has(value)
  if type(value) == "table" then
    for _, one in pairs(value) do if has(one) then return true end end
  end
  return type(value) == "string" and value:find("4111", 1, true) ~= nil
end
return { name = "cards", version = 1, redact = function(item)
  if item.key == "scratch.alice" or item.key == "scratch.bob" then return ck.mask end
  if has(item.value) then return ck.mask end
end }
EOF
cat >team.profile.lua <<'EOF'
return { name = "team", extends = "default",
  agents = { alice = { policies = { "./cards.lua" } } } }
EOF
exits 0 "a session of two agents" run team.lua --profile ./team.profile.lua --session team
run --json sessions inspect team
is "a key that Alice's list masks is masked whoever writes it" \
  "$(json "$out" '$d->{shared_memory}{card} =~ /^\[redacted:policy:/ ? 1 : 0')" 1
is "nothing that is kept has the card" \
  "$(("$CKRUN" --json sessions log team --all; echo "$out") | grep -c 'card 4111')" 0
"$CKRUN" sessions inspect team >pads 2>/dev/null
ok "her pad is hers to mask" grep -q '^scratch.alice.*redacted:policy' pads
ok "Bob's pad is none of it" grep -q '^scratch.bob.*queen' pads

cat >keys.profile.lua <<'EOF'
return { name = "keys", extends = "default",
  policies = { { "redact_keys", keys = { pin = "drop" } } },
  agents = { alice = { policies = { { "redact_keys", keys = { card = "mask" } } } } } }
EOF
sed 's/ctx.memory.card = "card/ctx.memory.pin = "1234" ctx.memory.card = "card/' team.lua >pin.lua
exits 0 "the policy of that name in her list adds to the profile's" run pin.lua \
  --profile ./keys.profile.lua --session keys
"$CKRUN" sessions inspect keys >kept 2>/dev/null
is "the profile's still holds" "$(grep -c '^memory.pin' kept)" 0
ok "and hers" grep -q '^memory.card.*redacted:policy' kept

# ---- whose item, and of which kind ----

cat >kinds.lua <<'EOF'
return { name = "kinds", version = 1, redact = function(item)
  if item.kind == "message" and item.agent == "bob" then return ck.mask end
end }
EOF
exits 0 "a policy that masks one agent's messages" run team.lua --policy ./kinds.lua --session kinds
said() { "$CKRUN" --json sessions log kinds --all --kind message | grep "\"agent\":\"$1\""; }
ok "masks them in a running session" grep -q 'redacted:policy' <(said bob)
ok "and not the other's" grep -q 'card 4111 of Ada' <(said alice)
is "nor what is none" "$("$CKRUN" sessions inspect kinds 2>/dev/null |
  grep -c '^memory.card.*card 4111 of Ada')" 1

# ---- hooks of the session ----

for one in keep_recent resume_limits; do
  cat >wrong.lua <<EOF
return { name = "wrong", extends = "default",
  agents = { alice = { policies = { "$one" } } } }
EOF
  hook=$([ $one = keep_recent ] && echo prune || echo resume)
  want="agents.alice.policies: the hook $hook of policy $one is asked for the session"
  exits 1 "$one for an agent" profile check ./wrong.lua
  has "is told by place" "$err" "wrong.lua:2: $want"
  exits 2 "nor does a run begin" run team.lua --profile ./wrong.lua --session wrong-$one
  has "for the same reason" "$err" "wrong.lua:2: $want"
done

# ---- on_failure ----

cat >away.lua <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "away", agents = { "alice", "bob" }, run = function(ctx)
  if ctx.task then
    return ctx.effect { kind = "exec", class = "pure",
      request = { argv = { "./later" }, cwd = "mounted" } }.result.stdout
  end
  ctx.fork { { scope = "x", task = "x", agent = ctx.input } }
  local ended = ctx.join { "x" }.x
  return ended.result or error(ended.error)
end }
EOF
cat >patient.lua <<'EOF'
return { name = "patient", version = 1, options = { word = "pause" },
  on_failure = function(_, _, opt) return opt.word end }
EOF
cat >away.profile.lua <<'EOF'
return { name = "away", extends = "default", policies = { { "./patient.lua", word = "fail" } },
  agents = { alice = { policies = { { "./patient.lua", word = "pause" } } } } }
EOF
run run away.lua --profile ./away.profile.lua --session alice --input '"alice"'
is "Alice's list is asked of her failure" "$(grep -o '^status.*' <<<"$err$out")" \
  "$(printf 'status\tpaused')"
run run away.lua --profile ./away.profile.lua --session bob --input '"bob"'
is "the profile's of Bob's" "$(grep -o '^status.*' <<<"$err$out")" "$(printf 'status\tfailed')"

# ---- extend = false ----

cat >mark.lua <<'EOF'
return { name = "mark", version = 1, checkpoint = function() return "mark" end,
  redact = function(item) if item.key == "memory.card" then return ck.mask end end }
EOF
cat >never.lua <<'EOF'
return { name = "never", version = 1, checkpoint = function() end }
EOF
cat >alone.profile.lua <<'EOF'
return { name = "alone", policies = { "./mark.lua" },
  agents = { alice = { extend = false, policies = { "./never.lua" } } } }
EOF
exits 0 "a list that replaces the profile's" run team.lua --profile ./alone.profile.lua \
  --session alone
reasons() { "$CKRUN" --json sessions log alone --all --kind boundary | perl -MJSON::PP -ne '
  my $e = decode_json($_); next if $e->{body}{kind} ne "tool_round";
  print $e->{agent} // "main", "=", map({ $_->{reason} } @{$e->{body}{reasons} // []}), " "'; }
is "the profile's is not asked where she acts" "$(reasons)" "alice= bob=mark main=mark "
"$CKRUN" sessions inspect alone >kept 2>/dev/null
ok "what masks is asked all the same" grep -q '^memory.card.*redacted:policy' kept
exits 0 "profile show" profile show ./alone.profile.lua --agent alice
has "tells it" "$out" "$(printf 'extend\tfalse\tagent')"
cat >wrong.lua <<'EOF'
return { name = "wrong", agents = { alice = { extend = "no" } } }
EOF
exits 1 "extend is a truth" profile check ./wrong.lua
has "which is told" "$err" "extend: true or false is expected"
finish
