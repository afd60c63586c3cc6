#!/bin/bash
# options.t - --option and --policy: what one run sets over its profile; checked against what the
# policies declare, kept with the run, shown, and not taken over by a resume.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# Takes a checkpoint at each node_complete while it is on, and says its word.
policy() {
  cat <<END
return { name = "$1", version = 1,
  options = { on = false, word = "none", n = 1, list = { "x" }, named = { a = 1 }, free = {} },
  checkpoint = function(at, opt)
    if opt.on and at.kind == "node_complete" then return "$1 " .. opt.word .. " " .. opt.n end
  end }
END
}
policy mark >mark.lua
policy extra >extra.lua
cat >house.lua <<'END'
return { name = "house", policies = { { "./mark.lua", word = "house" } } }
END
cat >staff.lua <<'END'
return { name = "staff", extends = "./house.lua",
  agents = { clerk = { policies = { { "./mark.lua", word = "clerk" } } } } }
END
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "three", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.memory.a = 1 end),
    b = flow.lua(function(ctx) ctx.pause("not yet") end),
    c = flow.lua(function(ctx) ctx.memory.c = 1 end),
  },
  edges = { a = "b", b = "c", c = flow.done } }
END
# said SESSION: what the policies said of its checkpoints, in order.
said() {
  "$CKRUN" --json sessions checkpoints "$1" >"$dir/checkpoints"
  json "[$(paste -sd, "$dir/checkpoints")]" \
    'join ",", map { map { $_->{reason} } @{$_->{reasons}} } @$d'
}
# settings SESSION N: those of its N-th run, from 0, with their names in order.
settings() {
  "$CKRUN" --json sessions show "$1" >"$dir/show"
  json "$(cat "$dir/show")" \
    "JSON::PP->new->canonical->encode(\$d->{runs}[$2]{settings} // \"none\")"
}

# ---- what they do ----
exits 8 "a run of the profile as it is" run flow.lua --profile ./house.lua --session plain
is "takes what the profile wants" "$(said plain)" ""
is "its run has no settings of its own" "$(settings plain 0)" '"none"'

exits 8 "a run with options of its own" run flow.lua --profile ./house.lua --session own \
  --option mark.on=true --option mark.n=7
is "runs with them, over the profile's, which hold for the rest" "$(said own)" "mark house 7"
is "they are kept with the run" "$(settings own 0)" '{"options":{"mark":{"n":7,"on":true}}}'
run sessions show own
has "sessions show has them as words" "$(grep ^runs <<<"$out")" \
  "with --option mark.on=true --option mark.n=7"
is "and as those of the next command" "$(cell "$out" next)" \
  "ckrun resume own --option mark.on=true --option mark.n=7"
run --json sessions log own --kind session_started
is "the transcript has them" "$(json "$out" '$d->{body}{settings}{options}{mark}{n}')" 7
run --json sessions inspect own
is "so does a checkpoint of the run" "$(json "$out" '$d->{settings}{options}{mark}{n}')" 7
run sessions inspect own
has "in words, too" "$err" "--option mark.n=7"

exits 8 "a policy more" run flow.lua --profile ./house.lua --session more --policy ./extra.lua \
  --option extra.on=true --option extra.word=here --option mark.on=true
is "decides behind the profile's" "$(said more)" "mark house 1,extra here 1"
is "is kept by its path" "$(settings more 0)" \
  "{\"options\":{\"extra\":{\"on\":true,\"word\":\"here\"},\"mark\":{\"on\":true}},\
\"policies\":[\"$(realpath extra.lua)\"]}"
exits 8 "a shipped one" run flow.lua --profile ./house.lua --session shipped --policy every_n \
  --option every_n.n=1
ok "decides, too" test -n "$(said shipped)"

# ---- texts and types, as the policy declares them ----
# takes NAME WANT WORD…: a run with these words says so.
takes() {
  local name=$1 want=$2 session=t$checks
  shift 2
  run run flow.lua --profile ./house.lua --session "$session" --option mark.on=true "$@"
  is "$name" "$code $(said "$session")" "8 mark $want"
}
takes "a text needs no quotes" "two words 1" --option "mark.word=two words"
takes "a text may have them" "quoted 1" --option 'mark.word="quoted"'
takes "a text that reads like a number stays one" "12 1" --option mark.word=12
takes "an empty text is one" " 1" --option mark.word=
takes "the rest of the word is the value" "a=b 1" --option mark.word=a=b
takes "a number may have a fraction" "house 2.5" --option mark.n=2.5
takes "lists and tables" "house 1" --option 'mark.list=["y","z"]' --option 'mark.named={"b":2}' \
  --option 'mark.free=[1]'
