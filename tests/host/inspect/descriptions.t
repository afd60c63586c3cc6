#!/bin/bash
# descriptions.t - every checkpoint says in words what it is and why the policies took it, wherever
# it is shown; nodes are named, never as positions; nothing secret is in it.
. "$(dirname "$0")/../tap.sh"

# said SESSION: kind and description of each checkpoint.
said() {
  "$CKRUN" --json sessions checkpoints "$1" | perl -MJSON::PP -ne '
    $d = JSON::PP->new->utf8->decode($_);
    print "$d->{kind}: $d->{description}\n"'
}
# profile NAME POLICIES [MORE]
profile() {
  echo "return { name = '$1', extends = 'default', policies = { $2 }, ${3-} }" >"$dir/$1.lua"
}
profile all '{ "every_boundary", on_edge = true, every_n_iterations = 1 }, "smart"'

# ---- a graph ----
cat >"$dir/news.lua" <<'LUA'
local flow = require "ck.flow"
local function bump(ctx) ctx.memory.n = (ctx.memory.n or 0) + 1 end
return flow.graph {
  name = "news", start = "collector",
  nodes = {
    collector = flow.lua(bump),
    checked = flow.safe_point(),
    publish = flow.lua {
      run = function(ctx) if ctx.memory.n < 2 then error("the press is cold") end end,
      retry = { times = 2, backoff_ms = 0 }, on_error = "mend",
    },
    mend = flow.lua(bump),
    hold = flow.lua(function(ctx) ctx.pause("wait for the editor") end),
  },
  edges = {
    collector = "checked", checked = "publish", publish = "hold",
    mend = flow.choose { to = { "collector" }, function() return "collector" end },
    hold = flow.done,
  },
}
LUA
exits 8 "a graph that is paused" run "$dir/news.lua" --session news --profile "$dir/all.lua"
is "each of its checkpoints in words" "$(said news)" \
'node_start: before collector
node_complete: completed collector
edge_transition: behind collector, before checked
node_start: before checked
safe_point: safe point checked
edge_transition: behind checked, before publish
node_start: before publish
node_start: before another try of publish
edge_transition: publish failed, before mend
node_start: before mend
node_complete: completed mend
edge_transition: behind mend, before collector
loop_iteration: before visit 2 of collector
node_start: before collector (visit 2)
node_complete: completed collector (visit 2)
edge_transition: behind collector (visit 2), before checked
loop_iteration: before visit 2 of checked
node_start: before checked (visit 2)
safe_point: safe point checked (visit 2)
edge_transition: behind checked (visit 2), before publish
loop_iteration: before visit 2 of publish
node_start: before publish (visit 2)
node_complete: completed publish (visit 2)
edge_transition: behind publish (visit 2), before hold
node_start: before hold
pause: paused: wait for the editor'

# A loop whose node fails on its second lap says so, whatever kind of checkpoint is taken.
cat >"$dir/laps.lua" <<'LUA'
local flow = require "ck.flow"
return flow.graph { start = "a", nodes = {
  a = flow.lua { on_error = "b", retry = { times = 2, backoff_ms = 0 },
    run = function(ctx)
      ctx.memory.n = (ctx.memory.n or 0) + 1
      if ctx.memory.n > 1 then error("worn out") end
    end },
  b = function() end },
  edges = { a = flow.choose { to = { "a", "b" }, function() return "a" end }, b = flow.done } }
LUA
exits 0 "a loop" run "$dir/laps.lua" --session laps --profile "$dir/all.lua"
is "its second lap" "$(said laps | sed -n '/visit/,$p')" \
'loop_iteration: before visit 2 of a
node_start: before a (visit 2)
node_start: before another try of a (visit 2)
edge_transition: a (visit 2) failed, before b
node_start: before b
node_complete: completed b
edge_transition: behind b
final: the session completed'

exits 0 "as a table" sessions checkpoints news
is "the description and the policies' reasons are columns" \
  "$(sed -n 2p <<<"$out" | cut -f10,11)" $'completed collector\tevery_boundary: node_complete'
is "what is taken whatever the policies say has no reasons" \
  "$(tail -n 1 <<<"$out" | cut -f10,11)" $'paused: wait for the editor\t'
