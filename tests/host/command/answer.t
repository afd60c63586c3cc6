#!/bin/bash
# answer.t - a session that waits for a person gets its answer exactly once: at rest, while it runs,
# in a race, and through kills.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../kills.sh"

cat >"$dir/ask.lua" <<END
local flow = require "ck.flow"
return flow.custom { name = "asks", run = function(ctx)
  local got = ctx.effect { kind = "ask", class = "once", request = { question = "Send it?" } }
  ctx.memory.said = got.result
  ctx.boundary("tool_round", { position = { path = "asked#1" } })
  return ctx.memory.said
end }
END
# Two branches ask, a third runs a step.
cat >"$dir/three.lua" <<END
local flow = require "ck.flow"
local step = { class = "idempotent", argv = { "$dir/step.sh" } }
return flow.custom { name = "three", tools = { step = step }, run = function(ctx)
  if ctx.task then
    if ctx.task == "step" then
      return ctx.effect { kind = "tool", class = "idempotent",
        request = { name = "step", index = 0, arguments = {} } }.result
    end
    return ctx.effect { kind = "ask", class = "once", request = { question = ctx.task } }.result
  end
  ctx.fork {
    { scope = "one", task = "Which?" },
    { scope = "two", task = "When?" },
    { scope = "three", task = "step" },
  }
  local all = ctx.join { "one", "two", "three" }
  return all.one.result .. " " .. all.two.result .. " " .. all.three.result
end }
END
outcomes() { "$CKRUN" --json sessions log "$1" --all --kind outcome | grep -c '"kind":"ask"'; }

exits 8 "a run that asks" run "$dir/ask.lua" --session s
is "waits" "$(cell "$out" status)" waiting
has "and says for what" "$err" "Send it?"
is "and how it is answered" "$(cell "$out" answer)" "ckrun answer s"
exits 0 "so does sessions show" sessions show s
is "in a line" "$(cell "$out" next)" "ckrun answer s TEXT"
exits 0 "answer without a text" answer s
is "lists the question" "$(cut -f2 <<<"$out")" "Send it?"
key=$(cut -f1 <<<"$out")
exits 0 "as JSON" --json answer s
is "the same" "$(json "$out" '"$d->{effect} $d->{question}"')" "$key Send it?"
exits 5 "an answer to another question" answer s yes --effect main/other/ask/1
exits 0 "the answer" answer s "yes, do"
is "is kept" "$(cell "$out" status) $(cell "$out" reason)" "paused answered"
refused 5 "a second answer" "was answered" answer s no
exits 0 "the resume" --json resume s
is "takes it" "$(json "$out" '$d->{result}')" "yes, do"
is "once" "$(outcomes s)" 1
refused 5 "an answer to a session that is done" "asks nothing, or was answered" answer s late
refused 3 "an answer to none" "nowhere" answer nowhere yes

exits 8 "another one" run "$dir/ask.lua" --session input
printf 'line one\nline "two"\n' | "$CKRUN" answer input - >/dev/null
exits 0 "an answer from standard input" --json resume input
is "keeps its lines but for the last break" "$(json "$out" '$d->{result}')" $'line one\nline "two"'
exits 8 "another one" run "$dir/ask.lua" --session secret
exits 0 "an answer with a token in it" answer secret \
  "it is ghp_0123456789abcdefghijABCDEFGHIJ012345"
exits 0 "reaches the flow" --json resume secret
has "without the token" "$(json "$out" '$d->{result}')" "it is [redacted:"
is "which is in no file" "$(grep -rlF ghp_0123456789abcdefghij "$dir/store" | wc -l)" 0

# ---- a race ----
exits 8 "another one" run "$dir/ask.lua" --session race
pids=()
for n in 1 2 3 4; do "$CKRUN" answer race "answer $n" >"$dir/race$n" 2>&1 & pids+=($!); done
won=0 lost=0 winner=
for n in 1 2 3 4; do
  wait "${pids[n - 1]}"
  case $? in 0) won=$((won + 1)) winner=$n ;; 5) lost=$((lost + 1)) ;; esac
done
is "of four answers at once one is taken, three are refused" "$won $lost" "1 3"
exits 0 "the resume" --json resume race
is "takes that one" "$(json "$out" '$d->{result}')" "answer $winner"

# ---- several questions, at rest and live ----
begin run "$dir/three.lua" --session three
until "$CKRUN" --json sessions log three --kind intent | grep -c '"kind":"ask"' | \
  grep -q 2; do :; done
"$CKRUN" answer three "the red one" >"$dir/got" 2>&1
is "one of two questions must be named" "$?" 5
has "as the owner says" "$(cat "$dir/got")" "name one by its effect"
exits 0 "the questions of a live session" answer three
one=$(grep Which <<<"$out" | cut -f1) two=$(grep When <<<"$out" | cut -f1)
exits 0 "an answer while it runs" answer three "the red one" --effect "$one"
is "and it runs on" "$(cell "$out" status)" running
refused 5 "a second one" "nothing waits for an answer" answer three "the blue one" --effect "$one"
let_on done
ended
is "then it waits for the other: exit 8" "$code $(cell "$out" status)" "8 waiting"
exits 0 "which is the only one left" answer three
is "to be listed" "$(grep -c . <<<"$out") $(cut -f1 <<<"$out")" "1 $two"
exits 0 "its answer needs no name" answer three today
exits 0 "the resume" --json resume three
is "has all of them" "$(json "$out" '$d->{result}')" "the red one today done"
is "each once" "$(outcomes three)" 2
exits 0 "the store is sound" store verify

