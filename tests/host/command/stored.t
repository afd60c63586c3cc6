#!/bin/bash
# stored.t - where the files are gone, a resume runs what the store kept of the last run: only when
# a person asks for it, in a store with a key or each file by its digest; nobody who can write the
# store, no client and no document can have anything run.
. "$(dirname "$0")/../tap.sh"
tamper=${CKRUN_BUILD:?the folder of the build}/tests/attack/tool_tamper
cd "$dir" || exit 1
umask 077

# project FOLDER: a flow that pauses once, then runs a program; a profile, and a policy beside it.
project() {
  mkdir "$1"
  cat >"$1/flow.lua" <<'END'
local flow = require "ck.flow"
return flow.custom {
  name = "two",
  tools = { say = { class = "pure", argv = { "echo", "\"kept words\"" } } },
  run = function(ctx)
    if not ctx.position then
      ctx.boundary("tool_round", { position = { path = "step#1" } })
      ctx.pause("half of it")
    end
    return ctx.effect({ kind = "tool", class = "pure",
      request = { name = "say", index = 0, arguments = {} } }).result
  end,
}
END
  cat >"$1/mine.lua" <<'END'
return { name = "mine", extends = "default", policies = { "./rule.lua" } }
END
  cat >"$1/rule.lua" <<'END'
local policy = { name = "rule", version = 1 }
function policy.checkpoint() return "the kept rule" end
return policy
END
}
digest() { b2sum -l 256 "$1" | cut -d' ' -f1; }
start() {
  exits 8 "session $1" run project/flow.lua --profile project/mine.lua --session "$1"
}
here=$(realpath .)
project project
for name in alone changed tampered other client; do start $name; done
cat >project/once.lua <<'END'
return { name = "once", version = 1, checkpoint = function() return "once alone" end }
END
exits 8 "a run with a policy of its own" run project/flow.lua --profile project/mine.lua \
  --session added --policy project/once.lua
trust=
for file in flow mine rule; do trust="$trust --trust-flow $(digest project/$file.lua)"; done
mv project gone
mkdir work

# ---- the store alone, without a key ----
exits 5 "never by itself" resume alone --directory work
has "the flow is missing" "$err" "$here/project/flow.lua: there is no such file"
has "what the store kept is named" "$err" "--flow stored"
exits 5 "not without trust" resume alone --directory work --flow stored
for file in flow mine rule; do
  has "$file.lua is shown with its digest" "$err" \
    "$here/project/$file.lua would be run from a store without a key"
  has "its digest is told" "$err" "--trust-flow $(digest gone/$file.lua)"
done
exits 5 "nor when one of them is not trusted" resume alone --directory work --flow stored \
  --trust-flow "$(digest gone/flow.lua)" --trust-flow "$(digest gone/mine.lua)"
has "which is that one" "$err" "policy $here/project/rule.lua would be run"
ok "and no other" test "$(grep -c 'would be run' <<<"$err")" = 1

# ---- a policy that the run before had for itself alone ----
exits 5 "what will run wants trust" resume added --directory work --flow stored
is "the flow, the profile, its policy, and nothing of the run before" \
  "$(grep -c 'would be run' <<<"$err") $(grep -c 'once.lua' <<<"$err")" "3 0"
exits 5 "unless this run asks for it, too" resume added --directory work --flow stored $trust \
  --policy "$here/project/once.lua"
has "then it wants trust" "$err" "policy $here/project/once.lua would be run"
exits 0 "with trust of what runs it goes on" resume added --directory work --flow stored $trust
is "without the other's policy" "$("$CKRUN" --json sessions checkpoints added | tail -n 1 |
  grep -c 'once alone')" 0

exits 5 "a digest of something else" resume alone --directory work --flow stored $trust \
  --trust-flow "$(digest /dev/null)"
