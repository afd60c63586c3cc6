#!/bin/bash
# run.sh - runs fuzzing targets, as many at a time as there are processors, and says what each did.
#   run.sh BUILD SECONDS [TARGET…]   all targets, or some of tests/fuzz/fuzz.h; BUILD/fuzzer is run
# FUZZ_SEED=N begins each with that seed (0, the default: one of chance), and from the kept inputs
# alone. Inputs that are worth going on from are kept in BUILD/corpus; one that breaks a promise is
# in BUILD/found: copied to tests/fuzz/corpus/TARGET it is a test for ever. Exit code 1: something
# was found.
set -u
build=$1 seconds=$2
shift 2
kept=$(dirname "$0")/corpus
export ASAN_OPTIONS=detect_leaks=1 FUZZ_TARGET TMPDIR
if [ -w /dev/shm ]; then TMPDIR=/dev/shm; fi # what is synced costs nothing there
mkdir -p "$build/found"
[ $# -gt 0 ] || set -- $(sed -n 's/^  X(\([a-z_]*\)).*/\1/p' "$(dirname "$0")/fuzz.h")

# Recorded sessions, as further seeds, where they are.
recordings() {
  [ "$1" = import ] || return 0
  find "${CKRUN_DATA:-/nowhere}" -type f -size -64k 2>/dev/null | head -n 200
}

# seeds TARGET: the folders that it begins with.
seeds() {
  local folder="$build/corpus/$1" more="$build/recorded/$1" file
  [ "${FUZZ_SEED:-0}" = 0 ] || rm -rf "$folder" "$more"
  mkdir -p "$folder" "$more"
  recordings "$1" | while read -r file; do cp -n "$file" "$more/$(basename "$file")"; done
  echo "$folder $kept/$1 $more"
}

run() {
  FUZZ_TARGET=$1
  # shellcheck disable=SC2046
  "$build/fuzzer" -max_total_time="$seconds" -print_final_stats=1 -timeout=20 -rss_limit_mb=2048 \
    -seed="${FUZZ_SEED:-0}" -artifact_prefix="$build/found/$1-" -max_len="${FUZZ_LENGTH:-4096}" \
    $(seeds "$1") >"$build/$1.log" 2>&1
  echo $? >"$build/$1.rc"
}

# figure TARGET NAME: from the final statistics.
figure() { sed -n "s/^stat::$2: *//p" "$build/$1.log"; }

report() {
  local cov all
  cov=$(grep -o 'cov: [0-9]*' "$build/$1.log" | tail -n 1)
  all=$(sed -n 's/.*Loaded 1 modules *(\([0-9]*\).*/\1/p' "$build/$1.log" | head -n 1)
  printf '%-12s %10s runs %7s/s  %6s of %s edges  %5s new inputs\n' "$1" \
    "$(figure "$1" number_of_executed_units)" "$(figure "$1" average_exec_per_sec)" \
    "${cov#cov: }" "$all" "$(figure "$1" new_units_added)"
  [ "$(cat "$build/$1.rc")" != 0 ] || return 0
  echo "== $1 found something:"
  grep -aE -A3 'broken:|ERROR|SUMMARY|runtime error|Test unit written' "$build/$1.log" | cut -c1-300
  return 1
}

for target; do
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n; done
  run "$target" &
done
wait
failed=0
for target; do report "$target" || failed=1; done
exit $failed