# ---- choices ----
cat >"$dir/choose.lua" <<END
local flow = require "ck.flow"
return flow.custom { name = "chooses", run = function(ctx)
  return ctx.effect { kind = "ask", class = "once",
    request = { question = "Which?", options = { "red", "dark \\"blue\\"" } } }.result
end }
END
exits 8 "a run that lets choose" run "$dir/choose.lua" --session choose
refused 5 "an answer that is none of the choices" \
  "none of the answers that can be given: red, dark" answer choose green
exits 0 "one that is" answer choose 'dark "blue"'
exits 0 "the resume" --json resume choose
is "takes it" "$(json "$out" '$d->{result}')" 'dark "blue"'

# ---- a question at a terminal ----
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  mkfifo "$dir/keys"
  # at_terminal FLOW SESSION: runs it at a terminal, whose keys come from descriptor 7, until its
  # question stands.
  at_terminal() {
    : >"$dir/terminal" # an earlier question is not this one
    (script -qec "'$CKRUN' run $1 --session $2" /dev/null <"$dir/keys" >"$dir/terminal" 2>&1; echo \
      $? >"$dir/terminal.code") &
    at=$!
    exec 7>"$dir/keys"
    until grep -q '> $' "$dir/terminal" || ! kill -0 "$at"; do :; done
  }
  away() { wait "$at"; exec 7>&-; code=$(cat "$dir/terminal.code") \
    out=$(tr -d '\r' <"$dir/terminal"); }
  at_terminal "$dir/choose.lua" seen
  run answer seen green
  is "an answer from elsewhere that is none of the choices" "$code" 5
  exits 0 "one that is" answer seen red
  away
  has "the question is taken back, and says why" "$out" $'\nanswered from elsewhere: red\n'
  is "the run goes on with it" "$code $(json "$("$CKRUN" --json sessions log seen --last 1)" \
    '$d->{body}{result}')" "0 red"
  is "once" "$(outcomes seen)" 1
  for n in 1 2 3 4; do
    at_terminal "$dir/ask.lua" both$n
    "$CKRUN" answer both$n elsewhere >"$dir/got" 2>&1 &
    other=$!
    echo here >&7
    wait $other
    given=$?
    away
    said=$(json "$("$CKRUN" --json sessions log both$n --last 1)" '$d->{body}{result}')
    case "$given $said" in "0 elsewhere" | \
      "5 here") won=yes ;; *) won="$given $said $(cat "$dir/got")" ;; esac
    is "both at once, $n: one of them is taken, and the other knows" "$won $(outcomes both$n)" \
      "yes 1"
  done
else
  skip "script(1) or terminals are missing"
fi

# ---- killed at its calls: refused or taken, and never lost once acknowledged ----
if can_kill; then
exits 8 "another one" run "$dir/ask.lua" --session killed
points=0 right=0 again=0
export CKRUN_STORE=sqlite:$dir/copy/ckrun.db
cp -r "$dir/store" "$dir/copy" && calls=$(count_calls answer killed first)
for n in $(seq 1 16); do
  rm -rf "$dir/copy" && cp -r "$dir/store" "$dir/copy"
  preloaded "KILL_AT=$((1 + 2 * calls * n / 16))" answer killed first
  first=$?
  run answer killed second
  second=$code
  run --json resume killed
  points=$((points + 1))
  case "$first $second $(json "$out" '$d->{result}' 2>/dev/null)" in
    "137 0 second") right=$((right + 1)) again=$((again + 1)) ;;
    "137 5 first" | "0 5 first") right=$((right + 1)) ;;
    *) echo "# at call $((calls * n / 16)): $first, $second, $out $err" >&2 ;;
  esac
done
is "an answer killed at $points of its calls is there or not" "$right" "$points"
ok "and can be given again where it is not" test "$again" -gt 0
else
  skip "no compiler for the library that kills: nothing is killed at its calls"
fi
# ---- several at rest: an answer that lies beside the live timeline counts ----

cat >"$dir/both.lua" <<'EOF'
local flow = require "ck.flow"
return flow.custom { name = "both", run = function(ctx)
  if ctx.task then
    return ctx.effect { kind = "ask", class = "idempotent",
      request = { question = ctx.task .. "?" } }.result
  end
  ctx.fork { { scope = "a", task = "a" }, { scope = "b", task = "b" } }
  local ended = ctx.join { "a", "b" }
  return ended.a.result .. " " .. ended.b.result
end }
EOF
exits 8 "two branches ask" run "$dir/both.lua" --session beside
exits 0 "the first is answered" answer beside one --effect main.a@start/start/ask/1
has "the session waits for the other" "$out" "$(printf 'status\twaiting')"
run answer beside
is "which alone is listed" "$(cut -f1 <<<"$out")" main.b@start/start/ask/1
exits 0 "it needs no name any more" answer beside two
has "and none is left" "$out" "$(printf 'status\tpaused')"
run answer beside
is "as the list says" "$out" ""
exits 0 "both are taken" resume beside
has "as they were given" "$out" "$(printf 'result\tone two')"
finish
