/* describe.c - an event in one line, for a person. */
#include "core/host/describe.h"

#include <string.h>

/* A string decoded, anything else as it is written. */
static void append_value(ck_buffer *out, ck_bytes value) {
  if (!ck_json_read_string(out, value)) ck_buffer_append_bytes(out, value);
}

static void append_call(ck_buffer *out, ck_bytes call) {
  ck_bytes function = ck_json_get(call, "function");
  if (function.len == 0) function = call;
  ck_buffer_append_text(out, " [calls ");
  append_value(out, ck_json_get(function, "name"));
  ck_buffer_append_char(out, ' ');
  append_value(out, ck_json_get(function, "arguments"));
  ck_buffer_append_char(out, ']');
}

void ck_describe_message(ck_buffer *out, ck_bytes message) {
  append_value(out, ck_json_get(message, "role"));
  ck_bytes name = ck_json_get(message, "name"), content = ck_json_get(message, "content");
  if (name.len) {
    ck_buffer_append_char(out, ' ');
    append_value(out, name);
  }
  ck_buffer_append_text(out, ":");
  if (content.len && ck_json_type_of(content) != CK_JSON_NULL) {
    ck_buffer_append_char(out, ' ');
    append_value(out, content);
  }
  ck_json_iterator calls = ck_json_iterate(ck_json_get(message, "tool_calls"));
  while (ck_json_next(&calls)) append_call(out, calls.value);
}

/* "name value name value" for each member; a message in its own form. */
static void append_members(ck_buffer *out, ck_bytes body) {
  ck_json_iterator members = ck_json_iterate(body);
  for (bool first = true; ck_json_next(&members); first = false) {
    if (!first) ck_buffer_append_text(out, "  ");
    bool message = ck_bytes_equal(members.name, ck_bytes_text("\"message\"")) && ck_json_type_of(members.value) == CK_JSON_OBJECT;
    if (message) {
      ck_describe_message(out, members.value);
      continue;
    }
    append_value(out, members.name);
    ck_buffer_append_char(out, '=');
    append_value(out, members.value);
  }
}

/* The members that say most about an event, by kind; all of them where nothing is listed. */
static const char *const *members_of(ck_event_kind kind) {
  static const char *const started[] = {"flow", "profile", NULL}, *const resumed[] = {"checkpoint", "attempt", NULL},
                    *const boundary[] = {"kind", "checkpoint", NULL};
  if (kind == CK_EVENT_SESSION_STARTED) return started;
  if (kind == CK_EVENT_SESSION_RESUMED) return resumed;
  if (kind == CK_EVENT_BOUNDARY) return boundary;
  return NULL;
}

void ck_describe_event(ck_buffer *out, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body), message = ck_json_get(body, "message");
  const char *const *names = members_of(event->kind);
  if (event->kind == CK_EVENT_MESSAGE && ck_json_type_of(message) == CK_JSON_OBJECT) {
    ck_describe_message(out, message);
    return;
  }
  if (!names) {
    append_members(out, body);
    return;
  }
  for (size_t i = 0; names[i]; i++) {
    ck_bytes value = ck_json_get(body, names[i]);
    if (value.len == 0) continue;
    if (i) ck_buffer_append_text(out, "  ");
    ck_buffer_append_format(out, "%s=", names[i]);
    append_value(out, value);
  }
}
