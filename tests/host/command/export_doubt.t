#!/bin/bash
# export_doubt.t - what was begun and has no outcome is not given away in silence: a checkpoint is
# refused, in each form that another run goes on from, until a person has said what became of it.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >pay.flow.lua <<'FLOW'
local flow = require "ck.flow"
return flow.steps { name = "w", parallel = 1, steps = {
  { name = "a", run = function() return 1 end },
  { name = "pay", needs = { "a" }, run = flow.exec { class = "once",
    argv = { "sh", "-c", "echo paid >>paid; test -e free || kill -9 $PPID; echo ok" } } },
} }
FLOW
effect=main.pay@step/pay#1/exec/1
forms="run-checkpoint workflow-checkpoint session-checkpoint"

exits 137 "killed while it pays" run pay.flow.lua --profile graph --session s
touch free
for form in $forms loop-checkpoint; do
  refused 75 "killed: $form" "effect $effect (once) was begun and its outcome is not known" \
    sessions export s --format $form -o doc.json
  has "killed: $form: the way out" "$err" "ckrun resolve s"
  ok "killed: $form: no file" test ! -e doc.json
done
exits 75 "in doubt" resume s
for form in $forms loop-checkpoint; do
  refused 75 "in doubt: $form" "$effect (once)" sessions export s --format $form
done
refused 75 "at a checkpoint, too" "$effect (once)" sessions export s \
  --format workflow-checkpoint --checkpoint first
exits 0 "an archive keeps the doubt" sessions export s --format archive -o s.db
CKRUN_STORE=sqlite:$dir/other.db exits 0 "elsewhere" sessions import s.db
CKRUN_STORE=sqlite:$dir/other.db exits 75 "it is in doubt there" resume s
is "it was paid once" "$(grep -c . paid)" 1

# A person says that it did not happen: who goes on may do it.
cp -r store retried
export CKRUN_STORE=sqlite:$dir/retried/ckrun.db
exits 0 "to be done again" resolve s $effect retry
for form in $forms; do
  exits 0 "it may be done again: $form" sessions export s --format $form
done

# That it happened no document tells before a run has recorded it.
export CKRUN_STORE=sqlite:$dir/store/ckrun.db
exits 0 "it happened" resolve s $effect done \
  --result '{"exit":0,"stdout":"ok\n","stderr":""}'
for form in $forms; do
  refused 75 "said, not recorded: $form" "ckrun resume s" sessions export s --format $form
done
exits 0 "a run records it" resume s
exits 0 "it is given away" sessions export s --format workflow-checkpoint -o doc.json
export CKRUN_STORE=sqlite:$dir/there.db
exits 0 "and imported" sessions import doc.json --resume-with pay.flow.lua --profile graph \
  --session s
exits 0 "and goes on" resume s
is "it was paid once in all" "$(grep -c . paid)" 1

# One that may simply be done again is in no doubt.
sed 's/"once"/"idempotent"/' pay.flow.lua >again.flow.lua
rm free
exits 137 "one of class idempotent" run again.flow.lua --profile graph --session t
for form in $forms; do exits 0 "idempotent: $form" sessions export t --format $form; done
finish
