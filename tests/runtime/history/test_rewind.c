/* test_rewind.c - what a model has gone back on is gone from its context and stays in the
 * transcript, whatever dies on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/profile.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/lua/flow/flow_run.h"
#include "tests/lua/flow/wire.h"
#include "tests/tap.h"

#define CHECKPOINT(id) FLOW_CALL(id, "checkpoint", "\"{\\\"goal\\\":\\\"g\\\"}\"")
#define REWIND(id, report) FLOW_CALL(id, "rewind", "\"{\\\"report\\\":\\\"" report "\\\"}\"")
#define LOOK(id) FLOW_CALL(id, "look", "\"{}\"")
#define TOLD(id, name, content)                                                                 \
  "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"name\":\"" name "\",\"content\":\"" content \
  "\"}\n"
#define CREATED \
  "Checkpoint created.\\nGoal: g\\nRun your investigation, then call rewind with a concise report."
#define REWOUND "Rewind requested.\\nReport captured for context replacement."
#define REPORT(text) "<rewind-report>\\n" text "\\n</rewind-report>"
#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}\n"

static const char file[] =
    "local flow = require \"ck.flow\"\n"
    "return flow.agent { name = \"scout\", input = \"Go\", tools = { look = \"once\" } }\n";

static const char *const *script; /* by turn */
static int bad_wires;

/* The turn stands in the key: "main/agent#3/model/1", "main/start/model/1". */
static const char *model_says(const ck_effect *effect) {
  const char *number = strchr(effect->key, '#');
  int turn = number ? atoi(number + 1) : 1;
  bad_wires += !wire_is_valid(effect->conversation);
  return script[turn - 1];
}

static const char *answer(void *to, const ck_effect *effect) {
  (void)to;
  if (effect->kind == CK_EFFECT_MODEL) return model_says(effect);
  return effect->kind == CK_EFFECT_READ ? "1769850307042" : "\"seen\"";
}

static ck_profile *new_profile(void) {
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "explore", &err) == CK_OK, "a profile");
  profile->checkpoint_tool = true;
  return profile;
}

/* Through deaths and pauses; each life is a little longer. */
static void live_on(flow_run *run, int moves) {
  for (int life = 0; life < 200; life++)
    if (flow_run_once(run, moves + life) && run->result.status != CK_SESSION_PAUSED) return;
}

static void survives(const char *const *answers, const char *want, const char *promise) {
  enum { MOVES = 24, SEEDS = 3 };
  const char *path = flow_file(file);
  ck_profile *profile = new_profile();
  int wrong = 0, runs = 0;
  script = answers;
  bad_wires = 0;
  for (int step = 0; step <= MOVES; step++) {
    for (int seed = 0; seed < 2 * SEEDS; seed++) {
      flow_run run = {.answer = answer,
                      .profile = profile,
                      .no_checkpoints = seed % 2 == 1,
                      .random = (uint64_t)(seed / 2)};
      flow_run_open(&run, path);
      live_on(&run, step == MOVES ? 1000 : step);
      bool good = run.result.status == CK_SESSION_COMPLETED && flow_run_twice(&run) == 0 &&
                  strcmp(flow_run_messages(&run, "main"), want) == 0;
      if (!good)
        tap_diag("after %d moves, seed %d: %s; %d twice\n%s", step, seed, run.result.text,
                 flow_run_twice(&run), flow_run_messages(&run, "main"));
      wrong += !good;
      runs += run.runs;
      flow_run_close(&run);
    }
  }
  tap_is_int(wrong, 0,
             "%s: it dies after each of %d moves, takes %d runs, does nothing twice and has the "
             "same context",
             promise, MOVES, runs);
  tap_is_int(bad_wires, 0, "and every request was valid on the wire");
  ck_profile_free(profile);
}

