/* bench_parts.c - where a step's CPU goes: counters around the calls between the parts.
 *
 * The linker puts them there (the Makefile reads the names of the WRAP lines), and the system's
 * calls of SQLite are found here before the library's. A part's time is its thread's CPU, without
 * that of the parts which it calls; reading the clock is in it, some 0.3 us for each call. */
#include <lua.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#include "core/host/run/reporter.h"
#include "core/redact/redact.h"
#include "core/runtime/session/boundary_event.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/scope.h"
#include "core/store/format/compress.h"
#include "core/store/sqlite/lock.h"
#include "core/store/sqlite/wal.h"
#include "tests/bench/bench.h"

/* clang-format off */
#define PART_TABLE(X) \
  X(PART_SQLITE, "SQLite: statements and their commit") \
  X(PART_SYNC, "fdatasync") \
  X(PART_WRITE, "writes into the log") \
  X(PART_COMPRESS, "zstd") \
  X(PART_LUA, "the flow in Lua, its values to JSON") \
  X(PART_POLICY, "policies in Lua") \
  X(PART_FOLD, "the message into the conversation") \
  X(PART_REDACT, "redaction") \
  X(PART_DIGEST, "digests") \
  X(PART_BOUNDARY, "JSON of the boundary's event and the checkpoint") \
  X(PART_LOCK, "the store's lock, the files' places") \
  X(PART_PROGRESS, "the line of progress")
/* clang-format on */

typedef enum {
#define X(part, name) part,
  PART_TABLE(X)
#undef X
      PARTS
} part;
static const char *const names[PARTS] = {
#define X(part, name) name,
    PART_TABLE(X)
#undef X
};

typedef struct count {
  int64_t calls, ns;
} count;

static _Atomic int64_t calls_of[PARTS], ns_of[PARTS];
static bool counting;
enum { DEPTH_MAX = 16 };
static _Thread_local struct {
  part stack[DEPTH_MAX];
  int depth;
  int64_t since_ns;
} at;

static int64_t cpu_ns(clockid_t of) {
  struct timespec now;
  clock_gettime(of, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What has passed since the last of these calls belongs to the part on top. */
static void settle(void) {
  int64_t now = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  if (at.depth > 0) atomic_fetch_add(&ns_of[at.stack[at.depth - 1]], now - at.since_ns);
  at.since_ns = now;
}

static void enter(part into) {
  if (!counting) return;
  settle();
  if (at.depth == DEPTH_MAX) bench_die("parts: nested too deeply");
  at.stack[at.depth++] = into;
  atomic_fetch_add(&calls_of[into], 1);
}

static void leave(void) {
  if (!counting || at.depth == 0) return;
  settle();
  at.depth--;
}

#define WRAP(part, type, name, params, args) \
  type __real_##name params;                 \
  type __wrap_##name params;                 \
  type __wrap_##name params {                \
    enter(part);                             \
    type answer = __real_##name args;        \
    leave();                                 \
    return answer;                           \
  }
#define WRAP_VOID(part, name, params, args) \
  void __real_##name params;                \
  void __wrap_##name params;                \
  void __wrap_##name params {               \
    enter(part);                            \
    __real_##name args;                     \
    leave();                                \
  }

/* clang-format off */
WRAP(PART_SQLITE, int, sqlite3_step, (sqlite3_stmt *s), (s))
WRAP(PART_COMPRESS, size_t, ck_compress_encode, (ck_compress *s, char *to, ck_bytes b), (s, to, b))
WRAP(PART_LUA, int, lua_resume, (lua_State *l, lua_State *from, int n, int *r), (l, from, n, r))
WRAP(PART_POLICY, int, lua_pcallk,
     (lua_State *l, int n, int r, int h, lua_KContext c, lua_KFunction k), (l, n, r, h, c, k))
WRAP(PART_FOLD, ck_status, ck_scope_apply_seen,
     (ck_scope *s, const ck_value *v, const ck_value *seen, ck_error *e), (s, v, seen, e))
WRAP(PART_REDACT, ck_status, ck_redactor_apply_event,
     (ck_value **o, ck_redactor *s, ck_event_kind k, const ck_value *v, ck_error *e),
     (o, s, k, v, e))
WRAP(PART_REDACT, ck_status, ck_redactor_apply,
     (ck_value **o, ck_redactor *s, ck_sink k, const char *key, const ck_value *v, ck_error *e),
     (o, s, k, key, v, e))
