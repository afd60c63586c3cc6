#!/bin/bash
# resolve_displaced.t - a session that went back asks for another tool where one was carried out: a
# payment in the place of a look is made; in the place of a booking it is put to a person, who is
# shown both, and the booking's outcome is not taken for the payment's.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
call() { echo "{\"answer\":{\"calls\":[{\"name\":\"$1\",\"arguments\":{\"to\":\"$2\"}}]}}"; }
cat >flow.lua <<FLOW
local flow = require "ck.flow"
local function tool(name, class)
  local script = "echo " .. name .. " >>$dir/made; echo seen by " .. name
  return flow.command { argv = { "sh", "-c", script }, class = class }
end
return flow.agent { prompt = "p",
  tools = { look = tool("look", "pure"), book = tool("book", "once"), pay = tool("pay", "once") } }
FLOW
key=main/agent#2/tool/1

# goes_back SESSION FIRST [ANSWERS]: FIRST is carried out in the second turn; back before it, the
# model pays; then come the answers.
goes_back() {
  serve "$1" < <(call look Rom; call "$2" Oslo; call pay Ann
    echo "${3:-}"; echo '{"answer":{"text":"ok"}}')
  cat >"$1.lua" <<END
return { name = "$1", extends = "loop", constraints = { model_calls = 2 }, models = { default = {
  api = "openai", base_url = "$(base_url openai)", model = "m", retries = 0, stream = false,
  max_tokens = 100, unmetered = true } } }
END
  rm -f made
  "$CKRUN" run flow.lua --profile "./$1.lua" --session "$1" --input '"?"' >out1 2>&1
  "$CKRUN" sessions rewind "$1" --to first --report "think again" >out1 2>&1
  "$CKRUN" resume "$1" --limit "model_calls=${4:-9}" >out1 2>&1
  code=$?
}
made() { tr '\n' ' ' <made; }
outcomes() { "$CKRUN" sessions log "$1" --kind outcome --all | grep -o "$key .*"; }

goes_back looked look
is "a payment in the place of a look is made, without a question" "$code $(made)" "0 look look pay "
has "its outcome is its own" "$(outcomes looked)" "seen by pay"

goes_back booked book
is "one in the place of a booking is not made" "$code $(made)" "75 look book "
exits 0 "the doubt is listed" resolve booked
has "with what was asked" "$out" '"name":"pay"'
has "and to whom" "$out" Ann
has "with what was carried out in its place" "$out" '"name":"book"'
has "and with what arguments" "$out" Oslo
has "and what came of it" "$out" "ok seen by book"
exits 0 "as JSON" --json resolve booked
is "both" "$(json "$out" 'join " ", $d->{request}{name}, $d->{instead}{name},
  @{$d}{qw(outcome result)}')" "pay book ok seen by book"
exits 0 "done by hand" resolve booked $key done
exits 0 "the session goes on" resume booked --limit model_calls=9
is "nothing is made twice" "$(made)" "look book "
is "the booking's outcome is not taken for the payment's" \
  "$(outcomes booked | grep pay | grep -c 'seen by book')" 0
has "the model is told what the person said" "$(tail -n 1 booked.log)" "done (confirmed by hand"

# What was carried out stands also when the one in its place was not: back once more, the booking
# that the model asks for again is not made again, and the payment is put to a person again.
goes_back aborted book "$(call book Oslo)" 3
exits 0 "the payment is not to be made" resolve aborted $key abort
run resume aborted
exits 0 "back once more" sessions rewind aborted --to first --report "think once more"
exits 0 "what a resume would do" resume aborted --dry-run
has "it replays the booking" "$(grep "$key" <<<"$out")" "replay"
exits 0 "the booking is asked for again" resume aborted --limit model_calls=9
is "and not made again" "$(made)" "look book "
has "its outcome is told" "$(tail -n 1 aborted.log)" "seen by book"

goes_back insisted book "$(call pay Ann)" 3
exits 0 "not to be made" resolve insisted $key abort
run resume insisted
exits 0 "and back once more" sessions rewind insisted --to first --report "think once more"
exits 75 "the payment that was not made is put to a person again" resume insisted --limit \
  model_calls=9
is "and not made" "$(made)" "look book "
exits 0 "with what" --json resolve insisted
is "in its place was carried out" "$(json "$out" 'join " ", $d->{request}{name},
  $d->{instead}{name}, @{$d}{qw(outcome result)}')" "pay book ok seen by book"
finish
