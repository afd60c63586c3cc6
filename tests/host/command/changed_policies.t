#!/bin/bash
# changed_policies.t - a resume under changed policies names each one, and each option with its old
# and new value, where it is refused, in the dry run and as JSON; what a person accepts is recorded
# with who accepted it.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.x = 1 end),
    b = flow.lua(function(ctx) ctx.pause("here") end) },
  edges = { a = "b", b = flow.done } }
E
# rule VERSION WORD: rule.lua says so.
rule() {
  echo "return { name = \"rule\", version = $1," \
    "options = { list = { \"x\" }, word = \"none\" }," \
    "checkpoint = function(at) return at.kind == \"edge_transition\" and \"$2\" or nil end }" \
    >rule.lua
}
# profile N AGENT_N MORE: p.lua.
profile() {
  echo "return { name = \"p\", policies = { { \"every_n\", n = $1 }, $3 }," \
    "agents = { a = { policies = { { \"every_n\", n = $2 } } } } }" >p.lua
}
paused() {
  run run flow.lua --profile ./p.lua "$@"
  is "a session that paused" "$(cell "$out" status)" paused
}
digest() { b2sum -l 256 "$1" | cut -c1-64; }
changes() { json "$out" '$d->{changes}'; }

rule 1 one
profile 3 5 '{ "./rule.lua", list = { "u", "v" } }, "tool_rounds"'
paused --session same
paused --session s
paused --session other
one=$(digest rule.lua)
exits 0 "unchanged policies" --json resume same --dry-run
is "have no changes" "$(changes)" "[]"

# ---- a text that is another one under the version that it had ----
rule 1 three
three=$(digest rule.lua)
run resume same --dry-run
is "another text of the same version is told as such" "$(cell "$out" changed)" \
  "the text of rule was ${one:0:12} and is ${three:0:12} ($dir/rule.lua, still version 1)"
run --json resume same --dry-run
is "as JSON" "$(json "$out" '$d->{changes}[0]{version}')" 1
echo 'return { name = "rule", version = 2 }' >rule.lua
run --json resume same --dry-run
is "of another version it is not" "$(json "$out" '$d->{changes}[0]{version} // "none"')" none

# ---- each change, in the order of the start's list; then what is new ----
rule 2 two
two=$(digest rule.lua)
profile 4 6 '{ "./rule.lua", list = {}, word = "yes" }, "keep_recent"'
want="option n of every_n was 3 and is 4; \
the text of rule was ${one:0:12} and is ${two:0:12} ($dir/rule.lua); \
the version of rule was 1 and is 2; \
option list of rule was [\"u\",\"v\"] and is []; \
option word of rule was not set and is \"yes\"; \
tool_rounds is not there any more; \
option n of every_n for agent a was 5 and is 6; \
keep_recent is new"
exits 5 "a resume under changed policies" resume s
has "is refused, and names each" "$err" "the policies of profile p have changed since the \
session was started: $want; --accept-changed goes on with them as they are now"
run resume s --dry-run
is "the dry run has a row for each" "$(grep ^changed <<<"$out" | cut -f 2)" \
  "$(sed 's/; /\n/g' <<<"$want")"
run --json resume s --dry-run
is "as JSON" "$(json "$out" '[map { my $c = $_; join " ", map { ref $c->{$_}
  ? JSON::PP->new->canonical->encode($c->{$_}) : $c->{$_} // "-" }
  qw(policy agent what option was now) } @{$d->{changes}}]' | sed 's/","/\n/g;s/^\["//;s/"\]$//')" \
  "every_n - option n 3 4
rule - text - $one $two
rule - version - 1 2
rule - option list [\\\"u\\\",\\\"v\\\"] []
rule - option word - yes
tool_rounds - removed - $(json "$(cat "$dir/out")" '(grep { $_->{what} eq "removed" }
  @{$d->{changes}})[0]{was}') -
every_n a option n 5 6
keep_recent - added - - $(json "$(cat "$dir/out")" '(grep { $_->{name} eq "keep_recent" }
  @{$d->{policies}})[0]{digest}')"
is "with the file" "$(json "$out" '$d->{changes}[1]{file}')" "$dir/rule.lua"
is "each policy that changed is marked, and no other" "$(json "$out" '[map { "$_->{name} " .
  ($_->{changed} ? 1 : 0) } @{$d->{policies}}]')" \
  '["every_n 1","rule 1","keep_recent 1","every_n 1"]'

# ---- what is accepted is recorded ----
exits 0 "it is accepted" resume s --accept-changed
run --json sessions log s --all --kind session_resumed
is "the event has the same changes" "$(json "$out" '[map { "$_->{policy} $_->{what}" }
  @{$d->{body}{accepted}{policies}}]')" \
  '["every_n option","rule text","rule version","rule option","rule option","tool_rounds removed",'\
'"every_n option","keep_recent added"]'
accepted() { json "$out" "[@{\$d->{body}{accepted}$1}{qw($2)}]"; }
is "with both values" "$(accepted '{policies}[0]' 'option was now')" \
  '["n",3,4]'
is "with both digests" "$(accepted '{policies}[1]' 'was now')" \
  "[\"$one\",\"$two\"]"
