#!/bin/bash
# dash_ids.t - no id begins like an option: of no session, checkpoint, effect, policy or profile, in
# no command, whichever way it is written; the commands and their words are read from the help.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
ids='SESSION|SESSION#SEQ|CHECKPOINT|SEQ[|]CHECKPOINT|EFFECT|POLICY|POLICY.KEY=VALUE|PROFILE|ID|A|B'
count=0
# told WORD NAME ARGUMENTS…
told() {
  local word=$1 name=$2
  shift 2
  count=$((count + 1))
  exits 2 "$name" "$@"
  has "$name: is told" "$err" "'$word': an id does not begin with '-', as an option does"
}
while read -r command; do
  usage=$("$CKRUN" help $command | sed -n '/^usage:/,/^$/p' | tr -d '\n')
  while read -r option value; do
    for word in -x --session; do
      told "$word" "$command $option $word" $command "$option" "$word"
      told "$word" "$command $option=$word" $command "$option=$word"
    done
  done < <(grep -oE -- "--[a-z-]+ ($ids)([] ]|\$)" <<<"$usage" | tr -d ']')
  first=$(sed -E "s/^usage: ckrun $command *//; s/\[--.*//" <<<"$usage" | awk '{ print $1 }')
  grep -qxE "\[?($ids)\]?(…|\.\.\.)?" <<<"$first" &&
    told "-x" "$command -- -x ($first)" $command -- -x
done < <("$CKRUN" help | sed -n '/^commands:/,/^options:/p' |
  grep -oE '^  [a-z]+( [a-z]+)?  ' | sed 's/^ *//; s/ *$//')
ok "$count places were found" test "$count" -ge 80
for words in "sessions inspect s" "sessions diff s first" "sessions pin s" "resolve s"; do
  told -x "$words -- -x" $words -- -x
done
printf '%s\n' 'return { name = "-x", version = 1, checkpoint = function() end }' >dash.lua
run policy check ./dash.lua
has "a policy cannot be called so" "$out" "name: a text of a to z"
ok "and is refused" test "$code" != 0

# the same of what a client of `ckrun mcp` says
. "$root/tests/host/mcp/client.sh"
serve
while IFS='|' read -r tool arguments; do
  ask tools/call "{\"name\":\"$tool\",\"arguments\":$arguments}"
  has "$tool $arguments" "$reply" "'-x': an id does not begin with '-'"
done <<'LIST'
list_session_checkpoints|{"session_id":"-x"}
inspect_checkpoint|{"session_id":"-x"}
inspect_checkpoint|{"session_id":"a","checkpoint_id":"-x"}
diff_checkpoints|{"session_id":"a","from":"-x","to":"latest"}
diff_checkpoints|{"session_id":"a","from":"first","to":"-x"}
agent_tail|{"session_id":"-x","agent":"a"}
resume_session|{"session_id":"-x"}
resume_session|{"session_id":"a","checkpoint_id":"-x"}
pause_session|{"session_id":"-x"}
checkpoint_session|{"session_id":"-x"}
answer_session|{"session_id":"a","answer":"yes","effect":"-x"}
LIST
finish
