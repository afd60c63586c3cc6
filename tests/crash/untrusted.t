#!/bin/bash
# untrusted.t - sessions of two agents and one that leads them are killed at calls that change
# something, resumed and answered: what each effect that a person was asked about was made of, as
# permit was told, is what untrusted.pl tells from the transcript. UNTRUSTED_EVERY=N tries only
# every Nth call.
. "$(dirname "$0")/lib.sh"

every=${UNTRUSTED_EVERY:-131}
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 MODEL_KEY=sk-canary-of-the-model
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY

begin
have_compiler && build_kill_at || skip_all "there is no compiler for the library that kills"
server=$CKRUN_BUILD/tests/effect/model/tool_model_server
[ -x "$server" ] || { echo "Bail out! $server is not built"; exit 1; }
serving= models=
trap 'kill $serving 2>/dev/null; rm -rf "$work"' EXIT

# turn N CALLS: a line of a model's script; says N: its last.
turn() { printf '{"turn":%s,"answer":{"calls":[%s]},"times":0}\n' "$1" "$2"; }
says() { printf '{"turn":%s,"answer":{"text":"found"},"times":0}\n' "$1"; }
call() { printf '{"name":"%s","arguments":%s}' "$1" "${2:-{\}}"; }
# at NAME: a model of that name, with the script on stdin.
at() {
  cat >"$work/$1.script"
  "$server" "$work/$1.script" "$work/$1.log" "$work/$1.port" &
  serving="$serving $!"
  while [ ! -s "$work/$1.port" ]; do read -rt 0.01 <> <(:) || :; done
  models+="$1 = { api = \"openai\", base_url = \"http://127.0.0.1:$(cat "$work/$1.port")/v1\",
    key = \"main\", model = \"$1\", retries = 0, stream = false }, "
}
at default <<END
$(turn 0 "$(call delegate '{"parallel":["reader","clerk"],"message":"first"}')")
$(turn 1 "$(call delegate '{"target":"clerk","message":"second"}')")
$(turn 2 "$(call delegate '{"sequential":["clerk","reader"],"message":"third"}')")
$(turn 3 "$(call finish '{"result":"all sent"}')")
END
at reader <<END
$(turn 0 "$(call mail),$(call web),$(call look),$(call mail)")
$(turn 1 "$(call look),$(call mail)")
$(says 2)
$(turn 3 "$(call news),$(call mail)")
$(says 4)
END
at clerk <<END
$(turn 0 "$(call look),$(call mail)")
$(says 1)
$(turn 2 "$(call mail)")
$(says 3)
$(turn 4 "$(call mail)")
$(says 5)
END
cat >"$work/flow.lua" <<'END'
local flow = require "ck.flow"
local function tools()
  return {
    web = flow.command { argv = { "echo", "page" }, class = "pure", trust = "untrusted" },
    news = flow.command { argv = { "echo", "paper" }, class = "pure", trust = "untrusted" },
    look = flow.command { argv = { "echo", "seen" }, class = "pure" },
    mail = flow.command { argv = { "echo", "sent" } },
  }
end
return flow.rounds { name = "team", orchestrator = flow.agent { prompt = "Lead.", input = "Go." },
  agents = { reader = flow.agent { model = "reader", prompt = "Read.", tools = tools() },
    clerk = flow.agent { model = "clerk", prompt = "Send.", tools = tools() } } }
END
# A graph whose program is not trusted, either.
at poster <<END
$(turn 0 "$(call mail),$(call web)")
$(turn 1 "$(call mail)")
$(says 2)
END
sed '/^return/,$d' "$work/flow.lua" >"$work/graph.lua"
cat >>"$work/graph.lua" <<'END'
return flow.graph { start = "feed", nodes = {
  feed = flow.exec { argv = { "echo", "fed" }, class = "pure", trust = "untrusted" },
  post = flow.agent { model = "poster", prompt = "Post.", input = "Go.", tools = tools() },
  ship = flow.exec { argv = { "true" } } },
  edges = { feed = "post", post = "ship", ship = flow.done } }
