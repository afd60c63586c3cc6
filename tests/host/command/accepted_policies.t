#!/bin/bash
# accepted_policies.t - what was accepted once needs no flag again; going back to the text before is
# a change as any other: refused, told, recorded. The same of the flow, of forks, rewinds and edits.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
unset CKRUN_FLAGS

# flow TEXT: one that pauses four times, and has that comment behind it.
flow() {
  cat >flow.lua <<E
local flow = require "ck.flow"
local stop = flow.lua(function(ctx) ctx.pause("here") end)
return flow.graph { name = "g", start = "a", nodes = { a = stop, b = stop, c = stop, d = stop,
  e = stop, f = stop }, edges = { a = "b", b = "c", c = "d", d = "e", e = "f", f = flow.done } }
-- $1
E
}
# profile N: p.lua takes a checkpoint at each Nth boundary.
profile() { echo "return { name = \"p\", policies = { { \"every_n\", n = $1 } } }" >p.lua; }
# accepted SESSION: what each of its resumes accepted, one line each.
accepted() {
  "$CKRUN" --json sessions log "$1" --all --kind session_resumed | perl -MJSON::PP -ne '
    my $a = decode_json($_)->{body}{accepted};
    print join(" ", $a ? ($a->{with}, map { join "", $_->{option} // $_->{what}, "=",
      $_->{was} // "-", ">", $_->{now} // "-" } @{$a->{policies}}) : "none"), "\n"'
}
flow one
profile 3
run run flow.lua --profile ./p.lua --session s
is "a session that paused" "$(cell "$out" status)" paused

# ---- policies ----
profile 4
refused 5 "other policies" "have changed since the session was started: option n of every_n was 3 \
and is 4" resume s
exits 8 "are accepted" resume s --accept-changed
exits 0 "the same again in the dry run" --json resume s --dry-run
is "is no change" "$(json "$out" '[$d->{changes}, $d->{policies}[0]{changed}]')" "[[],false]"
exits 8 "nor in the resume, without the flag" resume s
is "which records nothing as accepted" "$(accepted s | paste -sd' ')" "--accept-changed n=3>4 none"
profile 3
refused 5 "back to the first text" "have changed since its last run: option n of every_n was 4 \
and is 3" resume s
run resume s --dry-run
is "the dry run tells it" "$code $(grep ^changed <<<"$out")" \
  "5 $(printf 'changed\toption n of every_n was 4 and is 3')"
exits 8 "is accepted" resume s --accept-changed
is "and recorded" "$(accepted s | tail -n 1)" '--accept-changed n=4>3'
seq=$("$CKRUN" --json sessions log s --all --kind session_resumed | tail -n 1 |
  perl -MJSON::PP -ne 'print decode_json($_)->{seq}')
run policy explain s "$seq"
has "explain tells it" "$out" "option n of every_n was 4 and is 3"
run sessions log s --all --kind session_resumed
has "sessions log tells it" "$(tail -n 1 <<<"$out")" "option n of every_n was 4 and is 3"
exits 8 "from then on the first text is that of the session" resume s
profile 4
exits 5 "and the second one is the change" resume s
exits 8 "which a person accepts" resume s --accept-changed

# ---- the flow ----
profile 3
run run flow.lua --profile ./p.lua --session f
flow two
refused 5 "another flow" "has changed since the session was started" resume f
exits 8 "is accepted" resume f --accept-changed
exits 8 "the same needs no flag" resume f
flow one
refused 5 "back to the first" "flow $dir/flow.lua has changed since its last run" resume f
run --json resume f --dry-run
is "is told by the dry run" "$(json "$out" '$d->{flow_changed}')" 1
exits 8 "and accepted" resume f --accept-changed
run --json sessions log f --all --kind session_resumed
is "recorded with both digests" "$(tail -n 1 <<<"$out" | perl -MJSON::PP -ne '
  my $f = decode_json($_)->{body}{accepted}{flow}; print "$f->{was} $f->{now}"')" \
  "$( (flow two; b2sum -l 256 flow.lua; flow one; b2sum -l 256 flow.lua) | cut -c1-64 |
    paste -sd' ')"

# ---- an acceptance is not work: a rewind leaves it, a fork has what its own past has ----
run run flow.lua --profile ./p.lua --session w
first=$("$CKRUN" sessions checkpoints w | tail -n 1 | cut -f 1)
profile 5
exits 8 "a session that goes on under others" resume w --accept-changed
exits 0 "and is rewound behind that" sessions rewind w --to "$first" --report "once more"
exits 8 "has them accepted still" resume w
exits 0 "which an earlier checkpoint does not change" resume w --checkpoint "$first" --dry-run
exits 0 "a fork of what ran before the acceptance" sessions fork w --checkpoint "$first" \
  --session old
exits 5 "has accepted nothing" resume old
exits 0 "one of what ran behind it" sessions fork w --session new
exits 0 "has" resume new --dry-run
profile 3
exits 8 "the older fork goes on as its past ran" resume old
exits 5 "and the newer one does not" resume new

# ---- another profile ----
run run flow.lua --profile ./p.lua --session q
echo 'return { name = "strict", policies = { { "every_n", n = 3 }, "approve" } }' >strict.lua
exits 8 "a resume under another profile" resume q --profile ./strict.lua
is "accepts what differs" "$(accepted q)" "--profile added=->$("$CKRUN" --json resume q --dry-run \
  --profile ./strict.lua | perl -MJSON::PP -0ne 'print decode_json($_)->{policies}[1]{digest}')"
refused 5 "without it a policy would fall away" "its last run was under another profile, \
$dir/strict.lua, than p: approve is not there any more; --profile $dir/strict.lua takes it again, \
--accept-changed goes on with p" resume q
exits 8 "with it nothing changes" resume q --profile ./strict.lua
is "so nothing is accepted" "$(accepted q | tail -n 1)" none
exits 8 "back to its own" resume q --accept-changed
exits 8 "is what it has then" resume q

# ---- what a run set for itself is no part of the profile ----
run run flow.lua --profile ./p.lua --session o --option every_n.n=9
exits 8 "an option of one run" resume o --option every_n.n=7
exits 8 "is no change of the profile" resume o
profile 4
refused 5 "whose own change is told by its own values" "option n of every_n was 3 and is 4" resume o
exits 8 "accepted in a run with an option" resume o --option every_n.n=8 --accept-changed
exits 8 "it counts without" resume o
is "and is recorded once" "$(accepted o | grep -c accept)" 1

# ---- a guard that one run had for itself ----
echo 'return { name = "hold", version = 1, permit = function() end }' >hold.lua
run run flow.lua --profile ./p.lua --session h --policy ./hold.lua
exits 5 "without it" resume h
exits 8 "when a person accepts that" resume h --accept-changed
is "is recorded" "$(accepted h | sed 's/=.*/=/')" "--accept-changed removed="
exits 8 "and needs no flag again" resume h
finish
