/* report.c - runs the commands whose answers the file holds, and puts them into the page. */
#include "core/host/ui/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/host/ui/child.h"
#include "core/host/ui/report_page.h"
#include "core/host/ui/route.h"

enum { ANSWER_MAX = 1 << 30 };

typedef struct report {
  const ck_host *host;
  ck_redactor *redactor;
  const char *session, *value; /* parameters of the requests: the session, and any other */
  ck_buffer json;
} report;

#define SESSION \
  { "session", NULL, true }

static const ck_ui_route shown = {
    .path = "session", .words = {"sessions", "show"}, .parameters = {SESSION}};
static const ck_ui_route events = {
    .path = "events", .words = {"sessions", "log", "--all"}, .parameters = {SESSION}};
static const ck_ui_route checkpoints = {
    .path = "checkpoints", .words = {"sessions", "checkpoints"}, .parameters = {SESSION}};
static const ck_ui_route why = {
    .path = "why", .words = {"policy", "explain", "--all"}, .parameters = {SESSION}};
static const ck_ui_route state = {.path = "state",
                                  .words = {"sessions", "inspect"},
                                  .parameters = {SESSION, {"at", "--checkpoint", true}}};

static const char *get_parameter(void *from, const char *name) {
  const report *self = from;
  return strcmp(name, "session") == 0 ? self->session : self->value;
}

/* What is stored cannot end the element that it lies in: every < of JSON is in a string. */
static void append_inert(ck_buffer *out, ck_bytes json) {
  while (json.len) {
    const char *found = memchr(json.data, '<', json.len);
    size_t len = found ? (size_t)(found - json.data) : json.len;
    ck_buffer_append(out, json.data, len);
    if (found) ck_buffer_append_text(out, "\\u003c");
    len += found != NULL;
    json = (ck_bytes){json.data + len, json.len - len};
  }
}

static ck_status put_line(report *self, ck_bytes line, bool first, ck_error *err) {
  ck_value *value = NULL, *clean = NULL;
  ck_status status = ck_value_copy(&value, line, err);
  if (status == CK_OK)
    status = ck_redactor_apply(&clean, self->redactor, CK_SINK_EXPORT, NULL, value, err);
  if (status == CK_OK && !first) ck_buffer_append_text(&self->json, ",\n");
  if (status == CK_OK && clean) append_inert(&self->json, ck_value_bytes(clean));
  ck_value_free(clean);
  ck_value_free(value);
  return status == CK_OK ? ck_buffer_check(&self->json, err) : status;
}

static ck_status put_lines(report *self, ck_bytes lines, bool first, ck_error *err) {
  ck_status status = CK_OK;
  while (status == CK_OK && lines.len) {
    const char *end = memchr(lines.data, '\n', lines.len);
    size_t len = end ? (size_t)(end - lines.data) : lines.len;
    if (len) status = put_line(self, (ck_bytes){lines.data, len}, first, err);
    first = first && !len;
    len += end != NULL;
    lines = (ck_bytes){lines.data + len, lines.len - len};
  }
  return status;
}

static ck_status ask(ck_ui_said *said, report *self, const ck_ui_route *route, ck_error *err) {
  ck_ui_words words;
  ck_status status = ck_ui_route_write(&words, route, self->host, get_parameter, self, err);
  if (status == CK_OK) status = ck_ui_child_run(said, words.list, (ck_bytes){0}, ANSWER_MAX, err);
  ck_ui_words_clear(&words);
  if (status == CK_OK && said->exit != 0)
    status = ck_error_set(err, CK_E_UNAVAILABLE, "the command for its %s ended with %d: %.*s",
                          route->path, said->exit, (int)said->errors.len,
                          said->errors.data ? said->errors.data : "");
  return status;
}

static ck_status put_answer(report *self, const char *name, const ck_ui_route *route,
                            ck_error *err) {
  ck_ui_said said = {0};
  ck_status status = ask(&said, self, route, err);
  ck_buffer_append_format(&self->json, ",\"%s\":[", name);
  if (status == CK_OK) status = put_lines(self, ck_buffer_bytes(&said.out), true, err);
  ck_buffer_append_text(&self->json, "]");
  ck_ui_said_clear(&said);
  return status;
}

/* Of one line of checkpoints. False: it has no state to show. */
static ck_status put_state(report *self, ck_bytes line, bool *first, ck_error *err) {
  ck_ui_said said = {0};
  ck_bytes id = ck_json_get(line, "id");
  char *name = id.len ? ck_json_dup_string(id) : NULL;
  self->value = name;
  ck_status status = name ? ask(&said, self, &state, err) : CK_OK;
  if (status == CK_OK) status = put_lines(self, ck_buffer_bytes(&said.out), *first, err);
  *first = *first && !said.out.len;
  self->value = NULL;
  free(name);
  ck_ui_said_clear(&said);
  return status;
}

static const ck_ui_route newest = {.path = "checkpoints",
                                   .words = {"sessions", "checkpoints"},
                                   .parameters = {SESSION, {"limit", "--limit", true}}};

/* The newest first, as long as there is room. */
static ck_status put_states_of(report *self, ck_bytes lines, ck_error *err) {
  ck_status status = CK_OK;
  bool first = true;
  size_t most = self->json.len + CK_UI_REPORT_STATE_MAX;
  while (status == CK_OK && lines.len && self->json.len < most) {
    size_t end = lines.len - (lines.data[lines.len - 1] == '\n'), begin = end;
    while (begin && lines.data[begin - 1] != '\n') begin--;
    status = put_state(self, (ck_bytes){lines.data + begin, end - begin}, &first, err);
    lines.len = begin;
  }
  return status;
}

static ck_status put_states(report *self, ck_error *err) {
  ck_ui_said said = {0};
  char limit[16];
  snprintf(limit, sizeof limit, "%d", CK_UI_REPORT_STATES);
  self->value = limit;
  ck_status status = ask(&said, self, &newest, err);
  ck_buffer_append_text(&self->json, ",\"states\":[");
  if (status == CK_OK) status = put_states_of(self, ck_buffer_bytes(&said.out), err);
  ck_buffer_append_text(&self->json, "]}");
  self->value = NULL;
  ck_ui_said_clear(&said);
  return status;
}

static ck_status put_recorded(report *self, ck_error *err) {
  char at[CK_TIME_TEXT_SIZE];
  ck_clock clock = ck_clock_system();
  ck_time_text(at, clock.wall_ms(clock.self));
  ck_buffer_append_format(&self->json, "{\"exported\":\"%s\"", at);
  ck_status status = put_answer(self, "session", &shown, err);
  if (status == CK_OK) status = put_answer(self, "events", &events, err);
  if (status == CK_OK) status = put_answer(self, "checkpoints", &checkpoints, err);
  if (status == CK_OK) status = put_answer(self, "why", &why, err);
  return status == CK_OK ? put_states(self, err) : status;
}

ck_status ck_ui_report_write(ck_buffer *out, const ck_host *host, const char *session,
                             ck_redactor *redactor, ck_error *err) {
  report self = {.host = host, .session = session, .redactor = redactor};
  ck_status status = put_recorded(&self, err);
  if (status == CK_OK) status = ck_buffer_check(&self.json, err);
  if (status == CK_OK) status = ck_ui_report_page_write(out, ck_buffer_bytes(&self.json), err);
  ck_buffer_clear(&self.json);
  return status;
}
