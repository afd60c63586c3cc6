# portable.sh - a run that fails, leaves as a document, and goes on elsewhere.
# Sourced by profiles.t.

cat >carry.flow.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "carrier", prompt = "You carry.", tools = {
  lift = flow.command { argv = { "./lift" }, class = "pure" },
  throw = flow.tool(function() error("too heavy") end) } }
END
printf '#!/bin/sh\n[ -e strike ] && kill -9 $PPID\necho 7\n' >lift
chmod +x lift
serve here < <(ask_for lift '{}'; ask_for throw '{}'; echo "$breaks")
life portable
exits 8 "portable: the provider goes away in the third iteration" run carry.flow.lua \
  --profile ./portable.lua --session here --input '"Carry it."'
compare "portable, failed" '{}' here
is "portable: the newest checkpoint alone is kept" "$(checkpoints here)" "pause "
exits 0 "portable: it leaves" sessions export here --format run-checkpoint -o here.json
document=$(cat here.json)
pick() { json "$document" "$1"; }
is "portable: the document's fields, and whose it is" "$(pick 'join " ", sort keys %$d')" \
  "agent checkpointedAt ckrun failurePoint flow history lastCompletedIteration originalInput \
runId version"
is "portable: version, iterations and input" "$(pick 'join " ", @$d{qw(version
  lastCompletedIteration)}, keys %{$d->{originalInput}}, $d->{originalInput}{message}')" \
  "1 2 message Carry it."
is "portable: where it failed" "$(pick '$d->{failurePoint}')" '{"iteration":3,"phase":"llm"}'
is "portable: whose run, and when, in milliseconds" "$(pick '
  $d->{runId} eq "'"$(json "$("$CKRUN" --json sessions show here)" '$d->{runs}[0]{run}')"'"
  && $d->{checkpointedAt} =~ /^\d{13}$/')" 1
is "portable: what was said" "$(pick 'join " ", map { $_->{role} } @{$d->{history}}')" \
  "system user assistant tool assistant tool"
has "portable: a throwing tool is told to the model" "$(pick '$d->{history}[-1]{content}')" \
  "too heavy"
is "portable: nothing of where or with which key" "$(grep -cE '127\.0\.0\.1|sk-canary' here.json)" 0

export CKRUN_STORE=sqlite:$dir/elsewhere.db
serve there < <(ask_for lift '{}'; ask_for lift '{}'; say "Carried.")
life portable
export CKRUN_STORE=sqlite:$dir/elsewhere.db
into() { refused 2 "$1" "$2" sessions import "$3" --resume-with carry.flow.lua; }
perl -pe 's/"lastCompletedIteration":2,//' here.json >short.json
into "portable: a field that is missing" "missing required field: lastCompletedIteration" short.json
perl -pe 's/"version":1/"version":2/' here.json >newer.json
into "portable: another version" "unsupported version 2" newer.json
exits 0 "portable: it is imported" sessions import here.json --resume-with carry.flow.lua \
  --profile ./portable.lua --session there
touch strike
exits 137 "portable: killed in a tool" resume there
is "portable: it was asked with all that had been said" \
  "$(request there 1 'join " ", map { $_->{role} } @$m')" \
  "system user assistant tool assistant tool"
exits 0 "portable: it leaves again" sessions export there --format run-checkpoint -o there.json
document=$(cat there.json)
is "portable: the tool was open" "$(pick '$d->{failurePoint}')" \
  '{"iteration":3,"phase":"tool","stage":"lift"}'
is "portable: in a run of its own" "$(pick '$d->{runId}' | grep -c "$(json "$(cat here.json)" \
  '$d->{runId}')")" 0
compare "portable, killed" '{}' there
rm strike
exits 8 "portable: a limit pauses it" resume there --limit tool_calls=1
compare "portable, paused" '{}' there
exits 0 "portable: the next run has its own" --json resume there
is "portable: and ends" "$(json "$out" '$d->{result}{text}')" "Carried."
compare "portable, ended" '{}' there
refused 5 "portable: what is over leaves no more" "completed" sessions export there \
  --format run-checkpoint

# What another run would only meet again.
while IFS='|' read -r name code reason status body; do
  serve "$name" < <(ask_for lift '{}'; echo "{\"status\":$status,\"body\":$body,\"times\":0}")
  life portable
  exits "$code" "portable: $name" run carry.flow.lua --profile ./portable.lua --session "$name" \
    --input '"Carry it."'
  is "portable: $name has failed" "$(status "$name")" failed
  refused 5 "portable: $name does not leave" "$reason" sessions export "$name" \
    --format run-checkpoint
done <<'END'
credentials|1|the provider refused the credentials|401|"no"
forbidden|1|the provider refused the credentials|403|"no"
malformed|1|would meet the same|422|{"error":{"message":"no"}}
missing|1|would meet the same|404|{"error":{"message":"no such model"}}
full|1|would meet the same|400|{"error":{"code":"context_length_exceeded","message":"too long"}}
END
