/* log.c - writes a line to stderr; escapes text for display. */
#include "core/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/utf8.h"

static _Atomic int threshold = CK_LOG_WARN;
static ck_log_filter line_filter;
static void *line_filter_self;

void ck_log_set_filter(ck_log_filter filter, void *self) {
  line_filter = filter;
  line_filter_self = self;
}

void ck_log_init(void) {
  static const char *const names[] = {"error", "warn", "info", "debug"};
  const char *wanted = getenv("CKRUN_LOG");
  if (!wanted || !*wanted) return;
  for (int level = 0; level <= CK_LOG_DEBUG; level++) {
    if (strcmp(wanted, names[level]) == 0) {
      atomic_store(&threshold, level);
      return;
    }
  }
  ck_log_line(CK_LOG_WARN, "CKRUN_LOG=%s: must be error, warn, info or debug", wanted);
}

void ck_log_raise(ck_log_level level) {
  if (atomic_load(&threshold) < (int)level) atomic_store(&threshold, (int)level);
}

/* A short write to stderr is continued; an error cannot be reported anywhere. */
static void write_all(ck_bytes line) {
  while (line.len > 0) {
    ssize_t done = write(STDERR_FILENO, line.data, line.len);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    line.data += done;
    line.len -= (size_t)done;
  }
}

static void append_text(ck_buffer *line, ck_bytes text) {
  if (!line_filter) {
    ck_escape_append(line, text);
    return;
  }
  ck_buffer seen = {0};
  line_filter(&seen, text, line_filter_self);
  if (seen.failed)
    line->failed = true;
  else
    ck_escape_append(line, ck_buffer_bytes(&seen));
  ck_buffer_clear(&seen);
}

void ck_log_line(ck_log_level level, const char *format, ...) {
  if ((int)level > atomic_load_explicit(&threshold, memory_order_relaxed)) return;
  int saved = errno;
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  ck_buffer line = {0};
  ck_buffer_append_text(&line, "ckrun: ");
  if (len >= 0) append_text(&line, (ck_bytes){text, (size_t)len});
  ck_buffer_append_char(&line, '\n');
  bool whole = len >= 0 && !line.failed;
  write_all(whole ? ck_buffer_bytes(&line) : ck_bytes_text("ckrun: out of memory for a message\n"));
  ck_buffer_clear(&line);
  if (len >= 0) free(text);
  errno = saved;
}

static void append_hex(ck_buffer *out, const char *bytes, size_t len) {
  for (size_t i = 0; i < len; i++) ck_buffer_append_format(out, "\\x%02x", (unsigned char)bytes[i]);
}

/* Most of what is shown: ASCII that prints. */
static size_t skip_printing(ck_bytes text, size_t at) {
  while (at < text.len && (unsigned char)(text.data[at] - ' ') < 0x7f - ' ') at++;
  return at;
}

void ck_escape_append(ck_buffer *out, ck_bytes text) {
  size_t plain = 0; /* from here to i nothing needs an escape */
  for (size_t i = skip_printing(text, 0); i < text.len; i = skip_printing(text, i)) {
    size_t len = ck_utf8_length(text.data + i, text.len - i);
    if (len > 0 && !ck_utf8_acts(ck_utf8_point(text.data + i, len))) {
      i += len;
      continue;
    }
    ck_buffer_append(out, text.data + plain, i - plain);
    if (text.data[i] == '\n') {
      ck_buffer_append_text(out, "\\n");
    } else if (text.data[i] == '\t') {
      ck_buffer_append_text(out, "\\t");
    } else {
      append_hex(out, text.data + i, len ? len : 1);
    }
    plain = i += len ? len : 1;
  }
  if (plain < text.len) ck_buffer_append(out, text.data + plain, text.len - plain);
}