END
cat >"$work/again.lua" <<'END'
return { name = "again", version = 1, in_doubt = function() return "rerun" end }
END
# profile NAME POLICIES
profile() {
  echo "return { name = \"$1\",
    policies = { $2, \"./again.lua\", { \"approve\", untrusted = false } },
    secrets = { main = \"env:MODEL_KEY\" }, models = { $models } }" >"$work/$1.lua"
}
profile few '"tool_rounds"'
profile many '"every_boundary", "before_effect"'

# answer_all: every open question.
answer_all() {
  local key
  for key in $(ckrun answer s 2>talk | cut -f1); do
    ckrun answer s allow --effect "$key" >out 2>err || return 1
  done
}

# go NTH COMMAND…: it is started, answered and resumed up to its end, the NTH run of the program,
# from 1, under the command.
go() {
  local nth=$1 n under code
  shift
  fresh
  for n in {1..60}; do
    under=env
    [ "$n" = "$nth" ] && under="$*"
    # shellcheck disable=SC2086
    if ckrun sessions show s >out 2>err; then
      bounded $under "$CKRUN" --store "$store" resume s >out 2>err
    else
      bounded $under "$CKRUN" --store "$store" run "$work/$flow.lua" --profile "$work/$which.lua" \
        --session s >out 2>err
    fi
    code=$?
    case $code in
      0) return 0 ;;
      5) grep -q 'is completed' err && return 0 ;;&
      8) answer_all || return 1 ;;
      137) ;;
      *) say "exit $code: $(tail -n 1 err)"; return 1 ;;
    esac
  done
  say "no end"
  return 1
}

# is_right: nothing differs from the transcript, and something was there to compare.
is_right() {
  ckrun --json sessions log s >live && ckrun --json sessions log s --all >all || return 1
  perl "$here/untrusted.pl" live all web news feed >compared ||
    { say "$(head -n 3 compared | tr '\n' ';')"; return 1; }
  grep -qE 'with sources [1-9]' compared || { say "$(cat compared)"; return 1; }
}

# asked: each effect that a person was asked about, with its sources, as permit was told.
asked() {
  perl -MJSON::PP -ne 'my $b = decode_json($_)->{body}; my $e = $b->{request}{effect} or next;
    $of{$e->{key}}{join "+", @{$e->{untrusted} || []}} = 1;
    END { print map { "$_=" . join(",", sort keys %{$of{$_}}) . "\n" } sort keys %of }' all
}
whole() { go "$@" && is_right && [ "$(asked)" = "$expected" ]; }
of_flow="main.agent.clerk@round#2/start/tool/1=web
main.agent.clerk@round#3/start/tool/1=web
main.agent.clerk@start/start/tool/2=
main.agent.reader@round#3.2/start/tool/2=web
main.agent.reader@start/agent#2/tool/2=web
main.agent.reader@start/start/tool/1=
main.agent.reader@start/start/tool/4="
of_graph="main.post@post#1/agent#2/tool/1=feed+web
main.post@post#1/start/tool/1=feed
main/ship#1/exec/1=feed+web"

# killed RUN…: the session of $flow with the profile $which, undisturbed and then with these runs
# of the program killed.
killed() {
  local nth
  folder "go_${flow}_$which"
  check "$flow, $which: undisturbed, the transcript says the same" whole 0 env
  for nth; do
    go "$nth" env "KILL_COUNT=$work/calls" "LD_PRELOAD=$work/kill_at.so"
    calls=$(cat "$work/calls")
    seq 2 $((2 * calls + 1)) | awk -v every="$every" 'NR % every == 0' >"$work/points"
    bad=0
    while read -r at; do
      whole "$nth" env "KILL_AT=$at" "LD_PRELOAD=$work/kill_at.so" ||
        { bad=$((bad + 1)); say "run $nth, call $at"; }
    done <"$work/points"
    check "$flow, $which, run $nth killed at each of $(wc -l <"$work/points") calls: so it does" \
      test "$bad" = 0
  done
}

flow=flow expected=$of_flow
for which in few many; do killed 1 2 4; done
flow=graph expected=$of_graph which=many
killed 1 2
finish
