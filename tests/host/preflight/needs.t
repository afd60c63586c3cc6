#!/bin/bash
# needs.t - what a flow names is checked before the first call is paid, by run, resume and its dry
# run: every problem at once, with the file, the name and what to do.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"
export MY_TOKEN=token-0123456789

for name in stock stocked box helper count; do
  printf '#!/bin/sh\ncat\n' >$name
  chmod +x $name
done
serve paid <<'END'
{"answer":{"text":"never"}}
END
profile good.profile.lua 'agents = { asker = { constraints = { rounds = 5 } } }'
sed -i 's/secrets = {/& mine = "env:MODEL_KEY",/' good.profile.lua
cat >good.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "all", start = "wait", secrets = { "mine" },
  processes = { helper = flow.acp { argv = { "./helper" } } },
  nodes = {
    wait = flow.lua {
      writes = { "ready" },
      run = function(ctx)
        ctx.memory.ready = true
        ctx.pause("here")
      end,
    },
    ask = flow.agent {
      name = "asker", model = "default", prompt = "You ask.",
      tools = {
        stock = flow.command {
          argv = { "./stock" }, probe = { "./stocked" }, class = "reconcilable",
        },
        box = flow.mcp { argv = { "./box" } },
      },
    },
    count = flow.exec {
      argv = { "./count" }, reads = { "topic", "ready" }, env = { T = { ref = "env:MY_TOKEN" } },
    },
    tell = flow.prompt { process = "helper", prompt = "Hello." },
  },
  edges = { wait = "ask", ask = "count", count = "tell", tell = flow.done },
}
END

# begin NAME…: the flow and the profile as they should be, and the arguments of a run.
begin() {
  cp good.lua all.lua
  cp good.profile.lua all.profile.lua
}
start=(run all.lua --profile ./all.profile.lua --input '"Go."')
begin
exits 8 "without a mistake it begins" "${start[@]}" --set topic=ships --session paused

# told NAME TEXT…: by run, resume and dry run, with nothing asked and nothing made.
told() {
  local name=$1 text
  shift
  CKRUN_STORE=sqlite:$dir/none.db exits 5 "$name: run" "${start[@]}" --set topic=ships
  for text; do has "$name: run" "$err" "$text"; done
  ok "$name: nothing is made" test ! -e none.db
  exits 5 "$name: resume" resume paused --accept-changed
  for text; do has "$name: resume" "$err" "$text"; done
  exits 5 "$name: dry run" resume paused --accept-changed --dry-run
  for text; do has "$name: dry run" "$out" "$text"; done
  is "$name: nothing is asked" "$(requests paid)" 0
}

# mistake NAME SED TEXT…: of the flow, alone.
mistake() {
  local name=$1 edit=$2
  shift 2
  begin
  sed -i "$edit" all.lua
  cmp -s good.lua all.lua && echo "Bail out! no mistake in '$name'"
  told "$name" "all.lua: " "$@"
  is "$name: one problem" "$(grep -c ^problem <<<"$err")" 0
}
mistake "a tool without implementation" 's/flow.mcp { argv = { ".\/box" } }/"pure"/' \
  'tool "box"' '(pure)' 'flow.command' 'flow.tool' '--cassette' "'tools' of its flow.mcp"
mistake "a tool's program" 's|{ "./stock" }|{ "./stokc" }|' "./stokc, the program of tool stock" \
  "$dir/stokc: No such file"
mistake "a probe" 's|"./stocked"|"./asked"|' "./asked, the probe of tool stock"
mistake "a server" 's|"./box"|"./bocks"|' "./bocks, the program of MCP server box"
mistake "an agent process" 's|"./helper"|"helper-of-nobody"|' \
  "helper-of-nobody, the program of agent helper" "PATH"
mistake "a node's program" 's|"./count"|"./cuont"|' "./cuont, the program of node count"
mistake "a program that is a folder" 's|"./count"|"/tmp"|' "/tmp is no file"
mistake "a model" 's/model = "default"/model = "fast"/' 'model "fast"' 'models = { ["fast"]'
mistake "a secret of the flow" 's/{ "mine" }/{ "mime" }/' 'secret "mime"' "did you mean 'mine'?"
mistake "a key that nothing writes" 's/"topic", "ready"/"topic", "colour"/' \
  "node count reads memory.colour" "--set colour="
