#!/bin/bash
# hardened.t - what the build asks the compiler and the linker for is in the program: read from its
# headers and its code.
. "$(dirname "$0")/../tap.sh"
case ${CKRUN_BUILD:?} in
  */release) ;;
  *)
    skip "only the release build is hardened: a sanitizer stands in the others"
    finish
    exit
    ;;
esac
# The program itself, not a wrapper of the tests.
file=$CKRUN_BUILD/ckrun
dynamic=$(readelf -dW "$file")
segments=$(readelf -lW "$file")

has "it has no fixed address" "$(readelf -hW "$file")" "Position-Independent Executable"
has "all of its symbols are bound at its start" "$dynamic" "BIND_NOW"
has "what the linker has filled in is then read-only" "$segments" "GNU_RELRO"
ok "no memory of it can be written and run" test -z \
  "$(awk '/LOAD|GNU_STACK/ && /RWE/' <<<"$segments")"
symbols=$(nm -D "$file")
has "functions with arrays on the stack check it" "$symbols" "__stack_chk_fail"
has "calls that write into a buffer of known size check it" "$symbols" "_chk@"
if [ "$(uname -m)" = x86_64 ]; then
  code=$(objdump -d --no-show-raw-insn "$file")
  ok "large stacks are touched page by page" grep -qE 'orq? +\$0x0,\(%rsp\)' <<<"$code"
  ok "jumps land where functions begin" test "$(grep -c endbr64 <<<"$code")" -gt 1000
else
  skip "its code is read on x86-64 only"
fi
finish
