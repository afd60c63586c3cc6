#!/bin/bash
# save.t - an MCP client asks a live session to save: it does at its next boundary, whatever its
# policies say, and goes on; the client is given the id of what is on the disk.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/client.sh"
write_flow idempotent
cat >"$dir/never.lua" <<'END'
return { name = "never", version = 1, checkpoint = function() return nil end,
  redact = function(item) return ck.mask(item.value, "X[a]vier") end }
END
printf 'hunter2hunter2hunter2' >"$dir/secret"
cat >"$dir/rare.lua" <<END
return { name = "rare", policies = { './never.lua' },
  secrets = { word = "file:$dir/secret" } }
END
begin run "$dir/flow.lua" --session one --profile "$dir/rare.lua"
serve
listed() { "$CKRUN" --json sessions checkpoints one; }
# noted N: waits until the owner has taken that many requests to save.
noted() { until [ "$("$CKRUN" --json sessions log one --kind note |
  grep -c '"kind":"checkpoint"')" = "$1" ]; do :; done; }
# send ARGUMENTS: a call of the tool, without its answer; answer reads that.
send() {
  number=$((number + 1))
  printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}\n' "$number" \
    "{\"name\":\"checkpoint_session\",\"arguments\":$1}" >&"$to"
}
answer() {
  IFS= read -r -t 600 -u "$from" reply || reply=
  result=$(json "$reply" '$d->{result}{structuredContent}') \
    failure=$(json "$reply" '$d->{result}{isError} ? $d->{result}{content}[0]{text} : ""')
}

send '{"session_id":"one","description":"before hunter2hunter2hunter2, Xavier",'\
'"agent_work_dir":"x"}'
noted 1
is "while the tool runs nothing is saved" "$(listed)" ""
let_on first
answer
reach
is "its members" "$(json "$result" 'join " ", sort keys %$d')" \
  "checkpoint_id ckrun_json description session_id status"
id=$(json "$(listed)" '$d->{id}')
is "the id is that of the one checkpoint there is" \
  "$(of '{session_id}') $(of '{status}') $(of '{checkpoint_id}')" "one saved $id"
is "the description is kept without the secret, and as the session's policy has it" \
  "$(of '{description}' | sed 's/\[[^]]*\]/[masked]/g')" "before [masked], [masked]"
is "which no file of the store has seen" "$(grep -rlaF Xavier "$dir/store" | wc -l)" 0
is "nowhere is the secret" "$(grep -c hunter2 <<<"$reply$(listed)")" 0
call inspect_checkpoint "{\"session_id\":\"one\",\"checkpoint_id\":\"$id\"}"
is "the client can look at it" "$(of '{checkpoint_id}') $(of '{can_resume_from}')" "$id 1"
send '{"session_id":"one","description":""}'
noted 2
let_on second
answer
reach
is "without a description it says where it lies" "$(of '{description}')" \
  "$(json "[$(listed | paste -sd,)]" '$d->[-1]{description}')"
is "and is another one" "$(listed | grep -c .) $(json "[$(listed | paste -sd,)]" '$d->[-1]{id}')" \
  "2 $(of '{checkpoint_id}')"
send '{"session_id":"one"}'
noted 3
die
answer
has "killed before its boundary: nothing was saved" "$failure" "nothing was saved"
call checkpoint_session '{"session_id":"one"}'
has "one whose process is gone is told" "$failure" "'ckrun resume one' goes on with it"
is "and nothing is left for its next run" "$(listed | grep -c .)" 2
exec {to}>&-
wait "$server"
is "the server ends" "$?" 0
finish
