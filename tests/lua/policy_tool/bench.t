#!/bin/bash
# bench.t - policy bench measures every hook, counts exactly, and tells what a failing one comes to.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

for file in "$root"/policies/*.lua; do
  name=$(basename "$file" .lua)
  exits 0 "bench $name" --json policy bench "$name" --calls 500
  is "$name: every hook is timed and counted" "$(json "$out" 'join ",", map {
    $_->{call_ms} >= 0 && $_->{instructions} > 0 && $_->{calls} == 500 && !$_->{failures}
  } @{$d->{hooks}}' | tr -d '1,')" ""
  is "$name: each time stands beside that of a bare call of the same run" "$(json "$out" \
    'scalar grep {
      my ($bare, $ratio) = @$_{qw(bare_ms ratio)};
      $bare <= 0 || abs($_->{call_ms} / $bare - $ratio) > 0.05 + 0.06 * $ratio
    } @{$d->{hooks}}')" 0
  is "$name: far below the budget" "$(json "$out" \
    'scalar grep { $_->{instructions} > 10000 } @{$d->{hooks}}')" 0
done

# Instructions are counted one by one: each more costs as many more.
for n in 10 20 30; do
  cat >loop.lua <<EOF2
return { name = "loop", version = 1, checkpoint = function()
  local x = 0
  for i = 1, $n do x = x + i end
end }
EOF2
  run --json policy bench loop.lua --calls 50
  counts="${counts:-} $(json "$out" '$d->{hooks}[0]{instructions}')"
done
set -- $counts
is "ten more rounds cost the same each time" "$(($3 - $2))" "$(($2 - $1))"
ok "and at least ten" test "$(($2 - $1))" -ge 10
run --json policy bench loop.lua --calls 50
is "the same again" "$(json "$out" '$d->{hooks}[0]{instructions}')" "$3"

cat >bad.lua <<'EOF2'
return { name = "bad", version = 1,
  checkpoint = function(at) return at.seq + "x" end,
  prune = function() while true do pcall(error) end end,
  redact = function() return 5 end,
  resume = function() return { tme = "reset" } end,
  tail = function() local t = {} for i = 1, 1e9 do t[i] = i .. "" end end,
  on_failure = function() return "retry" end,
  in_doubt = function() error "no" end,
  permit = function() return "deny" end,
  migrate = function(doc) return doc end }
EOF2
exits 1 "a policy that fails" policy bench bad.lua --calls 100
has "a wrong type" "$(grep '^checkpoint' <<<"$out")" "contained: the checkpoint is taken"
has "with its place" "$(grep '^checkpoint' <<<"$out")" "bad.lua:2:"
# How fast the machine is decides which of its limits stops a hook that does not end.
limit="(the budget of .* is spent|ran longer than [0-9]+ ms)"
ok "an endless loop" grep -qE "^prune.*$limit; contained: nothing is dropped" <<<"$out"
has "a wrong answer" "$(grep '^redact' <<<"$out")" "contained: the item is dropped"
has "a wrong key" "$(grep '^resume' <<<"$out")" "contained: the resume is refused"
ok "an endless list" grep -qE "^tail.*$limit; contained: the event is left out of the tail" \
  <<<"$out"
has "an error" "$(grep '^in_doubt' <<<"$out")" "contained: the session stops, in doubt"
has "no answer that it knows" "$(grep '^permit' <<<"$out")" "contained: a person is asked"
is "hooks that hold are timed all the same" \
  "$(grep -cE '^(on_failure|migrate)	100	[0-9]' <<<"$out")" 2
for calls in 1 20 21 22; do
  exits 0 "$calls calls" --json policy bench every_n --calls $calls
  is "are as many" "$(json "$out" '$d->{hooks}[0]{calls}')" "$calls"
done
run policy bench bad.lua --calls 100
has "how many fail" "$err" "bad.lua: 7 hooks fail"
exits 1 "--json" --json policy bench bad.lua --calls 100
is "the same in one object" "$(json "$out" 'scalar grep {
  $_->{failures} && $_->{failure} && $_->{contained} && !exists $_->{call_ms} && !exists $_->{ratio}
} @{$d->{hooks}}')" 7

# Hooks that take all that they can get, in C functions, behind pcall and in a loop: the program
# has a second of processor time for each, what one call takes beyond it, and two for the rest.
cat >hostile.lua <<'EOF2'
local function spin() while true do end end
return { name = "hostile", version = 1,
  checkpoint = function()
    while true do pcall(string.rep, "x", 1000000) end
  end,
  in_doubt = function()
    while true do pcall(ck.match, string.rep("a", 200), "(a+)+$b") pcall(spin) end
  end,
  on_failure = spin }
EOF2
for command in check bench; do
  used=$(perl -e 'open STDOUT, ">", "/dev/null"; open STDERR, ">&", \*STDOUT; system @ARGV;
    my (undef, undef, $user, $system) = times; exit $user + $system' \
    "$CKRUN" policy "$command" hostile.lua; echo $?)
  ok "policy $command of hooks that take all they get: a second each ($used s)" test "$used" -le 5
done
cat >slow.lua <<'EOF2'
return { name = "slow", version = 1, checkpoint = function()
  for i = 1, 50000 do local x = i .. "" end
end }
EOF2
exits 0 "a slow hook" --json policy bench slow.lua --calls 1000
is "is stopped, and told so" "$(json "$out" '$d->{hooks}[0]{stopped}')" 1
ok "with the time of the calls that were made" test "$(json "$out" '$d->{hooks}[0]{calls}')" -gt 0
refused 3 "no such policy" "nothing.lua" policy bench ./nothing.lua
echo 'return 5' >five.lua
refused 2 "no policy" "a policy returns a table" policy bench five.lua
refused 2 "no calls" "whole number" policy bench bad.lua --calls 0
finish
