#!/bin/bash
# stages.sh - runs the halves of a test run one after another, each whatever the one before came to,
# and reports behind the last what failed in each of them. Exit code 0: all of them hold.
#   stages.sh [VARIABLE=VALUE…] [TEST…] [-- [VARIABLE=VALUE…] [TEST…]]…
# Each half has an environment of its own, in which CKRUN_BUILD is its build. PROVEFLAGS is for
# prove.
set -u
here=$(dirname "$0")

run() {
  while [[ ${1:-} =~ ^[A-Z_]+= ]]; do
    export "${1?}"
    shift
  done
  [ $# -gt 0 ] || { echo "no tests"; return 0; }
  rm -rf "${CKRUN_BUILD:?the folder of the build}/output"
  # shellcheck disable=SC2086
  prove --norc --exec "$here/kept.sh" ${PROVEFLAGS:-} "$@"
}

failed=()
while [ $# -gt 0 ]; do
  half=() build=
  for word; do
    shift
    [ "$word" != -- ] || break
    half+=("$word")
    [[ $word != CKRUN_BUILD=* ]] || build=$word
  done
  (run ${half[@]+"${half[@]}"}) || failed+=("$build")
done
for build in ${failed[@]+"${failed[@]}"}; do env "$build" "$here/kept.sh" --report; done
[ ${#failed[@]} = 0 ]
