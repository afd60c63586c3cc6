#!/bin/bash
# policy_explain.t - policy explain says of each boundary why it has a checkpoint or none: who was
# asked, what each answered, what became of it; asks another policy; says what is not recorded.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >tools.lua <<'E'
return { name = "tools", version = 2,
  checkpoint = function(at)
    if at.kind == "node_complete" then return "node " .. at.node end
  end,
  prune = function(history)
    local drop = {}
    for i = 1, #history - 2 do drop[i] = history[i].id end
    return { drop = drop }
  end }
E
cat >quiet.lua <<'E'
return { name = "quiet", version = 1, checkpoint = function(at)
  return at.kind == "node_start" and at.node == "b"
end }
E
cat >bad.lua <<'E'
return { name = "bad", version = 3, checkpoint = function(at)
  if at.kind == "edge_transition" then error("lost") end
end }
E
cat >p.lua <<'E'
return { name = "p", prune_every_n_nodes = 2,
  policies = { "./tools.lua", "./quiet.lua", "redact_keys" } }
E
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.x = 1 end),
    b = flow.lua(function(ctx) ctx.memory.y = 2 end),
    c = flow.lua(function(ctx) ctx.memory.z = 3 end) },
  edges = { a = "b", b = "c", c = flow.done } }
E
exits 0 "a session" run flow.lua --profile p.lua --session one

# The checkpoints are those of a, b (its start), b, c and the end. All but the last two are pruned
# when two more nodes are through.
exits 0 "all boundaries" policy explain one
is "each has its answer, and who said it" "$(cut -f 2,3,5,6 <<<"$out")" \
  "$(printf '%s\t%s\t%s\t%s\n' \
  node_start a no 'no: tools, quiet' \
  node_complete a pruned 'tools: node a; no: quiet' \
  edge_transition a no 'no: tools, quiet' \
  node_start b pruned 'quiet (no reason given); no: tools' \
  node_complete b pruned 'tools: node b; no: quiet' \
  edge_transition b no 'no: tools, quiet' \
  node_start c no 'no: tools, quiet' \
  node_complete c yes 'tools: node c; no: quiet' \
  pruned '' '' '2 checkpoints; drop: tools' \
  edge_transition c no 'no: tools, quiet' \
  final '' yes 'always at final; no: tools, quiet' \
  pruned '' '' '1 checkpoint; drop: tools')"
is "nothing is said besides" "$err" ""

# at KIND NODE [SESSION]: the seq of that boundary, as the transcript tells it.
at() {
  "$CKRUN" --json sessions log "${3:-one}" --all --kind boundary |
    grep -F "\"body\":{\"kind\":\"$1\",\"node\":\"$2\"" | sed 's/.*"seq":\([0-9]*\),.*/\1/'
}
id() { "$CKRUN" --json policy explain one "$1" | sed 's/.*"checkpoint":"\([^"]*\)".*/\1/'; }
seq_of() { sed 's/.*"seq":\([0-9]*\),.*/\1/' <<<"$1"; }
pruned=$(seq_of "$("$CKRUN" --json sessions log one --kind pruned | head -1)")
start=$(at node_start a) done=$(at node_complete a)

exits 0 "a boundary without a checkpoint" policy explain one "$start"
is "says who said no, and who was not asked" "$(head -4 <<<"$out")" \
  "event $start, node_start of a: no checkpoint
tools (version 2) said no
quiet (version 1) said no
not asked, having no checkpoint hook or none for who acts here: redact_keys"
ok "and how long it took" grep -qE '^the question took [0-9.]+ (us|ms|s)$' <<<"$out"
ok "what it was weighed by" grep -q '^since the last checkpoint (or the start): ' <<<"$out"
is "and no more" "$(grep -c '' <<<"$out")" 6
exits 0 "one whose checkpoint is gone" policy explain one "$done"
is "says why it was taken, and where it was pruned" "$(head -4 <<<"$out")" \
  "event $done, node_complete of a: a checkpoint was taken, $(id "$done")
