#!/bin/bash
# explain_faults.t - policy explain tells what a failed policy failed of and what followed, what a
# boundary was weighed by, why a run stopped that could write no event of it; --rerun asks one
# policy that decides on checkpoints, and refuses another.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = { a = flow.lua(function(ctx) ctx.memory.x = "12345" end), b = flow.lua(function() end) },
  edges = { a = "b", b = flow.done } }
E
cat >lost.lua <<'E'
return { name = "lost", version = 1, checkpoint = function(at)
  if at.kind == "edge_transition" then error("no way") end
end }
E
cat >mute.lua <<'E'
return { name = "mute", version = 1, redact = function(item)
  if item.key == "memory.x" then error("lost") end
end }
E
for name in lost mute; do
  echo "return { name = \"$name\", policies = { \"./$name.lua\" } }" >$name.profile.lua
done
seq() {
  "$CKRUN" --json sessions log "$1" --all --kind "$2" | grep -F "\"$3\"" | head -1 |
    sed 's/.*"seq":\([0-9]*\),.*/\1/'
}

# ---- a policy that failed ----
exits 0 "a policy fails at a boundary" run flow.lua --profile ./lost.profile.lua --session lost
at=$(seq lost boundary edge_transition) error=$(seq lost policy_error checkpoint)
exits 0 "the boundary" policy explain lost "$at"
has "says of what it failed" "$out" "lost (version 1) failed: then a checkpoint is taken, and \
waited for; the first error: policy \"lost\", checkpoint: $dir/lost.lua:2: no way"
exits 0 "as JSON" --json policy explain lost "$at"
is "too" "$(json "$out" '$d->{failure}')" \
  "policy \"lost\", checkpoint: $dir/lost.lua:2: no way"
exits 0 "the error's event" policy explain lost "$error"
is "says what followed" "$(tail -1 <<<"$out")" \
  "where this hook fails, the checkpoint is taken, and waited for"
exits 0 "a boundary without a failure" --json policy explain lost "$(seq lost boundary final)"
is "has none" "$(json "$out" '$d->{failure}')" null
cat >torn.lua <<'E'
return { name = "torn", version = 1, on_failure = function() error "no idea" end }
E
echo 'return { name = "torn", policies = { "./torn.lua" } }' >torn.profile.lua
echo 'return require("ck.flow").exec { argv = { "sh", "-c", "exit 7" } }' >exec.lua
run run exec.lua --profile ./torn.profile.lua --session torn
exits 0 "an outcome" policy explain torn "$(seq torn outcome exec)"
has "says of what the policy failed that was asked about it" "$out" \
  "the first error: policy \"torn\", on_failure: $dir/torn.lua:1: no idea"

cat >tries.lua <<'E'
return { name = "tries", version = 1, on_failure = function(it)
  if it.try == 2 then return { "retry", wait_ms = 2 } end
  return "retry"
end }
E
echo 'return { name = "tries", policies = { "./tries.lua" } }' >tries.profile.lua
sed 's/} }$/}, class = "idempotent" }/; s/"exit 7" }/&, class = "idempotent"/' exec.lua >often.lua
exits 1 "tried again" run often.lua --profile ./tries.profile.lua --session tries
is "a retry says when, and when it is no more" "$("$CKRUN" policy explain tries |
  sed -n 's/.*failed; retry: tries; //p')" "to be tried again at once
to be tried again after 2.0 ms
it was tried 3 times, which is all"

# ---- what a boundary was weighed by ----
body=$("$CKRUN" --json sessions log lost --all --kind boundary | grep -F node_complete | head -1)
exits 0 "a boundary's" policy explain lost "$(seq lost boundary node_complete)"
since=$(json "$body" '$d->{body}{since}')
has "counts since the last checkpoint are told" "$(grep '^since' <<<"$out")" \
  "$(json "$since" '"$d->{keys} changed key, $d->{bytes} B"' | tr -d '"')"
exits 0 "as JSON" --json policy explain lost "$(seq lost boundary node_complete)"
is "too" "$(json "$out" '[@{$d->{since}}{qw(events changed_keys changed_bytes)}]')" \
  "$(json "$since" '[@$d{qw(events keys bytes)}]')"

# ---- a run that could write no event of its end ----
exits 5 "a policy fails of what is to be written" run flow.lua --profile ./mute.profile.lua \
  --session mute
exits 0 "explain" policy explain mute
has "says why the run stopped" "$err" \
  'the last run stopped, and wrote no event of it: policy "mute", redact: '
ok "and not that it has no boundary" bash -c '! grep -q "no boundary yet" <<<"$1"' - "$err"
exits 0 "show" sessions show mute
has "says that it stopped" "$(grep ^runs <<<"$out")" ": stopped, "
echo 'return require("ck.flow").lua(function(ctx) ctx.pause("here") end)' >pause.lua
run run pause.lua --session paused
exits 0 "a run that paused" policy explain paused
is "did not stop" "$err" ""
cat >die.lua <<'E'
return require("ck.flow").exec { argv = { "sh", "-c", "kill -9 $PPID; sleep 60" } }
E
run run die.lua --session killed
exits 0 "one that was killed" sessions show killed
has "died" "$(grep ^runs <<<"$out")" ": died, "

# ---- asking another policy ----
echo 'return { name = "only", version = 1, migrate = function(doc) return doc end }' >only.lua
refused 2 "a policy that no session asks" "--rerun only.lua: it has no hook that a session asks" \
  policy explain lost --rerun only.lua
exits 0 "one without a checkpoint hook" policy explain lost --rerun mute.lua
has "is asked for those that it has" "$err" "redact: "
refused 2 "two policies" "--rerun is given twice, mute.lua and lost.lua: one policy is asked" \
  policy explain lost --rerun mute.lua --rerun lost.lua
finish
