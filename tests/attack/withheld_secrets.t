#!/bin/bash
# withheld_secrets.t - a program of a session looks for the secrets that it is not given where /proc
# shows them of ckrun; as the user of this test, and, started by root, as an ordinary one.
. "$(dirname "$0")/../host/tap.sh"

export CKRUN_STORE=sqlite:$dir/s.db WITHHELD=canary-of-the-environment TOKEN=canary-token-42
unset CKRUN_DUMPABLE CKRUN_RUN CKRUN_SESSION
cd "$dir" || exit 1
mkdir home
cat >look <<'END'
# What /proc shows of the process above: whether at all, and how often a canary.
file=/proc/$PPID/environ seen=no
cat "$file" >/dev/null 2>&1 && seen=yes
count() { tr '\0' '\n' 2>/dev/null <"$1" | grep -c canary; }
echo "seen=$seen environ=$(count "$file") cmdline=$(count "/proc/$PPID/cmdline") given=${#GIVEN}"
END
cat >look.lua <<'END'
local flow = require "ck.flow"
return flow.exec { argv = { "sh", "./look" }, env = { GIVEN = { ref = "env:TOKEN" } } }
END
cat >wait.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "wait", start = "ask",
  nodes = {
    ask = flow.ask { question = "Go on?" },
    look = flow.exec { argv = { "sh", "./look" }, env = { GIVEN = { ref = "env:TOKEN" } } },
  },
  edges = { ask = "look", look = flow.done },
}
END
cat >inner.lua <<'END'
local flow = require "ck.flow"
-- Without the marks of an environment: only the run itself can be found.
return flow.exec { argv = { "env", "-i", "/bin/sh", "-c", "echo $PPID >waiting; read _ <hold" } }
END
cat >outer.lua <<'END'
local flow = require "ck.flow"
local inner = [[
[ -e again ] && exit
setsid env -u CKRUN_STORE "$0" --store ./inner.db run ./inner.lua --session i >inner.out 2>&1 &
read -r _ <hold
]]
return flow.exec { argv = { "sh", "-c", inner, os_path }, class = "pure" }
END
printf 'return { name = "every", policies = { "every_boundary" } }\n' >every.lua

# seen WORD TEXT: the value behind WORD= in a result.
seen() { grep -oE "$1=[a-z0-9]+" <<<"$2" | head -n 1 | cut -d= -f2; }

