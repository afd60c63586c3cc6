/* console.c - shows one question at a time on a terminal; the others wait in a queue. */
#include "core/host/print/console.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <uv.h>

#include "core/base/log.h"
#include "core/base/text.h"

enum { CHUNK_SIZE = 4096, ANSWER_MAX = 1 << 20 };

typedef struct console console;

struct ck_asking {
  console *console;
  char *text, *from;
  char **options; /* NULL-terminated; NULL: any text */
  void (*answered)(void *to, const ck_answer *answer);
  void *to;
  ck_loop_task task; /* the reason to show after a cancel */
  ck_asking *next;
};

struct console {
  ck_asker asker;
  ck_console_options options;
  int fd;
  uv_poll_t *poll;
  ck_asking *first;     /* the question that is shown */
  ck_asking *cancelled; /* not yet shown */
  ck_buffer text;       /* of the answer, so far */
};

static void free_asking(ck_asking *self) {
  if (!self) return;
  for (char **option = self->options; option && *option; option++) free(*option);
  free(self->options);
  free(self->text);
  free(self->from);
  free(self);
}

/* ---- display ---- */

/* A terminal that is gone is noticed by the next read. */
static void show(console *self, const ck_buffer *text) {
  const char *data = text->data;
  size_t len = text->failed ? 0 : text->len;
  while (len > 0) {
    ssize_t written = write(self->fd, data, len);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    data += written;
    len -= (size_t)written;
  }
}

static void show_text(console *self, const char *text) {
  ck_buffer line = {0};
  ck_buffer_append_text(&line, text);
  show(self, &line);
  ck_buffer_clear(&line);
}

/* Stored text: masked as a whole, then escaped line by line. */
static void append_lines(console *self, ck_buffer *out, const char *text) {
  ck_buffer clean = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (ck_redactor_apply_text(&clean, self->options.output->redactor, CK_SINK_TERMINAL,
                             ck_bytes_text(text), &ignored) != CK_OK)
    ck_buffer_reset(&clean);
  ck_bytes rest = ck_buffer_bytes(&clean);
  while (rest.len > 0) {
    const char *end = memchr(rest.data, '\n', rest.len);
    size_t len = end ? (size_t)(end - rest.data) : rest.len;
    ck_escape_append(out, (ck_bytes){rest.data, len});
    if (end) ck_buffer_append_char(out, '\n');
    rest.data += len + (end != NULL);
    rest.len -= len + (end != NULL);
  }
  ck_buffer_clear(&clean);
}

static void show_question(console *self) {
  const ck_asking *asking = self->first;
  ck_buffer out = {0};
  int number = 0;
  ck_buffer_reset(&self->text);
  if (self->options.suppress) self->options.suppress(self->options.to, true);
  if (asking->from) {
    append_lines(self, &out, asking->from);
    ck_buffer_append_text(&out, ": ");
  }
  append_lines(self, &out, asking->text);
  ck_buffer_append_char(&out, '\n');
  for (char **option = asking->options; option && *option; option++) {
    ck_buffer_append_format(&out, "  %d  ", ++number);
    append_lines(self, &out, *option);
    ck_buffer_append_char(&out, '\n');
  }
  ck_buffer_append_text(&out, "> ");
  tcflush(self->fd, TCIFLUSH);
  show(self, &out);
  ck_buffer_clear(&out);
}

/* ---- answers ---- */

static void on_readable(uv_poll_t *poll, int failed, int events);

static void unlink_from(ck_asking **list, const ck_asking *asking) {
  while (*list && *list != asking) list = &(*list)->next;
  if (*list) *list = asking->next;
}

static void remove_asking(console *self, ck_asking *asking) {
  bool shown = asking == self->first;
  unlink_from(&self->first, asking);
  if (!shown) return;
  if (self->first) {
    show_question(self);
    return;
  }
  uv_poll_stop(self->poll);
  if (self->options.suppress) self->options.suppress(self->options.to, false);
}

