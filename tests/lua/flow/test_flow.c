/* test_flow.c - flow.agent: the loop, its places to go on from, its endings. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define CALL(id, name, arguments)                                           \
  "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
  "\",\"arguments\":" arguments "}}"
#define CALLS(...) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" __VA_ARGS__ "]}"
#define SAYS(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"

static const char shop[] = "local flow = require \"ck.flow\"\n"
                           "return flow.agent {\n"
                           "  name = \"shop\", model = \"small\", prompt = \"Be kind.\", user = "
                           "flow.ask { question = \"What next?\" },\n"
                           "  tools = { look = \"pure\", buy = flow.command { argv = { \"./buy\", "
                           "\"-x\" }, probe = { \"./bought\" } }, tell = \"idempotent\" },\n"
                           "  stop = function(text) return text == \"Goodbye.\" end,\n"
                           "}\n";

static const char *const shop_models[] = {
    CALLS(CALL("c1", "look", "\"{\\\"a\\\": 1.50,  \\\"\\\\u00e9\\\":\\\"\\u00e9\\\"}\"")),
    CALLS(CALL("c1", "look", "{\"b\":1e2, \"a\":[ ]}") "," CALL("c2", "fly", "\"{}\"") "," CALL(
        "c3", "buy", "\"\"")),
    SAYS("Done. Anything else?"),
    CALLS("{\"id\":\"c4\",\"name\":\"tell\",\"arguments\":{}}"),
    SAYS("Goodbye."),
    NULL,
};
static const char *const shop_asks[] = {"\"Buy it\"", "\"Tell me\"", NULL};
static const char *const shop_tools[] = {"\"red\"", "{\"size\":[1,2]}", "!no money", "\"\"", NULL};

static const char shop_log[] =
    "message {\"role\":\"system\",\"content\":\"Be kind.\"}\n"
    "effect ask/0 idempotent shop {\"question\":\"What next?\"}\n"
    "effect model/0 pure shop {\"model\":\"small\",\"tools\":[\"buy\",\"look\",\"tell\"]}\n"
    "effect tool/1 pure shop {\"name\":\"look\",\"call_id\":\"c1\",\"index\":0,\"arguments\":"
    "\"{\\\"a\\\": 1.50,  \\\"\\\\u00e9\\\":\\\"\\u00e9\\\"}\"}\n"
    "boundary tool_round agent=shop {\"next\":\"model\",\"path\":\"agent#2\",\"turn\":2}\n"
    "effect model/0 pure shop {\"model\":\"small\",\"tools\":[\"buy\",\"look\",\"tell\"]}\n"
    "boundary before_call agent=shop next.tool=buy next.class=once {\"calls\":[{\"class\":\"pure\","
    "\"id\":\"c1\",\"tool\":\"look\"},{\"id\":\"c2\",\"tool\":\"fly\"},{\"class\":\"once\",\"id\":"
    "\"c3\",\"tool\":\"buy\"}],\"next\":\"calls\",\"path\":\"agent#2\",\"turn\":2}\n"
    "effect tool/1 pure shop "
    "{\"name\":\"look\",\"call_id\":\"c1\",\"index\":0,\"arguments\":{\"b\":1e2, \"a\":[ ]}}\n"
    "message {\"role\":\"tool\",\"tool_call_id\":\"c2\",\"name\":\"fly\",\"content\":\"Error: "
    "there is no tool 'fly'\"}\n"
    "effect tool/3 once shop {\"name\":\"buy\",\"call_id\":\"c3\",\"index\":2,\"arguments\":\"\"}\n"
    "boundary tool_round agent=shop {\"next\":\"model\",\"path\":\"agent#3\",\"turn\":3}\n"
    "effect model/0 pure shop {\"model\":\"small\",\"tools\":[\"buy\",\"look\",\"tell\"]}\n"
    "boundary loop_iteration agent=shop {\"next\":\"ask\",\"path\":\"agent#4\",\"turn\":4}\n"
    "effect ask/0 idempotent shop {\"question\":\"What next?\"}\n"
    "effect model/0 pure shop {\"model\":\"small\",\"tools\":[\"buy\",\"look\",\"tell\"]}\n"
    "effect tool/1 idempotent shop "
    "{\"name\":\"tell\",\"call_id\":\"c4\",\"index\":0,\"arguments\":{}}\n"
    "boundary tool_round agent=shop {\"next\":\"model\",\"path\":\"agent#5\",\"turn\":5}\n"
    "effect model/0 pure shop {\"model\":\"small\",\"tools\":[\"buy\",\"look\",\"tell\"]}\n"
    "done {\"text\":\"Goodbye.\",\"turns\":5}\n";

static void load_shop(flow_driver *driver) {
  flow_driver_load(driver, flow_file(shop), NULL);
  driver->answers[CK_EFFECT_MODEL] = shop_models;
  driver->answers[CK_EFFECT_ASK] = shop_asks;
  driver->answers[CK_EFFECT_TOOL] = shop_tools;
}

static void test_loop(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  load_shop(&driver);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err,
                "an agent with tools and a user runs to its end");
  tap_is_text(flow_driver_log(&driver), shop_log,
              "each effect, message and boundary is asked in order, arguments byte for byte");
  ck_flow_yield yield;
  tap_is_status(driver.engine->resume(&yield, driver.coroutine, NULL, &err), CK_E_USAGE, NULL,
                "what has ended cannot be resumed");
  flow_driver_clear(&driver);
}

/* The conversation is what the model sees: it must be the same too. */
static void test_reopen(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  load_shop(&driver);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "the run that was never stopped");
  ck_digest whole = ck_conversation_digest(driver.conversation);
  size_t count = driver.snapshot_count;
  tap_is_int((int64_t)count, 5,
             "it has a boundary at each turn's end, and one before a call of class once");
  for (size_t i = 0; i < count; i++) {
    size_t from = driver.snapshots[i].log;
    flow_driver_rewind(&driver, i);
    tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err,
                  "opened again at boundary %zu, it ends well", i + 1);
    tap_is_text(flow_driver_log(&driver), shop_log + from, "it asks for exactly what is left");
    ck_digest again = ck_conversation_digest(driver.conversation);
    tap_ok(ck_digest_equal(&whole, &again), "the conversation is the same");
  }
  flow_driver_clear(&driver);
}