static void test_deaths(void) {
  static const char *const one[] = {
      FLOW_CALLS(LOOK("1")), FLOW_CALLS(CHECKPOINT("2") "," LOOK("3")),
      FLOW_CALLS(LOOK("4") "," LOOK("5")), FLOW_CALLS(REWIND("6", "R")), FLOW_SAYS("Done")};
  static const char *const siblings[] = {FLOW_CALLS(CHECKPOINT("1")), FLOW_CALLS(LOOK("2")),
                                         FLOW_CALLS(LOOK("3") "," REWIND("4", "R") "," LOOK("5")),
                                         FLOW_SAYS("Done")};
  static const char *const two[] = {FLOW_CALLS(CHECKPOINT("1")),  FLOW_CALLS(LOOK("2")),
                                    FLOW_CALLS(REWIND("3", "R")), FLOW_CALLS(CHECKPOINT("4")),
                                    FLOW_SAYS("not yet"),         FLOW_CALLS(REWIND("5", " ")),
                                    FLOW_CALLS(REWIND("6", "S")), FLOW_SAYS("Done")};
  static const char *const held[] = {FLOW_CALLS(CHECKPOINT("1")),
                                     FLOW_SAYS("a"),
                                     FLOW_SAYS("b"),
                                     FLOW_SAYS("c"),
                                     FLOW_SAYS("d"),
                                     FLOW_CALLS(LOOK("2")),
                                     FLOW_CALLS(REWIND("3", "R")),
                                     FLOW_SAYS("Done")};
  survives(one,
           USER("Go") FLOW_CALLS(LOOK("1")) "\n" TOLD("1", "look", "seen")
               FLOW_CALLS(CHECKPOINT("2") "," LOOK("3")) "\n" TOLD("2", "checkpoint", CREATED)
                   TOLD("3", "look", "seen") USER(REPORT("R")) FLOW_SAYS("Done") "\n",
           "an exploration");
  survives(
      siblings,
      USER("Go") FLOW_CALLS(CHECKPOINT("1")) "\n" TOLD("1", "checkpoint", CREATED) USER(REPORT("R"))
          FLOW_CALLS(LOOK("3") "," REWIND("4", "R") "," LOOK("5")) "\n" TOLD("3", "look", "seen")
              TOLD("4", "rewind", REWOUND) TOLD("5", "look", "seen") FLOW_SAYS("Done") "\n",
      "a rewind among other calls");
  survives(two,
           USER("Go") FLOW_CALLS(CHECKPOINT("1")) "\n" TOLD("1", "checkpoint", CREATED)
               USER(REPORT("R")) FLOW_CALLS(CHECKPOINT("4")) "\n" TOLD("4", "checkpoint", CREATED)
                   USER(REPORT("S")) FLOW_SAYS("Done") "\n",
           "two explorations, with the guard between");
  survives(held,
           USER("Go") FLOW_CALLS(CHECKPOINT("1")) "\n" TOLD("1", "checkpoint", CREATED)
               USER(REPORT("R")) FLOW_SAYS("Done") "\n",
           "a pause by the guard");
}

static void test_guard(void) {
  static const char *const held[] = {FLOW_CALLS(CHECKPOINT("1")),
                                     FLOW_SAYS("a"),
                                     FLOW_SAYS("b"),
                                     FLOW_SAYS("c"),
                                     FLOW_SAYS("d"),
                                     FLOW_CALLS(REWIND("2", "R")),
                                     FLOW_SAYS("Done")};
  ck_profile *profile = new_profile();
  flow_run run = {.answer = answer, .profile = profile};
  script = held;
  flow_run_open(&run, flow_file(file));
  tap_is_int(flow_run_finish(&run), CK_SESSION_PAUSED, "a model that will not rewind is paused");
  tap_is_text(run.result.text, "checkpoint_not_rewound", "with the reason");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "the mark is there when it goes on: %s",
             run.result.text);
  tap_is_text(flow_run_events(&run, CK_EVENT_REWIND),
              "main scout {\"keep\":0,\"labelled\":true,\"report\":\"R\",\"to\":3}\n",
              "what it went back to is in the transcript");
  tap_ok(strstr(flow_run_events(&run, CK_EVENT_OUTCOME), "\"content\":\"c\"") != NULL,
         "and so is what it went back on");
  flow_run_close(&run);
  ck_profile_free(profile);
}

static void test_not_enabled(void) {
  static const char *const answers[] = {FLOW_CALLS(CHECKPOINT("1")), FLOW_SAYS("Done")};
  flow_run run = {.answer = answer};
  script = answers;
  flow_run_open(&run, flow_file(file));
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "without the profile's word");
  tap_ok(strstr(flow_run_messages(&run, "main"), "Error: there is no tool 'checkpoint'") != NULL,
         "there is no such tool");
  flow_run_close(&run);
}

int main(void) {
  test_deaths();
  test_guard();
  test_not_enabled();
  return tap_done();
}
