#!/bin/bash
# selftest.t - the cases of the conformance suite can fail: each is tried on programs that cheat,
# and finds out what its figure says they do. Every other one is tried, others with each commit.
# CONFORMANCE_CHEAT=NAME tries only that one, CONFORMANCE_CHEAT='*' all.
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
export HONEST=${CKRUN:-$root/build/ckrun}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tried=0 failed=0

said() { sed -n "s/^# $2: //p" "$1"; }

# try CHEAT: the case that it is for must say so under the term that it is caught by, and no other
# check than those of the figure may fail.
try() {
  local cheat=$1 name case term
  name=$(basename "$cheat" .sh) case=$(said "$cheat" case) term=$(said "$cheat" caught)
  STORE=sqlite:$dir/$name.db CKRUN=$cheat CONFORMANCE_POINTS=2 CONFORMANCE_STEPS=4 \
    bash "$here/cases/$case.sh" >"$dir/out" 2>"$dir/err"
  tried=$((tried + 1))
  caught=$(grep -cE "^not ok [0-9]+ - $case: $term: [1-9]" "$dir/out")
  if [ "$caught" = 1 ]; then echo "ok $tried - $case finds out $name: $term"; else
    failed=$((failed + 1))
    echo "not ok $tried - $case finds out $name: $term"
    { tail -n 12 "$dir/out"; tail -n 3 "$dir/err"; } | cut -c1-200 | sed 's/^/# /'
  fi
}

echo "TAP version 13"
every=2
[ -z "${CONFORMANCE_CHEAT:-}" ] || every=1
while read -r cheat; do try "$cheat" </dev/null; done < <(
  grep -l '^# case: ' "$here"/cheats/${CONFORMANCE_CHEAT:-*}.sh | "$root/tests/turn.sh" $every)
tried=$((tried + 1))
without=$(for case in "$here"/cases/*.sh; do grep -qx "# case: $(basename "$case" .sh)" \
  "$here"/cheats/*.sh || basename "$case"; done)
[ -z "$without" ] && echo "ok $tried - every case has one that cheats" || {
  failed=$((failed + 1))
  echo "not ok $tried - every case has one that cheats: not $without"
}
echo "1..$tried"
[ $failed = 0 ]
