/* lock.c - flocks with bounded waits, and session locks that can be tested without being taken. */
#include "core/store/sqlite/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/base/file_identity.h"
#include "core/base/id.h"
#include "core/base/log.h"
#include "core/base/own_file.h"
#include "core/base/process_stat.h"
#include "core/base/shortage.h"
#include "core/store/sqlite/lock_holder.h"

enum {
  BACKOFF_FIRST_US = 20,
  BACKOFF_LAST_US = 2000,
  OWNER_TEXT_MAX = 160,
  TROUBLE_MAX = 250,
  /* attempts: a session's file is removed again and again between open and flock */
  REPLACED_MAX = 1000,
  DYING_TRIES = 3000, /* attempts, about one per millisecond */
};

struct ck_lock {
  char *path;
  int fd;
  struct stat held; /* the file that is open: its number and device stay */
  unsigned jitter;
  bool claimed; /* held already, for who acquires it next */
};

struct ck_session_lock {
  char *path;
  int fd;
  bool listed; /* as an own file */
};

static ck_status file_error(ck_error *err, const char *doing, const char *path) {
  ck_status status = CK_E_IO;
  if (errno == EACCES || errno == EPERM || errno == EROFS) status = CK_E_READ_ONLY;
  if (errno == ENOSPC || errno == EDQUOT) status = CK_E_FULL;
  return ck_error_set(err, status, "cannot %s %s: %s", doing, path, ck_errno_text(errno));
}

/* A file that was removed or replaced after it was opened: its flock protects nothing. */
static bool is_named(const struct stat *held, const char *path) {
  ck_file_identity named;
  return ck_file_identity_read(&named, AT_FDCWD, path, false) && held->st_ino == named.inode &&
         held->st_dev == named.device;
}

static bool still_there(int fd, const char *path) {
  struct stat held;
  return fstat(fd, &held) == 0 && is_named(&held, path);
}

static int64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

