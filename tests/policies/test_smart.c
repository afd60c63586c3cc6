/* test_smart.c - what would hurt to lose is checkpointed, what would not is left. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

#define CALLS                                                                                \
  "[{\"tool\":\"look\",\"class\":\"pure\"},{\"tool\":\"note\"},{\"tool\":\"pay\",\"class\":" \
  "\"reconcilable\"}]"
#define BEFORE(next_tool, next_class)                                                      \
  {                                                                                        \
    .kind = CK_BOUNDARY_BEFORE_CALL,                                                       \
    .next = {.tool = next_tool, .has_class = true, .effect_class = next_class}, .calls = { \
      CALLS,                                                                               \
      sizeof CALLS - 1                                                                     \
    }                                                                                      \
  }

static const policy_boundary_case rows[] = {
    {NULL, {.kind = CK_BOUNDARY_NODE_COMPLETE}, NULL},
    {NULL, {.kind = CK_BOUNDARY_NODE_COMPLETE, .node_latency_ms = 30000}, NULL},
    {NULL, {.kind = CK_BOUNDARY_NODE_COMPLETE, .node_latency_ms = 30001}, "slow: 30001 ms"},
    {"{\"slow_ms\":5}", {.kind = CK_BOUNDARY_TOOL_ROUND, .node_latency_ms = 6}, "slow: 6 ms"},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .since = {.changed_keys = 10}}, NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .since = {.changed_keys = 11}}, "11 changed keys"},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .since = {.cost_micros = 249999}}, NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND, .since = {.cost_micros = 250000}},
     "0.25 dollars at stake"},
    {"{\"usd\":0}", {.kind = CK_BOUNDARY_TOOL_ROUND}, NULL},
    {"{\"usd\":0}",
     {.kind = CK_BOUNDARY_TOOL_ROUND, .since = {.cost_micros = 500000}},
     "0.5 dollars at stake"},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .effect_class = CK_EFFECT_ONCE}},
     "before send"},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.node = "mail", .has_class = true, .effect_class = CK_EFFECT_ONCE}},
     "before mail"},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND, .next = {.has_class = true, .effect_class = CK_EFFECT_ONCE}},
     "before once"},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "look", .has_class = true, .effect_class = CK_EFFECT_PURE}},
     NULL},
    {"{\"classes\":[]}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .effect_class = CK_EFFECT_ONCE}},
     NULL},
    {"{\"risky\":[\"look\"]}",
     {.kind = CK_BOUNDARY_TOOL_ROUND, .next = {.tool = "look", .has_class = true}},
     "before look"},
    {"{\"risky\":[\"x\",\"deploy\"]}",
     {.kind = CK_BOUNDARY_NODE_COMPLETE, .next = {.node = "deploy"}},
     "before deploy"},
    {"{\"risky\":[\"deploy\"]}",
     {.kind = CK_BOUNDARY_NODE_COMPLETE, .next = {.node = "test"}},
     NULL},
    /* between an answer and its calls: all of them count, not the next alone */
    {NULL, BEFORE("pay", CK_EFFECT_RECONCILABLE), NULL},
    {NULL, BEFORE("send", CK_EFFECT_ONCE), "before send"},
    {"{\"risky\":[\"note\"]}", BEFORE("pay", CK_EFFECT_RECONCILABLE), "before note"},
    {"{\"classes\":[],\"risky\":[\"look\"]}", BEFORE("send", CK_EFFECT_ONCE), "before look"},
    {"{\"classes\":[\"reconcilable\"]}", BEFORE("send", CK_EFFECT_ONCE), "before pay"},
    {"{\"risky\":[\"deploy\"]}", BEFORE("pay", CK_EFFECT_RECONCILABLE), NULL},
};

int main(void) {
  policy_case_earlier("smart", "b8b25170a0097d6fd0eba90988010d3691ede356c43f72ebf2839551ed7c14f8");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) policy_case_boundary("smart", &rows[i]);
  return tap_done();
}
