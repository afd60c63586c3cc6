/* test_flow_before_call.c - the boundary between an answer and its calls: when it is there, what it
 * says, and that a flow goes on from it with these calls, byte for byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define AGENT(fields) "local flow = require \"ck.flow\"\nreturn flow.agent {" fields "}\n"
#define CALL(id, name) FLOW_CALL(id, name, "\"{}\"")
#define OPTIONS(policies) "{\"before_call\":[" policies "]}"

static const char *const *models;
static const char *const *tools;
static const char *file, *options;

static void load(flow_driver *driver) {
  static const char *const ran[] = {"\"1\"", "\"2\"", "\"3\"", NULL};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load(driver, flow_file(file), NULL);
  driver->answers[CK_EFFECT_MODEL] = models;
  driver->answers[CK_EFFECT_TOOL] = tools;
  driver->answers[CK_EFFECT_EXEC] = ran;
  tap_must(!options || ck_value_new(&driver->options, ck_bytes_text(options), &err) == CK_OK,
           "options: %s", err.text);
}

/* The lines of the log that tell boundaries of the kind. */
static char *find_boundaries(flow_driver *driver, const char *kind) {
  char *log = strdup(flow_driver_log(driver)), *rest = NULL, begin[64];
  ck_buffer found = {0};
  snprintf(begin, sizeof begin, "boundary %s", kind);
  for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (strncmp(line, begin, strlen(begin)) == 0) ck_buffer_append_format(&found, "%s\n", line);
  free(log);
  return found.data ? ck_buffer_take(&found) : strdup("");
}

static void is_before(const char *want, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  load(&driver);
  ck_status status = flow_driver_run(&driver, &err);
  char *found = find_boundaries(&driver, "before_call");
  tap_is_text(status == CK_OK ? found : err.text, want, "%s", promise);
  free(found);
  flow_driver_clear(&driver);
}

#define FOUR                                                                                      \
  "name = \"ann\", tools = { a = \"pure\", b = \"reconcilable\", c = \"idempotent\", \"d\", f = " \
  "flow.tool(function() return 1 end) }"
#define AT(next, calls)                                                                         \
  "boundary before_call agent=ann " next " {\"calls\":[" calls "],\"next\":\"calls\",\"path\":" \
  "\"start\",\"turn\":1}\n"
#define A "{\"class\":\"pure\",\"id\":\"1\",\"tool\":\"a\"}"
#define B "{\"class\":\"reconcilable\",\"id\":\"2\",\"tool\":\"b\"}"
#define C "{\"class\":\"idempotent\",\"id\":\"3\",\"tool\":\"c\"}"
#define D "{\"class\":\"once\",\"id\":\"4\",\"tool\":\"d\"}"
#define F "{\"id\":\"5\",\"tool\":\"f\"}"