# attack WHO COMMAND…: all checks, with ckrun started by COMMAND.
attack() {
  local who=$1 text pid
  shift
  local -a as=("$@")
  mkdir "$who" && cp look ./*.lua "$who" && chmod 755 "$who"
  [ "$who" != nobody ] || chown -R 65534:65534 "$who"
  cd "$who" || exit 1
  export CKRUN_STORE=sqlite:$dir/$who/s.db HOME=$dir/$who
  text=$("${as[@]}" "$CKRUN" run ./look.lua --session look 2>&1)
  is "$who: a program gets the secret that it is given" "$(seen given "$text")" 15
  is "$who: no other one is in ckrun's environment" "$(seen environ "$text")" 0
  is "$who: nor in its arguments" "$(seen cmdline "$text")" 0
  if [ "$who" != root ]; then
    is "$who: it cannot look there at all" "$(seen seen "$text")" no
    text=$(CKRUN_DUMPABLE=1 "${as[@]}" "$CKRUN" run ./look.lua --session dumpable 2>&1)
    is "$who: CKRUN_DUMPABLE=1 opens it to a debugger" "$(seen seen "$text")" yes
    is "$who: and still the environment is wiped" "$(seen environ "$text")" 0
  fi
  by_mcp "$who" "${as[@]}"
  nested "$who" "${as[@]}"
  cd "$dir" || exit 1
}

request() {
  printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resume_session",'
  printf '"arguments":{"session_id":"w","memory_modifications":{"note":"canary-of-the-edit"}}}}\n'
}

# A resume that `ckrun mcp` starts: edits and secrets reach it, and nothing of them is shown.
by_mcp() {
  local who=$1 text
  shift
  "$@" "$CKRUN" run ./wait.lua --profile ./every.lua --session w >/dev/null 2>&1
  "$@" "$CKRUN" answer w yes >/dev/null 2>&1
  coproc SERVER { exec "$@" "$CKRUN" mcp 2>mcp.err; }
  local pid=$SERVER_PID
  exec {to}>&"${SERVER[1]}" {from}<&"${SERVER[0]}"
  eval "exec ${SERVER[0]}<&- ${SERVER[1]}>&-"
  request >&"$to"
  IFS= read -r -t 60 -u "$from" text
  for _ in $(seq 1 3000); do
    text=$("$@" "$CKRUN" sessions show w 2>&1)
    [ "$(cell "$text" status)" = completed ] && break
  done
  exec {to}>&- {from}<&-
  wait "$pid"
  is "$who: a resume that an MCP client asks for completes" "$(cell "$text" status)" completed
  text=$("$@" "$CKRUN" sessions log w 2>&1)
  is "$who: it has the secret" "$(seen given "$text")" 15
  is "$who: which its environment does not show" "$(seen environ "$text")" 0
  is "$who: nor its arguments the edit" "$(seen cmdline "$text")" 0
  has "$who: it has the edit" "$("$@" "$CKRUN" --json sessions inspect w 2>&1)" \
    canary-of-the-edit
}

alive() {
  local state
  { read -r state <"/proc/$1/stat"; } 2>/dev/null || return 1
  state=${state##*) }
  [ "${state%% *}" != Z ]
}
# A session that a program of a session runs, and leaves behind.
nested() {
  local who=$1 program inner
  shift
  mkfifo waiting hold
  sed -i "s|os_path|\"$CKRUN\"|" outer.lua
  [ "$who" != nobody ] || chown 65534 waiting hold
  "$@" "$CKRUN" run ./outer.lua --session o >outer.out 2>&1 &
  program=$!
  { read -r -t 60 inner; } <>waiting || cat outer.out inner.out >&2
  kill -KILL "$program"
  { wait "$program"; } 2>/dev/null
  ok "$who: a run below a run that was killed is left behind" alive "$inner"
  touch again
  "$@" "$CKRUN" resume o >resume.out 2>&1
  is "$who: the resume of the outer one completes" $? 0
  ok "$who: and has ended the inner one" eval "! alive $inner"
  has "$who: and says so" "$(cat resume.out)" "that an earlier run left behind"
}

if [ "$(id -u)" = 0 ]; then
  chmod 711 "$dir"
  attack root env
  # A copy: the tree may be in a folder that only root can enter.
  if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
    cp "$CKRUN" "$dir/ckrun" && CKRUN=$dir/ckrun
    attack nobody setpriv --reuid=65534 --regid=65534 --clear-groups
  else
    skip "no ordinary user can be tried here"
  fi
else
  attack user env
fi

# ---- the moment of a start: what is handed to a program by exec ----

if strace -o /dev/null true 2>/dev/null; then
  mkdir traced && cp look ./*.lua traced && cd traced || exit 1
  export CKRUN_STORE=sqlite:$dir/traced/s.db
  "$CKRUN" run ./wait.lua --profile ./every.lua --session w >/dev/null 2>&1
  "$CKRUN" answer w yes >/dev/null 2>&1
  (request
    for _ in $(seq 1 3000); do
      [ "$(cell "$("$CKRUN" sessions show w 2>/dev/null)" status)" = completed ] && break
    done) | CKRUN_DUMPABLE=1 strace -f -v -s 65536 -e trace=execve -o trace "$CKRUN" mcp >answer \
    2>&1
  started=$(grep -a 'execve("/proc/self/exe"' trace)
  has "a resume is started by its session" "$started" '"w"]'
  is "neither its arguments nor its environment have a secret or an edit" \
    "$(grep -ac canary <<<"$started")" 0
  is "it completes" "$(cell "$("$CKRUN" sessions show w)" status)" completed
else
  skip "strace is missing, or may not trace here"
fi
finish
