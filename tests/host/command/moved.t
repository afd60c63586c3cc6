#!/bin/bash
# moved.t - a session goes on where its files are now: a moved project, the path of another user,
# another folder for its tools.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
umask 022

# project FOLDER: a flow whose two steps run a program of the folder where it was started; its
# profile, which takes a policy from beside it, is in a folder of its own.
project() {
  mkdir -p "$1/flows" "$1/rules"
  cat >"$1/flows/flow.lua" <<'END'
local flow = require "ck.flow"
return flow.custom {
  name = "two",
  tools = { where = { class = "pure", argv = { "./where.sh" } } },
  run = function(ctx)
    for n = ctx.position and ctx.position.turn + 1 or 1, 2 do
      local got = ctx.effect { kind = "tool", class = "pure",
        request = { name = "where", index = 0, arguments = { n = n } } }
      ctx.memory["step" .. n] = got.result
      ctx.boundary("tool_round", { position = { path = "step#" .. n, turn = n } })
      if n == 1 then ctx.pause("half of it") end
    end
    return ctx.memory.step2
  end,
}
END
  printf '#!/bin/sh\necho "\\"$(pwd)\\""\n' >"$1/where.sh"
  chmod +x "$1/where.sh"
  cat >"$1/rules/profile.lua" <<'END'
return { name = "ruled", extends = "default", policies = { "./mine.lua" } }
END
  cat >"$1/rules/mine.lua" <<'END'
local policy = { name = "mine", version = 1 }
function policy.checkpoint() return "mine says so" end
return policy
END
}

# begin SESSION: it is started in old/, and paused behind its first step.
begin() {
  (cd old && "$CKRUN" run flows/flow.lua --profile rules/profile.lua --session "$1") \
    >"$dir/out" 2>"$dir/err"
  is "$1 is paused behind its first step" "$?" 8
}
old=$(realpath .)/old new=$(realpath .)/home/someone/project

# ---- the whole project is moved, and the store with it ----
project old
begin here
begin there
begin third
mkdir -p home/someone
mv old "$new"
mv store home/someone/store
export CKRUN_STORE=sqlite:$dir/home/someone/store/ckrun.db
exits 5 "without a word of the new place it is not resumed" resume here
has "the flow is missing" "$err" "$old/flows/flow.lua: there is no such file"
has "and what names another" "$err" "--flow FILE"
has "the folder is missing" "$err" "the folder $old"
has "and what names another one" "$err" "--directory DIR"
exits 5 "the flow alone is not enough" resume here --flow "$new/flows/flow.lua"
has "its folder cannot be entered" "$err" "the folder $old"
exits 5 "a file is no folder" resume here --flow "$new/flows/flow.lua" \
  --directory "$new/flows/flow.lua"
has "which is told" "$err" "$new/flows/flow.lua"
cd "$new" || exit 1
exits 0 "a dry run with both" resume here --flow flows/flow.lua --directory . --dry-run
is "tells the flow" "$(cell "$out" flow)" "$new/flows/flow.lua"
is "the folder" "$(cell "$out" directory)" "$new"
is "and the profile, which came with them" "$(cell "$out" profile)" "$new/rules/profile.lua"
exits 0 "the same as JSON" resume here --flow flows/flow.lua --directory . --dry-run --json
is "with the same three" "$(json "$out" 'join " ", @$d{qw(flow directory profile)}')" \
  "$new/flows/flow.lua $new $new/rules/profile.lua"
exits 0 "the same flow elsewhere needs no other flag" resume here --flow flows/flow.lua \
  --directory .
is "its tools run in the new folder" "$(cell "$out" result)" "$new"
exits 0 "its log" sessions log here --kind boundary --json
is "the policy beside the profile decided there" "$(grep -c "mine says so" <<<"$out")" 4
exits 0 "it is shown" sessions show here --json
is "where its flow is now, and the folder where it was begun" \
  "$(json "$out" '$d->{flow} . " " . $d->{input}{directory}')" \
  "$new/flows/flow.lua $old"
is "where each run ran" \
  "$(json "$out" 'join " ", map { "$_->{flow} $_->{directory}" } @{$d->{runs}}')" \
  "$old/flows/flow.lua $old $new/flows/flow.lua $new"
is "and on which machine" "$(json "$out" 'join " ", map { $_->{host} } @{$d->{runs}}')" \
  "$(hostname) $(hostname)"
exits 0 "it is shown as text" sessions show here
has "with the place of the run that ran elsewhere" "$(grep ^runs <<<"$out" | tail -n 1)" \
  "$new/flows/flow.lua in $new"
