#!/bin/bash
# facts.t - facts list, get, set and delete: what outlives sessions, for all agents or for one,
# apart from every session's state; what is set by hand is masked; with and without a key.
. "$(dirname "$0")/../tap.sh"
secret=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefgh-AAAAAA
own=hunter2-of-the-test-0123456789

write() { # write NAME BODY: a flow of this body
  cat >"$dir/$1.lua" <<FLOW
local flow = require "ck.flow"
return flow.custom { name = "$1", run = function(ctx)
$2
end }
FLOW
}
write keeps 'ctx.facts.put("capital", { of = "France", is = "Paris" })
  ctx.facts.put("style", "short", "writer") ctx.facts.put("capstan", 1)
  ctx.memory.capital = "of the state"
  return 1'
write knows 'return { ctx.facts.get("capital").is, ctx.facts.get("style", "writer"),
  tostring(ctx.facts.get("style")), tostring(ctx.memory.capital) }'
write pauses 'if not ctx.position then
    ctx.facts.put("seen", 1)
    ctx.memory.x = 1
    ctx.boundary("step_complete", { position = { path = "a" } })
    ctx.pause("here")
  end
  return ctx.facts.get("capital")'
write leaks 'ctx.facts.put("'$secret'", 1)'

# listed: "AGENT/KEY=VALUE" of each line.
listed() {
  local line
  while read -r line; do
    json "$line" '($d->{agent} // "") . "/$d->{key}=" . JSON::PP->new->canonical->allow_nonref
      ->encode($d->{value}) . " "'
  done <<<"$out"
}

tour() { # tour KIND: with the store's options in the environment
  local of=$1
  exits 0 "$of: a fact makes the store" facts set first 1
  exits 0 "$of: it is removed" facts delete first
  exits 0 "$of: no facts" facts list
  is "$of: none are listed" "$out" ""
  exits 0 "$of: none as JSON" --json facts list
  is "$of: nor as JSON" "$out" ""
  exits 0 "$of: a flow keeps some" run "$dir/keeps.lua" --session "keeps"
  exits 0 "$of: they are listed" --json facts list
  is "$of: in the order of agent and key" "$(listed)" \
    '/capital={"is":"Paris","of":"France"} /capstan=1 writer/style="short" '
  ok "$of: each is dated" test "$(json "$(head -n 1 <<<"$out")" \
    '$d->{updated} =~ /^20\d\d-\d\d-\d\dT[\d:.]+Z$/ ? 1 : 0')" = 1
  exits 0 "$of: of a prefix" --json facts list --prefix capi
  is "$of: one begins so" "$(listed)" '/capital={"is":"Paris","of":"France"} '
  exits 0 "$of: of an agent" --json facts list --agent writer
  is "$of: its own alone" "$(listed)" 'writer/style="short" '
  exits 0 "$of: of all agents" --json facts list --shared --limit 1
  is "$of: up to a number" "$(listed)" '/capital={"is":"Paris","of":"France"} '
  exits 0 "$of: for people" facts list --limit 2
  is "$of: rows of agent, key, time, value" "$(tail -n 1 <<<"$out" | cut -f 1,2,4)" \
    "$(printf '\tcapstan\t1')"
  has "$of: and that there are more" "$err" "more than 2"

  exits 0 "$of: one is got" facts get capital
  is "$of: as JSON" "$(json "$out" '$d->{is}')" Paris
  exits 0 "$of: with its key" --json facts get style --agent writer
  is "$of: and its agent" "$(json "$out" '"$d->{agent} $d->{key} $d->{value}"')" \
    "writer style short"
  refused 3 "$of: an agent's is not everybody's" "no fact 'style'" facts get style
  refused 3 "$of: nor another's" "agent ann has no fact 'style'" facts get style --agent ann

  exits 0 "$of: one is set" facts set capital '{"is": "Rome"}'
  exits 0 "$of: a text" facts set style long --agent writer
  exits 0 "$of: a flow is run" --json run "$dir/knows.lua" --session knows
  is "$of: it reads both, and its state has none" "$(json "$(tail -n 1 <<<"$out")" \
    'join " ", @{$d->{result}}')" "Rome long nil nil"
  exits 0 "$of: one is deleted" facts delete capital
  refused 3 "$of: and gone" "no fact 'capital'" facts get capital
  refused 3 "$of: it is not deleted twice" "no fact 'capital'" facts delete capital
  exits 0 "$of: the store is whole" store verify
}
tour plain
export CKRUN_STORE=sqlite:$dir/sealed/ckrun.db
CKRUN_KEY=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export CKRUN_KEY
tour sealed
ok "sealed: no value is readable in the files" \
  test -z "$(grep -rlaF -e Rome -e '"long"' -e '"short"' "$dir/sealed")"
