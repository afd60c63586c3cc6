#!/bin/bash
# json.t - what each command prints as JSON: the members that core/host/JSON.md lists, with their
# units, in one version; its figures are those of the texts, and those that the transcript adds up
# to.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../models.sh"
walk=$root/tests/host/print/json_walk.pl
mkdir docs

# name_of COMMAND ARGUMENTS: of what it prints there is one row, but for these.
name_of() {
  case "$1 $2" in
    "resume "*--dry-run*) echo resume_--dry-run ;;
    "sessions export "*) echo sessions_export_--format_archive ;;
    *) echo "${1// /_}" ;;
  esac
}

# takes CODE COMMAND ARGUMENTS…: the command with --json; its objects go to docs/COMMAND, its error
# to docs/error.
takes() {
  local want=$1 command=$2
  shift 2
  run --json $command "$@"
  is "$command: exit $want" "$code" "$want"
  cat "$dir/out" >>"docs/$(name_of "$command" "$*")"
  cat "$dir/err" >>docs/error
}

# ---- in the queue of workers ----

cat >queued.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "echo", "1" } }
END
takes 0 submit queued.lua --session queued --label gpu
takes 0 "sessions show" queued
is "show says whose it is" "$(json "$out" '$d->{queued}')" '{"labels":["gpu"]}'
takes 0 worker --until-idle --label gpu
takes 0 "sessions watch" queued

takes 0 "flow key" signs.key
takes 0 "flow sign" queued.lua --with file:signs.key

# ---- sessions with money, an estimate, a limit, a failure, a question, a doubt, a mark ----

cat >scout.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "scout", prompt = "You look.", tools = {
  look = flow.tool(function() return "a wall" end, { description = "Looks." }) } }
END
usage='"usage":{"input":1001,"output":50}'
serve paid <<END
{"answer":{"calls":[{"name":"look","arguments":{}}],$usage}}
{"answer":{"calls":[{"name":"checkpoint","arguments":{"goal":"find it"}}],$usage}}
{"body":{"usage":{"prompt_tokens":"7"}}}
{"answer":{"calls":[{"name":"rewind","arguments":{"report":"found"}}],$usage}}
{"answer":{"text":"I am done.",$usage},"times":0}
END
profile paid.profile.lua 'constraints = { budget_usd = 0.05, time_s = 3600, rounds = 9,
  tokens = 90000, tool_calls = 9, model_calls = 9 }, checkpoint_tool = { enabled = true }'
exits 8 "a session with money, an estimate and a mark" run scout.lua --profile \
  ./paid.profile.lua --session paid --input '"Where?"'
takes 0 "sessions show" paid
shown=$out
is "has its mark" "$(json "$shown" '$d->{marks}[0]{goal} . length $d->{marks}[0]{started}')" \
  "find it24"
ok "and its estimate" test "$(json "$shown" 'micros($d->{totals}{reserved_usd})')" -gt 0

