#!/bin/bash
# retrying.t - a session that waits before a try that a policy asked for keeps no worker busy: it is
# released, and tried again when it is due, with its tries counted on; each counted outside. The
# wall clock of the workers is set by the test.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../views.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1

# at TIME COMMAND…: ckrun by a clock that stands there.
at() { set_clock "$1"; shift; "${at_clock[@]}" "$CKRUN" "$@" </dev/null; }
if ! set_clock "2026-11-24 08:00"; then skip "nothing here builds the clock"; finish; fi
# works TIME: what is due then is begun; with a worker for one at a time, until a session that was
# submitted behind it has ended, too.
turn=0
works() {
  local last=last-$((++turn)) worker
  at "$1" submit short.lua --session "$last" >/dev/null 2>&1
  set_clock "$1"
  : >worker.out
  "${at_clock[@]}" "$CKRUN" worker --poll 50ms --concurrency 1 >worker.out 2>worker.err \
    </dev/null 3>&- 4>&- &
  worker=$!
  for _ in $(seq 1500); do
    grep -q "^ended	$last	" worker.out && break
    kill -0 "$worker" || break
    sleep 0.02
  done
  kill -TERM "$worker"; wait "$worker"
}
status() {
  json "$("$CKRUN" --json sessions show "$1")" '$d->{status} . " " . ($d->{reason} // "")'
}
# asked SESSION: the tries that on_failure was asked about, as was recorded.
asked() {
  "$CKRUN" --json sessions log "$1" --all --kind outcome | perl -MJSON::PP -ne '
    my $f = decode_json($_)->{body}{failure}; print "$f->{try} " if $f'
}
tries() { sort did | grep -v last | uniq -c | awk '{ print $1, $2 }' | xargs; }

cat >act <<'END'
#!/bin/sh
echo "$CKRUN_SESSION-$1" >>did
[ "$1" != fails ] || exit 7
echo null
END
chmod +x act
cat >short.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "short", start = "act", edges = { act = flow.done }, nodes = {
  act = flow.exec { argv = { "./act", "all" }, class = "once" } } }
END
cat >flaky.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "flaky", start = "before", nodes = {
  before = flow.exec { argv = { "./act", "before" }, class = "once" },
  fails = flow.exec { argv = { "./act", "fails" }, class = "idempotent" } },
  edges = { before = "fails", fails = flow.done } }
END
# An hour, then two; then a person is to see to it.
cat >hourly.lua <<'END'
return { name = "hourly", version = 1, on_failure = function(f)
  if f.try == 3 then return "pause" end
  return { "retry", wait_ms = 3600000 * f.try }
end }
END
# And a person is asked before the program begins.
sed 's/hourly/patient/; s/on_failure =/permit = function(effect)\
  local argv = effect.request.argv\
  if argv and argv[2] == "fails" then return ck.ask "go?" end\
end, on_failure =/' hourly.lua >patient.lua

# ---- three tries in three hours ----
at "2026-11-24 08:00" submit flaky.lua --session s --policy ./patient.lua >/dev/null 2>&1
works "2026-11-24 08:00"
has "a person is asked before it begins" "$(status s)" "waiting"
exits 0 "and answers" answer s allow
works "2026-11-24 08:00"
is "who waits for a next try keeps no worker" "$(status s)" \
  "paused retrying at 2026-11-24T09:00:00.000Z"
is "its try is in the store" "$(asked s)" "1 "
shown=$("$CKRUN" --json sessions show s)
is "show says when it is tried again, which try that is, and by whose word" \
  "$(json "$shown" 'join " ", map { @$_{qw(retries_at next_try retried_by)} }
    grep { $_->{retries_at} } @{$d->{last_effects}}')" \
  "2026-11-24T09:00:00.000Z 2 patient"
works "2026-11-24 08:59:59"
is "a second before no worker begins it" "$(grep -c '^begun	s	' worker.out)" 0
works "2026-11-24 09:00"
is "when it is due it is tried again, once, and waits longer" "$(status s) $(tries)" \
  "paused retrying at 2026-11-24T11:00:00.000Z 1 s-before 2 s-fails"
is "the policy is told the second try" "$(asked s)" "1 2 "
works "2026-11-24 11:00"
is "behind the third a person is to see to it" "$(status s | cut -c1-6) $(tries)" \
  "paused 1 s-before 3 s-fails"
is "as the policy said of it" "$(asked s)" "1 2 3 "
is "nobody was asked twice whether it may begin" \
  "$("$CKRUN" sessions log s --all --kind intent | grep -c 'go?')" 1
works "2026-11-24 14:00"
is "no worker goes on with it" "$(grep -c '^begun	s	' worker.out)" 0

# ---- beside a sleep that ends before ----
cat >both.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "both", start = "before", nodes = {
  before = flow.exec { argv = { "./act", "before" }, class = "once" },
  nap = flow.sleep(1800000), after = flow.exec { argv = { "./act", "after" }, class = "once" },
  fails = flow.exec { argv = { "./act", "fails" }, class = "idempotent" } },
  edges = { before = { parallel = { "nap", "fails" }, join = "after" },
    nap = "after", fails = "after", after = flow.done } }
END
rm did
at "2026-11-24 08:00" submit both.lua --session both --policy ./hourly.lua >/dev/null 2>&1
works "2026-11-24 08:00"
is "what comes first is waited for" "$(status both)" \
  "paused sleeping until 2026-11-24T08:30:00.000Z"
works "2026-11-24 08:30"
is "then the try, which was not made early" "$(status both) $(tries)" \
  "paused retrying at 2026-11-24T09:00:00.000Z 1 both-before 1 both-fails"
works "2026-11-24 09:00"
is "and is the second" "$(asked both)$(tries)" "1 2 1 both-before 2 both-fails"

# ---- a person who resumes it has mended what failed ----
printf '#!/bin/sh\necho "$CKRUN_SESSION-$1" >>did\necho null\n' >act
at "2026-11-24 09:30" resume both >resume.out 2>&1 &
until [ "$(grep -c both-fails did)" = 3 ] || ! kill -0 $!; do sleep 0.02; done
is "a person has it tried at once" "$(grep -c both-fails did)" 3
wait $!
is "and it ends well" "$(status both)" "completed "
finish
