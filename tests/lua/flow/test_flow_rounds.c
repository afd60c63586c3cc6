/* test_flow_rounds.c - flow.rounds: delegations of every kind, rounds that are counted,
 * wherever it is killed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/profile.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/lua/flow/flow_run.h"
#include "tests/lua/flow/wire.h"
#include "tests/tap.h"

#define FLOW "local flow = require \"ck.flow\"\n"
#define DELEGATE(id, fields) FLOW_CALL(id, "delegate", "{" fields "}")
#define FINISH(id, result) FLOW_CALL(id, "finish", "{\"result\":\"" result "\"}")
#define NOTE(id, text) FLOW_CALL(id, "note", "{\"text\":\"" text "\"}")
#define LOOK(id) FLOW_CALL(id, "look", "\"{}\"")

/* What each scope's model says, one after the other. */
typedef struct part {
  const char *scope;
  const char *says[8];
} part;

static const part *script;
static ck_buffer asked; /* the last message that each model call was sent, by scope */
static int bad_wires;

static const char *model_says(const ck_effect *effect) {
  size_t turn = wire_turns(effect->conversation);
  bad_wires += !wire_is_valid(effect->conversation);
  size_t count = ck_conversation_count(effect->conversation);
  ck_bytes last =
      count ? ck_value_bytes(ck_conversation_get(effect->conversation, count - 1)) : (ck_bytes){0};
  ck_buffer_append_format(&asked, "%s: %.*s\n", effect->scope, (int)last.len, last.data);
  for (const part *one = script; one->scope; one++)
    if (strcmp(one->scope, effect->scope) == 0) return turn < 8 ? one->says[turn] : NULL;
  return NULL;
}

static const char *answer(void *to, const ck_effect *effect) {
  (void)to;
  return effect->kind == CK_EFFECT_MODEL ? model_says(effect) : "\"seen\"";
}

/* Behind a rewind turns cannot be told by what is left of them. */
static const char *answer_exploring(void *to, const ck_effect *effect) {
  if (effect->kind == CK_EFFECT_READ) return "1769850307042";
  size_t count = effect->kind == CK_EFFECT_MODEL ? ck_conversation_count(effect->conversation) : 0;
  bool reported =
      count && strstr(ck_value_bytes(ck_conversation_get(effect->conversation, count - 1)).data,
                      "All is well.");
  bool cost = effect->kind == CK_EFFECT_MODEL && strcmp(effect->scope, "main.agent.cost") == 0;
  if (reported) return FLOW_CALLS(FINISH("8", "done"));
  if (cost && count &&
      strstr(ck_value_bytes(ck_conversation_get(effect->conversation, count - 1)).data,
             "<system-warning>"))
    return FLOW_CALLS(FLOW_CALL("9", "rewind", "{\"report\":\"cost is well\"}"));
  return answer(to, effect);
}

static flow_run open_run(const char *text) {
  flow_run run = {.answer = answer, .input = "{\"input\":\"Shall we?\"}"};
  ck_buffer_reset(&asked);
  flow_run_open(&run, flow_file(text));
  return run;
}

#define AGENTS                                                                                     \
  "agents = { cost = flow.agent { prompt = \"You count.\", tools = { look = \"once\" } }, risk = " \
  "flow.agent { prompt = \"You doubt.\" },\n"                                                      \
  "  law = flow.agent { prompt = \"You cite.\" } }"
#define ROUNDS(fields)                                                                             \
  FLOW                                                                                             \
      "return flow.rounds { orchestrator = flow.agent { prompt = \"You lead.\" },\n" AGENTS fields \
      " }\n"

static void is_result(flow_run *run, const char *want, const char *promise) {
  tap_is_int(flow_run_finish(run), CK_SESSION_COMPLETED, "%s: it ends: %s", promise,
             run->result.text);
  tap_is_text(flow_run_result(run), want, "%s", promise);
}

/* ---- a deliberation with everything ---- */