# The dry run, and what it says in words.
takes 0 resume paid --dry-run
dry=$out
text=$("$CKRUN" resume paid --dry-run 2>&1)
for member in budget:left_usd time:left_ms tokens:left tool_calls:left model_calls:left \
  rounds:left; do
  ok "what is left of ${member%:*}" test "$(json "$dry" \
    "defined \$d->{constraints}{${member%:*}}{${member#*:}} ? 1 : 0")" = 1
done
is "of the budget, as in words" "$(cell "$text" budget)" \
  "$(dollars "$(json "$dry" 'micros($d->{constraints}{budget}{left_usd})')") left of \
\$0.05 (continue)"
left=$(json "$dry" 'micros($d->{constraints}{budget}{limit_usd}) -
  micros($d->{constraints}{budget}{used_usd})')
is "which is the limit without what was spent" "$left" \
  "$(json "$dry" 'micros($d->{constraints}{budget}{left_usd})')"

# A call that the budget has no room for: the limit, in the log, with its unit.
serve tight <<<"{\"answer\":{\"calls\":[{\"name\":\"look\",\"arguments\":{}}],$usage},\"times\":0}"
profile tight.profile.lua 'constraints = { budget_usd = 0.02 }'
takes 8 run scout.lua --profile ./tight.profile.lua --session tight --input '"Where?"'
run sessions log tight --all
has "the limit in the log has its unit" "$out" "hit  budget  \$0.0"
is "and no bare amount of money" "$(grep -cE 'spent=|limit=|reserved [0-9]' <<<"$out")" 0
run sessions log paid --all
has "so has an estimate" "$out" "reserved $(dollars "$(json \
  "$("$CKRUN" --json sessions log paid --kind outcome | grep '"reserved":')" \
  '$d->{body}{reserved}')")"

cat >broken.lua <<'END'
local flow = require "ck.flow"
return flow.steps { steps = { { name = "fine", run = flow.exec { argv = { "echo", "1" } } },
  { name = "bad", run = flow.exec { argv = { "false" } }, needs = { "fine" } } } }
END
cat >ask.lua <<'END'
local flow = require "ck.flow"
return flow.graph { start = "confirm", edges = { confirm = flow.done }, nodes = {
  confirm = flow.ask { question = "Send it?", options = { "yes", "no" }, writes = "answer" } } }
END
printf '#!/bin/sh\nkill -KILL $$\n' >die
chmod +x die
cat >doubt.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "doubt",
  tools = { pay = { class = "once", argv = { "./die" } } },
  run = function(ctx) ctx.facts.put("capital", "Paris", "writer")
    return ctx.effect { kind = "tool", class = "once",
      request = { name = "pay", index = 0, arguments = { amount = 3 } } }.result end }
END
takes 1 run broken.lua --session broken
takes 8 run ask.lua --session ask
cat >long.lua <<'LUA'
return require("ck.flow").exec { argv = { "seq", "99" }, output_max = 9 }
LUA
takes 0 run long.lua --session long
takes 75 run doubt.lua --session doubt
takes 0 run "$flow" --cassette "$cassette" --session air
ended=$out
exits 0 "events as they come" --json run "$flow" --cassette "$cassette" --session events --events
cat "$dir/out" >docs/run_--events

# ---- every command ----

takes 0 --version
takes 0 "sessions list"
takes 0 "sessions checkpoints" air
last=$(json "$(tail -n 1 <<<"$out")" '$d->{id}')
third=$(json "$(sed -n 3p <<<"$out")" '$d->{id}')
takes 0 "sessions inspect" air
takes 0 "sessions inspect" paid
takes 0 "sessions inspect" air "$third" --files
takes 0 "sessions diff" air "$third" "$last"
takes 0 "sessions log" air
takes 0 "sessions log" paid --all
takes 0 "sessions tail" paid scout
takes 0 "sessions output" long main/start/exec/1
takes 0 "sessions show" air
takes 0 "sessions show" tight
takes 0 "sessions fork" air --session fork --checkpoint "$third"
takes 0 "sessions show" fork
takes 0 "sessions show" air
takes 0 "sessions rewind" fork --to "$third" --report "Nothing was booked."
takes 0 "sessions undo" fork
takes 0 "sessions pin" air "$third"
takes 0 "sessions prune" air --keep 2 --dry-run
dry=$out
takes 0 "sessions prune" air --keep 2 --dry-run --limit 1
text=$("$CKRUN" sessions prune air --keep 2 --dry-run)
is "what is pruned, in words and as JSON" "$(cell "$text" dropped_bytes)" \
  "$(json "$dry" '$d->{dropped_bytes}')"
takes 0 "sessions export" air --format archive -o whole.db
takes 0 "sessions prune" air --keep 2 --archive a.db
takes 0 "sessions import" a.db
echo 0123456789abcdef >secret
takes 0 "sessions scrub" fork --secret-file secret --yes
takes 0 "resolve" doubt
effect=$(json "$out" '$d->{effect}')
takes 0 "resolve" doubt "$effect" done --result '"paid"'
takes 0 "answer" ask
takes 0 "answer" ask yes
takes 0 "pause" paid
takes 0 "resume" paid
is "what a resume prints is of one version" "$(grep -c '^{"ckrun_json":1,' <<<"$out")" 1
takes 0 "facts list"
takes 0 "facts set" city '"Oslo"'
takes 0 "facts get" city
takes 0 "facts delete" city
takes 0 "policy list"
takes 0 "policy new" fresh_one
takes 0 "policy check" smart
cat >mine.lua <<'END'
return { name = "mine", version = 1, checkpoint = function(at)
  return at.since.cost_usd >= 1 and "money" or nil end }
END
cat >mine_test.lua <<'END'
local test = require "ck.test"
return { test_fails = function() error "no" end,
  test_waits = function() test.equal(test.policy("./mine.lua").checkpoint {}, nil) end }
END
echo 'return { name = "t", policies = { "every_n" } }' >tuned.lua
cat >masking.lua <<'END'
return { name = "masking", version = 1, redact = function(item)
  return ck.mask(item.value, "[a-z]{4}") end }
END
takes 1 "policy test" mine_test.lua
takes 1 "policy test" mine_test.lua --coverage
takes 0 "policy simulate" air --plot --list
takes 0 "policy simulate" air --hook redact --policy masking.lua
takes 0 "policy tune" ./tuned.lua --over air --tries 20
takes 0 "policy explain" air
takes 0 "policy explain" air latest --rerun mine.lua
echo 'return { name = "asks", version = 1, permit = function() return ck.ask("May it?") end }' \
  >asks.lua
takes 0 "policy explain" air --rerun asks.lua
takes 0 "policy eval" air -e 'at.kind, 1'
takes 0 "policy bench" mine.lua --calls 100
takes 0 "profile list"
takes 0 "profile check" ./paid.profile.lua
takes 0 "profile show" ./paid.profile.lua
takes 0 "store verify"
takes 0 "store stats"
stats=$out
is "sizes, in words and as JSON" "$("$CKRUN" store stats | grep -E '_bytes' | tr '\t\n' '  ')" \
  "$(json "$stats" 'join("", map { "$_ $d->{$_} " } qw(event_bytes event_plain_bytes payload_bytes
    payload_plain_bytes file_bytes wal_bytes free_bytes spill_bytes))')"
