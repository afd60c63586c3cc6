#!/bin/bash
# flow_meta.t - lua/ck/flow/meta.lua tells an editor exactly what ctx has, name by name.
set -u
cd "$(dirname "$0")/../../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  grep -ho '{"[a-z_]*", ctx_[a-z_]*}' lua/flow/*.c | sed 's/{"\([a-z_]*\)".*/\1/'
  sed -n '/^static void push_ctx/,/^}/p' lua/flow/coroutine.c | \
    grep -o 'lua_setfield(L, -2, "[a-z_]*")' | sed 's/.*"\(.*\)".*/\1/'
  sed -n '/^void ck_coroutine_open_memory/,/^}/p' lua/flow/memory.c | \
    grep -o 'open_area(L, box, "[a-z]*"' | sed 's/.*"\(.*\)"/\1/'
  echo limit
  echo facts
} | sort -u >"$work/there"
sed -n '/^---@class ck.flow.Context/,$p' lua/ck/flow/meta.lua | \
  sed -n 's/^---@field \([a-z_]*\) .*/\1/p' | sort >"$work/told"
echo 1..2
[ "$(wc -l <"$work/told")" -gt 30 ] && echo 'ok 1 - there are annotations' ||
  echo 'not ok 1 - there are annotations'
if diff "$work/there" "$work/told" >"$work/diff"; then echo 'ok 2 - of exactly what ctx has'; else
  echo 'not ok 2 - of exactly what ctx has'
  sed 's/^</# only in C:/;s/^>/# only told:/' "$work/diff" | grep '^#'
fi
