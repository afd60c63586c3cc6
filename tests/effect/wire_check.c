/* wire_check.c - calls paired with results, roles, no empty turn, signed blocks as they were. */
#include "tests/effect/wire_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "tests/effect/wire_marks.h"

enum { CALLS_MAX = 256 };

/* `open` are the ids of calls that wait for their results, in order. */
typedef struct checking {
  char *problem;
  bool anthropic;
  bool strict; /* an id is used once in the whole conversation */
  ck_bytes open[CALLS_MAX];
  size_t open_count;
  ck_bytes seen[CALLS_MAX];
  size_t seen_count;
  bool thinks;  /* the request asks for thinking */
  bool pauses;  /* the last block is a call of the provider's own: its turn may go on */
  size_t index; /* of the current message */
} checking;

__attribute__((format(printf, 2, 3))) static bool wrong(const checking *self, const char *format,
                                                        ...) {
  va_list args;
  va_start(args, format);
  int len = snprintf(self->problem, WIRE_PROBLEM_SIZE, "messages[%zu]: ", self->index);
  vsnprintf(self->problem + len, WIRE_PROBLEM_SIZE - (size_t)len, format, args);
  va_end(args);
  return false;
}

void wire_sign(char out[WIRE_SIGNATURE_SIZE], ck_bytes raw_thinking) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest digest = ck_digest_of(raw_thinking);
  ck_digest_hex(hex, &digest);
  snprintf(out, WIRE_SIGNATURE_SIZE, "sig-%.32s", hex);
}

static bool is_type(ck_bytes value, const char *type) {
  return ck_json_is_text(ck_json_get(value, "type"), type);
}

static bool is_blank(ck_bytes json) {
  for (size_t i = 1; i + 1 < json.len; i++) {
    if (json.data[i] == ' ') continue;
    if (json.data[i] != '\\' || !strchr("nrt", json.data[++i])) return false;
  }
  return true;
}

static bool only_members(ck_bytes object, const char *const *names) {
  ck_json_iterator it = ck_json_iterate(object);
  while (ck_json_next(&it)) {
    bool known = false;
    for (size_t i = 0; names[i]; i++) known |= ck_json_is_text(it.name, names[i]);
    if (!known) return false;
  }
  return true;
}

/* An id that was used in an earlier turn is not refused by chat completions. */
static bool open_call(checking *self, ck_bytes id) {
  if (ck_json_type_of(id) != CK_JSON_STRING || id.len < 3)
    return wrong(self, "a call without an id");
  size_t from = self->strict ? 0 : self->seen_count - self->open_count;
  for (size_t i = from; i < self->seen_count; i++) {
    if (ck_bytes_equal(self->seen[i], id))
      return wrong(self, "the id %.*s is used twice", (int)id.len, id.data);
  }
  for (size_t i = 1; self->anthropic && i + 1 < id.len; i++) {
    if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", id.data[i]))
      return wrong(self, "a malformed id");
  }
  if (self->seen_count == CALLS_MAX) return wrong(self, "more calls than the checker can hold");
  self->open[self->open_count++] = self->seen[self->seen_count++] = id;
  return true;
}

/* Results come in the order of the calls. */
static bool close_call(checking *self, ck_bytes id) {
  if (self->open_count == 0)
    return wrong(self, "a result %.*s without a call", (int)id.len, id.data);
  if (!ck_bytes_equal(self->open[0], id))
    return wrong(self, "result %.*s where that of another call is due", (int)id.len, id.data);
  self->open_count--;
  memmove(self->open, self->open + 1, self->open_count * sizeof *self->open);
  return true;
}

/* ---- OpenAI ---- */

static bool check_openai_call(checking *self, ck_bytes call) {
  ck_bytes function = ck_json_get(call, "function");
  ck_bytes name = ck_json_get(function, "name");
  if (!is_type(call, "function")) return wrong(self, "a call that is no function");
  if (ck_json_type_of(name) != CK_JSON_STRING || name.len < 3)
    return wrong(self, "a call without a name");
  if (ck_json_type_of(ck_json_get(function, "arguments")) != CK_JSON_STRING)
    return wrong(self, "arguments that are no string");
  return open_call(self, ck_json_get(call, "id"));
}

