#!/bin/bash
# scrub.t - a secret is taken out of what is stored by what a person says of it; a session goes on
# from what is left and does nothing twice; what could not be changed is told. That no byte of it
# stays, in any spelling and after any kill: tests/crash/scrub.t.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
umask 077
secret=horse-battery-7319
echo "$secret" >secret
scrub() { run sessions scrub "$@" --yes; }
left() { grep -aoF -- "${1:-$secret}" store/ckrun.db* 2>/dev/null | wc -l; }
lines_of() { grep -c '' "$1" 2>/dev/null || echo 0; }

# ---- what is refused ----

cat >word.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "word", run = function(ctx)
  ctx.memory.word = ctx.input
  ctx.boundary("tool_round", { position = { path = ctx.position and "again" or "said" } })
  ctx.pause("here")
end }
END
exits 8 "a session" run word.lua --session plain --input "\"say $secret\""
exits 8 "another one" run word.lua --session other --input "\"say $secret, too\""
refused 2 "nothing that is secret" "say what is secret" sessions scrub plain
refused 2 "no session" "either a session or --all" sessions scrub --secret-file secret
refused 2 "a session and all" "either a session or --all" sessions scrub plain --all --secret-file \
  secret
refused 3 "a session that is not there" "there is no session nobody" sessions scrub nobody \
  --secret-file secret
refused 2 "a pattern that is none" "missing closing parenthesis" sessions scrub plain --pattern '(a'
refused 2 "a pattern that matches nothing at all" "matches an empty text" sessions scrub plain \
  --pattern 'x*'
refused 2 "a pattern that matches too little" "a text of 3 bytes" sessions scrub plain --pattern say
refused 2 "a name without letters" "--key 12" sessions scrub plain --key 12
printf 'ab\n' >short
refused 2 "a secret that is too short" "short holds a secret of 2 bytes" sessions scrub plain \
  --secret-file short
refused 4 "a file that is not there" "gone" sessions scrub plain --secret-file gone
is "nothing of this has changed anything" \
  "$("$CKRUN" sessions log --json plain | grep -c scrubbed)" 0
exits 0 "and nothing is said to be unfinished" store verify

# ---- what is told ----

exits 0 "a dry run" --json sessions scrub plain --secret-file secret --dry-run
dry=$out
ok "counts and changes nothing" test "$(left)" -gt 2
digests() { "$CKRUN" --json sessions checkpoints plain | grep -o '"digest":"[^"]*"' | sort; }
before=$(digests)
exits 0 "the same" --json sessions scrub plain --secret-file secret --yes
is "does what it said" "$out" "$dry"
is "by places" "$(json "$out" 'join " ", @$d{qw(sessions inputs values names_left spill_files)}')" \
  "1 1 1 0 0"
run --json sessions log plain --kind scrubbed
is "and is an event, by which rule and how much" "$(json "$out" 'join " ", $d->{kind},
  @{$d->{body}{rules}}, $d->{body}{counts}{inputs}')" "scrubbed secret-file 1"
ok "which does not say what" test "$(grep -c "$secret" <<<"$out")" = 0
is "no digest stays that the secret could be tried against" \
  "$(comm -12 <(echo "$before") <(digests) | wc -l) $(digests | wc -l)" "0 2"
has "the other session is as it was" "$("$CKRUN" sessions inspect other)" "$secret"
exits 0 "all is well" store verify
scrub --all --secret-file secret
is "all sessions: none has it" "$code $(left)" "0 0"

# ---- sessions that were forked from each other ----

# family NAME: a session, a fork of it, and one of that, each with a word of its own.
family() {
  run run word.lua --session "$1" --input "\"say $secret\""
  run sessions fork "$1" --session "$1-fork" --set "own=$secret"
  run sessions fork "$1-fork" --session "$1-twig" --set "mine=$secret"
}
for member in a b-fork c-twig; do
  family "${member%%-*}"
  exits 0 "$member: scrubbed" --json sessions scrub "$member" --secret-file secret --yes
  is "$member: with all that are related to it" "$(json "$out" '$d->{sessions}') $(left)" "3 0"
  exits 0 "$member: all is well" store verify
done
run resume a-twig
is "a fork goes on" "$code" 8
exits 0 "and all is well" store verify

# ---- effects: an outside counter tells what was done ----

