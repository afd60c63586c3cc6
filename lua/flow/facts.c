/* facts.c - ctx.facts: values that outlive sessions, shared by all agents or of one; each access
 * is a recorded effect. */
#include <lauxlib.h>

#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

/* Pushes {what = "fact", owner, key, value?}; owner, key and value are the positions of arguments,
 * 0: none. */
static void push_request(lua_State *L, ck_coroutine *self, int owner, int value) {
  ck_bytes key, of = {"", 0}, json = {0};
  key.data = luaL_checklstring(L, 1, &key.len);
  if (!lua_isnoneornil(L, owner)) of.data = luaL_checklstring(L, owner, &of.len);
  if (key.len == 0) ck_vm_raise(L, CK_E_FLOW, "ctx.facts: a key must not be empty");
  if (value) {
    ck_coroutine_encode(L, self, value);
    ck_coroutine_push_scratch(L, self);
    json.data = lua_tolstring(L, -1, &json.len);
  }
  ck_buffer_reset(&self->scratch);
  ck_json_writer w = {.out = &self->scratch};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "what", "fact");
  ck_json_member_string(&w, "owner", of);
  ck_json_member_string(&w, "key", key);
  if (value) ck_json_member_raw(&w, "value", json);
  ck_json_end(&w, '}');
  ck_coroutine_push_scratch(L, self);
}

static int facts_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  const ck_outcome *outcome = ck_coroutine_check(L)->outcome;
  if (outcome->status != CK_OUTCOME_OK)
    ck_vm_raise(L, CK_E_FLOW, "ctx.facts: %s",
                outcome->error ? outcome->error : "no answer was given");
  bool known = outcome->result && ck_json_type_of(ck_value_bytes(outcome->result)) != CK_JSON_NULL;
  ck_coroutine_push_value(L, known ? ck_value_bytes(outcome->result) : (ck_bytes){0});
  return 1;
}

static int ask_for(lua_State *L, ck_coroutine *self, ck_effect_class class) {
  ck_coroutine_reset_yield(self);
  ck_effect *effect = &self->yield.effect;
  *effect = (ck_effect){.kind = CK_EFFECT_READ, .class = class};
  effect->request.data = lua_tolstring(L, -1, &effect->request.len); /* it stays on this stack */
  return ck_coroutine_yield(L, self, CK_FLOW_EFFECT, facts_resumed);
}

/* ctx.facts.get(key, agent?): read-only; nil: no such fact. */
static int facts_get(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.facts.get");
  push_request(L, self, 2, 0);
  return ask_for(L, self, CK_EFFECT_PURE);
}

/* ctx.facts.put(key, value, agent?): nil removes it. */
static int facts_put(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.facts.put");
  lua_settop(L, 3);
  push_request(L, self, 3, 2);
  return ask_for(L, self, CK_EFFECT_IDEMPOTENT);
}

static const luaL_Reg functions[] = {
    {"get", facts_get},
    {"put", facts_put},
    {NULL, NULL},
};

void ck_coroutine_open_facts(lua_State *L, int box) {
  luaL_newlibtable(L, functions);
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
  lua_setfield(L, -2, "facts");
}