static bool check_openai_assistant(checking *self, ck_bytes message) {
  ck_bytes calls = ck_json_get(message, "tool_calls"), content = ck_json_get(message, "content");
  bool said = ck_json_type_of(content) == CK_JSON_STRING
                  ? content.len > 2
                  : ck_json_type_of(content) == CK_JSON_ARRAY && ck_json_count(content) > 0;
  if (calls.len > 0 && (ck_json_type_of(calls) != CK_JSON_ARRAY || ck_json_count(calls) == 0))
    return wrong(self, "tool_calls is empty");
  if (calls.len == 0 && !said && ck_json_type_of(ck_json_get(message, "refusal")) != CK_JSON_STRING)
    return wrong(self, "an empty turn");
  ck_json_iterator it = ck_json_iterate(calls);
  while (calls.len > 0 && ck_json_next(&it)) {
    if (!check_openai_call(self, it.value)) return false;
  }
  return true;
}

static bool check_openai_message(checking *self, ck_bytes message) {
  static const char *const of_tool[] = {"role", "tool_call_id", "content", NULL};
  ck_bytes role = ck_json_get(message, "role"), content = ck_json_get(message, "content");
  ck_json_type type = ck_json_type_of(content);
  if (ck_json_is_text(role, "tool")) {
    if (!only_members(message, of_tool)) return wrong(self, "a tool's message with other members");
    if (type != CK_JSON_STRING && type != CK_JSON_ARRAY)
      return wrong(self, "a tool's content that is no text");
    return close_call(self, ck_json_get(message, "tool_call_id"));
  }
  if (self->open_count > 0) return wrong(self, "a call has no result");
  if (ck_json_is_text(role, "assistant")) return check_openai_assistant(self, message);
  if (!ck_json_is_text(role, "user") && !ck_json_is_text(role, "system") &&
      !ck_json_is_text(role, "developer"))
    return wrong(self, "role %.*s", (int)role.len, role.data);
  return type == CK_JSON_STRING || (type == CK_JSON_ARRAY && ck_json_count(content) > 0) ||
         wrong(self, "no content");
}

/* ---- Anthropic ---- */

static bool check_thinking(checking *self, ck_bytes block) {
  char wanted[WIRE_SIGNATURE_SIZE];
  ck_bytes thinking = ck_json_get(block, "thinking");
  if (ck_json_type_of(thinking) != CK_JSON_STRING)
    return wrong(self, "a thinking block without a text");
  wire_sign(wanted, (ck_bytes){thinking.data + 1, thinking.len - 2});
  return ck_json_is_text(ck_json_get(block, "signature"), wanted) ||
         wrong(self, "a signed block was changed");
}

/* Of a tool that the provider runs itself, and the result that it put there. */
static bool is_of_server(ck_bytes block) {
  static const char behind[] = "_tool_result\"";
  ck_bytes type = ck_json_get(block, "type"), of = ck_json_get(block, "tool_use_id");
  size_t len = sizeof behind - 1;
  return is_type(block, "server_tool_use") ||
         (of.len > 0 && type.len > len && memcmp(type.data + type.len - len, behind, len) == 0);
}

/* Its result is in the same turn, unless that is the last one, which goes on. */
static bool check_server_block(checking *self, ck_bytes block) {
  self->pauses = is_type(block, "server_tool_use");
  if (self->pauses) return open_call(self, ck_json_get(block, "id"));
  return close_call(self, ck_json_get(block, "tool_use_id"));
}

static bool check_block(checking *self, ck_bytes block, bool user, bool *result_may_come) {
  static const char *const of_use[] = {"type", "id", "name", "input", "cache_control", NULL};
  if (is_type(block, "tool_result")) {
    ck_bytes content = ck_json_get(block, "content");
    if (!user || !*result_may_come)
      return wrong(self, "a result that is not at the beginning of the user's turn");
    if (content.len > 0 && ck_json_type_of(content) != CK_JSON_STRING &&
        ck_json_type_of(content) != CK_JSON_ARRAY)
      return wrong(self, "a result's content");
    return close_call(self, ck_json_get(block, "tool_use_id"));
  }
  *result_may_come = self->pauses = false;
  if (user && self->open_count > 0) return wrong(self, "a call has no result");
  if (is_type(block, "text")) {
    ck_bytes text = ck_json_get(block, "text");
    return (ck_json_type_of(text) == CK_JSON_STRING && !is_blank(text)) ||
           wrong(self, "an empty text");
  }
  if (is_type(block, "image") || is_type(block, "document"))
    return user || wrong(self, "an image of the assistant");
  if (user) return wrong(self, "a block that no user can have");
  if (is_type(block, "thinking")) return check_thinking(self, block);
  if (is_type(block, "redacted_thinking")) return true;
  if (is_of_server(block)) return check_server_block(self, block);
  if (!is_type(block, "tool_use")) return wrong(self, "a block of unknown type");
  if (!only_members(block, of_use) ||
      ck_json_type_of(ck_json_get(block, "input")) != CK_JSON_OBJECT)
    return wrong(self, "a malformed call");
  return open_call(self, ck_json_get(block, "id"));
}

