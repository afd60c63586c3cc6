#!/bin/bash
# prunes_more.sh - a prune takes a checkpoint that a fork or a pin stands on.
# case: prune
# caught: bases lost 0
. "${0%/*}/honest.sh"
case "${words[0]} ${words[1]}" in
  "sessions prune") case "$*" in *--dry-run*) ;; *) touch pruned ;; esac ;;
  "sessions fork") rm -f pruned ;;
  "sessions checkpoints") [ ! -e pruned ] || { "$HONEST" "$@" | tail -n +2; exit; } ;;
esac
exec "$HONEST" "$@"
