# oracle.sh - what the tests of the oracle share, on top of tap.sh. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../host/tap.sh"
oracle=$root/tests/oracle

# compare NAME PROFILE SESSION…: everything that ckrun says of the sessions is what their
# transcripts say. PROFILE: JSON {constraints, minimums, replay}, as the scenario has them.
compare() {
  local name=$1 result
  perl "$oracle/compare.pl" "$CKRUN" "$@" >"$dir/compared" 2>"$dir/differ"
  code=$?
  cut -c1-1500 "$dir/differ" >&2
  while IFS= read -r result; do
    checks=$((checks + 1))
    case $result in not*) failed=$((failed + 1)) ;; esac
    echo "${result%% - *} $checks - ${result#* - }"
  done <"$dir/compared"
  is "$name: all of it is compared" "$code" 0
}
