# loop.sh - an agent and its tools: killed in a batch, failed, paused by a signal; then the steps
# of a workflow. Sourced by profiles.t.

cat >count.flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "counter", prompt = "You count.", parallel_tools = 1, tools = {
  count = flow.command { argv = { "./tool", "count" }, class = "once" },
  weigh = flow.command { argv = { "./tool", "weigh" }, class = "idempotent" },
  stop = flow.command { argv = { "./tool", "stop" }, class = "once" },
  throw = flow.tool(function() error("too heavy") end) } }
END
cat >tool <<'END'
#!/bin/sh
echo "$1" >>tools
[ "$1" = weigh ] && ! [ -e weighed ] && touch weighed && kill -9 $PPID
[ "$1" = stop ] && kill -TERM $PPID
echo "\"$1\""
END
chmod +x tool
serve counter < <(
  ask_for count '{}' weigh '{}'
  ask_for throw '{}'
  echo '{"status":400,"body":{"error":{"message":"temperature: not supported"}}}'
  ask_for stop '{}'
  say "Counted.")
life loop
exits 137 "loop: killed in the second call of a batch" run count.flow.lua --profile ./loop.lua \
  --session loop-1 --input '"Count."'
is "loop: a checkpoint lies before it, and none within it" "$(checkpoints loop-1)" "before_call "
exits 1 "loop: its id survives; it goes on until the provider refuses" resume loop-1
is "loop: what was done is not done again, what may be repeated is" "$(xargs <tools)" \
  "count weigh weigh"
is "loop: the whole batch is in the next request" \
  "$(request counter 2 'join " ", map { "$_->{role}" } @$m')" "system user assistant tool tool"
is "loop: a tool that throws is told to the model" \
  "$(request counter 3 '$m->[-1]{content}' | grep -c '^Error: .*too heavy')" 1
is "loop: the class of the failure" "$(log '$_->{body}{status}' loop-1 --kind session_failed)" \
  CK_E_REQUEST
compare "loop, failed" '{}' loop-1
refused 5 "loop: another resume would meet the same" "--retry" resume loop-1
exits 8 "loop: a signal pauses it behind its tool" resume loop-1 --retry
compare "loop, paused" '{}' loop-1
exits 0 "loop: it ends" --json resume loop-1
is "loop: with its answer" "$(json "$out" '$d->{result}{text}')" "Counted."
is "loop: nothing was done twice" "$(xargs <tools)" "count weigh weigh stop"
is "loop: its checkpoints lie between rounds, and before what must not be repeated" \
  "$(checkpoints loop-1)" \
  "before_call tool_round tool_round failure before_call tool_round pause final "
run --json sessions show loop-1
is "loop: runs, and whose they continue" "$(json "$out" 'my @r = @{$d->{runs}};
  join " ", scalar @r, map { $r[$_]{parent_run} eq $r[$_ - 1]{run} ? "next" : "?" } 1 .. $#r')" \
  "4 next next next"
compare "loop, ended" '{}' loop-1
refused 3 "loop: a session that nobody knows" "there is no session loop-2" resume loop-2
is "loop: is not made" "$("$CKRUN" sessions list | cut -f1)" loop-1

# Steps of a workflow, under the same profile.
cat >steps.flow.lua <<'END'
local flow = require "ck.flow"
local function step(name) return flow.exec { argv = { "./step", name }, class = "once" } end
return flow.steps { name = "nightly", parallel = 1, steps = {
  { name = "fetch", run = step "fetch" },
  { name = "sort", run = step "sort", needs = { "fetch" } },
  { name = "send", run = function(_, needs) return needs.sort.stdout .. needs.fetch.stdout end,
    needs = { "fetch", "sort" } } } }
END
cat >step <<'END'
#!/bin/sh
echo "$1" >>steps
[ "$1" = sort ] && ! [ -e sorted ] && touch sorted && exit 3
echo "$1 of $(grep -c '' steps)"
END
chmod +x step
exits 1 "loop: a workflow whose second step fails" run steps.flow.lua --profile ./loop.lua \
  --session nightly
compare "loop, a workflow that failed" '{}' nightly
exits 0 "loop: its record" sessions export nightly --format workflow-checkpoint -o nightly.json
is "loop: the completed steps, with their outcomes" "$(json "$(cat nightly.json)" 'join " ",
  @$d{qw(schema_version workflow_id)},
  map { "$_->{task_id}=$_->{outcome}{stdout}" } @{$d->{steps}}')" \
  "1 nightly fetch=fetch of 1"
exits 0 "loop: resumed" --json resume nightly
is "loop: only the rest has run, and what failed" "$(xargs <steps)" "fetch sort sort"
is "loop: with the outcome that it had" "$(json "$out" '$d->{result}[2]{result}')" \
  $'sort of 3\nfetch of 1'
is "loop: a checkpoint as each program begins, which must not run twice, none behind a step" \
  "$(checkpoints nightly)" "node_start node_start failure final "
compare "loop, a workflow" '{}' nightly
perl -pe 's/"schema_version":1/"schema_version":2/' nightly.json >newer.json
cp newer.json kept.json
refused 2 "loop: a newer schema is refused, with both numbers" \
  "schema_version 2 is newer than 1" sessions import newer.json --resume-with steps.flow.lua
ok "loop: and left as it is" cmp newer.json kept.json
life loop 'on_success = "delete"'
rm -f steps sorted
exits 1 "loop: a record that is not to stay" run steps.flow.lua --profile ./loop.lua --session once
exits 0 "loop: stays until all has succeeded" resume once
refused 3 "loop: then it goes" "there is no session once" sessions show once
