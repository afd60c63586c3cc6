#!/bin/bash
# dry_run.t - a dry run reports what a resume would do with each effect, its greatest cost and the
# rest of the limits, and writes nothing.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

for name in look keep act; do printf '#!/bin/sh\necho %s >>%s/ran\necho 1\n' "$name" "$dir" \
  >"$name"; chmod +x "$name"; done
killer die
cat >flow.lua <<END
local flow = require "ck.flow"
local classes = { look = "pure", keep = "idempotent", act = "once", die = "once" }
local tools = {}
for name, class in pairs(classes) do
  tools[name] = flow.command { argv = { "$dir/" .. name }, class = class }
end
return flow.custom { name = "four", tools = tools, run = function(ctx)
  local n = 0
  local function call(name)
    n = n + 1
    return ctx.effect { kind = "tool",
      class = classes[name], request = { name = name, index = n - 1, arguments = {} } }
  end
  if not ctx.position then ctx.boundary("tool_round", { position = { path = "begun#1" } }) end
  call("look")
  call("keep")
  call("act")
  call("die")
  return "done"
end }
END
cat >limits.lua <<'END'
return { name = "limits", extends = "default",
  constraints = { budget_usd = 5, time_s = 3600, tool_calls = 10 } }
END
exits 137 "a run whose last tool kills it" run flow.lua --profile ./limits.lua --session s
what() {
  json "$out" 'join " ", map { $_->{name} . ":" . $_->{what} }
    sort { $a->{effect} cmp $b->{effect} } @{$d->{effects}}'
}
before=$(sha256sum store/ckrun.db store/ckrun.db-wal)
exits 0 "dry run" --json resume s --dry-run
is "it would replay what has an outcome, and stop at what is in doubt" "$(what)" \
  "look:replay keep:replay act:replay die:in doubt"
is "the sums" "$(json "$out" 'join " ", map { $d->{$_} }
  qw(replayed rerun probed in_doubt questions attempt)')" "3 0 0 1 0 1"
is "what is left of each constraint" "$(json "$out" \
  '"$d->{constraints}{budget}{left_usd} $d->{constraints}{tool_calls}{left}"')" "5 7"
ok "all of the time, but for what the look itself takes" test \
  "$(json "$out" '$d->{constraints}{time}{left_ms}')" -gt 3000000
is "by which rule" "$(json "$out" 'join " ", map { $d->{constraints}{$_}{rule} }
  qw(budget time tool_calls)')" "continue reset continue"
ok "which policies decide" test "$(json "$out" \
  'scalar grep { !$_->{changed} && length $_->{digest} && $_->{name} } @{$d->{policies}}')" -gt 0
exits 0 "with an edit" --json resume s --dry-run --set x=1
is "what is pure would run anew" "$(what)" "look:run anew keep:replay act:replay die:in doubt"
is "at the next attempt" "$(json "$out" '$d->{attempt}')" 2
exits 0 "as a table" resume s --dry-run
is "the same" "$(cell "$out" "in doubt") $(cell "$out" "replayed") $(cell "$out" budget)" \
  "1 3 \$5.00 left of \$5.00 (continue)"
has "with each effect" "$out" "die (once): in doubt"
is "nothing was written" "$(sha256sum store/ckrun.db store/ckrun.db-wal)" "$before"
exits 0 "nor was a run made" --json sessions show s
is "or a timeline" "$(json "$out" '$d->{epoch} . " " . scalar @{$d->{timelines}}')" "1 1"

