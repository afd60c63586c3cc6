#!/bin/bash
# init.t - init makes a project whose printed commands all run as they are printed; it writes over
# nothing, and makes all of its files or none.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
mkdir bin && ln -s "$CKRUN" bin/ckrun
export PATH=$dir/bin:$PATH
names="cassette.jsonl flow.lua policy.lua policy_test.lua profile.lua"

exits 0 "a project" init "it's mine"
is "its files" "$(cd "it's mine" && echo *)" "$names"
is "five commands are printed" "$(grep -c . <<<"$out")" 5
cp "$dir/out" commands
# Each line as it stands, in one shell, for the first one changes the folder.
while IFS= read -r command; do
  eval "$command" >"$dir/ran" 2>&1 </dev/null
  is "'$command' runs" "$?" 0
  case $command in
    "ckrun run"*) has "to its end" "$(cat "$dir/ran")" "completed" ;;
    "ckrun sessions show"*) has "and is shown" "$(cat "$dir/ran")" '$0.026' ;;
    "ckrun policy explain"*) has "its policy took checkpoints" "$(cat "$dir/ran")" 'spent $0.012' ;;
    "ckrun policy test"*) has "its test passes" "$(cat "$dir/ran")" "test_little" ;;
  esac
done <commands
for check in "profile check ./profile.lua" "policy check policy.lua"; do
  exits 0 "$check finds no mistake" $check
done
is "the tool was called" "$("$CKRUN" --json sessions show latest |
  grep -o '"tool_calls":[0-9]*' | head -1)" '"tool_calls":2'
refused 5 "without the recording and a model it says what is missing" "add models" \
  run flow.lua --profile ./profile.lua
sed 's/^ *-- \(secrets\|models\|  default\|    price\|},\)/\1/' profile.lua >keyed.lua
sed -i 's|-- dollars.*||' keyed.lua
OPENAI_API_KEY=none exits 0 "the model that it proposes is a model" profile check ./keyed.lua
has "with its key" "$(cat keyed.lua)" 'secrets = { openai'

# ---- nothing is written over ----

cd "$dir" || exit 1
for name in $names; do
  mkdir "has-$name" && echo mine >"has-$name/$name"
  refused 5 "a folder with $name" "$name is in has-$name already" init "has-$name"
  is "it is as it was" "$(cd "has-$name" && cat *)" mine
done
mkdir linked && ln -s nowhere linked/flow.lua
refused 5 "a link that leads nowhere" "flow.lua is in linked already" init linked
is "is left" "$(ls linked)" flow.lua
(ulimit -f 0; "$CKRUN" init full >full.out 2>full.err)
is "where nothing can be written, nothing is made" "$? $(ls -A full)" "74 "
touch file
refused 5 "a file in the place of the folder" "file cannot be entered" init file
refused 74 "a folder in a folder that is not there" "the folder cannot be made" init none/here
mkdir here && cd here || exit 1
exits 0 "the current folder" --json init
is "as JSON" "$(json "$out" 'join " ", $d->{folder}, sort @{$d->{files}}')" ". $names"
is "with the commands" "$(json "$out" '$d->{commands}[0] . @{$d->{commands}}')" \
  "ckrun run flow.lua --profile ./profile.lua --cassette cassette.jsonl4"
exits 0 "a folder that looks like an option" --json init ./-odd
cd "$dir" || exit 1
exits 0 "another folder" --json init another
is "is entered first" "$(json "$out" '$d->{commands}[0]')" "cd another"
finish