static void test_when(void) {
  static const char *const three[] = {
      FLOW_CALLS(CALL("1", "a") "," CALL("2", "b") "," CALL("3", "c")), FLOW_SAYS("ok"), NULL};
  static const char *const four[] = {
      FLOW_CALLS(CALL("1", "a") "," CALL("2", "b") "," CALL("4", "d")), FLOW_SAYS("ok"), NULL};
  static const char *const function[] = {FLOW_CALLS(CALL("5", "f")), FLOW_SAYS("ok"), NULL};
  static const char *const unfit[] = {FLOW_CALLS(FLOW_CALL("4", "d", "\"5\"")), FLOW_SAYS("ok"),
                                      NULL};
  static const char *const results[] = {"\"1\"", "\"2\"", "\"3\"", NULL};
  tools = results;
  file = AGENT(FOUR);
  models = three;
  options = NULL;
  is_before("", "calls that may be repeated, or found out about, have none");
  models = four;
  is_before(AT("next.tool=d next.class=once", A "," B "," D),
            "one of class once has, the class that a tool has by default");
  options = OPTIONS("{\"classes\":[\"pure\"],\"risky\":[\"b\"]}");
  is_before(AT("next.tool=d next.class=once", A "," B "," D),
            "what is of class once is next, whatever else policies name");
  models = three;
  is_before(AT("next.tool=a next.class=pure", A "," B "," C),
            "else the first that a policy names; it is there once for all");
  options = OPTIONS("{\"agent\":\"ann\"},{\"risky\":[\"c\",\"x\"]}");
  is_before(AT("next.tool=c next.class=idempotent", A "," B "," C), "a policy names a tool");
  options = OPTIONS("{\"agent\":\"bob\",\"risky\":[\"c\"]}");
  is_before("", "what another agent's policy names is none of this one's");
  options = OPTIONS("{\"agent\":\"ann\",\"risky\":[\"c\"]}");
  is_before(AT("next.tool=c next.class=idempotent", A "," B "," C), "what its own names is");
  models = function;
  options = OPTIONS("{\"classes\":[\"pure\",\"once\"]}");
  is_before("", "a function of the flow has no class");
  options = OPTIONS("{\"risky\":[\"f\"]}");
  is_before(AT("next.tool=f", F), "but a name");
  models = unfit;
  options = NULL;
  is_before("", "a call that cannot be made is no danger");
}

/* Bytes as the model wrote them, and calls in a row that cannot be made, are the same behind it. */
static void test_goes_on(void) {
  static const char *const says[] = {
      FLOW_CALLS(CALL("1", "x")),
      FLOW_CALLS(
          FLOW_CALL("2", "a", "\"{\\\"n\\\": 1.50}\"") "," FLOW_CALL("3", "d", "{\"b\":1e2}")),
      FLOW_CALLS(CALL("4", "x") "," CALL("5", "d") "," CALL("6", "x")), FLOW_SAYS("ok"), NULL};
  static const char *const results[] = {"\"1\"", "!no", "\"3\"", NULL};
  models = says;
  tools = results;
  options = NULL;
  file = AGENT("name = \"ann\", max_bad_calls = 3, tools = { a = \"pure\", \"d\" }");
  flow_driver_survives(load, "calls behind it");
  is_before(
      "boundary before_call agent=ann next.tool=d next.class=once {\"bad\":1,\"calls\":[{"
      "\"class\":\"pure\",\"id\":\"2\",\"tool\":\"a\"},{\"class\":\"once\",\"id\":\"3\","
      "\"tool\":\"d\"}],\"next\":\"calls\",\"path\":\"agent#2\",\"turn\":2}\n"
      "boundary before_call agent=ann next.tool=d next.class=once {\"calls\":[{\"id\":\"4\","
      "\"tool\":\"x\"},{\"class\":\"once\",\"id\":\"5\",\"tool\":\"d\"},{\"id\":\"6\",\"tool\":"
      "\"x\"}],\"next\":\"calls\",\"path\":\"agent#3\",\"turn\":3}\n",
      "the calls that cannot be made are counted behind it");
}

/* In rounds its position has the round, and is at the path of the round or of a turn in it. */
static void test_rounds(void) {
  static const char *const says[] = {FLOW_CALLS(CALL("1", "d")), FLOW_CALLS(CALL("2", "d")),
                                     FLOW_CALLS(CALL("3", "finish")), NULL};
  static const char *const results[] = {"\"1\"", "\"2\"", NULL};
  models = says;
  tools = results;
  options = NULL;
  file = "local flow = require \"ck.flow\"\nreturn flow.rounds { rounds = 2,\n"
         "orchestrator = flow.agent { name = \"lead\", prompt = \"p\", tools = { \"d\" } },\n"
         "agents = { bob = flow.agent { prompt = \"b\" } } }\n";
  flow_driver_survives(load, "an orchestrator's calls behind it");
  is_before(
      "boundary before_call agent=lead next.tool=d next.class=once {\"calls\":[{\"class\":"
      "\"once\",\"id\":\"1\",\"tool\":\"d\"}],\"next\":\"calls\",\"path\":\"start\",\"turn\":1}\n"
      "boundary before_call agent=lead next.tool=d next.class=once {\"calls\":[{\"class\":"
      "\"once\",\"id\":\"2\",\"tool\":\"d\"}],\"next\":\"calls\",\"path\":\"round#1/agent#2\","
      "\"round\":1,\"turn\":2}\n",
      "the position before it is kept");
}

