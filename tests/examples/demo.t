#!/usr/bin/env bash
# demo.t - the demonstration holds what it shows: killed on the way, resumed, nothing done twice.
set -u
cd "$(dirname "$0")/../.." || exit 1
echo 1..3
out=$(examples/airline/demo.sh 2>&1)
code=$?
[ "$code" = 0 ] && echo 'ok 1 - make demo runs to its end' ||
  { echo 'not ok 1 - make demo runs to its end'; sed 's/^/# /' <<<"$out"; }
grep -q 'carried out twice  *0$' <<<"$out" && echo 'ok 2 - nothing was done twice' ||
  echo 'not ok 2 - nothing was done twice'
other=$(awk 'FNR == 1 && $0 != "#!/bin/sh" { print FILENAME }' examples/*/*.sh)
[ -z "$other" ] && echo 'ok 3 - the scripts of all examples need a plain sh' ||
  echo "not ok 3 - the scripts of all examples need a plain sh: $other"
