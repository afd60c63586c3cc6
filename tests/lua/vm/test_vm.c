/* test_vm.c - coroutines within budgets, read-only faces of tables, and files of scripts. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lua/vm/json.h"
#include "tests/clock.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

static ck_vm *new_vm(const ck_clock *clock) {
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_vm_new(&vm, &ck_vm_policy_limits, clock, &err) == CK_OK, "a VM opens: %s", err.text);
  return vm;
}

/* ---- coroutines under a clock of the test's own ---- */

typedef struct {
  const char *text;
  lua_State *thread;
} coroutine;

static int yield_values(lua_State *L) { return lua_yield(L, lua_gettop(L)); }

static int open_coroutine(lua_State *L) {
  coroutine *self = lua_touserdata(L, 1);
  self->thread = lua_newthread(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, self);
  ck_vm_push_chunk(L, "s.lua", ck_bytes_text(self->text));
  lua_pushcfunction(L, yield_values);
  lua_xmove(L, self->thread, 2);
  return 0;
}

static void test_coroutines(void) {
  static const struct {
    const char *name, *text;
    int resumes; /* that yield before the last */
    ck_status status;
    const char *want;
  } rows[] = {
      {"yields and returns", "local yield = ... for i = 1, 50 do yield(i) end return 1", 50, CK_OK,
       NULL},
      {"yields across pcall",
       "local yield = ... pcall(function() yield(1) error('x') end) yield(2) return 1", 2, CK_OK,
       NULL},
      {"stalls", "local yield = ... yield(1) while true do end", 1, CK_E_FLOW_STALLED,
       "s.lua:1: ran longer than 1000 ms"},
      {"stalls inside pcall",
       "local yield = ... while true do pcall(function() while true do end end) end", 0,
       CK_E_FLOW_STALLED, "ran longer than"},
      {"raises", "local yield = ... yield(1)\nerror('no')", 1, CK_E_FLOW, "s.lua:2: no"},
      {"raises a table after pcall of a yield", "local yield = ... pcall(yield, 1) error({})", 1,
       CK_E_FLOW, "s.lua:1: the error value"},
      {"yields inside a sort", "local yield = ... table.sort({2, 1}, function() yield(1) end)", 0,
       CK_E_FLOW, "yield"},
  };
  clock_steps steps = {.step_us = 1000};
  const ck_clock clock = clock_of_steps(&steps);
  ck_error err = CK_ERROR_INIT;
  ck_vm *vm;
  tap_must(ck_vm_new(&vm, &ck_vm_flow_limits, &clock, &err) == CK_OK, "a VM for flows opens");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    coroutine self = {.text = rows[i].text};
    tap_must(ck_vm_call(vm, open_coroutine, &self, &err) == CK_OK, "a coroutine opens: %s",
             err.text);
    ck_vm_resumed resumed = {.yielded = true};
    ck_status status = CK_OK;
    int yields = -1;
    for (int args = 1; status == CK_OK && resumed.yielded; yields++) {
      status = ck_vm_resume(&resumed, vm, self.thread, args, &err);
      lua_pop(self.thread, resumed.yielded ? resumed.count : 0);
      args = 0;
    }
    tap_is_status(status, rows[i].status, &err, "a coroutine that %s", rows[i].name);
    tap_is_int(yields, rows[i].resumes, "and yielded as often as it should");
    if (rows[i].want)
      tap_ok(strstr(err.text, rows[i].want) != NULL, "%s: %s", rows[i].want, err.text);
  }
  ck_vm_free(vm);
}

/* ---- faces ---- */

static int face_body(lua_State *L) {
  const char *script = lua_touserdata(L, 1);
  ck_vm_push_chunk(L, "f.lua", ck_bytes_text(script));
  ck_json_push_frozen(L, ck_bytes_text("{\"a\":[3,1,2],\"b\":{\"c\":null},\"d\":\"x\"}"));
  lua_call(L, 1, 1);
  ck_buffer_reset(ck_vm_scratch(L));
  if (!lua_toboolean(L, -1)) luaL_error(L, "does not hold");
  return 0;
}

