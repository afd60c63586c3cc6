/* test_flow_explore.c - the tools checkpoint and rewind: their texts, what a rewind leaves, and the
 * guard. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define CHECKPOINT(id) FLOW_CALL(id, "checkpoint", "\"{\\\"goal\\\":\\\"find the leak\\\"}\"")
#define REWIND(id, report) FLOW_CALL(id, "rewind", "\"{\\\"report\\\":\\\"" report "\\\"}\"")
#define FOUND(text) USER("<rewind-report>\\n" text "\\n</rewind-report>")
#define LOOK(id) FLOW_CALL(id, "look", "\"{}\"")
#define TOLD(id, name, content)                                                                 \
  "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"name\":\"" name "\",\"content\":\"" content \
  "\"}"
#define CREATED                                                                                  \
  "Checkpoint created.\\nGoal: find the leak\\nRun your investigation, then call rewind with a " \
  "concise report."
#define REWOUND "Rewind requested.\\nReport captured for context replacement."
#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define WARNING                                                                                   \
  "{\"role\":\"system\",\"content\":\"<system-warning>You are in an active checkpoint. You MUST " \
  "call rewind with your investigation "                                                          \
  "findings before yielding. Do NOT yield without completing the checkpoint.</system-warning>\"}"

#define FLOW(fields)                                                                               \
  "local flow = require \"ck.flow\"\nreturn flow.agent { name = \"scout\", input = \"Go\", tools " \
  "= { look = \"pure\" }" fields " }\n"

static const char *const *models;
static const char *file = FLOW("");
static const char *options = "{\"checkpoint_tool\":{\"enabled\":true,\"subagents\":false}}";

static void load(flow_driver *driver) {
  /* 2026-01-31T09:05:07.042Z, and the last moment of a leap day. */
  static const char *const times[] = {"1769850307042", "951868799999", "0", NULL};
  static const char *const results[] = {"\"r1\"", "\"r2\"", "\"r3\"", "\"r4\"", NULL};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load(driver, flow_file(file), NULL);
  driver->answers[CK_EFFECT_MODEL] = models;
  driver->answers[CK_EFFECT_TOOL] = results;
  driver->answers[CK_EFFECT_READ] = times;
  tap_must(!options || ck_value_new(&driver->options, ck_bytes_text(options), &err) == CK_OK,
           "options");
}

/* Runs through, and gives the messages; the driver stays open. */
static const char *run(flow_driver *driver) {
  ck_error err = CK_ERROR_INIT;
  load(driver);
  tap_is_status(flow_driver_run(driver, &err), CK_OK, &err, "it runs");
  return flow_driver_messages(driver);
}

static void test_cycle(void) {
  static const char *const answers[] = {FLOW_CALLS(LOOK("1")),
                                        FLOW_CALLS(CHECKPOINT("2")),
                                        FLOW_CALLS(LOOK("3") "," LOOK("4")),
                                        FLOW_CALLS(REWIND("5", " It is the cache. ")),
                                        FLOW_SAYS("Done"),
                                        NULL};
  flow_driver driver = {0};
  models = answers;
  tap_is_text(
      run(&driver),
      USER("Go") "\n" FLOW_CALLS(LOOK("1")) "\n" TOLD("1", "look", "r1") "\n" FLOW_CALLS(CHECKPOINT(
          "2")) "\n" TOLD("2", "checkpoint",
                          CREATED) "\n" FOUND("It is the cache.") "\n" FLOW_SAYS("Done") "\n",
      "the report takes the place of the exploration, with the call of rewind and its result");
  const char *log = flow_driver_log(&driver);
  tap_ok(strstr(log,
                "note scout {\"details\":{\"goal\":\"find the "
                "leak\",\"startedAt\":\"2026-01-31T09:05:07.042Z\"},\"tool\":\"checkpoint\"}\n") !=
             NULL,
         "the transcript tells the goal and when it began");
  tap_ok(strstr(log, "message " TOLD(
                         "5", "rewind",
                         REWOUND) "\nrewind {\"keep\":0,\"labelled\":true,\"report\":\"It is the "
                                  "cache.\",\"to\":5}\nboundary tool_round") != NULL,
         "rewind is answered, and takes effect at the end of the turn");
  tap_ok(strstr(log, "\"mark\":{\"goal\":\"find the "
                     "leak\",\"startedAt\":\"2026-01-31T09:05:07.042Z\",\"to\":5}") != NULL,
         "the position holds the mark while it is active");
  tap_ok(strstr(log, "boundary tool_round agent=scout "
                     "{\"next\":\"model\",\"path\":\"agent#5\",\"turn\":5}\n") != NULL,
         "and not behind the rewind");
  flow_driver_clear(&driver);
}

