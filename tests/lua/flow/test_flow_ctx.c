/* test_flow_ctx.c - what a flow can do through ctx, and what it cannot do at all. */
#include <stdio.h>
#include <string.h>

#include "tests/clock.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

/* The log of a flow.custom with this body, or the error's text without the path. */
static void is_body(const char *body, const char *want, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  static const char *const echoes[] = {"\"one\"", "{\"two\":[]}", "!three", NULL};
  flow_driver_load_body(&driver, body, NULL);
  driver.answers[CK_EFFECT_TOOL] = echoes;
  ck_status status = flow_driver_run(&driver, &err);
  const char *path = driver.engine->manifest(driver.flow)->path;
  size_t skip = status != CK_OK && strncmp(err.text, path, strlen(path)) == 0 ? strlen(path) : 0;
  tap_is_text(status == CK_OK ? flow_driver_log(&driver) : err.text + skip, want, "%s", promise);
  if (status != CK_OK) tap_is_int(status, CK_E_FLOW, "the flow raised it");
  flow_driver_clear(&driver);
}

#define TOOL "ctx.effect { kind = \"tool\", class = \"pure\", request = { name = \"t\" } }"
#define TOOL_LOG "effect tool/0 pure - {\"name\":\"t\"}\n"

static void test_effects(void) {
  is_body("local a, b, c, d = " TOOL ", " TOOL ", " TOOL ", " TOOL
          " return { a.status, a.result, a.raw, b.raw, b.result, c.status, c.error, c.result, "
          "d.status, d.raw == nil }",
          TOOL_LOG TOOL_LOG TOOL_LOG TOOL_LOG
          "done "
          "[\"ok\",\"one\",\"\\\"one\\\"\",\"{\\\"two\\\":[]}\",{\"two\":[]},\"error\",\"three\","
          "\"three\",\"ended\",true]\n",
          "an outcome shows its status, result, bytes and error");
  is_body("ctx.effect { kind = \"exec\", class = \"once\", agent = \"a\", ordinal = 7, request = "
          "'{ \"x\": 1.0 }' }",
          "effect exec/7 once a { \"x\": 1.0 }\ndone none\n",
          "a request given as text is sent byte for byte");
  is_body("ctx.effect { kind = \"tol\", class = \"pure\" }",
          ":1: ctx.effect: 'tol' is not a kind of effect", "a kind");
  is_body("ctx.effect { kind = \"tool\" }", ":1: ctx.effect needs 'class', a string", "a class");
  is_body("ctx.effect { kind = \"tool\", class = \"x\" }", ":1: ctx.effect: 'x' is not a class",
          "a class that there is not");
  is_body("ctx.effect { knd = 1 }", ":1: ctx.effect has no field 'knd'",
          "a field that there is not");
  is_body("ctx.effect { kind = \"tool\", class = \"pure\", request = { 1 } }",
          ":1: ctx.effect: 'request' must be a table with named fields, or JSON text of an object",
          "a request is an object");
  is_body("ctx.effect { kind = \"tool\", class = \"pure\", request = '{\"a\":1,}' }",
          ":1: ctx.effect: request: malformed JSON at byte 7: expected a member name",
          "a request is JSON");
  is_body("ctx.effect { kind = \"tool\", class = \"pure\", ordinal = -1 }",
          ":1: 'ordinal' must be a whole number from 0", "an ordinal");
  is_body("return pcall(function() return " TOOL ".result end) and \"went on\"",
          TOOL_LOG "done \"went on\"\n", "an effect inside pcall");
  is_body("local ok, problem = pcall(ctx.effect, {}) return problem",
          "done \"ctx.effect needs 'kind', a string\"\n", "a refused effect can be caught");
  is_body("table.sort({ 1, 2 }, function() " TOOL " end)",
          ":1: ctx.effect cannot be used inside a function that is called by a library function "
          "such as table.sort",
          "an effect inside a comparison is refused, not lost");
}

