/* test_before_effect.c - an effect that cannot be repeated finds a durable checkpoint behind it. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const policy_boundary_case rows[] = {
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND}, NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .class = CK_EFFECT_ONCE}},
     "!before send"},
    {NULL,
     {.kind = CK_BOUNDARY_NODE_START,
      .next = {.node = "n", .has_class = true, .class = CK_EFFECT_ONCE}},
     "!before n"},
    {NULL,
     {.kind = CK_BOUNDARY_NODE_START, .next = {.has_class = true, .class = CK_EFFECT_ONCE}},
     "!before once"},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .class = CK_EFFECT_IDEMPOTENT}},
     NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .next = {.tool = "send"}}, NULL},
    {"{\"async\":true}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .class = CK_EFFECT_ONCE}},
     "before send"},
    {"{\"classes\":[\"once\",\"reconcilable\"]}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "pay", .has_class = true, .class = CK_EFFECT_RECONCILABLE}},
     "!before pay"},
    {"{\"classes\":[\"reconcilable\"]}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "pay", .has_class = true, .class = CK_EFFECT_ONCE}},
     NULL},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_boundary("before_effect", &rows[i]);
  return tap_done();
}
