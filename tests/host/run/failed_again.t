#!/bin/bash
# failed_again.t - a call that failed for good beside another one, just before ckrun was killed, is
# in the run that fails of it again: not begun anew, and told once.
. "$(dirname "$0")/../tap.sh"
# The other one kills ckrun when the failure is in the store.
cat >"$dir/other.sh" <<'E'
failed() { "$1" --store "$2" sessions log two | grep 'main\.a@.*failed' >/dev/null; }
until [ -e "$3" ] || failed "$@"; do read -rt 0.02 <> <(:) || :; done
[ -e "$3" ] || { : >"$3" && kill -9 "$PPID"; }
E
cat >"$dir/flow.lua" <<E
local flow = require "ck.flow"
local other = { "bash", "$dir/other.sh", "$CKRUN", "$dir/store/ckrun.db", "$dir/killed" }
local calls = {
  a = { kind = "exec", class = "once", request = { argv = { "$dir/missing" } } },
  b = { kind = "exec", class = "idempotent", request = { argv = other } } }
return flow.custom { name = "two", run = function(ctx)
  if ctx.task then return ctx.effect(calls[ctx.task]).result end
  ctx.fork { { scope = "a", task = "a" }, { scope = "b", task = "b" } }
  return ctx.join { "a", "b" }.a.error
end }
E
mkdir "$dir/store"
cd "$dir" || exit 1
run run flow.lua --session two
is "it is killed beside what failed" "$code" 137
run resume two
is "and goes on" "$code" 0
run sessions log two --json
has "the flow has the same failure" "$out" "cannot be started"
kinds=$(perl -MJSON::PP -ne '$e = decode_json($_); push @k, $e->{kind}
  if ($e->{scope} // "") eq "main.a"; END { print "@k" }' <<<"$out")
is "the live run has the failure, as what was known, and nothing begun" "$kinds" replay
run sessions log two --all --json
kinds=$(perl -MJSON::PP -ne '$e = decode_json($_); push @k, $e->{kind}
  if ($e->{scope} // "") eq "main.a"; END { print "@k" }' <<<"$out")
is "in all it was begun once" "$kinds" "intent outcome replay"
finish
