#!/bin/bash
# once.t - a tool of class once that died with its session is never run again on suspicion: a person
# settles its outcome.
. "$(dirname "$0")/lib.sh"

begin
cassette 3
folder once

# has FILE TEXT
has() { grep -qF -- "$2" "$1" || { say "$1 has no '$2': $(head -c 400 "$1")"; false; }; }
# exits CODE COMMAND…
exits() {
  local wanted=$1 code
  shift
  "$@" >out 2>err
  code=$?
  [ "$code" = "$wanted" ] || { say "exit $code: $(tail -n 2 err)"; false; }
}
status_of() { ckrun --json sessions show "$1" | grep -oE '"status":"[a-z_]+"' | head -n 1; }
has_status() { [ "$(status_of "$1")" = "\"status\":\"$2\"" ] ||
  { say "$(status_of "$1")"; false; }; }
ran() { [ "$(grep -cxF "$key" count.log)" = "$1" ] || { say "ran: $(cat count.log)"; false; }; }
messages_of() { ckrun --json sessions log "$1" --all | awk -f "$here/messages.awk"; }
start() { ckrun run "$here/once.lua" --cassette "$work/3.jsonl" --session "$1"; }
ends_like_baseline() {
  messages_of "$1" >seen
  cmp -s seen "$2" || { say "$(diff "$2" seen | head -n 4)"; false; }
}

key=main/start/tool/1
check "undisturbed it completes" exits 0 start baseline
messages_of baseline >expected
rm -f count.log

for verdict in done retry abort; do
  rm -f count.log
  touch kill
  check "$verdict: the tool ends the program between intent and outcome" exits 137 start "$verdict"
  check "$verdict: it ran once by then" ran 1
  check "$verdict: a resume stops with exit 75" exits 75 ckrun resume "$verdict"
  check "$verdict: and names the effect" has err "$key"
  check "$verdict: the session is in doubt" has_status "$verdict" in_doubt
  check "$verdict: another resume stops as well" exits 75 ckrun resume "$verdict"
  check "$verdict: the tool did not run meanwhile" ran 1
  check "$verdict: resolve lists the effect" exits 0 ckrun resolve "$verdict"
  check "$verdict: by its key" has out "$key"
  check "$verdict: another effect cannot be resolved" exits 3 ckrun resolve "$verdict" \
    main/start/tool/9 "$verdict"
  case $verdict in
    done) check "done: a person says so, and what it returned" exits 0 ckrun resolve done "$key" \
      done --result '"counted 1"' ;;
    *) check "$verdict: a person says so" exits 0 ckrun resolve "$verdict" "$key" "$verdict" ;;
  esac
  check "$verdict: the session waits to be resumed" has_status "$verdict" paused
  case $verdict in
    abort)
      check "abort: the flow goes on" exits 0 ckrun resume abort
      messages_of abort | sed -n 4p >told
      check "abort: and the model is told that the call came to nothing" has told \
        '"content":"aborted:' ;;
    *)
      check "$verdict: a resume completes it" exits 0 ckrun resume "$verdict"
      check "$verdict: with the messages of an undisturbed run" ends_like_baseline "$verdict" \
        expected ;;
  esac
  [ "$verdict" = retry ] && times=2 || times=1
  check "$verdict: the tool ran $times times" ran "$times"
done
check "the store is sound" exits 0 ckrun store verify
finish