/* What was said elsewhere is adopted once: behind the model's answer nothing of that is left. */
static void load_imported(flow_driver *driver) {
  ck_error err = CK_ERROR_INIT;
  load(driver);
  tap_must(driver->position ||
               ck_value_new(&driver->position,
                            ck_bytes_text("{\"path\":\"agent#4\",\"turn\":4,\"next\":\"model\","
                                          "\"imported\":\"unprompted\",\"kept\":1}"),
                            &err) == CK_OK,
           "a position: %s", err.text);
}

static void test_imported(void) {
  static const char *const says[] = {FLOW_CALLS(CALL("1", "d")), FLOW_SAYS("ok"), NULL};
  static const char *const results[] = {"\"1\"", NULL};
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  models = says;
  tools = results;
  file = AGENT("prompt = \"p\", tools = { \"d\" }");
  load_imported(&driver);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "a conversation from elsewhere");
  char *found = find_boundaries(&driver, "before_call");
  tap_is_text(found,
              "boundary before_call next.tool=d next.class=once {\"calls\":[{\"class\":\"once\","
              "\"id\":\"1\",\"tool\":\"d\"}],\"kept\":1,\"next\":\"calls\",\"path\":\"agent#4\","
              "\"turn\":4}\n",
              "it is the flow's own by its first calls");
  free(found);
  flow_driver_rewind(&driver, 0);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "opened again before them");
  tap_is_text(flow_driver_log(&driver),
              "effect tool/1 once - {\"name\":\"d\",\"call_id\":\"1\",\"index\":0,\"arguments\":"
              "\"{}\"}\n"
              "boundary tool_round {\"next\":\"model\",\"path\":\"agent#5\",\"turn\":5}\n"
              "effect model/0 pure - {\"model\":\"default\",\"tools\":[\"d\"]}\n"
              "done {\"text\":\"ok\",\"turns\":5}\n",
              "it gets no prompt again");
  flow_driver_clear(&driver);
}

static void is_raised(const char *body, const char *want, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(&driver, body, NULL);
  ck_status status = flow_driver_run(&driver, &err);
  tap_ok(status == CK_E_FLOW && strstr(err.text, want), "%s: %s", promise, err.text);
  flow_driver_clear(&driver);
}

static void test_custom(void) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(&driver,
                        "ctx.boundary(\"before_call\", { position = { calls = {} } }) "
                        "ctx.boundary(\"tool_round\", { position = { path = \"a\" } }) "
                        "ctx.boundary(\"before_call\", { position = { path = \"a\" } })",
                        NULL);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "a custom flow may have it");
  tap_is_text(flow_driver_log(&driver),
              "boundary before_call {\"calls\":{},\"path\":\"start\"}\n"
              "boundary tool_round {\"path\":\"a\"}\n"
              "boundary before_call {\"path\":\"a\"}\ndone none\n",
              "it stays at the path that it finds, said or not");
  flow_driver_clear(&driver);
  is_raised("ctx.boundary(\"before_call\", { position = { path = \"b\" } })",
            "the path of a before_call is that of the boundary before, 'start': leave it out",
            "a path of its own is refused");
  is_raised("ctx.boundary(\"before_call\", {})", "needs 'position'", "so is no position");
}

int main(void) {
  test_when();
  test_goes_on();
  test_rounds();
  test_imported();
  test_custom();
  return tap_done();
}
