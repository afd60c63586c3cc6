/* child.c - starts ckrun again for one session, and reads what its end says. */
#include "core/host/worker/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/host/session/handover.h"

enum { ERRORS_MAX = 1 << 14, SAID_MAX = 1 << 24 };

/* The words of a command; they are borrowed. */
typedef struct words {
  const char **list;
  size_t count;
} words;

static void add(words *self, const char *word) { self->list[self->count++] = word; }

static void add_option(words *self, const char *option, const char *value) {
  if (!value) return;
  add(self, option);
  add(self, value);
}

static ck_status make_words(words *out, const ck_worker_options *options, const char *session,
                            ck_error *err) {
  enum { FIXED = 16 };
  out->list =
      calloc(FIXED + 2 * (options->flows->count + options->trusted->count), sizeof *out->list);
  if (!out->list) return ck_error_no_memory(err);
  add(out, "ckrun");
  add(out, "--json");
  add_option(out, "--store", options->url);
  add_option(out, "--key", options->host->key);
  add(out, "resume");
  add(out, "--queued");
  add_option(out, "--grace", options->grace);
  for (size_t i = 0; i < options->flows->count; i++)
    add_option(out, "--flows", options->flows->list[i]);
  for (size_t i = 0; i < options->trusted->count; i++)
    add_option(out, "--trust", options->trusted->list[i]);
  add(out, "--");
  add(out, session);
  return CK_OK;
}

ck_status ck_worker_child_start(ck_worker_child *out, const ck_worker_options *options,
                                const char *session, ck_error *err) {
  words argv = {0};
  ck_error problem = CK_ERROR_INIT;
  *out = (ck_worker_child){.errors = memfd_create("ckrun-errors", MFD_CLOEXEC),
                           .said = memfd_create("ckrun-said", MFD_CLOEXEC)};
  ck_status status = out->errors >= 0 && out->said >= 0
                         ? make_words(&argv, options, session, &problem)
                         : ck_error_set(&problem, CK_E_IO, "memfd: %s", strerror(errno));
  if (status == CK_OK)
    status = ck_handover_start(&out->pid, (char *const *)argv.list, (ck_bytes){0},
                               (ck_handover_streams){-1, out->said, out->errors}, &problem);
  free(argv.list);
  memcpy(out->session, session, strlen(session) + 1);
  if (status == CK_OK) return CK_OK;
  if (out->errors >= 0) close(out->errors);
  if (out->said >= 0) close(out->said);
  *out = (ck_worker_child){0};
  return ck_error_set(err, CK_E_UNAVAILABLE, "%s", problem.text);
}

/* The last object with an error that it printed. */
static void read_error(ck_worker_end *out, int fd) {
  ck_buffer text = {0};
  char *room = ck_buffer_extend(&text, ERRORS_MAX);
  if (!room) return;
  ssize_t len = pread(fd, room, ERRORS_MAX, 0);
  ck_bytes said = {room, len > 0 ? (size_t)len : 0};
  const char *line = said.data, *end = said.data + said.len;
  while (line < end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    ck_bytes object = {line, (size_t)((stop ? stop : end) - line)};
    ck_buffer of = {0};
    if (ck_json_check(object, NULL) == CK_OK &&
        ck_json_read_string(&of, ck_json_get(ck_json_get(object, "error"), "text"))) {
      size_t fits = of.len < sizeof out->text ? of.len : sizeof out->text - 1;
      memcpy(out->text, of.data, fits);
      out->text[fits] = 0;
      ck_bytes is = ck_json_get(ck_json_get(object, "error"), "status");
      out->fenced = ck_json_is_text(is, ck_status_name(CK_E_FENCED));
      out->lapsed = ck_json_is_text(is, ck_status_name(CK_E_LAPSED));
    }
    ck_buffer_clear(&of);
    line = stop ? stop + 1 : end;
  }
  ck_buffer_clear(&text);
}

bool ck_worker_child_reap(ck_worker_child *self) {
  int how = 0;
  if (self->over || waitpid(self->pid, &how, WNOHANG) != self->pid) return self->over;
  self->end.killed = self->end.died = WIFSIGNALED(how);
  self->end.exit = self->end.killed ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
  read_error(&self->end, self->errors);
  close(self->errors);
  self->over = true;
  return true;
}

void ck_worker_child_read(ck_buffer *out, const ck_worker_child *self) {
  struct stat info;
  if (fstat(self->said, &info) != 0 || info.st_size <= 0 || info.st_size > SAID_MAX) return;
  char *room = ck_buffer_extend(out, (size_t)info.st_size);
  ssize_t len = room ? pread(self->said, room, (size_t)info.st_size, 0) : 0;
  if (len != info.st_size) ck_buffer_clear(out);
}

void ck_worker_child_forget(ck_worker_child *self) {
  close(self->said);
  *self = (ck_worker_child){0};
}
