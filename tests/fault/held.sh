# held.sh - sourced, after crash/lib.sh: a session whose tools wait for a word each.

# exits CODE COMMAND…
exits() {
  local wanted=$1 code
  shift
  "$@" >out 2>err
  code=$?
  [ "$code" = "$wanted" ] || { say "exit $code: $(tail -n 2 err)"; false; }
}
has() { grep -qF -- "$2" "$1" || { say "$1 has no '$2': $(head -c 400 "$1")"; false; }; }
marks_are() { [ "$(wc -l <count.log)" = "$1" ] || { say "$(wc -l <count.log)"; false; }; }
none_twice() { [ -z "$(sort count.log | uniq -d)" ]; }

# A session whose tools wait for a word each.
begin_session() {
  mkfifo waiting go
  exec 8<>waiting 9<>go
  "$CKRUN" --store "$store" run "$here/once.lua" --cassette "$work/10.jsonl" --session s \
    >out 2>err 8>&- 9>&- &
  run=$!
}
let_on() { read -r tool <&8 && echo >&9; }
end_session() {
  exec 8>&- 9>&-
  rm -f waiting go
}

# It is killed while call N + 1 waits.
kill_after() {
  local n
  begin_session
  for ((n = 0; n < $1; n++)); do let_on; done
  read -r tool <&8
  kill -9 "$run" # its tool ends with it
  wait "$run"
  end_session
}

# lose NAME COMMAND…: the command is run while a tool waits, then the tool goes on.
lose() {
  local name=$1
  shift
  folder "$name"
  begin_session
  let_on
  read -r tool <&8
  "$@"
  for word in 1 2 3 4 5 6 7 8 9 10; do echo >&9; done # one that is not stopped ends as well
  wait "$run"
  code=$?
  end_session
  check "$name: exit 74" [ "$code" = 74 ]
  check "$name: named" has err s.db
}
