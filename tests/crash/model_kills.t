#!/bin/bash
# model_kills.t - a session that reaches its model over HTTP, killed at calls that change something
# and at random: it ends the same, every request is valid, a recorded answer is not requested again,
# and an answer that is not recorded once more with the same idempotency key. KINDS_EVERY=N tries
# only every Nth call; KINDS_RANDOM=N random kills; RANDOM_SEED=N.
. "$(dirname "$0")/lib.sh"

every=${KINDS_EVERY:-9}
rounds=${KINDS_RANDOM:-10}
seed=${RANDOM_SEED:-$RANDOM}
flow=$here/kinds/agent.lua
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 MODEL_KEY=sk-canary-of-the-model
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY

begin
[ -x "$CKRUN_BUILD/tests/effect/model/tool_model_server" ] ||
  { echo "Bail out! tests/effect/model/tool_model_server is not built"; exit 1; }
say "RANDOM_SEED=$seed"
RANDOM=$seed
trap 'kill $serving 2>/dev/null; rm -rf "$work"' EXIT

serve() {
  cat >"$work/script" <<END
{"turn":0,"answer":{"thinking":"Three, I \"think\" \u00e9.","text":"I count.",\
"calls":[{"name":"count","arguments":{"n": 1}},{"name":"count","arguments":{"n":2}},\
{"name":"count","arguments":{"n":3}}],"usage":{"input":100,"output":10}}}
{"turn":1,"answer":{"thinking":"One more.","calls":[{"name":"count","arguments":{"n":4}}],\
"usage":{"input":200,"output":10}}}
{"turn":2,"answer":{"text":"All counted.","usage":{"input":300,"output":10}}}
END
  "$CKRUN_BUILD/tests/effect/model/tool_model_server" "$work/script" "$work/requests" "$work/port" &
  serving=$!
  while [ ! -s "$work/port" ]; do read -rt 0.01 <> <(:) || :; done
}

# profile API: at $work/API.lua.
profile() {
  local path=
  [ "$1" = openai ] && path=/v1
  cat >"$work/$1.lua" <<END
return { name = "$1", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "$1", base_url = "http://127.0.0.1:$(cat "$work/port")$path",
    model = "m", key = "main", retries = 0, price = { input = 3, output = 15 } } } }
END
}

start() { bounded "$@" "$CKRUN" --store "$store" run "$flow" --profile "$work/$api.lua" --input \
  '"Count."' --session s; }

# Its cost is compared: nothing is paid twice. A call without a known outcome costs its reserve, so
# only a session without such a call can be compared in that.
summary() {
  ckrun --json sessions log "$1" --all | awk -f "$here/messages.awk"
  ckrun --json sessions log "$1" --all | grep -o '"kind":"session_completed".*' | \
    grep -o '"result":.*'
  sort count.log
}

# Of the requests: none broke a rule, repeated ones have one key, and at most as many were repeated
# as there were kills.
wire() {
  local asked different keys
  asked=$(grep -c '' "$work/requests") different=$(sed 's/.*"body"://' "$work/requests" | \
    sort -u | grep -c '')
  keys=$(sed -E 's/.*"idempotency-key":"([0-9a-f]*)".*"body":/\1 /' "$work/requests" | sort -u | \
    grep -c '')
  [ "$(grep -c '"problem":"' "$work/requests")" = 0 ] && [ "$different" = 3 ] &&
    [ "$keys" = 3 ] && [ "$asked" -le "$1" ] ||
    echo "wire: $asked asked, $different different, $keys keys, $(grep -o '"problem":"[^"]*"' \
      "$work/requests" | head -n 1)"
}

expect() {
  folder "baseline_$api"
  fresh
  : >"$work/requests"
  local before=${EPOCHREALTIME/[.,]/}
  start env >out 2>err && took=$(((${EPOCHREALTIME/[.,]/} - before) / 1000)) &&
    [ "$(sort -u count.log | wc -l)" = 4 ] && [ -z "$(wire 3)" ] && summary s >"$work/expected"
}

attack() {
  local point=$1 wrong
  shift
  fresh
  : >"$work/requests"
  start "$@" >out 2>err
  local code=$?
  [ "$code" = 0 ] && return
  marks_left
  [ -s "$work/requests" ] && marks=1
  if [ "$code" = 137 ]; then
    go_on s start env
  else
    ending="exit $code instead of a kill: $(tail -n 1 err | cut -c1-200)"
  fi
  wrong=$(wire 4)
  [ -z "$wrong" ] || ending="wire ($wrong)"
  judge "$point" s
}

by_count() { attack "call:$1" env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so"; }

# by_clock ROUNDS: as many kills at random times, or more, until one came behind a request. One that
# comes when all is done is drawn again, from what that took; behind one that came before any
# request there is more time: the machine can be slower by now.
by_clock() {
  local left=$1 tries=$((10 * $1)) range=$took at point far=
  while { [ "$left" -gt 0 ] || [ -z "$far" ]; } && [ $((tries -= 1)) -ge 0 ]; do
    at=$((RANDOM % range + 5))
    point=$(attack "clock:$at" timeout --foreground --preserve-status -s KILL \
      "$((at / 1000)).$(printf %03d $((at % 1000)))")
    [ -n "$point" ] || { range=$at; continue; }
    echo "$point"
    left=$((left - 1))
    case $(cut -d ' ' -f 6 <<<"$point") in 0) range=$((range + range / 4 + 1)) ;; *) far=1 ;; esac
  done
}

# one COMMAND FILE: for each line; one at a time, for they share a server.
each() {
  (folder "job_$api" && while read -r line; do "$1" "$line"; done <"$2") >"$2.result" 2>"$2.talk"
  grep -v ' Killed ' "$2.talk" | head -n 5 | sed 's/^/# /'
  figures "$2.result"
}

count_calls() {
  fresh
  start env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so" >out 2>err
  # Most of them make the store; what has to do with the model is near the end.
  local last=$((2 * $(cat "$work/calls") + 6))
  { seq $((2 + turn % every)) $((every * 6)) $((last * 2 / 3))
    seq $((last * 2 / 3 + 1 + turn % every)) "$every" "$last"; } \
    >"$work/count.points"
}

serve
kills=
have_compiler && build_kill_at && kills=yes
for api in anthropic openai; do
  profile $api
  took=0
  check "$api: undisturbed it completes, three requests, each tool once" expect
  if [ -n "$kills" ]; then
    check "$api: its calls are counted" count_calls
    check "$api: killed at $(wc -l <"$work/count.points") of its $(cat \
      "$work/calls") calls it goes on to the same" each by_count "$work/count.points"
  else
    skip "$api: killed at its calls" "there is no compiler for the library that kills"
  fi
  echo "$rounds" >"$work/clock.points"
  check "$api: killed at $rounds random times it goes on to the same" each by_clock \
    "$work/clock.points"
done
finish