static const part whole[] = {
    {"main",
     {FLOW_CALLS(DELEGATE("1", "\"parallel\":[\"cost\",\"risk\"],\"message\":\"What of it?\"")),
      FLOW_CALLS(DELEGATE("2", "\"target\":\"law\",\"message\":\"May we?\"") "," DELEGATE(
          "3", "\"sequential\":[\"risk\",\"cost\"],\"message\":\"And now?\"")),
      FLOW_CALLS(FINISH("4", "Do it."))}},
    {"main.agent.cost",
     {FLOW_CALLS(LOOK("a") "," NOTE("b", "dear")), FLOW_SAYS("It costs 5."),
      FLOW_SAYS("Still 5.")}},
    {"main.agent.risk", {FLOW_SAYS("Little risk."), FLOW_SAYS("No risk.")}},
    {"main.agent.law", {FLOW_SAYS("We may.")}},
    {0},
};

static void test_whole(void) {
  script = whole;
  flow_run run = open_run(ROUNDS(""));
  is_result(&run, "{\"result\":\"Do it.\",\"rounds\":2}",
            "an orchestrator delegates, hears, and finishes");
  tap_ok(strstr(asked.data, "main.agent.cost: {\"role\":\"user\",\"content\":\"What of it?\"}\n") !=
             NULL,
         "an agent is given the message");
  tap_ok(strstr(asked.data,
                "main: "
                "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"name\":\"delegate\","
                "\"content\":\"[cost]\\nIt costs 5.\\n\\n[risk]\\nLittle risk.\"}\n") != NULL,
         "the answers of agents that were asked together come as one, in their order");
  tap_ok(strstr(asked.data, "main.agent.cost: {\"role\":\"user\",\"content\":\"And "
                            "now?\\n\\n[risk]\\nNo risk.\"}\n") != NULL,
         "in a sequence each hears those before");
  tap_ok(strstr(asked.data, "main: "
                            "{\"role\":\"tool\",\"tool_call_id\":\"3\",\"name\":\"delegate\","
                            "\"content\":\"[risk]\\nNo risk.\\n\\n[cost]\\nStill 5.\"}\n") != NULL,
         "and all are heard");
  tap_is_text(flow_run_get(&run, "rounds.completed"), "2", "rounds are counted in the state");
  tap_is_text(flow_run_get(&run, "scratch.cost"), "{\"notes\":[\"dear\"]}",
              "a note is on the pad of the agent");
  tap_is_text(flow_run_get(&run, "position.main.agent.cost"), "nothing", "no scope is left");
  const char *events = flow_run_events(&run, CK_EVENT_DELEGATION);
  tap_is_text(events,
              "main orchestrator {\"id\":\"1.1\",\"message\":\"What of "
              "it?\",\"parallel\":[\"cost\",\"risk\"]}\n"
              "main orchestrator {\"id\":\"2.1\",\"message\":\"May we?\",\"target\":\"law\"}\n"
              "main orchestrator {\"id\":\"2.2\",\"message\":\"And "
              "now?\",\"sequential\":[\"risk\",\"cost\"]}\n",
              "each delegation is in the transcript");
  tap_ok(strstr(flow_run_marks(&run), "round_complete main") != NULL,
         "a round's end is a boundary");
  tap_is_int(run.most_under_way, 2, "agents that are asked together work at the same time");
  tap_is_int(bad_wires, 0, "every request is valid on the wire");
  flow_run_close(&run);
}

/* Through kills and pauses; each run is a little longer. */
static void live_on(flow_run *run, int moves) {
  for (int run_index = 0; run_index < 200; run_index++)
    if (flow_run_once(run, moves + run_index) && run->result.status != CK_SESSION_PAUSED) return;
}