takes 0 "store accept-rollback"
takes 0 doctor
takes 0 init project
takes 0 "store backup" copy.db
takes 0 "store copy" copy.db another.db
cp copy.db hurt.db
takes 0 "store salvage" --store sqlite:hurt.db
takes 0 "key new" key
takes 0 "key new" fresh
run --store sqlite:sealed.db --key file:key run "$flow" --cassette "$cassette"
takes 0 "key list" --store sqlite:sealed.db --key file:key
takes 0 "key rotate" --store sqlite:sealed.db --key file:key --new-key file:fresh
"$CKRUN" sessions export tight --format markdown --seal-key file:key -o one.sealed
takes 0 "key unseal" one.sealed --seal-key file:key
exits 0 "a document of another system's" sessions export tight --format run-checkpoint -o one.json
ok "does not say our version" test "$(json "$(cat one.json)" 'exists $d->{ckrun_json}')" = ""
takes 0 "sessions import" "$root/tests/lua/import/data/pi.jsonl"
takes 0 "sessions import" one.json --session imported --resume-with scout.lua
takes 0 "sessions delete" imported
# One that runs, and waits for its model.
serve slow <<<'{"answer":{"text":"late"},"hang":60}'
profile slow.profile.lua ''
"$CKRUN" run scout.lua --profile ./slow.profile.lua --session slow --input '"?"' >/dev/null 2>&1 \
  </dev/null &
pid=$!
while [ "$(requests slow)" != 1 ]; do read -rt 0.01 <> <(:) || :; done
takes 0 "checkpoint" slow --no-wait
takes 0 "pause" slow --no-wait
takes 0 "sessions list"
{ kill -9 $pid; wait $pid; } 2>/dev/null
for command in "sessions show" "policy check" "profile check"; do takes 3 "$command" nobody; done

# ---- figures: as JSON, in words, and as the transcript adds up ----

