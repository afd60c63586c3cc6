/* refusal.c - STORE.sessions/ID.refused: why workers have not begun a session. It is no part of the
 * store: who cannot write it, or finds it gone, says or shows nothing. */
#include "core/store/sqlite/refusal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/id.h"

/* NULL: an id that is none leads elsewhere. */
static char *path_of(const ck_sqlite *self, const char *session_id) {
  char *path = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_id_check("session", session_id, &ignored) != CK_OK) return NULL;
  return asprintf(&path, "%s.sessions/%s.refused", self->path, session_id) < 0 ? NULL : path;
}

static void put(void *to, const char *session_id, const char *text) {
  ck_sqlite *self = to;
  ck_error owned = CK_ERROR_INIT, ignored = CK_ERROR_INIT;
  if (ck_session_lock_check(self->path, session_id, &owned) != CK_OK) return;
  char *path = path_of(self, session_id);
  int fd = -1;
  if (path && ck_session_lock_make_folder(self->path, &ignored) == CK_OK)
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) {
    (void)!write(fd, text, strlen(text));
    close(fd);
  }
  free(path);
}

static void get(char out[CK_REFUSALS_SIZE], void *to, const char *session_id) {
  char *path = path_of(to, session_id);
  out[0] = 0;
  if (!path) return;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  free(path);
  if (fd < 0) return;
  ssize_t len = read(fd, out, CK_REFUSALS_SIZE - 1);
  out[len > 0 ? len : 0] = 0;
  close(fd);
}

void ck_sqlite_forget_refusals(const ck_sqlite *self, const char *session_id) {
  char *path = path_of(self, session_id);
  if (path) (void)unlink(path);
  free(path);
}

void ck_sqlite_add_refusals(ck_backend *backend) {
  backend->worker.refusals = (ck_refusal_functions){put, get};
}