static void test_deaths(const char *text, const char *promise) {
  const char *path = flow_file(text);
  enum { MOVES = 24, SEEDS = 2 };
  int wrong = 0, runs = 0;
  flow_run all = {.answer = answer, .input = "{\"input\":\"Shall we?\"}"};
  flow_run_open(&all, path);
  live_on(&all, 1000);
  char *want = strdup(flow_run_result(&all)), *pad = strdup(flow_run_get(&all, "scratch.cost"));
  for (int step = 0; step <= MOVES; step++) {
    for (int seed = 0; seed < 2 * SEEDS; seed++) {
      flow_run run = {.answer = answer,
                      .input = "{\"input\":\"Shall we?\"}",
                      .no_checkpoints = seed % 2 == 1,
                      .random = (uint64_t)(seed / 2)};
      flow_run_open(&run, path);
      live_on(&run, step);
      bool good = run.result.status == CK_SESSION_COMPLETED && flow_run_twice(&run) == 0 &&
                  strcmp(flow_run_result(&run), want) == 0 &&
                  strcmp(flow_run_get(&run, "scratch.cost"), pad) == 0;
      if (!good)
        tap_diag("after %d moves, seed %d: %s %s; %d twice\n%s", step, seed, run.result.text,
                 flow_run_result(&run), flow_run_twice(&run), flow_run_log(&run));
      wrong += !good;
      runs += run.runs;
      flow_run_close(&run);
    }
  }
  tap_is_int(
      wrong, 0,
      "%s: it is killed after each of %d moves, runs %d times, does nothing twice and comes to "
      "the same",
      promise, MOVES, runs);
  tap_is_int(bad_wires, 0, "and every request was valid on the wire");
  free(want);
  free(pad);
  flow_run_close(&all);
}

/* ---- what a model gets wrong ---- */

static void test_refusals(void) {
  static const part bad[] = {
      {"main",
       {FLOW_CALLS(DELEGATE("1", "\"target\":\"tax\",\"message\":\"m\"") "," DELEGATE(
            "2", "\"message\":\"m\"") "," DELEGATE("3", "\"target\":\"law\",\"parallel\":[\"risk\"]"
                                                        ",\"message\":\"m\"")),
        FLOW_CALLS(DELEGATE("4", "\"target\":\"law\",\"message\":\"m\"") "," DELEGATE(
            "5",
            "\"parallel\":[\"risk\",\"law\"],\"message\":\"m\"") "," DELEGATE("6",
                                                                              "\"parallel\":[],"
                                                                              "\"message\":\"m\"")),
        FLOW_CALLS(DELEGATE("7", "\"target\":\"law\",\"message\":\"m\"") "," FINISH(
            "8", "a") "," FINISH("9", "b"))}},
      {"main.agent.law", {FLOW_SAYS("law"), FLOW_SAYS("never")}},
      {0},
  };
  script = bad;
  flow_run run = open_run(ROUNDS(""));
  is_result(&run, "{\"result\":\"a\",\"rounds\":1}", "the first finish is the one");
  const char *log = flow_run_messages(&run, "main");
  tap_ok(strstr(log, "Error: there is no agent 'tax' here, only: cost, law, risk") != NULL,
         "an agent that is not there");
  tap_ok(strstr(log, "Error: say whom: target, targets, parallel or sequential") != NULL, "nobody");
  tap_ok(strstr(log, "Error: give one of target, targets, parallel and sequential, not 'target' "
                     "and 'parallel'") != NULL,
         "two ways at once");
  tap_ok(
      strstr(log, "Error: the agent 'law' is asked already: ask it again when it has answered") !=
          NULL,
      "an agent that is asked already");
  tap_ok(strstr(log, "Error: 'parallel' must be the name of an agent, or a list of names") != NULL,
         "an empty list");
  tap_ok(strstr(log, "Not run: finish was called in the same message.") != NULL,
         "a delegation beside finish costs nothing");
  tap_ok(strstr(log, "Already finished.") != NULL, "a second finish");
  tap_is_text(flow_run_get(&run, "rounds.completed"), "1",
              "a turn whose delegations are all refused is no round");
  flow_run_close(&run);
}

