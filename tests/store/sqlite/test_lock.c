/* test_lock.c - one writer at a time, one owner per session, and nothing left of a holder that was
 * killed. */
#include "core/store/sqlite/lock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/process_stat.h"
#include "tests/tap.h"

enum { PROCESSES = 4, ROUNDS = 200, DEATHS = 20 };

/* Runs `body` in a child that tells through the pipe when it has got so far; then it waits to be
 * killed. */
static pid_t hold(void (*body)(const char *path), const char *path) {
  int ready[2];
  char byte;
  tap_must(pipe(ready) == 0, "a pipe");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    body(path);
    if (write(ready[1], "x", 1) == 1)
      for (;;) pause();
    _exit(1);
  }
  close(ready[1]);
  tap_must(child > 0 && read(ready[0], &byte, 1) == 1, "a child that holds");
  close(ready[0]);
  return child;
}

static void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

/* Descriptors of lock files that would be passed on. */
static int inherited(void) {
  int count = 0;
  for (int fd = 0; fd < 64; fd++) {
    char name[32], target[512];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(name, target, sizeof target - 1);
    if (len < 5 || memcmp(target + len - 5, ".lock", 5) != 0) continue;
    count += (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
  }
  return count;
}

/* ---- the store's lock ---- */

static void take_lock(const char *path) {
  ck_lock *lock;
  if (ck_lock_open(&lock, path, NULL) != CK_OK || ck_lock_acquire(lock, 0, NULL) != CK_OK) _exit(1);
}

static void test_lock(void) {
  const char *path = tap_tmpfile("one.db");
  char pid[32];
  ck_error err = CK_ERROR_INIT;
  ck_lock *lock;
  pid_t child = hold(take_lock, path);
  tap_is_status(ck_lock_open(&lock, path, &err), CK_OK, &err,
                "a lock that another process holds can be opened");
  tap_is_status(ck_lock_acquire(lock, 20, &err), CK_E_BUSY, &err,
                "but not taken: the wait is bounded");
  snprintf(pid, sizeof pid, "process %ld", (long)child);
  tap_ok(strstr(err.text, pid) != NULL, "the holder's pid is named: %s", err.text);
  end(child);
  tap_is_status(ck_lock_acquire(lock, 0, &err), CK_OK, &err,
                "a killed holder's lock is free at once");
  tap_is_int(inherited(), 0, "no descriptor of a lock reaches a program that is run");
  struct stat file;
  tap_ok(stat(tap_tmpfile("one.db.lock"), &file) == 0 && (file.st_mode & 0777) == 0600,
         "its file is for the owner alone");
  ck_lock_release(lock);
  tap_is_int(unlink(tap_tmpfile("one.db.lock")), 0, "somebody removes the file");
  tap_is_status(ck_lock_acquire(lock, 0, &err), CK_E_IO, &err,
                "then it is not believed to lock anything");
  ck_lock_close(lock);
}

static void test_lock_refusals(void) {
  ck_error err = CK_ERROR_INIT;
  ck_lock *lock;
  tap_must(symlink(tap_tmpfile("victim"), tap_tmpfile("two.db.lock")) == 0, "a symbolic link");
  tap_ok(ck_lock_open(&lock, tap_tmpfile("two.db"), &err) != CK_OK,
         "a symbolic link is not followed: %s", err.text);
  tap_ok(access(tap_tmpfile("victim"), F_OK) != 0, "nor its target made");
  tap_ok(ck_lock_open(&lock, tap_tmpfile("absent/two.db"), &err) == CK_E_IO &&
             strstr(err.text, "absent"),
         "a missing folder is named: %s", err.text);
}

/* ---- sessions ---- */

static void take_session(const char *path) {
  ck_session_lock *lock;
  if (ck_session_lock_open(&lock, path, "s", NULL) != CK_OK) _exit(1);
}

static void test_session(void) {
  const char *path = tap_tmpfile("three.db");
  char host[128] = "", who[256];
  ck_error err = CK_ERROR_INIT;
  ck_session_lock *lock, *other;
  gethostname(host, sizeof host - 1);
  tap_is_status(ck_session_lock_check(path, "s", &err), CK_OK, &err,
                "nobody runs a session nobody has run");
  tap_ok(access(tap_tmpfile("three.db.sessions"), F_OK) != 0, "and asking made no file");
  pid_t child = hold(take_session, path);
  snprintf(who, sizeof who, "process %ld on %s", (long)child, host);
  tap_is_status(ck_session_lock_open(&lock, path, "s", &err), CK_E_OWNED, &err,
                "a live owner is not pushed aside");
  tap_ok(strstr(err.text, who) != NULL, "it is named: %s", err.text);
  tap_is_status(ck_session_lock_check(path, "s", &err), CK_E_OWNED, &err,
                "asking gives the same answer");
  tap_ok(strstr(err.text, who) != NULL, "with the same name: %s", err.text);
  end(child);
  tap_is_status(ck_session_lock_check(path, "s", &err), CK_OK, &err, "a killed owner owns nothing");
  tap_is_status(ck_session_lock_open(&lock, path, "s", &err), CK_OK, &err,
                "its lock is free at once");
  tap_is_status(ck_session_lock_open(&other, path, "s", &err), CK_E_OWNED, &err,
                "for one, also within a process");
  tap_is_status(ck_session_lock_open(&other, path, "t", &err), CK_OK, &err,
                "while other sessions are free");
  tap_is_int(inherited(), 0, "no descriptor of them is passed on");
  ck_session_lock_close(other);
  ck_session_lock_close(lock);
  tap_ok(access(tap_tmpfile("three.db.sessions/s.lock"), F_OK) != 0, "a file goes with its lock");
}

/* ---- what the file says of its owner ---- */

static const char *says; /* behind pid and host */

/* As if its pid were that of the test by now. */
static void take_session_of_another(const char *path) {
  char file[512], host[128] = "", text[256];
  take_session(path);
  snprintf(file, sizeof file, "%s.sessions/s.lock", path);
  gethostname(host, sizeof host - 1);
  int len = snprintf(text, sizeof text, "%ld %s%s\n", (long)getppid(), host, says);
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || pwrite(fd, text, (size_t)len, 0) != len || ftruncate(fd, len) != 0) _exit(1);
}