cat >adds.pl <<'END'
use strict; use warnings; use JSON::PP; use View; use Spending;
my $view = View->new(map { decode_json($_) } <STDIN>);
my $of = Spending::spent($view, @{ $view->{all} });
my $all = Spending::told($of->{all});
print join " ", map { $_ // "null" } @$all{qw(cost_micros reserved_micros input_tokens
  output_tokens model_calls tool_calls unmetered)};
END
for session in paid tight broken air doubt fork; do
  "$CKRUN" --json sessions log "$session" --all >events
  shown=$("$CKRUN" --json sessions show "$session") text=$("$CKRUN" sessions show "$session")
  is "$session: the transcript adds up to its totals" "$(json "$shown" 'my $t = $d->{totals};
    join " ", map { $_ // "null" } micros($t->{cost_usd}), micros($t->{reserved_usd}), @$t{qw(
      input_tokens output_tokens model_calls tool_calls unmetered)}')" \
    "$(perl -I"$root/tests/oracle/lib" adds.pl <events)"
  is "$session: its money in words" "$(cell "$text" spent) $(cell "$text" reserved)" \
    "$(dollars "$(json "$shown" 'micros($d->{totals}{cost_usd})')") $(json "$shown" '
      $d->{totals}{reserved_usd} ? sprintf "\$%s", $d->{totals}{reserved_usd} : ""')"
  is "$session: its time in words" "$(cell "$text" active)" "$(json "$shown" '
    my $ms = $d->{totals}{active_ms}; $ms < 1 ? int($ms * 1000 + 0.5) . " us" :
    $ms < 999.95 ? sprintf("%.1f ms", $ms) : sprintf("%.1f s", $ms / 1000)')"
  is "$session: its tokens in words" "$(cell "$text" input_tokens)" \
    "$(json "$shown" '$d->{totals}{input_tokens}')"
  is "$session: the newest run's part" "$(json "$shown" 'my $of = 0;
    $of += micros($_->{cost_usd}) for @{$d->{runs}}; $of <= micros($d->{totals}{cost_usd})')" 1
done
is "the end of a run says the same" "$(json "$ended" '"$d->{cost_usd} $d->{totals}{cost_usd}"')" \
  "0.075264 0.075264"
has "and is exact" "$ended" '"cost_usd":0.075264,'

# ---- what ckrun mcp answers ----

. "$root/tests/host/mcp/client.sh"
serve
ask initialize '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t"}}'
call diff_checkpoints "{\"session_id\":\"air\",\"from\":\"$third\",\"to\":\"$last\"}"
echo "$result" >>docs/mcp_diff_checkpoints
call agent_tail '{"session_id":"paid","agent":"scout"}'
echo "$result" >>docs/mcp_agent_tail
call pause_session '{"session_id":"tight"}'
echo "$result" >>docs/mcp_pause_session
exits 8 "a question" run ask.lua --session told
call answer_session '{"session_id":"told","answer":"yes"}'
echo "$result" >>docs/mcp_answer_session
call inspect_checkpoint '{"session_id":"paid"}'
is "a call of another system's has no member of ours" "$(of '{ckrun_json}')" null
ok "its figures are ours" test "$(of '{metrics_snapshot}{cost_usd}')" != null

takes 0 "cancel" tight
exec {to}>&-
wait "$server"

# ---- all that was printed, member by member ----

perl "$walk" "$root/core/host/JSON.md" docs >walked
while IFS=$'\t' read -r good name why; do
  ok "$name" test "$good" = 1 || echo "#   $why" >&2
done <walked
is "no command is missing" "$("$CKRUN" help | perl -ne 'print "$1\n" if /^  ([a-z]+( [a-z]+)?)  /' |
  grep -vxE 'mcp|ui|help' | while read -r command; do
    compgen -G "docs/${command// /_}*" >/dev/null || echo "$command"
  done)" ""

# ---- help stays text ----
for asked in "help" "-h" "--help" "help run" "run -h" "sessions list --help"; do
  # shellcheck disable=SC2086
  exits 0 "--json $asked" --json $asked
  # shellcheck disable=SC2086
  is "is the text that it is without --json" "$out" "$("$CKRUN" $asked)"
done

finish