static void test_limit(void) {
  static const part again[] = {
      {"main",
       {FLOW_CALLS(DELEGATE("1", "\"target\":\"law\",\"message\":\"m\"")),
        FLOW_CALLS(DELEGATE("2", "\"target\":\"law\",\"message\":\"m\"")),
        FLOW_CALLS(DELEGATE("3", "\"target\":\"law\",\"message\":\"m\"")), FLOW_SAYS("Enough.")}},
      {"main.agent.law", {FLOW_SAYS("one"), FLOW_SAYS("two"), FLOW_SAYS("never")}},
      {0},
  };
  script = again;
  flow_run run = open_run(ROUNDS(", rounds = 2"));
  is_result(&run, "{\"result\":\"Enough.\",\"rounds\":2}",
            "after the last round the orchestrator has the word");
  tap_ok(strstr(asked.data, "main: {\"role\":\"user\",\"content\":\"That was the last of 2 rounds. "
                            "Call finish with your conclusion.\"}") != NULL,
         "it is told so");
  tap_ok(strstr(flow_run_messages(&run, "main"),
                "No rounds are left: call finish with your conclusion.") != NULL,
         "and can delegate no more");
  tap_ok(strstr(flow_run_messages(&run, "main.agent.law"),
                "\"content\":\"one\"}\n{\"role\":\"user\",\"content\":\"m\"}\n") != NULL,
         "an agent's conversation goes on when it is asked again");
  flow_run_close(&run);
}

/* ---- agents that delegate ---- */

static void test_nested(void) {
  static const part nested[] = {
      {"main",
       {FLOW_CALLS(DELEGATE("1", "\"target\":\"cost\",\"message\":\"top\"")),
        FLOW_CALLS(FINISH("2", "ok"))}},
      {"main.agent.cost",
       {FLOW_CALLS(DELEGATE("3", "\"target\":\"law\",\"message\":\"down\"")),
        FLOW_CALLS(DELEGATE("4", "\"target\":\"risk\",\"message\":\"m\"")),
        FLOW_SAYS("cost says")}},
      {"main.agent.cost.agent.law",
       {FLOW_CALLS(DELEGATE("5", "\"target\":\"risk\",\"message\":\"deeper\"")),
        FLOW_SAYS("law says")}},
      {0},
  };
  script = nested;
  const char *text =
      ROUNDS(", delegates = { cost = { \"law\" }, law = { \"risk\" } }, max_depth = 1");
  flow_run run = open_run(text);
  is_result(&run, "{\"result\":\"ok\",\"rounds\":1}", "an agent that may delegates too");
  tap_ok(strstr(flow_run_messages(&run, "main.agent.cost.agent.law"),
                "Delegation refused: depth 1 is the deepest that max_depth allows.") != NULL,
         "no deeper than max_depth");
  tap_ok(strstr(flow_run_messages(&run, "main.agent.cost"),
                "Error: there is no agent 'risk' here, only: law") != NULL,
         "and to those only that it may ask");
  tap_is_text(flow_run_events(&run, CK_EVENT_DELEGATION),
              "main orchestrator {\"id\":\"1.1\",\"message\":\"top\",\"target\":\"cost\"}\n"
              "main.agent.cost cost {\"id\":\"1.1/1.1\",\"message\":\"down\",\"target\":\"law\"}\n",
              "below the delegation it comes from");
  flow_run_close(&run);
  test_deaths(text, "delegations below delegations");
}

/* ---- ids of delegations ---- */

