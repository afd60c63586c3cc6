/* reserve.c - the workers of a store in a file are on one machine: one that begins a session holds
 * a lock on a byte of STORE.sessions/reserved, whose place is the session, its epoch and the time.
 * The kernel gives it back when the worker dies; one that stands still holds it at a time that has
 * passed. */
#include "core/store/sqlite/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/store/format/reservation_place.h"
#include "core/store/sqlite/sqlite.h"

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct flock byte_at(int64_t place, short type) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
}

static int open_file(const ck_sqlite *self) {
  char *path = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_session_lock_make_folder(self->path, &ignored) != CK_OK ||
      asprintf(&path, "%s.sessions/reserved", self->path) < 0)
    return -1;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  free(path);
  return fd;
}

static void unreserve(void *to, int64_t ticket) {
  struct flock none = byte_at(ticket, F_UNLCK);
  (void)fcntl(((ck_sqlite *)to)->reserved, F_OFD_SETLK, &none);
}

static bool is_others(int fd, int64_t place) {
  struct flock probe = byte_at(place, F_WRLCK);
  return fcntl(fd, F_OFD_GETLK, &probe) == 0 && probe.l_type != F_UNLCK;
}

/* A folder that nothing can be written to keeps nobody from beginning. */
static bool reserve(int64_t *ticket, void *to, ck_lease as_of) {
  ck_sqlite *self = to;
  int64_t place = ck_reservation_place("", as_of) + now_ms() / CK_RESERVATION_MS;
  struct flock mine = byte_at(place, F_WRLCK);
  if (self->reserved < 0) self->reserved = open_file(self);
  if (self->reserved < 0) return true;
  if (fcntl(self->reserved, F_OFD_SETLK, &mine) != 0) return errno != EAGAIN && errno != EACCES;
  *ticket = place;
  if (!is_others(self->reserved, place - 1)) return true;
  unreserve(self, place);
  *ticket = 0;
  return false;
}

void ck_sqlite_add_reservation(ck_backend *backend) {
  backend->worker.reservation = (ck_reservation_functions){reserve, unreserve};
}
