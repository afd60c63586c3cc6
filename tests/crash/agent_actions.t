#!/bin/bash
# agent_actions.t - a session whose agent wants to do something that a person is asked about is
# killed at every call that changes something, and so is the answer: the answer is taken once, is
# asked for once, and the agent is told it and nothing else. ACTIONS_EVERY=N tries only every Nth.
. "$(dirname "$0")/lib.sh"

every=${ACTIONS_EVERY:-47}
agent=$CKRUN_BUILD/tests/effect/acp/tool_acp_agent
yes='optionId..:..yes'

begin
[ -x "$agent" ] || skip_all "$agent is not built"
have_compiler && build_kill_at || skip_all "there is no compiler for the library that kills"

prepare() {
  folder actions
  cat >asks.lua <<'END'
return { name = "asks", version = 1, permit = function(effect)
  if effect.kind == "agent_tool" then return ck.ask("May it " .. effect.request.title .. "?") end
end }
END
  echo 'return { name = "asked", extends = "default", policies = { "./asks.lua" } }' >asked.lua
  cat >flow.lua <<END
local flow = require "ck.flow"
return flow.custom { processes = { coder = flow.acp { argv = { "$agent" } } }, run = function(ctx)
  return ctx.effect { kind = "agent", class = "idempotent",
    request = { process = "coder", prompt = "new" } }.result.text
end }
END
}

step() { bounded "$@" >out 2>err; }
log() { ckrun --json sessions log s --all "$@" 2>talk; }
taken() { log --kind resolution | grep -q '/permit"'; }

# go NTH COMMAND…: starts, answers and resumes until the session has ended; the NTH run of the
# program, counted from 1, is under the command.
go() {
  local nth=$1 n=1 under given=
  shift
  while [ "$n" -le 20 ]; do
    under=env
    [ "$n" = "$nth" ] && under="$*"
    n=$((n + 1))
    # shellcheck disable=SC2086
    if ! ckrun sessions show s >/dev/null 2>&1; then
      step $under "$CKRUN" --store "$store" run flow.lua --profile ./asked.lua --session s
      code=$?
    elif [ -z "$given" ] && [ -n "$(ckrun answer s 2>talk)" ]; then
      step $under "$CKRUN" --store "$store" answer s allow
      code=$?
      taken && given=1
    else
      step $under "$CKRUN" --store "$store" resume s
      code=$?
    fi
    [ "$code" = 0 ] && log --kind session_completed | grep -q . && return 0
    [ "$code" = 5 ] && grep -q 'is completed' err && return 0
    case $code in
      0 | 137) ;;
      8) [ -z "$given" ] || { say "asked again behind the answer"; return 1; } ;;
      *) say "exit $code: $(tail -n 1 err)"; return 1 ;;
    esac
  done
  say "no end"
  return 1
}

whole() {
  fresh
  go "$@" || return 1
  log --kind session_completed | grep -q "$yes" ||
    { say "the agent was told something else"; return 1; }
  [ "$(log --kind outcome | grep '/permit"' | grep -c '"result":"allow"')" = 1 ] ||
    { say "not one answer"; return 1; }
  ckrun store verify >verified 2>&1 || { say "$(head -n 1 verified)"; return 1; }
}

prepare
check "undisturbed, the agent is told the answer" whole 0 env
for nth in 1 2 3; do
  fresh
  go "$nth" env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so"
  calls=$(cat "$work/calls")
  seq 2 $((2 * calls + 1)) | awk -v every="$every" 'NR % every == 0' >"$work/points"
  bad=0
  while read -r at; do
    whole "$nth" env "KILL_AT=$at" "LD_PRELOAD=$work/kill_at.so" 2>/dev/null ||
      { bad=$((bad + 1)); say "run $nth, call $at"; }
  done <"$work/points"
  check "run $nth, killed at each of $(wc -l <"$work/points") calls: asked once, answered once" \
    test "$bad" = 0
done
finish