takes "an empty table is a list and a table" "house 1" --option 'mark.list={}' \
  --option 'mark.named=[]'

# mistaken NAME TEXT WORD…: run, resume and profile show refuse the words alike, and nothing is
# made.
before=$(sha256sum store/ckrun.db store/ckrun.db-wal)
mistaken() {
  local name=$1 text=$2
  shift 2
  refused 2 "$name" "$text" run flow.lua --profile ./house.lua --session none "$@"
  refused 2 "$name, resume" "$text" resume plain "$@"
  refused 2 "$name, profile show" "$text" profile show ./house.lua "$@"
}
mistaken "a number of which the policy wants a truth" \
  "--option mark.on: $(realpath mark.lua): option 'on': a boolean is expected, not a number" \
  --option mark.on=1
mistaken "a text for a number" "option 'n': a number is expected, not a string" \
  --option mark.n=many
mistaken "null" "option 'n': a number is expected, not a null" --option mark.n=null
mistaken "a text for a list" "option 'list': a list is expected, not a string" \
  --option mark.list=x
mistaken "a table for a list" "option 'list': a list is expected, not a table with names" \
  --option 'mark.list={"x":1}'
mistaken "a list for a table" "option 'named': a table with names is expected, not a list" \
  --option 'mark.named=[1]'
mistaken "an option that is not there" "unknown option 'wrod' (did you mean 'word'?)" \
  --option mark.wrod=x
mistaken "a policy that the run does not have" \
  "--option mrak.on: profile house has no policy 'mrak' (did you mean 'mark'?)" \
  --option mrak.on=true
mistaken "a policy that is like none" "has no policy 'smart'; --policy adds one for the run" \
  --option smart.usd=1
mistaken "what begins like JSON and is none" "begins like JSON and is none" \
  --option 'mark.list=["x"'
mistaken "a text with half its quotes" "begins like JSON and is none" --option 'mark.word="x'
mistaken "the same twice" "--option mark.n: it is set twice" --option mark.n=1 --option mark.n=2
mistaken "a word without '='" "the word given has no '='" --option mark.n
mistaken "a word without '.'" "the word given has no '.'" --option mark=1
mistaken "a word without a policy" "the word given has no POLICY" --option .n=1
mistaken "a word without a key" "the word given has no KEY" --option mark.=1
mistaken "a policy that the profile has" "profile house has a policy mark already" \
  --policy ./mark.lua
mkdir -p other && cp mark.lua other
mistaken "another text of that name" "another text of it needs a name of its own" \
  --policy other/mark.lua
mistaken "the same policy twice" "the run has a policy extra already" --policy ./extra.lua \
  --policy ./extra.lua
is "nothing was made by any of them" "$(sha256sum store/ckrun.db store/ckrun.db-wal)" "$before"
refused 3 "a policy that is not there" "--policy ./none.lua: " run flow.lua --policy ./none.lua

# ---- over the profile and its agents; profile show says so ----
# row KEY: value, from, where.
row() { awk -F'\t' -v key="$1" '$1 == key { print $2 " " $3 " " $4 }' <<<"$out"; }
exits 0 "profile show" profile show ./staff.lua --agent clerk
is "an agent's" "$(row policies.mark.word)" "clerk agent $(realpath staff.lua)"
is "a policy's own" "$(row policies.mark.n)" "1 default $(realpath mark.lua)"
exits 0 "with a run's" profile show ./staff.lua --agent clerk --option mark.word=run \
  --policy ./extra.lua --option extra.n=3
is "which beats the agent's" "$(row policies.mark.word)" "run run the command line"
is "a policy that the run adds" "$(row policies.extra)" "1 run the command line"
is "its option" "$(row policies.extra.n)" "3 run the command line"
is "and what it says itself" "$(row policies.extra.word)" "none default $(realpath extra.lua)"

# ---- they are one run's own ----
exits 0 "a dry run" resume own --dry-run --policy ./extra.lua
has "has what this run sets" "$out" "settings	--policy $(realpath extra.lua)"
has "and what the one before had set" "$out" \
  "settings before	--option mark.on=true --option mark.n=7"
has "an added policy is this run's, not a changed one" "$(grep ^policy <<<"$out")" ", of this run"
is "no policy has changed" "$(grep -c ', changed' <<<"$out")" 0
exits 0 "as JSON" --json resume own --dry-run --policy ./extra.lua
is "the same" "$(json "$out" 'join " ", $d->{settings}{policies}[0],
  $d->{settings_before}{options}{mark}{n}, grep { $_ } map { $_->{run} } @{$d->{policies}}')" \
  "$(realpath extra.lua) 7 1"
