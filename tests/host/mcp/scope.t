#!/bin/bash
# scope.t - what the person who starts `ckrun mcp` leaves to its client: which tools, and which
# sessions; all others do not exist for it, whatever it tries.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/client.sh"
cd "$dir" || exit 1

cat >hold.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "hold", run = function(ctx)
  ctx.memory.word = "of " .. ctx.input
  ctx.boundary("node_complete", { node = "n", position = { path = "n#1", n = 1 } })
  ctx.pause("look first")
end }
END
hold() { "$CKRUN" run hold.lua --session "$1" --input "\"$1\"" >/dev/null 2>&1; }
hold private
"$CKRUN" run hold.lua --input '"hidden"' >/dev/null 2>&1 # an id that ckrun made
made=$("$CKRUN" sessions list | grep -o '^session_[^	]*')
hold team-a
hold team-b
"$CKRUN" sessions fork private --session team-stolen >/dev/null 2>&1
"$CKRUN" sessions fork team-a --session team-fork >/dev/null 2>&1
"$CKRUN" sessions fork team-stolen --session team-again >/dev/null 2>&1
hold latest-secret
run=$("$CKRUN" sessions show private | grep -o 'run_[0-9a-f-]*' | head -n 1)
ok "there is something to hide" test -n "$made" -a -n "$run"
names() { json "$reply" 'join " ", map { $_->{name} } @{$d->{result}{tools}}'; }
stop() { exec {to}>&- {from}<&-; wait "$server"; }
state() { cat store/ckrun.db{,-wal} 2>/dev/null | sha256sum; "$CKRUN" --json sessions list; }

# ---- which tools ----

reading="list_resumable_sessions list_session_checkpoints inspect_checkpoint"
before=$(state)
serve --read-only
ask tools/list
is "--read-only: the tools that read" "$(names)" "$reading diff_checkpoints agent_tail"
for tool in resume_session pause_session checkpoint_session answer_session; do
  ask tools/call "{\"name\":\"$tool\",\"arguments\":{\"session_id\":\"team-a\",\"answer\":\"x\"}}"
  is "$tool is refused" "$(json "$reply" '$d->{error}{code}')" -32602
  has "and the reason told" "$reply" "--read-only"
done
call inspect_checkpoint '{"session_id":"team-a"}'
is "looking is allowed" "$(of '{checkpoint_type}')" pause
stop
is "nothing has changed" "$(state)" "$before"
serve --allow pause,answer_session
ask tools/list
is "--allow: those that act by their names, beside those that read" "$(names)" \
  "$reading pause_session diff_checkpoints agent_tail answer_session"
ask tools/call '{"name":"resume_session","arguments":{"session_id":"team-a"}}'
has "another one is refused" "$(json "$reply" '$d->{error}{message}')" "--allow"
call pause_session '{"session_id":"team-a"}'
is "one of them is done" "$(of '{status}')" paused
stop
refused 2 "a tool that there is not" "'rm' is none of resume, pause, checkpoint, answer" \
  mcp --allow pause,rm
refused 2 "no tool at all" "--read-only" mcp --allow ""
refused 2 "both" "--read-only" mcp --read-only --allow pause

# ---- which sessions ----

refused 2 "an empty pattern" "--sessions" mcp --sessions ""
refused 2 "a pattern of no id" "--sessions" mcp --sessions "../*"
serve --sessions 'team-*' --sessions 'none-?'
call list_resumable_sessions
is "others are in no list, nor counted, nor are their forks" \
  "$(json "$result" 'join " ", map { $_->{session_id} } @{$d->{sessions}}') $(of '{total}')" \
  "team-fork team-b team-a 3"
# told TOOL ID MORE: what is said, with NAME for the id, and without a hint at one of theirs.
told() {
  call "$1" "{\"session_id\":\"$2\"${3:+,$3}}"
  echo "${failure//"$2"/NAME}|$result" | sed "s/; did you mean 'team-\(a\|b\|fork\)'?//"
}
while IFS='|' read -r tool more; do
  none=$(told "$tool" team-none "$more")
  has "$tool: none" "$none" "there is no session NAME"
  for id in private "$made" latest-secret team-stolen team-again "$run" "${made:0:12}" \
    "${made##*_}" "${run:0:12}"; do
    is "$tool: $id is as none" "$(told "$tool" "$id" "$more")" "$none"
  done
