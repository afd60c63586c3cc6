/* chat.c - writes a conversation as every provider of models accepts it. */
#include "core/runtime/portable/chat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/map.h"
#include "core/model/media.h"
#include "core/runtime/portable/message.h"

enum { ID_MAX = 64 };

/* ---- the messages ---- */

void ck_chat_clear(ck_chat *self) {
  for (size_t i = 0; i < self->count; i++) ck_value_free(self->list[i]);
  free(self->list);
  *self = (ck_chat){0};
}

ck_status ck_chat_add(ck_chat *self, const ck_value *message, ck_error *err) {
  ck_value **list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  self->list[self->count++] = ck_value_share(message);
  return CK_OK;
}

ck_status ck_chat_add_all(ck_chat *self, const ck_conversation *from, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < ck_conversation_count(from); i++)
    status = ck_chat_add(self, ck_conversation_get(from, i), err);
  return status;
}

/* ---- writing ---- */

typedef struct writing {
  ck_json_writer *w;
  const ck_chat *of;
  bool *answered; /* by message: a result that stands behind its call already */
  bool begun;     /* somebody but the prompt has spoken */
  bool kept;
  bool failed; /* there was no memory to compare ids */
  ck_map ids;  /* of calls so far; its keys are owned */
  ck_message_calls calls;
  size_t calls_at;     /* the message that they belong to */
  size_t results_from; /* the first message behind it that may hold a result */
  char (*call_ids)[ID_MAX + 1];
  ck_bytes opening;
  ck_buffer text; /* of the message that is being written */
  ck_error *err;
} writing;

static ck_bytes message_at(const writing *self, size_t index) {
  return ck_value_bytes(self->of->list[index]);
}

static bool is_blank(const ck_buffer *text) {
  return !text->len || strspn(text->data, " \t\r\n") == text->len;
}

/* No blocks are no words; of a tool an empty list is its result. */
static void read_text(writing *self, ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content");
  bool list = ck_json_type_of(content) == CK_JSON_ARRAY && !ck_message_is(message, "tool");
  ck_buffer_reset(&self->text);
  if (!list || ck_json_count(content) > 0) ck_message_append_text(&self->text, content);
  if (!self->text.len && !self->of->refusals)
    ck_json_read_string(&self->text, ck_json_get(message, "refusal"));
}

/* To be a member; no bytes: it is told in words, or there is none. */
static ck_bytes refusal_of(const writing *self, ck_bytes message) {
  ck_bytes refusal = ck_json_get(message, "refusal");
  bool told = ck_json_type_of(refusal) == CK_JSON_STRING && refusal.len > 2;
  return self->of->refusals && told ? refusal : (ck_bytes){0};
}

/* The parts of one with images or files as they are, of any other the words that were read. */
static void write_content(writing *self, ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content");
  if (ck_media_is_content(content))
    ck_json_member_raw(self->w, "content", content);
  else
    ck_json_member_string(self->w, "content", ck_buffer_bytes(&self->text));
}

static void write_plain(writing *self, const char *role, ck_bytes text) {
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "role", role);
  ck_json_member_string(self->w, "content", text);
  ck_json_end(self->w, '}');
}

/* The user speaks first. */
static void begin(writing *self) {
  if (!self->begun) write_plain(self, "user", self->opening);
  self->begun = true;
}

/* ---- calls and their results ---- */

static bool is_id(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  size_t len = text ? strlen(text) : 0;
  return len > 0 && len <= ID_MAX && strspn(text, letters) == len;
}

/* Its own id when it can be sent, and no call before it has it; else one of its place. */
static ck_status take_id(writing *self, size_t index) {
  char *own = ck_json_dup_string(self->calls.list[index].id), *id = self->call_ids[index];
  if (!own && ck_json_type_of(self->calls.list[index].id) == CK_JSON_STRING)
    return ck_error_no_memory(self->err);
  snprintf(id, ID_MAX + 1, "%s", is_id(own) ? own : "");
  free(own);
  for (unsigned copy = 0; !*id || ck_map_find(&self->ids, id); copy++)
    snprintf(id, ID_MAX + 1, copy ? "call_%zu_%zu_%u" : "call_%zu_%zu", self->calls_at, index,
             copy);
  char *key = strdup(id);
  if (!key) return ck_error_no_memory(self->err);
  ck_status status = ck_map_add(&self->ids, key, key, self->err);
  if (status != CK_OK) free(key);
  return status;
}

static ck_status take_ids(writing *self) {
  char(*ids)[ID_MAX + 1] = reallocarray(self->call_ids, self->calls.count, sizeof *ids);
  if (!ids) return ck_error_no_memory(self->err);
  self->call_ids = ids;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->calls.count; i++) status = take_id(self, i);
  return status;
}

static bool is_same_id(writing *self, ck_bytes a, ck_bytes b) {
  char *text = ck_json_dup_string(a);
  bool same = text && ck_json_is_text(b, text);
  self->failed |= !text;
  free(text);
  return same;
}

/* The first result of this call up to the next turn of the assistant; one without an id belongs to
 * the first call that has none yet. 0: there is none. */
static size_t find_result(writing *self, const ck_message_call *call) {
  const char *ignored;
  if (self->results_from <= self->calls_at) self->results_from = self->calls_at + 1;
  while (self->results_from < self->of->count && self->answered[self->results_from])
    self->results_from++;
  for (size_t i = self->results_from; i < self->of->count; i++) {
    ck_bytes message = message_at(self, i);
    if (ck_message_is(message, "assistant")) return 0;
    if (!ck_message_is(message, "tool") || self->answered[i]) continue;
    ck_bytes id = ck_message_answers(&ignored, message);
    bool named = ck_json_type_of(id) == CK_JSON_STRING && call->id.len;
    if (!named || ck_bytes_equal(id, call->id) || is_same_id(self, id, call->id)) return i;
  }
  return 0;
}

