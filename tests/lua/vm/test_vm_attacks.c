/* test_vm_attacks.c - hostile scripts are contained: by budget, by what they can reach, and without
 * a trace in the next run. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "tests/clock.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

/* `want`: part of the error's text, or the whole JSON of the value when `status` is CK_OK. Time
 * that passes may strike before another budget is spent. */
typedef struct {
  const char *name, *text;
  ck_status status;
  const char *want;
} attack;

static const attack attacks[] = {
    /* work without end */
    {"an endless loop", "while true do end", CK_E_POLICY,
     "t.lua:1: the budget of 1000000 instructions is spent"},
    {"an endless repeat on line 3", "\n\nrepeat until false", CK_E_POLICY, "t.lua:3: the budget"},
    {"a loop by goto", "::again:: goto again", CK_E_POLICY, "instructions is spent"},
    {"a loop inside pcall", "while true do pcall(function() while true do end end) end",
     CK_E_POLICY, "instructions is spent"},
    {"pcall in pcall around a loop",
     "pcall(pcall, pcall, function() while true do end end) return 1", CK_E_POLICY,
     "instructions is spent"},
    {"a loop over pcall of error", "while true do pcall(error) end", CK_E_POLICY,
     "instructions is spent"},
    {"recursion", "local function f() return 1 + f() end return f()", CK_E_POLICY, "t.lua:1: "},
    {"recursion through pcall", "local function f() return pcall(f) end return (f())", CK_OK,
     "true"},
    {"endless tail calls", "local function f() return f() end return f()", CK_E_POLICY,
     "instructions is spent"},
    {"recursion with growing arguments", "local function f(...) return f(1, ...) end return f()",
     CK_E_POLICY, "t.lua:1: ran longer than 100 ms"},
    {"an iterator without end", "for _ in function() return 1 end do end", CK_E_POLICY,
     "instructions is spent"},
    {"work in C: sort",
     "local t = {} for i = 1, 50000 do t[i] = -i end while true do table.sort(t) end", CK_E_POLICY,
     "instructions is spent"},
    {"work in C: a comparator that loops", "table.sort({2, 1}, function() while true do end end)",
     CK_E_POLICY, "instructions is spent"},
    {"work in C: insert at the front", "local t = {} while true do table.insert(t, 1, 1) end",
     CK_E_POLICY, "is spent"},
    {"work in C: remove at the front",
     "local t = {} for i = 1, 30000 do t[i] = i end while true do table.insert(t, table.remove(t, "
     "1)) end",
     CK_E_POLICY, "instructions is spent"},
    {"work in C: find over a megabyte",
     "local s = ('x'):rep(1000000) while true do s:find('y') end", CK_E_POLICY, "is spent"},
    {"work in C: tonumber of a megabyte",
     "local s = (' '):rep(1000000) while true do tonumber(s) end", CK_E_POLICY, "is spent"},
    {"work in C: utf8.len of a megabyte",
     "local s = ('x'):rep(1000000) while true do utf8.len(s) end", CK_E_POLICY, "is spent"},
    {"work in C: pairs of a big table",
     "local t = {} for i = 1, 20000 do t[i] = i end while true do for _ in pairs(t) do end end",
     CK_E_POLICY, "is spent"},
    {"work in C: next as a loop",
     "local t = {} for i = 1, 20000 do t[i] = i end for k in next, t do end", CK_E_POLICY,
     "is spent"},
    {"comparing megabytes",
     "local s = ('x'):rep(1000000) local a, b = s .. s .. s, s .. s .. s while true do local _ = a "
     "== b end",
     CK_E_POLICY, "ran longer than 100 ms"},
    {"a numeric loop to infinity", "for i = 1, math.huge do end", CK_E_POLICY,
     "instructions is spent"},
    {"a numeric loop that would wrap around",
     "local n = 0 for i = math.maxinteger - 1, math.maxinteger do n = n + 1 end return n", CK_OK,
     "2"},
    {"a loop inside an iterator inside pcall",
     "while true do pcall(function() for _ in function() while true do end end do end end) end",
     CK_E_POLICY, "instructions is spent"},
    {"pack and unpack for ever",
     "local t = {} for i = 1, 4000 do t[i] = i end while true do t = table.pack(table.unpack(t)) "
     "end",
     CK_E_POLICY, "is spent"},
    {"select from the end for ever",
     "local function f(...) while true do select(-1, ...) end end return f(1, 2, 3)", CK_E_POLICY,
     "is spent"},
    /* memory without end */
    {"a string that doubles", "local s = 'x' while true do s = s .. s end", CK_E_POLICY,
     "MiB of memory is spent"},
    {"a string that doubles inside pcall",
     "while true do pcall(function() local s = 'x' while true do s = s .. s end end) end",
     CK_E_POLICY, "is spent"},
    {"one concatenation beyond the hard limit",
     "local s = ('x'):rep(1000000) s = s..s..s..s..s..s..s local t = "
     "s..s..s..s..s..s..s..s..s..s..s..s",
     CK_E_POLICY, "MiB of memory is spent"},
    {"the same inside pcall",
     "local s = ('x'):rep(1000000) s = s..s..s..s..s..s..s pcall(function() local t = "
     "s..s..s..s..s..s..s..s..s..s..s..s end) return 1",
     CK_E_POLICY, "MiB of memory is spent"},
    {"garbage by the gigabyte", "local s = ('x'):rep(1000000) while true do local t = s .. 'y' end",
     CK_E_POLICY, "is spent"},
    {"many closures", "local t = {} while true do t[#t + 1] = function() return t end end",
     CK_E_POLICY, "is spent"},
    {"many tables", "local t = {} while true do t = {t} end", CK_E_POLICY, "is spent"},
    {"a table with huge keys", "local t = {} for i = 1, 1 << 40 do t[i << 20] = i end", CK_E_POLICY,
     "is spent"},
    /* lying lengths */
    {"rep by a huge count", "return ('x'):rep(1 << 62)", CK_E_POLICY, "longer than 1048576 bytes"},
    {"rep with a separator", "return ('x'):rep(1 << 62, 'yy')", CK_E_POLICY,
     "longer than 1048576 bytes"},
    {"rep of the empty string", "return (''):rep(math.maxinteger)", CK_OK, "\"\""},
    {"concat with a lying length", "return table.concat({}, '', 1, 1 << 60)", CK_E_POLICY,
     "more than 1048576 elements"},
    {"concat over the whole range", "return table.concat({}, '', math.mininteger, math.maxinteger)",
     CK_E_POLICY, "more than"},
    {"concat beyond the limit", "local s = ('x'):rep(600000) return table.concat({s, s})",
     CK_E_POLICY, "longer than 1048576"},
    {"unpack with a lying length", "return table.unpack({}, 1, 1 << 30)", CK_E_POLICY,
     "more than 4096 elements"},
    {"unpack over the whole range", "return table.unpack({}, math.mininteger, math.maxinteger)",
     CK_E_POLICY, "more than 4096"},
    {"move with a lying length", "return table.move({}, 1, 1 << 60, 2)", CK_E_POLICY,
     "more than 1048576 elements"},
    {"move that wraps around", "return table.move({1, 2}, 1, 2, math.maxinteger)", CK_E_POLICY,
     "wraps around"},
    {"insert out of bounds", "table.insert({}, 5, 1)", CK_E_POLICY, "out of bounds"},
    {"byte with a lying length", "return (('x'):rep(100000)):byte(1, -1)", CK_E_POLICY,
     "more than 4096 values"},
    {"byte from before the start", "return {('ab'):byte(math.mininteger, math.maxinteger)}", CK_OK,
     "[97,98]"},
    {"find from beyond the end", "return {('ab'):find('', math.maxinteger)}", CK_OK, "{}"},
    {"format with a huge width", "return string.format('%1000d', 1)", CK_E_POLICY,
     "at most two digits"},
    {"format with a huge precision", "return string.format('%.1000f', 1)", CK_E_POLICY,
     "at most two digits"},
    {"format of the longest number", "return #string.format('%99.99f', -1.7976931348623157e308)",
     CK_OK, "410"},
    {"format of an address", "return string.format('%p', {})", CK_E_POLICY, "no conversion '%p'"},
    {"format cut short", "return string.format('%')", CK_E_POLICY, "no conversion '% '"},
    {"format without its argument", "return string.format('%d')", CK_E_POLICY, "number expected"},
    {"a comparator that contradicts itself",
     "local t = {3, 1, 2} table.sort(t, function() return true end) return #t", CK_OK, "3"},
    {"a comparator that empties the table",
     "local t = {3, 1, 2} table.sort(t, function(a, b) t[1] = nil return a < b end) return t",
     CK_OK, "[1,2,3]"},
    {"sort of what has no order", "table.sort({1, 'a', {}})", CK_E_POLICY, "attempt to compare"},
    /* errors that are no text */
    {"error(nil)", "error(nil)", CK_E_POLICY, "t.lua:1: the error value is a nil, not a text"},
    {"error with a table", "error({})", CK_E_POLICY,
     "t.lua:1: the error value is a table, not a text"},
    {"error with a number", "error(1.5, 2)", CK_E_POLICY, "the error value is 1.5"},
    {"error with a function", "error(error)", CK_E_POLICY,
     "the error value is a function, not a text"},
    {"error with control characters", "error('a\\27[31m\\nb', 0)", CK_E_POLICY, "a\nb"},
    {"error at an absurd level", "error('x', 1 << 40)", CK_E_POLICY, "x"},
    {"pcall keeps error values", "local _, e = pcall(error, nil) return e == nil", CK_OK, "true"},
    {"assert says where", "\nassert(false, 'why')", CK_E_POLICY, "t.lua:2: why"},
    /* what cannot be reached */
    {"load", "return load('return 1')", CK_E_POLICY, "undefined global 'load'"},
    {"dofile", "return dofile('/etc/passwd')", CK_E_POLICY, "undefined global 'dofile'"},
    {"io", "return io.open('/etc/passwd')", CK_E_POLICY, "undefined global 'io'"},
    {"os", "return os.getenv('HOME')", CK_E_POLICY, "undefined global 'os'"},
    {"debug", "return debug.getregistry()", CK_E_POLICY, "undefined global 'debug'"},
    {"package", "return package.loaded", CK_E_POLICY, "undefined global 'package'"},
    {"coroutine", "return coroutine.create(error)", CK_E_POLICY, "undefined global 'coroutine'"},
    {"collectgarbage", "collectgarbage('stop')", CK_E_POLICY, "undefined global 'collectgarbage'"},
    {"setmetatable", "setmetatable({}, {__gc = error})", CK_E_POLICY,
     "undefined global 'setmetatable'"},
    {"getmetatable", "getmetatable('').__index = nil", CK_E_POLICY,
     "undefined global 'getmetatable'"},
    {"rawset", "rawset(_ENV, 'x', 1)", CK_E_POLICY, "undefined global 'rawset'"},
    {"xpcall", "xpcall(error, error)", CK_E_POLICY, "undefined global 'xpcall'"},
    {"_G", "_G.x = 1", CK_E_POLICY, "undefined global '_G'"},
    {"string.dump", "return string.dump(function() end)", CK_E_POLICY, "field 'dump'"},
    {"string.gsub", "return ('x'):gsub('.', {})", CK_E_POLICY, "method 'gsub'"},
    {"math.random", "return math.random()", CK_E_POLICY, "field 'random'"},
    {"string.gmatch", "return ('x'):gmatch('.')", CK_E_POLICY, "method 'gmatch'"},
    {"string.match", "return string.match('x', 'x')", CK_E_POLICY, "field 'match'"},
    {"string.pack", "return string.pack('!16s', 'x')", CK_E_POLICY, "field 'pack'"},
    {"a variable to be closed", "local x <close> = {} return 1", CK_E_POLICY,
     "t.lua:1: variable 'x' got a non-closable value"},
    {"__close as a field", "local x <close> = { __close = error } return 1", CK_E_POLICY,
     "non-closable value"},
    {"__gc as a field",
     "local t = { __gc = error, __index = error, __mode = 'k' } t = nil return 1", CK_OK, "1"},
    {"__index as a field", "return ({ __index = { x = 1 } }).x", CK_OK, "null"},
    {"__metatable of a string", "return ('').__metatable", CK_OK, "null"},
    {"__index of a string", "return ('').__index", CK_OK, "null"},
    {"a pattern", "return ('a.b'):find('%.')", CK_E_POLICY, "there are no patterns"},
    {"require of io", "return require 'io'", CK_E_POLICY, "there is no module 'io'"},
    {"require by a path", "return require 'ck.../../policies/tool_rounds'", CK_E_POLICY,
     "there is no module"},
    {"require of nothing", "return require ''", CK_E_POLICY, "there is no module ''"},
    {"require of ck.", "return require 'ck.'", CK_E_POLICY, "there is no module 'ck.'"},
    {"bytecode", "\033Lua", CK_E_PARSE, "a compiled chunk"},
    {"a syntax error", "\nlocal = 1", CK_E_PARSE, "t.lua:2: "},
    {"an expression nested too deeply", NULL, CK_E_PARSE, "t.lua: C stack overflow"},
    /* what is shared stays as it is */
    {"a new global", "x = 1", CK_E_POLICY, "attempt to set global 'x'"},
    {"a replaced global", "pairs = nil", CK_E_POLICY, "attempt to set global 'pairs'"},
    {"a replaced library", "string.rep = nil", CK_E_POLICY, "cannot set 'rep'"},
    {"a library through table.insert", "table.insert(string, 1)", CK_E_POLICY,
     "the table is read-only"},
    {"the environment through table.insert", "table.insert(_ENV, 1)", CK_E_POLICY,
     "the table is read-only"},
    {"the environment through table.move", "table.move({1}, 1, 1, 1, _ENV)", CK_E_POLICY,
     "the table is read-only"},
    {"a library through table.sort", "table.sort(math)", CK_E_POLICY, "the table is read-only"},
    {"the environment as an array", "ck.array(_ENV)", CK_E_POLICY, "the table is read-only"},
    {"another _ENV is only its own", "local _ENV = {} x = 1 return x", CK_OK, "1"},
    {"a field of the string methods", "('').rep = 1", CK_E_POLICY, "t.lua:1: "},
    {"the environment cannot be walked", "for k in pairs(_ENV) do return k end", CK_OK, "null"},
    /* addresses and order */
    {"the address of a table", "return tostring({})", CK_OK, "\"table\""},
    {"the address of a function", "return tostring(pairs) .. tostring(function() end)", CK_OK,
     "\"functionfunction\""},
    {"the address of a verdict", "return tostring(ck.drop) .. string.format('%s', ck.mask)", CK_OK,
     "\"userdatafunction\""},
    {"the number of a verdict", "return ck.drop + 1", CK_E_POLICY, "attempt to perform arithmetic"},
    {"the order of verdicts", "return ck.drop < ck.mask", CK_E_POLICY, "attempt to compare"},
    {"verdicts as keys", "for _ in pairs{[ck.drop] = 1} do end", CK_E_POLICY,
     "a key that is a userdata has no order"},
    {"a verdict as a result", "return { ck.drop }", CK_E_POLICY, "a value that cannot be stored"},
    {"addresses through %s", "return string.format('%s %s', {}, ck.null)", CK_OK, "\"table null\""},
    {"pairs goes in order",
     "local r = {} for k in pairs{z=1, a=1, [2.5]=1, [true]=1, 7, [-1]=1, [100]=1} do r[#r+1] = "
     "tostring(k) end return r",
     CK_OK, "[\"-1\",\"1\",\"2.5\",\"100\",\"a\",\"z\",\"true\"]"},
    {"pairs of keys without order", "for _ in pairs{[{}]=1} do end", CK_E_POLICY,
     "a key that is a table has no order"},
    {"pairs while removing",
     "local t, n = {}, 0 for i = 1, 100 do t['k' .. i] = i end for k in pairs(t) do t[k] = nil n = "
     "n + 1 end return n",
     CK_OK, "100"},
    {"next goes in order", "return {next{b=1, a=2}}", CK_OK, "[\"a\",2]"},
    {"sort keeps the order of equals",
     "local t = {} for i = 1, 40 do t[i] = i % 4 * 100 + i end table.sort(t, function(a, b) return "
     "a // 100 < b // 100 end) return {t[1], t[10], t[11], t[40]}",
     CK_OK, "[4,40,101,339]"},
    /* results */
    {"a table that contains itself", "local t = {} t.t = t return t", CK_E_POLICY,
     "or it contains itself"},
    {"a table of doubling depth", "local t = {} for _ = 1, 60 do t = {t, t} end return t",
     CK_E_POLICY, "is spent"},
    {"NaN", "return {x = {0 / 0}}", CK_E_POLICY, "value.x[1]: NaN cannot be stored"},
    {"an infinity", "return -math.huge", CK_E_POLICY, "value: an infinity cannot be stored"},
    {"a function", "return {f = error}", CK_E_POLICY,
     "value.f: a value that cannot be stored: a function"},
    {"text that is not UTF-8", "return '\\xff'", CK_E_POLICY, "not UTF-8"},
    {"text with NUL", "return {['a\\0'] = 1}", CK_E_POLICY, "a NUL byte"},
    {"a result of two megabytes", "local s = ('x'):rep(1000000) return {s, s}", CK_E_POLICY,
     "the value is larger than 1048576 bytes"},
    {"arithmetic on text", "return '10' + 1", CK_E_POLICY, "attempt to perform arithmetic"},
    {"codes of broken text", "for _ in utf8.codes('a\\x80') do end", CK_E_POLICY,
     "invalid UTF-8 code"},
};