ck_status ck_lock_open(ck_lock **out, const char *store_path, ck_error *err) {
  *out = NULL;
  ck_lock *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->fd = -1;
  self->jitter = (unsigned)getpid();
  ck_status status = CK_OK;
  if (asprintf(&self->path, "%s.lock", store_path) < 0) {
    self->path = NULL;
    status = ck_error_no_memory(err);
  }
  if (status == CK_OK) {
    self->fd = open(self->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (self->fd < 0 || fstat(self->fd, &self->held) != 0)
      status = file_error(err, "open", self->path);
  }
  if (status == CK_OK) *out = self;
  if (status != CK_OK) ck_lock_close(self);
  return status;
}

void ck_lock_close(ck_lock *self) {
  if (!self) return;
  if (self->fd >= 0) close(self->fd);
  free(self->path);
  free(self);
}

static void describe_holder(const ck_lock *self, char out[CK_LOCK_HOLDER_SIZE]) {
  static const char end[] = ".lock";
  char *store = strndup(self->path, strlen(self->path) - (sizeof end - 1));
  ck_lock_holder_describe(out, store ? store : "", ck_lock_holder_find(self->fd));
  free(store);
}

static ck_status busy_error(const ck_lock *self, int64_t wait_ms, ck_error *err) {
  char who[CK_LOCK_HOLDER_SIZE];
  describe_holder(self, who);
  return ck_error_set(err, CK_E_BUSY, "%s is held by %s; waited %lld ms", self->path, who,
                      (long long)wait_ms);
}

/* Somebody who waits at a terminal is told for whom, once. */
static void tell_wait(const ck_lock *self, int64_t wait_ms) {
  char who[CK_LOCK_HOLDER_SIZE];
  describe_holder(self, who);
  ck_log_line(CK_LOG_WARN, "%s is held by %s; waiting for it up to %lld s", self->path, who,
              (long long)wait_ms / 1000);
}

static void back_off(ck_lock *self, int64_t pause_us) {
  self->jitter = self->jitter * 1103515245u + 12345u;
  int64_t us = pause_us / 2 + (int64_t)((self->jitter >> 8) % (unsigned)pause_us);
  nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

ck_status ck_lock_acquire(ck_lock *self, int64_t wait_ms, ck_error *err) {
  int64_t deadline = 0, pause_us = BACKOFF_FIRST_US;
  bool claimed = self->claimed, told = false;
  self->claimed = false;
  while (!claimed && flock(self->fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return file_error(err, "lock", self->path);
    int64_t now = now_us();
    if (deadline == 0) deadline = now + wait_ms * 1000;
    if (now >= deadline) return busy_error(self, wait_ms, err);
    if (!told && wait_ms > CK_LOCK_HOLDER_TOLD_MS &&
        now >= deadline - (wait_ms - CK_LOCK_HOLDER_TOLD_MS) * 1000) {
      tell_wait(self, wait_ms);
      told = true;
    }
    back_off(self, pause_us);
    if (pause_us < BACKOFF_LAST_US) pause_us *= 2;
  }
  if (is_named(&self->held, self->path)) return CK_OK;
  ck_lock_release(self);
  return ck_error_set(
      err, CK_E_IO,
      "%s was removed or replaced while the store was open: it no longer keeps other "
      "writers out",
      self->path);
}

void ck_lock_release(ck_lock *self) { flock(self->fd, LOCK_UN); }

bool ck_lock_claim(ck_lock *self) {
  if (!self->claimed) self->claimed = flock(self->fd, LOCK_EX | LOCK_NB) == 0;
  return self->claimed;
}

void ck_lock_disclaim(ck_lock *self) {
  if (self->claimed) ck_lock_release(self);
  self->claimed = false;
}

int ck_lock_fd(const ck_lock *self) { return self->fd; }

/* ---- sessions ---- */

static char *session_path(const char *store_path, const char *session_id) {
  char *path = NULL;
  if (asprintf(&path, "%s.sessions/%s.lock", store_path, session_id) < 0) return NULL;
  return path;
}

/* What the file says of its owner: "PID HOST STARTED". */
typedef struct owner {
  long pid; /* 0: it has not written it yet */
  char host[OWNER_TEXT_MAX + 1];
  unsigned long long started; /* as ck_process_stat has it; 0: earlier versions do not tell */
} owner;

static owner read_owner(int fd) {
  char text[OWNER_TEXT_MAX + 1] = "";
  owner found = {0};
  ssize_t len = pread(fd, text, OWNER_TEXT_MAX, 0);
  if (len <= 0 || sscanf(text, "%ld %160s %llu", &found.pid, found.host, &found.started) < 2)
    return (owner){0};
  return found;
}

/* Of another machine nobody can tell. */
static bool is_gone(const owner *of) {
  char here[OWNER_TEXT_MAX + 1] = "";
  return of->pid && gethostname(here, sizeof here - 1) == 0 && strcmp(of->host, here) == 0 &&
         ck_process_is_gone_since((pid_t)of->pid, of->started);
}

/* A child that was being forked when its parent was killed shares the parent's files until it
 * dies as well. Waits a moment when such a child holds `fd`, up to DYING_TRIES times (`tries`:
 * so far). */
static bool wait_for_dying(int fd, int tries) {
  owner found = read_owner(fd);
  if (tries >= DYING_TRIES || !is_gone(&found)) return false;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return true;
}

static ck_status owned_error(int fd, const char *session_id, ck_error *err) {
  owner found = read_owner(fd);
  if (is_gone(&found))
    return ck_error_set(err, CK_E_OWNED,
                        "session %s is held by what process %ld on %s left behind: it has ended, "
                        "and a process that it began has not",
                        session_id, found.pid, found.host);
  if (found.pid)
    return ck_error_set(err, CK_E_OWNED, "session %s is run by process %ld on %s", session_id,
                        found.pid, found.host);
  return ck_error_set(err, CK_E_OWNED,
                      "session %s is run by a process that has not said its pid yet", session_id);
}

ck_status ck_session_lock_make_folder(const char *store_path, ck_error *err) {
  char *folder = NULL;
  if (asprintf(&folder, "%s.sessions", store_path) < 0) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  struct stat found;
  if (mkdir(folder, 0700) != 0 && errno != EEXIST)
    status = file_error(err, "make", folder);
  else if (lstat(folder, &found) != 0)
    status = file_error(err, "look at", folder);
  else if (!S_ISDIR(found.st_mode))
    status = ck_error_set(err, CK_E_IO, "%s is not a folder", folder);
  free(folder);
  return status;
}

/* CK_E_OWNED: another process has the lock. */
static ck_status take(int fd, const char *path, const char *session_id, ck_error *err) {
  for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
    if (errno != EWOULDBLOCK) return file_error(err, "lock", path);
    if (!wait_for_dying(fd, tries)) return owned_error(fd, session_id, err);
  }
  return CK_OK;
}

static ck_status open_locked(int *out, const char *path, const char *session_id, ck_error *err) {
  *out = -1;
  for (int tries = 0; tries < REPLACED_MAX; tries++) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return file_error(err, "open", path);
    ck_status status = take(fd, path, session_id, err);
    if (status == CK_OK && still_there(fd, path)) {
      *out = fd;
      return CK_OK;
    }
    close(fd);
    if (status != CK_OK) return status;
  }
  return ck_error_set(err, CK_E_IO, "%s is removed again and again", path);
}

/* A flock cannot be tested without taking it, which would make a third process believe that the
 * session is owned. So the owner also holds an open-file-description lock, which excludes nobody
 * but is visible to F_OFD_GETLK. */
static ck_status mark_owned(int fd, const char *path, ck_error *err) {
  char host[OWNER_TEXT_MAX - 64] = "";
  char text[OWNER_TEXT_MAX];
  ck_process_stat self;
  (void)ck_process_stat_read(&self, getpid());
  if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
    snprintf(host, sizeof host, "unknown");
  int len = snprintf(text, sizeof text, "%ld %s %llu\n", (long)getpid(), host, self.started);
  struct flock mark = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  errno = EIO;
  if (fcntl(fd, F_OFD_SETLK, &mark) != 0 || ftruncate(fd, 0) != 0 ||
      pwrite(fd, text, (size_t)len, 0) != len)
    return file_error(err, "write", path);
  return CK_OK;
}

ck_status ck_session_lock_open(ck_session_lock **out, const char *store_path,
                               const char *session_id, ck_error *err) {
  *out = NULL;
  ck_session_lock *self = NULL;
  ck_status status = ck_id_check("session", session_id, err);
  if (status == CK_OK) status = ck_session_lock_make_folder(store_path, err);
  if (status != CK_OK) return status;
  self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->fd = -1;
  self->path = session_path(store_path, session_id);
  status =
      self->path ? open_locked(&self->fd, self->path, session_id, err) : ck_error_no_memory(err);
  if (status == CK_OK) status = mark_owned(self->fd, self->path, err);
  if (status == CK_OK) status = ck_own_file_add(CK_OWN_LOCK, self->path, err);
  self->listed = status == CK_OK;
  if (status == CK_OK) status = ck_own_file_look(err); /* the store's files, too */
  if (status == CK_OK) {
    *out = self;
    self = NULL;
  }
  ck_session_lock_close(self);
  return status;
}

void ck_session_lock_close(ck_session_lock *self) {
  if (!self) return;
  if (self->listed) ck_own_file_remove(CK_OWN_LOCK, self->path);
  if (self->fd >= 0) {
    if (still_there(self->fd, self->path)) unlink(self->path);
    close(self->fd);
  }
  free(self->path);
  free(self);
}

static ck_status ask_owner(int fd, const char *path, const char *session_id, ck_error *err) {
  struct flock probe;
  int tries = 0;
  do {
    probe = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_GETLK, &probe) != 0) return file_error(err, "ask for the lock of", path);
  } while (probe.l_type != F_UNLCK && wait_for_dying(fd, tries++));
  return probe.l_type == F_UNLCK ? CK_OK : owned_error(fd, session_id, err);
}

