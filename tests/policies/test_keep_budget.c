/* test_keep_budget.c - the newest that fit stay, without holes. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const policy_prune_case rows[] = {
    {NULL, 9, {{1, 50 << 20, false}, {2, 60 << 20, false}, {3, 30 << 20, false}}, "d.."},
    {"{\"bytes\":100}",
     9,
     {{1, 10, false}, {2, 60, false}, {3, 40, false}, {4, 30, false}, {5, 30, false}},
     "dd..."},
    {"{\"bytes\":100}", 9, {{1, 1, false}, {2, 200, false}, {3, 10, false}}, "dd."},
    {"{\"bytes\":100}", 9, {{1, 50, false}, {2, 50, false}}, ".."},
    {"{\"bytes\":0}", 9, {{1, 1, false}, {2, 0, false}}, "d."},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_prune("keep_budget", &rows[i]);
  return tap_done();
}