static char *deep_expression(void) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, "return ");
  for (int i = 0; i < 100000; i++) ck_buffer_append_char(&text, '(');
  return ck_buffer_take(&text);
}

static ck_vm *new_vm(const ck_clock *clock) {
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_vm_new(&vm, &ck_vm_policy_limits, clock, &err) == CK_OK, "a VM opens: %s", err.text);
  return vm;
}

static bool is_of_time(const attack *row) { return strstr(row->want, "ran longer than") != NULL; }
static bool spends_budget(const attack *row) {
  return strstr(row->want, "budget") || strstr(row->want, "is spent") || is_of_time(row);
}

static bool is_wanted(const char *got, const attack *row, bool time_passes) {
  if (time_passes && spends_budget(row))
    return strstr(got, "is spent") || strstr(got, "ran longer than");
  return strstr(got, row->want) != NULL;
}

static void check_attack(ck_vm *vm, const attack *row, bool time_passes) {
  char *deep = row->text ? NULL : deep_expression();
  ck_buffer out = {0};
  ck_error err = CK_ERROR_INIT;
  int64_t began = vm_script_cpu_us();
  ck_status status = vm_script_run(&out, vm, deep ? deep : row->text, &err);
  int64_t took = vm_script_cpu_us() - began;
  bool held = status == row->status;
  if (held && status == CK_OK)
    held = out.len == strlen(row->want) && memcmp(out.data, row->want, out.len) == 0;
  else if (held)
    held = is_wanted(err.text, row, time_passes);
  if (time_passes)
    tap_ok(held && took <= VM_SCRIPT_CONTAINED_US, "contained in time: %s", row->name);
  else
    tap_ok(held, "contained: %s", row->name);
  if (!held)
    tap_diag("%s: got %s, %s", row->name, ck_status_name(status),
             status == CK_OK ? out.data : err.text);
  if (took > VM_SCRIPT_CONTAINED_US) tap_diag("%s: took %d us", row->name, (int)took);
  ck_buffer_clear(&out);
  free(deep);
}

