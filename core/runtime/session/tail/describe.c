/* describe.c - an event in one line, for a person. */
#include "core/runtime/session/tail/describe.h"

#include <string.h>

#include "core/model/media.h"
#include "core/runtime/budget/usage.h"

/* A string decoded, anything else as it is written. */
static void append_value(ck_buffer *out, ck_bytes value) {
  if (!ck_json_read_string(out, value)) ck_buffer_append_bytes(out, value);
}

static void append_call(ck_buffer *out, ck_bytes call) {
  ck_bytes function = ck_json_get(call, "function");
  if (function.len == 0) function = call;
  ck_bytes arguments = ck_json_get(function, "arguments");
  ck_buffer_append_text(out, " [calls ");
  append_value(out, ck_json_get(function, "name"));
  ck_buffer_append_char(out, ' ');
  append_value(out, arguments.len ? arguments : ck_json_get(function, "input"));
  ck_buffer_append_char(out, ']');
}

static void append_blocks(ck_buffer *out, ck_bytes content, int depth);

/* A block within a result is one within another. */
static void append_result(ck_buffer *out, ck_bytes block, int depth) {
  ck_bytes content = ck_json_get(block, "content");
  bool failed = false;
  ck_json_read_bool(&failed, ck_json_get(block, "is_error"));
  ck_buffer_append_text(out, failed ? " [error" : " [result");
  append_blocks(out, content, depth + 1);
  ck_buffer_append_char(out, ']');
}

/* What is none of these is shown as it is. */
static void append_block(ck_buffer *out, ck_bytes block, int depth) {
  ck_media media;
  if (ck_media_read(&media, block)) {
    ck_buffer_append_char(out, ' ');
    ck_media_append_caption(out, &media);
    return;
  }
  ck_bytes type = ck_json_get(block, "type"), text = ck_json_get(block, "text");
  if (ck_json_is_text(type, "tool_use") || ck_json_is_text(type, "toolCall")) {
    append_call(out, block);
    return;
  }
  if (ck_json_is_text(type, "tool_result") && depth == 0) {
    append_result(out, block, depth);
    return;
  }
  bool is_text = ck_json_is_text(type, "text") && ck_json_type_of(text) == CK_JSON_STRING;
  ck_buffer_append_char(out, ' ');
  append_value(out, is_text ? text : block);
}

/* A content is a text, a list of blocks, or what a tool gave. */
static void append_blocks(ck_buffer *out, ck_bytes content, int depth) {
  ck_json_iterator it = ck_json_iterate(content);
  bool blocks = ck_json_type_of(content) == CK_JSON_ARRAY && ck_json_next(&it) &&
                ck_json_type_of(ck_json_get(it.value, "type")) == CK_JSON_STRING;
  if (content.len == 0 || ck_json_type_of(content) == CK_JSON_NULL) return;
  if (!blocks) {
    ck_buffer_append_char(out, ' ');
    append_value(out, content);
    return;
  }
  for (it = ck_json_iterate(content); ck_json_next(&it);) append_block(out, it.value, depth);
}

void ck_describe_message(ck_buffer *out, ck_bytes message) {
  append_value(out, ck_json_get(message, "role"));
  ck_bytes name = ck_json_get(message, "name"), content = ck_json_get(message, "content");
  if (name.len) {
    ck_buffer_append_char(out, ' ');
    append_value(out, name);
  }
  ck_buffer_append_text(out, ":");
  append_blocks(out, content, 0);
  ck_json_iterator calls = ck_json_iterate(ck_json_get(message, "tool_calls"));
  while (ck_json_next(&calls)) append_call(out, calls.value);
}

/* "name value name value" for each member; a message in its own form. */
static void append_members(ck_buffer *out, ck_bytes body) {
  ck_json_iterator members = ck_json_iterate(body);
  for (bool first = true; ck_json_next(&members); first = false) {
    if (!first) ck_buffer_append_text(out, "  ");
    bool message = ck_bytes_equal(members.name, ck_bytes_text("\"message\"")) &&
                   ck_json_type_of(members.value) == CK_JSON_OBJECT;
    if (message) {
      ck_describe_message(out, members.value);
      continue;
    }
    append_value(out, members.name);
    ck_buffer_append_char(out, '=');
    append_value(out, members.value);
  }
}

/* The members that say most about an event, in order, without their names where the value speaks
 * for itself; an event of another kind shows all of them. */
typedef struct outline {
  ck_event_kind kind;
  const char *names[9];
} outline;

static const char reserved_name[] = "reserved"; /* of an outcome: micro-dollars */

