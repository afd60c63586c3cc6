# oracle.sh - what the tests of the oracle share, on top of tap.sh. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../host/tap.sh"
oracle=$root/tests/oracle
export ORACLE_KNOWN=$dir/known
: >"$ORACLE_KNOWN"

# compare NAME PROFILE SESSION…: everything that ckrun says of the sessions is what their
# transcripts say. PROFILE: JSON {constraints, minimums, replay}, as the scenario has them.
compare() {
  local name=$1 result
  perl "$oracle/compare.pl" "$CKRUN" "$@" >"$dir/compared" 2>"$dir/differ"
  code=$?
  cut -c1-1500 "$dir/differ" >&2
  while IFS= read -r result; do
    checks=$((checks + 1))
    case $result in *'# TODO'*) ;; not*) failed=$((failed + 1)) ;; esac
    echo "${result%% - *} $checks - ${result#* - }"
  done <"$dir/compared"
  is "$name: all of it is compared" "$code" 0
}

# The rows of Known.pm that random lives ($lives: how many) did not need are told, then the test
# ends.
finish_oracle() {
  local line
  [ -n "${lives:-}" ] || finish
  while IFS= read -r line; do
    checks=$((checks + 1))
    echo "ok $checks - ${line#ok - }"
  done < <(perl -I"$oracle/lib" -MKnown -e 'print "$_\n" for Known::unneeded($ARGV[0])' \
    "$ORACLE_KNOWN")
  finish
}
