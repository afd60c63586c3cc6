/* test_json.c - JSON goes into Lua and comes back as the same value in one spelling. */
#include <lauxlib.h>
#include <string.h>

#include "lua/vm/json.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

typedef struct {
  const char *json;
  bool frozen;
  ck_buffer out;
} trip;

static int trip_body(lua_State *L) {
  trip *self = lua_touserdata(L, 1);
  if (self->frozen)
    ck_json_push_frozen(L, ck_bytes_text(self->json));
  else
    ck_json_push(L, ck_bytes_text(self->json));
  ck_json_append_lua(&self->out, L, -1, 1 << 20);
  if (lua_gettop(L) != 2) luaL_error(L, "the stack is not balanced");
  return 0;
}

static void check_trip(ck_vm *vm, const char *json, const char *want) {
  for (int frozen = 0; frozen < 2; frozen++) {
    trip self = {.json = json, .frozen = frozen};
    ck_error err = CK_ERROR_INIT;
    ck_status status = ck_vm_call(vm, trip_body, &self, &err);
    if (status != CK_OK)
      tap_is_status(status, CK_OK, &err, "%s passes", json);
    else
      tap_is_bytes(ck_buffer_bytes(&self.out), ck_bytes_text(want), "%s%s", json,
                   frozen ? " as a face" : "");
    ck_buffer_clear(&self.out);
  }
}

static void test_trips(ck_vm *vm) {
  static const char *const trips[][2] = {
      {"null", "null"},
      {" [ true , false ] ", "[true,false]"},
      {"[]", "[]"},
      {"{}", "{}"},
      {"{\"a\":[],\"b\":{}}", "{\"a\":[],\"b\":{}}"},
      {"{\"b\":1,\"a\":2,\"B\":3}", "{\"B\":3,\"a\":2,\"b\":1}"},
      {"[1,-1,0,9007199254740993,9223372036854775807,-9223372036854775808]",
       "[1,-1,0,9007199254740993,9223372036854775807,-9223372036854775808]"},
      {"9223372036854775808", "9.223372036854776e+18"},
      {"[1.0,0.1,1e300,5e-324,-2.5E2]", "[1.0,0.1,1e+300,4.94065645841247e-324,-250.0]"},
      {"[0.1,0.30000000000000004]", "[0.1,0.30000000000000004]"},
      {"\"a\\n\\u00e9\\ud83d\\ude00\\\"\\\\/\"", "\"a\\n\xC3\xA9\xF0\x9F\x98\x80\\\"\\\\/\""},
      {"{\"\":1,\"\\u00e9\":null}", "{\"\":1,\"\xC3\xA9\":null}"},
      {"[null,null]", "[null,null]"},
      {"{\"1\":1}", "{\"1\":1}"},
  };
  for (size_t i = 0; i < sizeof trips / sizeof trips[0]; i++)
    check_trip(vm, trips[i][0], trips[i][1]);
}

static void test_values(ck_vm *vm) {
  static const struct {
    const char *text;
    ck_status status;
    const char *want;
  } values[] = {
      {"return {}", CK_OK, "{}"},
      {"return ck.array {}", CK_OK, "[]"},
      {"return {[1] = 1, [2] = 2}", CK_OK, "[1,2]"},
      {"return {1, ck.null, 3}", CK_OK, "[1,null,3]"},
      {"return {1, nil, 3}", CK_E_POLICY, "value: a list with gaps"},
      {"return {[0] = 1}", CK_E_POLICY, "value: a list with gaps"},
      {"return {[1.5] = 1}", CK_E_POLICY, "value: a list with gaps"},
      {"return {1, a = 1}", CK_E_POLICY, "value: a table with both"},
      {"return {[true] = 1}", CK_E_POLICY, "value: a table with a boolean as key"},
      {"local t = ck.array {} t.a = 1 return t", CK_E_POLICY, "value: a list with names in it"},
      {"return {a = {{b = error}}}", CK_E_POLICY,
       "value.a[1].b: a value that cannot be stored: a function"},
      {"return 1e15", CK_OK, "1e+15"},
      {"return 2^53", CK_OK, "9007199254740992.0"},
      {"return -0.0", CK_OK, "-0.0"},
      {"return 1 // 1", CK_OK, "1"},
      {"local t = 1 for _ = 1, 64 do t = {t} end return t", CK_OK, NULL},
      {"local t = 1 for _ = 1, 65 do t = {t} end return t", CK_E_POLICY, "nested too deeply"},
      {"return ('x'):rep(1 << 20 - 2)", CK_OK, NULL},
      {"local s = ('x'):rep(1 << 20 - 1) return s .. s", CK_E_POLICY, "larger than"},
      {"return '\\u{D800}'", CK_E_POLICY, "not UTF-8"},
      {"return '\\u{7FFFFFFF}'", CK_E_POLICY, "not UTF-8"},
  };
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    ck_buffer out = {0};
    ck_error err = CK_ERROR_INIT;
    ck_status status = vm_script_run(&out, vm, values[i].text, &err);
    if (tap_is_status(status, values[i].status, &err, "%s", values[i].text) && values[i].want) {
      if (status == CK_OK)
        tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(values[i].want),
                     "is written as expected");
      else
        tap_ok(strstr(err.text, values[i].want) != NULL, "says %s: %s", values[i].want, err.text);
    }
    if (status == CK_OK)
      tap_is_status(ck_json_check(ck_buffer_bytes(&out), &err), CK_OK, &err, "and is strict JSON");
    ck_buffer_clear(&out);
  }
}

static int deep_body(lua_State *L) {
  ck_json_push(L, *(ck_bytes *)lua_touserdata(L, 1));
  return 0;
}

static int owned_body(lua_State *L) {
  ck_json_push(L, ck_bytes_text("{\"a\":\"\\u0041\"}"));
  ck_json_read_lua(lua_touserdata(L, 1), L, -1, 100);
  return 0;
}

int main(void) {
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_vm_new(&vm, &ck_vm_policy_limits, NULL, &err) == CK_OK, "a VM opens");
  test_trips(vm);
  test_values(vm);
  ck_buffer deep = {0};
  for (int i = 0; i < CK_JSON_DEPTH_MAX; i++) ck_buffer_append_char(&deep, '[');
  for (int i = 0; i < CK_JSON_DEPTH_MAX; i++) ck_buffer_append_char(&deep, ']');
  ck_bytes text = ck_buffer_bytes(&deep);
  tap_is_status(ck_vm_call(vm, deep_body, &text, &err), CK_OK, &err,
                "the deepest JSON there can be is pushed");
  ck_buffer_clear(&deep);
  ck_value *value = NULL;
  tap_is_status(ck_vm_call(vm, owned_body, &value, &err), CK_OK, &err, "a value can be owned");
  tap_is_bytes(ck_value_bytes(value), ck_bytes_text("{\"a\":\"A\"}"), "and holds what was read");
  ck_value_free(value);
  ck_vm_free(vm);
  return tap_done();
}
