#!/bin/bash
# campaign.sh - the long attacks, each with its line of figures: points passed lost duplicated
# in_doubt unresumable progress.
#   tests/campaign.sh [PART…]    all of them, or some of: calls steps kinds edits power runs random
# signals resumes errors rot recordings oracle profiles tune fuzz histories conformance mutants
# model threads valgrind analyzer page tampering dist fleet
# CAMPAIGN_SCALE=N does N hundredths of everything (default 100: about half an hour on two cores).
set -u
tests=$(cd "$(dirname "$0")" && pwd)
scale=${CAMPAIGN_SCALE:-100}
failed=
export CKRUN_TEST_SECONDS=14400 # until one of its programs counts as hung

share() { echo $(($1 * scale / 100 > 0 ? $1 * scale / 100 : 1)); }

# part NAME TEST [SETTING=VALUE…]
part() {
  local name=$1 test=$2 begun=$SECONDS
  shift 2
  echo "== $name: $test $*"
  env "$@" "$tests/$test" || failed="$failed $name"
  echo "== $name took $((SECONDS - begun)) s"
}

# Damaged stores are read under the sanitizers, where that program is built.
sanitized() {
  local program="${CKRUN_BUILD:-$tests/../build/release}/../asan/ckrun"
  [ -x "$program" ] && echo "CKRUN=$program"
}

# program TEST [SETTING=VALUE…]: a program, built with the others.
program() {
  local name=$1
  shift
  echo "== $name $*"
  (cd "$tests/.." && env "$@" "${CKRUN_BUILD:-build/release}/tests/$name.t") ||
    failed="$failed $name"
}

# Each fuzzing target for so many seconds, from where the last campaign came to.
fuzz() {
  echo "== fuzz: $1 s each"
  make -s -C "$tests/.." fuzz SECONDS="$1" || failed="$failed fuzz"
}

# Every sort of resume under valgrind, when it is installed: bytes that nobody set, and leaks.
under_valgrind() {
  type -P valgrind >/dev/null || { echo "== valgrind: not installed"; return; }
  local logs
  logs=$(mktemp -d)
  part valgrind checkers/resumes.t "CHECKER_LOG=$logs/log" "CHECKER=valgrind -q --leak-check=full \
--errors-for-leak-kinds=definite --error-exitcode=99 --log-file=$logs/log.%p"
  rm -rf "$logs"
}

run() {
  local n
  case $1 in
    calls) part calls crash/ten_steps.t KILL_EVERY=1 && part ending crash/ending.t KILL_EVERY=1 ;;
    steps) part steps crash/ten_steps.t KILL_STEPS=200 "KILL_EVERY=$((2500 / $(share 100)))" ;;
    kinds) part kinds crash/kinds.t "KINDS_EVERY=$((100 / $(share 100)))" \
      "KINDS_RANDOM=$(share 200)" ;;
    edits) part edits crash/history_edit.t "KILL_EVERY=$((100 / $(share 100)))" &&
      part scrub crash/scrub.t "KILL_EVERY=$((100 / $(share 100)))" ;;
    power) program store/test_power "POWER_IMAGES=$(share 20000)" &&
      program store/test_power_maintenance ;;
    runs) program runtime/random_runs/test_random_runs "RANDOM_RUNS_COUNT=$(share 1000)" &&
      program runtime/random_runs/test_random_runs_limits "RANDOM_RUNS_COUNT=$(share 1000)" &&
      program host/inspect/test_runs_sums "SUMS_HISTORIES=$(share 2000)" "SUMS_SEED=$RANDOM" ;;
    random) part random crash/random_kills.t "RANDOM_KILLS=$(share 2000)" ;;
    signals) part signals crash/group_signals.t "GROUP_SIGNALS=$(share 1000)" ;;
    resumes) part resumes crash/two_resumes.t "RESUME_ROUNDS=$(share 500)" RESUME_PROCESSES=8 ;;
    errors) part errors fault/io_errors.t IO_ERRORS_WAYS=4 &&
      part memory fault/out_of_memory.t MEMORY_WAYS=1 && part stores fault/bad_stores.t ;;
    rot) part rot fault/bit_rot.t BIT_ROT_STEP=64 $(sanitized) &&
      program store/sqlite/test_damage "DAMAGE_STEP=$((6400 / $(share 100)))" ;;
    recordings) for ((n = $(share 20); n > 0; n--)); do part "recordings $n" replay/tau_bench.t; \
      done ;;
    oracle) part oracle oracle/lives.t "ORACLE_LIVES=$(share 1000)" \
      "ORACLE_FIRST=$((RANDOM * 100))" ORACLE_PARALLEL=1 &&
      part imports oracle/imports.t ORACLE_EVERY=1 ;;
    profiles) part profiles lua/policy_tool/simulate_random.t "RANDOM_PROFILES=$(share 200)" \
      RANDOM_FIRST=1000 &&
      part hooks host/simulate/random.t "RANDOM_PROFILES=$(share 200)" RANDOM_FIRST=1000 ;;
    tune) part tune replay/tune.t TUNE_TRIES=300 ;;
    fuzz) fuzz "$(share 600)" ;;
    histories) program worlds/test_worlds "WORLDS_COUNT=$(share 100000)" \
      "WORLDS_FIRST=$((1000 + RANDOM * 100000))" WORLDS_TOTALS=tests/worlds/totals.txt ;;
    threads) part threads checkers/threads.sh "MANY_SESSIONS_ROUNDS=$(share 200)" ;;
    page) part page host/ui/page.t ;;
    tampering) part tampering attack/tamper_table.t TABLE_EVERY=1 &&
      part canaries crash/canaries.t CANARIES=120 ;;
    valgrind) under_valgrind ;;
    fleet) part fleet crash/fleet.t "FLEET_SESSIONS=$(share 200)" FLEET_WORKERS=4 \
      "FLEET_KILLS=$(share 200)" "FLEET_SEED=$RANDOM" &&
      part faults crash/fleet_faults.t "FAULTS_SECONDS=$(share 600)" FAULTS_SESSIONS=200 \
        FAULTS_WORKERS=4 "FAULTS_SEED=$RANDOM" ;;
    dist) part dist package/dist.t DIST_BUILDS=1 ;;
    analyzer) part analyzer checkers/analyzer.sh ;;
    conformance) part conformance conformance/run.sh "CONFORMANCE_POINTS=$(share 500)" &&
      part cheats conformance/selftest.t 'CONFORMANCE_CHEAT=*' ;;
    mutants) part mutants mutants/run.sh MUTANTS_SOUND=1 "MUTANTS_SHARE=$scale" ;;
    model) part model protocol/model.t MODEL_LIVES=4 MODEL_COMMITS=5 MODEL_CRASHES=3 \
      MODEL_FAULTS=1 ;;
    *) echo "$0: there is no part '$1'" >&2; exit 2 ;;
  esac
}

[ $# -gt 0 ] ||
  set -- calls steps kinds edits power runs random signals resumes errors rot recordings oracle \
    profiles tune fuzz histories conformance mutants model threads valgrind analyzer page \
    tampering dist fleet
for name in "$@"; do run "$name"; done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
echo "all held"
