#!/bin/bash
# explain_resume.t - the event of a resume, and of a refused one, has what each policy answered, by
# dimension, those without an opinion too; policy explain tells it.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# policy NAME BODY: NAME.lua with such a resume hook.
policy() {
  echo "return { name = \"$1\", version = 1, resume = function() $2 end }" >"$1.lua"
}
profile() {
  local name=$1 list=
  shift
  for one in "$@"; do list="$list\"./$one.lua\", "; done
  echo "return { name = \"$name\", policies = { \"every_boundary\", $list } }" >"$name.profile.lua"
}
policy tight 'return { budget = "reset", time = "continue" }'
policy calm ''
policy loose 'return { budget = "continue" }'
policy old 'return ck.refuse "it is too old"'
policy broken 'error "lost"'
echo 'return require("ck.flow").lua(function(ctx) ctx.pause("here") end)' >flow.lua
seq() {
  "$CKRUN" --json sessions log "$1" --all --kind "$2" | head -1 |
    sed 's/.*"seq":\([0-9]*\),.*/\1/'
}
body() {
  json "$("$CKRUN" --json sessions log "$1" --all --kind "$2" | head -1)" "\$d->{body}{$3}"
}
row() { "$CKRUN" policy explain "$1" | grep -P "^\d+\t$2\t" | cut -f 6; }

profile rules tight calm loose
run run flow.lua --profile ./rules.profile.lua --session rules
run resume rules
is "a resume has what each policy said, by name" "$(body rules session_resumed answers)" \
  "$(printf '[%s,%s,%s]' \
    '{"answer":"rules","policy":"tight","rules":{"budget":"reset","time":"continue"}}' \
    '{"answer":"no opinion","policy":"calm"}' \
    '{"answer":"rules","policy":"loose","rules":{"budget":"continue"}}')"
is "beside what came of it" "$(body rules session_resumed 'rules}{budget')" continue
is "its row tells it" "$(row rules session_resumed)" \
  "tight: budget reset, time continue; calm: no opinion; loose: budget continue"
exits 0 "as JSON" --json policy explain rules "$(seq rules session_resumed)"
is "the same" "$(json "$out" '$d->{answers}')" "$(body rules session_resumed answers)"

profile quiet calm
run run flow.lua --profile ./quiet.profile.lua --session quiet
run resume quiet
is "a resume that nobody has an opinion about has no row" "$(row quiet session_resumed)" ""
exits 0 "its event" policy explain quiet "$(seq quiet session_resumed)"
is "says so" "$(head -1 <<<"$out")" \
  "event $(seq quiet session_resumed), session_resumed: calm: no opinion"

profile refused calm old loose
run run flow.lua --profile ./refused.profile.lua --session refused
exits 5 "a policy refuses" resume refused
is "the refusal has what each said" "$(body refused resume_refused answers)" \
  "$(printf '[%s,%s,%s]' '{"answer":"no opinion","policy":"calm"}' \
    '{"answer":"refuse","policy":"old"}' \
    '{"answer":"rules","policy":"loose","rules":{"budget":"continue"}}')"
exits 0 "its event" policy explain refused "$(seq refused resume_refused)"
is "says it in sentences" "$out" "event $(seq refused resume_refused), resume_refused: old: it is \
too old
policy calm: no opinion
policy old: refuse
policy loose: budget continue"

profile failing broken calm
run run flow.lua --profile ./failing.profile.lua --session failing
run resume failing
is "of one that failed that is told" "$(body failing resume_refused answers)" \
  '[{"answer":"failed","policy":"broken"},{"answer":"no opinion","policy":"calm"}]'
exits 0 "the store is sound" store verify
finish
