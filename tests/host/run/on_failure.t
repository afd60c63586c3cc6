#!/bin/bash
# on_failure.t - a policy is asked about each failed effect, and about a program that ends badly: it
# sees the try, waits, pauses; an error of its own is told.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"
. "$root/tests/host/views.sh"
cd "$dir" || exit 1

cat >flaky.lua <<'EOF'
local flow = require "ck.flow"
return flow.graph { start = "build", nodes = {
  build = flow.exec { argv = { "sh", "-c", "echo try >>tries; exit 7" }, on_error = "other" },
  other = function() return "handled" end },
  edges = { build = flow.done, other = flow.done } }
EOF
cat >twice.lua <<'EOF'
return { name = "twice", version = 1, on_failure = function(f)
  if f.try == 3 then return "pause" end
  return { "retry", wait_ms = 1 }
end }
EOF
tries() { wc -l <tries; }
exits 0 "a program that fails is an outcome" run flaky.lua --session plain
is "which the flow handles" "$(grep '^result' <<<"$out") $(tries)" "$(printf 'result\thandled 1')"
rm tries
run run flaky.lua --policy ./twice.lua --session twice
is "a policy has it tried twice more, then pauses" "$(grep ^status <<<"$out") $(tries)" \
  "$(printf 'status\tpaused 3')"
has "a short wait is told in milliseconds" "$err" "tried again in 1 ms (try 2 of 3)"
has "and its reason says who pauses it" "$out$err" "exit status 7; policy \"twice\" has it wait"
is "each try is recorded, the last one too" \
  "$("$CKRUN" sessions log twice --all --kind outcome | grep -c failed)" 3
run resume twice --policy ./twice.lua
is "a resume tries again, from the first" "$(grep ^status <<<"$out") $(tries)" \
  "$(printf 'status\tpaused 6')"
exits 0 "without the policy the flow handles it" resume twice
is "with one more try" "$(tries)" 7
sed 's/if .* end$//; s/twice/always/' twice.lua >always.lua
rm tries
run run flaky.lua --policy ./always.lua --session always
is "who never gives up is followed three times" "$(grep ^status <<<"$out") $(tries)" \
  "$(printf 'status\tfailed 3')"
has "and told that these were all" \
  "$out$err" "exit status 7; the \"retry\" of policy \"always\" was followed"
has "with how many" "$out$err" "until it was tried 3 times, which is all"
cat >fail.lua <<'EOF'
return { name = "fail", version = 1, on_failure = function() return "fail" end }
EOF
rm tries
run run flaky.lua --policy ./fail.lua --session fail
is "a policy has it fail" "$(grep ^status <<<"$out") $(tries)" "$(printf 'status\tfailed 1')"
ok "which is no matter of tries" test "$(grep -c 'which is all' <<<"$out$err")" = 0

cat >tool.lua <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "tool", tools = { boom = flow.command { argv = { "false" },
  class = "pure" } }, run = function(ctx)
  return ctx.effect { kind = "tool", class = "pure",
    request = { name = "boom", arguments = {} } }.status
end }
EOF
run run tool.lua --policy ./fail.lua --session tool
is "a tool's error is told to whoever called it, and no policy is asked" \
  "$(grep -E '^(status|result)' <<<"$out" | tr '\n\t' '  ')" "status completed result error "

# ---- what it sees ----

cat >sees.lua <<'EOF'
return { name = "sees", version = 1, on_failure = function(f)
  error(table.concat({ f.kind, tostring(f.node), tostring(f.tool), tostring(f.agent),
    f.status, f.try, f.attempt, tostring(f.retry_after), f.key, f.error }, " "))
end }
EOF
run run flaky.lua --policy ./sees.lua --session sees
is "an error of the policy pauses" "$(grep ^status <<<"$out")" "$(printf 'status\tpaused')"
"$CKRUN" sessions log sees --all --kind policy_error >told
saw="exec build nil nil CK_E_FAILED 1 1 nil main/build#1/exec/1 effect main/build#1/exec/1"
ok "and is told, by place, with what it saw" \
  grep -q "hook=on_failure.*sees.lua:2: $saw: sh: exit status 7" told || cat told