static void test_siblings(void) {
  static const char *const answers[] = {FLOW_CALLS(CHECKPOINT("1")), FLOW_CALLS(LOOK("2")),
                                        FLOW_CALLS(LOOK("3") "," REWIND("4", "R") "," LOOK("5")),
                                        FLOW_SAYS("Done"), NULL};
  flow_driver driver = {0};
  models = answers;
  tap_is_text(
      run(&driver),
      /* clang-format off */
      USER("Go") "\n"
      FLOW_CALLS(CHECKPOINT("1")) "\n"
      TOLD("1", "checkpoint", CREATED) "\n"
      FOUND("R") "\n"
      FLOW_CALLS(LOOK("3") "," REWIND("4", "R") "," LOOK("5")) "\n"
      TOLD("3", "look", "r2") "\n"
      TOLD("4", "rewind", REWOUND) "\n"
      TOLD("5", "look", "r3") "\n"
      FLOW_SAYS("Done") "\n",
      /* clang-format on */
      "with siblings the message of rewind and its batch of results follow the report byte for "
      "byte");
  flow_driver_clear(&driver);
}

static void test_batch_of_checkpoint(void) {
  static const char *const answers[] = {FLOW_CALLS(CHECKPOINT("1") "," LOOK("2")),
                                        FLOW_CALLS(LOOK("3")), FLOW_CALLS(REWIND("4", "R")),
                                        FLOW_SAYS("Done"), NULL};
  static const char *const both[] = {FLOW_CALLS(LOOK("1") "," CHECKPOINT("2") "," REWIND("3", "R")),
                                     FLOW_SAYS("Done"), NULL};
  flow_driver driver = {0}, once = {0};
  models = answers;
  tap_is_text(run(&driver),
              USER("Go") "\n" FLOW_CALLS(CHECKPOINT("1") "," LOOK("2")) "\n" TOLD(
                  "1", "checkpoint",
                  CREATED) "\n" TOLD("2", "look", "r1") "\n" FOUND("R") "\n" FLOW_SAYS("Done") "\n",
              "the cut lies behind the whole batch that holds checkpoint");
  flow_driver_clear(&driver);
  models = both;
  tap_is_text(
      run(&once),
      USER("Go") "\n" FLOW_CALLS(LOOK("1") "," CHECKPOINT("2") "," REWIND("3", "R")) "\n" TOLD(
          "1", "look",
          "r1") "\n" TOLD("2", "checkpoint",
                          CREATED) "\n" TOLD("3", "rewind",
                                             REWOUND) "\n" FOUND("R") "\n" FLOW_SAYS("Done") "\n",
      "checkpoint and rewind in one batch: it stays, and the report follows");
  flow_driver_clear(&once);
}

static void test_errors(void) {
  static const char *const answers[] = {
      FLOW_CALLS(REWIND("1", "R")),
      FLOW_CALLS(REWIND("2", "")),
      FLOW_CALLS(CHECKPOINT("3") "," CHECKPOINT("4")),
      FLOW_CALLS(CHECKPOINT("5")),
      FLOW_CALLS(REWIND("6", "") "," REWIND("7", " \\\\n\\\\t ") "," FLOW_CALL(
          "8", "rewind", "\"{}\"") "," REWIND("9", "R") "," REWIND("10", "S") "," CHECKPOINT("11")),
      FLOW_CALLS(REWIND("12", "T")),
      FLOW_SAYS("Done"),
      NULL};
  flow_driver driver = {0};
  models = answers;
  run(&driver);
  const char *log = flow_driver_log(&driver);
  tap_ok(strstr(log, TOLD("1", "rewind", "No active checkpoint.")) != NULL,
         "rewind without a checkpoint");
  tap_ok(strstr(log, TOLD("2", "rewind", "No active checkpoint.")) != NULL,
         "that comes before the report is looked at");
  tap_ok(strstr(log, TOLD("4", "checkpoint", "Checkpoint already active.")) != NULL,
         "a second checkpoint in the batch");
  tap_ok(strstr(log, TOLD("5", "checkpoint", "Checkpoint already active.")) != NULL,
         "a second checkpoint later");
  tap_ok(strstr(log, TOLD("6", "rewind", "Report cannot be empty.")) != NULL, "an empty report");
  tap_ok(strstr(log, TOLD("7", "rewind", "Report cannot be empty.")) != NULL, "one of blanks");
  tap_ok(strstr(log, TOLD("8", "rewind", "Report cannot be empty.")) != NULL, "none");
  tap_ok(strstr(log, TOLD("9", "rewind", REWOUND)) != NULL, "a good one behind those");
  tap_ok(strstr(log, TOLD("10", "rewind", "No active checkpoint.")) != NULL,
         "a second report in the batch");
  tap_ok(strstr(log, TOLD("11", "checkpoint", "Checkpoint already active.")) != NULL,
         "a checkpoint in the batch that rewinds");
  tap_ok(strstr(log, "\"report\":\"R\"") != NULL && strstr(log, "\"report\":\"S\"") == NULL,
         "the first report is the one");
  tap_ok(strstr(log, TOLD("12", "rewind", "No active checkpoint.")) != NULL,
         "behind the rewind there is no checkpoint");
  flow_driver_clear(&driver);
}

