#!/bin/bash
# explore.t - a model's own exploration, over pauses and resumes: what a resume pays, what a rewind
# by hand leaves, who is offered the tools.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"
warning="<system-warning>You are in an active checkpoint. You MUST call rewind with your"
warning+=" investigation findings before yielding. Do NOT yield without completing the"
warning+=" checkpoint.</system-warning>"
offered() { request "$1" "$2" 'join " ", sort map { $_->{function}{name} } @{$d->{tools} || []}'; }
roles() { request "$1" "$2" 'join " ", map { $_->{role} } @$m'; }

cat >scout.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "scout", prompt = "You look.", tools = {
  look = flow.tool(function() return "a wall" end, { description = "Looks." }) } }
END

# ---- a guard that pauses: each further resume pays one turn ----

serve guard <<'END'
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"find the leak"}}]}}
{"answer":{"text":"I am done."},"times":6}
{"answer":{"calls":[{"name":"rewind","arguments":{"report":" It is the cache. "}}]}}
{"answer":{"text":"The cache."}}
END
profile guard.profile.lua 'checkpoint_tool = { enabled = true }'
exits 8 "a model that ends its turns with an active checkpoint is paused" run scout.lua \
  --profile ./guard.profile.lua --session guard --input '"Where?"'
has "for this reason" "$err" "checkpoint_not_rewound"
is "after three warnings, each answered" "$(requests guard)" 5
is "the warning is this, from the system" \
  "$(request guard 3 '"$m->[-1]{role} $m->[-1]{content}"')" "system $warning"
run sessions show guard
has "show says the goal of the active mark" "$(cell "$out" mark)" "find the leak (since 20"
has "and where" "$(cell "$out" mark)" ", scope main)"
run --json sessions show guard
is "as JSON, too" "$(json "$out" 'join " ", map { "$_->{scope} $_->{goal}" } @{$d->{marks}}')" \
  "main find the leak"
ok "with its start" test "$(json "$out" '$d->{marks}[0]{started}')" = "$("$CKRUN" --json \
  sessions log guard --all --kind note | grep -o '"startedAt":"[^"]*' | cut -d'"' -f4)"
for format in loop-checkpoint run-checkpoint; do
  exits 0 "it is exported as $format" sessions export guard --format $format
  has "and told that the mark is not in it" "$err" "session guard has an active mark"
  has "and what keeps it" "$err" "--format archive"
done
exits 8 "a resume warns it once more, and pauses" resume guard
is "for one turn" "$(requests guard)" 6
exits 8 "so does the next" resume guard
is "for one turn, too" "$(requests guard)" 7
exits 0 "the one in which it rewinds ends" resume guard
is "its report is told from what the user says" "$(request guard 9 '$m->[-1]{content}')" \
  "<rewind-report>
It is the cache.
</rewind-report>"
is "and takes the place of the exploration" "$(roles guard 9)" "system user assistant tool user"
run sessions show guard
is "there is no mark any more" "$(cell "$out" mark)" ""
run sessions export guard --format loop-checkpoint
is "so its export says nothing of one" "$(grep -c "active mark" <<<"$err")" 0

# ---- a rewind by hand ends the exploration ----

serve hand <<'END'
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"find the leak"}}]}}
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"status":500,"body":"x"}
{"answer":{"text":"The cache."}}
{"answer":{"text":"never"},"times":0}
END
profile hand.profile.lua 'checkpoint_tool = { enabled = true }'
for place in to behind; do
  serve hand-$place <hand.script
  profile hand.profile.lua 'checkpoint_tool = { enabled = true }'
  exits 8 "$place: a model explores" run scout.lua --profile ./hand.profile.lua \
    --session hand-$place --input '"Where?"'
  mapfile -t ids < <("$CKRUN" --json sessions log hand-$place --all --kind boundary |
    grep '"kind":"tool_round"' | grep -o 'checkpoint_[0-9a-f_]*')
  [ $place = to ] && id=${ids[0]} || id=${ids[1]}
  exits 0 "$place: a person takes it back $place the mark" sessions rewind hand-$place --to "$id" \
    --report "It is the cache."
  is "$place: the mark is gone" "$(cell "$("$CKRUN" sessions show hand-$place)" mark)" ""
  exits 0 "$place: the model ends its turn" resume hand-$place
  is "$place: it paid one call" "$(requests hand-$place)" 4
  is "$place: without a warning" "$(grep -c 'system-warning' hand-$place.log)" 0
  is "$place: the report is told from what the user says" \
    "$(request hand-$place 4 '$m->[-1]{content}')" "<rewind-report>
It is the cache.
</rewind-report>"
done

# ---- a resume with the tail, in the middle of an exploration ----

serve tail <<'END'
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"find the leak"}}]}}
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"status":500,"body":"x"}
{"answer":{"calls":[{"name":"look","arguments":{}}]}}
{"answer":{"calls":[{"name":"look","arguments":{}},{"name":"rewind","arguments":{"report":"R"}}]}}
{"answer":{"text":"The cache."}}
END
profile tail.profile.lua 'checkpoint_tool = { enabled = true }, resume_context = "tail"'
exits 8 "a model explores" run scout.lua --profile ./tail.profile.lua --session tail \
  --input '"Where?"'
exits 0 "it goes on with its tail, and rewinds" resume tail
is "the section stays, the report follows, then the batch of rewind" "$(roles tail 7)" \
  "system user user assistant tool tool"