static void test_boundaries(void) {
  is_body("ctx.boundary(\"node_complete\", { node = \"n\", agent = \"a\", depth = 2, position = { "
          "path = \"n#1\", x = { 1 } },"
          " next = { node = \"m\", tool = \"t\", class = \"once\" } })",
          "boundary node_complete node=n agent=a depth=2 next.node=m next.tool=t next.class=once "
          "{\"path\":\"n#1\",\"x\":[1]}\ndone none\n",
          "a boundary says all there is to say");
  is_body("ctx.boundary(\"tool_round\", { position = { path = \"p#1\" } }) "
          "ctx.safe_point(\"here\", { position = { path = \"p#2\" } })",
          "boundary tool_round {\"path\":\"p#1\"}\nboundary safe_point node=here "
          "{\"path\":\"p#2\"}\ndone none\n",
          "a safe point is a boundary with a name");
  is_body("ctx.safe_point(\"here\")",
          ":1: ctx.safe_point needs 'position' with a 'path': where to go on, such as { path = "
          "\"agent#2\" }",
          "a boundary without a place to go on from is refused");
  is_body("for i = 1, 2 do " TOOL
          " ctx.boundary(\"tool_round\", { position = { path = \"p\", i = i } }) end",
          ":1: ctx.boundary: the path of 'position' must be another than the one before, \"p\"",
          "effects on both sides of a boundary never have the same name");
  is_body("ctx.boundary(\"tool_rond\")", ":1: ctx.boundary: 'tool_rond' is not a kind of boundary",
          "a kind that there is not");
  is_body("ctx.boundary(\"tool_round\", { position = { x = 1 } })",
          ":1: ctx.boundary needs 'position' with a 'path': where to go on, such as { path = "
          "\"agent#2\" }",
          "a path");
  is_body("ctx.boundary(\"tool_round\", { positoin = {} })",
          ":1: ctx.boundary has no field 'positoin'", "a typo");
  is_body("ctx.memory.a = 1 ctx.pause(\"look \\\"here\\\"\")",
          "change memory.a 1\npause \"look \\\"here\\\"\"\n", "a pause has a reason");
}

static void test_pause_goes_on(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(
      &driver,
      "ctx.memory.a = 1 ctx.pause(\"x\") ctx.memory.b = ctx.memory.a + 1 return ctx.memory.b",
      NULL);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "a flow pauses");
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "it can go on at once");
  tap_is_text(flow_driver_log(&driver),
              "change memory.a 1\npause \"x\"\nchange memory.b 2\ndone 2\n",
              "with what it had written");
  flow_driver_clear(&driver);
}