ck_status ck_session_lock_check(const char *store_path, const char *session_id, ck_error *err) {
  ck_status status = ck_id_check("session", session_id, err);
  if (status != CK_OK) return status;
  char *path = session_path(store_path, session_id);
  if (!path) return ck_error_no_memory(err);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0)
    status = ask_owner(fd, path, session_id, err);
  else if (errno != ENOENT)
    status = file_error(err, "open", path);
  if (fd >= 0) close(fd);
  free(path);
  return status;
}

/* ---- the owner's fault ---- */

/* The block was allocated when the owner wrote its pid and host, so it can be written on a full
 * disk. */
void ck_session_lock_set_fault(ck_session_lock *self, const char *text) {
  char line[TROUBLE_MAX + 2];
  const char *told = text ? text : "";
  int len = snprintf(line, sizeof line, "%.*s\n", ck_text_fits(told, TROUBLE_MAX), told);
  if (pwrite(self->fd, line, (size_t)len, OWNER_TEXT_MAX) == len &&
      ftruncate(self->fd, OWNER_TEXT_MAX + len) == 0)
    return;
  errno = 0; /* a fault that cannot be written is not published */
}

void ck_session_lock_get_fault(char *out, size_t size, const char *store_path,
                               const char *session_id) {
  ck_error owned = CK_ERROR_INIT;
  out[0] = 0;
  if (ck_session_lock_check(store_path, session_id, &owned) != CK_E_OWNED) return;
  char *path = session_path(store_path, session_id);
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  ssize_t len = fd >= 0 ? pread(fd, out, size - 1, OWNER_TEXT_MAX) : 0;
  out[len > 0 ? len : 0] = 0;
  out[strcspn(out, "\n")] = 0;
  if (fd >= 0) close(fd);
  free(path);
}

long ck_session_lock_holder(const char *store_path, const char *session_id) {
  ck_error ignored = CK_ERROR_INIT;
  char *path = ck_id_check("session", session_id, &ignored) == CK_OK
                   ? session_path(store_path, session_id)
                   : NULL;
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  long holder = fd >= 0 ? ck_lock_holder_find(fd) : 0;
  if (fd >= 0) close(fd);
  free(path);
  return holder;
}
