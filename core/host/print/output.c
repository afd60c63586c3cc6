/* output.c - the program's output: data to stdout, notices to stderr, stored text only redacted and
 * escaped. */
#include "core/host/print/output.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/host/print/format.h"

static int width_of(int fd) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 0;
}

/* The output that log lines go to; a program has one output. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void filter_log(ck_buffer *out, ck_bytes text, void *to) {
  ck_output *self = to;
  ck_error ignored = CK_ERROR_INIT;
  ck_output_hide_live(self);
  pthread_mutex_lock(&log_lock);
  if (!self->log_redactor)
    ck_buffer_append_bytes(out, text);
  else if (ck_redactor_apply_text(out, self->log_redactor, CK_SINK_LOG, text, &ignored) != CK_OK)
    out->failed = true;
  pthread_mutex_unlock(&log_lock);
}

ck_status ck_output_open(ck_output *out, ck_error *err) {
  memset(out, 0, sizeof *out);
  const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
  bool dumb = !term || strcmp(term, "dumb") == 0;
  out->terminal = isatty(STDOUT_FILENO);
  out->notice_terminal = isatty(STDERR_FILENO) && !dumb;
  out->notice_color = out->notice_terminal && !(no_color && *no_color);
  out->color = out->terminal && !dumb && !(no_color && *no_color);
  if (out->terminal) out->width = width_of(STDOUT_FILENO);
  if (out->notice_terminal) out->notice_width = width_of(STDERR_FILENO);
  ck_log_set_filter(filter_log, out);
  return ck_redactor_new(&out->redactor, err);
}

void ck_output_close(ck_output *self) {
  ck_log_set_filter(NULL, NULL);
  ck_buffer_clear(&self->problems);
  ck_redactor_free(self->log_redactor);
  ck_redactor_free(self->redactor);
  self->redactor = self->log_redactor = NULL;
}

void ck_output_set_fingerprint_key(ck_output *self, const uint8_t *key) {
  ck_redactor_set_fingerprint_key(self->redactor, key);
  pthread_mutex_lock(&log_lock);
  if (self->log_redactor) ck_redactor_set_fingerprint_key(self->log_redactor, key);
  pthread_mutex_unlock(&log_lock);
}

ck_status ck_output_guard_log(ck_output *self, ck_error *err) {
  pthread_mutex_lock(&log_lock);
  ck_status status = self->log_redactor ? CK_OK : ck_redactor_new(&self->log_redactor, err);
  if (status == CK_OK) status = ck_redactor_copy_secrets(self->log_redactor, self->redactor, err);
  pthread_mutex_unlock(&log_lock);
  return status;
}

/* From any thread, since log lines come from any. */
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

static void erase(ck_output *self) {
  if (self->live) fputs("\r\033[K", stderr);
  self->live = false;
}

void ck_output_hide_live(ck_output *self) {
  pthread_mutex_lock(&live_lock);
  erase(self);
  pthread_mutex_unlock(&live_lock);
}

void ck_output_show_live(ck_output *self, ck_bytes line) {
  if (self->quiet) return;
  int width = width_of(STDERR_FILENO); /* it may have been resized */
  if (width > 1) line.len = ck_format_cut(line, (size_t)width - 1);
  pthread_mutex_lock(&live_lock);
  fprintf(stderr, "\r\033[K%.*s", (int)line.len, line.data ? line.data : "");
  fflush(stderr);
  self->live = true;
  pthread_mutex_unlock(&live_lock);
}

void ck_output_show_line(ck_output *self, ck_bytes line, ck_tone tone) {
  if (self->quiet) return;
  int width = width_of(STDERR_FILENO);
  size_t len = width > 1 ? ck_format_cut(line, (size_t)width - 1) : line.len;
  if (!self->notice_color) tone = CK_TONE_PLAIN;
  pthread_mutex_lock(&live_lock);
  erase(self);
  fprintf(stderr, "%s%.*s%s%s\n", ck_tone_on(tone), (int)len, line.data ? line.data : "",
          len < line.len ? "…" : "", ck_tone_off(tone));
  pthread_mutex_unlock(&live_lock);
}

/* A reader that went away is none. */
static void keep_failure(ck_output *self) {
  if (errno == EPIPE) self->unread = true;
  if (errno == EPIPE) return;
  self->failed = true;
  if (!self->cause) self->cause = errno;
}

