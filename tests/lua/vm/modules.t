#!/bin/bash
# modules.t - files that flows, policies and tests of policies require by a path: found from the
# file that requires them, run once, part of the digest, kept in the store, read-only.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
umask 077

# project FOLDER: a flow and a policy that share lib/rates.lua, which requires lib/units.lua.
project() {
  mkdir -p "$1/lib" "$1/policies"
  echo 'return { dollar = 100 }' >"$1/lib/units.lua"
  cat >"$1/lib/rates.lua" <<'END'
local units = require "./units"
local rates = { nested = { list = { 1, 2 } } }
function rates.cents(dollars) return dollars * units.dollar end
return rates
END
  cat >"$1/flow.lua" <<'END'
local flow = require "ck.flow"
local rates = require "./lib/rates"
return flow.custom {
  name = "priced",
  run = function(ctx)
    local turn = ctx.position and ctx.position.turn or 0
    ctx.boundary("tool_round", { position = { path = "step#" .. turn + 1, turn = turn + 1 } })
    if turn < 1 then ctx.pause("more to come") end
    return rates.cents(turn)
  end,
}
END
  cat >"$1/policies/priced.lua" <<'END'
local rates = require "../lib/rates.lua"
local again = require "../policies/../lib/./rates"
return {
  name = "priced", version = 1,
  checkpoint = function() return rates.cents(3) .. " " .. tostring(rates == again) end,
}
END
  echo 'return { name = "mine", extends = "default", policies = { "./policies/priced.lua" } }' \
    >"$1/mine.lua"
}
digest() { b2sum -l 256 "$1" | cut -d' ' -f1; }
start() { exits 8 "session $1" run "$2/flow.lua" --profile "$2/mine.lua" --session "$1"; }
project project
cp -r project copy

# ---- found and run ----
start one project
is "the policy has the module, and once by each of its paths" \
  "$("$CKRUN" --json sessions checkpoints one | grep -o '300 true' | sort -u)" "300 true"
