/* message.c - ctx.message, ctx.last_message, ctx.conversation_length, ctx.tool_calls: the scope's
 * conversation. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

/* Makes room for one more, so that the next message has an owner at once. */
static ck_flow_message *reserve_message(lua_State *L, ck_coroutine *self) {
  ck_flow_message *messages =
      ck_array_grow(self->messages, self->message_count, &self->message_cap, sizeof *messages);
  if (!messages) {
    ck_error err = CK_ERROR_INIT;
    ck_error_no_memory(&err);
    ck_coroutine_raise(L, &err);
  }
  self->messages = messages;
  self->messages[self->message_count] = (ck_flow_message){0};
  return &self->messages[self->message_count];
}

static ck_status make_assistant(ck_value **out, ck_bytes content, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer writer = {.out = &json};
  ck_json_begin(&writer, '{');
  ck_json_member_text(&writer, "role", "assistant");
  ck_json_member_raw(&writer, "content", content);
  ck_json_end(&writer, '}');
  ck_status status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

typedef struct fields {
  const char *role, *call_id, *name, *agent; /* all but the role may be NULL */
} fields;

/* Reading a file is a step of its own, which this function is not. */
static void check_read(lua_State *L, ck_bytes content) {
  ck_json_iterator it = ck_json_iterate(content);
  while (ck_json_type_of(content) == CK_JSON_ARRAY && ck_json_next(&it)) {
    ck_bytes path = ck_json_get(it.value, "path");
    if (ck_json_type_of(path) == CK_JSON_STRING &&
        ck_json_is_text(ck_json_get(it.value, "type"), "file"))
      ck_vm_raise(L, CK_E_FLOW, "ctx.message: the file %.*s is not read yet: give ctx.file(path)",
                  (int)path.len, path.data);
  }
}

/* The content's JSON is in self->scratch. */
static void add_message(lua_State *L, ck_coroutine *self, const fields *of) {
  const char *role = of->role;
  if (self->rewind)
    ck_vm_raise(L, CK_E_FLOW,
                "ctx.message: what is said after ctx.rewind must wait for the next yield, such as "
                "ctx.boundary");
  ck_bytes content = ck_buffer_bytes(&self->scratch);
  check_read(L, content);
  ck_coroutine_count_given(L, self, content.len);
  ck_flow_message *added = reserve_message(L, self);
  ck_value **slot = &added->message;
  ck_error err = CK_ERROR_INIT;
  ck_status status = CK_OK;
  if (strcmp(role, "system") == 0) {
    if (lua_type(L, 2) != LUA_TSTRING)
      luaL_error(L, "ctx.message: a system message must be a string");
    size_t len;
    const char *text = lua_tolstring(L, 2, &len);
    status = ck_message_system(slot, (ck_bytes){text, len}, &err);
  } else if (strcmp(role, "user") == 0) {
    status = ck_message_user(slot, content, &err);
  } else if (strcmp(role, "assistant") == 0) {
    status = make_assistant(slot, content, &err);
  } else if (strcmp(role, "tool") == 0) {
    if (!of->name) luaL_error(L, "ctx.message: a tool message needs 'name'");
    status = ck_message_tool(slot, of->call_id, of->name, content, &err);
  } else {
    luaL_error(L, "ctx.message: '%s' is not a role: system, user, assistant or tool", role);
  }
  if (status != CK_OK) ck_coroutine_raise(L, &err);
  self->message_count++;
  if (of->agent && !(added->agent = strdup(of->agent))) ck_coroutine_raise_no_memory(L);
}

/* Pushes a field of the table at 1, a string or nil. */
static const char *push_text_field(lua_State *L, const char *field) {
  int type = lua_getfield(L, 1, field);
  if (type != LUA_TNIL && type != LUA_TSTRING)
    luaL_error(L, "ctx.message: '%s' must be a string", field);
  return lua_tostring(L, -1);
}

/* ctx.message(role, content) or ctx.message{role=, content=, name=, call_id=, agent=}. */
static int ctx_message(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  fields of = {0};
  if (lua_istable(L, 1)) {
    lua_settop(L, 1);
    lua_getfield(L, 1, "content");
    of.role = push_text_field(L, "role");
    of.call_id = push_text_field(L, "call_id");
    of.name = push_text_field(L, "name");
    of.agent = push_text_field(L, "agent");
    if (!of.role) return luaL_error(L, "ctx.message needs 'role'");
  } else {
    lua_settop(L, 2);
    of.role = luaL_checkstring(L, 1);
  }
  if (lua_isnil(L, 2)) return luaL_error(L, "ctx.message needs a content");
  ck_coroutine_encode(L, self, 2);
  add_message(L, self, &of);
  return 0;
}

size_t ck_coroutine_message_count(const ck_coroutine *self) {
  return (self->conversation ? ck_conversation_count(self->conversation) : 0) + self->message_count;
}

static int ctx_conversation_length(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)ck_coroutine_message_count(ck_coroutine_check(L)));
  return 1;
}