static void test_two_cycles(void) {
  static const char *const answers[] = {
      FLOW_CALLS(CHECKPOINT("1")),       FLOW_CALLS(LOOK("2")), FLOW_CALLS(REWIND("3", "first")),
      FLOW_CALLS(CHECKPOINT("4")),       FLOW_CALLS(LOOK("5")), FLOW_CALLS(REWIND("6", "")),
      FLOW_CALLS(REWIND("7", "second")), FLOW_SAYS("Done"),     NULL};
  flow_driver driver = {0};
  models = answers;
  tap_is_text(
      run(&driver),
      /* clang-format off */
      USER("Go") "\n"
      FLOW_CALLS(CHECKPOINT("1")) "\n"
      TOLD("1", "checkpoint", CREATED) "\n"
      FOUND("first") "\n"
      FLOW_CALLS(CHECKPOINT("4")) "\n"
      TOLD("4", "checkpoint", CREATED) "\n"
      FOUND("second") "\n"
      FLOW_SAYS("Done") "\n",
      /* clang-format on */
      "two cycles, each with its own report");
  tap_ok(strstr(flow_driver_log(&driver), "\"startedAt\":\"2000-02-29T23:59:59.999Z\"") != NULL,
         "a leap day is one");
  flow_driver_clear(&driver);
}

static void test_guard(void) {
  static const char *const answers[] = {
      FLOW_CALLS(CHECKPOINT("1")),  FLOW_SAYS("a"),    FLOW_SAYS("b"),
      FLOW_CALLS(REWIND("2", "R")), FLOW_SAYS("Done"), NULL};
  static const char *const stubborn[] = {FLOW_CALLS(CHECKPOINT("1")),
                                         FLOW_SAYS("a"),
                                         FLOW_SAYS("b"),
                                         FLOW_SAYS("c"),
                                         FLOW_SAYS("d"),
                                         FLOW_CALLS(REWIND("2", "R")),
                                         FLOW_SAYS("Done"),
                                         NULL};
  flow_driver driver = {0}, held = {0};
  models = answers;
  tap_is_text(run(&driver),
              USER("Go") "\n" FLOW_CALLS(CHECKPOINT("1")) "\n" TOLD(
                  "1", "checkpoint", CREATED) "\n" FOUND("R") "\n" FLOW_SAYS("Done") "\n",
              "a turn that may not end goes on, until the report");
  const char *log = flow_driver_log(&driver);
  tap_ok(strstr(log, "message " WARNING
                     "\nboundary loop_iteration agent=scout {\"guards\":1,\"mark\":{") != NULL,
         "the model is warned, word for word");
  tap_ok(strstr(log, "{\"guards\":2,\"mark\":{") != NULL, "each time");
  flow_driver_clear(&driver);
  models = stubborn;
  ck_error err = CK_ERROR_INIT;
  load(&held);
  tap_is_status(flow_driver_run(&held, &err), CK_OK, &err,
                "one that ends its turn again and again");
  tap_is_int(held.step, CK_FLOW_PAUSE, "is paused");
  tap_is_bytes(ck_value_bytes(held.value), ck_bytes_text("\"checkpoint_not_rewound\""),
               "with the reason");
  tap_is_int((int)held.given[CK_EFFECT_MODEL], 5, "after three warnings");
  tap_is_status(flow_driver_run(&held, &err), CK_OK, &err, "and when it is resumed");
  tap_is_text(flow_driver_messages(&held),
              USER("Go") "\n" FLOW_CALLS(CHECKPOINT("1")) "\n" TOLD(
                  "1", "checkpoint", CREATED) "\n" FOUND("R") "\n" FLOW_SAYS("Done") "\n",
              "it is warned once more and can go on");
  flow_driver_clear(&held);
  flow_driver_survives(load, "the guard and its pause");
}