static void answer(console *self, ck_status status, ck_bytes text, size_t choice) {
  ck_asking *asking = self->first;
  ck_answer given = {.status = status, .text = text, .choice = choice};
  ck_buffer kept = self->text; /* the part that `text` points to; the next question begins anew */
  self->text = (ck_buffer){0};
  remove_asking(self, asking);
  asking->answered(asking->to, &given);
  free_asking(asking);
  ck_buffer_clear(&kept);
}

/* The index of the option that the text names; false: none. */
static bool find_choice(size_t *out, char *const *options, const char *text) {
  char *end;
  for (size_t i = 0; options[i]; i++) {
    if (strcmp(options[i], text) != 0) continue;
    *out = i;
    return true;
  }
  unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
  if (number == 0 || *end) return false;
  for (size_t i = 0; options[i]; i++) {
    if (i + 1 != number) continue;
    *out = i;
    return true;
  }
  return false;
}

/* A terminal may send any bytes; an answer is valid text. */
static ck_status clean(ck_buffer *text, ck_error *err) {
  ck_buffer json = {0}, out = {0};
  ck_json_append_string(&json, ck_buffer_bytes(text));
  ck_json_read_string(&out, ck_buffer_bytes(&json));
  ck_status status = ck_buffer_check(&json, err);
  if (status == CK_OK) status = ck_buffer_check(&out, err);
  ck_buffer_clear(&json);
  ck_buffer_clear(text);
  ck_buffer_append_text(&out, "");
  *text = out;
  return status;
}

static void complete(console *self) {
  ck_error ignored = CK_ERROR_INIT;
  size_t choice = 0;
  if (clean(&self->text, &ignored) != CK_OK) {
    answer(self, CK_E_NO_MEMORY, (ck_bytes){0}, 0);
    return;
  }
  char *const *options = self->first->options;
  const char *text = self->text.data ? self->text.data : "";
  if (!options) {
    answer(self, CK_OK, ck_bytes_text(text), 0);
  } else if (find_choice(&choice, options, text)) {
    ck_buffer_reset(&self->text);
    ck_buffer_append_text(&self->text, options[choice]);
    answer(self, self->text.failed ? CK_E_NO_MEMORY : CK_OK, ck_buffer_bytes(&self->text), choice);
  } else {
    ck_buffer_reset(&self->text);
    show_text(self, "one of the above, by its number or its text\n> ");
  }
}

static void take(console *self, const char *data, size_t len) {
  bool line = data[len - 1] == '\n';
  ck_buffer_append(&self->text, data, len - line);
  if (self->text.failed || self->text.len > ANSWER_MAX) {
    answer(self, self->text.failed ? CK_E_NO_MEMORY : CK_E_WAITING, (ck_bytes){0}, 0);
  } else if (line && self->text.len > 0 && self->text.data[self->text.len - 1] == '\\') {
    self->text.data[self->text.len - 1] = '\n';
    show_text(self, "… ");
  } else if (line || len < CHUNK_SIZE) {
    complete(self);
  }
}