# A once effect whose arguments hold the secret, and a kill behind it before the next checkpoint.
# The words of the flow do not change; those of the state do.
cat >pay.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "pay", run = function(ctx)
  if not ctx.position then
    ctx.memory.word = ctx.input.word
    ctx.boundary("tool_round", { position = { path = "said" } })
  end
  local said = ctx.input.own and ctx.input.own or ctx.memory.word
  local script = ctx.input.dies and "echo \"$0\" >>paid; kill -9 $PPID" or "echo \"$0\" >>paid"
  local made = ctx.effect { kind = "exec", class = "once",
    request = { argv = { "sh", "-c", script, said } } }
  ctx.effect { kind = "exec", class = "pure", request = { argv = { "sh", "-c",
    "[ -e died ] || { : >died; kill -9 $PPID; }" } } }
  return made.status
end }
END
# pays NAME INPUT: killed behind the payment, scrubbed, resumed.
pays() {
  rm -f paid died
  "$CKRUN" run pay.lua --session "$1" --input "$2" >/dev/null 2>&1
  is "$1: paid once, then killed" "$(lines_of paid)" 1
  exits 0 "$1: scrubbed" sessions scrub "$1" --secret-file secret --yes
  is "$1: nothing is left" "$(left)" 0
  run resume "$1"
}
pays kept "{\"word\":\"$secret\"}"
is "asked for with the placeholder it is the same: replayed, and the session ends" \
  "$code $(lines_of paid)" "0 1"
exits 0 "kept: all is well" store verify
pays doubtful "{\"word\":\"$secret\",\"dies\":true}"
is "one that was begun stays in doubt" "$code $(lines_of paid)" "75 1"
effect=$(json "$("$CKRUN" --json resolve doubtful)" '$d->{effect}')
exits 0 "doubtful: a person says that it was done" resolve doubtful "$effect" done
rm -f died && : >died
exits 0 "doubtful: and it goes on" resume doubtful
is "doubtful: without doing it" "$(lines_of paid)" 1
sed "s/ctx.input.own and ctx.input.own/ctx.input.own and \"$secret\"/" pay.lua >own.lua
mv own.lua pay.lua
rm -f paid died
"$CKRUN" run pay.lua --session own --input '{"own":true}' >/dev/null 2>&1
is "own: a flow that has it in its text, paid and killed" "$(lines_of paid)" 1
scrub own --secret-file secret
is "own: scrubbed, and its kept text is gone" "$code $(cell "$out" files) $(left)" "0 1 0"
run resume own
ok "own: asked for with the secret it is another request: the session stops" test "$code" != 0
is "own: rather than doing it again" "$(lines_of paid)" 1
run --json sessions show own
ok "own: and says so" grep -qE 'CK_E_DIVERGED|in_doubt|diverge' <<<"$out"

# A model's answer that was paid for is not asked for again, though what it was told has changed.
cp "$root"/examples/crash/{flow.lua,cassette.jsonl,book,mail} .
"$CKRUN" run flow.lua --cassette cassette.jsonl --session trip >/dev/null 2>&1
echo KL1234 >flight
exits 0 "trip: scrubbed" sessions scrub trip --secret-file flight --yes
run resume trip
has "trip: its answer is replayed" "$err" "replayed    main/agent#2/model/1"
is "trip: and the flight is booked once" "$(grep -c KL1234 bookings)" 1

# ---- what else is said to be secret ----

cat >settings.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "settings", run = function(ctx)
  ctx.memory.given = ctx.input
  ctx.memory.text = ctx.input.text
  ctx.memory.pin_code = 4711
  ctx.boundary("tool_round", { position = { path = "said" } })
  ctx.pause("here")
end }
END
run run settings.lua --session named --input '{"phone":"0171 2345","deep":{"home_phone":99321},
  "text":"{\"phone\":\"0171 9999\",\"city\":\"Oslo\"}","city":"Bergen"}'
scrub named --key phone --key pin_code
run sessions inspect named
is "under a name: texts, numbers, in texts that hold JSON, names of the state" \
  "$code $(grep -cE '0171|99321|4711' <<<"$out") $(left '0171 2345')" "0 0 0"
ok "and nothing else" grep -q 'Oslo.*Bergen\|Bergen.*Oslo' <<<"$(tr '\n' ' ' <<<"$out")"
coded=$(printf 'AKQ-55512' | base64)
run run settings.lua --session coded --input \
  "{\"text\":\"AKQ-55512 and AKQ-90817\",\"b\":\"$coded\"}"
scrub coded --pattern 'AKQ-[0-9]+'
is "what a pattern matches goes in its encodings, too" \
  "$code $(left AKQ-) $(left "${coded%=*}")" "0 0 0"
printf 'one line of the letter\nanother line of it\n' >letter
run run settings.lua --session letter --input '{"text":"he wrote: another line of it."}'
scrub letter --file letter
is "a file: each of its long lines" "$code $(left 'another line of it')" "0 0"

# ---- what stays, and is told ----

