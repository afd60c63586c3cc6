/* refusal.c - a line for each worker that has not begun a session: when, who, why. */
#include "core/store/refusal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"

/* What has a tab or a line of its own would be taken for another part. */
static void put_word(ck_buffer *out, const char *text, size_t most) {
  for (size_t i = 0; text[i] && i < most - 1; i++)
    ck_buffer_append_char(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
}

static void put_line(ck_buffer *out, const ck_refusal *of) {
  ck_buffer_append_format(out, "%" PRId64 "\t", of->at_ms);
  put_word(out, of->by, sizeof of->by);
  ck_buffer_append_char(out, '\t');
  put_word(out, of->text, sizeof of->text);
  ck_buffer_append_char(out, '\n');
}

static void take_word(char *out, size_t size, const char *from, const char *to) {
  snprintf(out, size, "%.*s", (int)(to - from), from);
}

/* A text that is no such line is somebody else's. */
static bool read_line(ck_refusal *out, const char *line, const char *end) {
  char *stop;
  const char *by = memchr(line, '\t', (size_t)(end - line));
  const char *text = by ? memchr(by + 1, '\t', (size_t)(end - by - 1)) : NULL;
  if (!text) return false;
  out->at_ms = strtoll(line, &stop, 10);
  if (stop != by || out->at_ms <= 0) return false;
  take_word(out->by, sizeof out->by, by + 1, text);
  take_word(out->text, sizeof out->text, text + 1, end);
  return true;
}

void ck_store_get_refusals(ck_refusals *out, ck_store *self, const char *session_id) {
  char text[CK_REFUSALS_SIZE];
  const ck_refusal_functions *of = &self->backend.worker.refusals;
  *out = (ck_refusals){0};
  if (!of->get) return;
  of->get(text, self->backend.self, session_id);
  for (const char *line = text; *line && out->count < CK_REFUSALS_MAX;) {
    const char *end = strchr(line, '\n');
    if (!end) return;
    out->count += read_line(&out->list[out->count], line, end);
    line = end + 1;
  }
}

/* Two workers that say something at the same time may keep one word of it: the other one says it
 * again with its next try. */
void ck_store_put_refusal(ck_store *self, const char *session_id, const ck_refusal *what) {
  ck_refusals before;
  ck_buffer text = {0};
  if (!self->backend.worker.refusals.put) return;
  ck_store_get_refusals(&before, self, session_id);
  put_line(&text, what);
  size_t kept = 1;
  for (size_t i = 0; i < before.count && kept < CK_REFUSALS_MAX; i++) {
    if (strcmp(before.list[i].by, what->by) == 0) continue;
    put_line(&text, &before.list[i]);
    kept++;
  }
  ck_buffer_append(&text, "", 1);
  if (!text.failed) self->backend.worker.refusals.put(self->backend.self, session_id, text.data);
  ck_buffer_clear(&text);
}