/* Each of several that were asked under one id delegates itself, in turns of the same number. */
static void test_ids(void) {
  static const part both[] = {
      {"main",
       {FLOW_CALLS(DELEGATE("1", "\"parallel\":[\"cost\",\"law\"],\"message\":\"m\"")),
        FLOW_CALLS(FINISH("2", "ok"))}},
      {"main.agent.cost",
       {FLOW_CALLS(DELEGATE("3", "\"target\":\"risk\",\"message\":\"a\"")), FLOW_SAYS("one")}},
      {"main.agent.law",
       {FLOW_CALLS(DELEGATE("4", "\"target\":\"risk\",\"message\":\"b\"")), FLOW_SAYS("two")}},
      {"main.agent.cost.agent.risk", {FLOW_SAYS("low")}},
      {"main.agent.law.agent.risk", {FLOW_SAYS("high")}},
      {0},
  };
  script = both;
  const char *text = ROUNDS(", delegates = { cost = { \"risk\" }, law = { \"risk\" } }");
  flow_run run = open_run(text);
  is_result(&run, "{\"result\":\"ok\",\"rounds\":1}", "two delegate side by side");
  const char *events = flow_run_events(&run, CK_EVENT_DELEGATION);
  tap_ok(strstr(events, "main.agent.cost cost {\"id\":\"1.1/cost/1.1\"") != NULL &&
             strstr(events, "main.agent.law law {\"id\":\"1.1/law/1.1\"") != NULL,
         "each under an id of its own: %s", events);
  flow_run_close(&run);
  test_deaths(text, "ids of delegations side by side");
}

/* ---- an agent that works in two scopes at once ---- */

static void test_two_scopes(void) {
  static const part twice[] = {
      {"main",
       {FLOW_CALLS(DELEGATE("1", "\"parallel\":[\"cost\",\"law\"],\"message\":\"m\"")),
        FLOW_CALLS(DELEGATE("2", "\"sequential\":[\"law\",\"cost\"],\"message\":\"m\"")),
        FLOW_CALLS(FINISH("3", "ok"))}},
      {"main.agent.cost",
       {FLOW_CALLS(NOTE("a", "c1")), FLOW_SAYS("one"), FLOW_CALLS(NOTE("b", "same")),
        FLOW_SAYS("two")}},
      {"main.agent.law",
       {FLOW_CALLS(NOTE("c", "l1") "," DELEGATE("4", "\"target\":\"cost\",\"message\":\"n\"")),
        FLOW_SAYS("one"), FLOW_CALLS(DELEGATE("5", "\"target\":\"cost\",\"message\":\"n\"")),
        FLOW_SAYS("two")}},
      {"main.agent.law.agent.cost",
       {FLOW_CALLS(NOTE("d", "c2") "," DELEGATE("6", "\"target\":\"law\",\"message\":\"o\"")),
        FLOW_SAYS("one"), FLOW_CALLS(NOTE("e", "same")), FLOW_SAYS("two")}},
      {"main.agent.law.agent.cost.agent.law", {FLOW_CALLS(NOTE("f", "l2")), FLOW_SAYS("one")}},
      {0},
  };
  const char *text =
      ROUNDS(", delegates = { law = { \"cost\" }, cost = { \"law\" } }, max_depth = 3");
  script = twice;
  flow_run run = open_run(text);
  is_result(&run, "{\"result\":\"ok\",\"rounds\":2}", "agents ask each other");
  tap_is_text(flow_run_get(&run, "scratch.cost"), "{\"notes\":[\"c1\",\"c2\",\"same\",\"same\"]}",
              "the notes of both scopes of an agent are kept");
  tap_is_text(flow_run_get(&run, "scratch.law"), "{\"notes\":[\"l1\",\"l2\"]}",
              "also when one is below the other");
  flow_run_close(&run);
  test_deaths(text, "an agent in two scopes at once");
}

/* ---- explorations ---- */

