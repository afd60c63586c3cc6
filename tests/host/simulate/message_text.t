#!/bin/bash
# message_text.t - a policy that is asked about a recorded session sees what a live call under that
# profile sees, field by field, whether the profile shows the text of messages or not, and whichever
# of both the session was recorded under: in simulate, in explain --rerun, in eval.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

cat >flow.lua <<'EOF'
local flow = require "ck.flow"
return flow.graph { start = "plan", nodes = {
  plan = flow.lua(function(ctx) ctx.memory.x = 1 end),
  work = flow.agent { name = "ann", model = "big", prompt = "Work.", input = "Do it.", tools = {
    look = flow.command { argv = { "echo", "seen" }, class = "pure" },
    send = flow.command { argv = { "echo", "sent" } } } } },
  edges = { plan = "work", work = flow.done } }
EOF
call() { echo "{\"name\":\"$1\",\"arguments\":{\"n\":$2}}"; }
serve work <<EOF
{"turn":0,"answer":{"text":"S\u00f6\u00f6","calls":[$(call look 1)]},"times":0}
{"turn":1,"answer":{"text":"now it goes","calls":[$(call send 4)]},"times":0}
{"turn":2,"answer":{"text":"Done."},"times":0}
EOF
# A field of `at` is told as four figures: what is in it, tables to their ground. The text of the
# message stands for itself behind them.
cat >tell.lua <<'EOF'
local names = { "kind", "scope", "node", "agent", "depth", "seq", "now", "random", "latency_ms",
  "is_clean", "checkpoint_cost_ms", "last_error", "calls", "message", "tools", "model", "since",
  "next", "budget" }
local inner = {
  since = { "ms", "events", "cost_usd", "tokens", "tool_calls", "changed_keys", "changed_bytes",
    "boundaries", "iterations" },
  next = { "node", "tool", "class" }, budget = { "spent", "limit", "left", "approaching" },
}
local function write(value, fields, hide)
  if type(value) ~= "table" and not fields then return type(value) .. tostring(value) end
  local keys, parts = fields or {}, {}
  if not fields then
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  end
  for _, key in ipairs(keys) do
    if key ~= hide then parts[#parts + 1] = tostring(key) .. "=" .. write(value[key]) end
  end
  return "{" .. table.concat(parts, ",") .. "}"
end
local function sum(text)
  local made = 7
  for i = 1, #text do made = (made * 31 + text:byte(i)) % 0xffff end
  return ("%04x"):format(made)
end
local function tell(at)
  local parts = {}
  for i, name in ipairs(names) do
    parts[i] = sum(write(at[name], inner[name], "text"))
  end
  local text = at.message and at.message.text
  return table.concat(parts) .. "|" .. tostring(text)
end
return { name = "tell", version = 1, checkpoint = function(at) return tell(at) end,
  permit = function(effect, at)
    if effect.kind == "tool" then return ck.deny(tell(at)) end
  end }
EOF
for name in shown hidden; do
  truth=$([ $name = shown ] && echo true || echo false)
  cat >"$name.lua" <<EOF
return { name = "$name", extends = "default", policies = { "./tell.lua" }, message_text = $truth,
  constraints = { budget_usd = $([ $name = shown ] && echo 5 || echo 7) },
  secrets = { main = "env:MODEL_KEY" }, models = { big = { api = "openai", model = "mine",
    base_url = "$(base_url openai)", key = "main", retries = 0, stream = false, max_tokens = 100,
    price = { input = 3, output = 15 } } } }
EOF
done
for name in shown hidden; do
  exits 0 "a session, $name" run flow.lua --profile "./$name.lua" --session "$name"
done

# What each said live: of boundaries, then of permit.
live() {
  "$CKRUN" --json sessions log "$1" | perl -CS -MJSON::PP -ne '
    my $e = JSON::PP->new->decode($_); my $b = $e->{body};
    print "$e->{seq} $b->{reasons}[0]{reason}\n" if $e->{kind} eq "boundary";
    print "$e->{seq} $b->{denied}{reason}\n" if ref $b->{denied}'
}
# simulated PROFILE SESSION: the same of a simulation.
simulated() {
  { "$CKRUN" --json policy simulate --list --profile "$1" "$2"
    "$CKRUN" --json policy simulate --list --hook permit --profile "$1" "$2"; } |
    perl -CS -MJSON::PP -ne '
    my $p = JSON::PP->new->decode($_)->{profiles}[0]{sessions}[0];
    print "$_->{seq} $_->{reasons}[0]{reason}\n" for @{$p->{decisions} // []};
    for (@{$p->{places} // []}) {
      print "$_->{seq} $_->{now}{text}\n" if ($_->{now}{answer} // "") eq "deny" }' | sort -n
}
explained() {
  local seq
  for seq in $(live "$2" | cut -d' ' -f1 | grep -vxE "$(denials "$2")"); do
    "$CKRUN" --json policy explain "$2" "$seq" --rerun "$1" 2>/dev/null
  done | perl -CS -MJSON::PP -ne '
    my $d = JSON::PP->new->decode($_);
    print "$d->{seq} $_->{reason}\n" for @{$d->{rerun}{reasons}}'
}
evaluated() {
  local seq
  for seq in $(live "$2" | cut -d' ' -f1 | grep -vxE "$(denials "$2")"); do
    echo "$seq $("$CKRUN" policy eval "$2#$seq" --profile "$1" --policy tell \
      -e 'policy.checkpoint(at, opt)')"
  done
}
# denials SESSION: the events at which permit said no, as alternatives.
denials() {
  "$CKRUN" --json sessions log "$1" --kind outcome | perl -MJSON::PP -ne '
    my $e = JSON::PP->new->decode($_); push @seqs, $e->{seq} if ref $e->{body}{denied};
    END { print join "|", @seqs }'
}
fields() { cut -d'|' -f1; }
texts() { cut -d'|' -f2-; }
# without_budget: the figures without the last field, which the profiles have of their own.
without_budget() { sed -E 's/.{4}$//'; }

live shown | sort -n >live.shown
live hidden | sort -n >live.hidden
is "live, texts are shown where the profile says so" \
  "$(texts <live.shown | uniq)" $'nil\nSöö\nnow it goes\nnil'
is "and nowhere else" "$(texts <live.hidden | sort -u)" nil
ok "there are boundaries and effects to compare" test "$(wc -l <live.shown)" -ge 10
for profile in shown hidden; do
  other=$([ $profile = shown ] && echo hidden || echo shown)
  is "simulate, $profile as recorded: every field" "$(simulated ./$profile.lua $profile)" \
    "$(cat live.$profile)"
  simulated ./$profile.lua $other >made
  is "simulate, recorded $other: texts as live under $profile" "$(texts <made)" \
    "$(texts <live.$profile)"
  is "and every other field as it was recorded" "$(fields <made | without_budget)" \
    "$(fields <live.$other | without_budget)"
  is "but for the budget, which is the profile's" "$(fields <made | grep -oE '.{4}$')" \
    "$(fields <live.$profile | grep -oE '.{4}$')"
  is "explain --rerun tells the same of boundaries" "$(explained ./$profile.lua $other)" \
    "$(grep -vE "^($(denials $other)) " made)"
  is "eval, too" "$(evaluated ./$profile.lua $other)" "$(grep -vE "^($(denials $other)) " made)"
done
finish
