#!/bin/bash
# check.t - policy check finds what would go wrong live, tells it by file and line, and finds
# nothing in what is sound.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

for file in "$root"/policies/*.lua; do
  exits 0 "shipped $(basename "$file")" policy check "$(basename "$file" .lua)"
  ok "$(basename "$file") has a hook" grep -q '^hook' <<<"$out"
done

# problem NAME LINE TEXT: standard input is a policy; exactly one problem is found there, and the
# exit code is 1.
problem() {
  cat >"$dir/p.lua"
  exits 1 "$1" policy check p.lua
  has "$1: is told at line $2" "$(grep '^problem' <<<"$out")" "/p.lua:$2: "
  has "$1: in words" "$(grep "/p.lua:$2: " <<<"$out")" "$3"
  is "$1: nothing else is" "$(grep -c '^problem' <<<"$out")" "${4:-1}"
}
problem "a name that is not there, never reached" 3 "the sandbox has no 'os'" <<'EOF2'
return { name = "p", version = 1,
  checkpoint = function(at)
    if at.scope == "never" then return os.time() end
  end }
EOF2
problem "a function that is not there" 2 "the sandbox has no 'string.gsub'" <<'EOF2'
return { name = "p", version = 1, checkpoint = function(at)
  return at.depth > 99 and string.gsub(at.kind, "a", "b") end }
EOF2
problem "a forgotten return" 3 "what ck.ask gives is thrown away" <<'EOF2'
return { name = "p", version = 1,
  permit = function(effect)
    if effect.class == "once" then ck.ask "Sure?" end
  end }
EOF2
problem "a mask that is not taken" 2 "what ck.mask gives is thrown away" <<'EOF2'
return { name = "p", version = 1, redact = function(item)
  ck.mask(item.value, "x+")
  local kept = ck.mask(item.value, "y+")
  local ck = { ask = function() end }
  ck.ask "mine"
  return kept end }
EOF2
problem "a global" 2 "'count' is a global" <<'EOF2'
return { name = "p", version = 1, checkpoint = function(at)
  if at.depth > 99 then count = 1 end end }
EOF2
problem "a global function" 1 "'helper' is a global" <<'EOF2'
function helper() end
return { name = "p", version = 1 }
EOF2
problem "a local of the file that a hook sets" 3 "'last' belongs to the file" <<'EOF2'
local last
local policy = { name = "p", version = 1, checkpoint = function(at)
  last = at.seq
end }
return policy
EOF2
problem "a table of the file that a hook fills" 3 "'cache' belongs to the file" <<'EOF2'
local cache = {}
return { name = "p", version = 1, checkpoint = function(at)
  cache[at.kind] = true
end }
EOF2
problem "by a library function" 3 "'list' belongs to the file" <<'EOF2'
local list = {}
return { name = "p", version = 1, tail = function(event)
  table.insert(list, event.seq)
end }
EOF2
problem "state that only shows in the answers" 4 "answers differently when it was called before" \
  <<'EOF2'
local box = { n = 0 }
local function bump(t) t.n = t.n + 1 return t.n end
return { name = "p", version = 1,
  checkpoint = function() return bump(box) > 3 and "later" or nil end }
EOF2
problem "a value that may be nil" 2 "concatenate a nil value" <<'EOF2'
return { name = "p", version = 1, checkpoint = function(at)
  return "before " .. at.next.tool
end }
EOF2
problem "a word that a field never is, never reached" 3 \
  "'at.kind' is never 'tool_rond': it is node_start" <<'EOF2'
local policy = { name = "p", version = 1 }
function policy.checkpoint(at)
  if at.scope == "never" and at.kind == "tool_rond" then return "a" end
end
return policy
EOF2
problem "on the other side of the comparison" 2 "'effect.class' is never 'twice'" <<'EOF2'
return { name = "p", version = 1, in_doubt = function(effect)
  if 'twice' ~= effect.class then return "stop" end
end }
EOF2
problem "of an inner view, in a hook that is assigned" 3 "'at.next.class' is never 'onc'" <<'EOF2'
local policy = { name = "p", version = 1 }
policy.checkpoint = function(at)
  return at.next.class == "onc"
end
return policy;
EOF2
problem "of the second parameter" 2 "'checkpoint.kind' is never 'nix'" <<'EOF2'
local policy = { name = "p", version = 1, resume = function(_session, checkpoint)
  if checkpoint and checkpoint.kind == "nix" then return { time = "reset" } end
end }
return policy
EOF2
problem "a field that the view of a second hook in the table lacks, never reached" 3 \
  "'at' has no field 'knid'" <<'EOF2'
return { name = "p", version = 1, redact = function(item) return nil end,
  checkpoint = function(at)
    return at.scope == "never" and at.knid == "final"
  end }
EOF2
problem "an option that there is not" 3 "'opt' has no field 'kyes': it has keys, max" <<'EOF2'
return { name = "p", version = 1, options = { keys = { "a" }, max = 3 },
  redact = function(item, opt)
    for _, key in ipairs(opt.kyes or {}) do if key == item.key then return ck.mask end end
  end,
  resume = function(session, checkpoint, own) return own.max == own["max"] and nil end }
EOF2
problem "a field that a view lacks, never reached" 3 "'at.since' has no field 'costs': it has" \
  <<'EOF2'
return { name = "p", version = 1, checkpoint = function(at)
  if at.scope == "never" then
    return at.since.costs > 1
  end
end }
EOF2
problem "an option that there is not, in the check of the options" 2 \
  "'opt' has no field 'cuont': it has count" <<'EOF2'
return { name = "p", version = 1, options = { count = 3 },
  check = function(opt) if opt.cuont == 0 then return "count: from 1" end end,
  checkpoint = function(at, opt) return at.since.boundaries >= opt.count end }
EOF2

# ---- a mistake is told once ----
problem "a field that is not there, and is reached" 2 "'at' has no field 'knd'" <<'EOF2'
return { name = "p", version = 1, checkpoint = function(at)
  return at.knd == "final" end }
EOF2
problem "a name that is not there, and is reached" 2 "the sandbox has no 'os'" <<'EOF2'
return { name = "p", version = 1, checkpoint = function(at)
  return os.time() > at.now end }
EOF2
problem "state that shows in the text and in the answers" 3 "'seen' belongs to the file" <<'EOF2'
local seen = 0
return { name = "p", version = 1, checkpoint = function()
  seen = seen + 1
  return seen % 10 == 0
end }
EOF2
problem "a mistake of a helper that two hooks call" 1 "has no field 'bar'" <<'EOF2'
local function bar(of) return of.bar end
return { name = "p", version = 1,
  permit = function(effect) return bar(effect) end,
  in_doubt = function(effect) return bar(effect) end }
EOF2
problem "two mistakes in one line, of which the text shows one" 2 "'at' has no field 'knd'" 2 \
  <<'EOF2'
return { name = "p", version = 1, checkpoint = function(at)
  return #at.node == 7 or at.knd == "final" end }
EOF2
has "and a call the other" "$out" "/p.lua:2: attempt to get length of a nil value (field 'node')"
printf '%s\n' '' 'return { foo = function(at) return at.foo end }' >part.lua
cat >p.lua <<'EOF2'
local part = require "./part"
return { name = "p", version = 1, checkpoint = function(at) return part.foo(at) end }
EOF2
exits 1 "a mistake of a file that is required" policy check p.lua
is "is told at its place there" "$(grep '^problem' <<<"$out")" \
  "problem	$(realpath part.lua):2: at has no field 'foo'"

cat >sound.lua <<'EOF2'
local list = { tail = function(of) return of.first end }
function list.resume(other) return other.kind == "mine" end
local policy = { name = "p", version = 1, options = { prune = { kind = "x" } } }
function policy.checkpoint(at, opt)
  local inner = function(at) return at.knd == 1 end
  for _, at in ipairs { { kind = "y" } } do
    if at.kind == "y" then inner(at) end
  end
  if list.tail { first = 1 } == 2 or list.resume(opt) then return "a" end
  if "x" .. "y" == at.kind then return "b" end
  return at.kind == "tool_" .. "round" or at.kind == opt.prune.kind
end
function policy.migrate(document) return document.kind == "x" and document or nil end
return policy
EOF2
exits 0 "functions of other tables, other names, other values are left alone" policy check sound.lua
# Which of its limits stops it depends on the machine, and may be another one the next time.
cat >p.lua <<'EOF2'
return { name = "p", version = 1, prune = function()
  while true do end
end }
EOF2
limit="(the budget of 1000000 instructions is spent|ran longer than [0-9]+ ms)"
exits 1 "a loop without end" policy check p.lua
ok "a loop without end: is told at line 2, in words" grep -qE "^problem.*/p\.lua:2: $limit" \
  <<<"$out"
