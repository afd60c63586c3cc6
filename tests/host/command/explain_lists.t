#!/bin/bash
# explain_lists.t - where one policy stands in two lists, the profile's and agents', with other
# options, policy explain says of each answer whose it is: as the lists that the profile has say.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >see.lua <<'E'
local policy = { name = "see", version = 1, options = { n = 1, word = "none" } }
function policy.checkpoint(at, opt)
  if at.since.boundaries >= opt.n then return "every " .. opt.n end
end
function policy.redact(item, opt) return ck.mask(item.value, opt.word) end
function policy.permit(effect, _, opt)
  if opt.n == 3 and effect.tool == "look" then return ck.deny("n is 3") end
end
return policy
E
cat >other.lua <<'E'
return { name = "other", version = 1, checkpoint = function() return nil end }
E
cat >both.lua <<'E'
return { name = "both", policies = { { "./see.lua", n = 2, word = "Ada" }, "./other.lua" },
  agents = { shop = { policies = { { "./see.lua", n = 3, word = "Bob" } } } } }
E
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { start = "sell", edges = { sell = "wait", wait = flow.done }, nodes = {
  sell = flow.agent { name = "shop", prompt = "Sell.", tools = { look = "pure" },
    user = flow.ask {}, stop = function() return true end },
  wait = flow.lua(function(ctx) ctx.pause("a person looks") end) } }
E
cat >cassette.jsonl <<'E'
{"cassette":1}
{"scope":"main.shop","kind":"ask","answer":"Hello"}
{"scope":"main.shop","kind":"model","message":MESSAGE}
{"scope":"main.shop","kind":"tool","index":0,"name":"look","arguments":"{}","result":"n is 3"}
{"scope":"main.shop","kind":"model","message":{"role":"assistant","content":"Bye."}}
E
call='{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}'
sed -i "s/MESSAGE/{\"role\":\"assistant\",\"content\":\"Ada and Bob.\",\"tool_calls\":[$call]}/" \
  cassette.jsonl
exits 8 "a session" run flow.lua --cassette cassette.jsonl --profile ./both.lua --session s
exits 0 "explained" --json policy explain s
printf '%s\n' "$out" >told

# seq KIND [MEMBER]: of the first row of the kind, and that has the member.
seq() {
  perl -MJSON::PP -ne 'BEGIN { ($kind, $has) = splice @ARGV, 0, 2 } my $e = decode_json($_);
    print("$e->{seq}\n"), exit if $e->{kind} eq $kind && (!$has || $e->{$has})' "$1" "${2:-}" told
}
row() { "$CKRUN" policy explain s | awk -F'\t' -v seq="$1" '$1 == seq' | cut -f 6; }

denied=$(seq outcome reason)
is "who denied an effect, and who let it begin" "$(row "$denied")" "main.shop@sell#1/start/tool/1 \
(look) was denied; deny: see of agent shop; allow: see of the profile"
exits 0 "in sentences" policy explain s "$denied"
has "with the options of each" "$out" 'options in force of see of the profile: {"n":2'
has "too" "$out" 'options in force of see for agent shop: {"n":3'

masked=$(seq outcome redacted)
is "who masked texts" "$(row "$masked")" "see of the profile masked texts of content: \
message.content; see of agent shop masked texts of content: message.content"
is "as JSON" "$(json "$(grep -F "\"seq\":$masked," told)" \
  '[map { [@$_{qw(policy agent)}] } @{$d->{redacted}}]')" \
  '[["see",null],["see","shop"]]'
exits 0 "in sentences" policy explain s "$masked"
has "too, one each" "$out" "policy see of the profile masked texts of content: message.content
policy see of agent shop masked texts of content: message.content"

round=$(seq boundary)
is "who said no where its agent acts" "$(row "$round")" "no: other, see of agent shop"
exits 0 "in sentences" policy explain s "$round"
has "of which list it is" "$out" "see (version 1, of agent shop) said no"
exits 0 "the end" policy explain s latest
has "there it is the profile's" "$out" "see (version 1, of the profile) said"

echo 'return { name = "one", policies = { { "./see.lua", word = "Ada" } } }' >one.lua
exits 8 "in one list alone" run flow.lua --cassette cassette.jsonl --profile ./one.lua \
  --session one
ok "the name is enough" eval \
  '! { "$CKRUN" policy explain one; "$CKRUN" policy explain one latest; } | grep "of the profile"'

sed -i 's/n = 3/n = 4/' both.lua
run resume s --dry-run
is "a dry run tells the lists apart" "$(grep ^policy <<<"$out" | sed 's/ 1 [0-9a-f]*//')" \
  "$(printf 'policy\t%s\n' 'see, changed' other 'see, for agent shop, changed')"
finish
