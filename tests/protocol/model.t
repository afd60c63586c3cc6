#!/bin/bash
# model.t - the protocol of the store keeps its promises in every order of steps, spin says: the
# models session.pml and log.pml, searched exhaustively; each fault that is put into them breaks the
# promise named here; and the functions that they name are in core.
# Of the faults every third is put in, others with each commit.
#   MODEL_LIVES, MODEL_LOSSES, MODEL_COMMITS, MODEL_CRASHES   a larger instance, for the campaign
#   MODEL_FAULTS=1   every Nth of the faults
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
session="-DLIVES=${MODEL_LIVES:-3} -DLOSSES=${MODEL_LOSSES:-1}"
log="-DCOMMITS=${MODEL_COMMITS:-3} -DCRASHES=${MODEL_CRASHES:-2}"
checks=0 failed=0
echo "TAP version 13"

# check HELD NAME [DETAIL]
check() {
  checks=$((checks + 1))
  if [ "$1" = 1 ]; then
    echo "ok $checks - $2"
  else
    failed=1
    echo "not ok $checks - $2"
    [ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
  fi
}

# Which fault breaks which promise; | where the order of steps decides which is seen first. Behind
# it what is needed to come there, besides the instance of all.
faults='session FENCE_MISSING zombie_without_effect
session EPOCH_NOT_RAISED one_writer
session ACQUIRED_UNCHECKED acknowledged_kept|once_at_most_once
session EVENTS_NOT_CHECKED acknowledged_kept|once_at_most_once
session LEDGER_OF_THE_VIEW acknowledged_kept|once_at_most_once
session INTENT_AFTER_EFFECT once_at_most_once
session OPEN_ONCE_IS_RUN once_at_most_once
session ACKNOWLEDGED_BEFORE_COMMIT acknowledged_kept
session PRUNE_CHECKS_BEFORE base_kept
session FORK_CHECKS_BEFORE base_kept
session REQUEST_VOID_IS_TAKEN request_once
session REQUEST_OF_ITS_RUN request_stands
session REQUEST_OUT_WHEN_TAKEN request_stands
session REQUEST_AT_BOUNDARIES_ONLY request_stands
session REQUEST_SUPERSEDED_BY_WORKER request_stands
session QUEUED_IS_PAUSED request_told_is_handled
session LEASE_BEFORE_LAST_WRITE zombie_without_effect
log ACKNOWLEDGED_BEFORE_SYNC acknowledged_kept
log NEVER_SIGNED acknowledged_kept
log SIGN_BEFORE_MARK crash_is_no_damage
log MARK_BEFORE_LOG crash_is_no_damage
log MARK_BEFORE_SIGN crash_is_no_damage
log HEADER_ZEROED_FIRST crash_is_no_damage
log MARK_FORGOTTEN damage_is_found
log MOVED_UNSYNCED database_whole
log SIGN_CLEARED_BEFORE_SYNC database_whole
log JOINED_UNSYNCED crash_is_no_damage
log BEGUN_UNSYNCED crash_is_no_damage
log EMPTIED_UNSYNCED crash_is_no_damage
log ROUND_OF_THE_MARK crash_is_no_damage
log FORGOTTEN_LEFT crash_is_no_damage|log_of_its_use
log FORGOTTEN_UNMARKED crash_is_no_damage
log ZEROS_NOT_SYNCED_AGAIN crash_is_no_damage -DCRASHES=3'

# ---- the names ----

tr '\n' ' ' <"$here/session.pml" >"$work/text"
tr '\n' ' ' <"$here/log.pml" >>"$work/text"
names=$(grep -oE 'core: [a-z_0-9]+(, [a-z_0-9]+)*' "$work/text" | sed 's/^core: //; s/, /\n/g' |
  sort -u)
find "$here/../../core" -name '*.c' -exec grep -hoE '^[a-z][a-z_0-9 *]*[ *][a-z_0-9]+\(' {} + |
  sed -E 's/.*[ *]([a-z_0-9]+)\($/\1/' | sort -u >"$work/functions"
check $(($(wc -w <<<"$names") >= 40)) "the models name the functions that make their steps" "$names"
gone=$(comm -23 <(printf '%s\n' "$names") "$work/functions")
check $(($(wc -w <<<"$gone") == 0)) "each of them is in core" "not there: $gone"
known=$(awk '{ print "FAULT_" $2 }' <<<"$faults" | sort)
there=$(grep -hoE 'FAULT_[A-Z_]+[A-Z]' "$here"/*.pml | sort -u)
check $([ "$known" = "$there" ] && echo 1) "each fault of the models is in the table, no other" \
  "$(diff <(echo "$known") <(echo "$there"))"

if ! command -v spin >/dev/null; then
  echo "ok $((checks + 1)) - the models hold # SKIP spin is not installed: make deps"
  echo "1..$((checks + 1))"
  exit "$failed"
fi

# ---- the search ----

faults=$("$here/../turn.sh" "${MODEL_FAULTS:-3}" <<<"$faults")

# search NAME MODEL OPTIMISATION FLAGS…: what it comes to is in $work/NAME/out.
search() {
  local folder=$work/$1 model=$here/$2.pml optimise=$3
  shift 3
  mkdir -p "$folder" && cd "$folder" || return
  spin "$@" -a "$model" >out 2>&1 &&
    gcc "$optimise" -w -DSAFETY ${MODEL_LIVES:+-DCOLLAPSE} -o pan pan.c >>out 2>&1 &&
    ./pan -m100000 >>out 2>&1
}

jobs=$(nproc)
# limit: waits until another search may begin.
limit() { while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done; }

# shellcheck disable=SC2086
search session session -O2 $session &
# shellcheck disable=SC2086
search log log -O1 $log &
while read -r model fault _ more; do
  limit
  flags="-DLIVES=3 -DLOSSES=1 -DCOMMITS=3 ${more:--DCRASHES=2}"
  # shellcheck disable=SC2086
  search "$fault" "$model" -O0 $flags "-DFAULT_$fault" </dev/null &
done <<<"$faults"
wait

for model in session log; do
  out=$work/$model/out
  states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$out")
  held=$(grep -c 'errors: 0' "$out")
  if grep -qE 'max search depth|aborted|out of memory' "$out"; then held=0; fi
  check "$held" "$model.pml: every promise holds in each of ${states:-no} states" \
    "$(grep -E 'violated|rror|depth|memory' "$out" | head -n 5)"
done
while read -r model fault promise _; do
  broken=$(sed -n 's/.*assertion violated (*\([a-z_]*\)||.*/\1/p' "$work/$fault/out")
  [[ "|$promise|" == *"|${broken:-nothing}|"* ]]
  check $((! $?)) "$model.pml: the fault ${fault,,} breaks ${promise/|/ or }" \
    "broken: ${broken:-nothing}; $(tail -n 2 "$work/$fault/out")"
done <<<"$faults"

echo "1..$checks"
exit "$failed"
