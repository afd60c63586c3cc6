#!/bin/bash
# sleeping.t - a session that only sleeps, or waits for a person, keeps no worker busy: it is
# released, and gone on with when it is time or answered; each effect once, counted outside. The
# wall clock of the workers is set by the test.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../views.sh"
export CKRUN_COUNTERS=off
cd "$dir" || exit 1

# at TIME COMMAND…: ckrun by a clock that stands there.
at() { set_clock "$1"; shift; "${at_clock[@]}" "$CKRUN" "$@" </dev/null; }
if ! set_clock "2026-11-24 08:00"; then skip "nothing here builds the clock"; finish; fi
worker() { # TIME ARGUMENTS…: in the background.
  set_clock "$1"
  shift
  : >worker.out; : >worker.err
  "${at_clock[@]}" "$CKRUN" worker --poll 50ms "$@" >"$dir/worker.out" 2>"$dir/worker.err" \
    </dev/null 3>&- 4>&- &
  worker=$!
}
# told LINE: waits for that beginning of a line; a worker that hangs is ended.
told() {
  for _ in $(seq 1500); do
    grep -q "^$1" "$dir/worker.out" && return
    kill -0 "$worker" || return
    sleep 0.02
  done
}
stop() { kill -TERM "$worker"; wait "$worker"; }
status() {
  json "$("$CKRUN" --json sessions show "$1")" '$d->{status} . " " . ($d->{reason} // "")'
}
counted() { sort "$dir/did" 2>/dev/null | uniq -c | awk '{ print $1, $2 }' | xargs; }

# Each act is a line.
cat >act <<'END'
#!/bin/sh
echo "$CKRUN_SESSION-$1" >>did
echo null
END
chmod +x act
cat >nap.lua <<'END'
local flow = require "ck.flow"
local function act(name) return flow.exec { argv = { "./act", name }, class = "once" } end
return flow.graph { name = "nap", start = "before", nodes = { before = act("before"),
  nap = flow.sleep(3600000), after = act("after") },
  edges = { before = "nap", nap = "after", after = flow.done } }
END
cat >short.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "short", start = "act", edges = { act = flow.done }, nodes = {
  act = flow.exec { argv = { "./act", "all" }, class = "once" } } }
END

# ---- ten that sleep, and an eleventh, with one worker for one at a time ----
for n in $(seq 10); do at "2026-11-24 08:00" submit nap.lua --session "s$n" >/dev/null 2>&1; done
at "2026-11-24 08:00" submit short.lua --session eleventh >/dev/null 2>&1
worker "2026-11-24 08:00" --concurrency 1
told "ended	eleventh	completed"
stop
has "ten sessions sleep, and the eleventh has run" "$(cat worker.out)" \
  "ended	eleventh	completed"
nine="sleeping until 2026-11-24T09:00:00.000Z"
is "each of the ten says until when" "$(grep -c "$nine" worker.out)" 10
is "in its row, too" "$(status s7)" "paused $nine"
is "nothing was done twice, nothing too early" "$(counted)" \
  "1 eleventh-all $(for n in $(seq 10); do echo "1 s$n-before"; done | sort -k2 | xargs)"
has "who looks at one is told who goes on with it" \
  "$("$CKRUN" --json sessions show s7)" '"next":"ckrun worker"'

# ---- too early nobody begins them ----
worker "2026-11-24 08:59:59" --concurrency 4
at "2026-11-24 08:59:59" submit short.lua --session early >/dev/null 2>&1
told "ended	early	completed"
stop
is "a second before, no worker begins one of them" "$(grep -c begun worker.out)" 1

# ---- a person pauses one that sleeps: it is theirs ----
exits 0 "a person pauses one of them" pause s10 --reason "not today"
is "which is kept" "$(status s10)" "paused not today"

# ---- due: each goes on, and ends ----
worker "2026-11-24 09:00:00" --concurrency 3 --until-idle
wait "$worker"
is "when it is time each goes on to its end" "$(grep -c 'completed' worker.out)" 9
is "what a person paused is left alone" "$(status s10)" "paused not today"
is "every act was done once" "$(counted)" \
  "$({ echo "1 early-all"; echo "1 eleventh-all"; echo "1 s10-before"
    for n in $(seq 9); do printf '1 s%s-after\n1 s%s-before\n' "$n" "$n"; done; } |
    sort -k2 | xargs)"

# ---- beside a sleep a question: whichever comes first ----
cat >both.lua <<'END'
local flow = require "ck.flow"
local function act(name) return flow.exec { argv = { "./act", name }, class = "once" } end
return flow.graph { name = "both", start = "begin", nodes = { begin = act("begin"),
  sleeper = flow.sleep(3600000), asker = flow.ask { question = "go?" },
  second = flow.ask { question = "really?" }, after = act("after") },
  edges = { begin = { parallel = { "sleeper", "asker", "second" }, join = "after" },
    sleeper = "after", asker = "after", second = "after", after = flow.done } }
END
: >did
at "2026-11-24 08:00" submit both.lua --session both >/dev/null 2>&1
worker "2026-11-24 08:00" --concurrency 1
told "ended	both"
stop
is "a session that asks and sleeps is released" "$(status both)" \
  "paused $nine"
has "and says how to answer" "$("$CKRUN" --json sessions show both)" '"next":"ckrun answer both'
questions=$("$CKRUN" --json answer both)
key=$(json "$(head -1 <<<"$questions")" '$d->{effect}')
exits 0 "one of two answers" answer both yes --effect "$key"
is "leaves it to sleep" "$(status both)" "paused $nine"
exits 0 "the other one" answer both yes
is "has it gone on with" "$(status both)" "paused answered"
worker "2026-11-24 08:30" --concurrency 1
told "ended	both"
stop
is "until it only sleeps" "$(status both)" "paused $nine"
worker "2026-11-24 09:00" --until-idle
wait "$worker"
is "then it ends" "$(status both)" "completed "
is "and has acted once" "$(counted)" "1 both-after 1 both-begin"

# ---- policies that mask everything do not hide when it is due ----
cat >mask.lua <<'END'
return { name = "mask", version = 1,
  redact = function(item) if item.kind == "session_paused" then return ck.mask end end }
END
: >did
at "2026-11-24 08:00" submit nap.lua --session masked --policy ./mask.lua >/dev/null 2>&1
worker "2026-11-24 08:00"
told "ended	masked"
stop
has "a reason that workers go by is not masked" "$(status masked)" "sleeping until 2026"
worker "2026-11-24 09:00" --until-idle
wait "$worker"
is "so that it ends" "$(status masked)" "completed "
has "though what is told of it is" \
  "$("$CKRUN" sessions log masked --all --kind session_paused)" 'redacted:policy'

# ---- a short sleep is waited for ----
sed 's/3600000/20/' nap.lua >blink.lua
: >did
"$CKRUN" submit blink.lua --session blink >/dev/null 2>&1
exits 0 "a short sleep" worker --until-idle
is "is not worth an end and a beginning" "$(grep -c blink <<<"$out")" 2

# ---- a session in the queue is paused for good, by whoever pauses it ----
"$CKRUN" submit short.lua --session kept >/dev/null 2>&1
exits 0 "pause of one that waits for a worker" pause kept
is "takes it out of the queue" "$(status kept)" "paused user_requested"
exits 0 "no worker" worker --until-idle
is "begins it" "$out" ""
exits 0 "a person who gives it back" resume kept --detach
exits 0 "has a worker" worker --until-idle
has "run it" "$out" "ended	kept	completed"
finish