/* A coroutine may be closed between any two steps. */
static void test_close_anywhere(void) {
  bool more = true;
  int steps = 0;
  for (int limit = 0; more && limit < 100; limit++, steps++) {
    flow_driver driver = {0};
    ck_error err = CK_ERROR_INIT;
    ck_status status = CK_OK;
    load_shop(&driver);
    for (int i = 0; i < limit && more; i++) more = flow_driver_step(&driver, &status, &err);
    flow_driver_clear(&driver);
  }
  tap_ok(!more && steps > 15, "a coroutine can be closed after any step, %d of them", steps);
}

static void is_run(const char *text, const char *const *models, const char *const *asks,
                   const char *prompt, const char *want, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load(&driver, flow_file(text), NULL);
  driver.answers[CK_EFFECT_MODEL] = models;
  driver.answers[CK_EFFECT_ASK] = asks;
  driver.prompt = prompt;
  ck_status status = flow_driver_run(&driver, &err);
  tap_is_text(status == CK_OK ? flow_driver_log(&driver) : err.text, want, "%s", promise);
  flow_driver_clear(&driver);
}

#define AGENT(fields) "local flow = require \"ck.flow\"\nreturn flow.agent {" fields "}\n"
#define MODEL "effect model/0 pure - {\"model\":\"default\"}\n"

static void test_endings(void) {
  const char *const hello[] = {SAYS("Hello"), NULL};
  const char *const parts[] = {"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
                               "\"a\"},{\"text\":\"b\"},7]}",
                               NULL};
  const char *const broken[] = {"!overloaded", NULL};
  const char *const yes[] = {"\"yes\"", NULL};
  is_run(AGENT(""), hello, NULL, NULL, MODEL "done {\"text\":\"Hello\",\"turns\":1}\n",
         "without a user the first text is the result");
  is_run(AGENT(""), parts, NULL, NULL, MODEL "done {\"text\":\"a\\nb\",\"turns\":1}\n",
         "a content in parts is read as text");
  is_run(AGENT(""), NULL, NULL, NULL, MODEL "done {\"ended\":\"recording\",\"turns\":0}\n",
         "the recording may end at a model call");
  is_run(AGENT("user = flow.ask()"), hello, NULL, NULL,
         "effect ask/0 idempotent - {}\ndone {\"ended\":\"recording\",\"turns\":0}\n",
         "the recording may end at the user's turn");
  is_run(AGENT("user = flow.ask {}"), hello, yes, NULL,
         "effect ask/0 idempotent - {}\n" MODEL
         "boundary loop_iteration {\"next\":\"ask\",\"path\":\"agent#2\",\"turn\":2}\n"
         "effect ask/0 idempotent - {}\ndone {\"ended\":\"recording\",\"turns\":1}\n",
         "the turns that were completed are counted");
  is_run(AGENT(""), broken, NULL, NULL, "the model 'default' failed: overloaded",
         "a model that fails ends the coroutine");
  is_run(AGENT("user = flow.ask {}"), NULL, broken, NULL, "asking failed: overloaded",
         "so does a question that cannot be asked");
}

