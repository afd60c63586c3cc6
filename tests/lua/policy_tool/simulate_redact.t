#!/bin/bash
# simulate_redact.t - policy simulate --hook redact: what would be masked in recorded sessions, by
# policy, rule and key, with samples that never show it.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

cat >names.lua <<'E'
return { name = "names", version = 2,
  redact = function(item) return ck.mask(item.value, "Ada|Bob") end }
E
cat >keys.lua <<'E'
return { name = "keys", version = 1, redact = function(item)
  if item.key == "memory.card" then return ck.mask end
  if item.key == "memory.gone" then return ck.drop end
end }
E
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.lua(function(ctx)
      ctx.memory.who = { name = "Ada", list = { "Eve", "Bob" } }
      ctx.memory.card, ctx.memory.gone = ("41"):rep(9), ("un"):rep(9)
      ctx.memory.old = "[redacted:policy:0123456789ab] said Bob"
      ctx.memory.text = ("é"):rep(50) .. "Bob" .. ("ü"):rep(50)
    end),
    b = flow.lua(function(ctx)
      ctx.pause("Bob must look at the eleven papers of today")
      ctx.pause("Ada must look at them, too")
    end) },
  edges = { a = "b", b = flow.done } }
E
echo 'return { name = "open", policies = { "every_boundary" } }' >open.lua
echo 'return { name = "strict", policies = { "every_boundary", "./names.lua", "./keys.lua" } }' \
  >strict.lua
exits 8 "a session that keeps all" run flow.lua --profile open.lua --session one
exits 8 "another" run flow.lua --profile open.lua --session two
exits 8 "which pauses twice" resume two
before=$("$CKRUN" store stats | grep -v wal_bytes)

exits 0 "as JSON" --json policy simulate --hook redact --profile strict.lua
rows='map { my $r = $_; join " ", @$r{qw(policy rule where count in_sessions)} }
  @{$d->{profiles}[0]{masked}}'
# The content of the pause is asked about; the checkpoint has the keys.
is "each key and event of both sessions" "$(json "$out" "join ';', sort $rows")" "$(printf '%s;' \
  'keys drop memory.gone 2 2' 'keys mask memory.card 2 2' \
  'names texts files.flow 2 2' 'names texts memory.old 2 2' \
  'names texts memory.text 2 2' 'names texts memory.who 2 2' \
  'names texts session_paused 3 2' | sed 's/;$//')"
# Each item is one policy's here, so that their counts are those of the items.
is "as many items are otherwise than recorded as are masked, none was masked whole" \
  "$(json "$out" 'my $p = $d->{profiles}[0]; my $n = 0; $n += $_->{count} for @{$p->{masked}};
    [$p->{otherwise} - $n, $p->{items} - $p->{as_recorded} - $n, $p->{unknown}]')" "[0,0,0]"
ok "some are as recorded" test "$(json "$out" '$d->{profiles}[0]{as_recorded}')" -gt 0
samples='map { $_->{where} . "=" . join "|", @{$_->{samples}} } grep { @{$_->{samples}} }
  @{$d->{profiles}[0]{masked}}'
told=$(json "$out" "join ';', sort $samples" | sed 's/\[redacted:[^]]*\]/X/g')
has "what stands around, twenty characters each way, whole ones" "$told" \
  "memory.text=$(printf 'é%.0s' {1..20})X$(printf 'ü%.0s' {1..20})"
has "not around what was masked before" "$told" 'ab] said X";'
has "of an event, too" "$told" 'session_paused={"reason":"X must look at the el'
hides() { if [[ $2 == *"$3"* ]]; then is "$1" "$2" "nothing of $3"; else ok "$1" true; fi; }
for secret in Ada Bob 4141 unun; do hides "never $secret" "$out" "$secret"; done

exits 0 "as lines" policy simulate --hook redact --profile open.lua --profile strict.lua two
is "a line each" "$(cut -f1-6 <<<"$out" | tr '\t' ' ' | sort | tr '\n' ';')" "$(printf '%s;' \
  'strict keys drop memory.gone 1 1' 'strict keys mask memory.card 1 1' \
  'strict names texts files.flow 1 1' 'strict names texts memory.old 1 1' \
  'strict names texts memory.text 1 1' 'strict names texts memory.who 1 1' \
  'strict names texts session_paused 2 1')"
