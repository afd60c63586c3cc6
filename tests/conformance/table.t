#!/bin/bash
# table.t - tests/README.md has the promise, the attack and the figure of every case of the
# conformance suite as its header says them, and the suite refuses what it cannot measure.
here=$(cd "$(dirname "$0")" && pwd)
ckrun=${CKRUN:?the path of the program}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tried=0 failed=0
check() {
  local name=$1
  shift
  tried=$((tried + 1))
  if "$@"; then echo "ok $tried - $name"; else
    failed=$((failed + 1))
    echo "not ok $tried - $name"
  fi
}

is_written() { "$here/table.sh" --page | diff - "$here/../README.md" >&2; }
is_whole() { ! grep -E '\|  \|' <("$here/table.sh"); }
# answers CODE TEXT COMMAND…
answers() {
  local code=$1 text=$2 out
  shift 2
  out=$("$@" 2>&1)
  [ $? = "$code" ] && grep -qF -- "$text" <<<"$out" || { sed 's/^/# /' <<<"$out"; false; }
}

echo "TAP version 13"
check "the table of tests/README.md is that of the headers" is_written
check "every case says its promise, its attack and its figure" is_whole
check "a store in memory ends with its process: nothing is measured, and that is no success" \
  answers 1 "nothing was measured" env STORE=memory: CKRUN="$ckrun" "$here/run.sh"
check "where no file is, the case of damage says why it is skipped" \
  answers 1 "skip: the bytes of this store cannot be reached from outside" \
  env STORE=postgres://nowhere/ckrun CKRUN="$ckrun" "$here/run.sh" corrupt
check "a case that is none is refused" \
  answers 2 "there is no case 'nothing'" env CKRUN="$ckrun" "$here/run.sh" nothing
check "a program that is none is refused" \
  answers 2 "there is no such program" env CKRUN="$here/none" "$here/run.sh"
cd "$here/cases" || exit 1
check "a case by itself, called by its name, has its figure" \
  answers 0 "budgets: sessions > 0: 1" \
  env STORE="sqlite:$dir/one.db" CKRUN="$ckrun" CONFORMANCE_POINTS=1 bash budgets.sh
echo "1..$tried"
[ $failed = 0 ]
