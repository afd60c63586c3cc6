#!/bin/sh
# demo.sh - steps run side by side, the program is killed with SIGKILL among them, and goes on with
# those that are left.
set -eu
cd "$(dirname "$0")"
ckrun=${CKRUN:-../../build/ckrun}
case $ckrun in */*) ckrun=$(cd "$(dirname "$ckrun")" && pwd)/$(basename "$ckrun") ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp flow.lua fetch measure weather "$work"
cd "$work"
export CKRUN_STORE="sqlite:$work/demo.db"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say '1. A download, three measurements side by side, a service that is not there;' \
  'killed while the measurements run.'
mkfifo progress
"$ckrun" run flow.lua --profile graph --session pipeline >/dev/null 2>progress &
pid=$!
{
  while IFS= read -r line; do
    case $line in checkpoint*) continue ;; esac
    printf '  %s\n' "$line"
    case $line in *main.fetch*) break ;; esac
  done
  kill -9 "$pid" 2>/dev/null || true
} <progress
! wait "$pid" 2>/dev/null

say '2. It goes on where it stood: ckrun resume pipeline'
"$ckrun" resume pipeline >out 2>err || { cat err; exit 1; }
grep -v checkpoint err | sed 's/^/  /'
sed -n 's/.*\({"bytes"[^}]*}\).*/  \1/p' out

say '3. The download happened once; nothing that had an outcome was asked for again.'
"$ckrun" sessions log pipeline --all --kind outcome --json | \
  sed -n 's/.*"key":"\([^"]*\)".*"status":"ok".*/\1/p' | sort >keys
printf '  %-29s%s\n' \
  'downloads' "$(grep -c fetch runs.log)" \
  'effects that went well' "$(wc -l <keys)" \
  'of them more than once' "$(uniq -d keys | wc -l)"
[ "$(grep -c fetch runs.log)" = 1 ] && [ "$(wc -l <keys)" = 4 ] && [ "$(uniq -d keys | wc -l)" = 0 ]
