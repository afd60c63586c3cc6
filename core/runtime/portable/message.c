/* message.c - reads the roles, words and calls of messages, in whichever way they are spelt. */
#include "core/runtime/portable/message.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/model/media.h"

bool ck_message_is(ck_bytes message, const char *role) {
  return ck_json_is_text(ck_json_get(message, "role"), role);
}

bool ck_message_is_prompt(ck_bytes message) {
  return ck_message_is(message, "system") || ck_message_is(message, "developer");
}

bool ck_message_is_result(ck_bytes message) {
  return ck_message_is(message, "tool") || ck_message_is(message, "function");
}

/* ---- words ---- */

static void append_blocks(ck_buffer *out, ck_bytes content) {
  ck_json_iterator it = ck_json_iterate(content);
  bool begun = false;
  while (ck_json_next(&it)) {
    ck_bytes text = ck_json_get(it.value, "text");
    ck_media media;
    bool image = ck_media_read(&media, it.value);
    if (!image && ck_json_type_of(text) != CK_JSON_STRING) continue;
    if (begun) ck_buffer_append_char(out, '\n');
    if (image)
      ck_media_append_caption(out, &media);
    else
      ck_json_read_string(out, text);
    begun = true;
  }
}

/* An array whose elements have a type: blocks; any other array is a value that a tool gave. */
static bool is_blocks(ck_bytes content) {
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return false;
  ck_json_iterator it = ck_json_iterate(content);
  while (ck_json_next(&it))
    if (ck_json_type_of(ck_json_get(it.value, "type")) != CK_JSON_STRING) return false;
  return ck_json_count(content) > 0;
}

void ck_message_append_text(ck_buffer *out, ck_bytes content) {
  ck_json_type type = ck_json_type_of(content);
  if (type == CK_JSON_NONE || type == CK_JSON_NULL || ck_json_read_string(out, content)) return;
  if (is_blocks(content))
    append_blocks(out, content);
  else
    ck_buffer_append_bytes(out, content);
}

/* ---- calls ---- */

void ck_message_calls_clear(ck_message_calls *self) {
  free(self->list);
  *self = (ck_message_calls){0};
}

static void push(ck_message_calls *self, const ck_message_call *call) {
  ck_message_call *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->failed = true;
    return;
  }
  self->list = list;
  self->list[self->count++] = *call;
}

static ck_bytes member(ck_bytes object, const char *name, const char *other) {
  ck_bytes value = ck_json_get(object, name);
  return value.len ? value : ck_json_get(object, other);
}

ck_bytes ck_message_call_list(const char **name, ck_bytes message) {
  static const char *const names[] = {"tool_calls", "toolCalls"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ck_bytes list = ck_json_get(message, names[i]);
    *name = names[i];
    if (ck_json_type_of(list) == CK_JSON_ARRAY) return list;
  }
  return (ck_bytes){0};
}

ck_bytes ck_message_answers(const char **name, ck_bytes message) {
  ck_bytes id = ck_json_get(message, "toolCallId");
  bool camel = id.len || ck_json_get(message, "toolName").len;
  *name = camel ? "toolCallId" : "tool_call_id";
  return id.len ? id : ck_json_get(message, "tool_call_id");
}

static void read_blocks(ck_message_calls *self, ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content");
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return;
  ck_json_iterator it = ck_json_iterate(content);
  while (ck_json_next(&it)) {
    ck_bytes type = ck_json_get(it.value, "type");
    if (ck_json_is_text(type, "tool_use") || ck_json_is_text(type, "toolCall"))
      push(self, &(ck_message_call){.id = ck_json_get(it.value, "id"),
                                    .name = ck_json_get(it.value, "name"),
                                    .arguments = member(it.value, "input", "arguments")});
  }
}

void ck_message_calls_read(ck_message_calls *self, ck_bytes message) {
  const char *ignored;
  self->count = 0;
  ck_bytes list = ck_message_call_list(&ignored, message);
  ck_json_iterator it = ck_json_iterate(list);
  while (list.len && ck_json_next(&it)) {
    ck_bytes function = ck_json_get(it.value, "function");
    ck_bytes body = ck_json_type_of(function) == CK_JSON_OBJECT ? function : it.value;
    bool named = ck_json_type_of(function) == CK_JSON_STRING; /* it is the name itself */
    push(self, &(ck_message_call){.id = ck_json_get(it.value, "id"),
                                  .name = named ? function : ck_json_get(body, "name"),
                                  .arguments = member(body, "arguments", "args")});
  }
  read_blocks(self, message);
}
