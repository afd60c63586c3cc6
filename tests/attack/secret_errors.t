#!/usr/bin/env bash
# secret_errors.t - a secret with bytes in it that an error, JSON or a terminal cannot keep, and one
# that a program wraps or colours, is neither in a store nor on an output when the program fails.
. "$(dirname "$0")/../host/tap.sh"
cd "$dir" || exit 1
export CKRUN_COUNTERS=off

cat >exec.lua <<'LUA'
local flow = require "ck.flow"
return flow.exec { argv = { "./tell" } }
LUA
cat >tool.lua <<'LUA'
local flow = require "ck.flow"
local function run(ctx)
  local got = ctx.effect { kind = "tool", class = "idempotent", request = { name = "tell" } }
  ctx.memory.got = { got.result or false, got.error or false }
  error(got.error or "nothing", 0)
end
local tell = flow.command { argv = { "./tell" }, class = "idempotent" }
return flow.custom { name = "tool", tools = { tell = tell }, run = run }
LUA
cat >profile.lua <<'LUA'
return { name = "told", extends = "default", secrets = { token = "env:MY_TOKEN" } }
LUA
cat >tell <<'SH'
#!/bin/sh
TOKEN=$(cat token)
tell() { case $(cat how) in
  wrapped) printf '%s' "it is $TOKEN" | base64 -w 12 ;;
  broken) printf 'it is\r\n%s\r\n' "$TOKEN" | fold -w 5 ;;
  coloured) printf 'it is %s' "$TOKEN" | fold -w 1 | awk '{ printf "%s\033[31m", $0 }' ;;
  hex) printf '%s' "it is $TOKEN" | od -An -v -tx1 | tr -d ' ' ;;
  *) printf 'it is %s here' "$TOKEN" ;;
esac; }
tell; tell >&2
exit 3
SH
chmod +x tell

# told FLOW HOW SECRET: runs FLOW; `said` has all that was said and stored.
told() {
  rm -rf s.db*
  echo "$2" >how
  printf %s "$3" >token
  { MY_TOKEN=$3 CKRUN_LOG=debug "$CKRUN" --store s.db run "$1" --profile ./profile.lua --session s
    "$CKRUN" --store s.db sessions log s --all --json
    "$CKRUN" --store s.db sessions log s
    "$CKRUN" --store s.db sessions show s
    "$CKRUN" --store s.db --json sessions list
    cat s.db*; } >said 2>&1 </dev/null
}
# Neither half, nor the middle of one, as text or base64.
hidden() {
  local a=Kq7canaryZt b=93xWnestLm
  grep -q redacted: said && ! LC_ALL=C grep -aqE \
    "$a|$b|canary|nest|$(printf %s "$a" | base64 | cut -c3-8)|63616e617279|6e657374" said
}
for flow in exec tool; do
  while read -r name how secret; do
    printf -v value %b "$secret"
    told "$flow.lua" "$how" "$value"
    ok "$flow: $name" hidden || grep -aE 'canary|nest' said | head -3 | cat -v | cut -c1-200
  done <<'CASES'
a-line-break plain Kq7canaryZt\n93xWnestLm
breaks-of-two-bytes plain Kq7canaryZt\r\n93xWnestLm
a-return plain Kq7canaryZt\r93xWnestLm
a-tab plain Kq7canaryZt\t93xWnestLm
an-escape plain Kq7canaryZt\x1b93xWnestLm
a-colour plain Kq7canaryZt\x1b[31m93xWnestLm
a-control-of-two-bytes plain Kq7canaryZt\xc2\x8593xWnestLm
a-byte-that-is-no-character plain Kq7canaryZt\xff93xWnestLm
half-a-character plain Kq7canaryZt\xe2\x8293xWnestLm
all-of-it plain Kq7canaryZt\xff\x1b\n\x0193xWnestLm
a-break-in-base64 wrapped Kq7canaryZt93xWnestLm
a-break-in-hex hex Kq7canaryZt93xWnestLm
a-break-in-itself broken Kq7canaryZt93xWnestLm
colours-in-itself coloured Kq7canaryZt93xWnestLm
CASES
done
finish
