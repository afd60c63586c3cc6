/* test_flow_exec.c - programs, sleeps, questions and readings as a flow asks for them, and what it
 * makes of the answers. */
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define RESULT(stdout_json) \
  "{\"exit\":0,\"stdout\":" stdout_json ",\"stderr\":\"\",\"stdout_bytes\":9,\"stderr_bytes\":0}"

/* The log of a flow.custom with this body, or the error's text without the path. */
static void is_body(const char *body, const char *const *answers, ck_effect_kind kind,
                    const char *want, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(&driver, body, NULL);
  driver.answers[kind] = answers;
  ck_status status = flow_driver_run(&driver, &err);
  const char *path = driver.engine->manifest(driver.flow)->path;
  size_t skip = status != CK_OK && strncmp(err.text, path, strlen(path)) == 0 ? strlen(path) : 0;
  tap_is_text(status == CK_OK ? flow_driver_log(&driver) : err.text + skip, want, "%s", promise);
  flow_driver_clear(&driver);
}

static const char *const none[] = {NULL};

#define EXEC(fields) \
  "local node = require \"ck.flow\".exec { " fields " } ctx.memory.a = 7 ctx.memory.b = { \"x\" } "

static void test_exec(void) {
  static const char *const plain[] = {RESULT("\"hi\""), NULL};
  static const char *const keys[] = {RESULT("\"{\\\"p\\\":1,\\\"q\\\":[2],\\\"r\\\":3}\""), NULL};
  static const char *const list[] = {RESULT("\"[1]\""), NULL};
  static const char *const failed[] = {"!collect: exit status 3", NULL};
  is_body(EXEC("argv = { \"collect\", \"-v\" }") "return node.run(ctx, node).stdout", plain,
          CK_EFFECT_EXEC,
          "change memory.a 7\nchange memory.b [\"x\"]\neffect exec/0 once - "
          "{\"argv\":[\"collect\",\"-v\"]}\ndone \"hi\"\n",
          "a program is run once, without a word more than was said");
  is_body(
      EXEC(
          "argv = { \"c\" }, reads = { \"a\", \"b\", \"absent\" }, writes = { \"p\", \"q\" }, "
          "class = \"pure\", cwd = \"d\","
          " env = { A = \"1\", K = { ref = \"env:KEY\" } }, timeout_s = 1.5, output_max = 10") "nod"
                                                                                               "e."
                                                                                               "run"
                                                                                               "(ct"
                                                                                               "x, "
                                                                                               "nod"
                                                                                               "e) "
                                                                                               "ret"
                                                                                               "urn"
                                                                                               " { "
                                                                                               "ctx"
                                                                                               ".me"
                                                                                               "mor"
                                                                                               "y."
                                                                                               "p, "
                                                                                               "ctx"
                                                                                               ".me"
                                                                                               "mor"
                                                                                               "y."
                                                                                               "q, "
                                                                                               "ctx"
                                                                                               ".me"
                                                                                               "mor"
                                                                                               "y."
                                                                                               "r "
                                                                                               "== "
                                                                                               "nil"
                                                                                               " }",
      keys, CK_EFFECT_EXEC,
      "change memory.a 7\nchange memory.b [\"x\"]\n"
      "effect exec/0 pure - "
      "{\"argv\":[\"c\"],\"cwd\":\"d\",\"env\":{\"A\":\"1\",\"K\":{\"ref\":\"env:KEY\"}},"
      "\"input\":{\"memory\":{\"a\":7,\"b\":[\"x\"]}},\"output_max\":10,\"timeout_ms\":1500}\n"
      "change memory.p 1\nchange memory.q [2]\ndone [1,[2],true]\n",
      "it gets what it reads, and what it declares to write is written, no other key");
  is_body(EXEC("argv = { \"c\" }, writes = { \"p\", \"absent\" }") "node.run(ctx, node)", keys,
          CK_EFFECT_EXEC, "c writes 'absent', but its output has no such key",
          "a key that it does not give is named");
  is_body(EXEC("argv = { \"c\" }, writes = { \"p\" }") "node.run(ctx, node)", list, CK_EFFECT_EXEC,
          "c writes p, but its output is no JSON object: it is another value",
          "an output that is another value");
  is_body(EXEC("argv = { \"c\" }, writes = { \"p\" }") "node.run(ctx, node)", plain, CK_EFFECT_EXEC,
          "c writes p, but its output is no JSON object: it is longer than output_max",
          "an output that was cut off");
  is_body(EXEC("argv = { \"c\" }") "local ok, why = pcall(node.run, ctx, node) return why", failed,
          CK_EFFECT_EXEC,
          "change memory.a 7\nchange memory.b [\"x\"]\neffect exec/0 once - "
          "{\"argv\":[\"c\"]}\ndone \"collect: exit status 3\"\n",
          "a failure can be caught, with what the program said");
}

#define MAKES(node)                                                                     \
  "local flow = require \"ck.flow\" local ok, why = pcall(function() return flow." node \
  " end) return why or \"made\""

static void makes(const char *body, const char *want) {
  is_body(body, none, CK_EFFECT_EXEC, want, want);
}