has "is told" "$err" "no file that the session ran has it"
exits 2 "trust without a stored flow" resume alone --trust-flow "$(digest gone/flow.lua)"
exits 0 "so far nothing was resumed" --json sessions show alone
is "at all" "$(json "$out" '$d->{epoch}')" 1
exits 0 "a dry run with trust" --json resume alone --directory work --flow stored $trust --dry-run
is "tells what would run" "$(json "$out" 'join " ", map { $_->{digest} }
  grep { $_->{file} =~ /project/ } @{$d->{stored}}')" \
  "$(digest gone/flow.lua) $(digest gone/mine.lua) $(digest gone/rule.lua)"
exits 0 "the store alone goes on" resume alone --directory work --flow stored $trust
is "with the kept flow" "$(cell "$out" result)" "kept words"
has "which is shown" "$err" "from the store: flow $here/project/flow.lua, digest"
exits 0 "its boundaries" sessions log alone --kind boundary --json
is "were decided by the kept policy" "$(grep -c 'the kept rule' <<<"$out")" 3
exits 0 "its runs" --json sessions show alone
is "say so" "$(json "$out" 'join " ", map { $_->{stored} ? "stored" : $_->{flow} }
  @{$d->{runs}}')" "$here/project/flow.lua stored"
exits 0 "what the second run executed" sessions inspect alone --file flow.lua
is "is known, too" "$out" "$(cat gone/flow.lua)"

# ---- one that pauses again: the folder that it was given stays, its flow must be asked for ----
mkdir far
cat >far/flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "far", start = "a",
  nodes = { a = flow.lua(function(ctx) ctx.pause("first") end),
    b = flow.lua(function(ctx) ctx.pause("second") end),
    c = flow.exec { argv = { "pwd" } } },
  edges = { a = "b", b = "c", c = flow.done } }
END
exits 8 "a session that pauses twice" run far/flow.lua --session far
mv far farther
exits 8 "its second pause, with what the store kept" resume far --directory work --flow stored \
  --trust-flow "$(digest farther/flow.lua)"
exits 5 "the next resume" resume far
has "names what can be done about the flow" "$err" "--flow stored"
is "and no folder that is gone" "$(grep -c 'cannot be entered' <<<"$err")" 0
exits 0 "it goes on when that is done" resume far --flow stored \
  --trust-flow "$(digest farther/flow.lua)"
has "in the folder that it was given" "$out" "$here/work"

# ---- a profile of the command line, a file called stored ----
exits 5 "another profile is a file" resume other --directory work --flow stored --profile \
  "$here/gone/mine.lua"
ok "which needs no trust, unlike the flow" test "$(grep -c 'would be run' <<<"$err")" = 1
cp gone/flow.lua stored
exits 0 "a file of that name is ./stored" resume other --directory work --flow ./stored --profile \
  "$here/gone/mine.lua" --dry-run
is "and no stored flow" "$(cell "$out" flow)" "$here/stored"
rm stored

# ---- rows that somebody changed ----
sqlite3 store/ckrun.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp -r store kept
sign="UPDATE blob SET \"check\" = row_check('blob', name, kind, encoding, plain_len, mac, key_id,
  body, signatures);"
about="UPDATE timeline SET \"check\" = row_check_grown('timeline', session, no, parent, cut,
  \"begin\", checkpoint, attempt, run, parent_run, about)"
body="CAST(replace(CAST(body AS TEXT), 'kept words', 'evil words') AS BLOB)"
ok "a kept flow is changed" "$tamper" store/ckrun.db "UPDATE blob SET body = $body; $sign"
exits 7 "it is refused with all trust" resume tampered --directory work --flow stored $trust
has "by its name" "$err" "flow $here/project/flow.lua"
sed 's/kept words/evil words/' gone/flow.lua >evil.lua
ok "with its digest, too, by one who knows how" "$tamper" store/ckrun.db "
  UPDATE blob SET name = x'$(digest evil.lua)' WHERE name = x'$(digest gone/flow.lua)';
  UPDATE timeline SET about = CAST(replace(CAST(about AS TEXT), '$(digest gone/flow.lua)',
    '$(digest evil.lua)') AS BLOB);
  $sign $about"
