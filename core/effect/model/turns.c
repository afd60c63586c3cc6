/* turns.c - pairs calls with results and recognises the shapes of messages. */
#include "core/effect/model/turns.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/effect/model/ids.h"

/* ---- kinds of values ---- */

static bool is_role(ck_bytes message, const char *role) {
  return ck_json_is_text(ck_json_get(message, "role"), role);
}

bool ck_model_is_blank(ck_bytes json) {
  ck_json_type type = ck_json_type_of(json);
  if (type == CK_JSON_NONE || type == CK_JSON_NULL) return true;
  if (type != CK_JSON_STRING) return false;
  for (size_t i = 1; i + 1 < json.len; i++) {
    if (json.data[i] == ' ') continue;
    if (json.data[i] != '\\' || !strchr("ntr", json.data[i + 1])) return false;
    i++;
  }
  return true;
}

ck_bytes ck_model_get_said(ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content"), refusal = ck_json_get(message, "refusal");
  bool silent = ck_model_is_blank(content) && ck_json_type_of(refusal) == CK_JSON_STRING;
  return silent ? refusal : content;
}

bool ck_model_is_blocks(ck_bytes json) {
  if (ck_json_type_of(json) != CK_JSON_ARRAY) return false;
  ck_json_iterator it = ck_json_iterate(json);
  size_t count = 0;
  for (; ck_json_next(&it); count++) {
    if (ck_json_type_of(ck_json_get(it.value, "type")) != CK_JSON_STRING) return false;
  }
  return count > 0;
}

void ck_model_append_text(ck_buffer *out, ck_bytes json) {
  if (ck_json_type_of(json) == CK_JSON_STRING)
    ck_buffer_append_bytes(out, json);
  else
    ck_json_append_string(out, json);
}

void ck_model_append_id(ck_buffer *out, const ck_model_turn *turn, size_t index) {
  if (turn->calls[index].id.len > 0)
    ck_buffer_append_bytes(out, turn->calls[index].id);
  else
    ck_buffer_append_format(out, "\"call_%zu_%zu\"", turn->position, index);
}

void ck_model_copy_members(ck_json_writer *w, ck_bytes object, const char *const *except) {
  ck_json_iterator it = ck_json_iterate(object);
  while (it.object && ck_json_next(&it)) {
    bool skip = false;
    for (size_t i = 0; except[i]; i++) skip |= ck_json_is_text(it.name, except[i]);
    if (skip) continue;
    ck_json_put_raw(w, it.name);
    ck_buffer_append_char(w->out, ':');
    w->comma = false;
    ck_json_put_raw(w, it.value);
  }
}

static bool is_block_of_anthropic(ck_bytes block) {
  static const char *const types[] = {"tool_use", "thinking", "redacted_thinking"};
  ck_bytes type = ck_json_get(block, "type");
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (ck_json_is_text(type, types[i])) return true;
  }
  return false;
}

/* Anthropic's messages have "type":"message"; recordings of other programs may have kept only role
 * and content. */
static ck_model_shape shape_of(ck_bytes message) {
  if (ck_json_is_text(ck_json_get(message, "type"), "message")) return CK_SHAPE_ANTHROPIC;
  if (ck_json_type_of(ck_json_get(ck_json_get(message, "responses"), "output")) == CK_JSON_ARRAY)
    return CK_SHAPE_RESPONSES;
  if (ck_json_type_of(ck_json_get(ck_json_get(message, "gemini"), "parts")) == CK_JSON_ARRAY)
    return CK_SHAPE_GEMINI;
  ck_json_iterator it = ck_json_iterate(ck_json_get(message, "content"));
  while (!it.object && ck_json_next(&it)) {
    if (is_block_of_anthropic(it.value)) return CK_SHAPE_ANTHROPIC;
  }
  return CK_SHAPE_OPENAI;
}

/* ---- calls ---- */

typedef struct calls {
  ck_model_call *list; /* the memory is reused from turn to turn */
  size_t count, cap;
  bool failed;
} calls;

static void push_call(calls *self, const ck_model_call *call) {
  ck_model_call *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->failed = true;
    return;
  }
  self->list = list;
  self->list[self->count++] = *call;
}

static ck_bytes string_or_none(ck_bytes json) {
  return ck_json_type_of(json) == CK_JSON_STRING && json.len > 2 ? json : (ck_bytes){NULL, 0};
}

static void list_openai(calls *self, ck_bytes message) {
  ck_bytes list = ck_json_get(message, "tool_calls");
  if (ck_json_type_of(list) != CK_JSON_ARRAY) return;
  ck_json_iterator it = ck_json_iterate(list);
  while (ck_json_next(&it)) {
    ck_bytes function = ck_json_get(it.value, "function");
    ck_bytes body = function.len > 0 ? function : it.value;
    push_call(self, &(ck_model_call){.id = string_or_none(ck_json_get(it.value, "id")),
                                     .name = string_or_none(ck_json_get(body, "name")),
                                     .arguments = ck_json_get(body, "arguments")});
  }
}

