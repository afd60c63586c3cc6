#!/bin/bash
# coverage.t - policy test --coverage: which lines and branches of each hook tests reach, counted by
# hand below; a policy answers the same with the probes, whatever its text looks like.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
umask 077

mkdir lib
cat >lib/money.lua <<'END'
local money = {}
function money.cents(n) return n * 100 end
function money.never() return 0 end
return money
END
cat >p.lua <<'END'
#!/usr/bin/env lua
local money = require "./lib/money"
local function helper(x)
  if x then return x end
  return 1
end
local policy = { name = "p", version = 1, options = { n = 3 } }
--[[ a comment
of two lines ]]
function policy.checkpoint(at, opt)
  local text = [[
of two lines]]
  if at.seq > opt.n and (at.node == "b" or at.node == "c") then
    return money.cents(at.seq) .. " cents"
  elseif helper(at.node) and at.node == text then
    return "unreached"
  end
  return at.is_clean and "clean"
end
policy.prune = function(history) return { drop = {} } end
return policy
END
cat >p_test.lua <<'END'
local test = require "ck.test"
local p = test.policy "./p.lua"
return {
  test_b = function() test.equal(p.checkpoint { seq = 9, node = "b" }, "900 cents") end,
  test_late = function() test.equal(p.checkpoint { seq = 1, node = "b" }, "clean") end,
}
END
exits 0 "tests with coverage" policy test --coverage p.lua
here=$(realpath .)
# checkpoint: lines 11, 13, 14, 16, 18, of which 16 is not reached. Conditions: the whole of 13 and
# what stands before its 'and' came out both ways, what stands before its 'or' only true; the whole
# of 15 false, what stands before its 'and' true, as that of 18. Outside: 2, 3, 4, 5, 7,
# 10, 20, 21, of which 5 is not reached.
is "shows each hook, the rest, and the file that is required" "$out" "TAP version 13
ok 1 - p_test.lua: test_b
ok 2 - p_test.lua: test_late
1..2
# coverage of $here/p.lua, checkpoint: 4 of 5 lines, 8 of 12 branches
#   line 13: a condition was never false
#   line 15: a condition was never false
#   line 15: a condition was never true
#   line 16: not reached
#   line 18: a condition was never false
# coverage of $here/p.lua, prune: 0 of 1 lines, 0 of 0 branches
#   line 20: not reached
# coverage of $here/p.lua, outside of hooks: 7 of 8 lines, 1 of 2 branches
#   line 4: a condition was never false
#   line 5: not reached
# coverage of $here/lib/money.lua, outside of hooks: 3 of 4 lines, 0 of 0 branches
#   line 3: reached in part"
exits 0 "as JSON" --json policy test --coverage p.lua
is "a line for each part, behind those of the tests" \
  "$(sed -n 3p <<<"$out" | cut -d, -f2-)" "\"file\":\"$here/p.lua\",\"hook\":\"checkpoint\",\
\"missing\":[{\"line\":13,\"text\":\"a condition was never false\"},\
{\"line\":15,\"text\":\"a condition was never false\"},\
{\"line\":15,\"text\":\"a condition was never true\"},{\"line\":16,\"text\":\"not reached\"},\
{\"line\":18,\"text\":\"a condition was never false\"}],\"lines\":5,\"lines_run\":4,\
\"branches\":12,\"branches_taken\":8}"
cat >q_test.lua <<'END'
local p = require "ck.test".policy "./p.lua"
return { test_prune = function() p.prune {} end, test_no = function() p.prune(nil, 1 + nil) end }
END
exits 1 "a test that fails" policy test --coverage p_test.lua q_test.lua
has "fails all the same, at its line" "$out" "q_test.lua:2: attempt to perform arithmetic"
has "what several files of tests reach is one sum" "$out" \
  "# coverage of $here/p.lua, prune: 1 of 1 lines, 0 of 0 branches"
exits 0 "without the option" policy test p.lua
is "there is none" "$(grep -c coverage <<<"$out")" 0

# ---- several hooks in one table, the first with a list of its own ----
cat >two.lua <<'END'
return { name = "two", version = 1,
  redact = function(item) return nil end,
  checkpoint = function(at)
    return at.seq > 1 and { reason = "late" }
  end }