static const ck_value *last_message(const ck_coroutine *self) {
  if (self->message_count > 0) return self->messages[self->message_count - 1].message;
  size_t count = ck_coroutine_message_count(self);
  return count > 0 ? ck_conversation_get(self->conversation, count - 1) : NULL;
}

static int ctx_last_message(lua_State *L) {
  const ck_value *last = last_message(ck_coroutine_check(L));
  ck_coroutine_push_value(L, last ? ck_value_bytes(last) : (ck_bytes){0});
  return 1;
}

/* Pushes the text of a JSON string; false, and nothing pushed, for anything else or an empty
 * one. */
static bool push_text(lua_State *L, ck_coroutine *self, ck_bytes json) {
  ck_buffer_reset(&self->scratch);
  if (!ck_json_read_string(&self->scratch, json) || self->scratch.len == 0) return false;
  ck_coroutine_push_scratch(L, self);
  return true;
}

/* {name, call_id?, index, arguments}: the call's own bytes. */
static void push_request(lua_State *L, ck_coroutine *self, ck_bytes name, ck_bytes id,
                         int64_t index, ck_bytes arguments) {
  ck_buffer_reset(&self->scratch);
  ck_json_writer writer = {.out = &self->scratch};
  ck_json_begin(&writer, '{');
  ck_json_member_raw(&writer, "name", name);
  if (ck_json_type_of(id) == CK_JSON_STRING) ck_json_member_raw(&writer, "call_id", id);
  ck_json_member_int(&writer, "index", index - 1);
  ck_json_member_raw(&writer, "arguments", arguments.len > 0 ? arguments : ck_bytes_text("{}"));
  ck_json_end(&writer, '}');
  ck_coroutine_push_scratch(L, self);
}

/* Models write line breaks and tabs unescaped into the texts of their arguments, which JSON
 * forbids: escaped here. */
static void escape_controls(ck_buffer *out, ck_bytes json) {
  bool inside = false;
  for (size_t i = 0; i < json.len; i++) {
    char c = json.data[i];
    if (c == '"') inside = !inside;
    if (inside && c == '\\' && i + 1 < json.len) {
      ck_buffer_append_char(out, c);
      c = json.data[++i];
    }
    if (inside && (unsigned char)c < ' ')
      ck_buffer_append_format(out, "\\u%04x", (unsigned)c);
    else
      ck_buffer_append_char(out, c);
  }
}

static ck_bytes trim(ck_bytes text) {
  while (text.len > 0 && strchr(" \t\r\n", text.data[text.len - 1])) text.len--;
  while (text.len > 0 && strchr(" \t\r\n", *text.data)) text.data++, text.len--;
  return text;
}

/* Pushes the object that the text in self->scratch holds, an empty one for an empty text; false,
 * and nothing pushed, for anything else. */
static bool push_written(lua_State *L, ck_coroutine *self) {
  ck_buffer *escaped = ck_vm_scratch(L);
  ck_error err = CK_ERROR_INIT;
  escape_controls(escaped, trim(ck_buffer_bytes(&self->scratch)));
  ck_buffer_reset(&self->scratch);
  ck_buffer_append_bytes(&self->scratch, ck_buffer_bytes(escaped));
  if (ck_buffer_check(escaped, &err) != CK_OK || ck_buffer_check(&self->scratch, &err) != CK_OK)
    ck_coroutine_raise(L, &err);
  ck_bytes json = ck_buffer_bytes(&self->scratch);
  ck_status status = json.len ? ck_json_check(json, &err) : CK_OK;
  if (status == CK_E_NO_MEMORY) ck_coroutine_raise(L, &err);
  if (status != CK_OK || (json.len && ck_json_type_of(json) != CK_JSON_OBJECT)) return false;
  if (json.len)
    ck_json_push(L, json);
  else
    lua_newtable(L);
  return true;
}

/* Pushes the arguments, which providers give as text that holds an object, or as an object, or not
 * at all; false, and nothing pushed, for anything else. */
