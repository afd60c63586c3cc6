/* turn.c - gathers tools and models from outcomes, and describes the last message. */
#include "core/runtime/session/turn.h"

#include <stdlib.h>

#include "core/runtime/session/policy.h"

void ck_turn_clear(ck_turn *self) {
  ck_buffer_clear(&self->tools);
  ck_buffer_clear(&self->model);
  ck_buffer_clear(&self->message);
  ck_buffer_clear(&self->error);
  ck_value_free(self->measured);
  self->measured = NULL;
}

/* A pause and what lies within a turn come between a failure and what is done about it. */
static bool tells_of_failures(ck_boundary_kind kind) {
  return kind == CK_BOUNDARY_FAILURE ||
         (kind != CK_BOUNDARY_BEFORE_CALL && !ck_boundary_kind_always(kind));
}

bool ck_turn_keep_error(ck_turn *self, ck_boundary_kind kind, ck_bytes error) {
  if (!tells_of_failures(kind)) return false;
  ck_buffer_clear(&self->error);
  if (error.len) ck_json_read_string(&self->error, error);
  if (self->error.failed) ck_buffer_clear(&self->error);
  return self->error_known = true;
}

void ck_turn_end(ck_turn *self) {
  ck_buffer_reset(&self->tools);
  ck_buffer_reset(&self->model);
}

/* ---- what happened ---- */

static bool has_run(ck_bytes body) {
  ck_bytes status = ck_json_get(body, "status");
  bool ended = ck_json_is_text(status, "ok") || ck_json_is_text(status, "error") ||
               ck_json_is_text(status, "unknown");
  return ended && ck_json_get(body, "denied").len == 0;
}

/* Tools of the flow itself have no class. */
static void add_tool(ck_buffer *out, const ck_effect *effect, ck_bytes name) {
  ck_json_writer w = {.out = out};
  if (out->len > 0) out->len--;
  ck_buffer_append_char(out, out->len > 0 ? ',' : '[');
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "tool", name);
  if (!effect->own) ck_json_member_text(&w, "class", ck_effect_class_name(effect->class));
  ck_json_end(&w, '}');
  ck_buffer_append_char(out, ']');
}

ck_status ck_turn_add(ck_turn *self, const ck_effect *effect, const ck_value *body, ck_error *err) {
  bool tool = effect->kind == CK_EFFECT_TOOL && ck_effect_is_tool_call(effect);
  bool model = effect->kind == CK_EFFECT_MODEL && !ck_effect_is_aside(effect);
  ck_bytes name = ck_json_get(effect->request, tool ? "name" : "model"),
           other = model ? ck_json_get(ck_value_bytes(body), "model") : (ck_bytes){0};
  if (other.len) name = other; /* was asked in its place */
  if ((!tool && !model) || ck_json_type_of(name) != CK_JSON_STRING ||
      !has_run(ck_value_bytes(body)))
    return CK_OK;
  if (tool) add_tool(&self->tools, effect, name);
  if (model) ck_buffer_reset(&self->model);
  if (model) ck_buffer_append_bytes(&self->model, name);
  return ck_buffer_check(tool ? &self->tools : &self->model, err);
}

/* ---- what was said ---- */

/* A text, or blocks of which some have one. */
static void append_text(ck_buffer *out, ck_bytes content) {
  ck_json_type type = ck_json_type_of(content);
  if (type == CK_JSON_STRING) ck_json_read_string(out, content);
  if (type != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
    if (ck_json_type_of(it.value) == CK_JSON_OBJECT)
      ck_json_read_string(out, ck_json_get(it.value, "text"));
}

static int64_t length_of(ck_bytes content) {
  ck_buffer text = {0};
  append_text(&text, content);
  int64_t len = (int64_t)text.len;
  ck_buffer_clear(&text);
  return len;
}

static void write_text(ck_json_writer *w, ck_bytes content) {
  ck_buffer text = {0};
  append_text(&text, content);
  ck_json_member_string(w, "text", ck_buffer_bytes(&text));
  if (text.failed) w->out->failed = true;
  ck_buffer_clear(&text);
}

void ck_turn_append_text(ck_buffer *out, const ck_value *message) {
  append_text(out, ck_json_get(ck_value_bytes(message), "content"));
}

/* The class of the call with that id, or of the tool of that name; no bytes: not known. */
static ck_bytes find_class(ck_bytes list, const char *by, ck_bytes wanted) {
  ck_json_iterator it = ck_json_iterate(list.len ? list : ck_bytes_text("[]"));
  while (wanted.len && ck_json_next(&it))
    if (ck_bytes_equal(ck_json_get(it.value, by), wanted)) return ck_json_get(it.value, "class");
  return (ck_bytes){NULL, 0};
}

static void write_calls(ck_json_writer *w, const ck_boundary *at, ck_bytes calls) {
  ck_json_name(w, "calls");
  ck_json_begin(w, '[');
  for (ck_json_iterator it = ck_json_iterate(calls); ck_json_next(&it);) {
    ck_bytes name = ck_json_get(ck_json_get(it.value, "function"), "name"),
             id = ck_json_get(it.value, "id");
    ck_bytes class = find_class(at->calls, "id", id);
    if (!class.len) class = find_class(at->tools, "tool", name);
    ck_json_begin(w, '{');
    if (name.len) ck_json_member_raw(w, "tool", name);
    if (class.len) ck_json_member_raw(w, "class", class);
    if (id.len) ck_json_member_raw(w, "id", id);
    ck_json_end(w, '}');
  }
  ck_json_end(w, ']');
}

/* Boundaries without a new message between them measure it once. */
static int64_t measure(ck_turn *self, const ck_value *message, ck_bytes content) {
  if (self->measured == message) return self->length;
  ck_value_free(self->measured);
  self->measured = ck_value_share(message);
  self->length = length_of(content);
  return self->length;
}

const ck_value *ck_turn_find_message(const ck_conversation *conversation) {
  size_t count = conversation ? ck_conversation_count(conversation) : 0;
  while (count-- > 0) {
    const ck_value *message = ck_conversation_get(conversation, count);
    if (!ck_json_is_text(ck_json_get(ck_value_bytes(message), "role"), "tool")) return message;
  }
  return NULL;
}

/* For want of memory it is left out. */
void ck_turn_show(ck_boundary *at, ck_turn *self, const ck_conversation *conversation, bool text) {
  enum { ROLE, CONTENT, CALLS, PARTS };
  static const char *const names[PARTS] = {"role", "content", "tool_calls"};
  const ck_value *found = ck_turn_find_message(conversation);
  ck_json_writer w = {.out = &self->message};
  ck_bytes parts[PARTS];
  at->tools = ck_buffer_bytes(&self->tools);
  at->model = ck_buffer_bytes(&self->model);
  at->message = (ck_bytes){NULL, 0};
  if (!found) return;
  ck_json_get_all(parts, names, PARTS, ck_value_bytes(found));
  ck_buffer_reset(&self->message);
  ck_json_begin(&w, '{');
  if (parts[ROLE].len) ck_json_member_raw(&w, "role", parts[ROLE]);
  ck_json_member_int(&w, "length", measure(self, found, parts[CONTENT]));
  if (text) write_text(&w, parts[CONTENT]);
  if (ck_json_type_of(parts[CALLS]) == CK_JSON_ARRAY && ck_json_count(parts[CALLS]) > 0)
    write_calls(&w, at, parts[CALLS]);
  ck_json_end(&w, '}');
  if (!self->message.failed) at->message = ck_buffer_bytes(&self->message);
}