is "the section is whole" "$(request tail 7 'substr($m->[1]{content}, 0, 28)')" \
  "## Session Context (Resumed)"
is "and the report is the next" "$(request tail 7 '$m->[2]{content}')" "<rewind-report>
R
</rewind-report>"

# ---- what was rewound is in no tail, the report is ----

# section NAME N: what the Nth request tells of the session.
section() { request "$1" "$2" '(grep { $_->{content} =~ /^## Session Context/ } @$m)[0]{content}'; }
cat >digger.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "digger", prompt = "You dig.", tools = {
  dig = flow.tool(function(_, given) return "found " .. given.at end) } }
END
dig() { echo '{"name":"dig","arguments":{"at":"'"$1"'"}}'; }
serve dug <<END
{"answer":{"calls":[$(dig moss)]}}
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"find it"}},$(dig slate)]}}
{"answer":{"text":"Hm.","calls":[$(dig clay)]}}
{"answer":{"calls":[$(dig iron)]}}
{"answer":{"calls":[$(dig gold),{"name":"rewind","arguments":{"report":"It is gold."}}]}}
{"answer":{"calls":[$(dig sand)]}}
{"status":500,"body":"x","times":2}
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"again"}}]}}
{"answer":{"calls":[$(dig lead)]}}
{"answer":{"calls":[{"name":"rewind","arguments":{"report":"No lead."}}]}}
{"status":500,"body":"x"}
{"status":500,"body":"x","times":0}
END
profile dug.profile.lua 'checkpoint_tool = { enabled = true }, resume_context = "tail"'
# told N: which of these the Nth request's section tells.
words='found (moss|slate|clay|iron|gold|sand|lead)|Hm\.|It is gold\.|No lead\.|my report'
told() { section dug "$1" | grep -v 'calls rewind' | grep -oE "$words" | awk '!seen[$0]++' |
  paste -sd,; }
exits 8 "a model explores, and reports beside another call" run digger.lua --profile \
  ./dug.profile.lua --session dug --input '"Where?"'
exits 8 "it goes on with its tail" resume dug
is "told is all but the exploration: the mark's own batch, that of rewind, the report behind it" \
  "$(told 8)" "found moss,found slate,found gold,It is gold.,found sand"
exits 8 "it goes on, explores again and stops" resume dug
is "told was the same" "$(told 9)" "found moss,found slate,found gold,It is gold.,found sand"
exits 8 "and once more" resume dug
is "each report is told, no exploration" "$(told 13)" \
  "found moss,found slate,found gold,It is gold.,found sand,No lead."
first=$("$CKRUN" --json sessions checkpoints dug | head -n 1 | grep -o '"id":"[^"]*' |
  cut -d'"' -f4)
exits 0 "a person rewinds it to its first checkpoint" sessions rewind dug --to "$first" \
  --report "my report"
exits 8 "it goes on" resume dug
is "and is told what was before, and the person's report" "$(told 14)" "found moss,my report"

# ---- those that an agent delegates to are subagents ----

cat >team.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { orchestrator = flow.agent { name = "chair", prompt = "You lead." },
  agents = { risk = flow.agent { prompt = "Risk." } } }
END
team='{"answer":{"calls":[{"name":"delegate","arguments":{"target":"risk","message":"How?"}}]}}
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"g"}}]}}
{"answer":{"calls":[{"name":"rewind","arguments":{"report":"r"}}]}}
{"answer":{"text":"Low."}}
{"answer":{"calls":[{"name":"finish","arguments":{"result":"Go."}}]}}'
serve refused <<<"$team"
profile refused.profile.lua 'checkpoint_tool = { enabled = true, subagents = false }'
exits 0 "a chair and its analyst" run team.lua --profile ./refused.profile.lua --session refused \
  --input '"?"'
is "the chair is offered both tools" "$(offered refused 1)" "checkpoint delegate finish rewind"
is "the analyst none of them" "$(offered refused 2)" "note"
is "one that calls checkpoint all the same is told so" \
  "$(request refused 3 '$m->[-1]{content}')" "Checkpoint not available in subagents."
is "and has nothing to rewind" "$(request refused 4 '$m->[-1]{content}')" "No active checkpoint."
serve allowed <<<"$team"
profile allowed.profile.lua 'checkpoint_tool = { enabled = true, subagents = true }'
exits 0 "subagents that may" run team.lua --profile ./allowed.profile.lua --session allowed \
  --input '"?"'
is "are offered them" "$(offered allowed 2)" "checkpoint note rewind"
is "and can" "$(request allowed 3 '$m->[-1]{content}')" "Checkpoint created.
Goal: g
Run your investigation, then call rewind with a concise report."

# A function that orchestrates is no agent: those that it asks are at the top.
cat >plain.lua <<'END'
local flow = require "ck.flow"
return flow.rounds { agents = { risk = flow.agent { prompt = "Risk." } },
  orchestrator = function(ctx, round, ask) return ask { target = "risk", message = "How?" } end }
END
serve plain <<<'{"answer":{"text":"Low."}}'
profile plain.profile.lua 'checkpoint_tool = { enabled = true }'
exits 0 "an analyst that no agent asks" run plain.lua --profile ./plain.profile.lua \
  --session plain --input '"?"'
is "is offered both tools" "$(offered plain 1)" "checkpoint note rewind"
finish
