#!/bin/bash
# resume_views.t - what policies are told of a resume is so: models, machine, the flow, the budget,
# the clock of who resumes; and the transcript keeps it.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'EOF'
local flow = require "ck.flow"
local function stop(why) return flow.lua(function(ctx) ctx.pause(why) end) end
return flow.graph { start = "find", nodes = {
  find = flow.agent { name = "researcher", prompt = "Find." },
  stop = stop "read it",
  write = flow.agent { name = "writer", model = "big", prompt = "Write." },
  halt = stop "look" },
  edges = { find = "stop", stop = "write", write = "halt", halt = flow.done } }
EOF
# answer AGENT MICROS
answer() {
  printf '{"scope":"main.%s","kind":"model","cost_micros":%s,"message":%s}\n' "$1" "$2" \
    '{"role":"assistant","content":"done"}'
}
{ echo '{"cassette":1}'; answer researcher 30000; answer writer 500000; } >answers.jsonl
# Prints what it sees, for the test to read.
cat >seen.lua <<'EOF'
return { name = "seen", version = 1, options = { refuse = "" }, resume = function(session, _, opt)
  local words = { session.utc_offset_s, tostring(session.flow_changed),
    tostring(session.budget.spent), tostring(session.budget.limit), tostring(session.budget.left),
    tostring(session.host.now), tostring(session.host.was), tostring(session.host.same) }
  for _, use in ipairs(session.models) do
    words[#words + 1] = table.concat({ use.agent or "-", use.name, use.was or "-", use.now or "-" },
      "/")
  end
  print("SEEN " .. table.concat(words, " "))
  if opt.refuse ~= "" then return ck.refuse(opt.refuse) end
end }
EOF
# profile FILE SMALL BIG: the models by their names at the provider.
profile() {
  cat >"$1" <<EOF
return { name = "p", extends = "graph", policies = { "every_boundary", "./seen.lua" },
  constraints = { budget_usd = 2 }, models = {
    default = { api = "openai", model = "$2", price = { input = 1, output = 1 } },
    big = { api = "openai", model = "$3", price = { input = 1, output = 1 } } } }
EOF
}
# told: what the policy said, of the run that `run` made.
told() { sed -n 's/^.*SEEN //p' <<<"$err"; }
# told_by EVENT: the same from the last event of that kind.
told_by() {
  json "[$("$CKRUN" sessions log s --all --kind "$1" --json | tail -1)]" '
    my $s = $d->[0]{body}{seen}; my $usd = sub { 0 + sprintf "%.6f", $_[0] / 1e6 };
    join " ", $s->{utc_offset_s}, $s->{flow_changed} ? "true" : "false", $usd->($s->{spent}),
      $usd->($s->{limit}), $usd->($s->{limit} - $s->{spent}), $s->{host}, $s->{host_before},
      $s->{host} eq $s->{host_before} ? "true" : "false",
      map { join "/", map { $_ // "-" } @$_{qw(agent name was now)} } @{$s->{models}}'
}
here=$(uname -n)
export TZ=UTC
profile one.lua small-1 big-1
exits 8 "a session that pauses" run flow.lua --profile ./one.lua --cassette answers.jsonl \
  --session s
before=$(sha256sum store/ckrun.db)
exits 0 "a dry run" resume s --dry-run
first="0 false 0.03 2.0 1.97 $here $here true researcher/default/small-1/small-1 -/big/-/big-1"
is "has the models that were used and those that will be" "$(told)" "$first"
is "writes nothing" "$(sha256sum store/ckrun.db)" "$before"

# Another profile, another clock, another limit.
profile two.lua small-2 big-2
export TZ=Asia/Kolkata
[ -e /usr/share/zoneinfo/Asia/Kolkata ] || export TZ=IST-5:30
exits 5 "a refusal" resume s --profile ./two.lua --limit budget_usd=3 --option seen.refuse=no
second="19800 false 0.03 3.0 2.97 $here $here true researcher/default/small-1/small-2 -/big/-/big-2"
is "is told what is another model now" "$(told)" "$second"
is "and the event keeps it" "$(told_by resume_refused)" \
  "19800 false 0.03 3 2.97 $here $here true researcher/default/small-1/small-2 -/big/-/big-2"
exits 5 "the same refusal" resume s --profile ./two.lua --option seen.refuse=no
is "is the same event, whatever the clock says" \
  "$("$CKRUN" sessions log s --all --kind resume_refused --json | grep -c '')" 1
exits 8 "a resume" resume s --profile ./two.lua --limit budget_usd=3
is "is told the same" "$(told)" "$second"
is "and its first event keeps it" "$(told_by session_resumed)" "$(told | sed 's/3\.0/3/')"

# Each agent has the model of its own last call; the flow is another one.
echo '-- a remark' >>flow.lua
exits 5 "a flow that has changed" resume s --profile ./one.lua --dry-run
third="19800 true 0.53 3.0 2.47 $here $here true"
third="$third researcher/default/small-1/small-1 writer/big/big-2/big-1"
is "is told, too" "$(told)" "$third"
exits 0 "once it is accepted" resume s --profile ./one.lua --accept-changed
is "it goes on with that" "$(told)" "$third"

# A budget that is reset counts anew; without a limit nothing is left to say.
sed 's/seen.lua" }/seen.lua" }, resume = { budget = "reset" }/' one.lua >again.lua
exits 8 "a session with another rule" run flow.lua --profile ./again.lua --cassette answers.jsonl \
  --session again
exits 8 "goes on" resume again
is "from what it had spent" "$(told | cut -d' ' -f3-5)" "0.03 2.0 1.97"
exits 0 "again" resume again --dry-run
is "from what it has spent since" "$(told | cut -d' ' -f3-5)" "0.5 2.0 1.5"
sed 's/budget_usd = 2/tool_calls = 2/' one.lua >free.lua
exits 8 "a session without a budget" run flow.lua --profile ./free.lua --cassette answers.jsonl \
  --session free
exits 8 "goes on" resume free
is "without a limit" "$(told | cut -d' ' -f3-5)" "0.03 nil nil"

# A fork knows the models of its origin.
exits 0 "a fork" sessions fork again --session twig
exits 0 "of it" resume twig --dry-run
is "knows them" "$(told | cut -d' ' -f9-)" \
  "researcher/default/small-1/small-1 writer/big/big-1/big-1"

finish