static void test_prompts(void) {
  const char *const hello[] = {SAYS("Hello"), NULL};
  is_run(AGENT("prompt = flow.recorded"), hello, NULL, "From \"tape\"",
         "message {\"role\":\"system\",\"content\":\"From \\\"tape\\\"\"}\n" MODEL
         "done {\"text\":\"Hello\",\"turns\":1}\n",
         "flow.recorded takes the recording's system prompt");
  is_run(AGENT("prompt = flow.recorded"), hello, NULL, NULL,
         "prompt = flow.recorded needs a recording that has a system prompt",
         "without one it fails");
}

static void test_limits(void) {
  const char *const unknown[] = {CALLS("{\"id\":\"1\"}"), CALLS("{\"function\":{\"name\":\"x\"}}"),
                                 CALLS("5"), NULL};
  is_run(AGENT("max_iterations = 2"), unknown, NULL, NULL,
         "the model was called 2 times, the most that max_iterations allows",
         "calls that cannot be made count as turns");
  is_run(
      AGENT(""), unknown, NULL, NULL,
      MODEL
      "message {\"role\":\"tool\",\"tool_call_id\":\"1\",\"name\":\"?\",\"content\":\"Error: the "
      "call does not say which tool\"}\n"
      "boundary tool_round {\"bad\":1,\"next\":\"model\",\"path\":\"agent#2\",\"turn\":2}\n" MODEL
      "message {\"role\":\"tool\",\"name\":\"x\",\"content\":\"Error: there is no tool 'x'\"}\n"
      "boundary tool_round {\"bad\":2,\"next\":\"model\",\"path\":\"agent#3\",\"turn\":3}\n" MODEL
      "message {\"role\":\"tool\",\"name\":\"?\",\"content\":\"Error: the call does not say which "
      "tool\"}\n"
      "boundary tool_round {\"bad\":3,\"next\":\"model\",\"path\":\"agent#4\",\"turn\":4}\n" MODEL
      "done {\"ended\":\"recording\",\"turns\":3}\n",
      "calls that make no sense are answered, not raised");
}

static void test_positions(void) {
  const char *const positions[] = {"{\"path\":\"agent#2\"}",
                                   "{\"path\":\"node#1\",\"turn\":2,\"next\":\"ask\"}",
                                   "{\"path\":\"agent#2\",\"turn\":2.5,\"next\":\"model\"}"};
  for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
    flow_driver driver = {0};
    ck_error err = CK_ERROR_INIT;
    flow_driver_load(&driver, flow_file(AGENT("")), NULL);
    tap_must(ck_value_new(&driver.position, ck_bytes_text(positions[i]), &err) == CK_OK, "%s",
             err.text);
    tap_is_status(flow_driver_run(&driver, &err), CK_E_FLOW, &err, "%s of another flow is refused",
                  positions[i]);
    tap_ok(strstr(err.text, "is not a place in this flow") != NULL, "it says so");
    flow_driver_clear(&driver);
  }
}

static void test_input(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  const char *const hello[] = {SAYS("Hello"), NULL};
  flow_driver_load(&driver, flow_file(AGENT("prompt = \"p\"")), NULL);
  driver.answers[CK_EFFECT_MODEL] = hello;
  tap_must(ck_value_new(&driver.input, ck_bytes_text("\"Write a poem\""), &err) == CK_OK, "%s",
           err.text);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err,
                "an agent without a user takes the session's input");
  tap_is_text(flow_driver_log(&driver),
              "message {\"role\":\"system\",\"content\":\"p\"}\nmessage "
              "{\"role\":\"user\",\"content\":\"Write a poem\"}\n" MODEL
              "done {\"text\":\"Hello\",\"turns\":1}\n",
              "as the user's message");
  flow_driver_clear(&driver);
}

int main(void) {
  test_loop();
  test_reopen();
  test_close_anywhere();
  test_endings();
  test_prompts();
  test_limits();
  test_positions();
  test_input();
  return tap_done();
}