static void list_anthropic(calls *self, ck_bytes message) {
  ck_bytes list = ck_json_get(message, "content");
  if (ck_json_type_of(list) != CK_JSON_ARRAY) return;
  ck_json_iterator it = ck_json_iterate(list);
  while (ck_json_next(&it)) {
    if (!ck_json_is_text(ck_json_get(it.value, "type"), "tool_use")) continue;
    push_call(self, &(ck_model_call){.id = string_or_none(ck_json_get(it.value, "id")),
                                     .name = string_or_none(ck_json_get(it.value, "name")),
                                     .arguments = ck_json_get(it.value, "input")});
  }
}

/* Ids are compared as spelt, which nearly always suffices, then by their meaning. */
static bool is_same_id(ck_bytes a, ck_bytes b, bool *failed) {
  if (ck_bytes_equal(a, b)) return true;
  char *text = ck_json_dup_string(a);
  bool same = text && ck_json_is_text(b, text);
  *failed |= !text;
  free(text);
  return same;
}

/* The call that a result belongs to: the first open one with its id; for a result without an id,
 * the first open one. */
static ck_model_call *find_call(calls *self, ck_bytes id) {
  for (size_t i = 0; i < self->count; i++) {
    ck_model_call *call = &self->list[i];
    if (call->result.len == 0 &&
        (id.len == 0 || call->id.len == 0 || is_same_id(call->id, id, &self->failed)))
      return call;
  }
  return NULL;
}

/* ---- telling ---- */

typedef struct turn_writer {
  const ck_conversation *conversation;
  const ck_model_notifier *notifier;
  calls calls;
  ck_model_ids ids;
} turn_writer;

static ck_bytes message_at(const turn_writer *self, size_t index) {
  return ck_value_bytes(ck_conversation_get_seen(self->conversation, index));
}

static void report_stray(turn_writer *self, ck_bytes message) {
  ck_buffer text = {0}, json = {0};
  ck_buffer_append_text(&text, "Result of a tool: ");
  ck_bytes content = ck_json_get(message, "content");
  if (!ck_json_read_string(&text, content)) ck_buffer_append_bytes(&text, content);
  ck_json_append_string(&json, ck_buffer_bytes(&text));
  self->calls.failed |= text.failed || json.failed;
  self->notifier->user(self->notifier->self, ck_buffer_bytes(&json));
  ck_buffer_clear(&json);
  ck_buffer_clear(&text);
}

/* Assigns the results up to the next assistant's turn to the calls; returns the position of that
 * turn. */
static size_t pair_results(turn_writer *self, size_t from) {
  size_t count = ck_conversation_count(self->conversation), at = from;
  for (; at < count && !is_role(message_at(self, at), "assistant"); at++) {
    ck_bytes message = message_at(self, at);
    if (!is_role(message, "tool")) continue;
    ck_model_call *call =
        find_call(&self->calls, string_or_none(ck_json_get(message, "tool_call_id")));
    if (call) call->result = ck_json_get(message, "content");
  }
  return at;
}

static bool is_paired(const turn_writer *self, ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content");
  for (size_t i = 0; i < self->calls.count; i++) {
    if (self->calls.list[i].result.data == content.data) return true;
  }
  return false;
}

static void report_turn(turn_writer *self, size_t at) {
  ck_bytes message = message_at(self, at), content = ck_json_get(message, "content");
  if (is_role(message, "user"))
    self->notifier->user(self->notifier->self, content);
  else if (!is_role(message, "tool"))
    self->notifier->system(self->notifier->self, content);
  else if (!is_paired(self, message))
    report_stray(self, message);
}

static void write_assistant_turn(turn_writer *self, size_t at) {
  ck_model_turn turn = {.message = message_at(self, at), .position = at};
  turn.shape = shape_of(turn.message);
  if (turn.shape == CK_SHAPE_ANTHROPIC)
    list_anthropic(&self->calls, turn.message);
  else
    list_openai(&self->calls, turn.message);
  pair_results(self, at + 1);
  if (turn.shape == self->notifier->shape)
    ck_model_ids_sift(&self->ids, self->calls.list, self->calls.count, turn.shape);
  for (size_t i = 0; turn.shape != self->notifier->shape && i < self->calls.count; i++)
    self->calls.list[i].id = (ck_bytes){0};
  turn.calls = self->calls.list;
  turn.call_count = self->calls.count;
  self->notifier->assistant(self->notifier->self, &turn);
}

ck_status ck_model_notify(const ck_conversation *conversation, const ck_model_notifier *notifier,
                          ck_error *err) {
  turn_writer self = {.conversation = conversation, .notifier = notifier};
  size_t count = conversation ? ck_conversation_count(conversation) : 0;
  for (size_t at = 0; at < count && !self.calls.failed; at++) {
    if (!is_role(message_at(&self, at), "assistant")) {
      report_turn(&self, at);
      continue;
    }
    self.calls.count = 0;
    write_assistant_turn(&self, at);
  }
  bool failed = self.calls.failed || self.ids.failed;
  free(self.calls.list);
  ck_model_ids_clear(&self.ids);
  return failed ? ck_error_no_memory(err) : CK_OK;
}