is "and who said so, how and where" "$(accepted '' 'with user host')" \
  "[\"--accept-changed\",\"$(id -un)\",\"$(uname -n)\"]"
seq=$(json "$out" '$d->{seq}')
run sessions log s --all --kind session_resumed
has "sessions log tells it" "$out" "accepted by $(id -un) on $(uname -n) with --accept-changed: \
option n of every_n was 3 and is 4"
exits 0 "policy explain" policy explain s "$seq"
has "says who accepted it" "$out" \
  "changed policies were accepted by $(id -un) on $(uname -n) with --accept-changed"
has "and each change" "$out" "option list of rule was [\"u\",\"v\"] and is []"
run --json policy explain s "$seq"
is "as JSON" "$(json "$out" '[$d->{accepted}{user}, scalar @{$d->{accepted}{policies}}]')" \
  "[\"$(id -un)\",8]"
exits 0 "a session that accepts nothing" resume same --profile default --dry-run
run sessions log same --all --kind session_started
is "has nothing of it" "$(grep -c accepted <<<"$out")" 0

# ---- a flow that has changed ----
was=$(digest flow.lua)
echo "-- changed" >>flow.lua
profile 3 5 '{ "./rule.lua", list = { "u", "v" } }, "tool_rounds"'
rule 1 one
exits 5 "a changed flow" resume other
has "is refused" "$err" "flow $dir/flow.lua has changed since the session was started"
exits 0 "is accepted" resume other --accept-changed
run --json sessions log other --all --kind session_resumed
is "with both digests" "$(accepted '' 'flow policies')" \
  "[{\"file\":\"$dir/flow.lua\",\"now\":\"$(digest flow.lua)\",\"was\":\"$was\"},null]"
exits 0 "a resume of an accepted session" resume same --accept-changed

# ---- what a run sets over a policy that guards ----
echo 'return { name = "g", policies = { "approve", { "redact_keys", keys = { pin = "mask" } },
  "every_n" } }' >g.lua
run run flow.lua --profile ./g.lua --session guarded
run run flow.lua --profile ./g.lua --session keyed --option 'redact_keys.keys={"card":"mask"}'
refused 5 "a list of a guard that is emptied" "session guarded cannot be resumed: option classes \
of approve was [\"once\"] and is [] in this run: the policy masks, refuses or permits; --option \
sets it as it was, --accept-changed goes on with it as it is" \
  resume guarded --option 'approve.classes=[]'
run resume guarded --option 'approve.classes=[]' --dry-run
is "the dry run names it" "$code $(grep ^changed <<<"$out" | cut -f 2)" \
  '5 option classes of approve was ["once"] and is []'
refused 5 "keys that the run before had masked, and this one would not" \
  'option keys of redact_keys was {"card":"mask"} and is {"pin":"mask"} in this run' resume keyed
exits 0 "as the run before had it" resume keyed --option 'redact_keys.keys={"card":"mask"}' \
  --dry-run
exits 0 "an option of a policy that guards nothing" resume guarded --option every_n.n=2 --dry-run
exits 0 "what a person accepts" resume guarded --option 'approve.classes=[]' --accept-changed
run --json sessions log guarded --all --kind session_resumed
is "is recorded" "$(json "$out" '[map { [@{$_}{qw(policy option was now)}] }
  @{$d->{body}{accepted}{policies}}]')" '[["approve","classes",["once"],[]]]'

# ---- only the order; nothing secret ----
export HIDDEN=correct-horse-battery
echo 'return { name = "q", secrets = { pass = "env:HIDDEN" },
  policies = { { "./rule.lua", word = "correct-horse-battery" }, "tool_rounds" } }' >q.lua
sed -i 's/p\.lua/q.lua/' q.lua
run run flow.lua --profile ./q.lua --session hidden
run run flow.lua --profile ./q.lua --session turned
sed -i 's/battery" }/battery staple" }/' q.lua
run --json resume hidden --dry-run
ok "a secret among the options is shown masked" \
  grep -q '"was":"\[redacted:pass:[0-9a-f]*\]","now":"\[redacted:pass:[0-9a-f]*\] staple"' <<<"$out"
exits 5 "the refusal" resume hidden
exits 0 "is accepted" resume hidden --accept-changed
run --json sessions log hidden --all
is "nothing has the secret" "$(cat "$dir"/err <(echo "$out") "$dir"/store/ckrun.db |
  grep -ac correct-horse-battery)" 0
sed -i 's/"tool_rounds" }/"every_boundary" }/' q.lua
run run flow.lua --profile ./q.lua --session rested
sed -i 's/"every_boundary" }/{ "keep_recent", count = 1 } }/' q.lua
exits 0 "checkpoints that policies drop at rest" sessions prune rested
HIDDEN=another-horse run --json sessions log rested --all --kind pruned
is "are recorded with their options" "$(grep -c '"options":{' <<<"$out")" 1
is "without the secret, also to who does not know it" "$(grep -c correct-horse <<<"$out")" 0
echo 'return { name = "q", secrets = { pass = "env:HIDDEN" },
  policies = { "tool_rounds", { "./rule.lua", word = "correct-horse-battery" } } }' >q.lua
refused 5 "another order" "since the session was started: their order is another" resume turned
finish