it was pruned at event $pruned, by tools
tools (version 2) said yes: node a
quiet (version 1) said no"
whole=$out
exits 0 "by the id of the pruned checkpoint" policy explain one "$(id "$done")"
is "it is the same" "$out" "$whole"
exits 0 "the latest checkpoint" policy explain one latest
has "is the end's" "$out" "at a boundary of kind final one is always taken"

exits 0 "as JSON" --json policy explain one
ok "an object a line" lines "$out"
is "for each boundary, and where policies decided else" "$(grep -c '' <<<"$out")" 12
is "each of its kind" "$(grep -o '"kind":"[a-z]*"' <<<"$out" | sort | uniq -c | tr -s ' \n' ' ')" \
  ' 10 "kind":"boundary" 2 "kind":"pruned" '
exits 0 "one as JSON" --json policy explain one "$done"
is "has the answers" "$(json "$out" '$d->{answers}')" \
  "$(printf '[%s,%s]' '{"answer":"yes","policy":"tools","reason":"node a","version":2}' \
    '{"answer":"no","policy":"quiet","version":1}')"
is "and what became of it" \
  "$(json "$out" '[@$d{qw(taken pruned pruned_at recorded not_asked abandoned)}]')" \
  "[true,true,$pruned,\"yes\",[\"redact_keys\"],false]"

# ---- what was pruned ----

exits 0 "what was pruned" policy explain one "$pruned"
is "says who dropped what" "$(head -3 <<<"$out")" \
  "event $pruned, pruned: 2 checkpoints; drop: tools
$(id "$done") was dropped
$(id "$(at node_start b)") was dropped"
exits 0 "as JSON" --json policy explain one "$pruned"
is "the same" "$(json "$out" '[$d->{answers}, $d->{not_asked}, scalar @{$d->{dropped}}]')" \
  '[[{"answer":"drop","policy":"tools","version":2}],["quiet","redact_keys"],2]'
cat >keeps.lua <<'E'
return { name = "keeps", version = 5, prune = function(history)
  return { keep = { history[1].id } }
end }
E
cat >several.lua <<'E'
return { name = "several", prune_every_n_nodes = 2,
  policies = { "./tools.lua", "./keeps.lua", { "keep_recent", count = 100 } } }
E
run run flow.lua --profile several.lua --session several
exits 0 "several policies" policy explain several
is "each has its answer" "$(cut -f 2,6 <<<"$out" | grep ^pruned)" \
  "$(printf 'pruned\t1 checkpoint; drop: tools; keep: keeps; no opinion: keep_recent')"
echo 'return { name = "single", checkpoints = "single", policies = { "./tools.lua" } }' >single.lua
run run flow.lua --profile single.lua --session single
exits 0 "one checkpoint alone" policy explain single
has "is nobody's answer" "$out" "1 checkpoint; no policy was asked: a person or the profile said"
run sessions prune several --keep 1
exits 0 "a person prunes" policy explain several
has "is told as a person's word" "$(tail -1 <<<"$out")" "no policy was asked: a person or the"
# The policies of the session's profile now are others, in another order, than those of its run.
echo 'return { name = "none0", policies = { "every_boundary" } }' >none0.lua
run run flow.lua --profile none0.lua --session rest
cat >none0.lua <<'E'
return { name = "none0", policies = { "every_boundary", "./keeps.lua", "./tools.lua" } }
E
exits 0 "a person has the policies prune" sessions prune rest
exits 0 "which" policy explain rest
has "tells who dropped, and who kept, by the policies that were asked" "$(tail -1 <<<"$out")" \
  " checkpoints; drop: tools; keep: keeps"
exits 0 "as JSON" --json policy explain rest "$(seq_of "$("$CKRUN" --json sessions log rest \
  --kind pruned | head -1)")"
is "too" "$(json "$out" '[[map { "$_->{policy} $_->{answer}" } @{$d->{answers}}],
  $d->{not_asked}]')" '[["keeps keep","tools drop"],["every_boundary"]]'


# ---- what followed a failure ----

