/* test_pattern.c - patterns find what PCRE2 finds, byte for byte; hostile ones are paid for and
 * stopped. */
#include <string.h>

#include "tests/clock.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

enum { ROUNDS = 300 };

typedef struct {
  const char *text; /* after "return " */
  const char *want; /* JSON, or part of the error */
  bool fails;
} row;

static const row rows[] = {
    {"{ck.find('hello world', 'o w')}", "[5,7]", false},
    {"{ck.find('hello', '(l)(l)')}", "[3,4,\"l\",\"l\"]", false},
    {"{ck.find('hello', 'l', 4)}", "[4,4]", false},
    {"{ck.find('hello', 'l', -1)}", "{}", false},
    {"{ck.find('hello', '', 6)}", "[6,5]", false},
    {"{ck.find('hello', '', 7)}", "{}", false},
    {"{ck.find('', '^$')}", "[1,0]", false},
    {"{ck.find('a\\0b', '\\\\x00')}", "[2,2]", false},
    {"{ck.find('h\\u{e9}llo', 'l')}", "[4,4]", false},
    {"ck.match('key=value', '(\\\\w+)=(\\\\w+)')", "\"key\"", false},
    {"{ck.match('key=value', '(\\\\w+)=(\\\\w+)')}", "[\"key\",\"value\"]", false},
    {"ck.match('k\\u{e9}y', '^\\\\X+$')", "\"k\xC3\xA9y\"", false},
    {"ck.match('ABC', '(?i)abc')", "\"ABC\"", false},
    {"ck.match('x', 'y')", "null", false},
    {"select('#', ck.match('b', '(a)?(b)'))", "2", false},
    {"(ck.match('b', '(a)?(b)'))", "null", false},
    {"ck.match('sk-abc123', '^sk-[a-z0-9]{6}$') ~= nil", "true", false},
    {"ck.match('foobar', 'foo(?=bar)')", "\"foo\"", false},
    {"{ck.gsub('hello', 'l', 'L')}", "[\"heLLo\",2]", false},
    {"{ck.gsub('hello', 'l', 'L', 1)}", "[\"heLlo\",1]", false},
    {"{ck.gsub('abc', 'b*', '-')}", "[\"-a-c-\",3]", false},
    {"{ck.gsub('a\\u{e9}b', '', '.')}", "[\".a.\xC3\xA9.b.\",4]", false},
    {"ck.gsub('ab', '(a)(b)', '$2$1${1}$$$0') .. ''", "\"baa$ab\"", false},
    {"(ck.gsub('a-b', '(\\\\w)', {a = 'x'}))", "\"x-b\"", false},
    {"(ck.gsub('ab', '.', function(c) if c == 'a' then return c:rep(3) end end))", "\"aaab\"",
     false},
    {"(ck.gsub('ab', '.', function(c) return (ck.gsub(c, '.', '[$0]')) end))", "\"[a][b]\"", false},
    {"(ck.gsub('ab', 'x', function() error('no') end))", "\"ab\"", false},
    {"ck.gsub('x', 'x', '$2')", "$2: the pattern has 0 groups", true},
    {"ck.gsub('x', 'x', 'a$')", "$ is followed by", true},
    {"ck.gsub('x', 'x', '${1')", "$ is followed by", true},
    {"ck.gsub('x', 'x', {x = {}})", "a replacement is a table", true},
    {"ck.gsub('x', 'x', 5)", "string, table or function expected", true},
    {"ck.gsub('x', 'x')", "bad argument #3", true},
    {"ck.gsub(('x'):rep(1000), 'x', ('y'):rep(2000))", "longer than 1048576 bytes", true},
    {"ck.find('x', '(')", "the pattern '(' has an error at byte 2: missing closing parenthesis",
     true},
    {"ck.find('x', ('a'):rep(5000))", "has 5000 bytes, more than 4096: divide it", true},
    {"ck.find('x', ('(a)'):rep(40))", "a pattern with 40 groups", true},
    {"ck.find('x', '\\\\C')", "has an error", true},
    {"ck.find('x', '\\xff')", "has an error", true},
    {"ck.find('\\xff', 'x')", "not UTF-8 (at byte 1)", true},
    {"ck.find('\\u{e9}', 'x', 2)", "byte 2 is inside a character", true},
    {"ck.find({}, 'x')", "string expected", true},
    {"ck.find('x', {})", "string expected", true},
};

