#!/bin/bash
# threads.sh - whatever uses threads, built for ThreadSanitizer: 64 sessions in one process, the
# writer, the store, ids, values, the log, the waker, models over HTTP, leases that are renewed, the
# probe of a worker, and of the program resumes of each sort, a server of MCP with a crowd of
# clients, one of the page. No race is told. Builds them first.
#   MANY_SESSIONS_ROUNDS=N   checkpoints of each of the 64 sessions, in each of its two lives
cd "$(dirname "$0")/../.." || exit 1
build=$PWD/build/tsan
export CKRUN=$build/ckrun CKRUN_BUILD=$build CKRUN_SPARSE=tsan
export TSAN_OPTIONS="exitcode=66 second_deadlock_stack=1 log_path=$build/race"
programs="runtime/session/test_many_sessions runtime/session/test_requests
  runtime/session/test_closing runtime/commit/test_writer runtime/commit/test_commit_here
  runtime/commit/test_prepare runtime/commit/test_unknown runtime/execution/test_pause
  store/test_threads store/test_prune store/sqlite/test_use store/postgres/test_lapse
  base/test_id base/test_log base/test_waker
  model/test_value effect/model/test_model_money effect/process/test_sweep host/mcp/test_pool
  host/worker/test_probe"
failed=0 tried=0

# try NAME COMMAND…
try() {
  local name=$1
  shift
  tried=$((tried + 1))
  rm -f "$build"/race.*
  timeout 3600 "$@" >"$build/threads.out" 2>&1
  local code=$? races
  races=$(cat "$build"/race.* 2>/dev/null | grep -c '^WARNING: ThreadSanitizer')
  if [ "$code $races" = "0 0" ]; then echo "ok $tried - $name"; else
    failed=$((failed + 1))
    echo "not ok $tried - $name: exit $code, $races reports"
    cat "$build"/race.* 2>/dev/null | head -n 40 | sed 's/^/# /'
    grep -A3 '^not ok' "$build/threads.out" | head -n 20 | sed 's/^/# /'
  fi
}

make -s MODE=tsan build/tsan/ckrun $(for name in $programs; do echo "build/tsan/tests/$name.t"; \
  done) >&2 || exit 1
for name in $programs; do try "$name" "$build/tests/$name.t"; done
for name in checkers/resumes host/mcp/crowd host/ui/serve; do try "$name" "tests/$name.t"; done
echo "1..$tried"
echo "# threads programs $tried failed $failed"
[ $failed = 0 ]