cat >calm.lua <<'E'
return { name = "calm", version = 6, on_failure = function() end }
E
cat >twice.lua <<'E'
return { name = "twice", version = 7, on_failure = function(f)
  return f.try < 3 and "retry" or "pause"
end }
E
cat >never.lua <<'E'
return { name = "never", version = 8, on_failure = function() return "fail" end }
E
echo 'return { name = "f", policies = { "./calm.lua", "./twice.lua", "./never.lua" } }' >tries.lua
cat >exec.lua <<'E'
return require("ck.flow").exec { argv = { "sh", "-c", "exit 7" } }
E
run run exec.lua --profile tries.lua --session tries
exits 0 "three tries" policy explain tries
is "each has who said what" "$(cut -f 2,6 <<<"$out" | grep ^outcome | sed 's/main[^ ]*/KEY/')" \
  "$(printf 'outcome\tKEY failed; %s\n' \
    'retry: twice; no opinion: calm; to be tried again at once' \
    'retry: twice; no opinion: calm; to be tried again at once' 'pause: twice; no opinion: calm')"
failed_at=$(seq_of "$("$CKRUN" --json sessions log tries --kind outcome | head -1)")
exits 0 "the first" --json policy explain tries "$failed_at"
is "as JSON: who comes later was not asked" "$(json "$out" '[$d->{answers}, $d->{not_asked}]')" \
  "$(printf '[[%s,%s],["never"]]' '{"answer":"no opinion","policy":"calm","version":6}' \
    '{"answer":"retry","policy":"twice","version":7}')"
echo 'return { name = "broken", version = 1, on_failure = function() error "lost" end }' >broken.lua
run run exec.lua --policy ./broken.lua --session broken
exits 0 "a policy that fails" policy explain broken
is "is told at the outcome, and its error" "$(cut -f 2,6 <<<"$out" | grep -oE \
  '^(outcome.*failed; failed: broken|policy_error.on_failure failed: policy "broken")' | sort)" \
  "$(printf 'outcome\tmain/start/exec/1 failed; failed: broken\npolicy_error\t%s' \
    'on_failure failed: policy "broken"')"

# ---- a resume that is refused ----

cat >old.lua <<'E'
return { name = "old", version = 1, resume = function() return ck.refuse "it is too old" end }
E
echo 'return { name = "o", policies = { "./old.lua" } }' >refuses.lua
echo 'return require("ck.flow").lua(function(ctx) ctx.pause("here") end)' >pause.lua
run run pause.lua --profile refuses.lua --session refused
exits 5 "a policy refuses the resume" resume refused
exits 0 "which is explained" policy explain refused
is "by its name and reason" "$(tail -1 <<<"$out" | cut -f 2,6)" \
  "$(printf 'resume_refused\told: it is too old')"

# ---- mistakes ----

refused 3 "no such session" "no session nobody" policy explain nobody
refused 3 "no boundary" "event 1 of session one is no boundary (session_started)" \
  policy explain one 1
has "the nearest is told" "$err" "behind it: $start"
final=$(seq_of "$("$CKRUN" --json sessions log one --kind boundary | tail -1)")
refused 3 "behind the end" "session one has no event 99: its last boundary is event $final" \
  policy explain one 99
refused 3 "event 0" "has no event '0'" policy explain one 0
refused 3 "no such checkpoint" "has no checkpoint 'nothing'" policy explain one nothing

# ---- another policy ----

echo 'return { name = "neither", nodes = {} }' >neither.lua
exits 0 "the policies' own answers" policy explain one --rerun tools.lua
is "differ where the other one had said yes" "$(cut -f 2,3,5-8 <<<"$out")" \
  "$(printf 'node_start\tb\tpruned\tquiet (no reason given); no: tools\tno\tno')"
is "the difference is counted" "$err" "1 of 10 boundaries would be decided otherwise by tools.lua"
exits 0 "one boundary" policy explain one "$start" --rerun every_boundary
has "the answer now" "$out" \
  "every_boundary, asked now: every_boundary: node_start; a checkpoint, other than recorded"
exits 0 "one as recorded" --json policy explain one "$start" --rerun quiet.lua
is "is told so" "$(json "$out" '$d->{rerun}')" \
  '{"differs":false,"failed":false,"policy":"quiet.lua","reasons":[],"taken":false}'