for secret in Ada Bob 4141 unun; do hides "never $secret in a line" "$out" "$secret"; done

exits 8 "a session that was masked when it ran" run flow.lua --profile strict.lua --session three
exits 0 "is looked at" policy simulate --hook redact --profile strict.lua three
is "and has nothing more to mask" "$out" ""
ok "all is as recorded, but for the card, the flow and a policy, which are not there any more" \
  grep -qP '^strict: of (\d+) items \1 as recorded, 0 otherwise; .*, not asked about: 3$' \
  <<<"$err"
is "a run under it keeps just the texts that are told" \
  "$("$CKRUN" --json sessions inspect three --files | perl -MJSON::PP -ne 'my $f = decode_json($_);
    print "$f->{kind} " if !$f->{kept}')" "flow policy "
cat >listed.lua <<'E'
return { name = "listed", version = 1, options = { names = { "Zoe" }, other = { "x" } },
  redact = function(item, opt) return ck.mask(item.value, opt.names) end }
E
cat >own.lua <<"E"
return { name = "own", policies = { { "./listed.lua", names = { "Cleo", "Zeno" } } } }
E
exits 0 "a profile with a list of names" \
  --json policy simulate --hook redact --profile own.lua one
is "is asked about the list itself, as a run is, by the option's name" \
  "$(json "$out" "join ';', sort $rows")" 'listed texts options.names 1 1'
hides "and does not show it" "$out" Cleo
exits 0 "a policy alone" policy simulate --hook redact --policy ./keys.lua one
is "masks its keys" "$(cut -f4 <<<"$out" | sort | tr '\n' ' ')" "memory.card memory.gone "
echo 'return { name = "weak", version = 1, redact = function() error "no" end }' >weak.lua
exits 5 "a policy that fails" policy simulate --hook redact --policy ./weak.lua one
has "is told" "$err" "weak.lua"
refused 2 "a list" "each policy, rule, and key or event is listed, with a sample cut" \
  policy simulate one --hook redact --list
exits 8 "a second time" run flow.lua --profile open.lua --session four
before=$("$CKRUN" store stats | grep -v wal_bytes)
exits 0 "looking" policy simulate --hook redact --profile strict.lua
is "writes nothing" "$("$CKRUN" store stats | grep -v wal_bytes)" "$before"
# ---- what is shown of an item is what live shows: the events that it takes something out of ----
cat >all.lua <<'E'
return { name = "all", version = 1, redact = function(item)
  if not item.key then return ck.mask(item.value, "[a-z]{2,}") end
end }
E
echo 'return { name = "masks", policies = { "every_boundary", "./all.lua" } }' >masks.lua
exits 8 "a session without a mask" run flow.lua --profile open.lua --session without
exits 8 "one with" run flow.lua --profile masks.lua --session with
live=$("$CKRUN" --json sessions log with --all | perl -MJSON::PP -ne '
  my $e = decode_json($_);
  $n{$e->{kind}}++ if ref $e->{body}{redacted} eq "HASH";
  END { print join ";", map { "$_ $n{$_}" } sort keys %n }')
run --json policy simulate --hook redact --policy ./all.lua without
is "by kind, as many" \
  "$(json "$out" 'join ";", sort map { "$_->{where} $_->{count}" } @{$d->{profiles}[0]{masked}}')" \
  "$live"
first=$("$CKRUN" --json sessions log without --all | head -1)
has "the first event" "$first" '"flow":"'
exits 5 "is no item" policy eval without#1 -e item
has "for it has no content" "$err" "there is no 'item' at this event"
exits 8 "one with an input" run flow.lua --profile open.lua --session given \
  --input '{"word":"abc"}'
run --json policy eval given#1 -e 'item.value'
is "of the first event the input alone is one" "$(json "$out" '$d->{values}[0]')" \
  '{"input":{"word":"abc"}}'
seq=$("$CKRUN" --json sessions log without --kind session_paused | sed 's/.*"seq":\([0-9]*\).*/\1/')
run --json policy eval "without#$seq" -e 'item.value'
is "of a pause its reason" "$(json "$out" 'join ",", sort keys %{$d->{values}[0]}')" reason
finish