ok "and not of the one that ran where it was begun" \
  test "$(grep ^runs <<<"$out" | head -n 1 | grep -c flow.lua)" = 0

# ---- the place of the last run is that of the next ----
cat >"$dir/again.lua" <<'END'
local flow = require "ck.flow"
return flow.custom {
  name = "thrice",
  tools = { where = { class = "pure", argv = { "./where.sh" } } },
  run = function(ctx)
    for n = ctx.position and ctx.position.turn + 1 or 1, 3 do
      local got = ctx.effect { kind = "tool", class = "pure",
        request = { name = "where", index = 0, arguments = { n = n } } }
      ctx.memory["step" .. n] = got.result
      ctx.boundary("tool_round", { position = { path = "step#" .. n, turn = n } })
      if n < 3 then ctx.pause("more to come") end
    end
    return ctx.memory.step3
  end,
}
END
mkdir "$dir/old"
cp "$dir/again.lua" "$new/where.sh" "$dir/old/"
(cd "$dir/old" && "$CKRUN" run again.lua --session thrice) >/dev/null 2>&1
rm -r "$dir/old"
exits 8 "resumed at another place" resume thrice --flow "$dir/again.lua" --directory "$new"
exits 0 "forked there" sessions fork thrice --session forked
exits 0 "and once more" sessions fork thrice --session other
cd / || exit 1
flow_of() { json "$("$CKRUN" --json sessions show "$1")" '$d->{flow}'; }
flow_listed() { "$CKRUN" --json sessions list "$@" | perl -MJSON::PP -ne '
  $d = decode_json($_); print "$d->{session} $d->{flow}\n" if $d->{session} eq "thrice"'; }
there=$(realpath "$dir")/again.lua
is "show has the flow where it is now" "$(flow_of thrice)" "$there"
is "so has its fork" "$(flow_of forked)" "$there"
is "the list, too" "$(flow_listed)" "thrice $there"
is "which can be of those of that flow" "$(flow_listed --flow "$there")" "thrice $there"
is "and has it not under where it was" "$(flow_listed --flow "$(realpath "$dir")/old/again.lua")" ""
exits 0 "the next resume needs no word of it" resume thrice
is "it ran there again" "$(cell "$out" result)" "$new"
exits 0 "nor does the fork" resume forked
is "which ran there, too" "$(cell "$out" result)" "$new"
mkdir "$dir/elsewhere"
cp "$new/where.sh" "$dir/elsewhere/"
exits 0 "a word of another place counts more" resume other --directory "$dir/elsewhere"
is "its tools run in that" "$(cell "$out" result)" "$(realpath "$dir/elsewhere")"

# ---- a changed flow ----
cd "$new" || exit 1
sed 's/return ctx.memory.step2/return "changed"/' flows/flow.lua >flows/next.lua
refused 5 "a changed flow elsewhere" "--accept-changed" resume there --flow flows/next.lua \
  --directory .
exits 0 "it goes on when that is accepted" resume there --flow flows/next.lua --directory . \
  --accept-changed
is "as changed" "$(cell "$out" result)" changed
sed -i 's/mine says so/mine says more/' rules/mine.lua
refused 5 "a changed policy of the new place" "the policies of profile ruled have changed" \
  resume third --flow flows/flow.lua --directory .
sed -i 's/mine says more/mine says so/' rules/mine.lua
exits 0 "with it as it was" resume third --flow flows/flow.lua --directory . --dry-run
exits 0 "the flow's folder alone tells where its profile went" resume third \
  --flow flows/flow.lua --directory "$dir/elsewhere" --dry-run
is "beside that folder, as it was" "$(cell "$out" profile)" "$new/rules/profile.lua"

# ---- what is wrong with the words ----
exits 5 "a flow that is not there" resume third --flow missing.lua --directory .
has "is named" "$err" "$new/missing.lua: there is no such file"
exits 5 "a folder that is not there" resume third --flow flows/flow.lua --directory missing
has "is named, too" "$err" "$new/missing"
exits 0 "the store is sound" store verify

# ---- a server of tools finds the place of the last run, and takes no other ----
exits 0 "a fork of the moved one" sessions fork here --session served --checkpoint first
info='{"name":"t","version":"1"}' given='{"session_id":"served","flow":"/tmp/x.lua"}'
"$CKRUN" mcp >"$dir/out" 2>/dev/null <<END
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
"capabilities":{},"clientInfo":$info}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"resume_session",\
"arguments":$given}}
END
has "a client cannot name another flow" "$(cat "$dir/out")" "flow"
exits 0 "so it is where it was" sessions show served --json
is "not resumed" "$(json "$out" '$d->{epoch}')" 1

finish
