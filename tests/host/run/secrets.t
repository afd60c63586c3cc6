#!/bin/bash
# secrets.t - secrets are given by reference: all missing ones are reported at once, before anything
# is made or changed, and values that were read are shown nowhere.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
unset BANK_KEY MAIL_KEY SLOT_KEY

cat >keys.lua <<'END'
return { name = "keys", extends = "default",
  secrets = { bank = "env:BANK_KEY", mail = "env:MAIL_KEY", door = "file:door.key" } }
END
cat >more.lua <<'END'
return { name = "more", extends = "./keys.lua", secrets = { mail = "file:/no/such/mail.key" } }
END
cat >slots.lua <<'END'
return { name = "slots", extends = "default", secrets = { mail = "file:mail.key" },
  policies = { "tool_rounds", { "redact_keys", keys = { bank = "env:SLOT_KEY" } } } }
END
# Takes its input, which has a secret reference, into memory; pauses once; shows its memory.
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "slots", run = function(ctx)
  if not ctx.position then
    ctx.memory.bank = "a-long-value-" .. "of-the-bank"
    ctx.boundary("tool_round", { position = { path = "kept#1" } })
    ctx.pause("wait")
  end
  local same = ctx.memory.bank == "real-value-" .. "of-the-bank"
  ctx.outputs.seen = { bank = ctx.memory.bank, same = same }
  return same
end }
END

exits 0 "profile show" profile show more.lua
has "shows the reference" "$out" "secrets.bank	env:BANK_KEY	extends	$(realpath keys.lua)"
has "an inherited file's from its own folder" "$out" \
  "secrets.door	file:$(realpath .)/door.key	extends	$(realpath keys.lua)"
has "the one that replaces another" "$out" \
  "secrets.mail	file:/no/such/mail.key	profile	$(realpath more.lua)"
BANK_KEY=value-of-the-bank exits 0 "profile show with the variable set" profile show more.lua
is "shows no value" "$(grep -c value-of-the-bank <<<"$out$err")" 0

exits 4 "run without its secrets" run flow.lua --profile ./more.lua --session s
has "names the variable" "$err" 'secret "bank": env:BANK_KEY is not set: set it, then try again'
has "and the file" "$err" "secret \"door\": file:$(realpath \
  .)/door.key cannot be opened (No such file or directory): fix that, then try again"
has "and the other" "$err" 'secret "mail": file:/no/such/mail.key'
has "and how many" "$err" "3 problems"
ok "no store is made" test ! -e store
exits 4 "as JSON" --json run flow.lua --profile ./more.lua --session s
has "one document names them all" "$(json "$err" '$d->{error}{text}')" 'secret "mail"'
mkdir door.key
BANK_KEY=x MAIL_KEY='' exits 4 "a folder, an empty one and a short one" run flow.lua --profile \
  ./keys.lua --session s
has "no file" "$err" "door.key is no regular file"
has "empty" "$err" "env:MAIL_KEY is empty"
has "too short" "$err" 'secret "bank" is shorter than 4 bytes'
ok "still no store" test ! -e store
rmdir door.key
printf 'key-of-the-door\n' >door.key
BANK_KEY=value-of-the-bank MAIL_KEY=value-of-the-mail exits 8 "with all of them" run flow.lua \
  --profile ./keys.lua --session s --input '"the key-of-the-door"'
exits 0 "what was given as input" --json sessions show s
has "is masked" "$(json "$out" '$d->{input}{input}')" '[redacted:door:'

# What a session stops for is kept with it, too.
cat >told.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "told", run = function(ctx)
  local why = "it opens with key-of-the-" .. "door"
  if ctx.input == "pause" then ctx.pause(why) end
  error(why)
end }
END
export BANK_KEY=value-of-the-bank MAIL_KEY=value-of-the-mail
exits 8 "a pause that tells a secret" run told.lua --profile ./keys.lua --session pauses \
  --input '"pause"'
has "is masked" "$("$CKRUN" sessions show pauses)" "it opens with [redacted:door:"
exits 1 "a failure that tells one" run told.lua --profile ./keys.lua --session fails
has "is masked, too" "$("$CKRUN" sessions show fails)" "it opens with [redacted:door:"
is "neither is in the store" "$(grep -rlF key-of-the-door store | wc -l)" 0
unset BANK_KEY MAIL_KEY