static void test_faces(void) {
  static const struct {
    const char *name, *text;
    ck_status status;
  } cases[] = {
      {"reads",
       "local v = ... return v.a[2] == 1 and #v.a == 3 and v.b.c == ck.null and v.nope == nil and "
       "type(v) == 'table'",
       CK_OK},
      {"pairs",
       "local v = ... local s = '' for k, x in pairs(v) do s = s .. k end return s == 'abd'",
       CK_OK},
      {"ipairs",
       "local v = ... local s = 0 for i, x in ipairs(v.a) do s = s * 10 + x end return s == 312",
       CK_OK},
      {"concat and unpack",
       "local v = ... return table.concat(v.a) == '312' and select('#', table.unpack(v.a)) == 3",
       CK_OK},
      {"a copy by move",
       "local v = ... local t = table.move(v.a, 1, 3, 1, {}) table.sort(t) return t[1] == 1 and "
       "v.a[1] == 3",
       CK_OK},
      {"a write", "local v = ... v.a = 1", CK_E_POLICY},
      {"a write below", "local v = ... v.b.c = 1", CK_E_POLICY},
      {"a new key", "local v = ... v.z = 1", CK_E_POLICY},
      {"insert", "local v = ... table.insert(v.a, 1)", CK_E_POLICY},
      {"remove", "local v = ... table.remove(v.a)", CK_E_POLICY},
      {"sort", "local v = ... table.sort(v.a)", CK_E_POLICY},
      {"move into", "local v = ... table.move({1}, 1, 1, 1, v.a)", CK_E_POLICY},
      {"array", "local v = ... ck.array(v.b)", CK_E_POLICY},
  };
  ck_vm *vm = new_vm(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_error err = CK_ERROR_INIT;
    tap_is_status(ck_vm_call(vm, face_body, (void *)cases[i].text, &err), cases[i].status, &err,
                  "a read-only table: %s", cases[i].name);
  }
  ck_vm_free(vm);
}

/* ---- files ---- */

static void check_file(const char *path, ck_status status, const char *name) {
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_vm_read_file(&text, path, &err), status, &err, "a script that is %s", name);
  if (status != CK_OK)
    tap_ok(strstr(err.text, path) != NULL, "the error names the file: %s", err.text);
  ck_buffer_clear(&text);
}

static void test_files(void) {
  const char *good = vm_script_file("good.lua", "\xEF\xBB\xBF#!/usr/bin/env ckrun\nreturn 1");
  check_file(good, CK_OK, "in order");
  const char *link = tap_tmpfile("link.lua");
  tap_must(symlink(good, link) == 0, "a link is made");
  check_file(link, CK_E_REFUSED, "a symbolic link");
  const char *fifo = tap_tmpfile("fifo.lua");
  tap_must(mkfifo(fifo, 0600) == 0, "a fifo is made");
  check_file(fifo, CK_E_REFUSED, "a fifo");
  check_file(tap_tmpdir(), CK_E_REFUSED, "a folder");
  check_file(tap_tmpfile("absent.lua"), CK_E_NOT_FOUND, "not there");
  check_file("/dev/null", CK_E_REFUSED, "a device");
  const char *open_to_all = vm_script_file("open.lua", "return 1");
  tap_must(chmod(open_to_all, 0666) == 0, "its mode is set");
  check_file(open_to_all, CK_E_REFUSED, "world-writable");
  check_file(vm_script_file("latin.lua", "return '\xE4'"), CK_E_PARSE, "not UTF-8");
  const char *big = vm_script_file("big.lua", "");
  tap_must(truncate(big, CK_VM_SOURCE_MAX + 1) == 0, "it grows");
  check_file(big, CK_E_OVERSIZE, "too long");
  ck_vm *vm = new_vm(NULL);
  ck_buffer out = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(vm_script_run(&out, vm, "\xEF\xBB\xBF#!x\nreturn nope", &err), CK_E_POLICY, &err,
                "a first line with # is skipped");
  tap_is_text(err.text, "t.lua:2: undefined global 'nope'", "and lines are still counted from it");
  ck_buffer_clear(&out);
  ck_vm_free(vm);
}

int main(void) {
  test_coroutines();
  test_faces();
  test_files();
  return tap_done();
}
