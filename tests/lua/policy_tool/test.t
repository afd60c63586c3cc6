#!/bin/bash
# test.t - policy test: what holds live holds in a test, what does not fails it, and no test
# disturbs another.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

cat >mine.lua <<'EOF2'
local policy = { name = "mine", version = 3, options = { slow_ms = 1000, count = 2 } }
function policy.checkpoint(at, opt)
  if at.latency_ms > opt.slow_ms then return "slow: " .. at.latency_ms .. " ms" end
  if at.since.cost_usd >= 1 then return { reason = "money", durability = "sync" } end
  if at.kind == "safe_point" then return true end
  if at.node == "broken" then return 1 .. nil end
end
function policy.prune(history, opt)
  local drop, keep = {}, {}
  for i, checkpoint in ipairs(history) do
    if i <= #history - opt.count then drop[#drop + 1] = checkpoint.id end
    if not checkpoint.is_clean then keep[#keep + 1] = checkpoint.id end
  end
  return { drop = drop, keep = keep }
end
function policy.redact(item)
  if item.key == "memory.a" then return ck.mask end
  if item.key == "memory.b" then return ck.drop end
  if item.key == "memory.c" then return ck.ref "env:TOKEN" end
  if item.kind == "outcome" and item.value.secret then return ck.drop end
end
function policy.resume(session, checkpoint)
  if session.status == "failed" then return ck.refuse "it failed" end
  if session.reason == "tell" then
    return ck.refuse(table.concat({ table.concat(checkpoint.policies, " ") .. (
      checkpoint.reasons[1] and " " .. checkpoint.reasons[1] or ""), tostring(checkpoint.tool),
      checkpoint.age_ms, checkpoint.created }, " "))
  end
  if session.reason == "dear" then return { ask = "Pay?", time = "reset" } end
  local use = session.models[1]
  if use then
    return ck.refuse(table.concat({ use.agent, use.was, use.now, session.host.was,
      tostring(session.host.same), session.utc_offset_s, tostring(session.flow_changed),
      session.budget.left }, " "))
  end
  if checkpoint and checkpoint.kind == "pause" then
    return { time = "continue", budget = session.cost_usd > 4 and "reset" or nil }
  end
end
function policy.tail(event, agent) return event.agent == agent or event.body.target == agent end
function policy.on_failure(failure) return failure.attempt < 3 and "retry" or nil end
function policy.in_doubt(effect) return effect.request.name == "search" and "rerun" or nil end
function policy.migrate(doc, from, to) doc.version = from * 10 + to return doc end
return policy
EOF2
cat >mine_test.lua <<'EOF2'
local test = require "ck.test"
local mine = test.policy "./mine.lua"
local tests = {}
local kept = 0

function tests.test_checkpoint()
  test.equal(mine.checkpoint { latency_ms = 2000 }, "slow: 2000 ms")
  test.equal({ mine.checkpoint { since = { cost_usd = 1.5 } } }, { "money", "sync" })
  test.equal({ mine.checkpoint { kind = "safe_point" } }, { true, "async" })
  test.equal(mine.checkpoint(), nil)
end
function tests.test_options()
  local patient = test.policy("./mine.lua", { slow_ms = 5000 })
  test.equal(patient.checkpoint { latency_ms = 2000 }, nil)
  test.equal(mine.checkpoint { latency_ms = 2000 }, "slow: 2000 ms")
  test.equal({ patient.name, patient.version, patient.has.prune }, { "mine", 3, true })
  test.fails("unknown option 'slw_ms' (did you mean 'slow_ms'?)",
    test.policy, "./mine.lua", { slw_ms = 1 })
end
function tests.test_prune()
  local history = test.history(4, { every_ms = 1000 }, { [1] = { is_clean = false } })
  local drop, keep = mine.prune(history)
  test.equal(drop, { "c1", "c2" })
  test.equal(keep, { "c1" })
  test.equal(mine.prune(test.history(0)), ck.array {})
end
function tests.test_redact()
  test.equal(mine.redact { key = "memory.a", value = 1 }, "mask")
  test.equal(mine.redact { key = "memory.b", value = { x = 1 } }, "drop")
  test.equal(mine.redact { key = "memory.c" }, "env:TOKEN")
  test.equal(mine.redact { key = "memory.d" }, nil)
  test.equal(mine.redact { kind = "outcome", value = { secret = true } }, "drop")
end
local function check_views()
  local said = { policies = { "a", "b" }, reasons = { "why" }, tool = "send", age_ms = 5 }
  local _, why = mine.resume({ reason = "tell", now = 100 }, said)
  test.equal(why, "a b why send 5 95")
  _, why = mine.resume({ reason = "tell", now = 100 }, { created = 40 })
  test.equal(why, " nil 60 40")
end
function tests.test_resume()
  test.equal({ mine.resume { status = "failed" } }, { nil, "it failed" })
  test.equal(mine.resume({ cost_usd = 4.5 }, { kind = "pause" }),
    { time = "continue", budget = "reset" })
  test.equal(mine.resume(), {})
  test.equal({ mine.resume { models = { { agent = "ann", name = "m", was = "a", now = "b" } },
    host = { was = "x", now = "y" }, utc_offset_s = -3600, flow_changed = true,
    budget = { spent = 0.5, limit = 2 } } }, { nil, "ann a b x false -3600 true 1.5" })
  check_views()
  test.equal({ mine.resume { reason = "dear" } }, { { time = "reset" }, nil, "Pay?" })
  test.fails("session.budget has no field 'limt'",
    function() mine.resume { budget = { limt = 1 } } end)
  test.fails("session.host has no field 'name'",
    function() mine.resume { host = { name = "x" } } end)
end
function tests.test_words()
  test.equal(mine.tail({ agent = "a" }, "a"), true)
  test.equal(mine.tail({ agent = "a", body = { target = "b" } }, "c"), false)
  test.equal(mine.on_failure { attempt = 1 }, "retry")
  test.equal(mine.on_failure { attempt = 3, status = "CK_E_IO" }, nil)
  test.equal(mine.in_doubt { request = { name = "search" }, class = "reconcilable" }, "rerun")
  test.equal(mine.migrate({ a = 1 }, 1, 2), { a = 1, version = 12 })
end
function tests.test_walk()
  local dear = { cost_usd = 0.4 }
  test.equal(test.walk(mine, { dear, dear, dear, {}, { kind = "safe_point" } }), { 3, 5 })
  local three = test.policy("every_n", { n = 3 })
  test.equal(test.walk(three, { {}, {}, {}, {}, {}, {}, {} }), { 3, 6 })
end
function tests.test_failures()
  test.fails("mine.lua:6:", mine.checkpoint, { node = "broken" })
  test.fails("at has no field 'latencyms'", mine.checkpoint, { latencyms = 1 })
  test.fails("at.since has no field 'cost'", mine.checkpoint, { since = { cost = 1 } })
  test.fails('at.kind: it is never "tool_rund"', mine.checkpoint, { kind = "tool_rund" })
  test.fails("has no hook prune", test.policy("every_n").prune, test.history(1))
  test.fails("not among the shipped ones", test.policy, "evry_n")
  test.fails("it did not fail", test.fails, "x", function() end)
end
function tests.test_isolation_a() kept = kept + 1 test.equal(kept, 1) end
function tests.test_isolation_b() kept = kept + 1 test.equal(kept, 1) end
function tests.test_bounds() test.fails("undefined global 'os'", function() return os end) end
function tests.helper() error "no test" end
return tests
EOF2
exits 0 "tests that hold" policy test mine.lua
is "it is TAP" "$(head -n 1 <<<"$out")" "TAP version 13"
is "with a plan" "$(tail -n 1 <<<"$out")" "1..11"
is "every test_ function ran, by name" "$(grep -c '^ok' <<<"$out") $(sed -n 2p <<<"$out")" \
  "11 ok 1 - mine_test.lua: test_bounds"
printf '%s\n' "$out" >inner.tap
ok "prove reads it" prove --norc --exec 'cat' inner.tap
exits 0 "the test file itself" policy test mine_test.lua
is "is the same" "$(grep -c '^ok' <<<"$out")" 11
exits 0 "--json" --json policy test mine.lua
ok "one object per test" lines "$out"

cat >bad_test.lua <<'EOF2'
local test = require "ck.test"
local policy = test.policy("every_n", { n = 2 })
return {
  test_a_equal = function()
    test.equal(policy.checkpoint { since = { boundaries = 2 } }, "3 boundaries", "the reason")
  end,
  test_b_error = function() error "on purpose" end,
  test_c_endless = function() while true do pcall(function() while true do end end) end end,
  test_d_memory = function() -- in three steps, so that no machine is too slow to get there
    local s = ("x"):rep(1 << 20)
    s = s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s
    s = s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s
  end,
  test_e_ok = function() test.ok(policy.checkpoint { since = { boundaries = 2 } }) end,
  test_f_not_ok = function() test.ok(policy.checkpoint(), "a checkpoint") end,
  test_g_many = function() for _ = 1, 50 do test.policy "every_n" end end,
}
EOF2
exits 1 "tests that fail end all the same" policy test bad_test.lua
is "one holds" "$(grep -c '^ok' <<<"$out")" 1
is "the others do not" "$(grep -c '^not ok' <<<"$out")" 6
has "what was got and wanted" "$out" \
  'bad_test.lua:5: the reason: got "2 boundaries", not "3 boundaries"'
has "an error with its place" "$out" "bad_test.lua:7: on purpose"
has "the time that is spent" "$out" "ran longer than"
has "the memory" "$out" "of memory is spent"
has "what was to hold" "$out" "bad_test.lua:15: a checkpoint"
has "how many policies" "$out" "at most 16 policies"
has "the count" "$err" "6 of 7 tests failed"
exits 1 "several files" policy test mine.lua bad_test.lua
is "one plan for all" "$(tail -n 1 <<<"$out")" "1..18"

echo 'return {' >syntax_test.lua
exits 1 "a test file that does not compile" policy test syntax_test.lua
has "is a test that failed" "$out" "not ok 1 - syntax_test.lua: loads"
echo 'return { x = 5 }' >none_test.lua
refused 3 "a file without tests" "there is no function test_*" policy test none_test.lua
cp mine.lua alone.lua
refused 3 "a policy without tests" \
  "alone_test.lua: there is no such file; it would hold the tests of alone.lua" \
  policy test alone.lua
echo 'local t = require "ck.test" return { name = "p", version = 1 }' >uses.lua
exits 1 "a policy that requires ck.test" policy check uses.lua
has "is told what it is for" "$out" "for files that 'ckrun policy test' runs"
finish
