#!/bin/bash
# unmasked.t - where the policies of a profile mask less than before, a resume says by name what no
# policy masks any more, and of nothing else that it is so.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
cat >flow.lua <<'E'
local flow = require "ck.flow"
local function write(ctx)
  ctx.memory.card, ctx.memory.badge, ctx.memory.note = "4111", "1234", "I am Ada"
end
local function again(ctx)
  ctx.memory.card = nil
  write(ctx)
end
local say = flow.exec { argv = { "echo", "Ada" }, class = "pure" }
return flow.graph { start = "a", nodes = { a = write, say = say,
  hold = function(ctx) ctx.pause("first") end, b = again },
  edges = { a = "say", say = "hold", hold = "b", b = flow.done } }
E
cat >names.lua <<'E'
return { name = "names", version = 1, options = { names = { "Ada" } }, redact = function(item, opt)
  local value = item.value
  for _, name in ipairs(opt.names) do value = ck.mask(value, name) end
  return value
end }
E
# profile POLICIES
profile() { echo "return { name = 'p', extends = 'graph', policies = { $1 } }" >p.lua; }
keys() { echo "{ \"redact_keys\", keys = { $1 } }"; }
both='card = "mask", badge = "drop"'
# says SESSION: what the dry run says of it.
says() {
  "$CKRUN" resume "$1" --dry-run 2>/dev/null |
    sed -n 's/^changed\t//p' | grep 'no policy' | paste -sd '|'
}
begin() {
  profile "$(keys "$both"), './names.lua'"
  run run flow.lua --profile ./p.lua --session "$1"
}

begin s
is "while the policies are as they were, nothing is said" "$(says s)" ""
profile "$(keys 'card = "mask"'), './names.lua'"
is "a key that is masked no more" "$(says s)" \
  "memory.badge, which redact_keys masked, is masked by no policy any more"
profile "$(keys "$both, x = \"mask\""), './names.lua'"
is "a policy that masks more" "$(says s)" ""
profile "'./names.lua'"
is "a policy that is not there any more" "$(says s)" \
  "memory.badge, memory.card, which redact_keys masked, are masked by no policy any more"
run --json resume s --dry-run
is "as JSON" "$(json "$out" '[map { ($_->{policy}, $_->{certain} ? "certain" : "maybe",
  @{$_->{where}}) } grep { $_->{what} eq "unmasked" } @{$d->{changes}}]')" \
  '["redact_keys","certain","memory.badge","memory.card"]'
exits 5 "the resume" resume s
has "names it first" "$err" "since the session was started: memory.badge, memory.card, which"
cat >other.lua <<'E'
return { name = "other", version = 1, redact = function(item)
  if item.key == "memory.card" or item.key == "memory.badge" then return ck.mask end
end }
E
profile "'./other.lua', './names.lua'"
is "another policy that masks the same" "$(says s)" ""
profile "$(keys "$both"), { './names.lua', names = { 'Eve' } }"
has "texts whose policy has changed may be" "$(says s)" \
  "what names masked in memory.note, intent, outcome"

# ---- what is said is what happens ----
# stored SESSION: the keys of memory whose values are as the flow wrote them.
stored() {
  "$CKRUN" --json sessions inspect "$1" | perl -MJSON::PP -0ne '
    my %m = %{decode_json($_)->{shared_memory}};
    my %is = (card => "4111", badge => "1234", note => "I am Ada");
    print join " ", grep { defined $m{$_} && $m{$_} eq $is{$_} } sort keys %is'
}
is "before, nothing is stored as it is" "$(stored s)" ""
profile "$(keys 'card = "mask"'), './names.lua'"
exits 0 "a resume that accepts it" resume s --accept-changed
is "stores what was said" "$(stored s)" badge
line=$("$CKRUN" sessions log s | grep session_resumed)
has "and what was accepted is recorded" "$line" "memory.badge, which redact_keys masked"
finish
