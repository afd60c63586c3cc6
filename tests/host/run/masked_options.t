#!/bin/bash
# masked_options.t - what a policy masks does not stand in its own options either, where they are
# recorded or shown; unchanged options are known as such, changed ones are refused, and no digest in
# a store lets a short secret among them be tried.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >names.lua <<'E'
return { name = "names", version = 1, options = { names = { "-" } },
  redact = function(item, opt)
    local value = item.value
    for _, name in ipairs(opt.names) do value = ck.mask(value, "\\Q" .. name .. "\\E") end
    return value
  end }
E
cat >plain.lua <<'E'
return { name = "plain", version = 1, options = { pin = "0000", n = 1, list = { "-" } },
  checkpoint = function() return nil end }
E
cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.custom { name = "asks", run = function(ctx)
  if not ctx.position then
    ctx.memory.who = "it is Ada " .. "Lovelace"
    ctx.boundary("tool_round", { position = { path = "begun#1" } })
  end
  return ctx.effect { kind = "ask", class = "idempotent", request = { question = "Who?" } }.result
end }
E
# profile NAMES [PIN [COMMENT]]
profile() {
  cat >p.lua <<E
--- ${3:-a profile}
return { name = "p", extends = "default", policies = { "every_boundary",
  { "./names.lua", names = { $1 } }, { "./plain.lua", pin = "${2:-7391}", list = { "kept" } } } }
E
}
names='Ada Lovelace|[BR]ob Marley|Carl Zeppelin'
ours='"Ada Lovelace", "Bob Marley"'
shown() {
  local id=$1 one
  "$CKRUN" --json sessions log "$id" --all; "$CKRUN" sessions log "$id" --all
  "$CKRUN" sessions show "$id"; "$CKRUN" --json sessions show "$id"
  "$CKRUN" --json sessions inspect "$id"; "$CKRUN" policy explain "$id" --all
  "$CKRUN" --json resume "$id" --dry-run; "$CKRUN" resume "$id" --dry-run
  "$CKRUN" --json sessions inspect "$id" --files
  for one in html markdown; do
    "$CKRUN" sessions export "$id" --format $one -o "$dir/export.$one"
    cat "$dir/export.$one"
    rm "$dir/export.$one"
  done
}
# hidden ROAD SESSION: of no name anything is in a file of the store, or shown.
hidden() {
  is "$1: no file of the store has a name" \
    "$(grep -rlaE "$names" "$dir/store" | wc -l)" 0
  is "$1: nor has what is shown" "$(shown "$2" 2>&1 | grep -caE "$names")" 0
}
# The digest that earlier versions kept: its length, 8 bytes, before the options as JSON.
tried() {
  perl -e 'print pack("Q<", length $ARGV[0]), $ARGV[0]' "$1" | b2sum -l 256 | cut -c1-64
}
kept() { "$CKRUN" --json sessions log "$1" --all | grep -o '"options_digest":"[^"]*'; }
profile "$ours"
plain='{"list":["kept"],"pin":"7391"}'

for store in plain keyed; do
  export CKRUN_STORE=sqlite:$dir/store/$store.db
  if [ $store = keyed ]; then
    "$CKRUN" key new one.key >/dev/null 2>&1
    "$CKRUN" key new two.key >/dev/null 2>&1
    export CKRUN_KEY
    CKRUN_KEY=$(cat one.key)
  fi
  profile "$ours"
  exits 8 "$store: a session" run flow.lua --profile p.lua --session s
  hidden "$store" s
  "$CKRUN" --json sessions log s --all >log
  is "$store: what is not masked of the options is told" \
    "$(json "$(head -1 log)" '$d->{body}{input}{policies}[-1]{options}{list}[0]')" kept
  is "$store: what ckrun's own rules mask is not" \
    "$(json "$(head -1 log)" '$d->{body}{input}{policies}[-1]{options}{pin}' | cut -c1-10)" \
    '[redacted:'
  ok "$store: nor is there a digest that it can be tried against" \
    sh -c '! grep -qF "$1" log' - "$(tried "$plain")"
  exits 8 "$store: unchanged it is resumed" resume s
  profile "$ours, \"Carl Zeppelin\""
  refused 5 "$store: with one name more it is not" "of names" resume s
  profile '"Ada Lovelace", "Rob Marley"'
  refused 5 "$store: nor with another name" "of names" resume s
  has "$store: which are not told" "$(grep -cE "$names" <<<"$out$err")" 0
  profile "$ours" 7392
  refused 5 "$store: nor with another secret" "plain" resume s
  profile "$ours" 7391 "another comment"
  if [ $store = plain ]; then
    refused 5 "$store: nor with another text of the profile, of which it cannot be told" \
      "whether the options of names are the same cannot be told" resume s
  else
    exits 8 "$store: but with another text of the profile" resume s
    exits 0 "$store: the key is changed" key rotate --new-key file:two.key
    CKRUN_KEY=$(cat two.key)
    exits 8 "$store: and under another key" resume s
  fi
  profile '"Ada Lovelace", "Rob Marley"'
  exits 8 "$store: when it is accepted it goes on" resume s --accept-changed
  hidden "$store: accepted" s
  exits 8 "$store: unchanged since" resume s
  profile "$ours"
  exits 8 "$store: options of one run" run flow.lua --profile p.lua --session of_run \
    --option "names.names=[${ours/, /,},\"Carl Zeppelin\"]"
  hidden "$store: of one run" of_run
  exits 5 "$store: are asked for again" resume of_run
  has "$store: by name" "$err" "option names of names was"
  exits 8 "$store: given again they are taken" resume of_run \
    --option "names.names=[${ours/, /,},\"Carl Zeppelin\"]"
  hidden "$store: given again" of_run
  exits 0 "$store: the store is whole" store verify
done
unset CKRUN_KEY
export CKRUN_STORE=sqlite:$dir/store/plain.db
sed -i 's/pin = /sin = /' p.lua plain.lua
exits 8 "an option that nothing masks" run flow.lua --profile p.lua --session open
has "the profile is not kept, for it has the names" "$err" \
  "p.lua holds what the policies mask: it is not kept in the store"
has "has the digest that the attack tries" "$(kept open)" \
  "$(tried '{"list":["kept"],"sin":"7391"}')"
finish