static void check_owner(const char *file, const char *start, const char *want) {
  const char *path = tap_tmpfile(file);
  ck_error err = CK_ERROR_INIT;
  says = start;
  pid_t child = hold(take_session_of_another, path);
  tap_is_status(ck_session_lock_check(path, "s", &err), CK_E_OWNED, &err, "it is owned");
  tap_ok(strstr(err.text, want) != NULL, "an owner started at%s: %s", start, err.text);
  end(child);
}

static void test_reused_pid(void) {
  ck_process_stat self;
  char own[32];
  tap_must(ck_process_stat_read(&self, getpid()), "the start of this process");
  snprintf(own, sizeof own, " %llu", self.started);
  check_owner("own.db", own, "session s is run by process ");
  check_owner("earlier.db", "", "session s is run by process ");
  check_owner("reused.db", " 1", "left behind: it has ended, and a process that it began has not");
}

/* What it has forked shares its locks until the pipe from us ends. */
static int let_go[2];

static void take_session_and_fork(const char *path) {
  char byte;
  take_session(path);
  if (fork() != 0) return;
  close(let_go[1]);
  _exit(read(let_go[0], &byte, 1) == 0 ? 0 : 1);
}

/* Nothing comes in between: the fork has hardly begun to die when the lock is asked for. */
static void check_dying(void (*end_owner)(pid_t), const char *file, const char *owner) {
  const char *path = tap_tmpfile(file);
  int asked = 0, taken = 0;
  for (int i = 0; i < DEATHS; i++) {
    ck_session_lock *lock;
    tap_must(pipe(let_go) == 0, "a pipe");
    pid_t child = hold(take_session_and_fork, path);
    end_owner(child);
    close(let_go[0]);
    close(let_go[1]);
    asked += i % 2 == 0 && ck_session_lock_check(path, "s", NULL) == CK_OK;
    taken += ck_session_lock_open(&lock, path, "s", NULL) == CK_OK;
    ck_session_lock_close(lock);
    waitpid(child, NULL, 0);
  }
  tap_is_int(taken, DEATHS, "the lock of %s is had when what it had forked dies", owner);
  tap_is_int(asked, DEATHS / 2, "and is not said to be held");
}

static void end_only(pid_t child) {
  siginfo_t info;
  kill(child, SIGKILL);
  tap_must(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0, "it has ended");
}

static void test_dying(void) {
  check_dying(end, "dying.db", "a killed owner");
  check_dying(end_only, "uncollected.db", "a killed owner that nobody has collected");
}