is "a loop without end: nothing else is" "$(grep '^problem' <<<"$out" | grep -cvE "$limit")" 0
problem "an answer of the wrong type" 1 \
  "the answer: nil, true, a reason or a table expected, got a number" <<'EOF2'
return { name = "p", version = 1, checkpoint = function() return 7 end }
EOF2
problem "a typo in a hook's name" 1 "did you mean 'checkpoint'" <<'EOF2'
return { name = "p", version = 1, chekpoint = function() end }
EOF2
problem "no table" 1 "a policy returns a table" <<'EOF2'
return 5
EOF2
problem "text that does not compile" 2 "expected" <<'EOF2'
return { name = "p",
EOF2
problem "an error on loading" 2 "on purpose" <<'EOF2'
local policy = {}
error("on purpose")
EOF2
printf '\033Lua' >p.lua
exits 1 "a compiled chunk" policy check p.lua
has "is refused as such" "$out" "only Lua source is accepted"

# Every construct of the language, with names that a careless reader would take for globals, and
# nothing wrong.
cat >fine.lua <<'EOF2'
#!/usr/bin/env lua
--[==[ os.exit() ]] ]==] -- io.read()
local policy <const> = { name = "fine", version = 1,
  options = { ["end"] = 1, os = 2, list = { 1, 2; 3 } } }
