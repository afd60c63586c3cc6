#!/bin/bash
# explain_effects.t - who let an effect begin, denied it, had a person asked; what each policy said
# of an effect in doubt, also that it had no opinion: recorded with what followed, and told.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# policy NAME HOOK BODY: NAME.lua
policy() {
  echo "return { name = \"$1\", version = 1, $2 = function(effect) $3 end }" >"$1.lua"
}
# profile NAME POLICY...: NAME.profile.lua
profile() {
  local name=$1 list=
  shift
  for one in "$@"; do list="$list\"./$one.lua\", "; done
  echo "return { name = \"$name\", policies = { \"every_boundary\", $list } }" >"$name.profile.lua"
}
policy calm permit ''
policy strict permit 'return ck.deny "never"'
policy asks permit 'return ck.ask "may it?"'
policy broken permit 'error "lost"'
policy never permit 'return ck.deny "too late"'
for word in stop rerun tell; do policy "$word" in_doubt "return \"$word\""; done
policy unsure in_doubt ''
policy fails in_doubt 'error "no idea"'

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "first", nodes = {
  first = flow.lua(function(ctx) ctx.memory.a = 1 end),
  act = flow.exec { argv = { "true" }, class = "once" } },
  edges = { first = "act", act = flow.done } }
E
key=main/act#1/exec/1
# rows SESSION KIND: what explain says of events of that kind.
rows() { "$CKRUN" policy explain "$1" | grep -P "^\d+\t$2\t" | cut -f 6; }
# seq SESSION KIND: of the first such event.
seq() {
  "$CKRUN" --json sessions log "$1" --all --kind "$2" | head -1 | sed 's/.*"seq":\([0-9]*\),.*/\1/'
}
answers() { json "$out" '[$d->{hook}, map { "$_->{policy} $_->{answer}" } @{$d->{answers}}]'; }

# ---- an effect that nobody objects to ----
profile allowed calm
exits 0 "it is done" run flow.lua --profile ./allowed.profile.lua --session allowed
is "its row is none of those that tell of a decision" "$(rows allowed intent)" ""
exits 0 "its event" policy explain allowed "$(seq allowed intent)"
is "says who let it begin" "$(head -1 <<<"$out")" \
  "event $(seq allowed intent), intent: $key was begun; allow: calm"
exits 0 "as JSON" --json policy explain allowed "$(seq allowed intent)"
is "the same, and who was not asked" "$(answers)$(json "$out" '$d->{not_asked}')" \
  '["permit","calm allow"]["every_boundary"]'

# ---- one that is denied ----
profile denied calm strict never
run run flow.lua --profile ./denied.profile.lua --session denied
is "the outcome says who denied it, and who let it begin; who comes behind was not asked" \
  "$(rows denied outcome)" "$key was denied; deny: strict; allow: calm"
has "the reason, too" "$("$CKRUN" policy explain denied "$(seq denied outcome)")" "the reason: "
exits 0 "as JSON" --json policy explain denied "$(seq denied outcome)"
is "the same" "$(answers)$(json "$out" '$d->{not_asked}')" \
  '["permit","calm allow","strict deny"]["every_boundary","never"]'

# ---- one that a person is asked about ----
profile asked calm asks broken
run run flow.lua --profile ./asked.profile.lua --session asked
is "the question says who asks, and who failed" "$(rows asked intent)" \
  "$key/permit is put to a person; ask: asks; failed: broken; allow: calm"
exits 0 "it is answered" answer asked allow
run resume asked
is "the resume begins it with the answer that was given" \
  "$("$CKRUN" --json sessions log asked --kind outcome | grep -c "\"key\":\"$key\",")" 1

# ---- in doubt ----
killer die.sh "$dir/ran"
cat >no_user.lua <<'E'
return { name = "no_user", version = 1, permit = function(effect)
  if effect.tool == "get_user_details" then return ck.deny("not now") end
end }
E
profile call no_user
run run "$flow" --cassette "$cassette" --profile ./call.profile.lua --session call
denied=$("$CKRUN" policy explain call | grep ' was denied' | head -1)
has "of a call the row has the tool" "$denied" "(get_user_details) was denied; deny: no_user"
exits 0 "its event" policy explain call "$(cut -f 1 <<<"$denied")"
has "says why" "$out" "the reason: not now"
exits 0 "as JSON" --json policy explain call "$(cut -f 1 <<<"$denied")"
is "both" "$(json "$out" '[@$d{qw(tool reason)}]')" '["get_user_details","not now"]'
sed 's#"true"#"'"$dir"'/die.sh"#' flow.lua >die.lua
# doubt SESSION POLICY...: a session that was killed in its effect, and resumed.
doubt() {
  local name=$1
  shift
  rm -f ran
  profile "$name" "$@"
  run run die.lua --profile "./$name.profile.lua" --session "$name"
  run resume "$name"
}
doubt again unsure rerun stop
is "a policy's word has who had no opinion" "$(rows again resolution)" \
  "$key, in doubt: rerun said retry; rerun: rerun; no opinion: unsure"
exits 0 "as JSON" --json policy explain again "$(seq again resolution)"
is "the same" "$(answers)" '["in_doubt","unsure no opinion","rerun rerun"]'
doubt told tell unsure
is "who comes behind the first word was not asked" "$(rows told resolution)" \
  "$key, in doubt: tell said tell; tell: tell"
doubt stopped unsure stop
is "a session that stops says who had it stop" "$(rows stopped session_paused)" \
  "in doubt; stop: stop; no opinion: unsure"
doubt silent unsure
is "or that nobody knew" "$(rows silent session_paused)" "in doubt; no opinion: unsure"
exits 0 "as JSON" --json policy explain silent "$(seq silent session_paused)"
is "the same" "$(answers)" '["in_doubt","unsure no opinion"]'
doubt failed unsure fails
is "or who failed" "$(rows failed session_paused)" "in doubt; failed: fails; no opinion: unsure"
exits 0 "the stores are sound" store verify
finish
