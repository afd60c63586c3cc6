#!/bin/bash
# servers.t - killed at any time, a session calls no MCP tool twice that is done once: its probe is asked, and
# without one it is in doubt.
. "$(dirname "$0")/../host/tap.sh"
server=$CKRUN_BUILD/tests/effect/mcp/tool_mcp_server
cd "$dir" || exit 1
cat >flow.lua <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { box = flow.mcp { argv = { "$server", "good", "$dir/counted" } } },
  run = function(ctx)
    for n = ctx.position and ctx.position.n or 1, 8 do
      ctx.effect { kind = "tool", class = "once", request = { server = "box", name = "count", arguments = { n = n } } }
      ctx.boundary("step_complete", { position = { path = "step#" .. n + 1, n = n + 1 } })
    end
    return "counted to 8"
  end,
}
EOF
echo 'return { name = "p", extends = "default", policies = { "every_boundary" } }' >profile.lua

# Killed by the server itself: when the tool has done its work, and before it does it. A probe tells which it was.
for way in count-and-kill kill-and-count; do
  cat >"$way.lua" <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { box = flow.mcp { argv = { "$server", "good", "$dir/$way" }, tools = { ["$way"] = { probe = "is-counted" } } } },
  run = function(ctx)
    return ctx.effect { kind = "tool", class = "reconcilable", request = { server = "box", name = "$way", arguments = { n = 7 } } }.result
  end,
}
EOF
  { "$CKRUN" run "$way.lua" --session "$way" >/dev/null 2>&1; code=$?; } 2>/dev/null
  is "$way: the program is killed in the midst of it" "$code" 137
  run resume "$way"
  is "$way: with a probe it is in no doubt" "$code" 0
  is "$way: the tool has worked once" "$(cat "$way")" 7
  has "$way: its result" "$out" "$([ "$way" = count-and-kill ] && echo 'it was counted' || echo 'counted')"
done

kills=0 doubts=0 rounds=12
for round in $(seq $rounds); do
  rm -f counted
  session=round-$round doubted=
  "$CKRUN" run flow.lua --profile ./profile.lua --session "$session" >/dev/null 2>&1 &
  running=$!
  for try in $(seq 40); do
    # A little later each time, in steps that are no multiple of anything.
    read -rt "0.0$((10 + (round * 7 + try * 13) % 37))" <> <(:) || :
    { kill -9 "$running" && kills=$((kills + 1)); wait "$running"; } 2>/dev/null
    run resume "$session"
    if [ "$code" = 75 ]; then
      key=$("$CKRUN" resolve "$session" 2>/dev/null | grep -o 'main/[^[:space:]]*' | head -1)
      doubted="$doubted $key" doubts=$((doubts + 1))
      run resolve "$session" "$key" done
      run resume "$session"
    fi
    [[ $err == *"is completed and cannot be resumed"* ]] && code=0
    [ "$code" = 0 ] && break
    [ "$code" = 3 ] && { run run flow.lua --profile ./profile.lua --session "$session"; break; }
    "$CKRUN" resume "$session" >/dev/null 2>&1 &
    running=$!
  done
  is "round $round: it comes to its end" "$code" 0
  is "round $round: nothing is counted twice" "$(sort counted | uniq -d | wc -l)" 0
  missing=$((8 - $(wc -l <counted)))
  ok "round $round: what is missing was in doubt" test "$missing" -le "$(wc -w <<<"$doubted")"
done
echo "# $kills kills, $doubts in doubt" >&2
ok "there were kills" test "$kills" -gt 0
finish
