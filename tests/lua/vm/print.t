#!/bin/bash
# print.t - print in flows and policies: a line of the log with its place, bounded, redacted, in no
# store.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
unset CKRUN_LOG

cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.custom {
  name = "talks",
  run = function(ctx)
    print("from the flow", 1, true, nil, { 1 }, 1.5)
    print("the secret is " .. ctx.input.text, "hunter2-" .. "hunter2-hunter2")
    print("a\27[31m", "b\nc")
    ctx.boundary("safe_point", { position = { path = "talks#1" } })
    print()
    return 1
  end,
}
END
cat >talk.lua <<'END'
return { name = "talk", version = 1, checkpoint = function(at)
  print("at", at.kind)
  return "yes"
end }
END
cat >profile.lua <<'END'
return { name = "talks", extends = "default", policies = { "./talk.lua" },
  secrets = { mine = "env:MINE" } }
END
export MINE=hunter2-hunter2-hunter2
exits 0 "a run" run flow.lua --profile ./profile.lua --session a \
  --input '{"text":"hunter2-hunter2-hunter2"}'
has "a line has its place, and the values as tostring shows them" "$err" \
  "ckrun: flow.lua:5: from the flow  1  true  nil  table  1.5"
has "of a policy, too" "$err" "ckrun: $dir/talk.lua:2: at  safe_point"
is "a known secret is not shown" "$(grep -c hunter2 <<<"$err")" 0
has "but its line is" "$err" "flow.lua:6: the secret is "
has "control characters are escaped" "$err" 'a\x1b[31m  b\nc'
has "an empty line" "$err" "ckrun: flow.lua:9: "
is "stdout has none" "$(grep -c 'from the flow' <<<"$out")" 0
is "the transcript has none" "$("$CKRUN" sessions log a --all --json | grep -c 'from the flow')" 0
run --json run flow.lua --profile ./profile.lua --session b --input '{"text":"x"}'
ok "with --json stdout stays JSON" lines "$out"
CKRUN_LOG=error run run flow.lua --session c --input '{"text":"x"}'
is "CKRUN_LOG=error hides them" "$err" "$(grep -v flow.lua <<<"$err")"

cat >flood.lua <<'END'
return require("ck.flow").custom { name = "flood", run = function()
  for i = 1, 5000 do print("line", i) end
  print(("x"):rep(100000))
end }
END
exits 0 "a flood" run flood.lua --session flood
is "is cut at 1,000 lines" "$(grep -c 'flood.lua:2: line' <<<"$err")" 1000
is "and says so once" "$(grep -c 'print: 1000 lines were shown, more are not' <<<"$err")" 1
cat >long.lua <<'END'
return require("ck.flow").custom { name = "long", run = function()
  print(("x"):rep(100000), "end")
end }
END
exits 0 "a long line" run long.lua --session long
is "is cut at 2,000 bytes" \
  "$(sed -n 's/.*long.lua:2: \(x*\)…$/\1/p' <<<"$err" | tr -d '\n' | wc -c)" 2000
cat >endless.lua <<'END'
return { name = "p", version = 1, checkpoint = function() while true do print() end end }
END
cat >endless_test.lua <<'END'
local test = require "ck.test"
return { test_it = function() test.policy("./endless.lua").checkpoint {} end }
END
exits 1 "a policy that prints without end is stopped" policy test endless.lua
has "by its budget" "$out" "budget"
is "with as many lines" "$(grep -c 'endless.lua:1: $' <<<"$err")" 1000

exits 0 "check asks hooks for trial" policy check talk.lua
is "and shows nothing of it" "$err" ""
exits 0 "so does bench" policy bench talk.lua --calls 10
is "without a line" "$err" ""
exits 0 "and simulate" policy simulate --profile ./profile.lua a
is "without one, too" "$(grep -c 'at  safe_point' <<<"$err")" 0
cat >talk_test.lua <<'END'
local test = require "ck.test"
return { test_it = function()
  print("in the test")
  test.equal(test.policy("./talk.lua").checkpoint {}, "yes")
end }
END
exits 0 "tests of policies" policy test talk.lua
has "show theirs" "$err" "in the test"
has "and those of the policy" "$err" "talk.lua:2: at"

finish