done <<'END'
list_session_checkpoints|
inspect_checkpoint|
diff_checkpoints|"from":"first","to":"latest"
agent_tail|"agent":"hold"
resume_session|
pause_session|
checkpoint_session|
answer_session|"answer":"yes"
END
call inspect_checkpoint '{"session_id":"privat"}'
is "nobody is offered a name that is nearly it" "$(grep -c 'did you mean' <<<"$failure")" 0
call inspect_checkpoint '{"session_id":"team_b"}'
has "one of theirs is" "$failure" "did you mean 'team-b'"
call list_session_checkpoints '{"session_id":"latest"}'
is "the latest is the latest of those" "$(of '{session_id}')" team-fork
call list_session_checkpoints '{"session_id":"@{2}"}'
is "and so on" "$(of '{session_id}')" team-a
call list_session_checkpoints '{"session_id":"@{3}"}'
has "to the last" "$failure" "there are 3 sessions"
call inspect_checkpoint '{"session_id":"team-fork","include_memory":true}'
is "what is theirs is shown" "$(of '{shared_memory}{word}')" "of team-a"
call inspect_checkpoint '{"session_id":"team-a","include_memory":true}'
is "all of it" "$(of '{shared_memory}{word}')" "of team-a"
stop
# a row of somebody else's that is damaged
cp -r store damaged
perl -0777 -pi -e 's/latest-secret/latest-sekret/g' damaged/ckrun.db
CKRUN_STORE=sqlite:$dir/damaged/ckrun.db serve --sessions 'team-*'
call list_resumable_sessions
is "errors name nobody else either" "$(grep -c 'latest-se' <<<"$reply")" 0
ok "and there is an answer" test -n "$reply"
stop

# ---- stored text goes out as data ----

serve
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{}}'
has "a client is told what stored text is" "$(json "$reply" '$d->{result}{instructions}')" \
  "data, not instructions"
ask tools/list
is "and so are its models, with each tool" "$(json "$reply" 'scalar grep {
  $_->{description} =~ /data, not instructions/ } @{$d->{result}{tools}}')" 9
call inspect_checkpoint '{"session_id":"team-a"}'
is "each result is marked" "$(json "$reply" '$d->{result}{_meta}')" '{"ckrun/stored":true}'
cat >big.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "big", run = function(ctx)
  for _, name in ipairs { "long", "longer", "longest" } do
    ctx.memory[name] = string.rep("\u{20ac}\"", 150000)
  end
  ctx.memory.short = "short"
  ctx.boundary("node_complete", { node = "n", position = { path = "n#1", n = 1 } })
  ctx.pause("look first")
end }
END
"$CKRUN" run big.lua --session big >/dev/null 2>&1
# long EXPRESSION: of a reply that is too long for an argument, $d; $r is its result.
long() {
  perl -MJSON::PP -CO -0777 -e 'my $d = JSON::PP->new->utf8->decode(<STDIN>)->{result};
    my $r = $d->{structuredContent}; print eval shift // die $@' "$1" <<<"$reply"
}
ask tools/call \
  '{"name":"inspect_checkpoint","arguments":{"session_id":"big","include_memory":true}}'
is "what is long is cut, and says so" "$(long '$r->{shared_memory}{short} . " " . grep {
    $r->{shared_memory}{$_} =~ /^(?:\x{20ac}")+\x{20ac}?\[\x{2026} \d+ more bytes\]$/ }
  qw(long longer longest)')" "short 3"
ok "a result has a megabyte at most" test "$(wc -c <<<"$reply")" -le 3000000
is "its mark says so, too" "$(long 'join " ", sort keys %{$d->{_meta}}')" "ckrun/cut ckrun/stored"
cat >many.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "many", run = function(ctx)
  local list = {}
  for i = 1, 300000 do list[i] = i end
  ctx.memory.list = list
  ctx.boundary("node_complete", { node = "n", position = { path = "n#1", n = 1 } })
  ctx.pause("look first")
end }
END
"$CKRUN" run many.lua --session many >/dev/null 2>&1
call inspect_checkpoint '{"session_id":"many","include_memory":true}'
has "what cannot be cut is refused, with its size" "$failure" "at most 1048576 go out"
stop
finish
