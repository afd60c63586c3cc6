/* test_words.c - ck.mask masks the words of a list as it stands at the call, says what is wrong
 * with one, and is paid for. */
#include <string.h>

#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

#define Z "[redacted:policy:000000000000]"

typedef struct {
  const char *text; /* after "return " */
  const char *want; /* JSON, or part of the error */
  bool fails;
} row;

static const row rows[] = {
    {"ck.mask('Ada, Adam, ADA', {'Ada'})", "\"" Z ", " Z "m, ADA\"", false},
    {"ck.mask('Ada, Adam, ADA', {'Ada'}, { words = true })", "\"" Z ", Adam, ADA\"", false},
    {"ck.mask('Ada, Adam, ADA', {'Ada'}, { words = true, case = false })", "\"" Z ", Adam, " Z "\"",
     false},
    {"ck.mask({ a = 'Bob', n = 4711, l = { 'Ada', 'Eve' } }, { 'Ada', 'Bob', '4711' }).l[1]",
     "\"" Z "\"", false},
    {"ck.mask({ n = 4711 }, { '4711' }).n", "4711", false},
    {"ck.mask('Ada', {})", "\"Ada\"", false},
    {"ck.mask('Ada', ck.array {})", "\"Ada\"", false},
    {"ck.mask('a.c abc', {'a.c'})", "\"" Z " abc\"", false},
    {"(function() local l = {'Ada'} local a = ck.mask('Ada Bob', l) l[1] = 'Bob' "
     "return ck.mask('Ada Bob', l) end)()",
     "\"Ada " Z "\"", false},
    {"(function() local l = {'Ada'} ck.mask('x', l) l[2] = 'Bob' "
     "return ck.mask('Ada Bob', l) end)()",
     "\"" Z " " Z "\"", false},
    {"(function() local o = {} for i = 1, 20 do o[i] = { 'n' .. i } end local r = '' "
     "for i = 1, 20 do r = r .. ck.mask(' n' .. i, o[i]):sub(2, 5) end return #r end)()",
     "80", false},
    {"ck.mask('x', {'Ada', ''})", "element 2 of the list: it is the empty text", true},
    {"ck.mask('x', {'Ada', 7})", "element 2 of the list is a number, not a text", true},
    {"ck.mask('x', {'Ada', ck.null})", "element 2 of the list is a null, not a text", true},
    {"ck.mask('x', {ada = true})", "a table with names is none", true},
    {"ck.mask('x', {'Ada', n = 1})", "a table with names is none", true},
    {"ck.mask('x', {'\\xff'})", "element 1 of the list: it is not UTF-8 (at byte 1)", true},
    {"ck.mask('\\xff', {'x'})", "the text is not UTF-8 (at byte 1)", true},
    {"ck.mask('x', {('x'):rep(600000), ('y'):rep(600000)})",
     "element 2 of the list: with it the list has more than 1048576 bytes: use several", true},
    {"ck.mask('x', {'x'}, { word = true })", "not 'word'", true},
    {"ck.mask('x', {'x'}, { words = 1 })", "words: true or false is expected, not a number", true},
    {"ck.mask('x', {'x'}, 7)", "{ words = true, case = false } expected", true},
    {"ck.mask('x', 'x', { words = true })", "a pattern has (?i)", true},
    {"ck.mask('x', 7)", "a pattern, or a list of texts, expected", true},
    {"ck.mask('x', ('x'):rep(5000))",
     "the pattern 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…' has 5000 bytes, more than 4096: "
     "divide it, or give ck.mask a list of texts",
     true},
};

static ck_vm *new_vm(void) {
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_vm_new(&vm, &ck_vm_policy_limits, NULL, &err) == CK_OK, "a VM opens: %s", err.text);
  return vm;
}

static void check(const row *at) {
  ck_vm *vm = new_vm();
  ck_error err = CK_ERROR_INIT;
  ck_buffer text = {0}, out = {0};
  ck_buffer_append_format(&text, "return %s", at->text);
  ck_status status = vm_script_run(&out, vm, text.data, &err);
  tap_is_status(status, at->fails ? CK_E_POLICY : CK_OK, &err, "%s", at->text);
  if (at->fails)
    tap_ok(strstr(err.text, at->want), "says '%s': %s", at->want, err.text);
  else
    tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(at->want), "and what it gives");
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
  ck_vm_free(vm);
}

/* Each ends by a budget. */
static const char *const hostile[] = {
    "(function() while true do ck.mask('x', {'y'}) end end)()",
    "(function() while true do ck.mask('x', {('y'):rep(100000)}) end end)()",
    "(function() local l = {} for i = 1, 20000 do l[i] = 'n' .. i end "
    "while true do ck.mask('x', l) end end)()",
    "(function() local s = ('ab '):rep(300000) while true do ck.mask(s, {'ab'}) end end)()",
    "(function() while true do pcall(ck.mask, 'x', {'x', 1}) end end)()",
};

static void check_hostile(const char *body) {
  ck_vm *vm = new_vm();
  ck_error err = CK_ERROR_INIT;
  ck_buffer text = {0}, out = {0};
  ck_buffer_append_format(&text, "return %s", body);
  int64_t begun = vm_script_cpu_us();
  tap_is_status(vm_script_run(&out, vm, text.data, &err), CK_E_POLICY, &err, "stopped: %s", body);
  tap_ok(vm_script_cpu_us() - begun < VM_SCRIPT_CONTAINED_US, "in time");
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
  ck_vm_free(vm);
}

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check(&rows[i]);
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) check_hostile(hostile[i]);
  return tap_done();
}