static void test_session_refusals(void) {
  static const char *const ids[] = {"", "..", "../x", "a/b", "a\nb", "-rf/..", "\xe2\x88\x95"};
  const char *path = tap_tmpfile("four.db");
  ck_error err = CK_ERROR_INIT;
  ck_session_lock *lock;
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    tap_is_status(ck_session_lock_open(&lock, path, ids[i], &err), CK_E_USAGE, &err,
                  "no file is made for id %zu", i);
    tap_is_status(ck_session_lock_check(path, ids[i], &err), CK_E_USAGE, &err, "nor asked for");
  }
  tap_ok(access(tap_tmpfile("four.db.sessions"), F_OK) != 0, "nothing was made");
  tap_must(mkdir(tap_tmpfile("four.db.sessions"), 0700) == 0, "a folder");
  tap_must(symlink(tap_tmpfile("victim"), tap_tmpfile("four.db.sessions/s.lock")) == 0,
           "a symbolic link");
  tap_ok(ck_session_lock_open(&lock, path, "s", &err) != CK_OK,
         "a symbolic link is not followed: %s", err.text);
  tap_ok(access(tap_tmpfile("victim"), F_OK) != 0, "nor its target made");
  tap_must(symlink(tap_tmpdir(), tap_tmpfile("five.db.sessions")) == 0, "a symbolic link");
  tap_ok(ck_session_lock_open(&lock, tap_tmpfile("five.db"), "s", &err) != CK_OK,
         "nor is a linked folder: %s", err.text);
}

/* ---- under contention ---- */

typedef struct shared {
  atomic_int holders, most, taken, asked;
} shared;

static shared *board;

static void note_holder(void) {
  int holders = atomic_fetch_add(&board->holders, 1) + 1;
  if (holders > board->most) board->most = holders;
  board->taken++;
  atomic_fetch_sub(&board->holders, 1);
}

static int fight_for_lock(const char *path) {
  ck_lock *lock;
  ck_status status = ck_lock_open(&lock, path, NULL);
  for (int i = 0; i < ROUNDS && status == CK_OK; i++) {
    status = ck_lock_acquire(lock, CK_LOCK_WAIT_MS, NULL);
    if (status != CK_OK) break;
    note_holder();
    ck_lock_release(lock);
  }
  return (int)status;
}

static int fight_for_session(const char *path) {
  for (int won = 0; won < ROUNDS;) {
    ck_session_lock *lock;
    ck_status status = ck_session_lock_open(&lock, path, "s", NULL);
    if (status == CK_E_OWNED) continue;
    if (status != CK_OK) return (int)status;
    note_holder();
    won++;
    ck_session_lock_close(lock);
  }
  return 0;
}

static int ask_for_session(const char *path) {
  while (board->taken < ROUNDS) {
    ck_status status = ck_session_lock_check(path, "s", NULL);
    if (status != CK_OK && status != CK_E_OWNED) return (int)status;
    board->asked++;
  }
  return 0;
}

static int start(pid_t *children, int count, int (*body)(const char *), const char *path) {
  *board = (shared){0};
  fflush(stdout);
  for (int i = 0; i < count; i++) {
    children[i] = fork();
    if (children[i] == 0) _exit(body(path));
  }
  return count;
}

static int failures(const pid_t *children, int count) {
  int failed = 0, status;
  for (int i = 0; i < count; i++)
    failed += waitpid(children[i], &status, 0) != children[i] || status != 0;
  return failed;
}

static void test_contention(void) {
  pid_t children[PROCESSES];
  tap_is_int(failures(children, start(children, PROCESSES, fight_for_lock, tap_tmpfile("six.db"))),
             0, "%d processes get the store's lock %d times each", PROCESSES, ROUNDS);
  tap_is_int(board->most, 1, "one at a time");
  tap_is_int(board->taken, PROCESSES * ROUNDS, "every time");
  tap_is_int(
      failures(children, start(children, PROCESSES, fight_for_session, tap_tmpfile("seven.db"))), 0,
      "%d processes get a session's lock, whose file comes and goes", PROCESSES);
  tap_is_int(board->most, 1, "one at a time");
}

/* If asking took the lock even for a moment, some of the openings would meet an owner that is
 * none. */
static void test_asking(void) {
  const char *path = tap_tmpfile("eight.db");
  pid_t children[2];
  start(children, 2, ask_for_session, path);
  int refused = 0;
  for (int i = 0; i < ROUNDS || board->asked < ROUNDS; i++) {
    ck_session_lock *lock;
    if (ck_session_lock_open(&lock, path, "s", NULL) != CK_OK) {
      refused++;
      break;
    }
    ck_session_lock_close(lock);
    if (board->taken < ROUNDS - 1) board->taken++;
  }
  board->taken = ROUNDS;
  tap_is_int(failures(children, 2), 0, "two processes ask without end");
  tap_is_int(refused, 0, "and keep nobody from the lock");
}

int main(void) {
  board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  tap_must(board != MAP_FAILED, "shared memory");
  test_lock();
  test_lock_refusals();
  test_session();
  test_reused_pid();
  test_dying();
  test_session_refusals();
  test_contention();
  test_asking();
  return tap_done();
}
