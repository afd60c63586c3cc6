/* chat_check.c - holds the messages of a document to the rules of the providers' public APIs. */
#include "core/runtime/portable/chat_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/map.h"
#include "core/model/media.h"
#include "core/runtime/portable/message.h"

typedef struct check {
  size_t index; /* of the message */
  bool begun;   /* the user has spoken */
  ck_map ids;   /* of all calls; its keys are owned */
  char **open;  /* ids of the calls that have no result yet; borrowed */
  size_t open_count, open_cap;
  ck_error *err;
} check;

static ck_status wrong(const check *self, const char *what) {
  return ck_error_set(self->err, CK_E_PARSE, "field history[%zu]%s", self->index, what);
}

static ck_status missing(const check *self, const char *path) {
  return ck_error_set(self->err, CK_E_PARSE, "missing required field: history[%zu].%s", self->index,
                      path);
}

/* ---- words ---- */

static bool is_block(const ck_bytes block, bool assistant) {
  static const char *const types[] = {"text", "tool_use", "thinking", "redacted_thinking"};
  ck_bytes type = ck_json_get(block, "type");
  ck_media media;
  if (!assistant && ck_media_read(&media, block)) return true;
  if (ck_json_is_text(type, "text"))
    return ck_json_type_of(ck_json_get(block, "text")) == CK_JSON_STRING;
  for (size_t i = 0; assistant && i < sizeof types / sizeof *types; i++)
    if (ck_json_is_text(type, types[i])) return true;
  return false;
}

static bool is_blocks(ck_bytes content, bool assistant) {
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return false;
  ck_json_iterator it = ck_json_iterate(content);
  while (ck_json_next(&it))
    if (!is_block(it.value, assistant)) return false;
  return ck_json_count(content) > 0;
}

/* Only an assistant that calls may say nothing. */
static ck_status check_content(const check *self, ck_bytes message, bool calls) {
  ck_bytes content = ck_json_get(message, "content");
  ck_json_type type = ck_json_type_of(content);
  if (calls && (type == CK_JSON_NONE || type == CK_JSON_NULL)) return CK_OK;
  if (type == CK_JSON_NONE) return missing(self, "content");
  if (type == CK_JSON_STRING || is_blocks(content, ck_message_is(message, "assistant")))
    return CK_OK;
  return wrong(self, ".content must be a string");
}

/* ---- calls ---- */

static ck_status check_text(const check *self, ck_bytes text, const char *path) {
  char what[256];
  if (ck_json_type_of(text) == CK_JSON_NONE) return missing(self, path);
  if (ck_json_type_of(text) == CK_JSON_STRING && text.len > 2) return CK_OK;
  snprintf(what, sizeof what, ".%s must be a string that is not empty", path);
  return wrong(self, what);
}

static ck_status read_object_text(bool *is, ck_bytes text, ck_error *err) {
  ck_buffer json = {0};
  ck_error ignored = CK_ERROR_INIT;
  *is = ck_json_read_string(&json, text) && !json.failed &&
        ck_json_check(ck_buffer_bytes(&json), &ignored) == CK_OK &&
        ck_json_type_of(ck_buffer_bytes(&json)) == CK_JSON_OBJECT;
  ck_status status = ck_buffer_check(&json, err);
  ck_buffer_clear(&json);
  return status;
}

static ck_status check_arguments(const check *self, ck_bytes arguments, const char *path) {
  char what[256];
  bool is = ck_json_type_of(arguments) == CK_JSON_OBJECT;
  if (ck_json_type_of(arguments) == CK_JSON_NONE) return missing(self, path);
  ck_status status = is ? CK_OK : read_object_text(&is, arguments, self->err);
  if (status != CK_OK || is) return status;
  snprintf(what, sizeof what, ".%s must be an object, or the text of one", path);
  return wrong(self, what);
}

static ck_status open_call(check *self, ck_bytes id, const char *path) {
  char what[256];
  char **open = ck_array_grow(self->open, self->open_count, &self->open_cap, sizeof *open);
  if (!open) return ck_error_no_memory(self->err);
  self->open = open;
  char *key = ck_json_dup_string(id);
  if (!key) return ck_error_no_memory(self->err);
  if (ck_map_find(&self->ids, key)) {
    free(key);
    snprintf(what, sizeof what, ".%s is that of another call", path);
    return wrong(self, what);
  }
  ck_status status = ck_map_add(&self->ids, key, key, self->err);
  if (status != CK_OK) free(key);
  if (status == CK_OK) self->open[self->open_count++] = key;
  return status;
}