static void test_memory(void) {
  is_body("ctx.memory.a = { 1, 2.5, \"x\" } ctx.outputs.r = true local a = ctx.memory.a " TOOL
          " ctx.memory.b = ctx.memory.a[2] + #a "
          "ctx.boundary(\"tool_round\", { position = { path = \"p\" } }) return { ctx.memory.a, "
          "ctx.memory.b, ctx.outputs.r, ctx.memory.none == nil }",
          "change memory.a [1,2.5,\"x\"]\nchange outputs.r true\n" TOOL_LOG
          "change memory.b 5.5\nboundary tool_round {\"path\":\"p\"}\n"
          "done [[1,2.5,\"x\"],5.5,true,true]\n",
          "what is written is read at once, after an effect, and once it is state");
  is_body("ctx.memory.a = 1 " TOOL " ctx.memory.a = nil local a = ctx.memory.a " TOOL
          " return { ctx.memory.a == nil, a == nil }",
          "change memory.a 1\n" TOOL_LOG "change memory.a none\n" TOOL_LOG "done [true,true]\n",
          "nil removes a key");
  is_body("ctx.memory.a = 1 ctx.memory.b = 1 ctx.memory.a = 2 " TOOL,
          "change memory.a 2\nchange memory.b 1\n" TOOL_LOG "done none\n",
          "a key that is written twice changes once");
  is_body("ctx.memory:append(\"l\", 1) ctx.memory:append(\"l\", { x = {} }) " TOOL
          " ctx.memory:append(\"l\", \"]\") return #ctx.memory.l",
          "change memory.l [1,{\"x\":{}}]\n" TOOL_LOG
          "change memory.l [1,{\"x\":{}},\"]\"]\ndone 3\n",
          "append makes a list grow");
  is_body("ctx.memory.a = { x = { 1 } } ctx.memory.a.x[1] = 2", ":1: the table is read-only",
          "what is read cannot be changed in place");
  is_body("ctx.memory.a = 5 ctx.memory:append(\"a\", 1)",
          ":1: memory.a is not a list: append cannot be used", "append is for lists");
  is_body("ctx.memory.append = 5",
          ":1: ctx.memory.append is a function: the key 'append' cannot be used",
          "append is taken");
  is_body("ctx.memory[1] = 5", ":1: ctx.memory takes strings as keys, not a number",
          "keys are strings");
  is_body("ctx.memory[\"\"] = 5", ":1: ctx.memory: a key must not be empty or hold a NUL",
          "keys are not empty");
  is_body("ctx.memory[\"a\\0b\"] = 5", ":1: ctx.memory: a key must not be empty or hold a NUL",
          "keys have no NUL");
  is_body("ctx.memroy.x = 5", ":1: attempt to index a nil value (field 'memroy')", "a typo raises");
  is_body("ctx.x = 5", ":1: ctx.x cannot be set; what must be kept is set as ctx.memory.x",
          "ctx is no place to keep things");
  is_body("ctx.memory.b = ctx.memory.none == nil return ctx.memory.b",
          "change memory.b true\ndone true\n", "what is not there is nil");
}

static void test_state_is_read(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  ck_value *list;
  flow_driver_load_body(&driver,
                        "ctx.memory:append(\"l\", 3) return { ctx.memory.l, ctx.input.x, "
                        "ctx.scope, ctx.position.path }",
                        NULL);
  tap_must(ck_value_new(&list, ck_bytes_text("[1.0, 2e0 ]\n"), &err) == CK_OK &&
               ck_state_put(driver.state, "memory.l", list, &err) == CK_OK,
           "%s", err.text);
  ck_value_free(list);
  tap_must(ck_value_new(&driver.input, ck_bytes_text("{\"x\":[]}"), &err) == CK_OK, "%s", err.text);
  tap_must(ck_value_new(&driver.position, ck_bytes_text("{\"path\":\"p#1\"}"), &err) == CK_OK, "%s",
           err.text);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err,
                "a coroutine reads state, input, scope and position");
  tap_is_text(flow_driver_log(&driver),
              "change memory.l [1.0, 2e0 ,3]\ndone [[1.0,2.0,3],[],\"main\",\"p#1\"]\n",
              "append keeps the bytes that were there");
  flow_driver_clear(&driver);
}

static void test_messages(void) {
  is_body("ctx.message(\"user\", \"a\") ctx.message { role = \"user\", content = { { type = "
          "\"text\", text = \"b\" } } } "
          "local n, last = ctx.conversation_length(), ctx.last_message() " TOOL
          " ctx.message(\"assistant\", \"c\") "
          "return { n, last.content[1].text, ctx.conversation_length() }",
          "message {\"role\":\"user\",\"content\":\"a\"}\nmessage "
          "{\"role\":\"user\",\"content\":[{\"text\":\"b\",\"type\":\"text\"}]}\n" TOOL_LOG
          "message {\"role\":\"assistant\",\"content\":\"c\"}\ndone [2,\"b\",4]\n",
          "messages go out with the next step, and are seen at once");
  is_body("ctx.message(\"usr\", \"a\")",
          ":1: ctx.message: 'usr' is not a role: system, user, assistant or tool",
          "a role that there is not");
  is_body("ctx.message(\"user\")", ":1: ctx.message needs a content", "a content");
  is_body("ctx.message { role = \"tool\", content = \"x\" }",
          ":1: ctx.message: a tool message needs 'name'", "a name");
  is_body("ctx.message(\"user\", \"\\255\")", ":1: value: text that is not UTF-8",
          "text that is not UTF-8");
}

