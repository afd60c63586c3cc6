# shortage.sh - sourced: a flow of once tools that is run or resumed under a limit of the process,
# and the only ways in which that may end.

cat >flow.lua <<'EOF_FLOW'
local flow = require "ck.flow"

local function mark(ctx)
  local got = ctx.effect {
    kind = "tool", class = "once", request = { name = "mark", arguments = {} },
  }
  if got.status ~= "ok" then error(got.error, 0) end
end

local kept = {}
local use = {
  nothing = function() end,
  list = function(_, i) for n = 1, 70000 do kept[i * 70000 + n] = { n } end end,
  caught = function(_, i)
    local ok, why = pcall(function()
      for n = 1, 150 do kept[i * 150 + n] = ("x"):rep(50000) .. n end
    end)
    if not ok then error("caught: " .. tostring(why), 0) end
  end,
  state = function(ctx, i) ctx.memory["k" .. i] = ("y"):rep(400000) end,
  text = function(_, i) kept[i] = ("z"):rep(1000000) end,
}

local function in_turn(ctx, how)
  for i = ctx.position and ctx.position.i or 1, 8 do
    mark(ctx)
    use[how](ctx, i)
    if i % 3 == 0 then
      ctx.boundary("step_complete", { position = { path = "b" .. i, i = i + 1 } })
    end
  end
  return 8
end

return flow.custom {
  name = "marks",
  tools = { mark = { class = "once", argv = { "sh", "-c", "echo $CKRUN_EFFECT_KEY >>marks" } } },
  run = function(ctx)
    local input = ctx.input or {}
    if ctx.task and input.child then return in_turn(ctx, input.use) end
    if ctx.task then return mark(ctx) end
    if input.use and not input.child then return in_turn(ctx, input.use) end
    local forks, names = {}, {}
    for i = 1, input.child and 1 or 8 do
      names[i] = "c" .. i
      forks[i] = { scope = names[i], task = i }
    end
    ctx.fork(forks)
    -- A parent that goes on without what its child was to do.
    local failed = 0
    for _, ended in pairs(ctx.join(names)) do if ended.error then failed = failed + 1 end end
    return { failed = failed }
  end,
}
EOF_FLOW

export CKRUN_COUNTERS=$PWD/counters
as=() # the command that runs ckrun as somebody else

# limited LIMIT VALUE ARGS…: ckrun under that limit.
limited() {
  (ulimit "$1" "$2" && exec "${as[@]}" "$CKRUN" --store s.db "${@:3}") \
    >out 2>err 3>&- 4>&- </dev/null
  code=$?
}

# runs LIMIT VALUE ARGS…: a new session under that limit.
runs() {
  rm -rf s.db* marks counters
  limited "$1" "$2" run flow.lua --session s "${@:3}"
}

# begin_half: a session that is paused with some of its tools run.
begin_half() {
  rm -rf s.db* marks counters
  limited -n "${half:-34}" run flow.lua --session s
  cp -r s.db half.db && cp marks half.marks
}

# resumes LIMIT VALUE: that session goes on under a limit.
resumes() {
  rm -rf s.db* marks counters
  cp -r half.db s.db && cp half.marks marks
  limited "$1" "$2" resume s
}

status() { "$CKRUN" --store s.db sessions show s 2>/dev/null | sed -n 's/^status\t//p'; }

# goes_on WHAT: completed, paused, or not begun with an error that names a remedy; where not even a
# pause could be written, as a crash leaves it, and told so. A resume without the limit completes
# it, and each tool ran once.
goes_on() {
  local is
  is=$(status)
  case $code:$is in
    0:completed) ;;
    127:* | *:paused | *:) ;;
    1:running) grep -q "no memory is left" err || { echo "# $1: $(tail -n 1 err)"; return 1; } ;;
    *) echo "# $1: exit $code, ${is:-no session}: $(tail -n 1 err)"; return 1 ;;
  esac
  [ "$code" = 0 ] || [ "$code" = 127 ] || grep -q "ulimit" err ||
    { echo "# $1: no remedy: $(tail -n 1 err)"; return 1; }
  [ -n "$is" ] || return 0
  [ "$is" = completed ] || "$CKRUN" --store s.db resume s >out 2>again ||
    { echo "# $1: a resume: $(tail -n 1 again)"; return 1; }
  [ "$(sort -u marks | wc -l) $(wc -l <marks)" = "8 8" ] || {
    echo "# $1: $(wc -l <marks) tools ran, of 8"
    return 1
  }
  "$CKRUN" --store s.db sessions log s --json | grep -q '"failed":[1-9]' || return 0
  echo "# $1: a scope failed"
  return 1
}