/* Each ends by a budget, by a limit, or at once; inside pcall only a limit may be caught. */
static const char *const hostile[] = {
    "ck.find(('a'):rep(40), '^(a+)+$b')",
    "ck.find(('a'):rep(30) .. '!', '^(a|a)*$')",
    "ck.find(('a'):rep(30) .. '!', '^(a|aa)+$')",
    "ck.find(('a'):rep(30) .. '!', '(?:a?){30}a{30}b')",
    "ck.find(('x'):rep(30), '(x+x+)+y')",
    "ck.find(('a'):rep(1000000), 'a*b')",
    "ck.find(('a'):rep(1000000), 'a*+b')",
    "ck.find(('a'):rep(1000000), '(?:a*)b')",
    "ck.find(('a'):rep(1000000), '(*NO_START_OPT)a*+b')",
    "ck.find(('a'):rep(1000000) .. 'b', 'a*+bc|a*+d')",
    "ck.find(('ab'):rep(500000), '(?:[ab]*+)c|d')",
    "ck.find(('a'):rep(1000000), '.*.*.*b')",
    "ck.find(('a'):rep(1000000), '[^b]*c')",
    "ck.find((('a'):rep(999) .. 'b'):rep(1000), '(*NO_START_OPT)a{1000}')",
    "ck.find((('a'):rep(60000) .. 'b'):rep(16), '(*NO_START_OPT)a{60001}')",
    "ck.find(('a'):rep(100000), '(a*)\\\\1\\\\1b')",
    "ck.find(('a'):rep(100000), '(?=.*.*b)')",
    "ck.find(('a'):rep(100000), '(?<=a{1,200})b|c')",
    "ck.find(('('):rep(100000), '(\\\\((?R)*\\\\))')",
    "ck.find(('a'):rep(100000), '(?R)')",
    "ck.find('a', '(?R)?a(?R)?')",
    "ck.find(('ab'):rep(50000), '(?:(?:ab)*)*c')",
    "ck.find('x', "
    "'((((((((((x{1000}){1000}){1000}){1000}){1000}){1000}){1000}){1000}){1000}){1000})')",
    "ck.find(('\\u{1F600}'):rep(100000), '(?i)\\\\X*x')",
    "(function() for i = 1, 1e9 do ck.find('x', 'y' .. i) end end)()",
    "(function() while true do ck.find('x', 'y') end end)()",
    "(function() local s = ('ab '):rep(300000) while true do for _ in ck.gmatch(s, '\\\\w+') do "
    "end end end)()",
    "(function() local s = ('a'):rep(1000000) while true do ck.gsub(s, 'a', 'a') end end)()",
    "(function() while true do pcall(ck.find, ('a'):rep(40), '^(a+)+$b') end end)()",
    "(function() while true do pcall(ck.find, 'a', '(') end end)()",
    "ck.gsub('aaaa', 'a', function() while true do end end)",
    "ck.gsub('aaaa', 'a', function() while true do pcall(error) end end)",
    "ck.gsub(('a'):rep(100000), '', ('x'):rep(1000))",
    "(function() local function f(s) return (ck.gsub(s, '.', f)) end return f('x') end)()",
};

static ck_vm *new_vm(const ck_clock *clock) {
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_vm_new(&vm, &ck_vm_policy_limits, clock, &err) == CK_OK, "a VM opens: %s", err.text);
  return vm;
}

static void check_row(ck_vm *vm, const row *of) {
  ck_buffer text = {0}, out = {0};
  ck_error err = CK_ERROR_INIT;
  ck_buffer_append_format(&text, "return %s", of->text);
  ck_status status = vm_script_run(&out, vm, text.data, &err);
  if (of->fails) {
    tap_ok(status == CK_E_POLICY && strstr(err.text, of->want) && strstr(err.text, "t.lua:1: "),
           "%s: %s", of->text, status == CK_OK ? out.data : err.text);
  } else {
    tap_is_status(status, CK_OK, &err, "%s", of->text);
    tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(of->want), "gives %s", of->want);
  }
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
}

