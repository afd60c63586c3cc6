#!/bin/bash
# servers.t - killed at any time, a session calls no MCP tool of class once twice: its probe is
# called, and without a probe the call is in doubt.
. "$(dirname "$0")/../host/tap.sh"
server=$CKRUN_BUILD/tests/effect/mcp/tool_mcp_server
. "$root/tests/host/kills.sh"
cd "$dir" || exit 1
mkdir store
cat >flow.lua <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { box = flow.mcp { argv = { "$server", "good", "$dir/store/counted" } } },
  run = function(ctx)
    for n = ctx.position and ctx.position.n or 1, 8 do
      ctx.effect {
        kind = "tool", class = "once",
        request = { server = "box", name = "count", arguments = { n = n } },
      }
      ctx.boundary("step_complete", { position = { path = "step#" .. n + 1, n = n + 1 } })
    end
    return "counted to 8"
  end,
}
EOF
echo 'return { name = "p", extends = "default", policies = { "every_boundary" } }' >profile.lua

# Killed by the server itself: after the tool's work, and before it. A probe tells which it was.
for way in count-and-kill kill-and-count; do
  cat >"$way.lua" <<EOF
local flow = require "ck.flow"
return flow.custom {
  processes = { box = flow.mcp {
    argv = { "$server", "good", "$dir/$way" }, tools = { ["$way"] = { probe = "is-counted" } },
  } },
  run = function(ctx)
    return ctx.effect {
      kind = "tool", class = "reconcilable",
      request = { server = "box", name = "$way", arguments = { n = 7 } },
    }.result
  end,
}
EOF
  { "$CKRUN" run "$way.lua" --session "$way" >/dev/null 2>&1; code=$?; } 2>/dev/null
  is "$way: the program is killed in the midst of it" "$code" 137
  run resume "$way"
  is "$way: with a probe it is in no doubt" "$code" 0
  is "$way: the tool has worked once" "$(cat "$way")" 7
  has "$way: its result" "$out" "$([ "$way" = count-and-kill ] && echo 'it was counted' ||
    echo 'counted')"
done

# Every other time at one of its calls, which is sure to come; else when it comes, also before the
# session is there and behind its end.
doubts=0 rounds=12 kills=
can_kill && kills=yes
for round in $(seq $rounds); do
  : >store/counted
  session=round-$round doubted=
  if [ -n "$kills" ] && [ $((round % 2)) = 0 ]; then
    die_midway "$((round / 2 + 2))" 10 "$session" run flow.lua --profile ./profile.lua --session \
      "$session"
    is "round $round: it is killed in the midst of it" "$code" 137
  else
    "$CKRUN" run flow.lua --profile ./profile.lua --session "$session" >/dev/null 2>&1 &
    running=$!
    # A little later each time, in steps that are no multiple of anything.
    read -rt "0.0$((10 + round * 7 % 37))" <> <(:) || :
    { kill -9 "$running"; wait "$running"; } 2>/dev/null
  fi
  for _ in $(seq 40); do
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
  done
  is "round $round: it comes to its end" "$code" 0
  is "round $round: nothing is counted twice" "$(sort store/counted | uniq -d | wc -l)" 0
  missing=$((8 - $(wc -l <store/counted)))
  ok "round $round: what is missing was in doubt" test "$missing" -le "$(wc -w <<<"$doubted")"
done
echo "# $doubts in doubt" >&2
finish