static bool check_anthropic_message(checking *self, ck_bytes message) {
  static const char *const members[] = {"role", "content", NULL};
  bool user = ck_json_is_text(ck_json_get(message, "role"), "user"), results = user, begun = false,
       thought = false;
  ck_bytes content = ck_json_get(message, "content");
  if (!only_members(message, members)) return wrong(self, "members besides role and content");
  if (!user && !ck_json_is_text(ck_json_get(message, "role"), "assistant"))
    return wrong(self, "a role that there is not");
  if (user != (self->index % 2 == 0))
    return wrong(self, "turns do not alternate, or the first is not the user's");
  if (ck_json_type_of(content) == CK_JSON_STRING)
    return self->open_count == 0 && !is_blank(content)
               ? true
               : wrong(self, "an empty turn, or a call without a result");
  if (ck_json_type_of(content) != CK_JSON_ARRAY || ck_json_count(content) == 0)
    return wrong(self, "an empty turn");
  ck_json_iterator it = ck_json_iterate(content);
  while (ck_json_next(&it)) {
    thought = is_type(it.value, "thinking") || is_type(it.value, "redacted_thinking");
    if (!user && self->thinks && !begun && !thought)
      return wrong(self, "the turn does not begin with its thinking");
    begun = true;
    if (!check_block(self, it.value, user, &results)) return false;
  }
  if (thought) return wrong(self, "the turn ends with thinking");
  return !user || self->open_count == 0 || wrong(self, "a call has no result");
}

/* ---- responses ---- */

/* What the model thought comes back as it was, with what it thought for behind it. */
static bool check_reasoning(checking *self, ck_bytes item) {
  char wanted[WIRE_SIGNATURE_SIZE];
  ck_bytes summary = ck_json_get(item, "summary"), text = {NULL, 0};
  for (ck_json_iterator it = ck_json_iterate(summary); ck_json_next(&it);)
    text = ck_json_get(it.value, "text");
  if (ck_json_type_of(text) != CK_JSON_STRING) return wrong(self, "reasoning without a summary");
  wire_sign(wanted, (ck_bytes){text.data + 1, text.len - 2});
  return ck_json_is_text(ck_json_get(item, "encrypted_content"), wanted) ||
         wrong(self, "reasoning was changed, or is not there");
}

static bool check_input_call(checking *self, ck_bytes item) {
  ck_bytes name = ck_json_get(item, "name");
  if (ck_json_type_of(name) != CK_JSON_STRING || name.len < 3)
    return wrong(self, "a call without a name");
  if (ck_json_type_of(ck_json_get(item, "arguments")) != CK_JSON_STRING)
    return wrong(self, "arguments that are no string");
  return open_call(self, ck_json_get(item, "call_id"));
}

static bool check_input_message(checking *self, ck_bytes item) {
  ck_bytes role = ck_json_get(item, "role"), content = ck_json_get(item, "content");
  bool assistant = ck_json_is_text(role, "assistant");
  if (self->open_count > 0 && !assistant) return wrong(self, "a call has no result");
  if (!assistant && !ck_json_is_text(role, "user") && !ck_json_is_text(role, "system") &&
      !ck_json_is_text(role, "developer"))
    return wrong(self, "role %.*s", (int)role.len, role.data);
  if (ck_json_type_of(content) == CK_JSON_STRING)
    return !assistant || content.len > 2 || wrong(self, "an empty turn");
  if (ck_json_type_of(content) != CK_JSON_ARRAY || ck_json_count(content) == 0)
    return wrong(self, "no content");
  return true;
}

static bool check_item(checking *self, ck_bytes item, bool *thought) {
  bool thinks = is_type(item, "reasoning");
  bool plain = thinks || is_type(item, "message") || is_type(item, "function_call");
  if (plain && ck_json_get(item, "id").len) return wrong(self, "an id of what nobody has kept");
  if (*thought && !plain) return wrong(self, "reasoning without what it was for");
  *thought = thinks;
  if (thinks) return check_reasoning(self, item);
  if (is_type(item, "function_call")) return check_input_call(self, item);
  if (is_type(item, "message")) return check_input_message(self, item);
  if (!is_type(item, "function_call_output")) return wrong(self, "an item of unknown type");
  ck_json_type output = ck_json_type_of(ck_json_get(item, "output"));
  if (output != CK_JSON_STRING && output != CK_JSON_ARRAY) return wrong(self, "a result's output");
  return close_call(self, ck_json_get(item, "call_id"));
}

