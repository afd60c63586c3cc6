# requests.sh - what was asked of a session holds, whichever process has it: a worker that is told
# to end, one that dies, one that hangs; the next one serves it before it begins anything. Sourced
# behind tap.sh and steps.sh, with the store in $CKRUN_STORE, if it is another one than the
# project's; trust: what a worker for it is given.
export CKRUN_COUNTERS=off
cd "$dir" || exit 1
write_flow idempotent

# worker ARGUMENTS…: one in the background as $worker, its output in worker.out and worker.err.
worker() {
  : >"$dir/worker.out"; : >"$dir/worker.err" # what an earlier one said is not this one's
  "$CKRUN" worker --poll 50ms "${trust[@]}" "$@" >"$dir/worker.out" 2>"$dir/worker.err" \
    </dev/null 3>&- 4>&- 8<&- 9>&- &
  worker=$!
}
told() { until grep -q "^$1" "$dir/worker.out"; do kill -0 "$worker" || break; done; }
child() { sed -n "s/^begun\t$1\tpid //p" "$dir/worker.out" | tail -1; }
# die SESSION: its process and the worker are killed; whoever looks then finds neither.
die() {
  local of
  of=$(child "$1")
  kill -KILL "$worker" "$of"
  while grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$of/status" 2>/dev/null; do
    sleep 0.02
  done
}
stop() { kill -TERM "$worker"; wait "$worker"; }
submit() { "$CKRUN" submit "$dir/flow.lua" --session "$1" >/dev/null 2>&1; }
# begin_asking NAME ARGUMENTS…: the program in the background as $asker.
begin_asking() {
  local name=$1
  shift
  "$CKRUN" "$@" >"$dir/$name.out" 2>"$dir/$name.err" </dev/null 3>&- 4>&- \
    8<&- 9>&- &
  asker=$!
}
answered() {
  wait "$asker"
  code=$?
  out=$(cat "$dir/$1.out") err=$(cat "$dir/$1.err")
}
noted() { until "$CKRUN" --json sessions log "$1" --all --kind note | grep -q "\"kind\":\"$2\""; do
  kill -0 "$asker" || break
done; }
notes() { "$CKRUN" --json sessions log "$1" --all --kind note | grep -c .; }
status() {
  json "$("$CKRUN" --json sessions show "$1")" '$d->{status} . " " . ($d->{reason} // "")'
}
left() { grep -c . <"$dir/done"; }

# ---- a worker is told to end while somebody pauses its session ----
submit drained
worker
reach
kill -TERM "$worker"
until grep -q "pauses at the next boundary" "$dir/worker.err"; do kill -0 "$worker" || break; done
begin_asking pause pause drained --reason mine
noted drained pause
let_on first
answered pause
is "a pause beside a worker's end is answered" "$code $(cell "$out" status)" "0 paused"
wait "$worker"
is "and it is a person's, not the worker's" "$(status drained)" "paused mine"
exits 0 "so that no other worker" worker --until-idle "${trust[@]}"
is "goes on with it" "$out$(status drained)" "paused mine"

# ---- its process dies when it has taken the pause ----
submit taken
worker
reach
begin_asking pause pause taken --reason mine
noted taken pause
kill -STOP "$worker"
kill -KILL "$(child taken)"
end_step
before=$(left)
kill -CONT "$worker"
answered pause
is "a pause that a dead process has taken is answered" "$code $(cell "$out" status)" "0 paused"
stop
is "when it holds" "$(status taken)" "paused mine"
is "nothing was begun meanwhile" "$(left)" "$before"
is "it was noted once" "$(notes taken)" 1
exits 0 "and no worker" worker --until-idle "${trust[@]}"
is "goes on with it" "$out$(status taken)" "paused mine"

# ---- nobody waits for the pause any more: the next worker serves it before anything ----
submit later
worker
reach
"$CKRUN" pause later --reason mine --no-wait >/dev/null 2>&1
asker=$worker
noted later pause
die later
wait "$worker" 2>/dev/null
end_step
before=$(left)
exits 0 "a worker that takes over what died" worker --until-idle "${trust[@]}"
has "says that it is paused" "$out" "ended	later	paused: mine"
is "and has begun nothing" "$(left)" "$before"
begin resume later 8<&- 9>&-
is "a person goes on with it, and is told of no pause" "$(grep -c supersedes "$dir/told")" 0
steps second third fourth fifth
ended
is "to its end" "$(status later)" "completed "

# ---- one that hangs is cancelled; whoever takes it over heeds that ----
submit hung
worker
reach
kill -STOP "$(child hung)"
exits 1 "a cancel of a process that hangs" cancel hung --reason "not needed" --timeout 100ms
has "is told to stand" "$err" "the request stands, for the next run if that process dies"
die hung
wait "$worker" 2>/dev/null
end_step
before=$(left)
exits 0 "the worker that takes it over" worker --until-idle "${trust[@]}"
has "cancels it" "$out" "ended	hung	cancelled: not needed"
is "and begins nothing" "$(left)" "$before"

# ---- a pause of one that has died, before a worker comes ----
submit dead
worker
reach
die dead
wait "$worker" 2>/dev/null
end_step
exits 0 "a pause of a worker's session that died" pause dead --reason mine
is "is one" "$(cell "$out" status) $(status dead)" "paused paused mine"
exits 0 "which no worker" worker --until-idle "${trust[@]}"
is "undoes" "$out" ""

# ---- an answer that a process has not taken, to a question that comes up again ----
cat >"$dir/asks.lua" <<EOF
local flow = require "ck.flow"
return flow.custom { name = "asks",
  tools = { step = { class = "idempotent", argv = { "$dir/step.sh" } } },
  run = function(ctx)
    if ctx.task == "ask" then
      return ctx.effect { kind = "ask", class = "idempotent",
        request = { question = "Which?" } }.result
    elseif ctx.task then
      return ctx.effect { kind = "tool", class = "idempotent",
        request = { name = "step", index = 0, arguments = {} } }.result
    end
    ctx.fork { { scope = "one", task = "ask" }, { scope = "two", task = "step" } }
    local all = ctx.join { "one", "two" }
    return all.one.result .. " " .. all.two.result
  end }
EOF
"$CKRUN" submit "$dir/asks.lua" --session asks >/dev/null 2>&1
worker
reach
until "$CKRUN" --json sessions log asks --kind intent | grep -q '"kind":"ask"'; do :; done
kill -STOP "$(child asks)"
exits 1 "an answer to a process that hangs" answer asks red --timeout 100ms
die asks
wait "$worker" 2>/dev/null
end_step
worker --until-idle
reach
let_on done
wait "$worker"
is "is taken by the next, as soon as it asks" "$(status asks) $(json "$("$CKRUN" --json sessions \
  log asks --kind session_completed)" '$d->{body}{result}')" "completed  red done"
exits 0 "the store is sound" store verify