static void on_readable(uv_poll_t *poll, int failed, int events) {
  console *self = poll->data;
  char chunk[CHUNK_SIZE];
  (void)failed, (void)events;
  ssize_t len = read(self->fd, chunk, sizeof chunk);
  if (len < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (len > 0) {
    take(self, chunk, (size_t)len);
  } else if (len == 0 && self->text.len > 0) {
    complete(self);
  } else {
    show_text(self, "\n");
    answer(self, CK_E_WAITING, (ck_bytes){0}, 0);
  }
}

/* ---- interface of an asker ---- */

static ck_status copy_options(char ***out, const char *const *options, ck_error *err) {
  size_t count = 0;
  *out = NULL;
  while (options && options[count]) count++;
  if (count == 0) return CK_OK;
  char **copies = calloc(count + 1, sizeof *copies);
  if (!copies) return ck_error_no_memory(err);
  *out = copies;
  for (size_t i = 0; i < count; i++)
    if (!(copies[i] = strdup(options[i]))) return ck_error_no_memory(err);
  return CK_OK;
}

static ck_status copy_question(ck_asking *self, const ck_question *question, ck_error *err) {
  ck_status status = ck_text_copy(&self->text, question->text, err);
  if (status == CK_OK) status = ck_text_copy(&self->from, question->from, err);
  return status == CK_OK ? copy_options(&self->options, question->options, err) : status;
}

static ck_status ask(ck_asking **out, void *to, const ck_question *question, ck_error *err) {
  console *self = to;
  *out = NULL;
  ck_asking *asking = calloc(1, sizeof *asking), **at = &self->first;
  if (!asking) return ck_error_no_memory(err);
  *asking = (ck_asking){.console = self, .answered = question->answered, .to = question->to};
  ck_status status = copy_question(asking, question, err);
  if (status == CK_OK && !self->first && uv_poll_start(self->poll, UV_READABLE, on_readable) != 0)
    status = ck_error_set(err, CK_E_WAITING, "the terminal cannot be read");
  if (status != CK_OK) {
    free_asking(asking);
    return status;
  }
  while (*at) at = &(*at)->next;
  *at = asking;
  if (asking == self->first) show_question(self);
  *out = asking;
  return CK_OK;
}

static void report_cancelled(void *to) {
  ck_asking *asking = to;
  const ck_answer given = {.status = CK_E_INTERRUPTED};
  unlink_from(&asking->console->cancelled, asking);
  asking->answered(asking->to, &given);
  free_asking(asking);
}

static void cancel(void *to, ck_asking *asking) {
  console *self = to;
  if (asking->task.next) return;
  if (asking == self->first) show_text(self, "\n");
  remove_asking(self, asking);
  asking->next = self->cancelled;
  self->cancelled = asking;
  ck_loop_defer(self->options.loop, &asking->task, report_cancelled, asking);
}

static void show_reason(console *self, const char *why) {
  ck_buffer line = {0};
  ck_buffer_append_char(&line, '\n');
  append_lines(self, &line, why);
  ck_buffer_append_char(&line, '\n');
  show(self, &line);
  ck_buffer_clear(&line);
}

static void drop(void *to, ck_asking *asking, const char *why) {
  console *self = to;
  if (why && asking == self->first) show_reason(self, why);
  remove_asking(self, asking);
  unlink_from(&self->cancelled, asking);
  ck_loop_withdraw(&asking->task);
  free_asking(asking);
}

static void free_list(ck_asking *first) {
  while (first) {
    ck_asking *asking = first;
    first = asking->next;
    ck_loop_withdraw(&asking->task);
    free_asking(asking);
  }
}

static void on_closed(uv_handle_t *poll) { free(poll); }

static void free_console(void *to) {
  console *self = to;
  uv_poll_stop(self->poll);
  uv_close((uv_handle_t *)self->poll, on_closed);
  close(self->fd);
  free_list(self->first);
  free_list(self->cancelled);
  ck_buffer_clear(&self->text);
  free(self);
}

/* A process in the background that reads a terminal is stopped. */
static int open_terminal(const char *path) {
  int fd = open(path ? path : "/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  bool usable = fd >= 0 && isatty(fd) && (path || tcgetpgrp(fd) == getpgrp());
  if (usable || fd < 0) return fd;
  close(fd);
  return -1;
}

static ck_status open_poll(console *self, ck_error *err) {
  self->poll = malloc(sizeof *self->poll);
  if (!self->poll) return ck_error_no_memory(err);
  int failed = uv_poll_init(ck_loop_uv(self->options.loop), self->poll, self->fd);
  self->poll->data = self;
  return failed
             ? ck_error_set(err, CK_E_FAILED, "cannot watch the terminal: %s", uv_strerror(failed))
             : CK_OK;
}

ck_status ck_console_open(ck_asker **out, const ck_console_options *options, ck_error *err) {
  *out = NULL;
  int fd = open_terminal(options->path);
  if (fd < 0) return CK_OK;
  console *self = calloc(1, sizeof *self);
  ck_status status = self ? CK_OK : ck_error_no_memory(err);
  if (self) {
    self->options = *options;
    self->fd = fd;
    self->asker =
        (ck_asker){.self = self, .ask = ask, .cancel = cancel, .drop = drop, .free = free_console};
    status = open_poll(self, err);
  }
  if (status == CK_OK) {
    *out = &self->asker;
    return CK_OK;
  }
  if (self) free(self->poll);
  free(self);
  close(fd);
  return status;
}