static bool check_input_tools(checking *self, ck_bytes tools) {
  if (tools.len > 0 && (ck_json_type_of(tools) != CK_JSON_ARRAY || ck_json_count(tools) == 0))
    return wrong(self, "tools is empty");
  for (ck_json_iterator it = ck_json_iterate(tools); tools.len > 0 && ck_json_next(&it);) {
    if (!is_type(it.value, "function") ||
        ck_json_type_of(ck_json_get(it.value, "name")) != CK_JSON_STRING ||
        !is_type(ck_json_get(it.value, "parameters"), "object"))
      return wrong(self, "a tool without a name or a schema");
  }
  return true;
}

static bool check_responses(checking *self, ck_bytes body) {
  bool thought = false;
  ck_bytes items = ck_json_get(body, "input");
  self->strict = true;
  if (ck_json_type_of(ck_json_get(body, "store")) != CK_JSON_FALSE)
    return wrong(self, "the server is to keep it");
  if (ck_json_get(body, "previous_response_id").len) return wrong(self, "it relies on the server");
  if (ck_json_get(body, "max_tokens").len) return wrong(self, "max_tokens is unknown");
  if (ck_json_type_of(items) != CK_JSON_ARRAY) return wrong(self, "no input");
  for (ck_json_iterator it = ck_json_iterate(items); ck_json_next(&it); self->index++)
    if (!check_item(self, it.value, &thought)) return false;
  if (thought) return wrong(self, "it ends with reasoning");
  if (self->open_count > 0) return wrong(self, "a call has no result");
  return check_input_tools(self, ck_json_get(body, "tools"));
}

/* ---- Gemini ---- */

/* The first of a turn's calls is signed over its arguments. */
static bool check_function_call(checking *self, ck_bytes part, bool first) {
  char wanted[WIRE_SIGNATURE_SIZE];
  ck_bytes call = ck_json_get(part, "functionCall"), args = ck_json_get(call, "args"),
           id = ck_json_get(call, "id"), name = ck_json_get(call, "name"),
           signature = ck_json_get(part, "thoughtSignature");
  if (ck_json_type_of(name) != CK_JSON_STRING || name.len < 3)
    return wrong(self, "a call without a name");
  if (args.len && ck_json_type_of(args) != CK_JSON_OBJECT)
    return wrong(self, "arguments that are no object");
  bool ours = id.len > 7 && memcmp(id.data, "\"call_t", 7) == 0;
  wire_sign(wanted, args);
  if (ours && first && !ck_json_is_text(signature, wanted))
    return wrong(self, "a signature was changed, or is not there");
  if (self->open_count == CALLS_MAX) return wrong(self, "more calls than the checker can hold");
  self->open[self->open_count++] = call;
  return true;
}

/* Responses come in the order of the calls, under their names and ids. */
static bool check_function_response(checking *self, ck_bytes response) {
  ck_bytes call = self->open[0];
  if (self->open_count == 0) return wrong(self, "a result without a call");
  if (!ck_bytes_equal(ck_json_get(response, "name"), ck_json_get(call, "name")) ||
      !ck_bytes_equal(ck_json_get(response, "id"), ck_json_get(call, "id")))
    return wrong(self, "a result where that of another call is due");
  if (ck_json_type_of(ck_json_get(response, "response")) != CK_JSON_OBJECT)
    return wrong(self, "a response that is no object");
  self->open_count--;
  memmove(self->open, self->open + 1, self->open_count * sizeof *self->open);
  return true;
}

static bool check_part(checking *self, ck_bytes part, bool user, bool *called) {
  ck_bytes text = ck_json_get(part, "text"), response = ck_json_get(part, "functionResponse");
  if (response.len) return user ? check_function_response(self, response) : wrong(self, "a result");
  if (user && self->open_count > 0) return wrong(self, "a call has no result");
  if (ck_json_get(part, "functionCall").len) {
    bool first = !*called;
    *called = true;
    return user ? wrong(self, "a call of the user") : check_function_call(self, part, first);
  }
  if (text.len)
    return (ck_json_type_of(text) == CK_JSON_STRING && text.len > 2) ||
           ck_json_get(part, "thoughtSignature").len > 0 || wrong(self, "an empty text");
  return ck_json_get(part, "inlineData").len > 0 || ck_json_get(part, "fileData").len > 0 ||
         wrong(self, "a part of unknown kind");
}

