/* effects.c - ctx.effect, ctx.effects: one outward action or several in parallel, and their
 * outcomes. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

void ck_coroutine_clear_asks(ck_coroutine *self) {
  for (size_t i = 0; i < self->ask_count; i++) {
    free((char *)self->asks[i].effect.agent);
    free((char *)self->asks[i].effect.source);
    free((char *)self->asks[i].effect.request.data);
  }
  free(self->asks);
  self->asks = NULL;
  self->ask_count = 0;
}

static void reserve_asks(lua_State *L, ck_coroutine *self, size_t count) {
  ck_coroutine_clear_asks(self);
  self->asks = calloc(count, sizeof *self->asks);
  if (!self->asks) ck_coroutine_raise_no_memory(L);
}

/* ---- what is asked ---- */

/* A table, or the text of a JSON object, which is sent byte for byte. */
static void read_request(lua_State *L, ck_coroutine *self, ck_effect *effect, int table,
                         const char *what) {
  ck_error err = CK_ERROR_INIT;
  ck_bytes json = ck_bytes_text("{}");
  int type = lua_getfield(L, table, "request");
  if (type == LUA_TSTRING) {
    json.data = lua_tolstring(L, -1, &json.len);
    if (ck_json_check(json, &err) != CK_OK) {
      ck_error_prefix(&err, "%s: request", what);
      ck_coroutine_raise(L, &err);
    }
  } else if (type != LUA_TNIL) {
    json = ck_coroutine_encode(L, self, -1);
    if (self->scratch.failed) ck_coroutine_raise_no_memory(L);
  }
  if (ck_json_type_of(json) != CK_JSON_OBJECT) {
    ck_vm_raise(L, CK_E_FLOW,
                "%s: 'request' must be a table with named fields, or JSON text of an object", what);
  }
  char *request = malloc(json.len);
  if (!request) ck_coroutine_raise_no_memory(L);
  memcpy(request, json.data, json.len);
  effect->request = (ck_bytes){request, json.len};
  lua_pop(L, 1);
}

/* A copy of the text of a field; NULL when it is nil. */
static void read_text(lua_State *L, const char **out, int table, const char *field,
                      const char *what) {
  int type = lua_getfield(L, table, field);
  if (type != LUA_TNIL && type != LUA_TSTRING)
    ck_vm_raise(L, CK_E_FLOW, "%s: '%s' must be a string, not a %s", what, field,
                luaL_typename(L, -1));
  if (type == LUA_TSTRING && !(*out = strdup(lua_tostring(L, -1)))) ck_coroutine_raise_no_memory(L);
  lua_pop(L, 1);
}

/* Adds the request of the table to self->asks, which has room for it. */
static void read_ask(lua_State *L, ck_coroutine *self, int table, const char *what) {
  static const char *const known[] = {"kind",    "class", "agent",  "request",
                                      "ordinal", "own",   "source", NULL};
  ck_coroutine_check_fields(L, table, what, known);
  ck_flow_ask *ask = &self->asks[self->ask_count++];
  const char *kind = ck_coroutine_push_name(L, table, what, "kind");
  if (!ck_effect_kind_of(&ask->effect.kind, kind))
    ck_vm_raise(L, CK_E_FLOW, "%s: '%s' is not a kind of effect", what, kind);
  lua_pop(L, 1);
  ask->effect.class = ck_coroutine_read_class(L, table, what);
  ask->ordinal = (uint32_t)ck_coroutine_read_count(L, table, "ordinal", UINT32_MAX);
  lua_getfield(L, table, "own");
  ask->effect.own = lua_toboolean(L, -1) && ask->effect.kind == CK_EFFECT_TOOL;
  lua_pop(L, 1);
  read_text(L, &ask->effect.agent, table, "agent", what);
  read_text(L, &ask->effect.source, table, "source", what);
  read_request(L, self, &ask->effect, table, what);
}

/* ---- what came of it ---- */

static void set_text(lua_State *L, const char *field, ck_bytes text) {
  lua_pushlstring(L, text.data ? text.data : "", text.len);
  lua_setfield(L, -2, field);
}

static void set_integer(lua_State *L, const char *field, int64_t number) {
  lua_pushinteger(L, number);
  lua_setfield(L, -2, field);
}

static void set_true(lua_State *L, const char *field, bool value) {
  if (!value) return;
  lua_pushboolean(L, true);
  lua_setfield(L, -2, field);
}

/* {status=, result=, raw=, error=, wants=, tools_changed=, cut=, refusal=, goes_on=, note=,
 * cost_micros=, input_tokens=, output_tokens=} */