static void test_typos(void) {
  makes(MAKES("exec { argv = { \"c\" }, wirtes = { \"a\" } }"),
        "done \"flow.exec has no field 'wirtes'; did you mean 'writes'?\"\n");
  makes(MAKES("exec { }"), "done \"flow.exec needs 'argv', the program and its arguments\"\n");
  makes(MAKES("exec { argv = \"c -v\" }"),
        "done \"flow.exec: 'argv' must be a list of strings with at least one\"\n");
  makes(MAKES("exec { argv = { \"c\" }, env = { A = 1 } }"),
        "done \"flow.exec: 'env' A must be a string or { ref = \\\"env:NAME\\\" }\"\n");
  makes(MAKES("exec { argv = { \"c\" }, env = { A = { ref = \"env:X\", rev = 1 } } }"),
        "done \"flow.exec: 'env' A must be a string or { ref = \\\"env:NAME\\\" }\"\n");
  makes(MAKES("exec { argv = { \"c\" }, env = { [\"A=B\"] = \"\" } }"),
        "done \"flow.exec: 'env' takes names of variables as keys, not 'A=B'\"\n");
  makes(MAKES("exec { argv = { \"c\" }, class = \"reconcilable\" }"),
        "done \"flow.exec: 'class' must be pure, idempotent or once, not 'reconcilable'\"\n");
  makes(MAKES("exec { argv = { \"c\" }, timeout_s = 0 }"),
        "done \"flow.exec: 'timeout_s' must be a number of seconds above 0, 1e6 at most\"\n");
  makes(MAKES("sleep(-1)"), "done \"flow.sleep takes ms, a whole number from 0, not -1\"\n");
  makes(MAKES("sleep(1.5)"), "done \"flow.sleep takes ms, a whole number from 0, not 1.5\"\n");
  makes(MAKES("ask { qestion = \"?\" }"),
        "done \"flow.ask has no field 'qestion'; did you mean 'question'?\"\n");
  makes(MAKES("ask { options = { 1 } }"),
        "done \"flow.ask: 'options' must be a list of strings; one is a number\"\n");
}

static void test_waiting(void) {
  static const char *const slept[] = {"null", NULL};
  static const char *const yes[] = {"\"yes\"", NULL};
  is_body("local node = require \"ck.flow\".sleep(250) node.run(ctx, node) return \"up\"", slept,
          CK_EFFECT_SLEEP, "effect sleep/0 idempotent - {\"ms\":250}\ndone \"up\"\n", "a sleep");
  is_body("local node = require \"ck.flow\".ask { question = \"Send?\", options = { \"yes\", "
          "\"no\" }, writes = \"sent\" }"
          " return node.run(ctx, node)",
          yes, CK_EFFECT_ASK,
          "effect ask/0 idempotent - {\"options\":[\"yes\",\"no\"],\"question\":\"Send?\"}\nchange "
          "memory.sent \"yes\"\ndone \"yes\"\n",
          "a question writes its answer");
}

static void test_readings(void) {
  static const char *const time[] = {"1700000000123", NULL};
  static const char *const least[] = {"0", "0", "0", NULL};
  static const char *const most[] = {"9007199254740991", "9007199254740991", "9007199254740991",
                                     "9007199254740991", NULL};
  static const char *const dead[] = {"!the kernel is out of dice", NULL};
  is_body("return ctx.now()", time, CK_EFFECT_READ,
          "effect read/0 pure - {\"what\":\"clock\"}\ndone 1700000000123\n", "the clock");
  is_body("return { ctx.random(), ctx.random(6), ctx.random(-3, 3) }", least, CK_EFFECT_READ,
          "effect read/0 pure - {\"what\":\"random\"}\neffect read/0 pure - {\"what\":\"random\"}\n"
          "effect read/0 pure - {\"what\":\"random\"}\ndone [0.0,1,-3]\n",
          "the least of each range");
  is_body("local u = ctx.random() return { u < 1, u > 0.999, ctx.random(6), ctx.random(-3, 3), "
          "ctx.random(math.maxinteger, math.maxinteger) == math.maxinteger }",
          most, CK_EFFECT_READ,
          "effect read/0 pure - {\"what\":\"random\"}\neffect read/0 pure - {\"what\":\"random\"}\n"
          "effect read/0 pure - {\"what\":\"random\"}\neffect read/0 pure - "
          "{\"what\":\"random\"}\ndone [true,true,6,3,true]\n",
          "the most of each range");
  is_body("return ctx.random(0)", least, CK_EFFECT_READ,
          ":1: ctx.random: there is no whole number from 1 to 0", "an empty range");
  is_body("return ctx.random(math.mininteger, math.maxinteger)", least, CK_EFFECT_READ,
          ":1: ctx.random: the range holds more than 2^53 numbers",
          "a range that 53 bits do not cover evenly");
  is_body("return ctx.random(1.5)", least, CK_EFFECT_READ,
          ":1: bad argument #2 to 'random' (number has no integer representation)", "a fraction");
  is_body("return ctx.now()", dead, CK_EFFECT_READ, ":1: ctx.now: the kernel is out of dice",
          "a reading that fails");
  is_body("table.sort({ 1, 2 }, function() return ctx.random() < 0.5 end)", least, CK_EFFECT_READ,
          ":1: ctx.random cannot be used inside a function that is called by a library function "
          "such as table.sort",
          "a reading inside a comparison is refused, not lost");
  is_body("local v = ctx.parse('{\"a\":[1,null]}') local bad, why = ctx.parse('{') return { "
          "v.a[1], bad == nil, why }",
          none, CK_EFFECT_READ,
          "done [1,true,\"malformed JSON at byte 1: expected a member name\"]\n",
          "texts that hold JSON, or do not");
}

int main(void) {
  test_exec();
  test_typos();
  test_waiting();
  test_readings();
  return tap_done();
}
