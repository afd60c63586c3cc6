#!/bin/bash
# generated.t - annotations and tables of documents are those that the program's own tables give.
set -u
cd "$(dirname "$0")/../../.." || exit 1
tool=${CKRUN_BUILD:?the folder of the test programs}/tests/lua/policy/tool_generated
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

check() {
  count=$((count + 1))
  if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

for file in lua/ck/meta.lua policies/README.md; do
  "$tool" "$file" >"$work/made" && diff "$file" "$work/made" | sed 's/^/# /' >"$work/diff"
  [ -s "$work/made" ] && [ ! -s "$work/diff" ]
  check $? "$file is up to date (make generated)"
  cat "$work/diff"
done

printf '%s\n' '<!-- generated: at.budget -->' 'old' '<!-- end -->' 'kept' >"$work/some.md"
[ "$("$tool" "$work/some.md" | sed -n '4p;6p;$p')" = "| \`spent\` | number | dollars |
| \`left\` | number or nil | dollars, not below 0; nil: no limit |
kept" ]
check $? 'what stood in a region gives way, what stands behind it stays'
for text in '<!-- generated: nothing -->
<!-- end -->' '<!-- generated: at -->'; do
  printf '%s\n' "$text" >"$work/some.md"
  ! "$tool" "$work/some.md" >/dev/null 2>&1
  check $? "no region: ${text%%
*}"
done
# The target makes both, and nothing that is installed.
planned=$(env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -n BUILD="${CKRUN_BUILD%/*}" \
  PREFIX=/nowhere generated)
grep -q 'for file in lua/ck/meta.lua policies/README.md;' <<<"$planned" &&
  ! grep -q /nowhere <<<"$planned"
check $? 'make generated goes over these files'
echo "1..$count"
