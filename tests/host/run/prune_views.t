#!/bin/bash
# prune_views.t - what policies see of a checkpoint when they prune, and of that of a resume: who
# took it and why, the tool behind it, its age; a simulation prunes by the same.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'END2'
local flow = require "ck.flow"
return flow.agent { name = "ann", tools = { send = "once", look = "pure" },
  user = flow.ask {}, stop = function(text) return ck.find(text, "^Bye") ~= nil end }
END2
call() {
  printf '{"scope":"main","kind":"model","message":%s%s}}\n' '{"role":"assistant","content":null,' \
    "\"tool_calls\":[{\"id\":\"c$2\",\"type\":\"function\",\"function\":{\"name\":\"$1\",\
\"arguments\":\"{\\\"n\\\":$2}\"}}]"
  printf '{"scope":"main","kind":"tool","index":0,"name":"%s","arguments":"%s","result":1}\n' \
    "$1" "{\\\"n\\\":$2}"
}
{
  printf '%s\n' '{"cassette":1}' '{"scope":"main","kind":"ask","answer":"Go."}'
  call look 1
  call send 2
  call look 3
  echo '{"scope":"main","kind":"model","message":{"role":"assistant","content":"Bye."}}'
} >answers.jsonl
# Two say yes at a round, one without a reason; the rest is before_effect's.
cat >why.lua <<'END2'
return { name = "why", version = 1, checkpoint = function(at)
  if at.kind == "tool_round" then return "round of " .. at.agent end
end }
END2
cat >mute.lua <<'END2'
return { name = "mute", version = 1, checkpoint = function(at) return at.kind == "tool_round" end }
END2
cat >look.lua <<'END2'
local function tell(what, c)
  print(("SEEN %s %d|%s|%s|%s|%s|%d"):format(what, c.seq, table.concat(c.policies, ","),
    table.concat(c.reasons, ","), tostring(c.tool), tostring(c.agent), c.age_ms + c.created))
end
return { name = "look", version = 1, options = { drop = "", tool = "" },
  prune = function(history, opt)
    local plan = { drop = {}, keep = {} }
    for _, c in ipairs(history) do
      tell("prune " .. history.now, c)
      local goes = c.tool == opt.tool
      for _, name in ipairs(c.policies) do goes = goes or name == opt.drop end
      if goes then plan.drop[#plan.drop + 1] = c.id end
    end
    return plan
  end,
  resume = function(session, checkpoint) tell("resume " .. session.now, checkpoint) end }
END2
cat >p.lua <<'END2'
return { name = "p", extends = "default", policies = {
  "before_effect", "./mute.lua", "./why.lua", "./look.lua" } }
END2
begin() {
  exits 0 "$1: a session" run flow.lua --profile ./p.lua --cassette answers.jsonl --session "$@"
}
begin s
seen=$(sed -n 's/^.*SEEN prune [0-9]* //p' <<<"$err" | cut -d'|' -f1-5)
# The same from what is stored.
want=$("$CKRUN" --json sessions log s --all --kind boundary | perl -MJSON::PP -ne '
  my $e = JSON::PP->new->decode($_); my $b = $e->{body}; next unless $b->{checkpoint};
  my @r = @{$b->{reasons} // []};
  print join("|", $e->{seq}, join(",", map { $_->{policy} } @r),
    join(",", grep { defined } map { $_->{reason} } @r), $b->{next}{tool} // "nil",
    $last = $e->{agent} // $last), "\n"') # the end is where the flow was last
is "each checkpoint has its policies, reasons, tool and agent" "$seen" "$want"
is "of a round two have taken it, one with a reason" \
  "$(grep -c '|mute,why|round of ann|nil|ann$' <<<"$seen")" 3
is "before a call the tool is there" "$(grep -c '|before_effect|.*|send|ann$' <<<"$seen")" 1
is "of the last one nobody said anything" "$(tail -n 1 <<<"$seen" | cut -d'|' -f2-4)" "||nil"
is "their ages end now" "$(sed -n 's/^.*SEEN //p' <<<"$err" |
  awk -F'[ |]' '$1 == "prune" && $2 != $NF' | grep -c '')" 0
exits 0 "the list for programs" --json sessions checkpoints s
is "has the tool" "$(grep -c '"tool":"send"' <<<"$out")" 1

# ---- at a resume ----
cat >stop.lua <<'END2'
local flow = require "ck.flow"
return flow.graph { start = "one", nodes = {
  one = flow.lua(function(ctx) ctx.pause("wait") end) },
  edges = { one = flow.done } }
END2
exits 8 "a session that pauses" run stop.lua --profile ./p.lua --session r
exits 0 "its resume" resume r
seen=$(sed -n 's/^.*SEEN resume //p' <<<"$err" | head -1)
is "sees the checkpoint likewise" "$(cut -d'|' -f2-5 <<<"$seen")" "||nil|nil"
is "with its age" "${seen%% *}" "${seen##*|}"

# ---- a simulation prunes as the session did ----
# kept SESSION: how many checkpoints are left.
kept() { "$CKRUN" sessions checkpoints "$1" | grep -c ''; }
for option in look.drop=why look.tool=send look.drop=before_effect; do
  begin "${option#*=}" --option $option
  name=${option#look.}
  sed "s/\"\.\/look.lua\"/{ \".\/look.lua\", ${name%=*} = \"${name#*=}\" }/" p.lua >q.lua
  exits 0 "$option: simulated" policy simulate --profile ./q.lua s
  is "$option: as many are kept" "$(cell "$out" "checkpoints kept")" "$(kept "${option#*=}")"
  is "$option: not all" "$(($(kept s) > $(kept "${option#*=}")))" 1
done
finish