rm extra.lua
exits 0 "a resume needs no --accept-changed because of them, nor the policy's file" resume more
has "and says what does not go on" "$err" \
  "the run before was started with --policy $(realpath extra.lua) --option "
is "it ran as the profile says" "$(said more)" "mark house 1,extra here 1"
is "its run had none" "$(settings more 1)" '"none"'
has "the first keeps its own" "$(settings more 0)" '"extra"'
run resume own --option mark.on=true
is "a resume with settings of its own goes on with those alone" "$code $(said own)" \
  "0 mark house 7,mark house 1,mark house 1"
is "kept with its run" "$(settings own 1)" '{"options":{"mark":{"on":true}}}'
is "beside the first's" "$(settings own 0)" '{"options":{"mark":{"n":7,"on":true}}}'
exits 8 "settings" run flow.lua --profile ./house.lua --session twice --option mark.on=true
exits 0 "and the same again" resume twice --option mark.on=true
is "are no difference to tell" "$(grep -c 'the run before' <<<"$err")" 0
exits 8 "a session with settings" run flow.lua --profile ./house.lua --session back \
  --option mark.on=true
exits 0 "that a person rewinds" sessions rewind back --to latest --report seen
exits 0 "still says what its last run had" resume back --dry-run
has "by the run, not by what was done at rest" "$out" "settings before	--option mark.on=true"
exits 0 "a fork of the session with two runs" sessions fork own --session branch
exits 0 "has its last run before it" resume branch --dry-run
is "not the first" "$(grep '^settings before' <<<"$out")" "settings before	--option mark.on=true"

# ---- a policy that guards does not fall away in silence ----
for hook in redact:'return ck.mask' resume:'return nil' permit:'return nil'; do
  name=${hook%%:*}
  echo "return { name = \"guard_$name\", version = 1, $name = function() ${hook#*:} end }" \
    >"guard_$name.lua"
  exits 8 "a run with a policy that has $name" run flow.lua --profile ./house.lua \
    --session "guarded-$name" --policy "./guard_$name.lua"
  refused 5 "a resume without it" "the run before had the policy guard_$name for itself" \
    resume "guarded-$name"
  has "it names the words" "$err" "--policy $(realpath "guard_$name.lua")"
  exits 0 "a fork" sessions fork "guarded-$name" --session "fork-$name"
  exits 5 "has the same" resume "fork-$name"
  exits 0 "with it" resume "guarded-$name" --policy "./guard_$name.lua"
  exits 0 "or without it, when a person says so" resume "fork-$name" --accept-changed
done
exits 8 "a run with one more" run flow.lua --profile ./house.lua --session rested \
  --policy ./guard_redact.lua
exits 0 "that a person rewinds" sessions rewind rested --to latest --report seen
exits 5 "still needs it" resume rested

# ---- a secret is not written down ----
export HOUSE_KEY=the-key-of-the-house-4711
policy listed >listed.lua
cat >safe.lua <<'END'
return { name = "safe", policies = { "./listed.lua" }, compress = false,
  secrets = { house = "env:HOUSE_KEY" } }
END
token=ghp_0123456789abcdefghijABCDEFGHIJ012345
run run flow.lua --profile ./safe.lua --session safe --option "listed.word=$HOUSE_KEY" \
  --option "listed.list=[\"$token\"]" --option "listed.free={\"password\":\"hunter22-and-more\"}"
is "a run with secrets in its options" "$code" 8
printed=$out$err
for how in "sessions show safe" "--json sessions show safe" "--json sessions log safe" \
  "sessions log safe" "--json sessions inspect safe" "sessions inspect safe" \
  "resume safe --dry-run" "--json resume safe --dry-run" "resume safe"; do
  # shellcheck disable=SC2086
  run $how
  printed+=$out$err
done
run resume safe --dry-run --option "listed.word=$HOUSE_KEY"
printed+=$out$err
is "shows none of them" "$(grep -cE 'house-4711|ghp_|hunter' <<<"$printed")" 0
has "but that something was there" "$printed" "[redacted:"
run store backup copy.db
is "and the store holds none" \
  "$(cat store/* copy.db 2>/dev/null | strings | grep -cE 'house-4711|ghp_012|hunter22')" 0
for given in "listed.word" "listed.n=$HOUSE_KEY" "listed.$HOUSE_KEY=1" "$HOUSE_KEY.n=1" \
  "listed.list=[\"$HOUSE_KEY"; do
  run run flow.lua --profile ./safe.lua --option "$given"
  is "a mistake beside a secret: exit 2" "$code" 2
  is "does not repeat it" "$(grep -c house-4711 <<<"$out$err")" 0
done
finish