exits 0 "those of the session's own profile" policy explain one --rerun p.lua
is "decide as they did" "$err" "0 of 10 boundaries would be decided otherwise by p.lua"
exits 0 "a shipped profile" policy explain one "$start" --rerun graph
has "its policies answer" "$out" "graph, asked now: every_boundary: node_start; a checkpoint"
exits 3 "no such policy" policy explain one --rerun nothing
refused 2 "a file that is neither" "unknown key 'nodes'" policy explain one --rerun neither.lua
exits 5 "a policy that fails" policy explain one --rerun bad.lua
has "is counted" "$err" 'policy bad.lua: 3 calls of it failed; the first: policy "bad", '
has "and named with its line" "$err" "bad.lua:2: lost"
sed 's/"edge_transition"/"final"/' bad.lua >bad_end.lua
exits 5 "one that fails once" policy explain one --rerun bad_end.lua
has "has one call, and no calls" "$err" 'policy bad_end.lua: 1 call of it failed: policy "bad", '

# ---- failures; a list of an agent's own; no policy at all ----

echo 'return { name = "f", policies = { "./bad.lua" } }' >failing.lua
run run flow.lua --profile failing.lua --session failing
exits 0 "a policy failed" policy explain failing "$(at edge_transition a failing)"
has "so a checkpoint was taken" "$out" "edge_transition of a: a checkpoint was taken"
has "for it" "$out" "bad (version 3) failed: then a checkpoint is taken, and waited for"
has "the error has its row" "$("$CKRUN" policy explain failing | grep policy_error | head -1)" \
  'checkpoint failed: policy "bad", checkpoint: '
echo 'return { name = "none", policies = {} }' >none.lua
run run flow.lua --profile none.lua --session none
exits 0 "nobody was asked" policy explain none "$(at node_start a none)"
is "is said, and why" "$(sed -n 2p <<<"$out")" "no policy was asked: the run had none"
echo 'return { name = "keeps", policies = { "./keeps.lua" } }' >prunes.lua
run run flow.lua --profile prunes.lua --session prunes
exits 0 "nobody could be asked" policy explain prunes "$(at node_start a prunes)"
is "is said, too" "$(sed -n 2,3p <<<"$out")" \
  "no policy was asked: none of the run's has the hook checkpoint for who acts here
not asked, having no checkpoint hook or none for who acts here: keeps"
for session in none:'the run had none' \
  prunes:'none of keeps has the hook on_failure for it, or an earlier ckrun wrote it'; do
  run run exec.lua --profile "${session%%:*}.lua" --session "${session%%:*}2"
  it=${session%%:*}2
  failed_at=$(seq_of "$("$CKRUN" --json sessions log "$it" --kind outcome)")
  exits 0 "a failure that no policy was asked about" policy explain "$it" "$failed_at"
  is "says why" "$out" "event $failed_at, outcome: no policy was asked: ${session#*:}"
done
begun_at=$(seq_of "$("$CKRUN" --json sessions log prunes2 --kind intent)")
exits 0 "an effect that no policy was asked about" policy explain prunes2 "$begun_at"
has "says so" "$out" \
  "event $begun_at, intent: no policy was asked: none of keeps has the hook permit"
exits 0 "as JSON" --json policy explain prunes2 "$begun_at"
is "too" "$(json "$out" '[@$d{qw(kind recorded answers effect)}]')" \
  '["intent","no",[],"main/start/exec/1"]'
cat >agents.lua <<'E'
return { name = "agents", policies = { "./quiet.lua", "tool_rounds" },
  agents = {
    airline = { policies = { "./quiet.lua", "./tools2.lua" } },
    other = { policies = { "./bad.lua" } } } }
E
cat >tools2.lua <<'E'
return { name = "tools2", version = 4, checkpoint = function(at) return "for " .. at.agent end }
E
run run "$flow" --cassette "$cassette" --profile agents.lua --session agents
exits 0 "an agent's own list" --json policy explain agents
is "is asked where the agent acts, in the place of what it replaces" \
  "$(json "$(head -1 <<<"$out")" '[@$d{qw(agent answers not_asked namesakes)}]')" \
  "$(printf '["airline",[%s,%s,%s],["bad"],[{"policy":"quiet"}]]' \
    '{"answer":"yes","policy":"tool_rounds","reason":"tool round","version":1}' \
    '{"agent":"airline","answer":"no","policy":"quiet","version":1}' \
    '{"agent":"airline","answer":"yes","policy":"tools2","reason":"for airline","version":4}')"