static void keep(ck_output *self, ck_bytes text) {
  bool fits = !self->failed && text.len <= CK_OUTPUT_KEPT_MAX - self->kept->len;
  if (fits) ck_buffer_append_bytes(self->kept, text);
  if (fits && !self->kept->failed) return;
  self->failed = true;
  if (!self->cause) self->cause = fits ? ENOMEM : EFBIG;
}

void ck_output_write(ck_output *self, ck_bytes text) {
  if (self->kept) {
    keep(self, text);
    return;
  }
  if (self->terminal) ck_output_hide_live(self);
  if (fwrite(text.data ? text.data : "", 1, text.len, stdout) != text.len) keep_failure(self);
}

void ck_output_print(ck_output *self, const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  if (len < 0)
    keep_failure(self);
  else
    ck_output_write(self, (ck_bytes){text, (size_t)len});
  if (len >= 0) free(text);
}

bool ck_output_is_read(ck_output *self) {
  self->cut |= self->unread;
  return !self->unread;
}

static ck_status check_kept(ck_output *self, ck_error *err) {
  bool failed = self->failed, oversize = self->cause == EFBIG;
  self->failed = false;
  self->cause = 0;
  if (!failed) return CK_OK;
  if (!oversize) return ck_error_no_memory(err);
  return ck_error_set(err, CK_E_OVERSIZE, "it has more than %d MiB: ask for less of it",
                      CK_OUTPUT_KEPT_MAX >> 20);
}

ck_status ck_output_flush(ck_output *self, ck_error *err) {
  if (self->kept) return check_kept(self, err);
  errno = 0;
  bool flushed = fflush(stdout) == 0;
  if (!flushed && errno == EPIPE) {
    self->unread = true;
  } else if (!flushed) {
    self->failed = false; /* reported once */
    return ck_error_set(err, CK_E_IO, "stdout: %s", strerror(errno));
  }
  if (!self->failed) return CK_OK;
  self->failed = false;
  return ck_error_set(err, CK_E_IO, "stdout: %s",
                      self->cause ? strerror(self->cause) : "not everything could be written");
}

ck_status ck_output_flush_shown(ck_output *self, ck_error *err) {
  ck_status status = ck_output_flush(self, err);
  (void)ck_output_is_read(self);
  return status;
}

/* On a terminal in lines that end at blanks, the ones that follow a little further in. */
static void append_message(ck_buffer *to, ck_bytes text, int width) {
  enum { INDENT = 2, LEAST = 20 };
  size_t columns = width < LEAST ? SIZE_MAX : (size_t)width;
  for (size_t indent = 0; text.len > 0; indent = INDENT) {
    size_t len = columns == SIZE_MAX ? text.len : ck_format_line(text, columns - indent);
    if (indent) ck_buffer_append_format(to, "%*s", (int)indent, "");
    ck_buffer_append(to, text.data, len);
    ck_buffer_append_char(to, '\n');
    while (len < text.len && text.data[len] == ' ') len++;
    text = (ck_bytes){text.data + len, text.len - len};
  }
}

/* A line for people, whether or not it is quiet. */
static void print_line(ck_output *self, const char *format, va_list args) {
  char *text = NULL;
  int len = vasprintf(&text, format, args);
  if (len < 0) return;
  ck_buffer line = {0}, lines = {0};
  ck_output_append_safe(self, &line, (ck_bytes){text, (size_t)len});
  append_message(&lines, ck_buffer_bytes(&line), self->notice_width);
  ck_output_hide_live(self);
  if (!line.failed && !lines.failed) fwrite(lines.data, 1, lines.len, stderr);
  ck_buffer_clear(&line);
  ck_buffer_clear(&lines);
  free(text);
}

void ck_output_notice(ck_output *self, const char *format, ...) {
  va_list args;
  if (self->json || self->quiet) return;
  va_start(args, format);
  print_line(self, format, args);
  va_end(args);
}

static void print_problem(ck_output *self, const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_line(self, format, args);
  va_end(args);
}

void ck_output_problem(ck_output *self, const char *text) {
  if (self->json)
    ck_buffer_append(&self->problems, text, strlen(text) + 1);
  else
    print_problem(self, "problem: %s", text);
}