static void test_exploring(void) {
  static const part exploring[] = {
      {"main",
       {FLOW_CALLS(FLOW_CALL("1", "checkpoint", "{\"goal\":\"g\"}")),
        FLOW_CALLS(DELEGATE("2", "\"parallel\":[\"cost\",\"law\"],\"message\":\"m\"")),
        FLOW_CALLS(FINISH("3", "too early")),
        FLOW_CALLS(FLOW_CALL("4", "rewind", "{\"report\":\"All is well.\"}")), 0}},
      {"main.agent.cost",
       {FLOW_CALLS(FLOW_CALL("5", "checkpoint", "{\"goal\":\"h\"}")),
        FLOW_CALLS(DELEGATE("6", "\"target\":\"risk\",\"message\":\"n\"")), FLOW_SAYS("cost")}},
      {"main.agent.cost.agent.risk",
       {FLOW_CALLS(FLOW_CALL("7", "checkpoint", "{\"goal\":\"i\"}")), FLOW_SAYS("risk")}},
      {"main.agent.law", {FLOW_SAYS("law")}},
      {0},
  };
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "explore", &err) == CK_OK, "a profile");
  profile->checkpoint_tool = true;
  script = exploring;
  flow_run run = {
      .answer = answer_exploring, .input = "{\"input\":\"Shall we?\"}", .profile = profile};
  flow_run_open(&run, flow_file(ROUNDS(", delegates = { cost = { \"risk\" } }, max_depth = 1")));
  is_result(&run, "{\"result\":\"done\",\"rounds\":1}", "an orchestrator explores by delegating");
  const char *messages = flow_run_messages(&run, "main");
  tap_ok(strstr(messages, "{\"role\":\"user\",\"content\":\"<rewind-report>\\nAll is well.\\n"
                          "</rewind-report>\"}\n") &&
             !strstr(messages, "delegate"),
         "what came of it is left");
  tap_ok(strstr(flow_run_events(&run, CK_EVENT_MESSAGE),
                "<system-warning>You are in an active checkpoint.") != NULL,
         "it cannot finish in between");
  tap_ok(strstr(flow_run_messages(&run, "main.agent.cost"),
                "Checkpoint not available in subagents.") != NULL,
         "an agent that the orchestrator asks is a subagent");
  tap_ok(strstr(flow_run_messages(&run, "main.agent.cost.agent.risk"),
                "Checkpoint not available in subagents.") != NULL,
         "so is one below it");
  tap_is_int(bad_wires, 0, "every request is valid on the wire");
  flow_run_close(&run);
  ck_profile_free(profile);
}

/* ---- a function that orchestrates ---- */

#define BY_FUNCTION                                                                                \
  FLOW "return flow.rounds { name = \"panel\", rounds = 3, " AGENTS ",\n"                          \
       "  gate = function(ctx, done, resumed)\n"                                                   \
       "    if done == 1 and not resumed then return \"look at it\" end\n  end,\n"                 \
       "  orchestrator = function(ctx, round, ask)\n"                                              \
       "    local heard = ask { parallel = { \"cost\", \"risk\" }, message = \"round \" .. round " \
       "}\n"                                                                                       \
       "    ctx.memory:append(\"heard\", heard)\n"                                                 \
       "    if heard.risk == \"No risk.\" then return heard.cost end\n"                            \
       "  end }\n"

static void test_function(void) {
  static const part two[] = {
      {"main.agent.cost", {FLOW_CALLS(LOOK("1")), FLOW_SAYS("5"), FLOW_SAYS("4")}},
      {"main.agent.risk", {FLOW_SAYS("Some."), FLOW_SAYS("No risk.")}},
      {0},
  };
  script = two;
  flow_run run = open_run(BY_FUNCTION);
  tap_is_int(flow_run_finish(&run), CK_SESSION_PAUSED, "a gate pauses between rounds");
  tap_is_text(run.result.text, "look at it", "with its reason");
  is_result(&run, "{\"result\":\"4\",\"rounds\":2}",
            "and once only; a function orchestrates until it gives a result");
  tap_is_text(flow_run_get(&run, "memory.heard"),
              "[{\"cost\":\"5\",\"risk\":\"Some.\"},{\"cost\":\"4\",\"risk\":\"No risk.\"}]",
              "it hears the answers by agent");
  flow_run_close(&run);
  test_deaths(BY_FUNCTION, "a function that orchestrates");
}