# ---- effects begun on an abandoned branch, and completed since ----
cat >twice.lua <<END
local flow = require "ck.flow"
local die = flow.command { argv = { "$dir/die_twice" }, class = "pure" }
return flow.custom { name = "twice", tools = { die = die }, run = function(ctx)
  for n = ctx.position and ctx.position.n or 1, 3 do
    ctx.effect { kind = "tool", class = "pure",
      request = { name = "die", index = 0, arguments = { n = n } } }
    ctx.boundary("tool_round", { position = { path = "step#" .. n + 1, n = n + 1 } })
  end
end }
END
cat >die_twice <<END
#!/bin/sh
echo x >>"$dir/died"
case \$(grep -c '' "$dir/died") in 1 | 3) kill -9 \$PPID; sleep 1 ;; esac
echo 1
END
chmod +x die_twice
exits 137 "a run whose tool kills it" run twice.lua --session twice
exits 137 "a resume does it again, and is killed at the next" resume twice
exits 0 "a dry run" --json resume twice --dry-run
is "tells of the second only" "$(json "$out" \
  'join " ", map { "$_->{effect}:$_->{what}" } @{$d->{effects}}')" "main/step#2/tool/1:run again"
is "and counts no other" "$(json "$out" \
  'join " ", map { $d->{$_} } qw(replayed rerun probed in_doubt)')" "0 1 0 0"
exits 0 "it goes on" resume twice

# ---- every problem at once ----
mv keep away
sed -i 's/"die")/"die") -- changed/; s/classes\[name\], request/classes[name], request/' flow.lua
cat >limits.lua <<'END'
return { name = "limits", extends = "default", secrets = { k = "env:NO_SUCH_KEY" },
  constraints = { budget_usd = 5 } }
END
exits 5 "a dry run with three problems" --json resume s --dry-run
is "lists them" "$(json "$out" 'scalar @{$d->{problems}}')" 3
has "the flow" "$out" "has changed since the session was started"
has "the secret" "$out" 'env:NO_SUCH_KEY is not set'
has "the program" "$out" "$dir/keep, the program of tool keep, cannot be run"
is "and still what would be done" "$(what)" "look:replay keep:replay act:replay die:in doubt"
mv away keep

# ---- a missing node, missing keys ----
cat >graph.lua <<END
local flow = require "ck.flow"
return flow.graph { name = "g", start = "one",
  nodes = {
    one = flow.lua(function(ctx) ctx.memory.a = 1 end),
    two = flow.exec { argv = { "$dir/die" }, class = "pure", reads = { "a" } },
  },
  edges = { one = "two", two = flow.done } }
END
exits 137 "a graph whose second node kills it" run graph.lua --session graph --profile graph
exits 0 "it can go on" resume graph --dry-run
sed -i 's/two/three/g' graph.lua
exits 5 "a changed graph without that node" resume graph --accept-changed
has "is refused by its name" "$err" 'node "two", where checkpoint'
sed -i 's/three/two/g; s/reads = { "a" }/reads = { "a", "b" }/' graph.lua
exits 5 "a node that reads a key which is not there" resume graph --accept-changed
has "is refused by the key's name" "$err" "node two reads memory.b"
exits 0 "it can be given one" resume graph --accept-changed --set b=1 --dry-run
# ---- a call that was lost: what it may cost, and again ----

. "$root/tests/host/models.sh"
serve lost <<<'{"answer":{"text":"never"},"hang":0,"times":0}'
cat >lost.flow.lua <<'END'
return require("ck.flow").agent { name = "solo", prompt = "You look." }
END
cat >lost.lua <<END
return { name = "lost", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "test-model",
    key = "main", retries = 0, max_tokens = 9000, price = { input = 0, output = 100 } } } }
END
"$CKRUN" run lost.flow.lua --profile ./lost.lua --session lost --input '"?"' >/dev/null 2>&1 &
pid=$!
until [ "$(requests lost)" = 1 ]; do read -rt 0.01 <> <(:) || :; done
kill -KILL $pid
wait $pid 2>/dev/null
exits 0 "a dry run of a session killed in a model's call" resume lost --dry-run
is "tells what asking again may cost: 9,000 tokens at \$100 a million" \
  "$(cell "$out" "cost at most")" '$0.90'
exits 0 "as JSON" --json resume lost --dry-run
is "too" "$(json "$out" '$d->{reserve_usd} + 0')" 0.9
is "and nothing was asked" "$(requests lost)" 1
finish
