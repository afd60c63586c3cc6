/* takeover.c - ends a stopped process that holds a session: through a pidfd, so that no other
 * process is hit. */
#include "core/host/session/takeover.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/process_stat.h"
#include "core/store/lapse.h"
#include "core/store/sqlite/lock.h"

/* LOOKS: an owner that ends between two questions is asked for again, so often in all */
enum { END_WAIT_MS = 5000, LOOKS = 3 };

static bool is_stopped(long pid) {
  ck_process_stat found;
  return ck_process_stat_read(&found, (pid_t)pid) && found.state == 'T';
}

static bool is_ours(long pid) {
  char path[64];
  struct stat found;
  snprintf(path, sizeof path, "/proc/%ld", pid);
  return stat(path, &found) == 0 && found.st_uid == geteuid();
}

/* Whether the holder of the lock may be ended; `owner`: who has it, as the lock says. */
static ck_status judge(long holder, const char *owner, const char *session, ck_error *err) {
  if (holder <= 0)
    return ck_error_set(err, CK_E_OWNED,
                        "%s, which this machine does not know: --take-over cannot end it", owner);
  if (ck_process_is_gone((pid_t)holder))
    return ck_error_set(err, CK_E_OWNED,
                        "%s; process %ld has ended already: --take-over has nothing to end, try "
                        "again when 'ckrun sessions show %s' does not say running",
                        owner, holder, session);
  if (!is_ours(holder))
    return ck_error_set(err, CK_E_OWNED,
                        "%s, process %ld of another user: --take-over cannot end it", owner,
                        holder);
  if (!is_stopped(holder))
    return ck_error_set(err, CK_E_OWNED,
                        "%s, which is not stopped: --take-over ends a stopped process only; 'ckrun "
                        "pause %s' asks it to stop",
                        owner, session);
  return CK_OK;
}

/* The pid of the owner that the lock names, when that has ended; else 0. */
static long gone_holder(const char *path, const char *session) {
  long holder = ck_session_lock_holder(path, session);
  return holder > 0 && ck_process_is_gone((pid_t)holder) ? holder : 0;
}

/* The check of the lock waits for what an owner that has ended left behind: of one that had ended
 * before, it is asked once. */
static ck_status check_lock(long *pid, const char *path, const char *session, ck_error *err) {
  char owner[CK_ERROR_TEXT_MAX / 2];
  ck_error owned = CK_ERROR_INIT;
  long holder = 0;
  for (int looks = 0; looks < LOOKS; looks++) {
    long gone = gone_holder(path, session);
    ck_status status = ck_session_lock_check(path, session, &owned);
    if (status == CK_OK) return CK_OK;
    if (status != CK_E_OWNED) return ck_error_set(err, status, "%s", owned.text);
    holder = ck_session_lock_holder(path, session);
    if (holder > 0 && (holder == gone || !ck_process_is_gone((pid_t)holder))) break;
  }
  snprintf(owner, sizeof owner, "%.*s", (int)sizeof owner - 1, owned.text);
  ck_status status = judge(holder, owner, session, err);
  if (status != CK_OK) return status;
  *pid = holder;
  return CK_OK;
}

/* Whose machine it is not cannot know whether it is stopped: its lease tells. */
static ck_status check_lease(long *pid, ck_store *store, const char *session, ck_error *err) {
  long holder;
  ck_error owned = CK_ERROR_INIT;
  ck_status status = ck_store_check_owner(store, session, &owned);
  if (status == CK_OK) return CK_OK;
  if (status != CK_E_OWNED) return ck_error_set(err, status, "%s", owned.text);
  char owner[CK_ERROR_TEXT_MAX / 2];
  snprintf(owner, sizeof owner, "%.*s", (int)sizeof owner - 1, owned.text);
  status = ck_store_find_holder(&holder, store, session, err);
  if (status != CK_OK) return status;
  if (!holder)
    return ck_error_set(err, CK_E_OWNED,
                        "%s; --take-over ends a process of this machine only: 'ckrun pause %s' "
                        "asks it to stop, and the end of its lease lets anybody resume it",
                        owner, session);
  status = judge(holder, owner, session, err);
  if (status == CK_OK) *pid = holder;
  return status;
}

ck_status ck_takeover_check(long *pid, ck_store *store, const char *store_url, const char *session,
                            ck_error *err) {
  static const char kind[] = "sqlite:";
  *pid = 0;
  if (strncmp(store_url, kind, sizeof kind - 1) != 0) return check_lease(pid, store, session, err);
  return check_lock(pid, store_url + sizeof kind - 1, session, err);
}

static ck_status end_process(int fd, long pid, ck_error *err) {
  struct pollfd ended = {.fd = fd, .events = POLLIN};
  if (syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) != 0 && errno != ESRCH)
    return ck_error_set(err, CK_E_OWNED, "process %ld cannot be ended: %s", pid, strerror(errno));
  int ready;
  do ready = poll(&ended, 1, END_WAIT_MS);
  while (ready < 0 && errno == EINTR);
  return ready == 1 ? CK_OK
                    : ck_error_set(err, CK_E_OWNED, "process %ld has not ended within %d ms", pid,
                                   END_WAIT_MS);
}

ck_status ck_takeover_end(ck_store *store, const char *store_url, const char *session, long pid,
                          ck_error *err) {
  long still;
  int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
  if (fd < 0 && errno == ESRCH) return CK_OK;
  if (fd < 0)
    return ck_error_set(err, CK_E_OWNED, "process %ld cannot be looked at: %s", pid,
                        strerror(errno));
  /* Only the pidfd makes sure which process is meant: it must still be the holder, and stopped. */
  ck_status status = ck_takeover_check(&still, store, store_url, session, err);
  if (status == CK_OK && still != pid && still != 0)
    status = ck_error_set(err, CK_E_OWNED, "session %s has another owner by now, process %ld",
                          session, still);
  if (status == CK_OK && still == pid) status = end_process(fd, pid, err);
  close(fd);
  return status;
}
