/* tail_section.c - writes an agent's tail as the text that enters its context when its session is
 * resumed. */
#include "core/runtime/session/tail/tail_section.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/utf8.h"
#include "core/runtime/session/tail/describe.h"

static const char heading[] =
    "## Session Context (Resumed)\n"
    "This session was paused and has now resumed. Below is a summary of recent activity\n"
    "you were involved in before the pause.";

static void append_text(ck_buffer *out, const ck_event *event) {
  ck_buffer text = {0};
  ck_describe_event(&text, event);
  ck_bytes whole = ck_buffer_bytes(&text);
  size_t len =
      whole.len <= CK_TAIL_TEXT_MAX ? whole.len : ck_utf8_cut(whole.data, CK_TAIL_TEXT_MAX);
  ck_escape_append(out, (ck_bytes){whole.data, len});
  if (len < whole.len) ck_buffer_append_format(out, "… (%zu more bytes)", whole.len - len);
  if (text.failed) out->failed = true;
  ck_buffer_clear(&text);
}

void ck_tail_append_line(ck_buffer *out, const ck_event *event) {
  char time[CK_TIME_TEXT_SIZE];
  if (event->at_ms) {
    ck_time_text(time, event->at_ms);
    ck_buffer_append_format(out, "%s ", time);
  }
  const char *kind = ck_event_kind_name(event->kind);
  ck_buffer_append_text(out, kind ? kind : "event");
  ck_buffer_append_char(out, ' ');
  ck_escape_append(out, ck_bytes_text(event->agent ? event->agent : "-"));
  ck_buffer_append_text(out, ": ");
  append_text(out, event);
}

void ck_tail_append_heading(ck_buffer *out) { ck_buffer_append_text(out, heading); }

void ck_tail_append_section(ck_buffer *out, const ck_tail *tail) {
  if (tail->count == 0) return;
  ck_tail_append_heading(out);
  for (size_t i = 0; i < tail->count; i++) {
    ck_buffer_append_char(out, '\n');
    ck_tail_append_line(out, tail->events[i]);
  }
}

ck_status ck_tail_section(ck_buffer *out, ck_store *store, const ck_tail_query *query,
                          ck_error *err) {
  ck_tail tail;
  ck_status status = ck_tail_read(&tail, store, query, err);
  if (status != CK_OK) return status;
  ck_tail_append_section(out, &tail);
  ck_tail_clear(&tail);
  return ck_buffer_check(out, err);
}
