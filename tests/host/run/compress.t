#!/bin/bash
# compress.t - compress and compression_threshold_bytes: a profile's settings of compression apply
# to the stored rows of the session that it is for and of no other, from the first row to those of a
# resume; and all of it loads.
. "$(dirname "$0")/../tap.sh"

cat >"$dir/flow.lua" <<'END'
local flow = require "ck.flow"
return flow.custom { name = "bytes", run = function(ctx)
  for n = ctx.position and ctx.position.turn + 1 or 1, 4 do
    ctx.memory["small" .. n] = ("s%d "):format(n):rep(700 // 3)
    ctx.memory["large" .. n] = ("l%d "):format(n):rep(9000 // 3)
    ctx.boundary("tool_round", { position = { path = "turn#" .. n, turn = n } })
    if n == 2 then ctx.pause("half way") end
  end
  return ctx.memory.large4
end }
END
# profile NAME SETTINGS
profile() { echo "return { name = '$1', extends = 'default', $2 }" >"$dir/$1.lua"; }
# plain SESSION, stored SESSION: bytes of all its checkpoints.
sum() { "$CKRUN" --json sessions checkpoints "$1" | \
  perl -MJSON::PP -ne '$sum += decode_json($_)->{'"$2"'}; END { print $sum }'; }
plain() { sum "$1" plain_bytes; }
stored() { sum "$1" stored_bytes; }
# play NAME: runs and resumes.
play() {
  exits 8 "$1: to its pause" run "$dir/flow.lua" --profile "$dir/$1.lua" --session "$1" --input \
    "{\"text\":\"$long\"}"
  exits 0 "$1: a resume" resume "$1"
  is "$1: comes to its end" "$(cell "$out" status) $(cell "$out" result | wc -c)" "completed 9001"
}
long=$(printf 'word %.0s' {1..300}) # an input that is worth compressing

profile usual ""
play usual
ok "without a word of it checkpoints are compressed" test "$(($(stored usual) * 4))" -lt \
  "$(plain usual)"
profile never "compress = false"
play never
is "compress = false: not one byte is, also by the resume" "$(stored never)" "$(plain never)"
profile all "compression_threshold_bytes = 0"
play all
ok "a threshold of 0: what can shrink, does" test "$(($(stored all) * 4))" -lt "$(plain all)"
profile large "compression_threshold_bytes = 100000"
play large
is "a threshold of 100000: these are too short" "$(stored large)" "$(plain large)"
profile middle "compression_threshold_bytes = 9000"
play middle
ok "one in between: some are" test "$(stored middle)" -lt "$(plain middle)"
profile child "extends = './never.lua', compress = true"
sed -i "s/extends = 'default', //" "$dir/child.lua"
play child
ok "it is inherited, and overridden" test "$(($(stored child) * 4))" -lt "$(plain child)"
exits 0 "a profile's own word" --json profile show "$dir/large.lua"
has "is shown with where it comes from" "$out" \
  '"key":"compression_threshold_bytes","value":100000,"from":"profile","origin":"'

# ---- the bodies of events ----
bytes() { "$CKRUN" --json store stats | perl -MJSON::PP -ne \
  'BEGIN { $/ = undef } print decode_json($_)->{'"$1"'}'; }
# events NAME: bytes of events as stored and plain, of a store with that session alone.
events() {
  export CKRUN_STORE=sqlite:$dir/$1.db
  play "$1"
  plainly=$(bytes event_plain_bytes) kept=$(bytes event_bytes)
}
events never
is "events, compress = false: all are plain, the first one with the input, too" "$kept" "$plainly"
events usual
ok "events, by default: they are not" test "$kept" -lt "$plainly"
exits 0 "all of it is sound" store verify
export CKRUN_STORE=sqlite:$dir/store/ckrun.db
exits 0 "and here, too" store verify
finish