exits 5 "it is not what is trusted" resume tampered --directory work --flow stored $trust
has "and its digest is shown" "$err" "--trust-flow $(digest evil.lua)"
ok "a shipped policy is the program's, whatever the store says" "$tamper" store/ckrun.db "
  UPDATE timeline SET about = CAST(replace(CAST(about AS TEXT), '\"shipped\":true', '\"x\":0')
    AS BLOB); $about"
exits 5 "so what says to be own is not run untrusted" resume changed --directory work \
  --flow stored $trust
has "but asked about" "$err" "policies/profiles/default.lua would be run"
rm -r store
mv kept store
exits 0 "as it was, it goes on" resume tampered --directory work --flow stored $trust

# ---- who cannot ask for it ----
info='{"name":"t","version":"1"}' given='{"session_id":"client","flow":"stored"}'
"$CKRUN" mcp >out.mcp 2>/dev/null <<END
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
"capabilities":{},"clientInfo":$info}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"resume_session",\
"arguments":$given}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"resume_session",\
"arguments":{"session_id":"client"}}}
END
ok "a client is refused that" grep -q '"id":2.*flow' out.mcp
ok "and a plain resume of it finds no flow" grep -q '"id":3.*there is no such file' out.mcp
exits 0 "so it is where it was" --json sessions show client
is "not resumed" "$(json "$out" '$d->{epoch}')" 1
exits 0 "a session as a document" sessions export client --format session-checkpoint -o client.json
export CKRUN_STORE=sqlite:$dir/elsewhere.db
run sessions import client.json --resume-with stored --session came
has "is not imported onto a stored flow" "$err" "stored: there is no such file"
exits 3 "nor is a session made of it" sessions show came
cat >rounds.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { work = flow.agent { prompt = "Work." } }, rounds = 1 }
END
exits 0 "with a flow from here" sessions import client.json --resume-with rounds.lua --session came
exits 5 "it has none in the store" resume came --flow stored $trust
ok "so nothing of it ran" test -z "$(grep 'kept words' <<<"$out")"
run run stored --session ran
ok "nothing is begun from the store" test "$code" -ne 0

# ---- a store with a key ----
export CKRUN_STORE=sqlite:$dir/sealed.db CKRUN_KEY
CKRUN_KEY=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
cp -r gone project
for name in sealed moved; do start $name; done
rm -r project
exits 5 "not by itself either" resume sealed --directory work
exits 0 "asked for, it goes on" resume sealed --directory work --flow stored
is "with the kept flow" "$(cell "$out" result)" "kept words"
has "and shows the digests" "$err" "digest $(digest gone/rule.lua)"
sqlite3 sealed.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
ok "a row is exchanged for another sealed one" "$tamper" sealed.db "
  UPDATE blob SET body = (SELECT body FROM blob b WHERE b.kind = 'policy') WHERE kind = 'flow';
  $sign"
exits 7 "which is refused" resume moved --directory work --flow stored
has "by name" "$err" "flow $here/project/flow.lua"

# ---- a file that was taken away is found without being asked for ----
gone=$dir/verified.db
exits 8 "a session" --store "$gone" run gone/flow.lua --profile gone/mine.lua --session v
exits 0 "its store is well" --store "$gone" store verify
for taken in "DELETE FROM blob WHERE kind = 'flow'" \
  "DELETE FROM blob_use WHERE blob = (SELECT no FROM blob WHERE kind = 'flow');
   DELETE FROM blob WHERE kind = 'flow'"; do
  cp "$gone" taken.db
  "$tamper" taken.db "$taken"
  exits 7 "a row of it is gone" --store taken.db store verify
  has "the file is named" "$out" "is not kept any more: \"$here/gone/flow.lua\""
  exits 7 "also when that session alone is verified" --store taken.db store verify --session v
  has "and named" "$out" "gone/flow.lua"
  rm -f taken.db*
done
cp "$gone" taken.db
"$tamper" taken.db "DELETE FROM blob_use WHERE blob = (SELECT no FROM blob WHERE kind = 'flow')"
exits 7 "a file that is kept for nobody" --store taken.db store verify
has "is named, for it goes with the next session" "$out" "is kept, but for it no more: \"$here/gone"
finish
