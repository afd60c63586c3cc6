/* table.c - the table that a profile's file returns, as JSON, and its part of the digest. */
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "lua/vm/json.h"
#include "lua/profile/reading.h"

enum { JSON_MAX = 256 * 1024 };

typedef struct {
  const ck_source *source;
  ck_buffer *json; /* owned by the caller of ck_vm_call */
} table_read;

/* A mistake in a list of policies is told with the others: {"problem": TEXT} takes its place. */
static void append_problem(ck_buffer *json, const char *text) {
  ck_json_writer w = {.out = json};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "problem", text);
  ck_json_end(&w, '}');
}

/* Stack: … the policy's entry. { "smart", slow_ms = 1 } becomes
 * {"name":"smart","options":{"slow_ms":1}}. */
static void append_policy(ck_buffer *json, lua_State *L, lua_Integer index) {
  ck_json_writer w = {.out = json};
  int entry = lua_gettop(L);
  if (lua_type(L, entry) == LUA_TSTRING)
    lua_pushvalue(L, entry);
  else if (lua_istable(L, entry))
    lua_rawgeti(L, entry, 1);
  else
    lua_pushnil(L);
  if (lua_type(L, -1) != LUA_TSTRING) {
    char text[128];
    snprintf(text, sizeof text,
             "policies[%d]: \"name\" or { \"name\", option = value } is expected", (int)index);
    lua_settop(L, entry);
    append_problem(json, text);
    return;
  }
  size_t len;
  const char *name = lua_tolstring(L, -1, &len);
  ck_json_begin(&w, '{');
  ck_json_member_string(&w, "name", (ck_bytes){name, len});
  if (lua_istable(L, entry)) {
    lua_pushnil(L);
    lua_rawseti(L, entry, 1);
    ck_json_name(&w, "options");
    ck_json_append_lua(json, L, entry, JSON_MAX);
    w.comma = true;
  }
  ck_json_end(&w, '}');
  lua_settop(L, entry);
}

/* Stack: … the list. */
static void append_policies(ck_buffer *json, lua_State *L) {
  size_t count;
  if (!lua_istable(L, -1)) {
    append_problem(json, "policies: a list is expected");
    return;
  }
  ck_sandbox_push_keys(&count, L, -1);
  lua_pop(L, 1);
  if (count != lua_rawlen(L, -1)) {
    append_problem(json, "policies: a list without names and gaps is expected");
    return;
  }
  ck_buffer_append_char(json, '[');
  for (size_t i = 1; i <= count; i++) {
    if (i > 1) ck_buffer_append_char(json, ',');
    lua_rawgeti(L, -1, (lua_Integer)i);
    append_policy(json, L, (lua_Integer)i);
    lua_pop(L, 1);
  }
  ck_buffer_append_char(json, ']');
}

/* Where policies can be listed: at the top, and one level below each name in `agents`. */
typedef enum { AT_TOP, IN_AGENTS, IN_AGENT } level;

/* Stack: … the table. */
static void append_section(ck_buffer *json, lua_State *L, level at) {
  if (!lua_istable(L, -1)) {
    ck_json_append_lua(json, L, -1, JSON_MAX);
    return;
  }
  luaL_checkstack(L, 8, NULL);
  size_t count;
  int table = lua_gettop(L);
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, table);
  ck_buffer_append_char(json, '{');
  for (size_t i = 0; i < count; i++) {
    if (keys[i].type != LUA_TSTRING) ck_vm_raise_plain(L, CK_E_PARSE, "a profile's keys are names");
    if (i > 0) ck_buffer_append_char(json, ',');
    ck_json_append_string(json, (ck_bytes){keys[i].text, keys[i].len});
    ck_buffer_append_char(json, ':');
    lua_getfield(L, table, keys[i].text);
    if (at != IN_AGENTS && strcmp(keys[i].text, "policies") == 0)
      append_policies(json, L);
    else if (at == AT_TOP && strcmp(keys[i].text, "agents") == 0)
      append_section(json, L, IN_AGENTS);
    else if (at == IN_AGENTS)
      append_section(json, L, IN_AGENT);
    else
      ck_json_append_lua(json, L, -1, JSON_MAX);
    lua_pop(L, 1);
  }
  ck_buffer_append_char(json, '}');
  lua_settop(L, table);
}

static int read_table(lua_State *L) {
  table_read *read = lua_touserdata(L, 1);
  ck_vm_push_chunk(L, read->source->name, read->source->text);
  lua_call(L, 0, 1);
  if (!lua_istable(L, -1))
    ck_vm_raise_plain(L, CK_E_PARSE, "a profile returns a table, not a %s", ck_sandbox_type(L, -1));
  append_section(read->json, L, AT_TOP);
  return 0;
}

ck_status ck_profile_read_table(ck_buffer *out, const ck_source *source, ck_error *err) {
  ck_vm_limits limits = ck_vm_policy_limits;
  limits.raised = limits.timed_out = CK_E_PARSE;
  table_read read = {source, out};
  ck_vm *vm;
  ck_status status = ck_vm_new(&vm, &limits, NULL, err);
  if (status != CK_OK) return status;
  status = ck_vm_call(vm, read_table, &read, err);
  ck_vm_free(vm);
  if (status == CK_OK) return ck_buffer_check(out, err);
  if (err && status != CK_E_NO_MEMORY &&
      strncmp(err->text, source->name, strlen(source->name)) != 0) {
    ck_error_prefix(err, "%s", source->name);
  }
  return status;
}

void ck_profile_add_digest(ck_profile *self, ck_bytes json) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update(&digester, self->digest.bytes, sizeof self->digest.bytes);
  ck_digester_update_field(&digester, json);
  self->digest = ck_digester_final(&digester);
}
