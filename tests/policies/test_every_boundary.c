/* test_every_boundary.c - each kind of boundary obeys its own switch, loops their count. */
#include <stdio.h>

#include "tests/policies/policy_case.h"
#include "tests/tap.h"

#define AT(name) \
  { .kind = CK_BOUNDARY_##name }
static const policy_boundary_case rows[] = {
    {NULL, AT(NODE_START), "node_start"},
    {NULL, AT(NODE_COMPLETE), "node_complete"},
    {NULL, AT(EDGE_TRANSITION), NULL},
    {NULL, AT(LOOP_ITERATION), NULL},
    {NULL, AT(TOOL_ROUND), "tool_round"},
    {NULL, AT(ROUND_COMPLETE), "round_complete"},
    {NULL, AT(STEP_COMPLETE), "step_complete"},
    {NULL, AT(SAFE_POINT), "safe_point"},
    {NULL, AT(FAILURE), "failure"},
    {NULL, AT(PAUSE), NULL}, /* is always checkpointed, by nobody's leave */
    {"{\"on_edge\":true}", AT(EDGE_TRANSITION), "edge_transition"},
    {"{\"on_node_start\":false}", AT(NODE_START), NULL},
    {"{\"on_node_start\":false}", AT(NODE_COMPLETE), "node_complete"},
    {"{\"on_node_complete\":false}", AT(NODE_COMPLETE), NULL},
    {"{\"on_tool_round\":false}", AT(TOOL_ROUND), NULL},
    {"{\"on_round_complete\":false}", AT(ROUND_COMPLETE), NULL},
    {"{\"on_step_complete\":false}", AT(STEP_COMPLETE), NULL},
    {"{\"on_safe_point\":false}", AT(SAFE_POINT), NULL},
    {"{\"on_failure\":false}", AT(FAILURE), NULL},
    {"{\"async\":false}", AT(NODE_START), "!node_start"},
    {"{\"every_n_iterations\":1}", AT(LOOP_ITERATION), "loop_iteration"},
    {"{\"every_n_iterations\":2}", AT(LOOP_ITERATION), NULL},
    {"{\"every_n_iterations\":1}", AT(TOOL_ROUND), "tool_round"},
    {"{\"every_n_iterations\":2}", AT(TOOL_ROUND), NULL},
    {"{\"every_n_iterations\":2,\"on_tool_round\":false}", AT(TOOL_ROUND), NULL},
    {"{\"every_n_iterations\":1,\"on_tool_round\":false}", AT(TOOL_ROUND), "tool_round"},
};

/* Walks a loop whose checkpoints are taken when asked for; edges in between do not count. */
static void test_loop(void) {
  ck_policy_engine engine = policy_case_open("every_boundary", "{\"every_n_iterations\":3}");
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  int64_t last = 0;
  char taken[19] = "";
  for (int i = 0; i < 18; i++) {
    ck_boundary at = {.kind = i % 2 ? CK_BOUNDARY_LOOP_ITERATION : CK_BOUNDARY_EDGE_TRANSITION,
                      .scope = "main",
                      .seq = 3 * i + 3};
    at.since.events = at.seq - 1 - last;
    tap_must(engine.checkpoint(&decision, engine.self, &at, &err) == CK_OK, "a boundary: %s",
             err.text);
    taken[i] = decision.take ? 'x' : '.';
    if (decision.take) last = at.seq;
    ck_decision_clear(&decision);
  }
  tap_is_text(taken, ".....x.....x.....x",
              "every third iteration since the last checkpoint is taken");
  engine.free(engine.self);
}

/* An agent's turns, with tools and without: each is an iteration. */
static void test_turns(void) {
  ck_policy_engine engine = policy_case_open("every_boundary", "{\"every_n_iterations\":3}");
  ck_error err = CK_ERROR_INIT;
  int64_t last = 0;
  char taken[11] = "";
  for (int i = 0; i < 10; i++) {
    ck_decision decision;
    ck_boundary at = {.kind = i % 4 == 1 ? CK_BOUNDARY_LOOP_ITERATION : CK_BOUNDARY_TOOL_ROUND,
                      .scope = "main",
                      .agent = "ann",
                      .seq = 5 * i + 5};
    at.since.events = at.seq - 1 - last;
    tap_must(engine.checkpoint(&decision, engine.self, &at, &err) == CK_OK, "a turn: %s", err.text);
    taken[i] = decision.take ? 'x' : '.';
    if (decision.take) last = at.seq;
    ck_decision_clear(&decision);
  }
  tap_is_text(taken, "..x..x..x.", "every third turn of an agent is taken");
  engine.free(engine.self);
}

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_boundary("every_boundary", &rows[i]);
  test_loop();
  test_turns();
  return tap_done();
}
