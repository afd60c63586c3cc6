# kills.sh - the program is killed at its calls, or in the middle of what it does. Sourced behind
# tap.sh.
. "$root/tests/crash/midway.sh"
export CKRUN_COUNTERS=off # stores are set back on purpose

# Whether it can be: there is a compiler for the library that kills, and the program takes it in
# front of it.
can_kill() {
  "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -DKILL_AT_PRELOAD \
    "$root/tests/crash/kill_at.c" -o "$dir/kill_at.so" -ldl 2>/dev/null &&
    preloaded KILL_AT=0 --version
}
# preloaded VARIABLE=VALUE ARGUMENTS…: runs it under the library; its exit code. The sanitizers
# would be the first to be loaded.
preloaded() {
  (exec env "$1" "LD_PRELOAD=$dir/kill_at.so" \
    "ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$CKRUN" "${@:2}") \
    >"$dir/killed.out" 2>"$dir/killed.err" </dev/null
} 2>/dev/null

# count_calls ARGUMENTS…: prints how many calls it makes that change something, when nothing kills
# it. What it did to the store stays.
count_calls() {
  rm -f "$dir/calls"
  preloaded "KILL_COUNT=$dir/calls" "$@"
  cat "$dir/calls"
}

# die_midway PART WHOLE SESSION ARGUMENTS…: kills it when it has made PART of WHOLE of its calls, or
# a little elsewhere, but in the middle: the session is begun and not at its end. `code` is 137
# then. The store is in
# $dir/store. The calls are counted first, where a test has not set `calls`.
die_midway() {
  dying=$3 resumed=$("$CKRUN" sessions log "$3" --all --kind session_resumed 2>/dev/null | \
    grep -c .)
  local part=$1 whole=$2 made=${calls:-}
  shift 3
  command=("$@")
  rm -rf "$dir/kept" && mkdir -p "$dir/store" && cp -r "$dir/store" "$dir/kept"
  [ -n "$made" ] || made=$(count_calls "$@")
  midway $((2 * made * part / whole)) die_anew stands
}
die_anew() {
  rm -rf "$dir/store" && cp -r "$dir/kept" "$dir/store"
  preloaded "KILL_AT=$1" "${command[@]}"
}
# A resume has begun when the log says so.
stands() {
  [ "${command[0]}" != resume ] || [ "$("$CKRUN" sessions log "$dying" --all --kind \
    session_resumed 2>/dev/null | grep -c .)" -gt "$resumed" ] || return 0
  cell "$("$CKRUN" sessions show "$dying" 2>/dev/null)" status
}
