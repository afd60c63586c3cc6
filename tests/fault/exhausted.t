#!/bin/bash
# exhausted.t - a session for which descriptors run out pauses; with more of them it goes on, and
# nothing is done twice.
. "$(dirname "$0")/../host/tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'EOF_FLOW'
local flow = require "ck.flow"
return flow.custom {
  name = "marks",
  tools = { mark = { class = "once", argv = { "sh", "-c", "echo $CKRUN_EFFECT_KEY >>marks" } } },
  run = function(ctx)
    if ctx.task then
      local got = ctx.effect {
        kind = "tool", class = "once", request = { name = "mark", arguments = {} },
      }
      if got.status ~= "ok" then error(got.error, 0) end
      return 1
    end
    local forks, names = {}, {}
    for i = 1, 8 do names[i] = "c" .. i forks[i] = { scope = names[i], task = i } end
    ctx.fork(forks)
    for _, ended in pairs(ctx.join(names)) do if ended.error then error(ended.error, 0) end end
    return #names
  end,
}
EOF_FLOW

# limited COUNT: a run that may open so many files.
limited() {
  rm -rf s.db* marks
  (ulimit -n "$1" && exec "$CKRUN" --store s.db run flow.lua --session s) >out 2>err 3>&- 4>&-
  code=$?
}
# One that had begun its session: it is not failed, and goes on.
goes_on() {
  case $code in
    0) return 0 ;;
    1 | 8 | 74) ;;
    *) echo "# with $1: exit $code: $(tail -n 1 err)"; return 1 ;;
  esac
  "$CKRUN" --store s.db sessions show s >shown 2>/dev/null || return 0
  grep -q $'^status\tfailed' shown && { echo "# with $1: failed: $(tail -n 1 err)"; return 1; }
  "$CKRUN" --store s.db resume s >out 2>err || { echo "# with $1: $(tail -n 1 err)"; return 1; }
  [ "$(sort -u marks | wc -l) $(wc -l <marks)" = "8 8" ] && return
  echo "# with $1: $(wc -l <marks) tools ran, of 8"
  return 1
}

bad= paused=
for count in $(seq 6 2 60); do
  limited "$count"
  [ "$code" = 8 ] && grep -q 'is paused' err && paused=$(tail -n 1 err)
  goes_on "$count" || bad="$bad $count"
done
is "with any number of descriptors a session ends well or can go on" "$bad" ""
ok "some of them pause it" test -n "$paused"
has "and it says what to do" "$paused" "raise the limit ('ulimit -n')"
finish