local a, b, c = 1, "os.time() \" ]]", [[ io.open
  debug ]]
local deep = { os = { time = function(self, ...) return self, select("#", ...), ... end },
  [1] = 0x1p4, [2] = 3e-2, 'x' }
deep.os.clock, deep.n = function() return 1 // 2 end, ~5 & 3 | 2 ~ 1 << 2 >> 1
function deep.os.date(format) return format end
function deep.os:get() return self.time end
local function recurse(n) if n <= 0 then return 0 else return recurse(n - 1) end end
local size = #"text" + -a ^ 2 .. "x" == "y" and not b or nil
local later
later = c
goto done
::done::
do local io = {} io.write = 1 end
while false do break end
repeat local until_here = true until until_here
for i = 1, 3, 1 do deep[i] = i end
for os, time in pairs(deep.list or {}) do deep[os] = time end
local text = ("%s"):format "x" .. string.rep("a", 2) .. tostring { } .. #{ f = function() end }
function policy.checkpoint(at, opt)
  local count, list = 0, {}
  for _, value in ipairs(opt.list) do count = count + value list[#list + 1] = value end
  list.os, count = { time = count }, count + 1
  table.insert(list, count); table.sort(list, function(x, y) return tostring(x) < tostring(y) end)
  local memo = setmetatable and 1
  if at.kind:find("tool", 1, true) then return recurse(2) == 0 and "yes" or nil
  elseif at.since.ms > 5 then return { reason = "r", durability = "sync" } end
  return (function(...) return ... end)(count > 99)
end
return policy, size, text, later, math.pi
EOF2
exits 1 "every construct" policy check fine.lua
is "only what is wrong on purpose is told" \
  "$(grep -c '^problem' <<<"$out") $(grep -c "the sandbox has no 'setmetatable'" <<<"$out")" "1 1"
sed -i '/setmetatable/d' fine.lua
exits 0 "every construct, without it" policy check fine.lua
is "options are shown" "$(cell "$out" "option os")" 2
has "so is what a list holds" "$out" "option list	[1,2,3]"
exits 0 "policy check --json" --json policy check fine.lua
is "one object with the same" "$(json "$out" \
  '$d->{name} . scalar(@{$d->{problems}}) . $d->{hooks}[0]{hook} . $d->{options}{os}')" \
  "fine0checkpoint2"
exits 1 "a problem with --json" --json policy check p.lua
is "is in the object" "$(json "$out" 'scalar @{$d->{problems}}')" 1

refused 3 "a policy that is not shipped" "searched policies/evry_n.lua (did you mean 'every_n'?)" \
  policy check evry_n
refused 3 "a file that is not there" "nowhere.lua" policy check ./nowhere.lua
cp fine.lua open.lua && chmod 666 open.lua
refused 5 "a file that others may write" "open.lua" policy check open.lua
refused 2 "no file" "FILE is missing" policy check

# The reader of text is not brought down by size or depth.
{ echo "local t = {}"; for i in $(seq 5000); do echo \
  "t[$i] = function(x) return x and { $i, \"$i\" } end"; done; echo \
  'return { name = "p", version = 1 }'; } >big.lua
exits 0 "a file of 5,000 functions" policy check big.lua
{ printf 'local x = '; for i in $(seq 150); do printf '('; done; printf 1; for i in $(seq 150); \
  do printf ')'; done; echo; echo 'return { name = "p", version = 1 }'; } >deep.lua
exits 0 "150 nested parentheses" policy check deep.lua

# ---- what is there under some profiles alone ----
cat >text.lua <<'EOF2'
local function last(at)
  local message = at.message or {}
  return message
end
return { name = "text", version = 1, checkpoint = function(at)
  local message = at.message
  if at.message and at.message.text then return "a" end
  if message and ck.find(message.text or "", "x") then return "b" end
  return last(at) and at.message and at.message.length == 3
end, tail = function(event) return event.seq > 1 end }
EOF2
exits 0 "a text that only some profiles show is no mistake by itself" policy check text.lua
is "but noted, at each place" "$(
  grep '^note' <<<"$out" | sed -E "s/^.*text\.lua:([0-9]+): '?([a-z.]+).*/\1 \2/")" \
  $'7 at.message.text\n8 at.message.text\n10 tail'
