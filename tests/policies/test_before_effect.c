/* test_before_effect.c - an effect that cannot be repeated finds a durable checkpoint behind it. */
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
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND}, NULL},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .effect_class = CK_EFFECT_ONCE}},
     "!before send"},
    {NULL,
     {.kind = CK_BOUNDARY_NODE_START,
      .next = {.node = "n", .has_class = true, .effect_class = CK_EFFECT_ONCE}},
     "!before n"},
    {NULL,
     {.kind = CK_BOUNDARY_NODE_START, .next = {.has_class = true, .effect_class = CK_EFFECT_ONCE}},
     "!before once"},
    {NULL,
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .effect_class = CK_EFFECT_IDEMPOTENT}},
     NULL},
    {NULL, {.kind = CK_BOUNDARY_TOOL_ROUND, .next = {.tool = "send"}}, NULL},
    {"{\"async\":true}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "send", .has_class = true, .effect_class = CK_EFFECT_ONCE}},
     "before send"},
    {"{\"classes\":[\"once\",\"reconcilable\"]}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "pay", .has_class = true, .effect_class = CK_EFFECT_RECONCILABLE}},
     "!before pay"},
    {"{\"classes\":[\"reconcilable\"]}",
     {.kind = CK_BOUNDARY_TOOL_ROUND,
      .next = {.tool = "pay", .has_class = true, .effect_class = CK_EFFECT_ONCE}},
     NULL},
    /* between an answer and its calls: all of them count, not the next alone */
    {NULL, BEFORE("pay", CK_EFFECT_RECONCILABLE), NULL},
    {NULL, BEFORE("send", CK_EFFECT_ONCE), "!before send"},
    {"{\"classes\":[\"reconcilable\"]}", BEFORE("send", CK_EFFECT_ONCE), "!before pay"},
    {"{\"classes\":[\"pure\"]}", BEFORE("pay", CK_EFFECT_RECONCILABLE), "!before look"},
    {"{\"classes\":[\"idempotent\"]}", BEFORE("pay", CK_EFFECT_RECONCILABLE), NULL},
};

int main(void) {
  policy_case_earlier("before_effect",
                      "18a895160fda1784c504293c67b53ba873b699f834819103042a953d984b3edd");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_boundary("before_effect", &rows[i]);
  return tap_done();
}
