#!/bin/bash
# turn.sh - the number of this commit: tests that are long try a part of their points, others with
# each commit. The commits are counted; where the history is cut short, the commit's id is a number.
cd "$(dirname "$0")" || exit 1
if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ]; then
  printf '%d\n' "0x$(git rev-parse HEAD | cut -c1-7)"
else
  git rev-list --count HEAD 2>/dev/null || echo 0
fi
