/* test_keep_recent.c - the newest stay, the rest goes. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const policy_prune_case rows[] = {
    {NULL, 9, {{.created_ms = 1}, {.created_ms = 2}}, ".."},
    {NULL, 9, {{0}}, ""},
    {"{\"count\":2}",
     9,
     {{.created_ms = 1}, {.created_ms = 2}, {.created_ms = 3}, {.created_ms = 4}},
     "dd.."},
    {"{\"count\":2,\"protect\":true}",
     9,
     {{.created_ms = 1}, {.created_ms = 2}, {.created_ms = 3}, {.created_ms = 4}},
     "ddkk"},
    {"{\"count\":0}", 9, {{.created_ms = 1}, {.created_ms = 2}}, "dd"},
    /* By place in the history, never by the clock. */
    {"{\"count\":1}", 9, {{.created_ms = 5}, {.created_ms = 2}}, "d."},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_prune("keep_recent", &rows[i]);
  return tap_done();
}
