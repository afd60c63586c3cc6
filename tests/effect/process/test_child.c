/* test_child.c - one child process: however late the loop polls, the child's earlier output and end
 * are seen first; a signal that everything gets is no failure of it. */
#include "core/effect/process/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/waker.h"
#include "tests/tap.h"

enum { OUTPUT_MAX = 4096 };

static ck_loop *loop;
static int open_children;
static int64_t signal_ms; /* of those that are started */

typedef struct seen {
  ck_child_ending ending;
  int code;
  char output[OUTPUT_MAX + 1];
} seen;

static void on_ended(void *to, const ck_child_end *end) {
  seen *self = to;
  self->ending = end->ending;
  self->code = end->code;
  snprintf(self->output, sizeof self->output, "%.*s", (int)end->output.len,
           end->output.len ? end->output.data : "");
  if (--open_children == 0) ck_loop_stop(loop);
}

/* Without any grace: output that a late loop could lose is lost here. */
static void start(seen *to, const char *script, int64_t deadline_ms) {
  char path[4096], shell[] = "/bin/sh", option[] = "-c", text[256];
  snprintf(path, sizeof path, "PATH=%s", getenv("PATH"));
  snprintf(text, sizeof text, "%s", script);
  char *const argv[] = {shell, option, text, NULL}, *const environment[] = {path, NULL};
  ck_child_options options = {.loop = loop,
                              .argv = argv,
                              .environment = environment,
                              .directory = tap_tmpdir(),
                              .output_max = OUTPUT_MAX,
                              .error_max = OUTPUT_MAX,
                              .kill_ms = 10000,
                              .signal_ms = signal_ms,
                              .deadline_ms = deadline_ms,
                              .ended = on_ended,
                              .to = to};
  ck_child *child;
  tap_must(ck_child_start(&child, &options, NULL) == CK_OK, "%s: started", script);
  open_children++;
}

/* Until it has ended; it is not collected. */
static void wait_for_end(idtype_t which, id_t id) {
  siginfo_t info;
  tap_must(waitid(which, id, &info, WEXITED | WNOWAIT) == 0, "it has ended");
}

/* ---- the exit is seen before the output ---- */

static int gate;
static ck_waker *waker; /* watched until the loop is freed */
static pid_t held;

/* The loop is in the midst of its events: another child's exit is served after this. */
static void let_it_end(void *to) {
  ck_waker_clear(to);
  tap_must(write(gate, "go\n", 3) == 3, "it goes on");
  wait_for_end(P_PID, (id_t)held);
}

static pid_t read_pid(void) {
  char path[4096];
  int pid = 0;
  snprintf(path, sizeof path, "%s/pid", tap_tmpdir());
  FILE *file = fopen(path, "r");
  tap_must(file && fscanf(file, "%d", &pid) == 1, "it told its pid");
  fclose(file);
  return pid;
}

static void test_exit_before_output(void) {
  char path[4096];
  seen first = {0}, second = {0};
  snprintf(path, sizeof path, "%s/gate", tap_tmpdir());
  tap_must(mkfifo(path, 0600) == 0 && ck_waker_open(&waker, NULL) == CK_OK, "there is a gate");
  start(&second, "echo $$ >pid; read word <gate; echo all of it", 0);
  gate = open(path, O_WRONLY | O_CLOEXEC);
  held = read_pid();
  start(&first, "exit 3", 0);
  wait_for_end(P_ALL, 0);
  tap_must(ck_loop_watch(loop, ck_waker_fd(waker), let_it_end, waker, NULL) == CK_OK,
           "the waker is watched");
  ck_waker_wake(waker);
  ck_loop_run(loop);
  tap_is_int(first.code, 3, "a child ends");
  tap_is_int(second.ending, CK_CHILD_EXITED, "the other one ends meanwhile");
  tap_is_text(second.output, "all of it\n",
              "and what it wrote is not lost, though its exit was seen first");
  close(gate);
}

/* ---- the deadline passes while the loop is held up ---- */

static void test_end_before_deadline(void) {
  seen it = {0};
  start(&it, "echo in time; exit 4", 1);
  wait_for_end(P_ALL, 0);
  ck_loop_run(loop);
  tap_is_int(it.ending, CK_CHILD_EXITED, "a child that had ended when the loop came is not late");
  tap_is_int(it.code, 4, "its exit status is told");
  tap_is_text(it.output, "in time\n", "and its output");
}

static void test_late(void) {
  seen it = {0};
  start(&it, "exec sleep 1000", 1);
  ck_loop_run(loop);
  tap_is_int(it.ending, CK_CHILD_LATE, "one that has not is");
}

/* ---- signals that this process is given, too ---- */

static int caught;

static void on_signal(void *to, int signal_number) {
  (void)to;
  caught = signal_number;
}

static void test_own_signal(void) {
  seen it = {0};
  signal_ms = 1;
  start(&it, "kill -TERM $$", 0);
  ck_loop_run(loop);
  tap_is_int(it.ending, CK_CHILD_KILLED, "a child that alone was given a signal was killed");
  tap_is_int(it.code, SIGTERM, "by it");
}

static void test_signal_for_all(void) {
  seen it = {0}, sender = {0};
  signal_ms = 600000;
  tap_must(ck_loop_on_signal(loop, on_signal, NULL, NULL) == CK_OK, "signals are caught");
  start(&it, "echo $$ >dying; kill -TERM $$", 0);
  start(&sender,
        "until [ -s dying ]; do :; done; while kill -0 $(cat dying) 2>/dev/null; do :; done; "
        "kill -TERM $PPID",
        0);
  ck_loop_run(loop);
  tap_is_int(caught, SIGTERM, "the signal comes here when the child has died of it");
  tap_ok(it.ending == CK_CHILD_CANCELLED && it.code == -1, "the child was cancelled");
  tap_is_int(sender.code, 0, "the one that sent it was not");
  start(&it, "kill -TERM $$", 0);
  ck_loop_run(loop);
  tap_is_int(it.ending, CK_CHILD_CANCELLED, "so is one that dies of it behind that");
  start(&it, "kill -KILL $$", 0);
  ck_loop_run(loop);
  tap_is_int(it.ending, CK_CHILD_KILLED, "one that dies of another was killed");
  tap_is_int(it.code, SIGKILL, "by that");
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  test_end_before_deadline();
  test_late();
  test_exit_before_output();
  test_own_signal();
  test_signal_for_all();
  ck_loop_free(loop);
  ck_waker_close(waker);
  return tap_done();
}