mistake "a key that is written later" 's/ready" },$/x" },/; s/"topic", "ready"/"late"/
  s/flow.prompt { process/flow.prompt { writes = { "late" }, process/' \
  "node count reads memory.late"
chmod -x count
begin
told "a file that is no program" "count is not executable" "chmod +x $dir/count"
chmod +x count

begin
sed -i 's/asker = {/askre = {/' all.profile.lua
told "an agent of the profile" "$dir/all.profile.lua: agents.askre" 'did you mean "asker"?'
begin
start+=(--limit nobody.rounds=3)
CKRUN_STORE=sqlite:$dir/none.db exits 5 "a limit of an agent that is not there" "${start[@]}"
has "is told" "$err" '--limit nobody.rounds: flow all has no agent "nobody"'
unset 'start[-1]' 'start[-1]'
begin
sed -i 's/asker = {/pilot = {/' all.profile.lua
exits 8 "a section for another flow's agent" "${start[@]}" --set topic=x --session other
has "is told, and does not stop it" "$err" 'agents.pilot: flow all has no agent "pilot"'
begin
CKRUN_STORE=sqlite:$dir/none.db exits 5 "a key that nobody gave" "${start[@]}"
has "is told with the option" "$err" "node count reads memory.topic, which nothing before it writes"
(
  unset MY_TOKEN
  exits 4 "a variable of a program" "${start[@]}" --set topic=x
  has "is told with the node" "$err" "all.lua: node count: env:MY_TOKEN is not set"
  echo "$checks $failed" >counts
)
read -r checks failed <counts

# ---- all at once ----
begin
sed -i 's/flow.mcp { argv = { ".\/box" } }/"pure"/; s|{ "./stock" }|{ "./stokc" }|
  s|"./stocked"|"./asked"|; s|"./helper"|"./holder"|; s|"./count"|"./cuont"|
  s/model = "default"/model = "fast"/; s/{ "mine" }/{ "mime" }/
  s/"topic", "ready"/"topic", "colour"/' all.lua
sed -i 's/asker = {/askre = {/' all.profile.lua
told "nine mistakes" 'tool "box"' "tool stock" "./asked" "./holder" "./cuont" '"fast"' '"mime"' \
  "memory.colour" "agents.askre"
for command in "${start[*]} --set topic=x" "resume paused --accept-changed"; do
  # shellcheck disable=SC2086
  run $command
  is "${command%% *}: nine problems, one a line" "$(grep -c '^problem: ' <<<"$err")" 9
  has "${command%% *}: are counted" "$err" "9 problems"
  # shellcheck disable=SC2086
  run --json $command
  is "${command%% *}: as JSON a list" "$(json "$err" 'scalar @{$d->{error}{problems}}')" 9
done
run --json resume paused --accept-changed --dry-run
is "a dry run lists them too" "$(json "$out" 'scalar @{$d->{problems}}')" 9
sed -i 's/^return/retrun/' all.lua
echo 'return { name = "all", extends = "graph", constrains = {} }' >all.profile.lua
CKRUN_STORE=sqlite:$dir/none.db exits 2 "a flow and a profile that cannot be read" "${start[@]}"
has "the flow is told" "$err" "problem: all.lua:2"
has "and the profile" "$err" "unknown key 'constrains'"
begin
exits 8 "without them it goes on" resume paused --limit model_calls=0

# ---- the flow of the document, as a newcomer would run it ----
awk '/^```lua file=counter.lua/ { on = 1; next } /^```/ { on = 0 } on' "$root/lua/README.md" \
  >counter.lua
CKRUN_STORE=sqlite:$dir/none.db exits 5 "the document's counter without its recording" \
  run counter.lua --profile ./good.profile.lua
has "names the file and the tool" "$err" 'counter.lua: nothing carries out tool "stock"'
is "and asks nothing" "$(requests paid)" 0

# ---- what is known only while it runs is not guessed ----
cat >keys.lua <<'END'
local flow = require "ck.flow"
local function tail(first)
  return flow.graph { name = "keys", start = "first",
    nodes = { first = first,
      fails = flow.exec { argv = { "./count" }, reads = { "x" }, on_error = "late" },
      late = flow.node { flow.sleep(0), writes = { "y" } } },
    edges = { first = "fails", fails = "late", late = flow.done } }
end
END
given() { cat keys.lua - >given.lua; }
given <<<'return tail(flow.lua(function(ctx) ctx.memory.x = 1 ctx.pause("here") end))'
exits 8 "a function may write any key" run given.lua
given <<<'return tail(flow.ask { writes = "x" })'
exits 8 "an answer is written" run given.lua
given <<<'return tail(flow.ask { writes = "z" })'
exits 5 "another key is not the one" run given.lua
given <<<'return tail(flow.exec { argv = { "./count" } })'
exits 5 "a program writes what it declares, and nothing else" run given.lua
given <<<'return tail(flow.exec { argv = { "./count" }, writes = { "memory.x" } })'
exits 1 "a key that it declares is there" run given.lua
has "though the program gave none" "$err" "writes"
cat >fork.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "fork", start = "fan",
  nodes = { fan = flow.ask {}, left = flow.ask { writes = "l" }, right = flow.ask { writes = "r" },
    meet = flow.exec { argv = { "cat" }, reads = { "l", "r" } } },
  edges = { fan = { parallel = { "left", "right" }, join = "meet" }, left = "meet",
    right = "meet", meet = flow.done } }
END
exits 8 "branches write for the node where they meet" run fork.lua
sed -i 's/left = flow.ask { writes = "l" }/left = flow.exec { argv = { "cat" }, reads = { "r" } }/
  s/{ "l", "r" }/{ "r" }/' fork.lua
exits 5 "but not for each other" run fork.lua
has "as is told" "$err" "node left reads memory.r"
cat >built.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "built", start = "make",
  nodes = { make = flow.exec { argv = { "mkdir", "-p", "made" } },
    copy = flow.exec { argv = { "cp", "count", "made/tool" } },
    wait = flow.lua { writes = {}, run = function(ctx) ctx.pause("built") end },
    inside = flow.exec { argv = { "./tool" }, cwd = "made" },
    by = flow.exec { argv = { "env", "made/tool" } } },
  edges = { make = "copy", copy = "wait", wait = "inside", inside = "by", by = flow.done } }
