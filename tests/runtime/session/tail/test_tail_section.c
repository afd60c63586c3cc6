/* test_tail_section.c - a tail's text is the heading word for word, then each event on a line of
 * its own, whatever it says. */
#include "core/runtime/session/tail/tail_section.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static ck_event *make_event(ck_event_kind kind, int64_t at_ms, const char *agent,
                            const char *body) {
  ck_value *value = NULL;
  ck_event *made = NULL;
  if (ck_value_new(&value, ck_bytes_text(body), NULL) != CK_OK) abort();
  ck_event from = {.seq = 7,
                   .timeline = 1,
                   .kind = kind,
                   .at_ms = at_ms,
                   .scope = "main",
                   .agent = agent,
                   .body = value};
  if (ck_event_new(&made, &from, NULL) != CK_OK) abort();
  ck_value_free(value);
  return made;
}

static void is_line(ck_event_kind kind, int64_t at_ms, const char *agent, const char *body,
                    const char *want) {
  ck_event *event = make_event(kind, at_ms, agent, body);
  ck_buffer line = {0};
  ck_tail_append_line(&line, event);
  tap_is_bytes(ck_buffer_bytes(&line), ck_bytes_text(want), "a %s is a line",
               ck_event_kind_name(kind));
  ck_buffer_clear(&line);
  ck_event_free(event);
}

static void test_lines(void) {
  is_line(CK_EVENT_MESSAGE, 1767225599123, "ann",
          "{\"message\":{\"role\":\"user\",\"content\":\"hello\"}}",
          "2025-12-31T23:59:59.123Z message ann: user: hello");
  is_line(CK_EVENT_MESSAGE, 0, NULL, "{\"message\":{\"role\":\"user\",\"content\":\"hello\"}}",
          "message -: user: hello");
  is_line(CK_EVENT_DELEGATION, 0, "lead", "{\"id\":\"d1\",\"target\":\"ann\",\"message\":\"look\"}",
          "delegation lead: id=d1  target=ann  message=look");
  is_line(CK_EVENT_NOTE, 0, "a\nnote b: x", "{\"t\":\"one\\ntwo\\r\\t\\u001b[31m\\u2028end\"}",
          "note a\\nnote b: x: t=one\\ntwo\\x0d\\t\\x1b[31m\\xe2\\x80\\xa8end");
  is_line(CK_EVENT_NOTE, 0, "ann", "{}", "note ann: ");
}

/* A beginning of `unit`s, and how much is missing. */
static void is_cut(const char *unit, size_t units) {
  size_t size = strlen(unit);
  ck_buffer body = {0}, line = {0}, want = {0};
  ck_buffer_append_text(&body, "{\"t\":\"");
  for (size_t i = 0; i < units; i++) ck_buffer_append_text(&body, unit);
  ck_buffer_append_text(&body, "\"}");
  ck_event *event = make_event(CK_EVENT_NOTE, 0, "ann", body.data);
  ck_tail_append_line(&line, event);
  size_t whole = 2 + units * size, kept = (CK_TAIL_TEXT_MAX - 2) / size; /* "t=" */
  ck_buffer_append_text(&want, "note ann: t=");
  for (size_t i = 0; i < kept && i < units; i++) ck_buffer_append_text(&want, unit);
  if (whole > CK_TAIL_TEXT_MAX)
    ck_buffer_append_format(&want, "… (%zu more bytes)", whole - 2 - kept * size);
  tap_is_bytes(ck_buffer_bytes(&line), ck_buffer_bytes(&want), "%zu times %s", units, unit);
  ck_event_free(event);
  ck_buffer_clear(&body);
  ck_buffer_clear(&line);
  ck_buffer_clear(&want);
}

static void test_long_lines(void) {
  is_cut("x", CK_TAIL_TEXT_MAX - 2);
  is_cut("x", CK_TAIL_TEXT_MAX - 1);
  is_cut("é", 2000);
  is_cut("€", 2000);
  is_cut("😀", 2000);
}

static void test_section(void) {
  ck_event *events[] = {make_event(CK_EVENT_NOTE, 0, "ann", "{\"n\":1}"),
                        make_event(CK_EVENT_NOTE, 0, "bob", "{\"n\":2}")};
  ck_buffer text = {0};
  ck_tail_append_section(&text, &(ck_tail){events, 0});
  tap_is_int((int64_t)text.len, 0, "an empty tail has no text, and no heading");
  ck_tail_append_section(&text, &(ck_tail){events, 2});
  tap_is_bytes(
      ck_buffer_bytes(&text),
      ck_bytes_text(
          "## Session Context (Resumed)\n"
          "This session was paused and has now resumed. Below is a summary of recent activity\n"
          "you were involved in before the pause.\n"
          "note ann: n=1\n"
          "note bob: n=2"),
      "the heading word for word, then a line for each event");
  ck_buffer_clear(&text);
  ck_event_free(events[0]);
  ck_event_free(events[1]);
}

int main(void) {
  test_lines();
  test_long_lines();
  test_section();
  return tap_done();
}