exits 0 "it in words" policy explain agents "$(seq_of "$(head -1 <<<"$out")")"
has "nobody is said to have answered and not to have been asked" "$out" \
  "not asked, having no checkpoint hook or none for who acts here: bad of agent other"
has "the profile's of the same name is told apart" "$out" "also in another list, and not asked: \
quiet of the profile, as that of agent airline stands in its place"
exits 0 "the end" policy explain agents latest
has "there it is the agent's" "$out" \
  "also in another list, and not asked: quiet of agent airline, who does not act here"
exits 0 "all of it" --json policy explain agents
is "and not at the end, where nobody does" \
  "$(json "$(tail -1 <<<"$out")" '[map { $_->{policy} } @{$d->{answers}}]')" \
  '["quiet","tool_rounds"]'

names= many=0
while [ $many -lt 70 ]; do
  many=$((many + 1))
  names="$names\"./n$many.lua\", "
  yes=$([ $many = 70 ] && echo '"the last one"' || echo nil)
  echo "return { name = \"n$many\", version = 1, checkpoint = function() return $yes end }" \
    >n$many.lua
done
echo "return { name = \"many\", policies = { $names } }" >many.lua
run run flow.lua --profile many.lua --session many
exits 0 "of 70 policies" policy explain many "$(at node_start a many)"
is "64 are known to have said no" "$(grep -c 'said no$' <<<"$out")" 64
has "whoever said yes is known" "$out" "n70 (version 1) said yes: the last one"
has "and what is not" "$out" "of 70 policies the answers of the first 64 are recorded"

# ---- what a resume has left behind ----

# count_left SESSION: of the checkpoints that the log has with --all alone, how many there are, and
# how many of these its prunes name.
count_left() {
  "$CKRUN" --json sessions log "$1" --kind boundary | sed -n 's/.*"checkpoint":"\([^"]*\)".*/\1/p' |
    sort >stayed
  "$CKRUN" --json sessions log "$1" --all >log
  grep '"kind":"boundary"' log | sed -n 's/.*"checkpoint":"\([^"]*\)".*/\1/p' | sort |
    comm -23 - stayed >left
  echo "$(wc -l <left) $(grep '"kind":"pruned"' log | grep -oFf left | sort -u | wc -l)"
}

cat >again.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "g", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.x = 1 end),
    b = flow.lua(function(ctx) if not ctx.memory.go then ctx.pause("here") end end) },
  edges = { a = "b", b = flow.done } }
E
echo 'return { name = "e", policies = { "every_boundary" } }' >every.lua
run run again.lua --profile every.lua --session again
left=$(at node_start b again)
exits 0 "a session goes on from its first checkpoint" \
  resume again --checkpoint first --set go=true
exits 0 "its boundaries" policy explain again
ok "are those that count" bash -c '! cut -f 1 <<<"$1" | grep -qx "$2"' - "$out" "$left"
is "each once" "$(cut -f 2,3 <<<"$out" | grep -c 'node_start.b')" 1
gone=$(count_left again)
is "how many checkpoints are not among them is said" "$err" \
  "${gone% *} checkpoints that a resume or a rewind left behind are not shown, none of them \
pruned; --all shows them"
exits 0 "all of them" policy explain again --all
is "have the one that was left behind, marked" "$(grep -P "^$left\t" <<<"$out" | cut -f 2,3,5)" \
  "$(printf 'node_start\tb\tyes (abandoned)')"
exits 0 "it alone" policy explain again "$left"
has "says so" "$out" "a resume or a rewind has left this event behind"
is "of one nothing is said of others" "$err" ""
exits 0 "all of them" policy explain again --all
is "nor where all are shown" "$err" ""
exits 0 "those left behind are pruned" sessions prune again --keep 1
gone=$(count_left again)
exits 0 "it is asked again" policy explain again
is "how many were is said" "$err" "${gone% *} checkpoints that a resume or a rewind left behind \
are not shown, ${gone#* } of them pruned; --all shows them"
ok "which are more than none" [ "${gone#* }" -gt 0 ]
is "and --all shows as many" \
  "$("$CKRUN" policy explain again --all | grep -c 'pruned (abandoned)')" "${gone#* }"