static void test_failures(void) {
  static const part none[] = {{"main.agent.risk", {FLOW_SAYS("fine")}}, {0}};
  script = none;
  flow_run wrong = open_run(
      FLOW
      "return flow.rounds { " AGENTS
      ", orchestrator = function(_, _, ask) ask { target = \"tax\", message = \"m\" } end }\n");
  tap_is_int(flow_run_finish(&wrong), CK_SESSION_FAILED,
             "a function that asks nobody who is there fails the session");
  tap_ok(strstr(wrong.result.text,
                "a delegation: there is no agent 'tax' here, only: cost, law, risk") != NULL,
         "by name: %s", wrong.result.text);
  flow_run_close(&wrong);
  flow_run broken =
      open_run(FLOW "return flow.rounds { agents = { risk = flow.agent {}, bad = flow.agent { "
                    "prompt = function() error(\"no prompt\", 0) end } },\n"
                    "orchestrator = function(_, _, ask) return ask { targets = { \"bad\", \"risk\" "
                    "}, message = \"m\" } end }\n");
  is_result(&broken,
            "{\"result\":{\"bad\":\"bad failed: no prompt\",\"risk\":\"fine\"},\"rounds\":1}",
            "an agent that fails is an answer, not the end of the others");
  flow_run_close(&broken);
}

static void test_definitions(void) {
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {"return flow.rounds { agents = { a = flow.agent {} } }", "flow.rounds needs 'orchestrator'"},
      {"return flow.rounds { orchestrator = flow.agent {} }", "flow.rounds needs 'agents'"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = {} }",
       "'agents' must be a table of NAME = flow.agent{…} with at least one"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { [\"a b\"] = flow.agent {} } "
       "}",
       "'a b' cannot name an agent"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { a = flow.ask {} } }",
       "'a' must be flow.agent{…}"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { a = flow.agent { user = "
       "flow.ask {} } } }",
       "'a' cannot have a user"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { a = flow.node { flow.agent "
       "{}, retry = { times = 2 } } } }",
       "'a' cannot have 'retry', which is of a node of a graph"},
      {"return flow.rounds { orchestrator = flow.node { flow.agent {}, on_error = \"x\" }, agents "
       "= { a = flow.agent {} } }",
       "cannot have 'on_error', which is of a node of a graph"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { a = flow.node { flow.agent "
       "{}, writes = { \"x\" } } } }",
       "'a' cannot have 'writes', which is of a node of a graph"},
      {"return flow.rounds { orchestrator = flow.agent { name = \"a\" }, agents = { a = flow.agent "
       "{} } }",
       "orchestrator and agent are both called 'a'"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { a = flow.agent {} }, "
       "delegates = { b = { \"a\" } } }",
       "delegates: there is no agent 'b'; did you mean 'a'?"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { ab = flow.agent {} }, "
       "delegates = { ab = { \"ba\" } } }",
       "delegates: 'ab' names 'ba', which is no agent; did you mean 'ab'?"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { a = flow.agent {} }, round = "
       "2 }",
       "flow.rounds has no field 'round'; did you mean 'rounds'?"},
      {"return flow.rounds { orchestrator = flow.agent {}, agents = { a = flow.agent {} }, rounds "
       "= 0 }",
       "'rounds' must be a whole number from 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_flow_engine *engine;
    ck_flow *flow;
    ck_error err = CK_ERROR_INIT;
    ck_buffer text = {0};
    ck_buffer_append_format(&text, FLOW "%s\n", cases[i].text);
    tap_must(ck_flow_engine_new(&engine, NULL, &err) == CK_OK, "an engine");
    tap_is_status(engine->load(&flow, engine->self, flow_file(text.data), &err), CK_E_PARSE, &err,
                  "%s is refused", cases[i].text);
    tap_ok(strstr(err.text, cases[i].problem) != NULL, "with: %s (%s)", cases[i].problem, err.text);
    engine->unload(flow);
    engine->free(engine->self);
    ck_buffer_clear(&text);
  }
}

int main(void) {
  test_whole();
  test_deaths(ROUNDS(""), "a deliberation");
  test_refusals();
  test_limit();
  test_nested();
  test_ids();
  test_two_scopes();
  test_exploring();
  test_function();
  test_failures();
  test_definitions();
  ck_buffer_clear(&asked);
  return tap_done();
}
