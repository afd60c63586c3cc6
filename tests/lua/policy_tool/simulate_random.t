#!/bin/bash
# simulate_random.t - under random profiles a simulation repeats every recorded decision of sessions
# that ran, that were killed and resumed, that paused and were resumed. RANDOM_PROFILES=N profiles
# from number RANDOM_FIRST on; the campaign takes 200.
. "$(dirname "$0")/../../host/tap.sh"
. "$root/tests/host/kills.sh"
cd "$dir" || exit 1
export CKRUN
tools="$root/tests/lua/policy_tool"

cat >spy.lua <<'END'
return { name = "spy", version = 1, options = { share = 0.3, events = 9 },
  checkpoint = function(at, opt)
    local since = at.since
    if at.random < opt.share then return "chance " .. at.random end
    if at.now % 11 == 0 then return { reason = "the hour " .. at.now, durability = "sync" } end
    if since.events > opt.events then
      return ("%d events, %d ms, %.6f dollars, %d tokens, %d calls, %d keys, %d bytes, %d rounds")
        :format(since.events, since.ms, since.cost_usd, since.tokens, since.tool_calls,
          since.changed_keys, since.changed_bytes, since.iterations)
    end
    if at.budget.left < 1 and at.is_clean then return "left " .. at.budget.left end
  end }
END
cat >pausing.lua <<'END'
local flow = require "ck.flow"
local function work(next_key)
  return function(ctx)
    for i = 1, 3 do ctx.memory[next_key .. i] = (ctx.memory[next_key .. i] or "") .. i end
    if next_key == "b" and not ctx.memory.go then ctx.pause("go?") end
  end
end
return flow.graph { name = "pausing", start = "a",
  nodes = { a = flow.lua(work "a"), b = flow.lua(work "b"), c = flow.lua(work "c") },
  edges = { a = "b", b = "c", c = flow.done } }
END

# same WHAT SESSION PROFILE BOUNDARIES: no decision differs, of more boundaries than these.
same() {
  local told count
  told=$(perl "$tools/decisions.pl" "$2" --profile "$3")
  count=${told##*0 of }
  if [[ $told == "0 of "* ]] && [ "${count%% *}" -gt "$4" ]; then
    ok "$1: ${count%% *} decisions under $3 are those that were recorded" true
  else
    is "$1 under $3: $(cat "$3")" "$told" "0 of more than $4 differ"
  fi
}

killable=0
can_kill && killable=1
[ $killable = 1 ] || skip "no compiler for the library that kills: no session is killed"
first=${RANDOM_FIRST:-1}
for ((i = first; i < first + ${RANDOM_PROFILES:-6}; i++)); do
  profile=random_$i.lua
  perl "$tools/random_profile.pl" $i >"$profile"
  case $((i % 3)) in
    0)
      exits 0 "$i: a run" run "$flow" --cassette "$cassette" --session "s$i" --profile "$profile"
      same "a run" "s$i" "$profile" 10
      ;;
    1)
      exits 8 "$i: a run that pauses" run pausing.lua --session "s$i" --profile "$profile"
      exits 0 "$i: and is resumed" resume "s$i" --set memory.go=true
      same "paused and resumed" "s$i" "$profile" 4
      ;;
    2)
      [ $killable = 1 ] || continue
      die_midway $((2 + i % 7)) 10 "s$i" run "$flow" --cassette "$cassette" --session "s$i" \
        --profile "$profile"
      is "$i: a run that is killed" "$code" 137
      exits 0 "$i: and is resumed" resume "s$i"
      same "killed and resumed" "s$i" "$profile" 10
      ;;
  esac
done
finish
