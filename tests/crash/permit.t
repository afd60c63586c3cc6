#!/bin/bash
# permit.t - sessions whose effects a person is asked about are killed at every call that changes
# something, and so are the answers: each effect that is allowed begins once, each that is denied
# never, and no answer that was taken is asked for again. PERMIT_EVERY=N tries only every Nth call.
. "$(dirname "$0")/lib.sh"

every=${PERMIT_EVERY:-29}
# Of five effects this one is denied.
refused=main/turn#1/tool/1
effects="main/start/tool/1 main/start/tool/2 main/turn#1/tool/2 main/turn#2/exec/1"

begin
have_compiler && build_kill_at || skip_all "there is no compiler for the library that kills"

prepare() {
  folder "$1"
  cat >asks.lua <<'END'
return { name = "asks", version = 1, permit = function(effect)
  return ck.ask("Count for " .. effect.key .. "?")
end }
END
  echo 'return { name = "asked", extends = "default", policies = { "./asks.lua" } }' >asked.lua
}

word() { [ "$1" = "$refused/permit" ] && echo deny || echo allow; }
questions() { ckrun answer s 2>talk | cut -f1; }

# given KEY: the answer is recorded; it is never to be given again.
given() {
  grep -qxF "$1" given.log 2>/dev/null && { echo "$1 was asked again" >>twice; return 1; }
  echo "$1" >>given.log
}

# taken KEY: the store has the answer.
taken() { ckrun --json sessions log s --all --kind resolution 2>talk | grep -qF "\"key\":\"$1\""; }

# step COMMAND…: one run of the program, under the command.
step() { bounded "$@" >out 2>err; }

# answer_all COMMAND…: each open question; the first under the command.
answer_all() {
  local key
  for key in $(questions); do
    step "$@" "$CKRUN" --store "$store" answer s "$(word "$key")" --effect "$key"
    code=$?
    [ "$code" = 0 ] || [ "$code" = 137 ] ||
      { echo "answer: exit $code: $(tail -n 1 err)" >>twice; return 1; }
    if taken "$key"; then given "$key" || return 1; fi
    set -- env
  done
}

# go RESUMES COMMAND…: starts, answers and resumes until the session has ended; the N-th run of the
# program, counted from 1, is under the command.
go() {
  local nth=$1 n=1 under
  shift
  local start=(run "$here/permit.lua" --profile ./asked.lua --session s)
  while [ "$n" -le 40 ]; do
    under=env
    [ "$n" = "$nth" ] && under="$*"
    # shellcheck disable=SC2086
    if ! ckrun sessions show s >/dev/null 2>&1; then
      step $under "$CKRUN" --store "$store" "${start[@]}"
    else
      step $under "$CKRUN" --store "$store" resume s
    fi
    code=$?
    n=$((n + 1))
    [ "$code" = 5 ] && grep -q 'is completed' err && return 0
    case $code in
      0) return 0 ;;
      8)
        under=env
        [ "$n" = "$nth" ] && under="$*"
        answer_all $under || return 1
        n=$((n + 1)) ;;
      137) ;;
      75) echo "$code: $(tail -n 1 err)" >doubt; return 1 ;;
      *) echo "exit $code: $(tail -n 1 err)" >stuck; return 1 ;;
    esac
  done
  echo "no end" >stuck
  return 1
}

fresh_all() { fresh; rm -f given.log twice doubt stuck talk; }

# A kill while a tool runs leaves it in doubt, which is no part of this: a person says it was done,
# or is to be made.
settle() {
  local key
  for key in $(ckrun resolve s 2>talk | cut -f1); do
    ckrun resolve s "$key" "$(grep -qxF "$key" count.log 2>/dev/null && echo done || echo retry)" \
      >out 2>err || return 1
  done
}

expected_marks() { printf '%s\n' $effects | sort; }
is_right() {
  [ ! -e twice ] || { say "$(cat twice)"; return 1; }
  [ ! -e stuck ] || { say "$(cat stuck)"; return 1; }
  [ "$(sort count.log)" = "$(expected_marks)" ] ||
    { say "ran: $(sort count.log | tr '\n' ' ')"; return 1; }
  [ "$(wc -l <given.log)" = 5 ] || { say "answers: $(tr '\n' ' ' <given.log)"; return 1; }
  ckrun store verify >verified 2>&1 || { say "$(head -n 1 verified)"; return 1; }
}

whole() {
  fresh_all
  go "$@" || { settle && rm -f doubt && go 0 env; }
  is_right
}

prepare once
check "undisturbed, four of five effects are allowed and made once" whole 0 env

# The calls of each run of the program on the way: starts, answers, resumes.
for nth in 1 2 3 4 5 6 7; do
  fresh_all
  go "$nth" env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so"
  calls=$(cat "$work/calls")
  seq 2 $((2 * calls + 1)) | thin "$every" >"$work/points"
  bad=0
  while read -r at; do
    whole "$nth" env "KILL_AT=$at" "LD_PRELOAD=$work/kill_at.so" 2>/dev/null ||
      { bad=$((bad + 1)); say "run $nth, call $at"; }
  done <"$work/points"
  check "run $nth, killed at each of $(wc -l <"$work/points") calls: all is done once, asked once" \
    test "$bad" = 0
done
finish