exits 0 "the same as JSON" --json policy check text.lua
is "with the setting that it needs" \
  "$(json "$out" 'join " ", map { $_->{needs} } @{$d->{notes}}')" \
  "message_text message_text resume_context"
sed 's/message.length/message.lenght/' text.lua >typo.lua
exits 1 "a field that a message has not" policy check typo.lua
has "is told" "$out" "'at.message' has no field 'lenght': it has calls, length, role, text"
echo 'return { name = "mute", extends = "default", policies = { "./text.lua" } }' >mute.lua
echo 'return { name = "open", extends = "default", policies = { "./text.lua" }, message_text = true,
  resume_context = "tail" }' >opened.lua
exits 1 "a profile that does not show it" profile check ./mute.lua
is "is told where it is read" \
  "$(grep -c "text.lua:[78]: 'at.message.text' is nil unless" <<<"$err")" 2
exits 0 "one that does" profile check ./opened.lua
is "and resumes with tails has nothing to note" "$(grep -c '' <<<"$err")" 1
sed -i 's/"\.\/text.lua"/"tail_involved"/' mute.lua
exits 0 "a profile whose agents resume without their tails" profile check ./mute.lua
has "is told of whom tail is asked" "$err" 'mute: tail is asked of agents that are processes'
exits 0 "as JSON" --json profile check ./mute.lua
is "among its notes" "$(json "$out" 'scalar @{$d->{notes}}')" 1
finish
