#!/bin/bash
# nils.t - policy check finds each number that can be nil and is calculated or compared with before
# anything looked whether it is there, and each word that a field never is, of every hook, from the
# annotations; nothing in policies that look first, or are shipped. RANDOM_NILS=N policies from
# number RANDOM_FIRST on.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

# lines POLICY: those with a problem.
lines() {
  "$CKRUN" --json policy check "$1" 2>/dev/null | perl -MJSON::PP -e '
    my %lines = map { $_->{place} =~ /:(\d+)$/; $1 => 1 } @{decode_json(<STDIN>)->{problems}};
    print join(" ", sort { $a <=> $b } keys %lines), "\n"'
}
differ= mistakes=0 first=${RANDOM_FIRST:-1}
for ((i = first; i < first + ${RANDOM_NILS:-15}; i++)); do
  perl "$root/tests/lua/policy_tool/random_nils.pl" $i "$root/lua/ck/meta.lua" >nils.lua
  want=$(head -n 1 nils.lua | cut -c4-)
  found=$(lines ./nils.lua)
  mistakes=$((mistakes + $(wc -w <<<"$want")))
  [ "$found" = "$want" ] || differ+="$i: found '$found', not '$want': $(cat nils.lua)"$'\n'
done
is "random policies: each of $mistakes mistakes is found, and nothing else" "$differ" ""
ok "there were some" test "$mistakes" -gt "${RANDOM_NILS:-15}"
bad= checked=0
for policy in "$root"/policies/*.lua \
  $(grep -l 'version = [0-9]' "$root"/examples/policies/*.lua); do
  checked=$((checked + 1)) told=$(lines "$policy")
  [ -z "$told" ] || bad+="$policy: $told"$'\n'
done
is "shipped policies and examples have none" "$bad" ""
ok "all of them ($checked)" test "$checked" -gt 18

cat >told.lua <<'E'
return { name = "told", version = 1,
  permit = function(effect)
    if effect.tool == "pay" and effect.reserve_usd > 1 then return ck.ask("Pay?") end
  end,
  on_failure = function(failure)
    if failure.status == "CK_E_UNAVAILBLE" then return "retry" end
  end }
E
exits 1 "a policy with both" policy check ./told.lua
has "is told what can be nil, and when" "$out" "told.lua:3: 'effect.reserve_usd' can be nil (not \
known), and '>' fails of nil: look first whether it is there"
has "and which word is meant" "$out" \
  "told.lua:6: 'failure.status' is never 'CK_E_UNAVAILBLE'; did you mean 'CK_E_UNAVAILABLE'?"
finish
