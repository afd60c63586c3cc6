#!/bin/bash
# files.t - the flow, the profile and the policies of each run are kept in the store by their
# content, so that it can be seen what ran when the files are gone; none that holds a secret.
. "$(dirname "$0")/../tap.sh"
tamper=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper
cd "$dir" || exit 1
umask 077

# project FOLDER: a flow that pauses, a profile that extends another one, and a policy beside them.
project() {
  mkdir "$1"
  cat >"$1/flow.lua" <<'END'
--- canary of the flow
local flow = require "ck.flow"
return flow.custom {
  name = "two",
  run = function(ctx)
    local turn = ctx.position and ctx.position.turn or 0
    ctx.memory.turn = turn + 1
    ctx.boundary("tool_round", { position = { path = "step#" .. turn + 1, turn = turn + 1 } })
    if turn < 2 then ctx.pause("more to come") end
    return ctx.memory.turn
  end,
}
END
  cat >"$1/base.lua" <<'END'
return { name = "base", extends = "default" }
END
  cat >"$1/mine.lua" <<'END'
return { name = "mine", extends = "./base.lua", policies = { "./rule.lua" } }
END
  cat >"$1/rule.lua" <<'END'
local policy = { name = "rule", version = 1 }
function policy.checkpoint() return "canary of the rule" end
return policy
END
}
digest() { b2sum -l 256 "$1" | cut -d' ' -f1; }
kept() { "$CKRUN" sessions inspect "$@" --files; }
row() { awk -F'\t' -v file="$2" '$2 == file { print $1, $3, $4 }' <<<"$1"; }
start() { exits 8 "session $1" run project/flow.lua --profile project/mine.lua --session "$1"; }
here=$(realpath .)
project project
cp -r project copy
start one
list=$(kept one)
for file in flow:flow mine:profile base:profile rule:policy; do
  name=$here/project/${file%:*}.lua
  is "the ${file#*:} $name is listed with its digest" "$(row "$list" "$name")" \
    "${file#*:} $(digest "$name") yes"
done
is "a shipped profile is, too" "$(row "$list" policies/profiles/default.lua)" \
  "profile $(digest "$root/policies/profiles/default.lua") yes, shipped with ckrun"
start two
is "each is kept once" \
  "$(sqlite3 store/ckrun.db 'SELECT count(*), count(DISTINCT name) FROM blob')" "5|5"

# ---- the files are changed, and gone ----
sed -i 's/canary of the flow/another flow/' project/flow.lua
exits 8 "another flow goes on" resume one --accept-changed
first=$(json "$("$CKRUN" --json sessions checkpoints one | head -n 1)" '$d->{id}')
exits 0 "what ran last" sessions inspect one --file flow.lua
is "is the other flow" "$out" "$(cat project/flow.lua)"
exits 0 "what ran first, by a checkpoint" sessions inspect one "$first" --file flow.lua
is "is the first one" "$out" "$(cat copy/flow.lua)"
rm -r project
for file in flow mine base rule; do
  exits 0 "$file.lua can be seen" sessions inspect two --file "$file.lua"
  is "$file.lua: as it was" "$out" "$(cat "copy/$file.lua")"
done
exits 0 "by its digest" sessions inspect two --file "$(digest copy/rule.lua | cut -c1-8)"
is "the same" "$out" "$(cat copy/rule.lua)"
exits 0 "all as JSON" --json sessions inspect two --files
is "with their texts" "$(grep -cF 'canary of the' <<<"$out")" 2
exits 3 "a file that did not run" sessions inspect two --file other.lua
has "is named, with those that did" "$err" "$here/project/rule.lua"
exits 0 "its state can be inspected without the profile" sessions inspect two
has "all the same" "$out" "memory.turn"
exits 0 "store verify" store verify

# ---- forks, and the end ----
exits 0 "the first session is deleted" sessions delete one
exits 0 "the second one still has its own" sessions inspect two --file rule.lua
exits 0 "a fork of that" sessions fork two --session fork
exits 0 "its origin is deleted" sessions delete two --detach
exits 0 "the fork's files can be seen" sessions inspect fork --file rule.lua
is "as they were" "$out" "$(cat copy/rule.lua)"
exits 0 "the fork is deleted" sessions delete fork
is "with the last session that needs them they are gone" \
  "$(sqlite3 store/ckrun.db "SELECT 'x' FROM blob UNION ALL SELECT 'y' FROM blob_use")" ""
exits 0 "store verify" store verify

# ---- secrets ----
mv copy project
sed -i '1a -- the-key-of-the-door' project/flow.lua
sed -i 's/extends = "default"/extends = "default", secrets = { door = "env:DOOR_KEY" }/' \
  project/base.lua
sed -i "1i -- ghp_$(printf 'a1B2%.0s' 1 2 3 4 5 6 7 8 9)" project/rule.lua
export DOOR_KEY=the-key-of-the-door
start secret
has "a flow with a known secret is named" "$err" "flow $here/project/flow.lua holds a secret"
has "a policy with the shape of one, too" "$err" "policy $here/project/rule.lua holds a secret"
is "the profile, which names one, is not" "$(grep -c 'base.lua holds' <<<"$err")" 0
list=$(kept secret)
is "the flow is not kept" "$(row "$list" "$here/project/flow.lua" | cut -d' ' -f3-)" \
  "no: it held a secret"
exits 3 "nor can it be seen" sessions inspect secret --file flow.lua
has "which is said" "$err" "it held a secret, and is not kept"
exits 0 "the profile can" sessions inspect secret --file base.lua
is "neither secret is in a file of the store" "$(grep -rlaE 'the-key-of-the-door|ghp_a1B2' store |
  wc -l)" 0

# ---- changed rows ----
project plain
exits 8 "a store without a key" run plain/flow.lua --session plain
"$CKRUN" store verify >/dev/null
sqlite3 store/ckrun.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
sign="UPDATE blob SET \"check\" = row_check('blob', name, kind, encoding, plain_len, mac, key_id,
  body, signatures)"
body="CAST(replace(CAST(body AS TEXT), 'canary of', 'danger in') AS BLOB)"
ok "a kept flow is changed, by one who can make checks" \
  "$tamper" store/ckrun.db "UPDATE blob SET body = $body; $sign"
exits 7 "it is not shown" sessions inspect plain --file flow.lua
has "and named" "$err" "flow $here/plain/flow.lua"
exits 7 "verify finds it" store verify
has "by its digest" "$out" "$(digest plain/flow.lua)"

# ---- a store with a key ----
export CKRUN_STORE=sqlite:$dir/sealed.db CKRUN_KEY
CKRUN_KEY=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
exits 8 "a sealed store" run plain/flow.lua --session sealed
exits 0 "what ran" sessions inspect sealed --file flow.lua
is "can be seen with the key" "$out" "$(cat plain/flow.lua)"
is "and is in no file of the store" "$(grep -la 'canary of the flow' sealed.db* | wc -l)" 0
od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >next.key
exits 0 "its key is changed" key rotate --new-key file:next.key
CKRUN_KEY=$(cat next.key)
exits 0 "with the next key" sessions inspect sealed --file flow.lua
is "it can be seen, too" "$out" "$(cat plain/flow.lua)"
exits 0 "store verify" store verify

finish
