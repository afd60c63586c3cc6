#!/bin/bash
# profile.t - profile check tells mistakes by place; profile show tells what holds, for the session
# and for an agent, and who said so.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

for file in "$root"/policies/profiles/*.lua; do
  name=$(basename "$file" .lua)
  exits 0 "shipped $name" profile check "$name"
  exits 0 "show $name" profile show "$name"
  has "$name: its settings" "$out" "constraints.budget_usd"
done

cat >base.lua <<'EOF2'
return { name = "base", extends = "default", constraints = { budget_usd = 2.5, rounds = 10 },
  policies = { { "smart", slow_ms = 20000 }, "tool_rounds" } }
EOF2
cat >mine.lua <<'EOF2'
return { name = "mine", extends = "./base.lua", constraints = { rounds = 20 },
  agents = {
    analyst = { constraints = { budget_usd = 1.0 }, policies = { { "smart", usd = 0.5 } } },
  } }
EOF2
# row KEY: value of a setting, who says it, and where.
row() { awk -F'\t' -v key="$1" '$1 == key { print $2 " " $3 " " $4 }' <<<"$out"; }
exits 0 "show" profile show mine.lua
is "its own" "$(row constraints.rounds)" "20 profile $(realpath mine.lua)"
is "inherited" "$(row constraints.budget_usd)" "2.5 extends $(realpath base.lua)"
is "shipped" "$(row constraints.on_limit)" "pause extends policies/profiles/default.lua"
is "nobody's" "$(row constraints.tokens)" "null default built in"
is "an option that the profile sets" "$(row policies.smart.slow_ms)" \
  "20000 extends $(realpath base.lua)"
is "a policy's own default" "$(row policies.smart.usd)" "0.25 default policies/smart.lua"
exits 0 "show --agent" profile show mine.lua --agent analyst
is "the agent's own" "$(row constraints.budget_usd)" "1.0 agent $(realpath mine.lua)"
is "the profile's" "$(row constraints.rounds)" "20 profile $(realpath mine.lua)"
is "the agent's option" "$(row policies.smart.usd)" "0.5 agent $(realpath mine.lua)"
is "over the profile's" "$(row policies.smart.slow_ms)" "20000 extends $(realpath base.lua)"
# ---- a policy once ----
cp "$root/policies/every_n.lua" mine_n.lua
cat >twice.lua <<'EOF2'
return { name = "twice", policies = {
    { "every_n", n = 2 },
    "tool_rounds",
    { "./mine_n.lua", n = 3 },
  },
  agents = { ann = { policies = {
    { "every_n", n = 4 },
    "every_n",
  } } } }
EOF2
exits 1 "two policies of one name" profile check twice.lua
again="the list has a policy every_n already, number 1: name it once, or save another text of it"
has "the second is told with its line" "$err" "twice.lua:4: policies: $again"
has "of an agent, too" "$err" "twice.lua:8: agents.ann.policies: $again"
is "and no other: an agent may have what the profile has" "$(grep -c already <<<"$err")" 2
exits 2 "nothing runs with them" run "$flow" --profile twice.lua --cassette "$cassette"
has "by the same words" "$err" "twice.lua:4: policies: $again"
exits 0 "an agent that the profile does not know" profile show mine.lua --agent stranger
has "is told" "$err" "says nothing of agent 'stranger'"
is "and has what the session has" "$(row constraints.budget_usd)" "2.5 extends $(realpath base.lua)"
exits 0 "--json" --json profile show mine.lua --agent analyst
is "the same" "$(json "$out" 'join " ", map { "$_->{value} $_->{from}" }
  grep { $_->{key} eq "constraints.budget_usd" } @{$d->{settings}}')" "1 agent"
exits 0 "check --json" --json profile check mine.lua
is "its policies" "$(json "$out" \
  'join " ", map { $_->{name} . ($_->{agent} // "") } @{$d->{policies}}')" \
  "smart tool_rounds smartanalyst"

# mistake CODE NAME TEXT: standard input is a profile.
mistake() {
  cat >bad.lua
  refused "$1" "$2" "$3" profile check bad.lua
}
mistake 1 "an unknown key" "bad.lua" <<<'return { name = "bad", polices = {} }'
has "with the nearest" "$("$CKRUN" profile check bad.lua 2>&1)" "did you mean 'policies'"
mistake 1 "an unknown option" "unknown option 'slow_m'" \
  <<<'return { name = "bad", policies = { { "smart", slow_m = 1 } } }'
mistake 3 "a policy that is not there" "searched policies/smrt.lua" \
  <<<'return { name = "bad", policies = { "smrt" } }'
mistake 3 "a profile that is not there" "nothing" <<<'return { name = "bad", extends = "nothing" }'
mistake 1 "a profile that extends itself" "extends itself" \
  <<<'return { name = "bad", extends = "./bad.lua" }'
mistake 1 "text that does not compile" "bad.lua:2:" <<<'return { name = '
mistake 1 "a limit of the wrong type" "budget_usd" \
  <<<'return { name = "bad", constraints = { budget_usd = "five" } }'
refused 2 "no profile" "PROFILE is missing" profile show
finish
