#!/bin/bash
# narrow.t - on a narrow terminal no view loses what matters: texts go on at blanks in the next
# line, columns of a log that is followed stay where they are, what is over is not listed as open.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/views.sh"
. "$(dirname "$0")/../steps.sh"

has_terminal || { skip "no pseudo-terminal"; finish; }
cd "$dir" || exit 1

# ---- what failed is told in full ----

cat >pay.lua <<'END_OF_FLOW'
local flow = require "ck.flow"
return flow.graph { name = "pay", start = "pay",
  nodes = {
    pay = flow.exec { argv = { "sh", "-c", "echo paid >>paid" }, class = "once" },
    strike = flow.exec { class = "idempotent",
      argv = { "sh", "-c", "test -e struck || { touch struck; kill -9 $PPID; sleep 9; }" } },
    mail = flow.exec { argv = { "sh", "-c", "test -e address || " ..
      "{ echo the address of the customer is not to be found in any book >&2; exit 3; }" } },
  },
  edges = { pay = "strike", strike = "mail", mail = flow.done } }
END_OF_FLOW
joined() { tr -s '\n ' '  '; }
message="sh: exit status 3: the address of the customer is not to be found in any book"
run run pay.lua --session trip
is "a kill in the middle of a graph" "$code" 137
shown=$(screen 60 sessions checkpoints trip | joined)
has "under the default profile there is no checkpoint yet, which is told" "$shown" \
  "no checkpoint yet"
has "and why" "$shown" \
  "boundaries no policy asked for a checkpoint ('ckrun policy explain trip'); a resume repeats"
exits 1 "it goes on behind the kill" resume trip
is "what was paid before is not paid again" "$(cat paid)" paid
for columns in 60 80 120; do
  for view in "sessions log" "sessions show" "sessions list" "policy explain"; do
    shown=$(screen $columns $view $([ "$view" = "sessions list" ] || echo trip))
    is "$view at $columns: no line is wider" "$(too_wide $columns <<<"$shown")" 0
    [ "$view" = "policy explain" ] ||
      has "$view at $columns: the message is there to its end" \
        "$(perl -pe 's/^ +//' <<<"$shown" | joined)" "not to be found in any book"
  done
  has "show at $columns tells the node of each effect" \
    "$(screen $columns sessions show trip)" "mail#1"
  shown=$(screen $columns resume trip)
  is "a run at $columns: no line is wider" \
    "$(perl -ne 's/\r//g; s/.*\033\[K//; print' <<<"$shown" | too_wide $columns)" 0
  has "a run at $columns: its message is there to its end, words whole" \
    "$(perl -ne 's/\r//g; s/^ +//; print' <<<"$shown" | joined)" \
    "trip failed: node 'mail': $message"
done
# ---- many runs ----

for _ in 1 2 3; do run resume trip; done
is "eight runs" "$(json "$("$CKRUN" --json sessions show trip)" '0 + @{$d->{runs}}')" 8
is "of which a pipe gets the last five" "$("$CKRUN" sessions show trip | grep -c '^runs.*failed')" 5
has "and is told of the others" "$("$CKRUN" sessions show trip)" "3 earlier ones: -v or --json"
is "-v has all" "$("$CKRUN" sessions show trip -v | grep -cE '^runs	run_')" 8
touch address
exits 0 "it goes on to its end" resume trip

# ---- verdicts ----

cp "$root"/tests/golden/schema3.db . && export CKRUN_STORE=$dir/schema3.db
doubt=$(json "$("$CKRUN" --json sessions show doubt)" '$d->{doubts}[0]')
status() { json "$("$CKRUN" --json sessions show doubt)" \
  "join ' ', map { \$_->{status} } grep { \$_->{effect} eq '$doubt' } @{\$d->{last_effects}}"; }
exits 0 "a person says what became of it" resolve doubt "$doubt" done
is "then the effect is resolved, and not open" "$(status)" resolved

export CKRUN_STORE=sqlite:$dir/store/ckrun.db
cat >settles.lua <<'END_OF_POLICY'
local policy = { name = "settles", version = 1, options = { word = "stop" } }
function policy.in_doubt(_, opt) return opt.word end
return policy
END_OF_POLICY
for word in rerun tell; do
  cat >$word.lua <<END_OF_PROFILE
return { name = "$word", extends = "default", policies = { { "./settles.lua", word = "$word" } } }
END_OF_PROFILE
done
cat >gone.lua <<'END_OF_FLOW'
local flow = require "ck.flow"
return flow.graph { name = "gone", start = "pay", edges = { pay = flow.done }, nodes = {
  pay = flow.exec { argv = { "sh", "-c", "test -e was || { touch was; kill -9 $$; }" },
    class = "once" } } }
END_OF_FLOW
last() { json "$("$CKRUN" --json sessions show "$1")" \
  'join " ", map { "$_->{effect}=$_->{status}" } @{$d->{last_effects}}'; }
for word in rerun tell; do
  rm -f was
  run run gone.lua --profile ./$word.lua --session $word
done
is "what a policy had run again is what became of it" "$(last rerun)" \
  "main/pay#1/exec/1=failed main/pay#1/exec/1=ok"
is "and what a policy told as unknown is unknown, once" "$(last tell)" "main/pay#1/exec/1=unknown"
export CKRUN_STORE=$dir/schema3.db

# ---- the log ----

for columns in 60 80 120; do
  shown=$(screen $columns sessions log failed --seq 3)
  is "one event at $columns: nothing is behind it" "$(grep -c SEQ <<<"$shown")" 0
done
if set_clock "2026-11-24 08:00"; then
  view log_failed sessions log failed
  at_clock=()
else
  skip "no compiler for a clock that stands"
fi
view explain_failed policy explain failed

# ---- following ----

export CKRUN_STORE=$dir/live.db
write_flow idempotent
begin run "$dir/flow.lua" --session live
screen 100 sessions log live -f >followed 3>&- 4>&- &
follower=$!
until grep -q intent followed; do kill -0 $follower || break; done
steps 1 2 3 4
ended
wait $follower
is "one header" "$(grep -c '^ *SEQ' followed)" 1
is "of what is followed each column stands still" \
  "$(perl -ne 'print index($_, $1), "\n" if /^ *\d+  [\d:]+  (\w+)/' followed | sort -u | wc -l)" 1
is "and the last one, too" "$(perl -ne 'push @at, $-[1] if /^ *\d+  \S+  \S+ +main +(\S)/;
  END { my %s = map { $_ => 1 } @at; print scalar keys %s }' followed)" 1
ok "it is the whole log" test "$(grep -cE '^ *[0-9]+  ' followed)" = \
  "$("$CKRUN" --json sessions log live | grep -c .)"
finish
