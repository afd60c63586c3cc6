#!/bin/bash
# profile_mistakes.t - all mistakes of a profile are told at once, each with file and line, by
# profile check, run and resume alike; names of another system say what does the same here.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "f", run = function(ctx)
  if not ctx.position then
    ctx.memory.draft = "a text"
    ctx.boundary("tool_round", { position = { path = "a" } })
    ctx.pause("here")
  end
  return ctx.memory.draft
end }
END

# Each line with a mistake says so, with the text that tells it.
cat >wrong.lua <<'END'
-- a profile with everything wrong
local rounds = { rounds = 1 } -- return { name = "none" }
return {
  name = "wrong", extends = "./below.lua",
  constrains = { budget_usd = 1 }, --! did you mean 'constraints'?
  constraints = {
    budget_usd = -1, --! constraints.budget_usd: -1 is not a number from 0
    rounds = rounds.rounds,
    tokenz = 7, --! constraints: unknown key 'tokenz' (did you mean 'tokens'?)
  },
  max_checkpoints_per_session = 5, --! { "keep_recent", count = 5 }
  ["checkpoint_on_node_start"] = false, --! { "every_boundary", on_node_start = false }
  checkpoint_config = {
    async = true, --! { "every_boundary", async = true }
    prune_every_n_nodes = 10, --! stands at the top of a profile, not in 'checkpoint_config'
    include_metrics = true, --! metrics_snapshot
  },
  policies = {
    "tool_rounds",
    { "keep_recent",
      cuont = 4, --! policies/keep_recent.lua: unknown option 'cuont' (did you mean 'count'?)
      protect = 1, --! option 'protect': a boolean is expected, not a number
    },
    7, --! policies[3]
    { "before_effect",
      classes = { "once", 1 }, --! option 'classes': element 2: a string is expected, not a number
    },
    "nosuch", --! policy 'nosuch'
    "./broken.lua", --! broken.lua:2
  },
  agents = {
    ann = {
      constraints = { tool_calls = "x" }, --! agents.ann: constraints.tool_calls: a number
      keep_clean_only = true, --! agents.ann: key 'keep_clean_only'
      policies = { { "smart", slow = 1 } }, --! policies/smart.lua: unknown option 'slow'
    },
  },
  models = {
    default = { api = "openia", model = "m" }, --! models.default.api
    fast = { api = "openai", model = "m", key = "nobody" }, --! there is no secret 'nobody'
  },
  secrets = { mine = "hunter2-itself" }, --! secrets.mine: "env:NAME", "file:PATH"
}
END
cat >below.lua <<'END'
return {
  name = "below",
  compress = "yes", --! compress: true or false is expected
}
END
echo 'return {' >broken.lua
told=$(grep -n -- '--!' below.lua wrong.lua | sed 's/^\([a-z]*.lua:[0-9]*\):.*--! /\1\t/')
wanted=$(grep -c '' <<<"$told")

# tells NAME TEXT: every mistake is in the text, at its file and line, and nothing else is.
tells() {
  local place text line
  while IFS=$'\t' read -r place text; do
    line=$(grep -F "$dir/$place: " <<<"$2" | grep -F -- "$text")
    ok "$1: $place" test -n "$line"
  done <<<"$told"
  is "$1: nothing else" "$(grep -c "$dir/" <<<"$2")" "$wanted"
}
problems() { json "$1" 'join "\n", @{$d->{error} ? $d->{error}{problems} : $d->{problems}}'; }

exits 8 "a session under a good profile" run flow.lua --profile graph --session s
exits 3 "profile check" profile check ./wrong.lua
tells "profile check" "$err"
has "profile check: counts them" "$err" "$wanted problems"
run --json profile check ./wrong.lua
tells "profile check, as JSON" "$(problems "$err")"
CKRUN_STORE=sqlite:$dir/none.db exits 3 "run" run flow.lua --profile ./wrong.lua
tells "run" "$err"
ok "run: nothing is made" test ! -e none.db
run resume s --profile ./wrong.lua
tells "resume" "$err"
run --json resume s --profile ./wrong.lua --dry-run
tells "dry run" "$(problems "$out")"
exits 0 "nothing came of it" resume s

