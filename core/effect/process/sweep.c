/* sweep.c - searches /proc for processes that outlived their run. */
#include "core/effect/process/sweep.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "core/base/log.h"
#include "core/base/process_stat.h"
#include "core/base/shortage.h"
#include "core/effect/process/mark.h"

enum { DEPTH_MAX = 4096, PAUSE_MS = 10 };

static bool adopting; /* ck_sweep_begin was called in this process */

ck_status ck_sweep_begin(const char *session, const char *run, ck_error *err) {
  ck_status status = ck_mark_set(session, run, err);
  if (status == CK_OK && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
    status = ck_error_set(err, CK_E_UNSUPPORTED, "cannot become the parent of orphans: %s",
                          strerror(errno));
  if (status == CK_OK) adopting = true;
  return status;
}

static ck_status status_of(int error_number) {
  return ck_shortage_text(error_number) ? CK_E_UNAVAILABLE : CK_E_UNSUPPORTED;
}

/* ---- properties of a process ---- */

/* The parent; 0: the process is gone, or only waits to be collected. */
static pid_t parent_of(pid_t pid) {
  ck_process_stat found;
  if (!ck_process_stat_read(&found, pid) || found.state == 'Z' || found.state == 'X') return 0;
  return found.parent;
}

static bool is_below(pid_t pid, pid_t top) {
  for (int depth = 0; pid > 1 && depth < DEPTH_MAX; depth++) {
    pid = parent_of(pid);
    if (pid == top) return true;
  }
  return false;
}

/* ---- search ---- */

typedef struct sweep {
  ck_mark_list *marks; /* NULL: all below this process */
  bool collects;       /* those that have ended */
  pid_t self;
  size_t found; /* found in this round */
  pid_t last;   /* a process to end */
  int last_fd;  /* its pidfd; -1 */
} sweep;

static ck_status is_wanted(bool *out, const sweep *self, pid_t pid, ck_error *err) {
  *out = false;
  if (pid == self->self) return CK_OK;
  if (!self->marks) {
    *out = is_below(pid, self->self);
    return CK_OK;
  }
  ck_status status = ck_mark_find(out, self->marks, pid, err);
  if (*out) *out = parent_of(pid) != 0 && !is_below(self->self, pid);
  return status;
}

/* Checks only once the pidfd is held: the result is true of the process it holds, or that one is
 * gone already. */
static ck_status end_one(sweep *self, pid_t pid, ck_error *err) {
  bool wanted;
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0 && errno == ESRCH) return CK_OK;
  if (fd < 0)
    return ck_error_set(err, status_of(errno), "cannot hold process %d to end it: %s", (int)pid,
                        ck_errno_text(errno));
  ck_status status = is_wanted(&wanted, self, pid, err);
  if (status != CK_OK || !wanted || syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) != 0) {
    close(fd);
    return status;
  }
  if (self->last_fd >= 0) close(self->last_fd);
  self->last = pid;
  self->last_fd = fd;
  self->found++;
  return CK_OK;
}

static ck_status end_all(sweep *self, ck_error *err) {
  ck_status status = self->marks ? ck_mark_list_find_nested(self->marks, err) : CK_OK;
  if (status != CK_OK) return status;
  DIR *list = opendir("/proc");
  if (!list)
    return ck_error_set(err, status_of(errno), "cannot look for processes in /proc: %s",
                        ck_errno_text(errno));
  self->found = 0;
  for (struct dirent *entry; status == CK_OK && (entry = readdir(list));) {
    bool wanted = false;
    pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
    if (pid > 1) status = is_wanted(&wanted, self, pid, err);
    if (status == CK_OK && wanted) status = end_one(self, pid, err);
  }
  closedir(list);
  return status;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static void collect_all(void) {
  while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

/* Rounds, until one finds nothing: a dying process may have forked before. */
static ck_status run(size_t *ended, sweep *self, ck_error *err) {
  int64_t end_ms = now_ms() + CK_SWEEP_MS;
  ck_status status = end_all(self, err);
  *ended = self->found;
  while (status == CK_OK && self->found > 0) {
    struct pollfd last = {.fd = self->last_fd, .events = POLLIN};
    poll(&last, 1, PAUSE_MS);
    if (self->collects) collect_all();
    if (now_ms() > end_ms) {
      status =
          ck_error_set(err, CK_E_FAILED, "process %d, left behind by a program, cannot be ended",
                       (int)self->last);
      break;
    }
    status = end_all(self, err);
  }
  if (self->collects) collect_all();
  if (self->last_fd >= 0) close(self->last_fd);
  return status;
}

static bool has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

ck_status ck_sweep_children(size_t *ended, ck_error *err) {
  sweep it = {.self = getpid(), .collects = true, .last_fd = -1};
  *ended = 0;
  return has_children() ? run(ended, &it, err) : CK_OK;
}

void ck_sweep_stop(void) {
  size_t ended;
  sweep it = {.self = getpid(), .last_fd = -1};
  ck_error err = CK_ERROR_INIT;
  if (adopting && run(&ended, &it, &err) != CK_OK) ck_log_line(CK_LOG_WARN, "%s", err.text);
}

ck_status ck_sweep_runs(size_t *ended, const char *const *runs, ck_error *err) {
  ck_mark_list marks;
  sweep it = {.self = getpid(), .marks = &marks, .last_fd = -1};
  *ended = 0;
  ck_status status = ck_mark_list_make(&marks, runs, err);
  if (status == CK_OK && *marks.runs) status = run(ended, &it, err);
  ck_mark_list_clear(&marks);
  return status;
}

/* ---- orphans that end while the loop runs ---- */

typedef struct search {
  pid_t pid;
  bool found;
} search;

static void compare(uv_handle_t *handle, void *to) {
  search *self = to;
  if (handle->type == UV_PROCESS && uv_process_get_pid((const uv_process_t *)handle) == self->pid)
    self->found = true;
}

/* The loop's own children that have ended come first in the queue: processes behind them are
 * collected the next time. */
void ck_sweep_collect(uv_loop_t *loop) {
  siginfo_t info = {0};
  while (adopting && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0) {
    search it = {.pid = info.si_pid};
    uv_walk(loop, compare, &it);
    if (it.found || waitpid(info.si_pid, NULL, WNOHANG) <= 0) return;
    info.si_pid = 0;
  }
}
