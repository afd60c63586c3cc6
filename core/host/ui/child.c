/* child.c - starts ckrun again with pipes instead of /dev/null. */
#include "core/host/ui/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/host/session/handover.h"

enum { CHUNK = 1 << 16, ERRORS_MAX = 1 << 16 };

static ck_status fail(const char *what, ck_error *err) {
  return ck_error_set(err, CK_E_IO, "%s: %s", what, strerror(errno));
}

static ck_status make_input(int *out, ck_bytes input, ck_error *err) {
  *out = -1;
  if (!input.len) return CK_OK;
  *out = memfd_create("ckrun-input", MFD_CLOEXEC);
  if (*out < 0) return fail("memfd", err);
  while (input.len) {
    ssize_t len = write(*out, input.data, input.len);
    if (len < 0 && errno == EINTR) continue;
    if (len < 0) return fail("the input of a command", err);
    input = (ck_bytes){input.data + len, input.len - (size_t)len};
  }
  return lseek(*out, 0, SEEK_SET) == 0 ? CK_OK : fail("the input of a command", err);
}

static void close_unless_none(int fd) {
  if (fd >= 0) close(fd);
}

ck_status ck_ui_child_start(ck_ui_child *out, const char *const *argv, ck_bytes input,
                            ck_error *err) {
  int in = -1, ends[2] = {-1, -1};
  *out = (ck_ui_child){.errors = memfd_create("ckrun-errors", MFD_CLOEXEC)};
  ck_status status = out->errors < 0 ? fail("memfd", err) : make_input(&in, input, err);
  if (status == CK_OK && pipe2(ends, O_CLOEXEC) != 0) status = fail("pipe", err);
  if (status == CK_OK)
    status = ck_handover_start(&out->pid, (char *const *)argv, (ck_bytes){0},
                               (ck_handover_streams){in, ends[1], out->errors}, err);
  close_unless_none(in);
  close_unless_none(ends[1]);
  out->out = ends[0];
  if (status == CK_OK) return CK_OK;
  close_unless_none(ends[0]);
  close_unless_none(out->errors);
  out->pid = 0;
  return status;
}

/* Its exit code, once it has ended. */
static int reap(ck_ui_child *self) {
  int how = 0;
  while (waitpid(self->pid, &how, 0) < 0 && errno == EINTR) {
  }
  close(self->out);
  close(self->errors);
  self->pid = 0;
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

int ck_ui_child_stop(ck_ui_child *self) {
  if (!self->pid) return 0;
  kill(self->pid, SIGTERM);
  return reap(self);
}

ck_status ck_ui_child_read(ck_ui_said *said, const ck_ui_child *self, size_t most, ck_error *err) {
  ck_buffer *out = &said->out;
  for (;;) {
    char *room = ck_buffer_extend(out, CHUNK);
    if (!room) return ck_error_no_memory(err);
    ssize_t len = read(self->out, room, CHUNK);
    out->len -= (size_t)(CHUNK - (len > 0 ? len : 0));
    if (len == 0) return CK_OK;
    if (len < 0 && errno != EINTR) return fail("the output of a command", err);
    if (out->len > most)
      return ck_error_set(err, CK_E_OVERSIZE, "a command printed more than %zu bytes", most);
  }
}

static void read_errors(ck_buffer *out, const ck_ui_child *self) {
  char *room = ck_buffer_extend(out, ERRORS_MAX);
  if (!room) return;
  ssize_t len = pread(self->errors, room, ERRORS_MAX, 0);
  out->len -= (size_t)(ERRORS_MAX - (len > 0 ? len : 0));
}

void ck_ui_child_wait(ck_ui_said *out, ck_ui_child *self) {
  siginfo_t ended;
  /* Not reaped yet: what it wrote last is read first. */
  while (waitid(P_PID, (id_t)self->pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  read_errors(&out->errors, self);
  out->exit = reap(self);
}

ck_status ck_ui_child_run(ck_ui_said *out, const char *const *argv, ck_bytes input, size_t most,
                          ck_error *err) {
  ck_ui_child child;
  ck_status status = ck_ui_child_start(&child, argv, input, err);
  if (status != CK_OK) return status;
  status = ck_ui_child_read(out, &child, most, err);
  if (status == CK_OK)
    ck_ui_child_wait(out, &child);
  else
    ck_ui_child_stop(&child);
  return status;
}

void ck_ui_said_clear(ck_ui_said *self) {
  ck_buffer_clear(&self->out);
  ck_buffer_clear(&self->errors);
}
