#!/bin/bash
# given_options.t - policies are tried with the options that hold: profile check with those of each
# entry of a list, of agents, too; policy check, bench and eval with those of --profile, of an
# agent's list, and of --option; profile show tells both where both count.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
echo 'local flow = require "ck.flow" return flow.lua(function() return 1 end)' >flow.lua

# Each hook fails under mode = "bad" alone.
for hook in checkpoint prune redact resume tail on_failure in_doubt permit; do
  opt="_, opt"
  case $hook in checkpoint | prune | redact | in_doubt) opt="opt" ;; esac
  cat >"$hook.lua" <<END
return { name = "$hook", version = 1, options = { mode = "fine", n = 1 },
  $hook = function(_, $opt)
    if opt.mode == "bad" then error("mode " .. opt.mode) end
  end }
END
  echo "return { name = 'p', policies = { { './$hook.lua', mode = 'bad' } } }" >p.lua
  exits 1 "profile check: $hook fails under the profile's options" profile check ./p.lua
  has "it is told with its place and these options" "$err" \
    "$hook.lua:3: mode bad (with options {\"mode\":\"bad\"})"
  echo "return { name = 'p', policies = { { './$hook.lua', n = 2 } } }" >p.lua
  exits 0 "under others it does not" profile check ./p.lua
done
sed 's/"fine"/"bad"/' permit.lua >mended.lua
echo "return { name = 'p', policies = { { './mended.lua', mode = 'good' } } }" >p.lua
exits 0 "nor where only the file's default is wrong" profile check ./p.lua

# ---- agents ----
cat >p.lua <<'END'
return { name = "p", policies = { { "./permit.lua", mode = "good" } },
  agents = { ann = { policies = { { "./permit.lua", mode = "bad" } } },
    bob = { policies = { { "./permit.lua", n = 3 } } } } }
END
exits 1 "an agent's own options fail" profile check ./p.lua
has "are told" "$err" 'permit.lua:3: mode bad (with options {"mode":"bad"}, of agent ann)'
is "once, and of nobody else" "$(grep -c 'mode bad' <<<"$err")" 1

# ---- a shipped policy under options of the profile ----
echo "return { name = 'p', policies = { { 'every_n', n = 7 }, { 'smart', usd = 1 } } }" >p2.lua
exits 0 "a shipped policy with options" profile check ./p2.lua

# ---- policy check ----
exits 0 "policy check: the defaults" policy check ./permit.lua
exits 1 "--option" policy check ./permit.lua --option mode=bad
has "is what hooks are called with" "$out" "permit.lua:3: mode bad"
is "and shown" "$(cell "$out" "option mode")" bad
exits 0 "behind the policy's name, as runs have it" policy check ./permit.lua --option permit.n=5
is "too" "$(cell "$out" "option n")" 5
refused 2 "an option that it does not have" "--option nm: " policy check ./permit.lua --option nm=1
has "with the nearest" "$err" "did you mean 'n'"
refused 2 "of another type" "--option n: " policy check ./permit.lua --option n=x
refused 2 "without a value" "KEY=VALUE" policy check ./permit.lua --option mode
refused 2 "given twice" "it is set twice" policy check ./permit.lua --option n=1 --option n=2
exits 0 "--profile: of its list" policy check ./permit.lua --profile ./p.lua
is "as it sets them" "$(cell "$out" "option mode")" good
exits 1 "--agent: of the agent's" policy check ./permit.lua --profile ./p.lua --agent ann
exits 0 "another agent's" policy check permit --profile ./p.lua --agent bob
is "over those of the profile" "$(cell "$out" "option mode") $(cell "$out" "option n")" "good 3"
exits 0 "an agent without a list has the profile's" \
  policy check ./permit.lua --profile ./p.lua --agent cat
exits 1 "--option over --profile" policy check permit --profile ./p.lua --option mode=bad
refused 2 "one that the profile does not list" "profile p has no such policy; it has" \
  policy check ./redact.lua --profile ./p.lua
refused 2 "--agent alone" "--agent ann: of which profile?" policy check ./permit.lua --agent ann
echo "return { name = 'q', agents = { ann = { policies = { './permit.lua' } },
  bob = { policies = { { './permit.lua', n = 9 } } } } }" >q.lua
refused 2 "one that only agents list" "agents ann, bob have it: say which with --agent" \
  policy check permit --profile ./q.lua
