/* test_keep_clean.c - a checkpoint after a retry or a failure goes unless it is the newest. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const policy_prune_case rows[] = {
    {NULL, 9, {{1, 0, false}, {2, 0, true}, {3, 0, false}, {4, 0, true}}, ".d.."},
    {NULL, 9, {{1, 0, true}}, "."},
    {"{\"recent\":0}", 9, {{1, 0, false}, {2, 0, true}, {3, 0, false}, {4, 0, true}}, ".d.d"},
    {"{\"recent\":3}", 9, {{1, 0, true}, {2, 0, true}, {3, 0, false}, {4, 0, true}}, "d..."},
};

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    policy_case_prune("keep_clean", &rows[i]);
  return tap_done();
}
