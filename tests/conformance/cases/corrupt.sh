#!/bin/bash
# corrupt.sh - a damaged store is told to be damaged: never empty, never without a session.
# promise: what is damaged is an error of its own (exit 7, or 74 where nothing can be read), never
#   "not found" and never another answer; what is not touched answers as before
# attack: one bit of a copy of the store is turned over, or the copy is cut off, at places all over
#   it, and it is asked for its sessions, the transcript, a resume's dry run, a verification
# figure: damages > 0, told > 0, told as absent 0, wrong answers 0, deaths 0
. "$(dirname "$0")/../lib.sh"
. "$conformance/../fault/damage.sh"

# The first one verifies.
questions=("store verify" "sessions show SESSION" "sessions log SESSION --all"
  "sessions checkpoints SESSION" "sessions list" "resume SESSION --dry-run")
ask() { ckrun_at "sqlite:$PWD/copy.db" --json ${questions[$1]/SESSION/$session}; }

# A session that was killed on its way, in a copy of the store at rest.
make_copy() {
  start_dead 3
  ckrun store backup "$work/good.db" >out 2>err && cp good.db copy.db || return 1
  local n
  for n in "${!questions[@]}"; do
    ask "$n" >"answer$n" 2>err || [ "$n" = 5 ] || return 1
    codes[n]=$?
  done
}

# examine DAMAGE: asks the copy about everything.
examine() {
  local n code verified=0 told=0
  count damages
  for n in "${!questions[@]}"; do
    ask "$n" >answer 2>err
    code=$?
    [ "$n" = 0 ] && verified=$code
    case $code in
      7 | 74) told=1 ;;
      3) count "told as absent"; say "$1: ${questions[n]}: $(tail -n 1 err)" ;;
      "${codes[n]}") [ "$verified" != 0 ] || cmp -s answer "answer$n" || {
        count "wrong answers"
        say "$1: ${questions[n]}: $(diff <(tr , '\n' <"answer$n") <(tr , '\n' <answer) |
          grep '^[<>]' | head -n 4 | tr '\n' ' ')"
      } ;;
      *) count deaths; say "$1: ${questions[n]}: exit $code: $(tail -n 1 err)" ;;
    esac
  done
  count told $told
}

damage() {
  rm -rf copy.db copy.db-* copy.db.*
  case $1 in
    bit) cp good.db copy.db && turn_bit copy.db "$2" "$3" ;;
    cut) head -c "$2" good.db >copy.db ;;
    zeros) head -c "$(stat -c %s good.db)" /dev/zero >copy.db ;;
    text) echo "not a store" >copy.db ;;
  esac
  examine "$*"
}

list_damages() {
  local size at
  size=$(stat -c %s good.db)
  printf '%s\n' "cut 0" "cut 1" "zeros" "text"
  for ((at = 4096; at < size; at += 4096)); do echo "cut $at"; done
  for ((at = 0; at < size; at += 64)); do
    echo "bit $((at + at / 64 * 37 % 64)) $((at / 64 % 8))"
  done
}

begin_case
[ -n "$file" ] || cannot "the bytes of this store cannot be reached from outside"
check "undisturbed it counts to four" expect 4
for figure in "told as absent" "wrong answers" deaths; do count "$figure" 0; done
codes=()
check "a store that answers" make_copy
while read -r line; do damage $line; done < <({
  list_damages | grep -v ^bit
  list_damages | grep ^bit | CONFORMANCE_POINTS=${CONFORMANCE_POINTS:-300} spread
} | if [ -n "${CONFORMANCE_POINTS:-}" ]; then spread; else cat; fi)
finish_case