static bool check_content(checking *self, ck_bytes content) {
  ck_bytes role = ck_json_get(content, "role"), parts = ck_json_get(content, "parts");
  bool user = ck_json_is_text(role, "user"), called = false;
  if (!user && !ck_json_is_text(role, "model")) return wrong(self, "a role that there is not");
  if (self->index == 0 && !user) return wrong(self, "the first is not the user's");
  if (!user && self->open_count > 0) return wrong(self, "a call has no result");
  if (ck_json_type_of(parts) != CK_JSON_ARRAY || ck_json_count(parts) == 0)
    return wrong(self, "no parts");
  for (ck_json_iterator it = ck_json_iterate(parts); ck_json_next(&it);)
    if (!check_part(self, it.value, user, &called)) return false;
  return !user || self->open_count == 0 || wrong(self, "a call has no result");
}

static bool check_gemini(checking *self, ck_bytes body) {
  static const char *const members[] = {
      "contents",   "systemInstruction", "tools", "generationConfig",
      "toolConfig", "safetySettings",    "seed",  NULL};
  ck_bytes contents = ck_json_get(body, "contents");
  if (!only_members(body, members)) return wrong(self, "a member that is not known");
  if (ck_json_type_of(contents) != CK_JSON_ARRAY || ck_json_count(contents) == 0)
    return wrong(self, "no contents");
  for (ck_json_iterator it = ck_json_iterate(contents); ck_json_next(&it); self->index++)
    if (!check_content(self, it.value)) return false;
  return self->open_count == 0 || wrong(self, "a call has no result");
}

/* ---- both ---- */

static bool check_tools(checking *self, ck_bytes tools) {
  ck_json_iterator it = ck_json_iterate(tools);
  if (tools.len > 0 && (ck_json_type_of(tools) != CK_JSON_ARRAY || ck_json_count(tools) == 0))
    return wrong(self, "tools is empty");
  while (tools.len > 0 && ck_json_next(&it)) {
    ck_bytes tool = self->anthropic ? it.value : ck_json_get(it.value, "function");
    ck_bytes schema = ck_json_get(tool, self->anthropic ? "input_schema" : "parameters");
    if (!self->anthropic && !is_type(it.value, "function"))
      return wrong(self, "a tool that is no function");
    if (ck_json_type_of(ck_json_get(tool, "name")) != CK_JSON_STRING)
      return wrong(self, "a tool without a name");
    if (ck_json_type_of(schema) != CK_JSON_OBJECT || !is_type(schema, "object"))
      return wrong(self, "a tool without a schema");
  }
  return tools.len > 0 || !self->anthropic || self->seen_count == 0 ||
         wrong(self, "calls, but no tools");
}

static bool check_messages(checking *self, ck_bytes messages) {
  if (ck_json_type_of(messages) != CK_JSON_ARRAY || ck_json_count(messages) == 0)
    return wrong(self, "there are none");
  ck_json_iterator it = ck_json_iterate(messages);
  for (; ck_json_next(&it); self->index++) {
    if (!(self->anthropic ? check_anthropic_message : check_openai_message)(self, it.value))
      return false;
  }
  return self->open_count == self->pauses || wrong(self, "a call has no result");
}

bool wire_check(char problem[WIRE_PROBLEM_SIZE], const char *path, ck_bytes body) {
  checking self = {.problem = problem, .anthropic = strstr(path, "/messages") != NULL};
  int64_t max_tokens;
  *problem = '\0';
  self.strict = self.anthropic;
  if (ck_json_check(body, NULL) != CK_OK) return wrong(&self, "the request is no JSON");
  if (strstr(path, "enerateContent")) return check_gemini(&self, body);
  if (ck_json_type_of(ck_json_get(body, "model")) != CK_JSON_STRING)
    return wrong(&self, "no model");
  if (strstr(path, "/responses")) return check_responses(&self, body);
  if (self.anthropic &&
      (!ck_json_read_int(&max_tokens, ck_json_get(body, "max_tokens")) || max_tokens < 1))
    return wrong(&self, "no max_tokens");
  self.thinks = is_type(ck_json_get(body, "thinking"), "enabled");
  size_t marks;
  const char *of_marks = self.anthropic ? wire_marks_check(&marks, body) : NULL;
  if (of_marks) return wrong(&self, "%s", of_marks);
  return check_messages(&self, ck_json_get(body, "messages")) &&
         check_tools(&self, ck_json_get(body, "tools"));
}