exits 0 "of whom one is named" policy check permit --profile ./q.lua --agent bob
is "has that one's options" "$(cell "$out" "option n")" 9

# ---- policy bench ----
exits 0 "policy bench: the defaults" policy bench ./permit.lua --calls 10
exits 1 "--option" policy bench ./permit.lua --calls 10 --option mode=bad
exits 1 "--profile and --agent" policy bench permit --calls 10 --profile ./p.lua --agent ann
exits 0 "--profile" policy bench permit --calls 10 --profile ./p.lua

# ---- profile show ----
cat >deny.lua <<'END'
local policy = { name = "deny", version = 1, options = { tools = { "rm" }, why = "no" } }
function policy.permit(effect, _, opt)
  for _, tool in ipairs(opt.tools) do if tool == effect.tool then return ck.deny(opt.why) end end
end
return policy
END
cat >both.lua <<'END'
return { name = "both", extends = "default",
  policies = { { "./deny.lua", why = "never" }, { "every_n", n = 3 } },
  agents = {
    ann = { policies = { { "./deny.lua", tools = { "mail" } }, { "every_n", n = 5 } } },
    bob = { policies = { { "redact_keys", keys = { card = "mask" } } } } } }
END
row() { awk -F'\t' -v key="$1" '$1 == key { print $2 " " $3 }' <<<"$out"; }
exits 0 "show" profile show ./both.lua --agent ann
is "what replaces the profile's is told alone" "$(row policies.every_n.n)" "5 agent"
is "of what is asked beside it the profile's" "$(row policies.deny.tools)" '["rm"] default'
is "and the agent's own" "$(row agents.ann.policies.deny.tools)" '["mail"] agent'
is "with what it takes over" "$(row agents.ann.policies.deny.why)" "never profile"
is "and what masks for all" "$(row agents.bob.policies.redact_keys.keys)" '{"card":"mask"} agent'
exits 0 "of the session" profile show ./both.lua
is "too" "$(row agents.bob.policies.redact_keys.keys)" '{"card":"mask"} agent'
is "nothing else of agents" "$(grep -c '^agents.ann' <<<"$out")" 0
exits 0 "of the agent itself" profile show ./both.lua --agent bob
is "once" "$(grep -c 'redact_keys.keys' <<<"$out")" 1

# ---- policy eval ----
cat >team.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "ann", user = flow.ask {}, tools = { look = "pure" },
  stop = function(text) return ck.find(text, "^Bye") ~= nil end }
END
{
  echo '{"cassette":1}'
  echo '{"scope":"main","kind":"ask","answer":"Look?"}'
  printf '{"scope":"main","kind":"model","cost_micros":5,"usage":{"input_tokens":2,%s%s\n' \
    '"output_tokens":9},"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c",' \
    '"type":"function","function":{"name":"look","arguments":"{}"}}]}}'
  echo '{"scope":"main","kind":"tool","index":0,"name":"look","arguments":"{}","result":3}'
  printf '{"scope":"main","kind":"model","cost_micros":8,"usage":{"input_tokens":6,%s\n' \
    '"output_tokens":9},"message":{"role":"assistant","content":"Bye."}}'
} >team.jsonl
exits 0 "a session of ann" run team.lua --cassette team.jsonl --profile ./both.lua --session s
round=$("$CKRUN" --json sessions log s --kind boundary | head -1 | grep -o '"seq":[0-9]*' |
  head -1 | cut -d: -f2)
value() { run policy eval "s#$round" --profile ./both.lua "$@"; }
value --policy every_n -e opt.n
is "at an event of ann's it has ann's options" "$out" 5
value --policy ./deny.lua -e 'opt.tools[1], opt.why'
is "of a permit, too" "$out" "mail	never"
value --policy every_n --agent bob -e opt.n
is "with --agent another one's" "$out" 3
value --policy every_n --option n=8 -e opt.n
is "with --option what it says" "$out" 8
run policy eval "s#1" --profile ./both.lua --policy every_n -e opt.n
is "where nobody acts the profile's" "$out" 3
run policy eval "s#$round" --policy every_n --option n=4 -e opt.n
is "without a profile over the defaults" "$out" 4
refused 2 "an option without a policy" "--option n=4: of which policy?" \
  policy eval "s#$round" --option n=4 -e 1
finish
