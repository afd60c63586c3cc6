#!/bin/bash
# run.sh - the conformance suite, from outside: how far a program keeps the promises with a store.
#   run.sh [CASE…]   all cases, or those that are named; TAP of each, then a table of figures
#   STORE=URL        sqlite:PATH, a path, or another URL that the program knows; without it a store
#                    of SQLite that is gone at the end. Sessions are added to it, and left there.
#   CKRUN=PATH       the program
#   CONFORMANCE_POINTS=N   at most N points of each attack, spread evenly
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/ckrun-conformance.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
CKRUN=$(command -v -- "${CKRUN:?the path of the program}") ||
  { echo "run.sh: CKRUN: there is no such program" >&2; exit 2; }
[[ $CKRUN == /* ]] || CKRUN=$PWD/$CKRUN
export CKRUN STORE=${STORE:-sqlite:$dir/conformance.db} CONFORMANCE_FIGURES=$dir/figures
mkdir "$dir/figures"

cases=()
for name in "${@:-*}"; do
  for case in "$here"/cases/$name.sh; do
    [ -e "$case" ] || { echo "run.sh: there is no case '$name'" >&2; exit 2; }
    cases+=("$case")
  done
done
# The shell tells of every process that was killed.
prove --norc -v --exec bash "${cases[@]}" 2> >(grep -v ' Killed ' >&2)
code=$?

printf '\n%s with %s\n' "$CKRUN" "$STORE"
for case in "${cases[@]}"; do
  name=$(basename "$case" .sh)
  printf '%-12s %s\n' "$name" "$(cat "$dir/figures/$name" 2>/dev/null || echo "FAILS: no figure")"
done
grep -qE '^(holds|FAILS)' "$dir"/figures/* 2>/dev/null ||
  { echo "nothing was measured"; code=1; }
exit $code
