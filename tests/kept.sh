#!/bin/bash
# kept.sh - runs a test for prove, 15 minutes at most, and keeps what it says, so that what failed
# can be reported again at the end.
#   kept.sh TEST [ARGUMENT…]   its output is kept in $CKRUN_BUILD/output/, its errors are not shown
#   kept.sh --report           prints what the tests that failed have said, at most 100 lines; all
#                              of it is in failed.txt there
set -u
output=${CKRUN_BUILD:?the folder of the build}/output

# report NAME: the checks that failed and what was said about them, or how it ended when none did.
report() {
  echo "== $1: exit $(cat "$1.failed")"
  awk '/^not ok|^Bail out!/ { keep = 1 } /^ok|# TODO/ { keep = 0 } keep' "$1.out" | head -n 30
  grep -q '^not ok' "$1.out" || tail -n 3 "$1.out"
  tail -n 30 "$1.err"
}

if [ "$1" = --report ]; then
  cd "$output" 2>/dev/null || exit 0
  for file in *.failed; do [ ! -e "$file" ] || report "${file%.failed}"; done | cut -c1-400 | \
    tee failed.txt | tail -n 100
  exit
fi
mkdir -p "$output"
name=${1#./}
name=$output/${name//\//-}
rm -f "$name.failed"
timeout 900 "$@" >"$name.out" 2>"$name.err"
code=$?
[ $code = 0 ] && ! grep '^not ok' "$name.out" | grep -qv '# TODO' || echo $code >"$name.failed"
cat "$name.out"
exit $code