static void check_hostile(ck_vm *vm, const char *script) {
  ck_buffer text = {0}, out = {0};
  ck_error err = CK_ERROR_INIT;
  ck_buffer_append_format(&text, "local _ = %s return 1", script);
  int64_t began = vm_script_cpu_us();
  ck_status status = vm_script_run(&out, vm, text.data, &err);
  int64_t took = vm_script_cpu_us() - began;
  tap_ok((status == CK_OK || status == CK_E_POLICY) && took <= VM_SCRIPT_CONTAINED_US,
         "contained in %d ms: %s", (int)(took / 1000), script);
  if (status != CK_OK)
    tap_ok(strstr(err.text, "t.lua:1: ") || strcmp(err.text, "C stack overflow") == 0,
           "with its place: %s", err.text);
  ck_buffer_reset(&out);
  tap_must(vm_script_run(&out, vm, "return ck.match('abc', 'b.')", &err) == CK_OK && out.len == 4,
           "the next call is none the worse: %s", err.text);
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
}

static void test_walks(ck_vm *vm) {
  ck_buffer out = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(vm_script_run(&out, vm,
                              "local r = {} for k, v in ck.gmatch('a=1, b=2', '(\\\\w)=(\\\\d)') "
                              "do r[#r + 1] = k .. v end\n"
                              "for w in ck.gmatch('one two', '\\\\w+') do r[#r + 1] = w end\n"
                              "for e in ck.gmatch('ab', '') do r[#r + 1] = e end return r",
                              &err),
                CK_OK, &err, "gmatch walks");
  tap_is_bytes(ck_buffer_bytes(&out),
               ck_bytes_text("[\"a1\",\"b2\",\"one\",\"two\",\"\",\"\",\"\"]"),
               "over groups, words and nothing");
  ck_buffer_clear(&out);
}

/* The same call costs the same number of instructions: no wall clock, no state of an earlier
 * call. */
static void test_memory(ck_vm *vm) {
  ck_buffer out = {0};
  ck_error err = CK_ERROR_INIT;
  size_t first = 0;
  for (int i = 0; i < ROUNDS; i++) {
    ck_buffer_reset(&out);
    tap_must(vm_script_run(&out, vm, "for i = 1, 100 do ck.match('x', 'a' .. i) end return 1",
                           &err) == CK_OK,
             "many patterns: %s", err.text);
    if (i == ROUNDS / 3) first = ck_vm_memory(vm);
  }
  tap_ok(ck_vm_memory(vm) < first + (1 << 20),
         "a VM keeps a bounded number of compiled patterns (%zu bytes, then %zu)", first,
         ck_vm_memory(vm));
  ck_buffer_clear(&out);
}

/* A flow has no budget of instructions, only its second. */
static void test_flow(void) {
  ck_vm *vm;
  ck_buffer out = {0};
  ck_error err = CK_ERROR_INIT;
  clock_steps steps = {.step_us = 1000};
  const ck_clock clock = clock_of_steps(&steps);
  tap_must(ck_vm_new(&vm, &ck_vm_flow_limits, &clock, &err) == CK_OK, "a flow's VM opens: %s",
           err.text);
  tap_is_status(
      vm_script_run(&out, vm, "return ck.find(('a'):rep(1000000), '(*NO_START_OPT)a*+b')", &err),
      CK_E_FLOW_STALLED, &err, "a quadratic pattern stalls a flow");
  tap_is_text(err.text, "t.lua:1: ran longer than 1000 ms", "and is stopped after its second");
  ck_buffer_clear(&out);
  ck_vm_free(vm);
}

int main(void) {
  test_flow();
  clock_steps stand = {0};
  const ck_clock still = clock_of_steps(&stand);
  ck_vm *vm = new_vm(&still), *hurried = new_vm(NULL);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_row(vm, &rows[i]);
  for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
    check_hostile(hurried, hostile[i]);
  test_walks(vm);
  test_memory(vm);
  ck_vm_free(vm);
  ck_vm_free(hurried);
  return tap_done();
}