run run word.lua --session "about-$secret" --input '"x"'
exits 5 "a session's name cannot change" sessions scrub "about-$secret" --secret-file secret --yes
has "it is told" "$err" "it still stands in 1 names"
is "and counted" "$(cell "$out" names_left)" 1
is "and not said" "$(grep -c "$secret" <<<"$out$err")" 0
has "and where is told" "$out" "left	id of session about-[redacted:scrubbed:"
exits 0 "it goes with the session" sessions delete "about-$secret" --yes
cat >names.lua <<END
local flow = require "ck.flow"
return flow.custom { name = "names", run = function(ctx)
  ctx.memory["of $secret"] = 1
  ctx.facts.put("for $secret", true)
  ctx.boundary("tool_round", { position = { path = "said" } })
  ctx.memory["of $secret"] = 2
  ctx.boundary("tool_round", { position = { path = "again" } })
end }
END
exits 0 "keys and facts that are named after it" run names.lua --session names --input '"x"'
run sessions scrub names --secret-file secret --yes
is "stay, and it is told of which session and since when" "$code $(grep -E '^left' <<<"$out" |
  cut -f2 | sort | tr '\n' '+')" "5 fact+key of session names, first at seq 4, 3 times+"
run --json sessions scrub names --secret-file secret --yes
is "in JSON, too" "$(json "$out" 'join " ", map { "$_->{what}:$_->{count}" }
  sort { $a->{what} cmp $b->{what} } @{$d->{left}}') $(cell "$(json "$out" \
  '"names\t$d->{names_left}"')" names)" "fact:1 key:3 4"
exits 0 "they go with the session" sessions delete names --yes
exits 0 "and with the fact" facts delete "for $secret"
is "all of it" "$(left "of $secret") $(left "for $secret")" "0 0"
# The store's key is given as everywhere else, also behind the command.
exits 0 "a key" key new own.key
exits 8 "a sealed store" --store sealed.db --key file:own.key run word.lua --session shut --input \
  "{\"phone\":\"0171 2345\"}"
exits 0 "opened by a key in front" --store sealed.db --key file:own.key sessions scrub shut --key \
  phone --yes
is "what stood under the name went" "$(cell "$out" values)" 1
exits 0 "and behind" --store sealed.db sessions scrub shut --key phone --key file:own.key --yes
is "nothing is left to do" "$(cell "$out" values)" ""
refused 2 "a name is no key of a store" "never the key itself" --store sealed.db --key phone \
  sessions list

sed "1i -- $secret" word.lua >noted.lua
exits 8 "a flow with it in its text" run noted.lua --session first --input '"x"'
exits 8 "that two sessions ran" run noted.lua --session second --input '"y"'
scrub first --secret-file secret
is "of one session it stays for the other one" "$code $(cell "$out" files_left)" "5 1"
exits 0 "verify misses nothing" store verify
exits 8 "a third one" run noted.lua --session third --input '"z"'
run sessions scrub --all --secret-file secret --dry-run
is "of all a dry run counts each once: it, and what a resume has kept again" \
  "$code $(cell "$out" files)$(cell "$out" files_left)" "0 2"
scrub --all --secret-file secret
is "of all it goes" "$code $(cell "$out" files)$(cell "$out" files_left) $(left)" "0 2 0"
exits 0 "verify takes it for withheld" store verify
exits 0 "and it can be run again from its file" resume first --dry-run

mkfifo up go
cat >hold.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "-c", "echo >up; read x <go" } }
END
run run word.lua --session rest --input "\"say $secret\""
"$CKRUN" run hold.lua --session busy --input "\"$secret\"" >/dev/null 2>&1 &
read -r _ <up
refused 76 "a session that is being run" "busy" sessions scrub busy --secret-file secret --yes
run --json sessions scrub --all --secret-file secret --yes
is "of all it is left out, and named" \
  "$code $(json "$out" 'join " ", map { $_->{id} } @{$d->{refused}}' 2>/dev/null)" "76 busy"
has "the others are scrubbed" "$("$CKRUN" sessions inspect rest)" "[redacted:scrubbed:"
echo >go
wait
scrub --all --secret-file secret
is "afterwards it is, too" "$code $(left)" "0 0"

# ---- damage is not hidden behind new digests ----

run run word.lua --session hurt --input "\"say $secret\""
sqlite3 store/ckrun.db "UPDATE event SET body = CAST(replace(CAST(body AS TEXT), 'said', 'sang') AS
  BLOB) WHERE session = (SELECT no FROM session WHERE id = 'hurt')"
exits 7 "a session that was changed by somebody" sessions scrub hurt --secret-file secret --yes
has "is named" "$err" "session hurt is damaged"
exits 7 "and still damaged" store verify
finish
