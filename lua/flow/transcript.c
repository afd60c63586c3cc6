/* transcript.c - ctx.event, ctx.rewind: events and rewinds that a flow adds to the transcript. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

void ck_coroutine_clear_facts(ck_coroutine *self) {
  for (size_t i = 0; i < self->fact_count; i++) {
    free((char *)self->facts[i].agent);
    ck_value_free(self->facts[i].body);
  }
  self->fact_count = 0;
  ck_value_free(self->rewind);
  self->rewind = NULL;
}

void ck_coroutine_count_given(lua_State *L, ck_coroutine *self, size_t bytes) {
  if (self->given >= CK_COROUTINE_GIVEN_MAX)
    ck_vm_raise(L, CK_E_FLOW,
                "messages and events come to more than %d MiB without a step between them, such as "
                "ctx.boundary",
                CK_COROUTINE_GIVEN_MAX >> 20);
  self->given += bytes + sizeof(ck_flow_fact) + sizeof(ck_flow_message);
}

/* The coroutine owns the event; without memory for all of it nothing is added. */
static void add_fact(lua_State *L, ck_coroutine *self, ck_event_kind kind, const char *agent,
                     ck_bytes body) {
  ck_error err = CK_ERROR_INIT;
  ck_flow_fact fact = {.kind = kind};
  ck_coroutine_count_given(L, self, body.len);
  ck_flow_fact *facts = reallocarray(self->facts, self->fact_count + 1, sizeof *facts);
  if (!facts) ck_coroutine_raise_no_memory(L);
  self->facts = facts;
  if (agent && !(fact.agent = strdup(agent))) ck_coroutine_raise_no_memory(L);
  if (ck_value_copy(&fact.body, body, &err) != CK_OK) {
    free((char *)fact.agent);
    ck_coroutine_raise(L, &err);
  }
  facts[self->fact_count++] = fact;
}

/* ctx.event(kind, body, agent?): "delegation" or "note"; it is in the transcript as soon as the
 * coroutine yields. */
static int ctx_event(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  const char *kind = luaL_checkstring(L, 1);
  ck_event_kind found = ck_event_kind_of(kind);
  if (found != CK_EVENT_DELEGATION && found != CK_EVENT_NOTE) {
    ck_vm_raise(L, CK_E_FLOW, "ctx.event: a flow tells of a delegation or a note, not of '%s'",
                kind);
  }
  luaL_checktype(L, 2, LUA_TTABLE);
  const char *agent = luaL_optstring(L, 3, NULL);
  ck_bytes body = ck_coroutine_encode(L, self, 2);
  if (self->scratch.failed) ck_coroutine_raise_no_memory(L);
  if (ck_json_type_of(body) != CK_JSON_OBJECT)
    ck_vm_raise(L, CK_E_FLOW, "ctx.event: the body must be a table with named fields");
  add_fact(L, self, found, agent, body);
  return 0;
}

/* ctx.rewind{to=, report=, keep=?, labelled=?}: replaces the context after its first `to` messages
 * by the report, which says that it is one when it is labelled, and its last `keep`. It takes
 * effect when the coroutine is resumed after its next yield. */
static int ctx_rewind(lua_State *L) {
  static const char *const known[] = {"to", "report", "keep", "labelled", NULL};
  ck_coroutine *self = ck_coroutine_check(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  ck_coroutine_check_fields(L, 1, "ctx.rewind", known);
  if (self->rewind)
    ck_vm_raise(L, CK_E_FLOW, "ctx.rewind: the coroutine has not yielded since the last one");
  lua_Integer count = (lua_Integer)ck_coroutine_message_count(self);
  lua_Integer to = ck_coroutine_read_count(L, 1, "to", INT32_MAX),
              keep = ck_coroutine_read_count(L, 1, "keep", INT32_MAX);
  if (to + keep > count) {
    ck_vm_raise(
        L, CK_E_FLOW,
        "ctx.rewind: a conversation of %d messages cannot be rewound to %d and keep the last %d",
        (int)count, (int)to, (int)keep);
  }
  ck_coroutine_push_name(L, 1, "ctx.rewind", "report");
  if (lua_getfield(L, 1, "labelled") != LUA_TNIL) luaL_checktype(L, -1, LUA_TBOOLEAN);
  lua_pop(L, 1);
  ck_json_read_lua(&self->rewind, L, 1, CK_COROUTINE_VALUE_MAX);
  return 0;
}

static const luaL_Reg functions[] = {{"event", ctx_event}, {"rewind", ctx_rewind}, {NULL, NULL}};

void ck_coroutine_open_transcript(lua_State *L, int box) {
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
}