/* Each is one that must not be there. */
static void test_absent(void) {
  static const char *const names[] = {
      "coroutine", "xpcall",     "setmetatable", "getmetatable",   "rawset",
      "rawget",    "io",         "os",           "debug",          "load",
      "dofile",    "loadstring", "package",      "collectgarbage", "_G"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char body[64], want[64];
    snprintf(body, sizeof body, "return %s", names[i]);
    snprintf(want, sizeof want, ":1: undefined global '%s'", names[i]);
    is_body(body, want, names[i]);
  }
  is_body("return ctx.__index == nil and ctx.memory.__index == nil and ctx.__gc == nil",
          "done true\n", "nothing of ctx's own parts can be reached");
}

/* Time stands still unless the promise is about time, when it goes on at each look: no machine
 * turns one failure into another. */
static void is_error(const char *body, ck_status want, const char *say, const char *promise) {
  clock_steps steps = {.step_us = want == CK_E_FLOW_STALLED ? 1000 : 0};
  const ck_clock clock = clock_of_steps(&steps);
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(&driver, body, &clock);
  tap_is_status(flow_driver_run(&driver, &err), want, &err, "%s", promise);
  if (!tap_ok(strstr(err.text, say) != NULL, "it says '%s'", say))
    tap_diag("it says '%s'", err.text);
  ck_flow_yield yield;
  tap_is_status(driver.engine->resume(&yield, driver.coroutine, NULL, &err), CK_E_USAGE, &err,
                "the coroutine is dead");
  flow_driver_clear(&driver);
}

static void test_hostile(void) {
  is_error("while true do end", CK_E_FLOW_STALLED, ":1: ran longer than 1000 ms",
           "a flow that does not yield is stopped");
  is_error("while true do pcall(function() while true do end end) end", CK_E_FLOW_STALLED,
           ":1: ", "also inside pcall");
  is_error(TOOL " while true do end", CK_E_FLOW_STALLED, ":1: ", "also after an effect");
  is_error("local function f() return 1 + f() end f()", CK_E_FLOW, "stack overflow",
           "endless recursion");
  is_error("local function f() pcall(f) f() end f()", CK_E_FLOW_STALLED, "ran longer",
           "endless recursion through pcall");
  is_error("local t = {} while true do t[#t + 1] = (\"x\"):rep(1000000) .. #t end", CK_E_FLOW,
           "memory", "endless memory");
  is_error("local t = { } t.t = t return t", CK_E_FLOW, "", "a result that contains itself");
  is_error("return function() end", CK_E_FLOW, "function", "a result that is no value");
  is_error("ctx.memory.a = 0 / 0", CK_E_FLOW, "", "a value that JSON does not have");
  is_error("error(\"plain\")", CK_E_FLOW, ":1: plain", "an error says where");
  is_error("error(nil)", CK_E_FLOW, "nil", "an error without a value");
  is_error("error(ctx)", CK_E_FLOW, "userdata", "an error that is no text");
  is_error("ctx.memory.x.y.z = 1", CK_E_FLOW, "attempt to index a nil value",
           "a key that is not there");
  is_error("ctx.tool_calls(\"{\")", CK_E_FLOW, "malformed JSON at byte 1",
           "a message that is not JSON");
}