exits 0 "show" sessions show news
is "says it of the latest" "$(cell "$out" description)" "paused: wait for the editor"
exits 0 "inspect" sessions inspect news
has "says it above the state" "$err" "paused: wait for the editor"
exits 0 "inspect --json" --json sessions inspect news --checkpoint first
is "has it as a field" "$(json "$out" '$d->{description}')" "before collector"
is "and the reasons" "$(json "$out" '$d->{reasons}')" \
  '[{"policy":"every_boundary","reason":"node_start","version":1}]'
exits 0 "show --json" --json sessions show news
is "has it at the head" "$(json "$out" '$d->{head}{description}')" "paused: wait for the editor"

# ---- names of nodes ----
exits 0 "a pause" --json sessions inspect news
is "is at a node, not at a position" "$(json "$out" '$d->{current_node}')" hold
is "safe points are in the path, a node that failed is not" \
  "$(json "$out" '$d->{execution_path}')" \
  '["collector","checked","mend","collector","checked","publish"]'
is "the nodes that failed" "$(json "$out" '$d->{metrics_snapshot}{nodes_with_failures}')" \
  '["publish"]'
is "and how often something was tried again" \
  "$(json "$out" '$d->{metrics_snapshot}{total_retries}')" 1

# A branch that fails is where the session failed: not the join, nor the node that it leaves.
cat >"$dir/branches.lua" <<'LUA'
local flow = require "ck.flow"
local function fine() return 1 end
return flow.graph {
  name = "branches", start = "split",
  nodes = {
    split = fine, left = fine, join = fine,
    right = function() error("no paper") end,
    wrong = function() error("no ink") end,
  },
  edges = {
    split = { "left", "right", "wrong" }, left = "join", right = "join", wrong = "join",
    join = flow.done,
  },
}
LUA
exits 1 "a branch that fails" run "$dir/branches.lua" --session branches --profile "$dir/all.lua"
exits 0 "its failure" --json sessions inspect branches
is "is at the branch's node" "$(json "$out" '$d->{current_node}')" right
is "is described with it" "$(json "$out" '$d->{description} =~ /^failed at right: / ? 1 : 0')" 1
is "all that failed are named" \
  "$(json "$out" 'join " ", sort @{$d->{metrics_snapshot}{nodes_with_failures}}')" "right wrong"
exits 0 "its log" --json sessions log branches --kind session_failed
is "says it, too" "$(json "$out" '$d->{body}{node}')" right

cat >"$dir/steps.lua" <<'LUA'
local flow = require "ck.flow"
return flow.steps { steps = {
  { name = "buy", run = function() return 1 end },
  { name = "ship", run = function() error("no van") end, optional = true, needs = { "buy" } },
  { name = "bill", run = flow.exec { argv = { "false" }, class = "pure" }, needs = { "ship" } },
} }
LUA
exits 1 "a step that fails" run "$dir/steps.lua" --session steps --profile "$dir/all.lua"
is "the checkpoints of steps" "$(said steps)" \
'node_start: before buy
step_complete: completed buy
node_start: before ship
step_complete: going on without ship
node_start: before bill
failure: failed at bill: step '"'bill': false: exit status 1"
exits 0 "its failure" --json sessions inspect steps
is "is at the step" "$(json "$out" '$d->{current_node}')" bill
is "the path has the steps that are done, not one that failed" \
  "$(json "$out" '$d->{execution_path}')" '["buy"]'

# ---- agents, rounds, people ----
exits 0 "an agent with a recording" run "$flow" --cassette "$cassette" --session air \
  --profile "$dir/all.lua"
is "its turns" "$(said air | head -n 3 | cut -d: -f2- | tr '\n' ';')" \
  " turn 1 of airline completed; turn 2 of airline completed; turn 3 of airline completed;"
is "its end" "$(said air | tail -n 1)" "final: the session completed"
exits 0 "its checkpoint" --json sessions inspect air
is "is at no node: the flow has none" "$(json "$out" '$d->{current_node}')" null

cat >"$dir/rounds.lua" <<'LUA'
local flow = require "ck.flow"
return flow.rounds {
  name = "board", rounds = 5, agents = { ann = flow.agent { prompt = "You count." } },
  orchestrator = function(_, round) if round == 4 then return "done" end end,
  gate = function(_, completed) if completed == 3 then return "look first" end end,
}
LUA
models='models = { default = { api = "openai", base_url = "http://127.0.0.1:9", model = "m" } }'
profile board '"every_boundary"' "$models"
exits 8 "rounds" run "$dir/rounds.lua" --session rounds --profile "$dir/board.lua"
is "which round of how many" "$(said rounds)" \
'round_complete: round 1 of 5 completed
round_complete: round 2 of 5 completed
round_complete: round 3 of 5 completed
pause: paused: look first'
profile few '"every_boundary"' "$models, constraints = { rounds = 2 }"
exits 8 "rounds with a limit" run "$dir/rounds.lua" --session few --profile "$dir/few.lua"
is "as many as the limit leaves" "$(said few | head -n 1)" "round_complete: round 1 of 2 completed"