static void test_survives(void) {
  static const char *const answers[] = {FLOW_CALLS(LOOK("1") "," CHECKPOINT("2")),
                                        FLOW_CALLS(LOOK("3")),
                                        FLOW_SAYS("a"),
                                        FLOW_CALLS(LOOK("5") "," REWIND("6", "first")),
                                        FLOW_CALLS(CHECKPOINT("7")),
                                        FLOW_CALLS(LOOK("8")),
                                        FLOW_CALLS(REWIND("9", "second")),
                                        FLOW_SAYS("Done"),
                                        NULL};
  models = answers;
  flow_driver_survives(load, "two explorations");
}

static void test_not_offered(void) {
  static const char *const answers[] = {FLOW_CALLS(CHECKPOINT("1")), FLOW_SAYS("Done"), NULL};
  static const char *const given[] = {
      NULL, "{}", "{\"checkpoint_tool\":{\"enabled\":false,\"subagents\":true}}"};
  const char *enabled = options;
  models = answers;
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
    flow_driver driver = {0};
    options = given[i];
    tap_ok(strstr(run(&driver), "Error: there is no tool 'checkpoint'") != NULL,
           "without the profile's word there is no such tool");
    tap_ok(strstr(flow_driver_log(&driver), "{\"model\":\"default\",\"tools\":[\"look\"]}") != NULL,
           "and none is offered");
    flow_driver_clear(&driver);
  }
  options = enabled;
}

static void test_offered(void) {
  static const char *const answers[] = {FLOW_SAYS("Done"), NULL};
  flow_driver driver = {0};
  models = answers;
  run(&driver);
  tap_ok(strstr(flow_driver_log(&driver),
                "\"name\":\"checkpoint\",\"parameters\":{\"properties\":{\"goal\":{") != NULL,
         "checkpoint is offered with its goal");
  tap_ok(strstr(flow_driver_log(&driver),
                "\"name\":\"rewind\",\"parameters\":{\"properties\":{\"report\":{") != NULL,
         "and rewind with its report");
  flow_driver_clear(&driver);
  file = "return (require \"ck.flow\").agent { tools = { checkpoint = \"pure\" } }\n";
  flow_driver taken = {0};
  ck_error err = CK_ERROR_INIT;
  load(&taken);
  tap_is_status(flow_driver_run(&taken, &err), CK_E_FLOW, &err, "a flow's own tool of that name");
  tap_is_text(err.text,
              "the flow's tool 'checkpoint' has the name of one that the profile's checkpoint_tool "
              "offers: give it another",
              "is not hidden in silence");
  flow_driver_clear(&taken);
}

#define SUBAGENT                                                                                   \
  "local flow, agent = require \"ck.flow\", require \"ck.flow.agent\"\nlocal helper = flow.agent " \
  "{ tools = { look = \"pure\" } }\n"                                                              \
  "return flow.custom { run = function(ctx) return agent.converse(ctx, helper, \"Go\", { depth = " \
  "1 }) end }\n"

static void test_subagents(void) {
  static const char *const answers[] = {FLOW_CALLS(CHECKPOINT("1") "," REWIND("2", "R")),
                                        FLOW_SAYS("Done"), NULL};
  flow_driver top = {0}, allowed = {0};
  file = SUBAGENT;
  models = answers;
  const char *messages = run(&top);
  tap_ok(
      strstr(messages, TOLD("1", "checkpoint", "Checkpoint not available in subagents.")) != NULL,
      "a subagent that calls checkpoint is told so");
  tap_ok(strstr(messages, TOLD("2", "rewind", "No active checkpoint.")) != NULL,
         "and has nothing to rewind");
  tap_ok(strstr(flow_driver_log(&top), "\"tools\":[\"look\"]}") != NULL, "it is not offered them");
  flow_driver_clear(&top);
  options = "{\"checkpoint_tool\":{\"enabled\":true,\"subagents\":true}}";
  tap_ok(strstr(run(&allowed), TOLD("1", "checkpoint", CREATED)) != NULL, "one that may, can");
  flow_driver_clear(&allowed);
}

int main(void) {
  test_cycle();
  test_siblings();
  test_batch_of_checkpoint();
  test_errors();
  test_two_cycles();
  test_guard();
  test_survives();
  test_not_offered();
  test_offered();
  test_subagents();
  return tap_done();
}