/* Two scopes of one flow take turns; what they keep in upvalues is one thing, ctx is not. */
static void test_scopes(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  const char *path = flow_file("local first\n"
                               "return { kind = \"mine\", run = function(ctx)\n"
                               "  local other = first\n"
                               "  first = first or ctx\n"
                               "  ctx.memory.who = ctx.scope\n"
                               "  ctx.boundary(\"safe_point\", { position = { path = \"p\" } })\n"
                               "  if not other then return ctx.memory.who end\n"
                               "  local ok, problem = pcall(other.boundary, \"safe_point\")\n"
                               "  return { ok, problem }\n"
                               "end }\n");
  flow_driver_load(&driver, path, NULL);
  const ck_flow_engine *engine = driver.engine;
  ck_coroutine *a, *b;
  ck_flow_yield yield;
  ck_coroutine_options options = {
      .scope = "a", .state = driver.state, .conversation = driver.conversation};
  tap_is_status(engine->open(&a, driver.flow, &options, &err), CK_OK, &err, "one scope");
  options.scope = "b";
  tap_is_status(engine->open(&b, driver.flow, &options, &err), CK_OK, &err,
                "and another of the same flow");
  tap_ok(engine->resume(&yield, a, NULL, &err) == CK_OK &&
             engine->resume(&yield, b, NULL, &err) == CK_OK,
         "take turns");
  tap_is_bytes(ck_value_bytes(yield.changes[0].value), ck_bytes_text("\"b\""),
               "each has its own changes");
  tap_is_status(engine->resume(&yield, b, NULL, &err), CK_OK, &err, "one uses the other's ctx");
  tap_ok(strstr(ck_value_bytes(yield.value).data, "this ctx belongs to another scope, 'a'") != NULL,
         "which is refused");
  engine->close(b);
  tap_is_status(engine->resume(&yield, a, NULL, &err), CK_OK, &err,
                "the other goes on after it was closed");
  tap_is_int(yield.step, CK_FLOW_DONE, "to its end");
  engine->close(a);
  tap_is_status(engine->open(&b, driver.flow, &options, &err), CK_OK, &err, "a scope");
  tap_ok(engine->resume(&yield, b, NULL, &err) == CK_OK &&
             engine->resume(&yield, b, NULL, &err) == CK_OK,
         "uses the ctx of one that is gone");
  tap_ok(strstr(ck_value_bytes(yield.value).data, "this ctx belongs to a scope that has ended") !=
             NULL,
         "which is refused");
  engine->close(b);
  flow_driver_clear(&driver);
}

static void test_protocol(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  ck_flow_yield yield;
  flow_driver_load_body(&driver, TOOL, NULL);
  ck_coroutine_options options = {.scope = "main"};
  tap_is_status(driver.engine->open(&driver.coroutine, driver.flow, &options, &err), CK_OK, &err,
                "a coroutine needs no more than a scope");
  if (ck_outcome_new(&outcome, CK_OUTCOME_OK, NULL, NULL, &err) != CK_OK)
    tap_must(false, "%s", err.text);
  tap_is_status(driver.engine->resume(&yield, driver.coroutine, outcome, &err), CK_E_USAGE, &err,
                "an outcome that it does not wait for");
  tap_is_status(driver.engine->resume(&yield, driver.coroutine, NULL, &err), CK_OK, &err,
                "is refused and does no harm");
  tap_is_status(driver.engine->resume(&yield, driver.coroutine, NULL, &err), CK_E_USAGE, &err,
                "one that it waits for must be given");
  tap_is_status(driver.engine->resume(&yield, driver.coroutine, outcome, &err), CK_OK, &err,
                "then it goes on");
  tap_is_int(yield.step, CK_FLOW_DONE, "to its end");
  ck_outcome_free(outcome);
  flow_driver_clear(&driver);
}

int main(void) {
  test_effects();
  test_boundaries();
  test_pause_goes_on();
  test_memory();
  test_state_is_read();
  test_messages();
  test_absent();
  test_hostile();
  test_scopes();
  test_protocol();
  return tap_done();
}
