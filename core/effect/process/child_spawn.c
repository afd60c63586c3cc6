/* child_spawn.c - forks through libuv, and closes the gaps that libuv leaves. */
#include "core/effect/process/child_spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "core/base/shortage.h"

/* A child gets only descriptors 0 to 2, whatever this process inherited or opened carelessly. The
 * kernel has close_range since 5.11; with an older one the list of descriptors is read. */
static void seal_descriptors(void) {
  if (close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0) return;
  DIR *list = opendir("/proc/self/fd");
  if (!list) return;
  for (struct dirent *entry; (entry = readdir(list));) {
    int fd = atoi(entry->d_name);
    if (fd > STDERR_FILENO) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  closedir(list);
}

ck_status ck_child_open_pipes(int ours[CK_CHILD_PIPES], int its[CK_CHILD_PIPES], ck_error *err) {
  for (int i = 0; i < CK_CHILD_PIPES; i++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
      const char *shortage = ck_shortage_text(errno);
      ck_status status = ck_error_set(err, shortage ? CK_E_UNAVAILABLE : CK_E_FAILED,
                                      "cannot open a pipe for a command: %s",
                                      shortage ? shortage : strerror(errno));
      while (i-- > 0) {
        close(ours[i]);
        close(its[i]);
      }
      return status;
    }
    ours[i] = ends[i == STDIN_FILENO];
    its[i] = ends[i != STDIN_FILENO];
  }
  return CK_OK;
}

/* A tool must not outlive its session: its effects after a kill -9 would follow the probe that asks
 * for them. The kernel ends the child with the thread that made it, which is the loop's and lives
 * as long as the process. libuv forks, and a fork runs this handler in the child; a parent that
 * died before is recognised by its number. */
static pid_t spawning_parent; /* 0: the fork is somebody else's */

/* Until it leads a session of its own the child belongs to this process's group: what Ctrl-C, a
 * closing terminal or a kill of the group sends to that reaches it, too, and was not meant for it.
 * libuv has blocked all signals by then, so such a signal still waits; libuv itself leaves the
 * group much later, and the signal would end the child then. */
static void leave_group(void) {
  static const int sent_to_groups[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  sigset_t waiting;
  setsid();
  sigemptyset(&waiting);
  for (size_t i = 0; i < sizeof sent_to_groups / sizeof *sent_to_groups; i++)
    sigaddset(&waiting, sent_to_groups[i]);
  while (sigtimedwait(&waiting, NULL, &(struct timespec){0}) > 0) continue;
}

static void tie_child(void) {
  if (spawning_parent == 0) return;
  leave_group();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != spawning_parent) _exit(127);
}

static void tie_forks(void) { pthread_atfork(NULL, NULL, tie_child); }

int ck_child_spawn(uv_process_t *process, const ck_child_options *options,
                   const int its[CK_CHILD_PIPES], uv_exit_cb exited) {
  static pthread_once_t tied = PTHREAD_ONCE_INIT;
  uv_stdio_container_t stdio[CK_CHILD_PIPES];
  for (int i = 0; i < CK_CHILD_PIPES; i++)
    stdio[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = its[i]};
  uv_process_options_t how = {
      .exit_cb = exited,
      .file = options->argv[0],
      .args = (char **)options->argv,
      .env = (char **)options->environment,
      .cwd = options->directory,
      .flags = UV_PROCESS_DETACHED,
      .stdio_count = CK_CHILD_PIPES,
      .stdio = stdio,
  };
  seal_descriptors();
  pthread_once(&tied, tie_forks);
  spawning_parent = getpid();
  int failed = uv_spawn(ck_loop_uv(options->loop), process, &how);
  spawning_parent = 0;
  if (failed) process->pid = 0;
  return failed;
}
