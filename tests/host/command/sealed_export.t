#!/bin/bash
# sealed_export.t - an export that is sealed opens with its key alone: changed, cut or with another
# key it is refused by name, and nothing of it is taken.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
unset CKRUN_KEY CKRUN_KEY_COMMAND
export CKRUN_STORE=sqlite:$dir/s.db
"$CKRUN" key new share.key >/dev/null && "$CKRUN" key new other.key >share.id

printf '%s\n' 'return require "ck.flow".custom { name = "told", run = function(ctx)' \
  '  ctx.effect { kind = "exec", class = "pure", request = { argv = { "echo", "canaryword" } } }' \
  'end }' >told.lua
exits 0 "a session" run told.lua --session told
exits 1 "a run that fails in its fifth turn" run "$flow" --session failed --cassette <(
  perl -pe 's/"name":"/"name":"not_/ if /"kind":"tool"/ && ++$n == 4' "$cassette")
exits 0 "and the whole of it" run "$flow" --cassette "$cassette" --session whole

# ---- what is exported ----
# What an html is made of has the time at which it was.
for format in cassette html markdown; do
  of=$([ $format = cassette ] && echo failed || echo told)
  word=$([ $format = cassette ] && echo Portugal || echo canaryword)
  exits 0 "$format, sealed" sessions export $of --format $format --seal-key file:share.key -o \
    $format.sealed
  "$CKRUN" sessions export $of --format $format -o $format.plain
  ok "$format: holds the word, as it is" grep -q "$word" $format.plain
  is "$format: not so when sealed" "$(grep -ci "$word\|ckrun" $format.sealed)" 0
  is "$format: its owner alone reads it" "$(stat -c %a $format.sealed)" 600
  exits 0 "$format: it opens" key unseal $format.sealed --seal-key file:share.key -o $format.open
  ok "$format: and holds it again" grep -q "$word" $format.open
  [ $format = html ] || ok "$format: it is the same" cmp $format.plain $format.open
done
exits 0 "to a pipe" sessions export told --format markdown --seal-key file:share.key
ok "it is sealed, too" grep -qa '^CKEXPORT' "$dir/out"
exits 0 "a recording is played from it" run "$flow" --session again --cassette <(
  "$CKRUN" sessions export whole --format cassette --seal-key file:share.key >whole.sealed
  "$CKRUN" key unseal whole.sealed --seal-key file:share.key)

# ---- keys ----
refused 2 "without a key" "--seal-key file:PATH" sessions export told --format markdown --seal
refused 2 "the key itself" "never the key itself" sessions export told --format markdown \
  --seal-key "$(cat share.key)" -o none
refused 2 "an archive" "key rotate" sessions export told --format archive --seal-key \
  file:share.key -o none
refused 4 "a key that is not there" "file:none cannot be opened" sessions export told --format \
  markdown --seal-key file:none -o none
ok "nothing was written" test ! -e none
for variable in env:SHARED command:cat\ share.key; do
  SHARED=$(cat share.key) exits 0 "a key by ${variable%%:*}" key unseal markdown.sealed \
    --seal-key "$variable"
  is "${variable%%:*}: opens it" "$(cat "$dir/out")" "$(cat markdown.plain)"
done
sealed=sqlite:$dir/sealed.db
exits 0 "in a store with a key" --store "$sealed" --key file:share.key run told.lua --session told
exits 0 "--seal takes that key" --store "$sealed" --key file:share.key sessions export told \
  --format markdown --seal -o own.sealed
exits 0 "and the store's key opens it" --key file:share.key key unseal own.sealed
has "as it was" "$out" canaryword

# ---- what is imported ----
exits 0 "a checkpoint, sealed" sessions export failed --format run-checkpoint --seal-key \
  file:share.key -o run.sealed
"$CKRUN" sessions export failed --format run-checkpoint -o run.json
rows() { "$CKRUN" --json sessions list | sort; }
before=$(rows)
take() { run sessions import "$1" --resume-with "$flow" "${@:2}"; }
import() { refused "$1" "$2" "$3" sessions import "$4" --resume-with "$flow" "${@:5}"; }
import 4 "without the key" "is sealed with the key" run.sealed
import 4 "with another key" "the key given by file:other.key is" run.sealed --seal-key \
  file:other.key
import 2 "what is not sealed" "run.json is no sealed export" run.json --seal-key file:share.key
import 2 "what is no checkpoint" "of no checkpoint" markdown.sealed --seal-key file:share.key
import 2 "two at once" "one at a time" run.sealed run.sealed --seal-key file:share.key
import 2 "as another format" "ckrun key unseal" run.sealed --format codex --seal-key file:share.key
refused 4 "opened with another key" "the key given by file:other.key is" key unseal run.sealed \
  --seal-key file:other.key -o none
refused 2 "opened, what is not sealed" "no sealed export" key unseal run.json --seal-key \
  file:share.key -o none

# damaged NAME OFFSET: a byte of the file is another one.
damaged() {
  perl -0777 -pe 'substr($_, $ENV{AT}, 1) ^= "\x01"' run.sealed >"$1"
}
size=$(stat -c %s run.sealed)
taken=0 wrong=0
# mark, id of the key, mark and header of the stream, length and text of a piece, its end
for at in 8 15 16 23 24 47 48 51 52 100 $((size / 2)) $((size - 17)) $((size - 1)); do
  AT=$at damaged bad
  take bad --seal-key file:share.key
  [ "$code" = 7 ] || { [ "$at" -lt 16 ] && [ "$code" = 4 ]; } || { wrong=$((wrong + 1))
    echo "# byte $at: exit $code, $err" >&2; }
  run key unseal bad --seal-key file:share.key -o none
  [ "$code" != 0 ] && [ ! -e none ] || taken=$((taken + 1))
done
is "a byte that was changed anywhere is told" "$wrong" 0
for cut in 0 4 8 12 16 30 48 50 60 $((size / 2)) $((size - 1)); do
  head -c "$cut" run.sealed >bad
  take bad --seal-key file:share.key --format run-checkpoint
  [ "$code" != 0 ] || wrong=$((wrong + 1))
  run key unseal bad --seal-key file:share.key -o none
  [ "$code" != 0 ] && [ ! -e none ] || taken=$((taken + 1))
done
{ cat run.sealed; printf x; } >bad
take bad --seal-key file:share.key
is "one with more behind it, too" "$code $wrong" "7 0"
has "says what became of it" "$err" "was changed or cut since it was written: nothing is taken"
{ head -c 16 run.sealed; tail -c +17 markdown.sealed; } >bad
take bad --seal-key file:share.key
has "one that was put together is told apart" "$err" "of no checkpoint"
is "none of these was opened" "$taken" 0
is "and nothing was imported" "$(rows)" "$before"

take run.sealed --seal-key file:share.key --session there
is "whole and with its key it is" "$code $out" "0 there"
take run.json
has "the same document is known again when it is not sealed" "$err" "session there"
is "and is left as it is" "$code" 5
finish