WRAP(PART_DIGEST, ck_digest, ck_digester_final, (ck_digester *s), (s))
WRAP(PART_DIGEST, ck_digest, ck_digest_of, (ck_bytes b), (b))
WRAP_VOID(PART_DIGEST, ck_digester_update, (ck_digester *s, const void *d, size_t l), (s, d, l))
WRAP(PART_BOUNDARY, ck_status, ck_boundary_write_event,
     (ck_value **o, const ck_boundary *b, const ck_decision *d, const char *i, ck_bytes r,
      ck_error *e), (o, b, d, i, r, e))
WRAP(PART_BOUNDARY, ck_status, ck_session_make_checkpoint,
     (ck_checkpoint **o, ck_session *s, const ck_boundary *b, const ck_value *r, ck_error *e),
     (o, s, b, r, e))
WRAP(PART_LOCK, ck_status, ck_lock_acquire, (ck_lock *s, int64_t w, ck_error *e), (s, w, e))
WRAP_VOID(PART_LOCK, ck_lock_release, (ck_lock *s), (s))
WRAP(PART_LOCK, ck_status, ck_place_check, (const ck_sqlite *s, ck_error *e), (s, e))
WRAP_VOID(PART_PROGRESS, ck_reporter_show, (ck_reporter *s, const ck_progress *p), (s, p))
/* clang-format on */

int fdatasync(int fd) {
  enter(PART_SYNC);
  int answer = (int)syscall(SYS_fdatasync, fd);
  leave();
  return answer;
}

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t offset) {
  enter(PART_WRITE);
  ssize_t answer = syscall(SYS_pwrite64, fd, data, len, offset);
  leave();
  return answer;
}

/* ---- the program, in a process that counts ---- */

int ckrun_main(int argc, char **argv);
#define main ckrun_main
#include "core/host/main.c"
#undef main

/* PARTS rows, then one of the whole process. */
int bench_count_program(int fd, int argc, char **argv) {
  count counts[PARTS + 1] = {0};
  counting = true;
  int answer = ckrun_main(argc, argv);
  for (int i = 0; i < PARTS; i++)
    counts[i] = (count){atomic_load(&calls_of[i]), atomic_load(&ns_of[i])};
  counts[PARTS].ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  return write(fd, counts, sizeof counts) == sizeof counts ? answer : 1;
}

static void run_counted(count counts[PARTS + 1], char *const *argv) {
  extern char **environ;
  char number[16];
  char *counted[16] = {(char *)"bench", (char *)"--count", number};
  posix_spawn_file_actions_t actions;
  int fds[2], status, argc = 3;
  pid_t child;
  if (pipe(fds) != 0) bench_die("pipe");
  snprintf(number, sizeof number, "%d", fds[1]);
  while (*argv) counted[argc++] = *argv++;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (posix_spawn(&child, "/proc/self/exe", &actions, NULL, counted, environ) != 0)
    bench_die("cannot run the counting process");
  close(fds[1]);
  if (read(fds[0], counts, (PARTS + 1) * sizeof *counts) !=
          (ssize_t)((PARTS + 1) * sizeof *counts) ||
      waitpid(child, &status, 0) < 0 || status != 0)
    bench_die("the counting process failed");
  close(fds[0]);
  posix_spawn_file_actions_destroy(&actions);
}

static void add_part(const char *name, double us, double calls) {
  figure row = {.unit = "us CPU", .value = us};
  snprintf(row.name, sizeof row.name, "  part: %s, %.1f calls", name, calls);
  bench_add(row);
}

/* What a run of no step takes is taken off. */
void bench_parts(void) {
  count without[PARTS + 1], with[PARTS + 1];
  bench_step_command command;
  double all, rest;
  bench_step_command_init(&command, 1000, 0);
  run_counted(without, command.argv);
  bench_step_command_init(&command, 1000, BENCH_STEPS);
  run_counted(with, command.argv);
  all = rest = (double)(with[PARTS].ns - without[PARTS].ns) / 1000 / BENCH_STEPS;
  bench_add(
      (figure){.name = "parts of a step of ckrun run, 1 KB of state, with what counting takes",
               .unit = "us CPU",
               .value = all});
  for (int i = 0; i < PARTS; i++) {
    double us = (double)(with[i].ns - without[i].ns) / 1000 / BENCH_STEPS;
    add_part(names[i], us, (double)(with[i].calls - without[i].calls) / BENCH_STEPS);
    rest -= us;
  }
  add_part("the rest: loop, session, threads", rest, 1);
}