static void push_outcome(lua_State *L, const ck_outcome *outcome) {
  lua_createtable(L, 0, 9);
  set_text(L, "status", ck_bytes_text(ck_outcome_status_name(outcome->status)));
  if (outcome->result) {
    set_text(L, "raw", ck_value_bytes(outcome->result));
    ck_json_push(L, ck_value_bytes(outcome->result));
    lua_setfield(L, -2, "result");
  }
  if (outcome->error) set_text(L, "error", ck_bytes_text(outcome->error));
  set_true(L, "wants", outcome->wants);
  set_true(L, "tools_changed", outcome->tools_changed);
  set_true(L, "goes_on", outcome->goes_on);
  if (outcome->cut) set_text(L, "cut", ck_bytes_text(outcome->cut));
  if (outcome->refusal) set_text(L, "refusal", ck_bytes_text(outcome->refusal));
  if (outcome->response_model)
    set_text(L, "response_model", ck_bytes_text(outcome->response_model));
  if (outcome->note) set_text(L, "note", ck_bytes_text(outcome->note));
  if (outcome->cost_micros >= 0) set_integer(L, "cost_micros", outcome->cost_micros);
  set_integer(L, "input_tokens", outcome->input_tokens);
  set_integer(L, "output_tokens", outcome->output_tokens);
}

static void note_ending(ck_coroutine *self, const ck_outcome *outcome) {
  self->unknown |= outcome->final;
  self->refused |= outcome->refused;
}

static int effect_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  ck_coroutine *self = ck_coroutine_check(L);
  note_ending(self, self->outcome);
  push_outcome(L, self->outcome);
  return 1;
}

static int effects_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  ck_coroutine *self = ck_coroutine_check(L);
  lua_createtable(L, (int)self->ask_count, 0);
  lua_Integer place = 0;
  for (const ck_outcome *outcome = self->outcome; outcome; outcome = outcome->next) {
    note_ending(self, outcome);
    push_outcome(L, outcome);
    lua_rawseti(L, -2, ++place);
  }
  if ((size_t)place != self->ask_count) {
    ck_vm_raise(L, CK_E_FLOW, "ctx.effects: %d effects were asked for and %d outcomes came",
                (int)self->ask_count, (int)place);
  }
  return 1;
}

/* ---- the functions ---- */

static int ctx_effect(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.effect");
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  ck_coroutine_reset_yield(self);
  reserve_asks(L, self, 1);
  read_ask(L, self, 1, "ctx.effect");
  self->yield.effect = self->asks[0].effect;
  self->yield.ordinal = self->asks[0].ordinal;
  return ck_coroutine_yield(L, self, CK_FLOW_EFFECT, effect_resumed);
}

/* ctx.effects{ {…}, … }: requests as of ctx.effect, carried out in parallel; outcomes in the same
 * order. */
static int ctx_effects(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.effects");
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  ck_coroutine_reset_yield(self);
  size_t count = lua_rawlen(L, 1);
  if (count == 0) ck_vm_raise(L, CK_E_FLOW, "ctx.effects needs a list with at least one effect");
  reserve_asks(L, self, count);
  for (size_t i = 1; i <= count; i++) {
    if (lua_rawgeti(L, 1, (lua_Integer)i) != LUA_TTABLE)
      ck_vm_raise(L, CK_E_FLOW, "ctx.effects takes a list of what ctx.effect takes");
    read_ask(L, self, 2, "ctx.effects");
    lua_settop(L, 1);
  }
  self->yield.asks = self->asks;
  self->yield.ask_count = self->ask_count;
  return ck_coroutine_yield(L, self, CK_FLOW_EFFECTS, effects_resumed);
}

/* ctx.unknown(): whether an effect that must not be repeated, here or in a scope that was joined,
 * has had an unknown outcome since this was last asked. */
static int ctx_unknown(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  lua_pushboolean(L, self->unknown);
  self->unknown = false;
  return 1;
}

/* ctx.refused(): whether a person has denied an effect, or a policy one that no model called, here
 * or in a scope that was joined, since this was last asked. */
static int ctx_refused(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  lua_pushboolean(L, self->refused);
  self->refused = false;
  return 1;
}

static const luaL_Reg functions[] = {{"effect", ctx_effect},
                                     {"effects", ctx_effects},
                                     {"unknown", ctx_unknown},
                                     {"refused", ctx_refused},
                                     {NULL, NULL}};

void ck_coroutine_open_effects(lua_State *L, int box) {
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
}