# The user's own words stay; what a person sets is named.
cat >"$dir/own.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "own", run = function(ctx)
  if not ctx.position then
    ctx.safe_point("ready", { position = { path = "a#1" }, description = "all data is in" })
    ctx.boundary("user_checkpoint", { position = { path = "a#2" }, description = "before I leave" })
    ctx.boundary("node_complete", { position = { path = "a#3" }, node = "a", agent = "ann" })
    ctx.pause()
  end
end }
LUA
sed -i 's/ctx.pause()/ctx.pause("user_requested")/' "$dir/own.lua"
exits 8 "a flow with words of its own" run "$dir/own.lua" --session own --profile "$dir/all.lua"
is "they are kept" "$(said own)" \
'safe_point: all data is in
user_checkpoint: before I leave
node_complete: completed a
pause: paused: user_requested'
exits 0 "a resume with an edit" resume own --set memory.topic='"bread"' --set n=1
is "says what was set" "$(said own | grep edit)" "edit: edited: memory.topic, memory.n"
cat >"$dir/long.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "long", run = function(ctx)
  ctx.safe_point("x", { position = { path = "a#1" }, description = ck.rep("x", 1001) })
end }
LUA
sed -i 's/ck.rep("x", 1001)/("x"):rep(1001)/' "$dir/long.lua"
exits 1 "a description of 1001 bytes" run "$dir/long.lua"
has "is refused with both figures" "$err" "'description' has 1001 bytes; it takes up to 1000"

# ---- nothing secret ----
cat >"$dir/leak.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "leak", run = function(ctx)
  local at = { path = "a#1" }
  ctx.boundary("safe_point", { position = at, description = "with canary-93af-token" })
  ctx.pause("for canary-93af-token")
end }
LUA
cat >"$dir/tell.lua" <<'LUA'
return { name = "tell", version = 1,
  checkpoint = function(at) return "because canary-93af-token" end }
LUA
echo "return { name = 'secret', extends = 'default', policies = { '$dir/tell.lua' },
  secrets = { api = 'env:CANARY' } }" >"$dir/secret.lua"
export CANARY=canary-93af-token
exits 8 "descriptions and reasons with a secret" run "$dir/leak.lua" --session leak \
  --profile "$dir/secret.lua"
unset CANARY
is "they are there" "$(said leak | cut -c1-16 | tr '\n' ';')" "safe_point: with;pause: paused: f;"
ok "the secret is nowhere in the store" eval '! grep -rqF canary-93af "$dir/store"'

# ---- a step that failed in an earlier process ----
mkdir "$dir/steps"
cd "$dir/steps" || exit 1
cat >flow.lua <<'LUA'
local flow = require "ck.flow"
local function program(script)
  return flow.exec { class = "pure", argv = { "sh", "-c", script } }
end
return flow.steps { name = "two", parallel = 1, steps = {
  { name = "broken", run = program "exit 7" },
  { name = "deadly", run = program "test -e died || { touch died; kill -9 $PPID; sleep 5; }" },
  { name = "fine", run = program "true" },
} }
LUA
exits 137 "a step fails, and the next one ends the process" run flow.lua --session two \
  --profile graph
exits 1 "the others end well, then the session fails" resume two
run --json sessions inspect two
is "at the step that has failed" "$(json "$out" '$d->{current_node}')" broken

# ---- a step that fails as an optional one did before it ----
cat >alike.lua <<'LUA'
local flow = require "ck.flow"
local function program(script)
  return flow.exec { class = "pure", argv = { "sh", "-c", script } }
end
return flow.steps { name = "alike", parallel = 1, steps = {
  { name = "extra", run = program "exit 7", optional = true },
  { name = "needed", run = program "exit 7" },
  { name = "fine", run = program "true" },
} }
LUA
exits 1 "a step fails as an optional one did" run alike.lua --session alike --profile graph
run --json sessions inspect alike
is "it is at the step that failed the session" "$(json "$out" '$d->{current_node}')" needed
run --json sessions log alike --kind session_failed
is "and the event of its end says so" "$(json "$out" '$d->{body}{node}')" needed

