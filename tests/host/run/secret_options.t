#!/bin/bash
# secret_options.t - options of policies that look like secrets are in no file of the store, a
# change of one is noticed all the same, and whoever goes on is told that it is to be given anew.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
cat >flow.lua <<'E'
return require "ck.flow".graph { start = "a", nodes = { a = function(ctx) ctx.pause("here") end },
  edges = { a = require "ck.flow".done } }
E
cat >rule.lua <<'E'
return { name = "rule", version = 1, options = { password = "", note = "", list = {}, n = 1 },
  permit = function(effect, at, opt) if opt.n > 5 then return ck.deny(opt.note) end end }
E
# profile PASSWORD: a key that tells, a value that tells, and one below another.
profile() {
  cat >p.lua <<E
return { name = "p", extends = "graph", compress = false, policies = { { "./rule.lua",
  password = "$1", note = "ghp_canaryCANARYcanaryCANARYcanary012345",
  list = { api_key = "canary-below" } } } }
E
}
stored() { cat store/ckrun.db{,-wal} | grep -aciE 'canary|hunter'; }
profile hunter2hunter
exits 8 "a session under such options" run flow.lua --profile ./p.lua --session s
is "stores none of them" "$(stored)" 0
exits 0 "nor does a resume" resume s
is "store one" "$(stored)" 0
run run flow.lua --profile ./p.lua --session s2
profile hunter3hunter
exits 5 "where one is another since" resume s2
has "that is noticed" "$err" "whether the options of rule are the same cannot be told"
is "and not said" "$(grep -c hunter <<<"$err")" 0
exits 0 "accepted" resume s2 --accept-changed
is "nothing is stored of it either" "$(stored)" 0

# ---- those of one run ----
secret=(--option rule.password=sk-ant-api03-canarycanarycanarycanary01234 --option rule.n=2)
exits 8 "options of one run" run flow.lua --profile ./p.lua --session own "${secret[@]}"
is "are not stored either" "$(stored)" 0
next=$(cell "$out" resume)
is "the next command has those that are known, and says which is to be given" "$next" \
  "ckrun resume own --option rule.password --option rule.n=2  # to be given anew, for it is masked\
 where it is stored: rule.password"
eval "${next/ckrun/\"\$CKRUN\"}" >out 2>err
is "as it stands it is refused" "$? $(grep -c "takes POLICY.KEY=VALUE" err)" "2 1"
exits 5 "the dry run without it" resume own --dry-run --option rule.n=2
has "has what the run before had" "$out" "--option rule.password (masked: to be given anew)"
exits 5 "the resume" resume own --option rule.n=2
has "does not go on in silence with the profile's own" "$err" \
  "option password of rule was set for the run before alone"
exits 2 "a placeholder" resume own --option "rule.password=[redacted:token:000000000000]"
has "is no value" "$err" "--option rule.password: what is given is the placeholder of a value"
exits 0 "a resume with it" resume own "${secret[@]}"
finish