is "once" "$(wc -l <told)" 1
cat >shout.lua <<'EOF'
return { name = "shout", version = 1, on_failure = function() return { "pause", wait_ms = 5 } end }
EOF
run run flaky.lua --policy ./shout.lua --session shout
has "an answer of another shape is told" "$("$CKRUN" sessions log shout --kind policy_error)" \
  "only a retry waits"

serve away <<'EOF'
{"status":429,"headers":{"retry-after":"3600"},"body":"x"}
EOF
profile away.profile.lua 'policies = { "./sees.lua" }'
cat >chat.lua <<'EOF'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look." }
EOF
run run chat.lua --profile ./away.profile.lua --session chat --input '"Hello"'
"$CKRUN" sessions log chat --all --kind policy_error >told
ok "of a model's failure the agent and how long its service asks to wait" \
  grep -qE 'sees.lua:2: model nil nil solo CK_E_UNAVAILABLE 1 1 3600000 main/' told || cat told

# ---- a wait ----

cat >long.lua <<'EOF'
return { name = "long", version = 1,
  on_failure = function() return { "retry", wait_ms = 3600000 } end }
EOF
rm tries
"$CKRUN" run flaky.lua --policy ./long.lua --session long >long.out 2>&1 </dev/null &
pid=$!
until "$CKRUN" sessions log long --all --kind outcome 2>/dev/null | grep -q failed; do
  read -rt 0.05 <> <(:) || :
done
# Worked out from the transcript: its end, and how long the policy has it wait.
due=$("$CKRUN" --json sessions log long --all --kind outcome | perl -MJSON::PP -MTime::Local -ne '
  my $e = decode_json($_);
  my ($y, $m, $d, $h, $n, $s, $ms) = $e->{at} =~ /\d+/g;
  my @t = gmtime(timegm($s, $n, $h, $d, $m - 1, $y) + $e->{body}{failure}{wait} / 1000);
  printf "%d-%02d-%02dT%02d:%02d:%02d.%sZ", $t[5] + 1900, $t[4] + 1, @t[3, 2, 1, 0], $ms')
shown=$("$CKRUN" --json sessions show long)
is "show says when it is tried again, which try that is, and by whose word" \
  "$(json "$shown" 'join " ", @{$d->{last_effects}[-1]}{qw(retries_at next_try retried_by)}')" \
  "$due 2 long"
when=$(sed 's/T/ /; s/\..*//' <<<"$due")
is "names and values, too" "$("$CKRUN" sessions show long | grep ^retry)" \
  "$(printf 'retry\tmain/build#1/exec/1: tried again at %s (try 2 of 3), by policy "long"' "$when")"
if has_terminal; then
  has "and a person at a terminal" "$(screen 120 sessions show long | tr -s ' \n' ' ')" "try 2 of 3"
fi
exits 0 "a session that waits is paused at once" pause long
wait $pid
has "its progress has said so" "$(cat long.out)" \
  "policy \"long\" has it tried again in 3600.0 s (try 2 of 3)"
shown=$("$CKRUN" --json sessions show long)
is "at rest it waits for nothing" \
  "$(json "$shown" '0 + exists $d->{last_effects}[-1]{retries_at}')" 0
is "nor in names and values" "$("$CKRUN" sessions show long | grep -c ^retry)" 0
is "the wait was not over" "$(tries)" 1
is "and it is paused" "$("$CKRUN" sessions show long | grep '^status')" "$(printf 'status\tpaused')"
exits 0 "a resume tries at once" resume long
is "once more" "$(tries)" 2

# Nobody waits any more behind a kill.
"$CKRUN" run flaky.lua --policy ./long.lua --session gone >gone.out 2>&1 </dev/null &
pid=$!
until "$CKRUN" sessions log gone --all --kind outcome 2>/dev/null | grep -q failed; do
  read -rt 0.05 <> <(:) || :
done
kill -9 $pid
wait $pid 2>/dev/null
shown=$("$CKRUN" --json sessions show gone)
is "a run that was killed waits for nothing" "$(json "$shown" '"$d->{live} " . grep {
  exists $_->{retries_at} || exists $_->{retried_by} } @{$d->{last_effects}}')" "0 0"
finish