# ---- one that fails so behind it ----
# The words are the same everywhere; what is optional fails last, behind a wait.
cat >behind.lua <<'LUA'
local flow = require "ck.flow"
local function fails() error("it is broken", 0) end
local function late(ctx)
  ctx.effect { kind = "sleep", class = "pure", request = { ms = 1 } }
  fails()
end
return flow.steps { name = "behind", parallel = 3, steps = {
  { name = "before", run = fails, optional = true },
  { name = "needed", run = fails },
  { name = "behind", run = late, optional = true },
} }
LUA
# place SESSION: where it failed, by its checkpoint and by the event of its end.
place() {
  run --json sessions inspect "$1"
  printf '%s ' "$(json "$out" '$d->{current_node}')"
  run --json sessions log "$1" --kind session_failed
  json "$out" '$d->{body}{node}'
}
exits 1 "a step fails as an optional one does behind it" run behind.lua --session behind \
  --profile graph
is "it is at the step that failed the session" "$(place behind)" "needed needed"

# The same of branches, whose nodes fail with the same words; the flow passes on the first's.
cat >arms.lua <<'LUA'
local flow = require "ck.flow"
local function fails() error("it is broken", 0) end
local function late(ctx)
  ctx.effect { kind = "sleep", class = "pure", request = { ms = 1 } }
  fails()
end
return flow.graph { start = "split", nodes = { split = function() end, left = fails, right = late,
  met = function() end },
  edges = { split = { parallel = { "left", "right" }, join = "met" }, left = "met", right = "met",
    met = flow.done } }
LUA
exits 1 "two branches fail alike" run arms.lua --session arms --profile graph
is "it is at the node of the one that is told" "$(place arms)" "left left"

# A flow of its own says whose error it passes on; else the newest counts whose words it has.
for says in 'ctx.blame "one"' ''; do
  cat >own.lua <<LUA
local flow = require "ck.flow"
return flow.custom { agents = { "one", "two" }, run = function(ctx)
  if ctx.task then
    ctx.boundary("node_start", { node = "at_" .. ctx.task, position = { path = "n" } })
    if ctx.task == "two" then
      ctx.effect { kind = "sleep", class = "pure", request = { ms = 1 } }
    end
    error("it is broken", 0)
  end
  ctx.fork { { scope = "one", task = "one" }, { scope = "two", task = "two" } }
  local ended = ctx.join { "one", "two" }
  $says
  error("both: " .. ended.one.error, 0)
end }
LUA
  exits 1 "a flow of its own fails" run own.lua --session "mine${says:+_says}" --profile graph
done
is "of the one that it blames" "$(place mine_says)" "at_one at_one"
is "of the last, where it blames none" "$(place mine)" "at_two at_two"
sed 's/ctx.boundary("node/ctx.blame "one" &/; s/error("both.*/error("its own", 0)/
  s/local ended = .*/&\n  ctx.blame "two"\n  ctx.boundary("safe_point", AT)/
  s/AT/{ position = { path = "p" } }/
  ' own.lua >forgets.lua
exits 1 "a flow that goes on" run forgets.lua --session forgets --profile graph
is "has not failed of what it blamed before" "$(place forgets)" "null null"

# ---- where a session waits that goes on from a checkpoint of a branch ----
cat >branches.lua <<'LUA'
local flow = require "ck.flow"
local function fine() return 1 end
return flow.graph {
  name = "branches", start = "a",
  nodes = { a = fine, b = flow.ask { question = "Well?" }, c = fine, d = fine },
  edges = { a = { "b", "c" }, b = "d", c = "d", d = flow.done },
}
LUA
exits 8 "a branch asks" run branches.lua --profile graph --session asking
run --json sessions inspect asking
is "the session waits where its branches began" "$(json "$out" '$d->{current_node}')" a
branch=$("$CKRUN" --json sessions checkpoints asking | grep '"node":"b"' | head -1)
exits 8 "it goes on from the branch's checkpoint" resume asking \
  --checkpoint "$(json "$branch" '$d->{id}')"
run --json sessions inspect asking
is "and waits at the same place" "$(json "$out" '$d->{current_node}')" a
finish