unset CKRUN_KEY
ok "sealed: nor without the key" test "$("$CKRUN" facts get style --agent writer \
  >/dev/null 2>&1; echo $?)" != 0
export CKRUN_STORE=sqlite:$dir/store/ckrun.db

# ---- apart from sessions ----

exits 0 "a fact" facts set capital '"Bern"'
exits 8 "a session pauses" run "$dir/pauses.lua" --session p
exits 0 "it is changed" facts set capital '"Wien"'
run sessions rewind p --to 1
exits 0 "what it had put is not undone with it" facts get seen
exits 0 "the session goes on" --json resume p
is "what it asks anew it reads anew" "$(json "$(tail -n 1 <<<"$out")" '$d->{result}')" "Wien"
exits 0 "a session is deleted" sessions delete p
exits 0 "its facts are not" facts get seen

# ---- secrets ----

exits 0 "a value that holds a secret" --json facts set note "my key is $secret, keep it"
is "is masked" "$(json "$out" '$d->{masked} ? "yes" : "no"')" yes
has "and told as it is kept" "$out" "[redacted:"
exits 0 "under a telling name" facts set password swordfish
has "it is said" "$err" "masked"
exits 0 "a name tells what it is" --json facts get password
ok "and it is masked" test -z "$(grep -F swordfish <<<"$out")"
cat >"$dir/own.lua" <<'END2'
return { name = "own", extends = "default", secrets = { mine = "env:MINE" } }
END2
export MINE=$own
exits 0 "a profile's secret" facts set note2 "say $own" --profile "$dir/own.lua"
ok "no secret is in the store" test -z \
  "$(grep -rlaF -e abcdefghijklmnopqrstuvwxyz0123456789 -e swordfish -e "$own" "$dir/store")"
refused 5 "a key that is a secret" "a fact's key must not hold a secret" facts set "$secret" 1
refused 5 "an agent that is one" "a fact's agent must not hold a secret" \
  facts set k 1 --agent "$secret"
exits 1 "nor does a flow keep a key that is one" run "$dir/leaks.lua" --session leaks
ok "it is in no file" test -z \
  "$(grep -rlaF abcdefghijklmnopqrstuvwxyz0123456789 "$dir/store")"

echo 'return { name = "guests", version = 1,
  redact = function(item) return ck.mask(item.value, "guest-[0-9]+") end }' >"$dir/guests.lua"
echo 'return { name = "g", extends = "default", policies = { "./guests.lua" } }' >"$dir/g.lua"
refused 5 "a key that a policy masks" "a fact's key must not hold what a policy masks" \
  facts set guest-77 1 --profile "$dir/g.lua"
ok "it is in no file either" test -z "$(grep -rlaF guest-77 "$dir/store")"

# ---- mistakes ----

refused 2 "a value that begins like JSON" "begins like JSON and is none" facts set k '[1,'
refused 2 "null" "a fact cannot be null" facts set k null
refused 2 "an empty key" "key that is not empty" facts set "" 1
refused 2 "an empty agent" "--agent" facts set k 1 --agent ""
refused 2 "both of all and of one" "--shared and --agent" facts list --shared --agent a
refused 3 "no such profile" "nowhere" facts set k 1 --profile "$dir/nowhere.lua"
refused 2 "a limit of nothing" "--limit" facts list --limit 0
exits 0 "a text with a dash" facts set -- n -1
exits 0 "is a number" facts get n
is "as it was given" "$out" -1

# ---- nobody reads the list ----

export CKRUN_STORE=sqlite:$dir/long.db
long=$(printf '%6000d' 0 | tr 0 x)
for key in a b; do exits 0 "a long one" facts set $key "\"$long\""; done
sqlite3 "$dir/long.db" "UPDATE fact SET value = x'00' WHERE key = 'b'"
mkfifo "$dir/pipe"
for json in "" --json; do
  exits 7 "whose second one is not what was written" $json facts list
  exec 3<>"$dir/pipe" 4>"$dir/pipe" 3<&-
  "$CKRUN" $json facts list >&4 2>"$dir/err"
  is "is not looked at when its reader has gone before" "$?$(cat "$dir/err")" 141
  exec 4>&-
done

export CKRUN_STORE=sqlite:$dir/none/ckrun.db
refused 3 "a named store that is not there" "none/ckrun.db" facts list
refused 3 "deletes nothing" "none/ckrun.db" facts delete k
ok "and is not made" test ! -e "$dir/none"
unset CKRUN_STORE
exits 0 "the user's own store that is not there yet" facts list
refused 3 "has no fact" "no fact 'k'" facts get k
refused 3 "nor any to delete" "no" facts delete k
finish
