/* watch.c - inotify over folders, and signals as a descriptor. */
#include "core/host/cli/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/cli/end_signals.h"

/* Written, or put in its place as many editors do, or gone. */
enum { CHANGES = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE };

/* malloc'd: `path` itself where it is a folder, else the one that it is in. */
static char *folder_of(const char *path) {
  struct stat about;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return strdup(path);
  const char *slash = strrchr(path, '/');
  if (!slash) return strdup(".");
  return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static ck_status watch_folder(const ck_watch *self, const char *path, ck_error *err) {
  char *folder = folder_of(path);
  if (!folder) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  if (inotify_add_watch(self->changes, folder, CHANGES) < 0)
    status = ck_error_set(err, errno == ENOENT ? CK_E_NOT_FOUND : CK_E_IO,
                          "%s cannot be watched: %s", folder, strerror(errno));
  free(folder);
  return status;
}

static ck_status open_signals(ck_watch *self, ck_error *err) {
  sigset_t ends;
  ck_end_signals_fill(&ends);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  self->signals = signalfd(-1, &ends, SFD_CLOEXEC);
  if (self->signals >= 0) return CK_OK;
  return ck_error_set(err, CK_E_IO, "signals cannot be read: %s", strerror(errno));
}

ck_status ck_watch_open(ck_watch *self, const ck_words *paths, ck_error *err) {
  *self = (ck_watch){.changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .signals = -1};
  ck_status status = CK_OK;
  if (self->changes < 0)
    status = ck_error_set(err, CK_E_IO, "changes cannot be watched: %s", strerror(errno));
  for (size_t i = 0; status == CK_OK && i < paths->count; i++)
    status = watch_folder(self, paths->list[i], err);
  if (status == CK_OK) status = open_signals(self, err);
  if (status != CK_OK) ck_watch_close(self);
  return status;
}

void ck_watch_close(ck_watch *self) {
  if (self->changes >= 0) close(self->changes);
  if (self->signals >= 0) close(self->signals);
  self->changes = self->signals = -1;
}

static bool is_lua(const char *name) {
  size_t len = strlen(name);
  return len > 4 && strcmp(name + len - 4, ".lua") == 0;
}

/* Takes all events that wait; whether one is of a Lua file. */
static bool take_changes(const ck_watch *self) {
  _Alignas(struct inotify_event) char events[4096];
  bool changed = false;
  for (ssize_t got; (got = read(self->changes, events, sizeof events)) > 0;) {
    for (const char *at = events; at < events + got;) {
      const struct inotify_event *event = (const void *)at;
      changed |= (event->mask & IN_Q_OVERFLOW) || (event->len > 0 && is_lua(event->name));
      at += sizeof *event + event->len;
    }
  }
  return changed;
}

bool ck_watch_wait(ck_watch *self) {
  struct pollfd waits[] = {{.fd = self->changes, .events = POLLIN},
                           {.fd = self->signals, .events = POLLIN}};
  for (;;) {
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return false;
    if (waits[1].revents) return false;
    if (waits[0].revents && take_changes(self)) return true;
  }
}