END
sed -i 's/writes = {}, //' built.lua
exits 8 "programs that the flow makes" run built.lua --session built --profile graph
rm -r made
mkdir made
cp count made/tool
mkdir bin
printf '#!/bin/sh\ncat\n' >bin/only-here
chmod +x bin/only-here
exits 0 "are there when it comes to them" resume built
cat >own.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "only-here" }, env = { PATH = "DIR/bin:/bin:/usr/bin" } }
END
sed -i "s|DIR|$dir|" own.lua
exits 0 "a program of its own PATH" run own.lua
sed -i 's/only-here/only-there/' own.lua
exits 5 "or not" run own.lua
has "is told of the flow that is one node" "$err" "only-there, the program of the flow"

sed -i 's/PATH = .*bin" }/PATH = { ref = "env:MY_PATH" } }/; s/only-there/only-here/' own.lua
MY_PATH=$dir/bin:/bin:/usr/bin exits 0 "a PATH by reference is not known before" run own.lua
cat >unserved.lua <<'END'
return require "ck.flow".custom { run = function(ctx)
  ctx.effect { kind = "tool", class = "pure", request = { name = "stock", arguments = {} } }
end }
END
exits 1 "a tool that a function asks for" run unserved.lua
has "is told by its name and its place" "$err" 'tool "stock", effect main/start/tool/1'

# ---- rounds ----
rounds() {
  cat >rounds.lua <<END
local flow = require "ck.flow"
return flow.rounds { orchestrator = flow.agent { prompt = "You lead." },
  agents = { risk = flow.agent { reads = { "topic" }, $1 } } }
END
}
rounds 'prompt = "Risk."'
exits 5 "a key that an agent reads" run rounds.lua --profile ./good.profile.lua
has "is told when nothing can write it" "$err" "the flow reads memory.topic, which nothing writes"
tool='flow.tool(function() end, { description = "d" })'
rounds "tools = { note = $tool }"
exits 2 "a tool by the name of one that is given" run rounds.lua --profile ./good.profile.lua
has "is told before the first call" "$err" "the tool 'note' of agent risk"
is "nothing was asked" "$(requests paid)" 0

# ---- what is done is not needed again ----
cat >done.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "done", start = "first",
  nodes = { first = flow.exec { argv = { "./once" }, reads = { "draft" } },
    wait = flow.lua(function(ctx) ctx.pause("here") end),
    last = flow.exec { argv = { "./count" } } },
  edges = { first = "wait", wait = "last", last = flow.done } }
END
cp count once
echo 'return { name = "gone", extends = "graph", exclude_memory_keys = { "draft" } }' >gone.lua
exits 8 "a node's program and key" run done.lua --profile ./gone.lua --session gone \
  --set-env draft=MY_TOKEN
rm once
exits 0 "are gone when the node is done" resume gone

# ---- reads of the flow, without their area ----
cat >bare.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "bare", reads = { "topic", "outputs.x" }, run = function(ctx)
  ctx.outputs.x = 1
  if not ctx.position then ctx.boundary("tool_round", { position = { path = "a" } }) end
  ctx.pause("here")
  return ctx.memory.topic
end }
END
exits 8 "a flow that reads a key" run bare.lua --set topic=ships --session bare
exits 8 "or lacks it" run bare.lua --session lacks
exits 0 "is resumed with it" resume bare
has "and has it" "$out" "ships"
exits 5 "not without" resume lacks
has "which is told in full" "$err" "the flow reads memory.topic"
exits 0 "until it is given" resume lacks --set topic=tides
finish