/* The paths of a call's members, in the way that its message is spelt. */
static void write_paths(char paths[3][64], const char *list, size_t at, ck_bytes call) {
  bool nested = ck_json_type_of(ck_json_get(call, "function")) == CK_JSON_OBJECT;
  bool camel = strcmp(list, "toolCalls") == 0;
  snprintf(paths[0], 64, "%s[%zu].id", list, at);
  snprintf(paths[1], 64, "%s[%zu].%sname", list, at, nested ? "function." : "");
  snprintf(paths[2], 64, "%s[%zu].%s%s", list, at, nested ? "function." : "",
           camel                          ? "args"
           : strcmp(list, "content") == 0 ? "input"
                                          : "arguments");
}

static ck_status check_call(check *self, const ck_message_call *call, char paths[3][64]) {
  ck_status status = check_text(self, call->id, paths[0]);
  if (status == CK_OK) status = check_text(self, call->name, paths[1]);
  if (status == CK_OK) status = check_arguments(self, call->arguments, paths[2]);
  return status == CK_OK ? open_call(self, call->id, paths[0]) : status;
}

static ck_status check_calls(check *self, ck_bytes message, const ck_message_calls *calls) {
  const char *name;
  char paths[3][64];
  ck_bytes list = ck_message_call_list(&name, message);
  ck_json_iterator it = ck_json_iterate(list);
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < calls->count; i++) {
    bool listed = list.len && ck_json_next(&it);
    write_paths(paths, listed ? name : "content", i, listed ? it.value : (ck_bytes){0});
    status = check_call(self, &calls->list[i], paths);
  }
  return status;
}

static ck_status check_assistant(check *self, ck_bytes message) {
  ck_message_calls calls = {0};
  ck_message_calls_read(&calls, message);
  ck_status status = calls.failed ? ck_error_no_memory(self->err) : CK_OK;
  if (status == CK_OK) status = check_content(self, message, calls.count > 0);
  if (status == CK_OK) status = check_calls(self, message, &calls);
  ck_message_calls_clear(&calls);
  return status;
}

/* Every call is answered before anybody else speaks, once. */
static ck_status check_tool(check *self, ck_bytes message) {
  const char *name;
  ck_bytes id = ck_message_answers(&name, message);
  ck_status status = check_content(self, message, false);
  if (status == CK_OK) status = check_text(self, id, name);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < self->open_count; i++) {
    if (!ck_json_is_text(id, self->open[i])) continue;
    self->open[i] = self->open[--self->open_count];
    return CK_OK;
  }
  return wrong(self, " answers no call of the message before it");
}

/* ---- messages ---- */

static ck_status check_message(check *self, ck_bytes message) {
  static const char *const roles[] = {"system", "developer", "user", "assistant", "tool"};
  bool known = false;
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    known |= ck_message_is(message, roles[i]);
  if (ck_json_type_of(message) != CK_JSON_OBJECT || !known)
    return wrong(self,
                 " must be a message with a role: system, developer, user, assistant or tool");
  bool prompt = ck_message_is_prompt(message), user = ck_message_is(message, "user");
  if (ck_message_is(message, "tool")) return check_tool(self, message);
  if (self->open_count) return wrong(self, " stands where the result of a tool call is missing");
  if (!prompt && !user && !self->begun)
    return wrong(self, " must be the user's: the first who speaks");
  self->begun |= user;
  return user || prompt ? check_content(self, message, false) : check_assistant(self, message);
}

ck_status ck_chat_check(ck_bytes history, ck_error *err) {
  check self = {.err = err};
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(history);
  for (; status == CK_OK && ck_json_next(&it); self.index++)
    status = check_message(&self, it.value);
  if (status == CK_OK && self.open_count)
    status = wrong(&self, " is missing: the result of a tool call");
  for (size_t i = 0; i < self.ids.cap; i++) free(self.ids.slots[i].key);
  ck_map_clear(&self.ids);
  free(self.open);
  return status;
}
