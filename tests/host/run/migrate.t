#!/bin/bash
# migrate.t - a session of an older version of its flow resumes under the newer one as the policies'
# migrate hook says, or not at all; a kill at any call leaves it before or after.
. "$(dirname "$0")/../tap.sh"

profile() { # profile MIGRATE: a profile whose policy has this hook
  cat >"$dir/policy.lua" <<LUA
local policy = { name = "moves", version = 1, options = {} }
function policy.checkpoint() return "always" end
$1
return policy
LUA
  echo 'return { name = "p", extends = "default", policies = { "./policy.lua" } }' \
    >"$dir/profile.lua"
}

old() {
  cat >"$dir/flow.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "f", version = 1, run = function(ctx)
  if not ctx.position then
    ctx.memory.topic = "ships"
    ctx.memory.useless = 1
    ctx.boundary("step_complete", { position = { path = "gather#1", at = "gather" } })
    ctx.pause("half way")
  end
  return ctx.memory.topic
end }
LUA
}

new() {
  cat >"$dir/flow.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom { name = "f", version = 3, reads = { "memory.subject" }, run = function(ctx)
  return { at = ctx.position.at, subject = ctx.memory.subject, topic = ctx.memory.topic,
    useless = ctx.memory.useless }
end }
LUA
}

moves='function policy.migrate(doc, from, to)
  doc["memory.subject"] = doc["memory.topic"] .. from .. to
  doc["memory.topic"] = nil
  doc["memory.useless"] = nil
  doc["position.main"].at.at = "collect"
  return doc
end'

start() {
  old
  run run "$dir/flow.lua" --profile "$dir/profile.lua" --session "$1"
  new
}
resume() { resumed=$1; shift; run --json resume "$resumed" --accept-changed "$@"; }
result() { json "$(tail -n 1 <<<"$out")" '$d->{result}'; }

profile "$moves"
start moved
is "the old flow pauses" "$code" 8
resume moved
is "the new one goes on with it" "$code" 0
is "from where the hook put it, with what it made of the memory" "$(result)" \
  '{"at":"collect","subject":"ships13"}'
is "what it changed is in the transcript" \
  "$("$CKRUN" --json sessions log moved --all | grep '"kind":"edit"' | grep -o '"key":"[^"]*"' | \
    sort -u | tr '\n' ' ')" \
  '"key":"memory.subject" "key":"memory.topic" "key":"memory.useless" "key":"position.main" '
is "and kept by a checkpoint" "$("$CKRUN" --json sessions checkpoints moved | grep -c '"edit"')" 1
exits 0 "the store is whole" store verify

start same
old
resume same
is "the same version needs no hook" "$code $(result)" "0 ships"

profile ""
start unmoved
resume unmoved
is "without a hook the resume is refused" "$code" 5
has "and names both versions" "$out$err" "was left by version 1 of its flow, which is 3 now"
is "nothing was changed" "$("$CKRUN" --json sessions log unmoved --all | grep -c session_resumed)" 0

profile 'function policy.migrate(doc) error("no idea") end'
start raising
resume raising
is "a hook that raises refuses the resume" "$code" 5
has "and is quoted" "$out$err" "no idea"

profile 'function policy.migrate(doc) doc["base"] = 1 return doc end'
start reaching
resume reaching
is "a hook cannot write where no flow can" "$code" 5
has "and is told so" "$out$err" "gave the key 'base'"

# ---- killed at every call of the resume ----

profile "$moves"
if command -v "${CC:-cc}" >/dev/null &&
  "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -DKILL_AT_PRELOAD \
    "$root/tests/crash/kill_at.c" -o "$dir/kill.so" -ldl 2>/dev/null &&
  LD_PRELOAD="$dir/kill.so" "$CKRUN" --version >/dev/null 2>&1; then
  start kill
  cp -r "$dir/store" "$dir/base"
  wrong=0 killed=0
  export CKRUN_COUNTERS=off # the same store is put back again and again
  for ((n = 2; n < 400; n += 3)); do
    rm -rf "$dir/store"
    cp -r "$dir/base" "$dir/store"
    (KILL_AT=$n LD_PRELOAD="$dir/kill.so" "$CKRUN" resume kill --accept-changed >"$dir/talk" 2>&1) \
      2>/dev/null
    [ $? = 137 ] || break
    killed=$((killed + 1))
    resume kill
    [ "$code" = 0 ] && [ "$(result)" = '{"at":"collect","subject":"ships13"}' ] && continue
    [ "$code" = 5 ] && grep -q completed <<<"$out$err" && continue
    wrong=$((wrong + 1))
    echo "# killed at $n: exit $code $out $err" | cut -c1-300
  done
  ok "it was killed at $killed calls" test "$killed" -gt 20
  is "and went on, migrated once, each time" "$wrong" 0
else
  skip "no compiler for the library that kills, or the program takes none in front of it"
fi

echo "1..$checks"
[ "$failed" = 0 ]