# Secrets that a resume finds missing, with nothing changed.
state() { "$CKRUN" --json sessions show "$1"; "$CKRUN" --json sessions log "$1" --all; }
state s >before
exits 4 "resume without them" resume s
has "names one" "$err" "problem: secret \"bank\": env:BANK_KEY is not set"
has "and the other" "$err" "problem: secret \"mail\": env:MAIL_KEY is not set"
exits 4 "a dry run without them" --json resume s --dry-run
is "lists both" "$(json "$out" 'scalar(@{$d->{problems}})')" 2
state s >after
ok "nothing was changed" cmp before after
BANK_KEY=value-of-the-bank exits 4 "resume without the second" resume s
has "names it" "$err" \
  'session s cannot be resumed: secret "mail": env:MAIL_KEY is not set: set it, then try again'
state s >after
ok "and again nothing was changed" cmp before after

printf 'key-of-the-mail' >mail.key
exits 8 "a session whose policy makes a reference" run flow.lua --profile ./slots.lua --session slot
exits 0 "what was kept" --json sessions inspect slot
ok "is the reference" grep -q 'ckrun.ref.*env:SLOT_KEY' <<<"$out"
is "not the value" "$(grep -c a-long-value <<<"$out")" 0
state slot >before
exits 4 "resume without the variable" resume slot
missing='secret "memory.bank": env:SLOT_KEY is not set: set it, then try again'
has "names key and variable" "$err" "session slot cannot be resumed: $missing"
exits 4 "a dry run, too" resume slot --dry-run
state slot >after
ok "epoch, timelines and events are what they were" cmp before after
SLOT_KEY=real-value-of-the-bank exits 0 "with it the session goes on" resume slot
has "and the flow has the real value" "$out" "true"
exits 0 "what the session has become" --json sessions inspect slot
is "still holds none" "$(grep -c real-value-of <<<"$out")" 0
has "but its mask, wherever else it was put" "$out" '[redacted:memory.bank:'
is "and no file of the store" "$(grep -rlF -e real-value-of -e key-of-the-door -e value-of-the \
  store | wc -l)" 0

# A person who settles an effect needs none of the secrets.
cat >once.lua <<END
local flow = require "ck.flow"
local die = flow.command { argv = { "$dir/die" }, class = "once" }
return flow.custom { name = "once", tools = { die = die }, run = function(ctx)
  if not ctx.position then
    ctx.memory.bank = "a-long-value-" .. "of-the-bank"
    ctx.boundary("tool_round", { position = { path = "kept#1" } })
  end
  ctx.effect { kind = "tool", class = "once",
    request = { name = "die", index = 0, arguments = {} } }
  return ctx.memory.bank == "real-value-" .. "of-the-bank"
end }
END
killer die
exits 137 "a tool of class once kills it" run once.lua --profile ./slots.lua --session doubt
SLOT_KEY=real-value-of-the-bank exits 75 "a resume is in doubt" resume doubt
key=$("$CKRUN" --json resolve doubt | perl -ne 'print $1 if /"effect":"([^"]+)"/')
mv mail.key away.key
exits 0 "resolve needs no secret" resolve doubt
mv away.key mail.key
SLOT_KEY=real-value-of-the-bank exits 0 "it hides what there is" resolve doubt "$key" done \
  --result '["real-value-of-the-bank", "key-of-the-mail"]'
exits 0 "in what was kept" --json sessions log doubt --all
is "no secret of a result" "$(grep -cE 'real-value-of|key-of-the-mail' <<<"$out")" 0
has "but its mask" "$out" '[redacted:mail:'
exits 4 "the resume does need them" resume doubt
SLOT_KEY=real-value-of-the-bank exits 0 "and goes on" resume doubt
has "with the real value" "$out" "true"
# Base64 and base64url have other digits for it; each is masked, inside of base64, too.
cat >coded.lua <<'END'
return require "ck.flow".exec { env = { S = { ref = "env:BANK_KEY" } }, argv = { "sh", "-c", [[
  once() { printf %s "$S" | base64 -w0; }
  url() { once | tr +/ -_ | tr -d =; }
  once; printf ";"; url; printf ";"; once | base64 -w0; printf ";"; url | base64 -w0; printf ";"
  url | base64 -w0 | tr -d =
]] } }
END
echo 'return { name = "one", extends = "default", secrets = { bank = "env:BANK_KEY" } }' \
  >one.lua
BANK_KEY='key>>>of???door' exits 0 "with the secret" --json run coded.lua --profile ./one.lua \
  --session told-coded
is "says it five times, once and twice coded, masked" "$(json "$out" '$d->{result}{stdout}' |
  sed 's/\[redacted:bank:0*\]=*/MASKED/g')" \
  "MASKED;MASKED;MASKED;MASKED;MASKED"
finish