static void write_name(writing *self, const ck_message_call *call) {
  if (ck_json_type_of(call->name) == CK_JSON_STRING && call->name.len > 2)
    ck_json_member_raw(self->w, "name", call->name);
  else
    ck_json_member_text(self->w, "name", "unknown");
}

static void write_result(writing *self, size_t index) {
  const ck_message_call *call = &self->calls.list[index];
  size_t at = find_result(self, call);
  ck_buffer_reset(&self->text);
  if (at) read_text(self, message_at(self, at));
  if (at) self->answered[at] = true;
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "role", "tool");
  ck_json_member_text(self->w, "tool_call_id", self->call_ids[index]);
  write_name(self, call);
  if (at)
    write_content(self, message_at(self, at));
  else
    ck_json_member_text(self->w, "content", CK_CHAT_NO_RESULT);
  ck_json_end(self->w, '}');
}

static void write_call(writing *self, size_t index) {
  const ck_message_call *call = &self->calls.list[index];
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "id", self->call_ids[index]);
  ck_json_member_text(self->w, "type", "function");
  ck_json_name(self->w, "function");
  ck_json_begin(self->w, '{');
  write_name(self, call);
  if (ck_json_type_of(call->arguments) == CK_JSON_STRING)
    ck_json_member_raw(self->w, "arguments", call->arguments);
  else
    ck_json_member_string(self->w, "arguments",
                          call->arguments.len ? call->arguments : ck_bytes_text("{}"));
  ck_json_end(self->w, '}');
  ck_json_end(self->w, '}');
}

/* ---- messages ---- */

static void write_said(writing *self, ck_bytes refusal) {
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "role", "assistant");
  bool silent = (self->kept && self->calls.count) || refusal.len;
  if (silent && !self->text.len)
    ck_json_member_raw(self->w, "content", ck_bytes_text("null"));
  else
    ck_json_member_string(self->w, "content", ck_buffer_bytes(&self->text));
  if (refusal.len) ck_json_member_raw(self->w, "refusal", refusal);
}

static ck_status write_assistant(writing *self, size_t index) {
  ck_message_calls_read(&self->calls, message_at(self, index));
  self->calls_at = index;
  if (self->calls.failed) return ck_error_no_memory(self->err);
  ck_bytes refusal = refusal_of(self, message_at(self, index));
  read_text(self, message_at(self, index));
  if (!self->calls.count && is_blank(&self->text) && !refusal.len) return CK_OK;
  ck_status status = self->calls.count ? take_ids(self) : CK_OK;
  if (status != CK_OK) return status;
  begin(self);
  write_said(self, refusal);
  if (self->calls.count) {
    ck_json_name(self->w, "tool_calls");
    ck_json_begin(self->w, '[');
    for (size_t i = 0; i < self->calls.count; i++) write_call(self, i);
    ck_json_end(self->w, ']');
  }
  ck_json_end(self->w, '}');
  for (size_t i = 0; i < self->calls.count; i++) write_result(self, i);
  return CK_OK;
}

/* A result whose call is not in the history: its words are kept as the user's. */
static void write_stray(writing *self, ck_bytes message) {
  ck_buffer words = {0};
  read_text(self, message);
  ck_buffer_append_text(&words, "Result of a tool: ");
  ck_buffer_append_bytes(&words, ck_buffer_bytes(&self->text));
  begin(self);
  write_plain(self, "user", ck_buffer_bytes(&words));
  if (words.failed) self->w->out->failed = true;
  ck_buffer_clear(&words);
}

static ck_status write_message(writing *self, size_t index) {
  ck_bytes message = message_at(self, index);
  if (ck_message_is(message, "assistant")) return write_assistant(self, index);
  if (ck_message_is(message, "tool")) {
    if (!self->answered[index]) write_stray(self, message);
    return CK_OK;
  }
  read_text(self, message);
  if (is_blank(&self->text) && !ck_media_is_content(ck_json_get(message, "content"))) return CK_OK;
  if (ck_message_is_prompt(message)) {
    write_plain(self, ck_message_is(message, "system") ? "system" : "developer",
                ck_buffer_bytes(&self->text));
    return CK_OK;
  }
  self->begun = true;
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "role", "user");
  write_content(self, message);
  ck_json_end(self->w, '}');
  return CK_OK;
}

static void clear(writing *self) {
  for (size_t i = 0; i < self->ids.cap; i++) free(self->ids.slots[i].key);
  ck_map_clear(&self->ids);
  ck_message_calls_clear(&self->calls);
  ck_buffer_clear(&self->text);
  free(self->call_ids);
  free(self->answered);
}

ck_status ck_chat_write(ck_json_writer *w, const ck_chat *self, ck_bytes opening, bool kept,
                        ck_error *err) {
  writing of = {.w = w, .of = self, .opening = opening, .kept = kept, .err = err};
  of.answered = calloc(self->count + 1, sizeof *of.answered);
  ck_status status = of.answered ? CK_OK : ck_error_no_memory(err);
  ck_json_begin(w, '[');
  for (size_t i = 0; status == CK_OK && i < self->count; i++) status = write_message(&of, i);
  if (status == CK_OK) begin(&of);
  ck_json_end(w, ']');
  if (status == CK_OK && of.failed) status = ck_error_no_memory(err);
  if (status == CK_OK) status = ck_buffer_check(&of.text, err);
  clear(&of);
  return status;
}
