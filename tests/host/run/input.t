#!/bin/bash
# input.t - bad input is refused with file, position and cause, and nothing is made or changed by
# it.
. "$(dirname "$0")/../tap.sh"

printf 'return {\n  name = = "x" }\n' >"$dir/broken.lua"
printf 'error("no")\n' >"$dir/raises.lua"
printf 'return 42\n' >"$dir/number.lua"
printf '{"cassette":1}\n{"scope":"main","kind":"ask" "answer":"x"}\n' >"$dir/broken.jsonl"
printf '{"cassette":99}\n' >"$dir/newer.jsonl"
printf 'return { name = "p", constrains = {} }\n' >"$dir/typo.lua"

refused 2 "a flow that does not parse" "broken.lua:2:" run "$dir/broken.lua"
refused 2 "a flow that raises" "raises.lua:1:" run "$dir/raises.lua"
refused 2 "a flow that is none" "number.lua" run "$dir/number.lua"
refused 3 "a flow that is not there" "absent.lua" run "$dir/absent.lua"
refused 5 "a flow that is a folder" "not a regular file" run "$dir"
refused 3 "a cassette that is not there" "absent.jsonl" run "$flow" --cassette "$dir/absent.jsonl"
refused 2 "an input without an end" "larger than" run "$flow" --cassette "$cassette" --input \
  @/dev/zero
refused 2 "an index out of range" "#7" run "$flow" --cassette "$cassette#7"
refused 2 "a malformed cassette" "line 2: malformed JSON at byte 29" run "$flow" --cassette \
  "$dir/broken.jsonl"
refused 2 "a newer cassette" "99" run "$flow" --cassette "$dir/newer.jsonl"
exits 5 "a model without a cassette" run "$flow"
has "is told with the remedy" "$err" "--cassette"
refused 3 "an unknown profile" "nowhere" run "$flow" --cassette "$cassette" --profile nowhere
refused 2 "a profile with a typo" "constraints" run "$flow" --cassette "$cassette" --profile \
  "$dir/typo.lua"
refused 2 "input that is not JSON" "--input" run "$flow" --cassette "$cassette" --input '{"a":}'
refused 2 "a text without its quotes" \
  $'--input: malformed JSON at byte 0: expected a value; a text needs quotes: \'"hello"\'' \
  run "$flow" --cassette "$cassette" --input hello
ok "an object is not told so" test -z "$(grep quotes <<<"$("$CKRUN" run "$flow" --cassette \
  "$cassette" --input '{"a":}' 2>&1)")"
refused 3 "input from a file that is not there" "absent.json" run "$flow" --cassette "$cassette" \
  --input "@$dir/absent.json"
ok "nothing was made by all this" test ! -e "$dir/store"

long=$(printf 'x%.0s' {1..65})
for id in '' ../x a/b 'a b' "$long" $'a\nb' 'ü' '*' '$(id)' ..; do
  shown=$(printf '%q' "$id" | cut -c1-20)
  refused 2 "run --session $shown" "an id is 1 to 64 of" run "$flow" --cassette "$cassette" \
    "--session=$id"
  for command in resume resolve "sessions show" "sessions checkpoints" "sessions inspect" \
    "sessions log"; do
    exits 2 "$command $shown" $command -- "$id"
  done
  exits 2 "store verify $shown" store verify "--session=$id"
  exits 2 "resume --checkpoint $shown" resume abc "--checkpoint=$id"
done
ok "nothing was made by ids" test ! -e "$dir/store"

for command in resume resolve "sessions show" "sessions checkpoints" "sessions inspect" \
  "sessions log" "store verify --session"; do
  refused 3 "$command of an unknown session, no store" "" $command unknown
done
ok "no store was made" test ! -e "$dir/store"
exits 0 "a run makes the store and its folders" run "$flow" --cassette "$cassette" --session known
ok "the store is there" test -s "$dir/store/ckrun.db"
is "only its owner may read it" "$(stat -c %a "$dir/store" "$dir/store/ckrun.db" | tr '\n' ' ')" \
  "700 600 "
for command in resume resolve "sessions show" "sessions checkpoints" "sessions inspect" \
  "sessions log" "store verify --session"; do
  refused 3 "$command of an unknown session" "unknown" $command unknown
done
refused 5 "a session id that is taken" "known" run "$flow" --cassette "$cassette" --session known
refused 3 "an unknown checkpoint" "nowhere" sessions inspect known --checkpoint nowhere
refused 2 "a result without done" "--result" resolve known main/x retry --result 1
refused 2 "an effect without a verdict" "done, retry or abort" resolve known main/x
refused 2 "an unknown verdict" "done" resolve known main/x doen
refused 3 "an effect that is not in doubt" "main/x" --json resolve known main/x done

# Files that are no stores.
while IFS='|' read -r name url text; do
  refused 2 "$name" "$text" --store "$url" sessions list
done <<LIST
a store of another kind|redis://localhost|a store is sqlite:PATH, postgres://… or memory:
a store that is a word|ckrun|a store is sqlite:PATH, postgres://… or memory:, or a path: ./ckrun
a store without a path|sqlite:|a store is sqlite:PATH, postgres://… or memory:
an empty store||a store is sqlite:PATH, postgres://… or memory:
LIST
echo "this is no database, but long enough to be read as one: $(seq 1 999)" >"$dir/text.db"
cp "$dir/text.db" "$dir/text.copy"
for command in "sessions list" "store stats" "store verify" "resume x" \
  "run $flow --cassette $cassette"; do
  refused 74 "$command on a file that is no database" "$dir/text.db" --store "$dir/text.db" $command
done
ok "the file is as it was" cmp -s "$dir/text.db" "$dir/text.copy"
mkdir "$dir/folder.db"
refused 74 "a store that is a folder" "folder.db" --store "$dir/folder.db" run "$flow" --cassette \
  "$cassette"
refused 74 "a store below a file" "text.db" --store "$dir/text.db/x/y.db" run "$flow" --cassette \
  "$cassette"
refused 3 "a named store that is not there" "absent.db" --store "$dir/absent.db" sessions list
ok "it was not made" test ! -e "$dir/absent.db"
CKRUN_STORE=redis: refused 2 "a bad CKRUN_STORE" "CKRUN_STORE" sessions list
(unset CKRUN_STORE; HOME=; exec "$CKRUN" sessions list) >/dev/null 2>&1
is "no place for a store" "$?" 2
unset CKRUN_STORE
mkdir -p "$dir/home"
exits 0 "a list before the first session" sessions list
is "is empty" "$out" ""
has "and says how to begin" "$err" "ckrun run"
export XDG_STATE_HOME=$dir/state
exits 0 "a run in the user's state folder" run "$flow" --cassette "$cassette"
ok "the store is there" test -s "$dir/state/ckrun/ckrun.db"
finish