exits 0 "it goes on" resume one
is "the flow has it, too" "$(cell "$out" result)" 100
here=$(realpath .)
list=$("$CKRUN" sessions inspect one --files)
for file in flow_module:rates flow_module:units policy_module:rates policy_module:units; do
  path=$here/project/lib/${file#*:}.lua
  is "$file is kept, and listed with its digest" \
    "$(awk -F'\t' -v file="$path" -v kind="${file%:*}" '$2 == file && $1 == kind { print $3, $4 }' \
      <<<"$list")" "$(digest "$path") yes"
done

# ---- a part of the digest ----
start two project
mv project moved
exits 0 "moved to another folder it is the same" resume two --flow moved/flow.lua \
  --profile moved/mine.lua
is "and has the same end" "$(cell "$out" result)" 100
mv moved project
for changed in lib/rates.lua lib/units.lua; do
  start "flow-${changed//[^a-z]/-}" project
  echo '-- another text' >>"project/$changed"
  exits 5 "a resume with another $changed" resume "flow-${changed//[^a-z]/-}"
  has "says so of the flow" "$err" "flow $here/project/flow.lua has changed since"
  has "and of the policies" "$err" "the policies of profile mine have changed"
  cp "copy/$changed" "project/$changed"
  exits 0 "with the text as it was it goes on" resume "flow-${changed//[^a-z]/-}"
done
one=$("$CKRUN" --json policy check project/policies/priced.lua)
mkdir -p project/other && cp project/policies/priced.lua project/other/
is "the digest does not tell where the folder lies" \
  "$(json "$("$CKRUN" --json policy check copy/policies/priced.lua)" '$d->{digest}')" \
  "$(json "$one" '$d->{digest}')"
ok "and is not that of the text alone" test \
  "$(json "$one" '$d->{digest}')" != "$(digest project/policies/priced.lua)"

# ---- the store alone ----
start three project
start four project
rm -r project
exits 5 "from a store without a key" resume three --flow stored
has "a module has to be trusted, too" "$err" \
  "flow_module $here/project/lib/rates.lua would be run from a store without a key"
trusted=()
for file in flow.lua mine.lua policies/priced.lua lib/rates.lua lib/units.lua; do
  trusted+=(--trust-flow "$(digest "copy/$file")")
done
exits 0 "with each file's digest" resume three --flow stored "${trusted[@]}"
is "it goes on where the files are gone" "$(cell "$out" result)" 100
exits 0 "with a profile of one's own the policies' modules are not asked for" resume four \
  --flow stored --profile copy/mine.lua --trust-flow "$(digest copy/flow.lua)" \
  --trust-flow "$(digest copy/lib/rates.lua)" --trust-flow "$(digest copy/lib/units.lua)"
cp -r copy project
sed -i '1i -- ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2' project/lib/units.lua
start five project
has "a module with the shape of a secret is not kept" "$err" \
  "flow_module $here/project/lib/units.lua holds a secret"
exits 0 "the session can be deleted" sessions delete five

# ---- what cannot be required ----
# flawed TEXT MESSAGE: a flow that requires ./lib/bad.lua, which holds the text.
flawed() {
  printf '%s\n' "$1" >project/lib/bad.lua
  printf 'local bad = require "./lib/bad"\nreturn require("ck.flow").lua(function() end)\n' \
    >project/bad.lua
  run run project/bad.lua
  is "refused: $1" "$code" 2
  has "it says '$2'" "$err" "$2"
}
flawed 'return nil' "module './lib/bad' returns nothing"
flawed 'return require "./bad"' "module './bad' requires itself"
flawed 'return require "./none"' "require \"./none\": $here/project/lib/none.lua: there is no such"
flawed 'return {' "lib/bad.lua:2: unexpected symbol"
flawed 'x = 1 return {}' "lib/bad.lua:1: attempt to set global 'x'"
flawed 'local t = {} t.t = t return t' "a table that contains itself"
flawed 'return (...) .. select(2, ...)' "lib/bad.lua:1:"
flawed 'local r = require "./rates" r.x = 1 return r' "lib/bad.lua:1:"
flawed 'local r = require "./rates" r.nested.list[1] = 9 return r' "lib/bad.lua:1:"
flawed 'return require "rates"' "by its path from this one's folder, as in require \"./rates\""
flawed 'return require "/etc/passwd"' "there is no module '/etc/passwd'"
ln -s rates.lua project/lib/link.lua
flawed 'return require "./link"' "a symbolic link"
cp copy/lib/units.lua project/lib/open.lua && chmod 666 project/lib/open.lua
flawed 'return require "./open"' "others may write it"
cp copy/lib/units.lua project/lib/late.lua
cat >project/late.lua <<'END'
return require("ck.flow").lua(function() return require("./lib/late").dollar end)
END
exits 1 "a file that is required while the flow runs" run project/late.lua
has "is refused, with the remedy" "$err" "at the top of the file, outside of functions"
for ((n = 0; n <= 65; n++)); do
  echo "return { next = require \"./chain$((n + 1))\" }" >"project/lib/chain$n.lua"
done
flawed 'return require "./chain0"' "at most 64 files"

# ---- tools for policies ----
echo 'local count = 0 return { next = function() count = count + 1 return count end }' \
  >project/lib/counter.lua
cat >project/policies/counting.lua <<'END'
local counter = require "../lib/counter"
return { name = "counting", version = 1, checkpoint = function() return "n" .. counter.next() end }
END
exits 1 "policy check of a module with state" policy check project/policies/counting.lua
has "names the module and its line" "$out" "$here/project/lib/counter.lua:1"
cat >project/policies/priced_test.lua <<'END'
local test, rates = require "ck.test", require "../lib/rates"
local priced = test.policy "./priced.lua"
return { test_both = function()
  test.equal(priced.checkpoint {}, rates.cents(3) .. " true")
end }
END
exits 0 "a test requires it as its policy does" policy test project/policies/priced_test.lua
finish