END
cat >two_test.lua <<'END'
local two = require "ck.test".policy "./two.lua"
return { test_late = function() two.checkpoint { seq = 2 } end }
END
exits 0 "two hooks in one table" policy test --coverage two.lua
is "each has its own lines" "$(sed -n '4,$p' <<<"$out")" \
  "# coverage of $here/two.lua, checkpoint: 1 of 1 lines, 1 of 2 branches
#   line 4: a condition was never false
# coverage of $here/two.lua, redact: 0 of 1 lines, 0 of 0 branches
#   line 2: not reached
# coverage of $here/two.lua, outside of hooks: 1 of 1 lines, 0 of 0 branches"

# ---- a hook that fails does so at the line of its file ----
cat >bad.lua <<'END'
return { name = "bad", version = 1,
  checkpoint = function(at)
    local none = nil

    return at.seq > 1 and none.field
  end }
END
cat >bad_test.lua <<'END'
local bad = require "ck.test".policy "./bad.lua"
return { test_bad = function() bad.checkpoint { seq = 2 } end }
END
"$CKRUN" policy test bad.lua >plain
"$CKRUN" policy test --coverage bad.lua | grep -v '^# coverage\|^#   line' >covered
ok "with the same words" cmp plain covered
has "which name it" "$(cat covered)" "bad.lua:5: attempt to index a nil value (local 'none')"

# ---- texts of every form answer the same ----
cat >forms.lua <<'END'
local policy = { name = "forms", version = 1, options = { ["deep"] = { x = 1 } } };
local a <const>, b = 7 // 2, ("x"):rep(3); (function(...) return select("#", ...) end)(1)
local object = { n = 1 }
function object:add(n, ...) self.n = self.n + n; return self, ... end
local function pair() return 1, 2 end
local function all(...) local list = { ..., pair() } return #list end
function policy.checkpoint(at, opt)
  local parts = { all(1, 2), all((pair())), a, b, #b, -a, ~a, a ~ 1, a << 2 | 1 & 3, 2 ^ 2 ^ 0.5,
    not a == false, a ~= 3 and "no" or "yes", nil and 1 or false, 1 or nil and 2,
    a > 1 == true and pair(), [[
 [=[ ]=] ]], [==[ ]] ]==], "a\z
       b\"c", 'd\'e', 0x1p4, 1e3, 3 .. "", at.since.events, opt.deep.x, object:add(2):add(3).n }
  local i, out = 0, {}
  while i < 5 and not (i == 4) do
    i = i + 1
    if i == 2 then goto continue elseif i == 3 then goto continue else out[#out + 1] = i end
    do local x <const> = i; out[#out + 1] = x end
    ::continue::
  end
  repeat local done = i <= 0 i = i - 1 until done or i < -9
  for k = 3, 1, -1 do if k == 2 then break end out[#out + 1] = k end
  for _, v in ipairs { 1, 2 } do out[#out + 1] = v % 2 == 0 and v or -v end
  local text = {}
  for n = 1, 25 do text[n] = tostring(parts[n]) end
  local f = function() if at.seq then return end return 1 end
  return table.concat(text, ",") .. ";" .. table.concat(out, ",") .. ";" .. select("#", f()) .. ";"
    .. tostring((pair())) .. select("#", pair())
end
return policy
END
cat >forms_test.lua <<'END'
local test = require "ck.test"
local forms = test.policy "./forms.lua"
return { test_all = function() error((forms.checkpoint { seq = 3 })) end }
END
answer() { "$CKRUN" policy test "$@" forms.lua | sed -n 3p; }
has "the text runs" "$(answer)" ";1,1,4,4,3,-1,2;0;12"
is "and answers the same with the probes" "$(answer --coverage)" "$(answer)"

# ---- so do the shipped policies ----
for file in "$root"/policies/*.lua; do
  name=$(basename "$file")
  cp "$file" "copy_$name"
  cat >"copy_${name%.lua}_test.lua" <<END
local p = require "ck.test".policy "./copy_$name"
local list = {}
for hook, there in pairs(p.has) do
  list["test_" .. hook] = function()
    local about = hook == "prune" and {} or nil
    if there then error(hook .. " " .. tostring((p[hook](about)))) end
  end
end
return list
END
done
"$CKRUN" policy test copy_*_test.lua >plain
"$CKRUN" policy test --coverage copy_*_test.lua >covered
grep -v '^# coverage\|^#   line' covered >answers
ok "shipped policies answer the same with the probes" cmp plain answers
ok "and each of their files is counted" test "$(grep -c '^# coverage' covered)" -ge \
  "$(ls copy_*_test.lua | wc -l)"
finish
