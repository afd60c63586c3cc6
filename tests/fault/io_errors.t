#!/bin/bash
# io_errors.t - a disk that fails once or for ever, at any write or sync of a session of five steps:
# the program says so and stops, what it had reported is there afterwards, and a resume goes on
# without repeating anything.
# Each call fails in two of four ways, one of them for ever, and of these every other one is tried,
# others with each commit; IO_ERRORS_WAYS=4 tries all.
. "$(dirname "$0")/../crash/lib.sh"

calls="pwrite64 fdatasync fsync ftruncate fallocate"
ways=${IO_ERRORS_WAYS:-2}

begin
have_strace || skip_all "strace is missing, or may not trace here"
cassette 5
start() { bounded "$@" "$CKRUN" --store "$store" run "$here/state.lua" --cassette "$work/5.jsonl" \
  --session s; }

expect() {
  folder baseline
  start env >out 2>err && [ "$(wc -l <count.log)" = 5 ] && ckrun store verify 2>/dev/null &&
    summary s >"$work/expected"
}

# Each kind of call as often as one thread makes it.
list_points() {
  fresh
  start strace -f -b execve -o trace -e "trace=$(echo $calls | tr ' ' ,)" >out 2>err
  awk -v most_ways="$ways" '
    $2 ~ /^[a-z0-9_]+\(/ {
      sub(/\(.*/, "", $2)
      n = ++count[$1, $2]
      if (n > most[$2]) most[$2] = n
    }
    END {
      split("EIO ENOSPC+ ENOSPC EIO+", ways)
      for (name in most) for (n = 1; n <= most[name]; n++) for (i = 1; i <= 4; i++) {
        if (most_ways < 4 && (i <= 2) == n % 2) continue
        sticky = ways[i] ~ /[+]/
        print name, n (sticky ? "+" : ""), substr(ways[i], 1, length(ways[i]) - sticky)
      }
    }' trace | sort | thin $((ways < 4 ? 2 : 1)) >"$work/points"
  [ -s "$work/points" ]
}

# What is wrong with how the program answered; nothing when it was right.
wrong_answer() {
  local code=$1 last
  last=$(tail -n 1 err)
  case $code in
    0) return ;;
    74) ;;
    *) echo "exit $code: $last"; return ;;
  esac
  [ "$(grep -c '^ckrun: ' err)" = 1 ] || { echo "not one line: $(grep -c '^ckrun: ' err)"; return; }
  case $last in
    "ckrun: "*"$PWD/s.db"*) ;;
    *) echo "does not name the store: $last"; return ;;
  esac
  case $last in
    *[Dd]isk* | *"No space"* | *"nput/output error"* | *"I/O error"*) ;;
    *) echo "does not name the cause: $last" ;;
  esac
}

# Checkpoints that were reported, and are not there.
lost_checkpoints() {
  sed -n 's/^checkpoint  *\(checkpoint_[^ ]*\) .*/\1/p' reported >acknowledged
  [ -s acknowledged ] || return 0
  ckrun --json sessions checkpoints s >listed 2>&1
  while read -r id; do grep -qF "\"$id\"" listed || echo "$id"; done <acknowledged
}

attack() {
  local name=$1 when=$2 error=$3 wrong lost
  fresh
  start strace -f -b execve -o /dev/null -e "trace=$name" -e \
    "inject=$name:error=$error:when=$when" >out 2>err
  local code=$?
  wrong=$(wrong_answer "$code")
  cp err reported
  lost=$(lost_checkpoints)
  marks_left
  go_on s start env
  [ -z "$wrong" ] || ending="wrong answer: $wrong"
  [ -z "$lost" ] || ending="acknowledged and lost: $lost"
  judge "$name:$error:$when" s
}

check "state.lua counts to five undisturbed" expect
check "its writes and syncs are known" list_points
promise="stops with path and cause, and goes on when the disk is well"
check "at each of $(wc -l <"$work/points") failures it $promise" in_two attack "$work/points"
finish
