/* reading.c - ctx.now, ctx.random, ctx.file, ctx.parse: readings of the outside are recorded, so
 * that a resume gives the same values. */
#include <lauxlib.h>

#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

enum { RANDOM_BITS = 53 };

static int ask_for(lua_State *L, const char *name, ck_bytes request, lua_KFunction resumed) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, name);
  ck_coroutine_reset_yield(self);
  self->yield.effect =
      (ck_effect){.kind = CK_EFFECT_READ, .class = CK_EFFECT_PURE, .request = request};
  return ck_coroutine_yield(L, self, CK_FLOW_EFFECT, resumed);
}

static int64_t read_answer(lua_State *L, const char *name) {
  int64_t number = 0;
  const ck_outcome *outcome = ck_coroutine_check(L)->outcome;
  bool given = outcome->status == CK_OUTCOME_OK && outcome->result &&
               ck_json_read_int(&number, ck_value_bytes(outcome->result));
  if (!given)
    ck_vm_raise(L, CK_E_FLOW, "%s: %s", name,
                outcome->error ? outcome->error : "no answer was given");
  return number;
}

static int now_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  lua_pushinteger(L, read_answer(L, "ctx.now"));
  return 1;
}

/* ctx.now(): wall time in ms since 1970. */
static int ctx_now(lua_State *L) {
  lua_settop(L, 0);
  return ask_for(L, "ctx.now", ck_bytes_text("{\"what\":\"clock\"}"), now_resumed);
}

/* The number of integers in the range. The difference is unsigned: it may not fit into int64_t. */
static uint64_t read_span(lua_State *L) {
  lua_Integer first = luaL_checkinteger(L, 1), last = luaL_checkinteger(L, 2);
  uint64_t span = (uint64_t)last - (uint64_t)first + 1;
  if (first > last)
    ck_vm_raise(L, CK_E_FLOW, "ctx.random: there is no whole number from %lld to %lld", first,
                last);
  if (span == 0 || span > UINT64_C(1) << RANDOM_BITS) {
    ck_vm_raise(L, CK_E_FLOW, "ctx.random: the range holds more than 2^%d numbers", RANDOM_BITS);
  }
  return span;
}

static int random_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  uint64_t bits = (uint64_t)read_answer(L, "ctx.random");
  if (lua_gettop(L) < 2) {
    lua_pushnumber(L, (lua_Number)bits / (lua_Number)(UINT64_C(1) << RANDOM_BITS));
    return 1;
  }
  uint64_t at = (uint64_t)((unsigned __int128)bits * read_span(L) >> RANDOM_BITS);
  lua_pushinteger(L, (lua_Integer)((uint64_t)lua_tointeger(L, 1) + at));
  return 1;
}

/* ctx.random(): a number from 0, less than 1; ctx.random(last): a whole number from 1;
 * ctx.random(first, last). */
static int ctx_random(lua_State *L) {
  if (lua_isnoneornil(L, 1)) {
    lua_settop(L, 0);
  } else if (lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    lua_pushinteger(L, 1);
    lua_insert(L, 1);
  }
  if (lua_gettop(L) > 0) {
    lua_settop(L, 2);
    read_span(L);
  }
  return ask_for(L, "ctx.random", ck_bytes_text("{\"what\":\"random\"}"), random_resumed);
}

static int file_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  const ck_outcome *outcome = ck_coroutine_check(L)->outcome;
  if (outcome->status != CK_OUTCOME_OK || !outcome->result)
    ck_vm_raise(L, CK_E_FLOW, "ctx.file: %s",
                outcome->error ? outcome->error : "no answer was given");
  ck_coroutine_push_value(L, ck_value_bytes(outcome->result));
  return 1;
}

/* ctx.file(path): the file as a part of a message: an image, a file or a text. */
static int ctx_file(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_bytes path;
  path.data = luaL_checklstring(L, 1, &path.len);
  lua_settop(L, 1);
  ck_buffer_reset(&self->scratch);
  ck_json_writer w = {.out = &self->scratch};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "what", "file");
  ck_json_member_string(&w, "path", path);
  ck_json_end(&w, '}');
  ck_coroutine_push_scratch(L, self);
  ck_bytes request;
  request.data = lua_tolstring(L, -1, &request.len); /* it stays on this stack */
  return ask_for(L, "ctx.file", request, file_resumed);
}

/* ctx.parse(text): the value of the JSON; nil and the problem when it is none. */
static int ctx_parse(lua_State *L) {
  ck_coroutine_check(L);
  ck_bytes text;
  text.data = luaL_checklstring(L, 1, &text.len);
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_json_check(text, &err);
  if (status == CK_E_NO_MEMORY) return ck_coroutine_raise(L, &err);
  if (status == CK_OK) {
    ck_json_push(L, text);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, err.text);
  return 2;
}

static const luaL_Reg functions[] = {
    {"now", ctx_now},     {"random", ctx_random}, {"file", ctx_file},
    {"parse", ctx_parse}, {NULL, NULL},
};

void ck_coroutine_open_readings(lua_State *L, int box) {
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
}