static bool push_arguments(lua_State *L, ck_coroutine *self, ck_bytes arguments) {
  ck_json_type type = ck_json_type_of(arguments);
  if (type == CK_JSON_STRING) {
    ck_buffer_reset(&self->scratch);
    ck_json_read_string(&self->scratch, arguments);
    return push_written(L, self);
  }
  if (type == CK_JSON_OBJECT)
    ck_json_push(L, arguments);
  else if (type == CK_JSON_NONE || type == CK_JSON_NULL)
    lua_newtable(L);
  else
    return false;
  return true;
}

/* A call as the message has it: OpenAI's among `tool_calls`, or a block of Anthropic's
 * `content`. */
typedef struct {
  ck_bytes id, name, arguments;
} call_parts;

static call_parts read_call(ck_bytes call) {
  ck_bytes function = ck_json_get(call, "function");
  ck_bytes body = function.len > 0 ? function : call; /* some providers leave "function" out */
  return (call_parts){ck_json_get(call, "id"), ck_json_get(body, "name"),
                      ck_json_get(body, "arguments")};
}

static call_parts read_block(ck_bytes block) {
  return (call_parts){ck_json_get(block, "id"), ck_json_get(block, "name"),
                      ck_json_get(block, "input")};
}

/* Arguments that were no object: Anthropic takes only objects, so they were put into one. */
static bool is_malformed(ck_bytes arguments) {
  return ck_json_type_of(arguments) == CK_JSON_OBJECT && ck_json_count(arguments) == 1 &&
         ck_json_get(arguments, "INVALID_JSON").len > 0;
}

/* Pushes {name=, call_id=, request=, arguments=}. A call without a name has `problem` instead;
 * one whose arguments are no object lacks them. */
static void push_call(lua_State *L, ck_coroutine *self, const call_parts *call, int64_t index) {
  lua_createtable(L, 0, 4);
  if (push_text(L, self, call->id)) lua_setfield(L, -2, "call_id");
  if (push_text(L, self, call->name)) {
    lua_setfield(L, -2, "name");
    push_request(L, self, call->name, call->id, index, call->arguments);
    lua_setfield(L, -2, "request");
    if (!is_malformed(call->arguments) && push_arguments(L, self, call->arguments))
      lua_setfield(L, -2, "arguments");
  } else {
    lua_pushliteral(L, "the call does not say which tool");
    lua_setfield(L, -2, "problem");
  }
}

/* Stack: … the list of calls. */
static void push_blocks(lua_State *L, ck_coroutine *self, ck_bytes content) {
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return;
  ck_json_iterator it = ck_json_iterate(content);
  for (int64_t index = 1; ck_json_next(&it);) {
    if (!ck_json_is_text(ck_json_get(it.value, "type"), "tool_use")) continue;
    call_parts call = read_block(it.value);
    push_call(L, self, &call, index);
    lua_rawseti(L, -2, index++);
  }
}

/* The message at 1, as the JSON it came in; nothing there: the last one of the conversation. */
static ck_bytes take_message(lua_State *L, const ck_coroutine *self) {
  ck_bytes message = {"{}", 2};
  const ck_value *last = lua_isnoneornil(L, 1) ? last_message(self) : NULL;
  if (last) return ck_value_bytes(last);
  if (!lua_isnoneornil(L, 1)) message.data = luaL_checklstring(L, 1, &message.len);
  return message;
}

/* ctx.tool_calls(raw): the calls of an assistant message. */
static int ctx_tool_calls(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_bytes message = take_message(L, self);
  ck_error err = CK_ERROR_INIT;
  if (ck_json_check(message, &err) != CK_OK) return ck_coroutine_raise(L, &err);
  lua_newtable(L);
  ck_bytes calls = ck_json_get(message, "tool_calls");
  if (ck_json_type_of(calls) != CK_JSON_ARRAY) {
    push_blocks(L, self, ck_json_get(message, "content"));
    return 1;
  }
  ck_json_iterator it = ck_json_iterate(calls);
  for (int64_t index = 1; ck_json_next(&it); index++) {
    call_parts call = read_call(it.value);
    push_call(L, self, &call, index);
    lua_rawseti(L, -2, index);
  }
  return 1;
}

static const luaL_Reg functions[] = {
    {"message", ctx_message},
    {"conversation_length", ctx_conversation_length},
    {"last_message", ctx_last_message},
    {"tool_calls", ctx_tool_calls},
    {NULL, NULL},
};

void ck_coroutine_open_messages(lua_State *L, int box) {
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
}