# ---- a secret in a reason ----

printf 'k-%s' 6f1c0c5e8a7d4b39 >secret
cat >leaky.lua <<E
return { name = "leaky", version = 1,
  checkpoint = function(at) return "with $(cat secret) in it" end }
E
cat >leaks.lua <<'E'
return { name = "leaks", policies = { "./leaky.lua" }, secrets = { bank = "file:secret" } }
E
run run flow.lua --profile leaks.lua --session leaks
exits 0 "a reason with a secret" policy explain leaks
ok "tells the rest of it" grep -q 'leaky: with .* in it' <<<"$out"
ok "and not the secret" bash -c '! grep -qF "$(cat secret)" <<<"$1"' - "$out"
ok "which is nowhere in the store" bash -c '! grep -rqF "$(cat secret)" store'

# ---- what is copied keeps its answers ----

want=$("$CKRUN" --json policy explain one)
exits 0 "an archive" sessions export one --format archive -o one.archive
exits 0 "is read" --store sqlite:other.db sessions import one.archive
is "an archive keeps them" "$("$CKRUN" --store sqlite:other.db --json policy explain one)" "$want"
exits 0 "a backup" store backup copy.db
is "a backup keeps them" "$("$CKRUN" --store sqlite:copy.db --json policy explain one)" "$want"
exits 0 "a fork" sessions fork one "$(id "$(at node_complete c)")" --session child
forks() { "$CKRUN" --json policy explain child | head -8; }
want=$(head -8 <<<"$want" | sed 's/"pruned_at":[0-9]*,"pruned_by":\[[^]]*\],//')
is "a fork has those of its origin, pruned ones, too, but not where that was" "$(forks)" "$want"
exits 0 "its origin goes" sessions delete one --detach
is "and they stay; that of the cut is none of its own" "$(forks)" \
  "$(sed 's/"pruned":false/"pruned":true/' <<<"$want")"
"$CKRUN" key new k >/dev/null 2>&1
sealed="--store sqlite:sealed.db --key file:k"
run $sealed run flow.lua --profile p.lua --session one
exits 0 "a sealed store" $sealed policy explain one
is "tells the same" "$(cut -f 2,3,5,6 <<<"$out" | head -2)" "$(printf '%s\t%s\t%s\t%s\n' \
  node_start a no 'no: tools, quiet' node_complete a pruned 'tools: node a; no: quiet')"

# ---- what an import or an earlier ckrun wrote ----

cat >other.json <<'E'
{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[
{"id":"1","type":"function","function":{"name":"x","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"1","content":"y"},{"role":"assistant","content":"bye"}]}
E
run sessions import other.json --session imported
exits 0 "an imported session" policy explain imported
has "was decided by no policy of ours" "$err" "an import or an earlier ckrun wrote 2 of the 2"

cp "$root/tests/golden/schema2.db" old.db
exits 0 "an older store" --store sqlite:old.db policy explain done
is "tells the reasons that it has" "$(cut -f 2,5,6 <<<"$out" | sort -u)" "$(printf '%s\t%s\t%s\n' \
  final yes 'always at final' tool_round yes 'tool_rounds: tool round')"
has "and what it has not, with the remedy" "$err" \
  "who was asked there is not recorded; --rerun POLICY asks a policy now"
seq=$(seq_of "$("$CKRUN" --store sqlite:old.db --json policy explain done | head -1)")
exits 0 "one of its boundaries" --store sqlite:old.db policy explain done "$seq"
has "the same in a sentence" "$out" "who was asked is not recorded (an import or an earlier ckrun \
wrote the event); \`ckrun policy explain done $seq --rerun POLICY\` asks a policy now"
exits 0 "asked now" --store sqlite:old.db policy explain done --rerun tool_rounds
has "as then" "$err" " boundaries would be decided otherwise by tool_rounds"
ok "none differs" grep -q '^0 of ' <<<"$err"
finish
