#!/bin/bash
# simulate_list.t - policy simulate --list, --diff and --policy: each boundary with its decision,
# compared with the transcript.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
compare="$root/tests/lua/policy_tool/decisions.pl"

cat >thirds.lua <<'END'
return { name = "thirds", version = 1, options = { n = 3 }, checkpoint = function(at, opt)
  if at.since.boundaries >= opt.n then
    return { durability = "sync", reason = "the third of " .. at.budget.limit .. " dollars; "
      .. at.since.tool_calls .. " calls" }
  end
end }
END
sed 's/"sync"/"async"/;s/thirds/async/' thirds.lua >async.lua
echo 'return { name = "thirds", policies = { "./thirds.lua" }, constraints = { budget_usd = 7 } }' \
  >thirds_profile.lua
echo 'return { name = "nothing", policies = {} }' >nothing.lua
exits 0 "a run" run "$flow" --cassette "$cassette" --session live --profile thirds_profile.lua
boundaries=$("$CKRUN" --json sessions log live --all --kind boundary)
# of CODE: the seqs of the boundaries for whose body CODE is true.
of() { perl -MJSON::PP -ne '$e = decode_json($_); $b = $e->{body};
  print "$e->{seq} " if '"$1" <<<"$boundaries"; }

is "each decision and its reasons are those of the transcript" \
  "$(CKRUN=$CKRUN perl "$compare" live --profile thirds_profile.lua)" \
  "0 of $(wc -l <<<"$boundaries") differ"
exits 0 "as lines" policy simulate live --profile thirds_profile.lua --list
is "one for each boundary" "$(cut -f2 <<<"$out" | tr '\n' ' ')" "$(of 1)"
is "with kind and agent" "$(cut -f1,3,5 <<<"$out" | tr '\t\n' ' ;')" "$(perl -MJSON::PP -ne '
  $e = decode_json($_); print "live $e->{body}{kind} ", $e->{agent} // "", ";"' <<<"$boundaries")"
is "yes where a checkpoint was taken" \
  "$(awk -F'\t' '$6 ~ /^yes, waited for \(/ { printf "%s ", $2 }' <<<"$out")" \
  "$(of '$b->{checkpoint}')"
is "no elsewhere, without a reason" "$(awk -F'\t' '$6 == "no" { printf "%s ", $2 }' <<<"$out")" \
  "$(of '!$b->{checkpoint}')"
has "policy and reason" "$out" "yes, waited for (thirds: the third of 7.0 dollars; "
is "the last is always taken" "$(tail -n 1 <<<"$out" | cut -f6)" "yes, waited for (always at final)"

exits 0 "two differ" policy simulate live --diff --profile nothing.lua --profile default
is "where the one takes its tool rounds" "$(cut -f2 <<<"$out" | tr '\n' ' ')" \
  "$(of '$b->{kind} eq "tool_round"')"
is "no, and yes" "$(cut -f6,7 <<<"$out" | sort -u)" \
  "$(printf 'no\tyes (tool_rounds: tool round)')"
exits 0 "as JSON" --json policy simulate live --diff --profile nothing.lua --profile default
is "the same ones, on both sides" "$(json "$out" 'join ";", map { join " ", map { $_->{seq} }
    @{$_->{sessions}[0]{decisions}} } @{$d->{profiles}}') " \
  "$(of '$b->{kind} eq "tool_round"' | sed 's/ $//;s/.*/&;&/') "
exits 0 "waited for or not" policy simulate live --diff --policy ./thirds.lua --policy ./async.lua
is "is a difference" "$(cut -f2 <<<"$out" | tr '\n' ' ')" \
  "$(of '$b->{checkpoint} && $b->{kind} ne "final"')"
exits 0 "one and the same" policy simulate live --diff --profile default --policy tool_rounds
is "do not differ" "$out" ""

exits 0 "a policy alone, without a profile" policy simulate live --policy ./thirds.lua
is "is told by what was given" "$(head -n 1 <<<"$out")" "$(printf 'profile\t./thirds.lua')"
is "decides as in the profile" \
  "$(awk -F'\t' '$1 == "decided as recorded" { print $2 }' <<<"$out")" "$(wc -l <<<"$boundaries")"
exits 0 "beside a profile, behind it" policy simulate live --policy ./thirds.lua \
  --profile nothing.lua
is "in that order" "$(head -n 1 <<<"$out")" "$(printf 'profile\tnothing\t./thirds.lua')"
refused 3 "a policy that is none" "./nowhere.lua: there is no such file" policy simulate live \
  --policy ./nowhere.lua
needs="--policy approve: it has neither a checkpoint nor a prune hook, which --hook checkpoint asks"
refused 2 "a policy that is not asked" "$needs; its hooks: permit" policy simulate live \
  --policy approve
needs="--policy every_n: it has no redact hook, which --hook redact asks; its hooks: checkpoint"
refused 2 "nor by another hook" "$needs" policy simulate live --policy every_n --hook redact
refused 2 "a difference of one" "--diff: 1 profile; it compares two" policy simulate live --diff
refused 2 "a list of too many" "--list: 8 profiles; at most 7" policy simulate live --list \
  $(printf -- '--profile default %.0s' $(seq 8))
finish
