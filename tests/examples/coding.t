#!/usr/bin/env bash
# coding.t - the coding example: an agent's first try fails the check, its second does not; without
# a permission it waits.
. "$(dirname "$0")/../host/tap.sh"
cp -r "$root/examples/coding" "$dir/" && cd "$dir/coding" || exit 1

run run flow.lua --profile ./profile.lua --session done
is "the example runs to its end" "$code" 0
is "step by step as expected" "$(grep -E "^(done|failed)" <<<"$err")" "$(cat expected.txt)"
ok "what it made passes its check" ./check.sh
run sessions log done
has "the first try did not" "$out" "instead of '1 2 Fizz 4 Buzz"
is "the agent was prompted twice" "$(grep -c $'\tintent\t.*"process":"coder"' <<<"$out")" 2
has "the second time in the conversation that it had" "$(grep $'\tintent\t.*repair' <<<"$out")" \
  '"session":"conversation-1"'
is "each change was allowed by rule, and the file to it" "$(grep -c '"by":"rule"' <<<"$out")" 4
ok "it tells what it does on its way" grep -q $'\tupdate\t' <<<"$out"
exits 3 "somebody who had no part in that has no tail" sessions tail done nobody

rm fizzbuzz.sh
sed -i 's/edit = "allow"/edit = "ask"/' profile.lua
run run flow.lua --profile ./profile.lua --session asked
is "where a person must be asked, the session waits" "$code" 8
has "and says for what" "$err" "the agent 'coder' asks for permission: Write fizzbuzz.sh (edit)"
ok "nothing was written" test ! -e fizzbuzz.sh
sed -i 's/edit = "ask"/edit = "allow"/' profile.lua
run resume asked --accept-changed
is "it goes on when the rule is another" "$code" 0
ok "and makes what passes the check" ./check.sh

rm fizzbuzz.sh
sed -i 's/agent_files = true/agent_files = false/' profile.lua
run run flow.lua --profile ./profile.lua --session locked
ok "without files the agent cannot write" test ! -e fizzbuzz.sh -a "$code" != 0
finish