static void append_json_problems(ck_json_writer *w, const ck_output *self) {
  const char *text = self->problems.data, *end = text ? text + self->problems.len : NULL;
  if (!text || self->problems.failed) return;
  ck_json_name(w, "problems");
  ck_json_begin(w, '[');
  for (; text < end; text += strlen(text) + 1) {
    ck_buffer clean = {0};
    ck_error ignored = CK_ERROR_INIT;
    if (!self->redactor)
      ck_buffer_append_text(&clean, text);
    else if (ck_redactor_apply_text(&clean, self->redactor, CK_SINK_TERMINAL, ck_bytes_text(text),
                                    &ignored) != CK_OK)
      ck_buffer_reset(&clean);
    ck_error_make_line(clean.data, clean.len);
    ck_json_put_string(w, ck_buffer_bytes(&clean));
    ck_buffer_clear(&clean);
  }
  ck_json_end(w, ']');
}

static void append_json_error(const ck_output *self, ck_buffer *to, const ck_error *err,
                              ck_bytes text) {
  ck_json_writer w = {.out = to};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, CK_OUTPUT_VERSION_NAME, CK_OUTPUT_VERSION);
  ck_json_name(&w, "error");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "status", ck_status_name(err->status));
  ck_json_member_string(&w, "text", text);
  ck_json_member_int(&w, "exit", ck_status_exit(err->status));
  if (*self->policy) ck_json_member_text(&w, "policy", self->policy);
  if (*self->policy) ck_json_member_text(&w, "hook", self->hook);
  append_json_problems(&w, self);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
}

void ck_output_error(ck_output *self, const ck_error *err) {
  fflush(stdout);
  ck_output_hide_live(self);
  ck_bytes text = ck_bytes_text(err->text[0] ? err->text : ck_status_text(err->status));
  ck_buffer clean = {0}, line = {0}, lines = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (!self->redactor)
    ck_buffer_append_bytes(&clean, text);
  else if (ck_redactor_apply_text(&clean, self->redactor, CK_SINK_TERMINAL, text, &ignored) !=
           CK_OK)
    ck_buffer_reset(&clean);
  ck_error_make_line(clean.data, clean.len);
  if (self->json) {
    ck_buffer json = {0};
    append_json_error(self, &json, err, ck_buffer_bytes(&clean));
    ck_json_append_visible(&line, ck_buffer_bytes(&json));
    line.failed |= json.failed;
    ck_buffer_clear(&json);
  } else {
    ck_buffer_append_text(&line, "ckrun: ");
    ck_escape_append(&line, ck_buffer_bytes(&clean));
  }
  append_message(&lines, ck_buffer_bytes(&line), self->json ? 0 : self->notice_width);
  if (line.failed || lines.failed)
    fputs("ckrun: out of memory\n", stderr);
  else
    fwrite(lines.data, 1, lines.len, stderr);
  ck_buffer_clear(&line);
  ck_buffer_clear(&lines);
  ck_buffer_clear(&clean);
}

/* What escapes leave: `kept`, none of which a terminal takes for a command. */
static void append_escaped(ck_buffer *to, ck_bytes text, const char *kept) {
  while (text.len > 0) {
    size_t len = *kept ? 0 : text.len;
    while (len < text.len && (!text.data[len] || !strchr(kept, text.data[len]))) len++;
    ck_escape_append(to, (ck_bytes){text.data, len});
    if (len < text.len) ck_buffer_append_char(to, text.data[len++]);
    text = (ck_bytes){text.data + len, text.len - len};
  }
}

static void append_clean(ck_output *self, ck_buffer *to, ck_bytes text, const char *kept) {
  ck_buffer clean = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (ck_redactor_apply_text(&clean, self->redactor, CK_SINK_TERMINAL, text, &ignored) == CK_OK &&
      !clean.failed)
    append_escaped(to, ck_buffer_bytes(&clean), kept);
  else
    to->failed = true;
  ck_buffer_clear(&clean);
}

void ck_output_append_safe(ck_output *self, ck_buffer *to, ck_bytes text) {
  append_clean(self, to, text, "");
}

void ck_output_append_lines(ck_output *self, ck_buffer *to, ck_bytes text) {
  append_clean(self, to, text, "\n\t");
}

ck_status ck_output_print_text(ck_output *self, ck_bytes text, ck_error *err) {
  ck_buffer safe = {0};
  if (self->terminal)
    ck_output_append_lines(self, &safe, text);
  else
    ck_buffer_append_bytes(&safe, text);
  ck_status status = ck_buffer_check(&safe, err);
  if (status == CK_OK) ck_output_write(self, ck_buffer_bytes(&safe));
  ck_buffer_clear(&safe);
  return status == CK_OK ? ck_output_flush_shown(self, err) : status;
}
