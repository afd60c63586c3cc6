#!/bin/bash
# short.t - every case of the conformance suite holds with SQLite, at a few points of each attack.
# CONFORMANCE_POINTS=N tries more of them.
here=$(cd "$(dirname "$0")" && pwd)
export CKRUN=${CKRUN:?the path of the program} CONFORMANCE_POINTS=${CONFORMANCE_POINTS:-4}
export CONFORMANCE_STEPS=${CONFORMANCE_STEPS:-5}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tried=0 failed=0
echo "TAP version 13"
for case in "$here"/cases/*.sh; do
  name=$(basename "$case" .sh)
  STORE=$dir/$name.db bash "$case" >"$dir/out" 2>"$dir/err"
  code=$?
  tried=$((tried + 1))
  figure=$(sed -n "s/^# $name //p" "$dir/out" | tail -n 1)
  reason=$(sed -n 's/^1\.\.0 # SKIP //p' "$dir/out")
  case "$code$reason" in
    0) echo "ok $tried - $name $figure" ;;
    0*) echo "ok $tried - $name # SKIP $reason" ;;
    *)
      failed=$((failed + 1))
      echo "not ok $tried - $name $figure"
      { cat "$dir/out"; grep -v ' Killed ' "$dir/err"; } | cut -c1-300 | sed 's/^/# /' >&2 ;;
  esac
done
echo "1..$tried"
[ $failed = 0 ]
