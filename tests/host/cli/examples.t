#!/bin/bash
# examples.t - every example of the help is run as it stands, in a project of 'ckrun init' with a
# session in the state that it is for; each command has one.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
mkdir -p "$dir/bin" "$dir/scenes"
ln -s "$CKRUN" "$dir/bin/ckrun"
PATH=$dir/bin:$PATH
export CKRUN_STORE=sqlite:store.db CKRUN_COUNTERS=off
unset CKRUN_KEY CKRUN_KEY_COMMAND

# scene NAME FROM COMMANDS: a folder in which the commands were run, behind those of another scene.
scene() {
  local made=$dir/scenes/$1
  if [ "$2" = - ]; then mkdir "$made"; else cp -a "$dir/scenes/$2" "$made"; fi
  (cd "$made" && eval "$3") >"$dir/log" 2>&1 || { echo "Bail out! scene $1"; cat "$dir/log" >&2; }
}
trip="ckrun run flow.lua --profile ./profile.lua --session trip"
scene empty - "ckrun init"
scene done empty "$trip --cassette cassette.jsonl; ckrun facts set city Rome"
scene archive empty "$trip --cassette cassette.jsonl; ckrun sessions delete trip --archive trip.db"
scene paused empty "$trip --cassette cassette.jsonl --limit model_calls=1; [ \$? = 8 ]"
scene rewound paused "ckrun sessions rewind trip first --report back"
scene waiting empty "echo 'return { name = \"asks\", models = { default =
  { api = \"openai\", model = \"none\", base_url = \"http://127.0.0.1:9\" } } }' >asks.lua
  ckrun run flow.lua --profile ./asks.lua --session trip; [ \$? = 8 ]"
scene key done "ckrun key new store.key"
scene signing empty "ckrun flow key team.key"
scene share done "ckrun key new share.key"
scene sealed share "ckrun sessions export trip --format cassette --seal-key file:share.key \\
  -o trip.sealed"
scene spilled - "echo 'return require \"ck.flow\".custom { name = \"long\", run = function(ctx)
  ctx.effect { kind = \"exec\", class = \"pure\",
    request = { argv = { \"seq\", \"999\" }, output_max = 64 } } end }' >flow.lua
  ckrun run flow.lua --session trip"
write_flow once
scene live - "cp $dir/flow.lua ."
cp -a "$dir/scenes/live" "$dir/scenes/doubt"
cd "$dir/scenes/doubt" || exit 1
begin run flow.lua --session trip
kill -9 "$pid"
kill "$(cat "$dir/step")"
wait "$pid" 2>/dev/null

# What an example of a command needs, and the exit code that is meant where that is not 0.
scene_of() {
  case $1 in
    init | run | submit | "policy new" | "profile list" | "key new" | "flow key") echo empty ;;
    "flow sign") echo signing ;;
    resume | cancel | "sessions list" | "sessions rewind") echo paused ;;
    "sessions undo") echo rewound ;;
    "sessions output") echo spilled ;;
    "sessions import") echo archive ;;
    answer) echo waiting ;;
    resolve) echo doubt ;;
    pause | checkpoint) echo live ;;
    "key rotate") echo key ;;
    "sessions export") echo share ;;
    "key unseal") echo sealed ;;
    *) echo done ;;
  esac
}
meant() {
  case $1 in
    "ckrun doctor "*) echo any ;; # of this machine
    *) echo 0 ;;
  esac
}

# by_itself LINE: what ends when it has done what it is for.
by_itself() { bash -c "$1" >"$dir/out" 2>"$dir/err" </dev/null 3>&- 4>&-; code=$?; }
# while_running LINE: asks a session that runs, which then comes to its next boundary.
while_running() {
  begin run flow.lua --session trip
  bash -c "$1" >"$dir/out" 2>"$dir/err" </dev/null 3>&- 4>&- &
  local asker=$!
  until [ -n "$(ckrun --json sessions log trip --kind note)" ]; do :; done
  let_on first
  wait "$asker"
  code=$?
  case $1 in *pause*) ;; *) reach; steps second third fourth 2>/dev/null ;; esac
  wait "$pid"
}
# served LINE: a server, until it has told where it is.
served() {
  : >"$dir/out"; : >"$dir/err" # an earlier one's place is not this one's
  bash -c "exec $1" >"$dir/out" 2>"$dir/err" </dev/null 3>&- 4>&- &
  local server=$!
  until grep -qE 'unix|http' "$dir/out" "$dir/err" || ! kill -0 "$server" 2>/dev/null; do :; done
  kill -INT "$server" 2>/dev/null
  wait "$server"
  code=$?
  [ "$code" != 130 ] || code=0
}

# try COMMAND LINE
try() {
  local wanted
  wanted=$(meant "$2")
  rm -rf "$dir/here"
  cp -a "$dir/scenes/$(scene_of "$1")" "$dir/here"
  cd "$dir/here" || exit 1
  case $1 in
    pause | checkpoint) while_running "$2" ;;
    ui) served "$2" ;;
    *) by_itself "$2" ;;
  esac
  out=$(head -c 2000 "$dir/out") err=$(cat "$dir/err")
  [ "$wanted" = any ] && [ "$code" != 2 ] && wanted=$code
  is "$2" "$code" "$wanted"
}

commands=$(ckrun help | sed -n '/^commands:/,/^$/p' |
  sed -n 's/^  \([a-z][a-z]*\( [a-z][a-z-]*\)\{0,1\}\)  .*/\1/p')
while IFS= read -r command; do
  lines=$(ckrun help $command | sed -n '/^examples:/,/^$/s/^  \(ckrun .*\)/\1/p')
  ok "$command has an example" test -n "$lines"
  has "the first is of $command" "$lines" "ckrun $command"
  while IFS= read -r line; do
    case $line in
      *"| man"*) command -v man >/dev/null || { skip "no man"; continue; } ;;
      "ckrun ui "*) ldconfig -p | grep -q libmicrohttpd || { skip "no libmicrohttpd"; continue; } ;;
    esac
    try "$command" "$line" <&-
  done <<<"$lines"
done <<<"$commands"
cd "$dir" || exit 1
finish
