#!/bin/bash
# resumes.t - a resume of each sort under a checker of memory: after a kill, a pause, a doubt, a
# failure; of a fork, behind a rewind and its undo, with an edit, of an import, from an archive,
# from an older checkpoint, tried dry. In `make test` it is the sanitized program, leaks included;
# CHECKER="valgrind …" is another one (tests/campaign.sh, part valgrind), in front of every command.
# What it says, it says to $CHECKER_LOG, if it has one: nothing, when all is well.
. "$(dirname "$0")/../host/tap.sh"
cp "$root"/tests/conformance/tools/* "$dir" && cd "$dir" || exit 1
crash=$root/tests/crash
for rounds in 3 6; do awk -v rounds=$rounds -f "$crash/cassette.awk" >"$rounds.jsonl"; done
if [ -n "${CHECKER:-}" ]; then
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$CHECKER" "$CKRUN" >checked
  chmod +x checked
  CKRUN=$dir/checked
fi

# dies SESSION N FLOW…: its process dies in the call of the tool with that number.
dies() {
  rm -f count.log
  echo "$2" >kill
  local session=$1
  shift 2
  exits 137 "$session: its process is killed" run "$@" --session "$session"
}
goes_on() { exits 0 "$1: a resume completes it" resume "$@"; }
checkpoint_of() { "$CKRUN" --json sessions checkpoints "$1" | sed -n "$2p" |
  sed -E 's/^\{"ckrun_json":1,"id":"([^"]*)".*/\1/'; }

state=("$crash/state.lua" --cassette 6.jsonl)

dies killed 2 "${state[@]}"
exits 0 "killed: a resume is tried dry" --json resume killed --dry-run
goes_on killed --events

exits 8 "paused: a limit pauses it" run "${state[@]}" --session paused --limit model_calls=2
exits 8 "paused: so does a resume at the limit" resume paused
goes_on paused --limit model_calls=20

sed 's/.\/count_kill/.\/count/' "$crash/once.lua" >once.lua
dies doubt 1 once.lua --cassette 3.jsonl
exits 75 "doubt: a resume stops in doubt" resume doubt
exits 0 "doubt: a person settles it" resolve doubt main/start/tool/1 done --result '"counted 1"'
goes_on doubt

perl -pe 's/"name":"/"name":"not_/ if /"kind":"tool"/ && ++$n == 4' "$cassette" >wrong.jsonl
exits 1 "failed: a run fails" run "$flow" --cassette wrong.jsonl --session failed
goes_on failed --cassette "$cassette"

exits 0 "fork: of a checkpoint in the middle" sessions fork killed "$(checkpoint_of killed 3)" \
  --session fork
goes_on fork

dies rewound 4 "${state[@]}"
exits 0 "rewound: a person goes back" sessions rewind rewound --to "$(checkpoint_of rewound 1)" \
  --report "Begin again."
exits 0 "rewound: and forth" sessions undo rewound
goes_on rewound

dies edited 3 "${state[@]}"
goes_on edited --set memory.note=new --checkpoint "$(checkpoint_of edited 1)"

exits 1 "imported: another one fails" run "$flow" --cassette wrong.jsonl --session origin
exits 0 "imported: it is exported" sessions export origin --format run-checkpoint -o run.json
exits 0 "imported: and imported" sessions import run.json --resume-with "$flow" --session imported
"$CKRUN" sessions export failed --format cassette >whole.jsonl
{ head -n 1 whole.jsonl; tail -n +11 whole.jsonl; } >rest.jsonl
goes_on imported --cassette rest.jsonl

dies archived 3 "${state[@]}"
exits 0 "archived: it is given away whole" sessions export archived --format archive -o whole.db
CKRUN_STORE=sqlite:$dir/there.db
exits 0 "archived: it is taken in elsewhere" sessions import whole.db
goes_on archived
exits 0 "the store is sound" store verify

said=$(cat ${CHECKER_LOG:+"$CHECKER_LOG"*} 2>/dev/null </dev/null)
is "the checker has nothing to say" "$said" ""
finish