# One alone is the error itself.
echo 'return { name = "one",
  on_edge = true }' >one.lua
refused 1 "one mistake" "$dir/one.lua:2: key 'on_edge'" profile check ./one.lua
exits 2 "what another command tells is the first" policy simulate s --profile ./wrong.lua
has "and how many more there are" "$err" "more: 'ckrun profile check' tells all)"
echo 'return { name = "x", extends = "./nowhere.lua",
  compres = true }' >lost.lua
exits 3 "one that extends nothing" profile check ./lost.lua
has "is told with the line" "$err" "$dir/lost.lua:1: "
has "and so are its own" "$err" "$dir/lost.lua:2: unknown key 'compres'"
printf 'return {\n  name = "x",\n  compress = = 1 }\n' >lua.lua
exits 1 "one that is no Lua" profile check ./lua.lua
has "has Lua's line" "$err" "$dir/lua.lua:3: "

# ---- each name of the other system: what is said instead is taken ----
names='checkpoint_on_node_start=true checkpoint_on_node_complete=true checkpoint_on_edge=false
  on_node_start=true on_node_complete=false on_edge=true every_n_iterations=3
  checkpoint_every_n_iterations=2 checkpoint_on_loop_iteration=true checkpoint_on_failure=true
  max_checkpoints_per_session=100 keep_clean_only=true async=true async_checkpoint=false
  include_full_memory=false include_conversation_snapshots=false keep_count=3
  compression_threshold=100 compress_checkpoints=true encrypt_checkpoints=false
  checkpoint_max_age_days=7'
for pair in $names; do
  name=${pair%%=*}
  echo "return { name = 'x', $name = ${pair#*=} }" >foreign.lua
  exits 1 "$name" profile check ./foreign.lua
  instead=$(sed -n 's/.*did you mean \(.*\)?$/\1/p' <<<"$err" | sed 's/…/60/g')
  echo "return { name = 'x', ${instead:-missing} }" >foreign.lua
  exits 0 "$name: what is said instead" profile check ./foreign.lua
  value=${pair#*=}
  case $instead in
    *"= 1 }"* | *keep_clean* | *60*) ;;
    *) has "$name: with its value" "$instead" "= $value" ;;
  esac
done
for same in prune_every_n_nodes=10 compress=true compression_threshold_bytes=100 \
  'exclude_memory_keys={"a"}' encrypt=false; do
  echo "return { name = 'x', ${same%%=*} = ${same#*=} }" >foreign.lua
  exits 0 "${same%%=*} has its name here" profile check ./foreign.lua
done
for name in include_metrics enabled sign_checkpoints; do
  echo "return { name = 'x', $name = true }" >foreign.lua
  exits 1 "$name" profile check ./foreign.lua
  has "$name: says why" "$err" "key '$name' is not known here: "
done

# ---- what a checkpoint document holds ----
for kept in memory conversations; do
  echo "return { name = 'bare', extends = 'graph', documents = { $kept = false } }" >"$kept.lua"
  exits 8 "without $kept" run flow.lua --profile "./$kept.lua" --session "no-$kept"
  run --json sessions inspect "no-$kept"
  is "the document lacks it, and nothing else" "$(json "$out" 'join " ", grep { exists $d->{$_} }
    qw(shared_memory conversation_states accumulated_outputs metrics_snapshot)')" \
    "$([ $kept = memory ] && echo conversation_states || echo shared_memory) \
accumulated_outputs metrics_snapshot"
done
run --json sessions inspect no-memory
ok "no value of the memory is in it" test -z "$(grep -F 'a text' <<<"$out")"
exits 0 "the checkpoint itself has all" resume no-memory
has "and goes on with it" "$out" "a text"
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inspect_checkpoint",
  "arguments":{"session_id":"no-memory","include_memory":true}}}'
init='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",
  "capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
answer=$({ tr -d '\n' <<<"$init"; echo; tr -d '\n' <<<"$call"; echo; } | "$CKRUN" mcp 2>/dev/null)
has "a client is answered" "$answer" "metrics_snapshot"
ok "without it, too" test -z "$(grep -E 'shared_memory|a text' <<<"$answer")"
finish
