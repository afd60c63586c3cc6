#!/bin/bash
# unknown.sh - a commit whose answer is lost is neither taken for made nor for unmade.
# promise: after a sync that failed, whose commit may be there or not, the program finds out or
#   stops (exit 74); what it had said to be durable is there, nothing is done twice
# attack: each sync of a run fails once (EIO), and the session is resumed until it ends
# figure: points > 0, stopped or went on > 0, acknowledged and lost 0, lost 0, duplicated 0,
#   unresumable 0
. "$(dirname "$0")/../lib.sh"

# try CALL N
try() {
  local code
  fresh
  start strace -f -o /dev/null -e "trace=$1" -e "inject=$1:error=EIO:when=$2" >out 2>err
  code=$?
  count points
  case $code in
    0 | 74) count "stopped or went on" ;;
    *) count unresumable; say "$1 $2: exit $code: $(tail -n 1 err)" ;;
  esac
  settle "$1 $2"
}

begin_case
[ -n "$file" ] || cannot "no attack is known on the answers of a store behind a network"
have_strace || cannot "strace is missing, or may not trace here"
check "undisturbed it counts to ${CONFORMANCE_STEPS:-10}" expect "${CONFORMANCE_STEPS:-10}"
fresh
start strace -f -o trace -e trace=fsync,fdatasync >out 2>err
most_calls <trace | while read -r name most; do
  for ((n = 1; n <= most; n++)); do echo "$name $n"; done
done >points
while read -r name n; do try "$name" "$n"; done < <(spread <points)
finish_case
