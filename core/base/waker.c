/* waker.c - an eventfd that is written once for all wakes before a clear, so most wakes cost no
 * system call. */
#include "core/base/waker.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/shortage.h"

struct ck_waker {
  int fd;
  atomic_bool awake; /* woken, and not cleared since */
};

ck_status ck_waker_open(ck_waker **out, ck_error *err) {
  *out = NULL;
  ck_waker *self = malloc(sizeof *self);
  if (!self) return ck_error_no_memory(err);
  atomic_init(&self->awake, false);
  self->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->fd < 0) {
    free(self);
    return ck_error_set(err, CK_E_IO, "cannot open an eventfd: %s", ck_errno_text(errno));
  }
  *out = self;
  return CK_OK;
}

void ck_waker_close(ck_waker *self) {
  if (!self) return;
  close(self->fd);
  free(self);
}

int ck_waker_fd(const ck_waker *self) { return self->fd; }

/* Called from any thread and perhaps in an error path, so errno is kept. A full counter (EAGAIN)
 * counts as awake. */
void ck_waker_wake(ck_waker *self) {
  if (!self || atomic_exchange(&self->awake, true)) return;
  int saved = errno;
  const uint64_t one = 1;
  while (write(self->fd, &one, sizeof one) < 0 && errno == EINTR) continue;
  errno = saved;
}

/* A wake between the two statements writes nothing, but its cause was done before it, and the
 * clearing thread checks for work afterwards. */
void ck_waker_clear(ck_waker *self) {
  if (!self) return;
  uint64_t count;
  while (read(self->fd, &count, sizeof count) < 0 && errno == EINTR) continue;
  atomic_exchange(&self->awake, false);
}
