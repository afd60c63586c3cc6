#!/bin/bash
# export.t - an exported session can be run again from the export, whatever happened to it.
. "$(dirname "$0")/../tap.sh"

# facts SESSION: messages, requests and outcomes, without times and durations.
facts() {
  "$CKRUN" --json sessions log "$1" | perl -MJSON::PP -ne '
    my $e = JSON::PP->new->utf8->decode($_);
    delete @{$e->{body}}{qw(checkpoint digest)}; # of spaces between the tokens, too
    next unless $e->{kind} =~ /^(message|intent|outcome|session_completed)$/;
    print JSON::PP->new->utf8->canonical->encode([@$e{qw(seq kind scope agent body)}]), "\n"'
}

# again NAME FLOW SESSION: exported and run from that, it is the same session, and is exported as
# the same again.
again() {
  local name=$1 of=$2 session=$3 first second
  "$CKRUN" sessions export "$session" --format cassette >"$dir/$session.jsonl" ||
    { echo "# $session: not exported" >&2; return 1; }
  "$CKRUN" run "$of" --cassette "$dir/$session.jsonl" --session "$session-again" >/dev/null \
    2>"$dir/err" ||
    { echo "# $session: not run: $(tail -n 1 "$dir/err")" >&2; return 1; }
  "$CKRUN" sessions export "$session-again" --format cassette >"$dir/again.jsonl"
  cmp -s "$dir/$session.jsonl" "$dir/again.jsonl" ||
    { echo "# $session: exported anew it differs" >&2; return 1; }
  [ "$name" = own ] && return 0
  first=$(facts "$session") second=$(facts "$session-again")
  [ "$first" = "$second" ] || { diff <(echo "$first") <(echo "$second") | head -4 | \
    cut -c1-300 >&2; return 1; }
}

# ---- cassettes ----

exits 0 "the airline's session" run "$flow" --cassette "$cassette" --session air
exits 0 "as a recording" sessions export air --format cassette
ok "is lines of JSON" lines "$out"
is "with a line for each answer, behind a header" "$(grep -c '' <<<"$out")" \
  "$(grep -c '' "$cassette")"
is "the prompt is in the header" "$(json "$(head -n 1 <<<"$out")" '$d->{prompt}')" \
  "$(json "$(head -n 1 "$cassette")" '$d->{prompt}')"
exits 0 "to a file" sessions export air --format cassette -o "$dir/air.out"
is "nothing is printed" "$out" ""
is "it is the same" "$(cat "$dir/air.out")" "$("$CKRUN" sessions export air --format cassette)"
is "only its owner can read it" "$(stat -c %a "$dir/air.out")" 600
exits 74 "to a folder that is not there" sessions export air --format cassette -o \
  "$dir/none/air.out"
has "the path is named" "$err" "cannot write $dir/none/air.out"
ok "nothing is left behind" test -z "$(ls "$dir" | grep 'air.out\.')"
ok "run from that, it is the same session, and exported again the same file" again whole "$flow" air

# One that failed in the middle, and resumed with the answers it had.
perl -pe 's/"name":"/"name":"not_/ if /"kind":"tool"/ && ++$n == 4' "$cassette" >"$dir/wrong.jsonl"
exits 1 "a session that fails half way" run "$flow" --cassette "$dir/wrong.jsonl" --session failed
exits 0 "and is resumed" resume failed --cassette "$cassette"
"$CKRUN" sessions export failed --format cassette >"$dir/failed.jsonl"
ok "is exported as if nothing had happened" cmp "$dir/failed.jsonl" "$dir/air.jsonl"

run run "$flow" --cassette "$dir/wrong.jsonl" --session broken
exits 0 "a fork of one that failed" sessions fork broken --session forked
exits 0 "that goes on" resume forked --cassette "$cassette"
"$CKRUN" sessions export forked --format cassette >"$dir/forked.jsonl"
ok "is exported with what it inherited" cmp "$dir/forked.jsonl" "$dir/air.jsonl"

# Calls that a flow makes itself, several at once, with errors among their answers.
cat >"$dir/own.lua" <<'LUA'
local flow = require "ck.flow"
return flow.custom {
  name = "own",
  tools = {
    good = flow.command { argv = { "cat" }, class = "pure" },
    bad = flow.command { argv = { "false" }, class = "pure" },
  },
  run = function(ctx)
    local said = {}
    for i, name in ipairs { "good", "bad", "good" } do
      local outcome = ctx.effect { kind = "tool", class = "pure",
        request = { name = name, index = 0, arguments = { n = i } } }
      said[i] = outcome.status
    end
    return said
  end,
}
LUA
exits 0 "a flow that calls its tools itself" run "$dir/own.lua" --session own
sed 's/flow.command { .* }, class = "pure" }/"pure"/' "$dir/own.lua" >"$dir/own_recorded.lua"
ok "its calls are answered, too" again own "$dir/own_recorded.lua" own

# ---- --record ----

exits 0 "a run that is recorded" run "$flow" --cassette "$cassette" --session recorded --record \
  "$dir/recorded.jsonl"
ok "leaves the file that an export gives" cmp "$dir/recorded.jsonl" "$dir/air.jsonl"
exits 1 "one that fails" run "$flow" --cassette "$dir/wrong.jsonl" --session half --record \
  "$dir/half.jsonl"
ok "leaves what it had" cmp <(head -n 10 "$dir/half.jsonl") <(head -n 10 "$dir/air.jsonl")
ok "which is something" test "$(grep -c '' "$dir/half.jsonl")" -gt 10
exits 0 "a resume that is recorded" resume half --cassette "$cassette" --record "$dir/half.jsonl"
ok "leaves the whole session" cmp "$dir/half.jsonl" "$dir/air.jsonl"
exits 0 "the recording is used to record itself" run "$flow" --cassette "$dir/recorded.jsonl" \
  --session self --record "$dir/recorded.jsonl"
ok "and stays what it was" cmp "$dir/recorded.jsonl" "$dir/air.jsonl"
refused 2 "no folder for the recording" "--record: no file can be made at $dir/none/x" run "$flow" \
  --cassette "$cassette" --record "$dir/none/x"
is "nothing was started" "$("$CKRUN" sessions list | grep -c running)" 0

# ---- recorded sessions ----

if [ -d "${CKRUN_DATA:-}/tau_bench" ]; then
  bad=0 count=0 every=${CKRUN_SPARSE:+7} every=${every:-1}
  for file in "$CKRUN_DATA"/tau_bench/*.json; do
    for index in $(seq 0 "$every" 49); do
      "$CKRUN" run "$flow" --cassette "$file#$index" --session "tau-$count" >/dev/null 2>&1 || break
      again whole "$flow" "tau-$count" || bad=$((bad + 1))
      count=$((count + 1))
    done
  done
  is "recorded sessions are, too, all 50 or every 7th" "$count $bad" "$((every > 1 ? 8 : 50)) 0"
else
  skip "no recorded sessions: CKRUN_DATA names no folder"
fi

cat >"$dir/markup.lua" <<'LUA'
return require("ck.flow").custom { run = function(ctx)
  ctx.memory.text = "</script><script>alert(1)</script>"
  ctx.boundary("tool_round", { position = { path = "a" } })
end }
LUA
exits 0 "markup is state like any other" run "$dir/markup.lua" --session markup
is "as a page every element ends where the page's own does" \
  "$("$CKRUN" sessions export markup --format html | grep -c '<script>alert')" 0

refused 2 "no format" "--format says as what" sessions export air
refused 2 "an unknown format" "cassette" sessions export air --format casette
refused 3 "no such session" "nosuch" sessions export nosuch --format cassette
finish
