#!/bin/bash
# run.sh - puts faults into copies of the sources, one at a time, and sees whether the tests that
# each fault's patch names fail.
#   run.sh [NAME…]     all mutants, or these
#   run.sh --turn N    N of them, whose turn it is: by the number of commits, else the first
#   MUTANTS_SOUND=1    first runs each named test on a copy without a fault: it must hold there
#   MUTANTS_SHARE=N    N hundredths of all
# One check for each mutant and test: killed by its own test, killed by the other, or SURVIVED. A
# test is ended at its first failed check, which has killed. One that does not end within
# MUTANTS_SECONDS (300) has killed, too, and is counted apart: on a machine with much else to do it
# says nothing. The copies lie in $TMPDIR; they begin with the
# objects of $CKRUN_BUILD, a release build, which are only read, so that a mutant costs one file's
# compilation and the links of what is run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
objects=$(cd "${CKRUN_BUILD:-$root/build/release}" && pwd) || exit 2
export CKRUN_DATA=${CKRUN_DATA:-$root/../shared/data}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
copy=$dir/tree
checks=0 failed=0 hung=0
unset ONLY BUILD MODE WERROR CKRUN_STORE CKRUN_KEY
# Flags that make was given are needed again; its jobs, and the rest of it, are not.
case ${MAKEFLAGS:-} in *' -- '*) MAKEFLAGS="-- ${MAKEFLAGS#* -- }" ;; *) MAKEFLAGS= ;; esac
export MAKEFLAGS
unset MAKELEVEL MFLAGS MAKEOVERRIDES

# A copy of the sources and objects; programs that tests use are taken as they are, but for those
# that a script names, test programs are linked when they are run.
make_copy() {
  rm -rf "$copy"
  mkdir -p "$copy/build"
  (cd "$root" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$copy"
  (cd "$objects/.." && tar -cf - --exclude='*.t' --exclude='*.gcda' --exclude='*/output' \
    release files.list embed.list flags.list embed.S 2>/dev/null) | tar -xf - -C "$copy/build"
}

# build TEST…: ckrun, the tests that are programs with the tools beside them, and the programs that
# a script names.
build() {
  local test tool goals=build/ckrun
  for test; do
    case $test in
      *.c)
        goals="$goals build/release/${test%.c}.t"
        for tool in "$copy/${test%/*}"/tool_*.c; do
          [ -e "$tool" ] || continue
          tool=${tool%.c}
          goals="$goals build/release${tool#"$copy"}"
        done
        ;;
      *) goals="$goals $(grep -oE 'tests/[a-z_/]*/tool_[a-z_]+' "$copy/$test" | sort -u |
        sed 's|^|build/release/|' | tr '\n' ' ')" ;;
    esac
  done
  # shellcheck disable=SC2086
  make -C "$copy" -s BUILD=build MODE=release WERROR= ONLY= $goals >"$dir/made" 2>&1
}

# start TEST [SETTING=VALUE…]: of the copy, in a group of its own; its output is in $dir/out, what
# it leaves in $dir/left.
start() {
  local test=$1 program
  shift
  case $test in *.c) program=build/release/${test%.c}.t ;; *) program=$test ;; esac
  rm -rf "$dir/left"
  mkdir "$dir/left"
  : >"$dir/out"
  (cd "$copy" && exec env CKRUN="$copy/build/ckrun" CKRUN_BUILD="$copy/build/release" \
    TMPDIR="$dir/left" "$@" setsid timeout -k 5 "${MUTANTS_SECONDS:-300}" "$program" \
    >"$dir/out" 2>&1 </dev/null) &
  started=$!
}

# run_test TEST [SETTING=VALUE…]: to its end; its exit code, 124 when it hangs.
run_test() {
  start "$@"
  wait "$started"
}

# fail_test TEST [SETTING=VALUE…]: to its end or its first failed check; 1 for that.
fail_test() {
  local code
  start "$@"
  if grep -a -m 1 -q '^not ok' < <(tail -s 0.1 -n +1 -f --pid="$started" "$dir/out" 2>/dev/null)
  then
    kill -TERM "$started" # timeout, which ends all of its group
    wait "$started"
    return 1
  fi
  wait "$started"
  code=$?
  return "$code"
}

ok() {
  local name=$1
  shift
  checks=$((checks + 1))
  "$@" && { echo "ok $checks - $name"; return; }
  failed=$((failed + 1))
  echo "not ok $checks - $name"
}

# The first check that failed, or how the test ended.
how() {
  local first
  first=$(grep -a -m 1 '^not ok' "$dir/out" | sed 's/^not ok [0-9]* *-* *//' | cut -c1-120)
  [ "$1" != 124 ] || first="it did not end"
  echo "${first:-exit $1}"
}

# attack NAME WHO TEST [SETTING…]
attack() {
  local name=$1 who=$2 code
  shift 2
  fail_test "$@"
  code=$?
  if grep -a -q '^1\.\.0 # SKIP' "$dir/out"; then
    ok "$name: $* is not skipped" false
    echo "#   $(grep -a -m 1 '^1\.\.0' "$dir/out")"
    return
  fi
  case $code in
    0) ok "$name: SURVIVED $*" false ;;
    126 | 127) ok "$name: $* can be run" false ;;
    *)
      [ "$code" != 124 ] || hung=$((hung + 1))
      ok "$name: killed by $who, $*" true
      echo "#   $(how "$code")"
      ;;
  esac
}

mutate() {
  local patch=$here/$1.patch own others test begun=$SECONDS
  mapfile -t own < <(perl "$here/mutant.pl" field "$patch" killed-by)
  mapfile -t others < <(perl "$here/mutant.pl" field "$patch" also-killed-by)
  make_copy
  if ! perl "$here/mutant.pl" apply "$copy" "$patch" 2>"$dir/made" ||
    ! build "${own[@]%% *}" "${others[@]%% *}"; then
    ok "$1 can be built" false
    head -n 5 "$dir/made" | sed 's/^/# /'
    return
  fi
  # shellcheck disable=SC2086
  for test in "${own[@]}"; do attack "$1" "its own test" $test; done
  # shellcheck disable=SC2086
  for test in "${others[@]}"; do attack "$1" "the other" $test; done
  echo "# $1 took $((SECONDS - begun)) s"
}

# Each test that is named, once, without a fault.
hold() {
  local name test tests
  mapfile -t tests < <(for name; do
    perl "$here/mutant.pl" field "$here/$name.patch" killed-by
    perl "$here/mutant.pl" field "$here/$name.patch" also-killed-by
  done | sort -u)
  make_copy
  ok "what has no fault can be built" build "${tests[@]%% *}"
  # shellcheck disable=SC2086
  for test in "${tests[@]}"; do ok "without a fault $test holds" run_test $test; done
}

mapfile -t all < <(cd "$here" && ls -- *.patch | sed 's/\.patch$//')
if [ "${1:-}" = --turn ]; then
  turn=$("$root/tests/turn.sh")
  names=()
  for ((i = 0; i < ${2:-2}; i++)); do names+=("${all[(turn * ${2:-2} + i) % ${#all[@]}]}"); done
else
  names=("$@")
  [ $# -gt 0 ] || names=("${all[@]:0:$((${#all[@]} * ${MUTANTS_SHARE:-100} / 100 + 1))}")
fi
echo "TAP version 13"
[ -z "${MUTANTS_SOUND:-}" ] || hold "${names[@]}"
for name in "${names[@]}"; do mutate "$name"; done
echo "# mutants ${#names[@]} checks $checks failed $failed did not end $hung"
echo "1..$checks"
[ "$failed" = 0 ]
