#!/bin/bash
# lives.t - what ckrun says of random lives is what the oracle reads off their transcripts: several
# agents, delegates, rounds, nodes that fail and are tried again, steps, loops, models that fail,
# kills, pauses, limits, resumes, rewinds, forks.
# Of thirty seeds every third is lived, other ones with each commit.
# ORACLE_LIVES=N: so many, all of them, from the seed ORACLE_FIRST on. ORACLE_SEED=N: that one
# alone, with all that differs, kept in $ORACLE_FOLDER if there is one. ORACLE_PARALLEL=1: agents,
# branches and steps run side by side; a life is then no function of its seed, as time decides who
# comes first.
. "$(dirname "$0")/oracle.sh"
first=${ORACLE_SEED:-${ORACLE_FIRST:-1}}
last=$((first + ${ORACLE_LIVES:-30} - 1)) every=1
[ -z "${ORACLE_SEED:-}" ] || last=$first
[ -n "${ORACLE_SEED:-}${ORACLE_FIRST:-}${ORACLE_LIVES:-}" ] || every=3
seeds=$(seq "$first" "$last" | "$root/tests/turn.sh" $every)
export oracle folder=${ORACLE_FOLDER:-$dir}

# live SEED: prints "SEED CODE KIND STOPS COMPARISONS STATUS".
live() {
  timeout 3600 perl "$oracle/lives/live.pl" "$CKRUN" "$1" "$folder/life$1" >"$dir/$1.out" \
    2>"$dir/$1.err"
  echo "$1 $? $(cat "$dir/$1.out")"
  [ "$folder" != "$dir" ] || rm -rf "$folder/life$1"
}
export -f live
export dir

xargs -P 2 -I{} bash -c 'live {}' >"$dir/lives" <<<"$seeds"
compared=0 completed=0
while read -r seed code kind stops comparisons status; do
  compared=$((compared + ${comparisons:-0}))
  [ "$status" = completed ] && completed=$((completed + 1))
  name="seed $seed: ${kind:-no life}, ${stops:-0} stops, all of ${comparisons:-0} are equal"
  checks=$((checks + 1))
  cut -c1-600 "$dir/$seed.err" >&2
  if [ "$code" != 0 ]; then
    failed=$((failed + 1))
    echo "not ok $checks - $name"
    echo "# again: ORACLE_SEED=$seed ${0##*/}" >&2
  else
    echo "ok $checks - $name"
  fi
done < <(sort -n "$dir/lives")
lives=$(wc -w <<<"$seeds")
echo "# oracle points $compared lives $lives completed $completed failed $failed"
ok "every life is lived" test "$(grep -c '' "$dir/lives")" = "$lives"
ok "some go to their end" test "$completed" -gt 0
finish
