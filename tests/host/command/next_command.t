#!/bin/bash
# next_command.t - the command that is printed as what to do next does that: followed to the letter
# it goes on as the last run was, with what that was given for itself.
. "$(dirname "$0")/../tap.sh"
mkdir "$dir/a b" && cd "$dir/a b" || exit 1
export PATH="$dir/bin:$PATH"
mkdir "$dir/bin" && ln -s "$(realpath "$CKRUN")" "$dir/bin/ckrun"

cat >flow.lua <<'E'
local flow = require "ck.flow"
local stop = flow.lua(function(ctx) ctx.pause("here") end)
return flow.graph { name = "g", start = "a", nodes = { a = stop, b = stop, c = stop, d = stop,
  e = stop, f = stop, g = stop, h = stop },
  edges = { a = "b", b = "c", c = "d", d = "e", e = "f", f = "g", g = "h", h = flow.done } }
E
echo 'return { name = "p", policies = { { "redact_keys", keys = { pin = "mask" } } } }' >p.lua
echo 'return { name = "q", extends = "./p.lua", policies = { "approve" } }' >q.lua
echo "return { name = \"hold\", version = 1, options = { word = \"it's\" }," \
  "permit = function() end }" >"hold's.lua"
own=(--option "redact_keys.keys={\"card\":\"mask\",\"it's\":\"mask\"}" --policy "./hold's.lua"
  --option "hold.word=don't \$HOME \`x\` \"y\"")
# settings SESSION: of its last run.
settings() { "$CKRUN" --json sessions show "$1" | perl -MJSON::PP -0ne '
  my @runs = @{decode_json($_)->{runs}};
  my ($last) = (grep { $_->{outcome} !~ /^(rewound|undone|forked)/ } @runs)[-1];
  print JSON::PP->new->canonical->encode($last->{settings} // {})'; }
# follow NAME SESSION COMMAND: is run by a shell, goes on, and sets what the run before had set.
follow() {
  local before
  before=$(settings s)
  sh -c "$3" >"$dir/out" 2>"$dir/err" </dev/null
  code=$? out=$(cat "$dir/out") err=$(cat "$dir/err")
  is "$1: followed, it goes on to the next pause" "$code $(cell "$out" status)" "8 paused"
  is "$1: with the settings of the run before" "$(settings "$2")" "$before"
}
exits 8 "a run with settings of its own" run flow.lua --profile ./p.lua --session s "${own[@]}"
first=$(cell "$out" resume)
has "a plain resume" "$("$CKRUN" resume s 2>&1)" "hold"
follow "the summary of run" s "$first"
follow "the summary of resume" s "$(cell "$out" resume)"
follow "sessions show" s "$("$CKRUN" sessions show s | sed -n 's/^next\t//p')"
follow "sessions show --json" s "$(json "$("$CKRUN" --json sessions show s)" '$d->{next}')"
run --json resume s "${own[@]}" --dry-run
is "which changes nothing" "$code $(json "$out" '$d->{changes}')" "0 []"
run sessions rewind s --to first --report again
follow "a rewind" s "$(cell "$out" next)"
run sessions undo s
follow "an undo" s "$(cell "$out" next)"
run sessions fork s --session fork
follow "a fork" fork "$(cell "$out" next)"
exits 5 "a checkpoint of a session at rest" checkpoint s
follow "the refusal" s "$(sed "s/^[^:]*: .* and '//; s/' goes on with it\$//" <<<"$err")"

# ---- another profile; a value that the store does not have ----
run run flow.lua --profile ./p.lua --session s2
run resume s2 --profile ./q.lua
next=$(cell "$out" resume)
is "the profile of the last run is named" "$next" "ckrun resume s2 --profile '$dir/a b/q.lua'"
sh -c "$next" >"$dir/out" 2>&1 </dev/null
is "followed, it goes on" "$? $(cell "$(cat "$dir/out")" status)" "8 paused"
run --json sessions log s2 --all --kind session_resumed
is "and accepts nothing" "$(grep -c accepted <<<"$(tail -n 1 <<<"$out")")" 0
export HIDDEN=correct-horse-battery
echo 'return { name = "x", secrets = { pass = "env:HIDDEN" }, policies = { "approve" } }' >x.lua
exits 8 "an option that holds a secret" run flow.lua --profile ./x.lua --session s3 --policy \
  "./hold's.lua" --option hold.word=correct-horse-battery
next=$(cell "$out" resume)
is "is not shown" "$next" \
  "ckrun resume s3 --policy '$dir/a b/hold'\\''s.lua' --option hold.word \
 # to be given anew, for it is masked where it is stored: hold.word"
sh -c "$next" >"$dir/out" 2>&1 </dev/null
is "and nobody sets another one by following that" "$?" 2

# ---- a question: the answer, and what follows it ----
cat >ask.lua <<'E'
return require "ck.flow".graph { name = "g", start = "a", nodes = {
  a = require "ck.flow".exec { argv = { "true" }, class = "once" } },
  edges = { a = require "ck.flow".done } }
E
echo 'return { name = "asks", version = 1, options = { word = "May it?" },
  permit = function(_, _, opt) return ck.ask(opt.word) end }' >asks.lua
exits 8 "a question of a run's own policy" run ask.lua --profile graph --session w \
  --policy ./asks.lua --option "asks.word=Really, do it?"
run answer w allow
sh -c "$(cell "$out" resume)" >"$dir/out" 2>&1 </dev/null
is "the command behind its answer takes that" "$? $(cell "$(cat "$dir/out")" status)" "0 completed"
finish