static int collect_body(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT);
  return 0;
}

static size_t settled_memory(ck_vm *vm) {
  tap_must(ck_vm_call(vm, collect_body, NULL, NULL) == CK_OK, "garbage is collected");
  return ck_vm_memory(vm);
}

/* While time stands, or goes on at each look for those whose only budget it is, what strikes is
 * always the same. */
static void test_attacks(void) {
  size_t count = sizeof attacks / sizeof attacks[0];
  clock_steps stand = {0}, fast = {.step_us = ck_vm_policy_limits.time_us / 10};
  const ck_clock still_clock = clock_of_steps(&stand), fast_clock = clock_of_steps(&fast);
  ck_vm *used = new_vm(NULL), *still = new_vm(&still_clock), *hurried = new_vm(&fast_clock);
  for (size_t i = 0; i < count; i++) {
    check_attack(used, &attacks[i], true);
    check_attack(is_of_time(&attacks[i]) ? hurried : still, &attacks[i], false);
  }
  ck_vm_free(still);
  ck_vm_free(hurried);
  size_t before = settled_memory(used);
  ck_buffer out = {0};
  for (int i = 0; i < 3000; i++) {
    const attack *row = &attacks[(size_t)i * 7 % count];
    if (!row->text || spends_budget(row)) continue;
    ck_buffer_reset(&out);
    if (vm_script_run(&out, used, row->text, NULL) != row->status)
      tap_ok(false, "bleeds into later runs: %s", row->name);
  }
  ck_buffer_reset(&out);
  tap_is_status(vm_script_run(&out, used, "return {x = 1}", NULL), CK_OK, NULL,
                "the VM still works after all of them");
  tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text("{\"x\":1}"), "and gives right answers");
  tap_ok(settled_memory(used) <= before + 4096, "mixed runs leave nothing behind");
  ck_buffer_clear(&out);
  ck_vm_free(used);
}

int main(void) {
  test_attacks();
  return tap_done();
}