static const outline outlines[] = {
    {CK_EVENT_SESSION_STARTED, {"flow", "profile"}},
    {CK_EVENT_SESSION_RESUMED, {"checkpoint", "attempt"}},
    {CK_EVENT_SESSION_PAUSED, {"reason"}},
    {CK_EVENT_SESSION_FAILED, {"reason"}},
    {CK_EVENT_SESSION_COMPLETED, {"reason", "result"}},
    {CK_EVENT_SESSION_CANCELLED, {"reason"}},
    {CK_EVENT_SESSION_FORKED, {"origin", "checkpoint"}},
    {CK_EVENT_SESSION_REWOUND, {"checkpoint", "left"}},
    {CK_EVENT_SESSION_UNDONE, {"checkpoint", "undone"}},
    {CK_EVENT_MESSAGE, {"message"}},
    {CK_EVENT_INTENT, {"key", "class", "model", "request"}},
    {CK_EVENT_OUTCOME,
     {"key", "status", "model", "error", reserved_name, "note", "message", "result"}},
    {CK_EVENT_REPLAY, {"key", "of"}},
    {CK_EVENT_RESOLUTION, {"key", "verdict", "policy", "result"}},
    {CK_EVENT_RESUME_REFUSED, {"reason", "policy"}},
    {CK_EVENT_RESUME_APPROVAL, {"question", "answer", "policies"}},
    {CK_EVENT_BOUNDARY, {"kind", "node", "checkpoint"}},
    {CK_EVENT_PRUNE, {"ids", "bytes"}}, /* who said what is `policy explain`'s to tell */
};

static bool is_named(const char *name) {
  return strcmp(name, "attempt") == 0 || strcmp(name, "of") == 0 ||
         strcmp(name, reserved_name) == 0 || strcmp(name, "note") == 0 ||
         strcmp(name, "model") == 0 || strcmp(name, "ids") == 0 || strcmp(name, "bytes") == 0 ||
         strcmp(name, "policy") == 0 || strcmp(name, "policies") == 0 ||
         strcmp(name, "origin") == 0 || strcmp(name, "left") == 0 || strcmp(name, "undone") == 0;
}

/* An amount of a dimension as it is stored, with its unit for people. */
static void append_amount(ck_buffer *out, ck_dimension dimension, ck_bytes value) {
  int64_t amount;
  char text[CK_LIMITS_AMOUNT_SIZE];
  if (!ck_json_read_int(&amount, value)) {
    append_value(out, value);
    return;
  }
  ck_limits_write_amount(text, dimension, amount);
  ck_buffer_append_text(out, text);
}

/* "hit  budget of agent ann  $0.05 of $0.04". */
static bool append_constraint(ck_buffer *out, ck_bytes body) {
  ck_bytes name = ck_json_get(body, "dimension"), agent = ck_json_get(body, "agent");
  ck_dimension d = 0;
  while (d < CK_DIMENSION_COUNT && !ck_json_is_text(name, ck_dimension_name(d))) d++;
  if (d == CK_DIMENSION_COUNT) return false;
  append_value(out, ck_json_get(body, "what"));
  ck_buffer_append_format(out, "  %s", ck_dimension_name(d));
  if (agent.len) ck_buffer_append_text(out, " of agent ");
  append_value(out, agent);
  ck_buffer_append_text(out, "  ");
  append_amount(out, d, ck_json_get(body, "spent"));
  ck_buffer_append_text(out, " of ");
  append_amount(out, d, ck_json_get(body, "limit"));
  return true;
}

/* A tool's error is in the model's message already. Where nothing was reserved, or nobody knows how
 * much (of a call that was lost it is written all the same), there is no amount to tell. */
static bool is_told(const char *name, ck_bytes value, ck_bytes body) {
  int64_t reserved = 0;
  if (strcmp(name, "error") == 0) return value.len && !ck_json_get(body, "message").len;
  if (strcmp(name, reserved_name) != 0) return value.len > 0;
  return ck_json_read_int(&reserved, value) && reserved > 0;
}

static void append_outline(ck_buffer *out, const outline *o, ck_bytes body) {
  bool first = true;
  for (size_t i = 0; o->names[i]; i++) {
    ck_bytes value = ck_json_get(body, o->names[i]);
    if (!is_told(o->names[i], value, body)) continue;
    if (!first) ck_buffer_append_text(out, "  ");
    first = false;
    bool is_message = strcmp(o->names[i], "message") == 0 ||
                      (strcmp(o->names[i], "result") == 0 && ck_json_get(body, "aside").len > 0);
    bool message = is_message && ck_json_type_of(value) == CK_JSON_OBJECT;
    if (is_named(o->names[i])) ck_buffer_append_format(out, "%s ", o->names[i]);
    bool is_status = strcmp(o->names[i], "status") == 0;
    bool unknown = is_status && ck_json_is_text(value, "unknown"),
         denied = is_status && ck_json_get(body, "denied").len > 0;
    if (message)
      ck_describe_message(out, value);
    else if (denied)
      ck_buffer_append_text(out, "denied");
    else if (strcmp(o->names[i], reserved_name) == 0)
      append_amount(out, CK_DIMENSION_BUDGET, value);
    else
      append_value(out, value);
    if (unknown) ck_buffer_append_text(out, ": may have happened");
  }
}

void ck_describe_event(ck_buffer *out, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  for (size_t i = 0; i < sizeof outlines / sizeof *outlines; i++)
    if (outlines[i].kind == event->kind) {
      append_outline(out, &outlines[i], body);
      return;
    }
  if (event->kind != CK_EVENT_CONSTRAINT || !append_constraint(out, body))
    append_members(out, body);
}
