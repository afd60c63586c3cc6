#!/usr/bin/env bash
# demo.t - the demonstration holds what it shows: killed on the way, resumed, nothing done twice.
set -u
cd "$(dirname "$0")/../.." || exit 1
echo 1..2
out=$(examples/airline/demo.sh 2>&1)
code=$?
[ "$code" = 0 ] && echo 'ok 1 - make demo runs to its end' || { echo 'not ok 1 - make demo runs to its end'; sed 's/^/# /' <<<"$out"; }
grep -q 'carried out twice  *0$' <<<"$out" && echo 'ok 2 - nothing was done twice' || echo 'not ok 2 - nothing was done twice'
