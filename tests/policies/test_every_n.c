/* test_every_n.c - each n-th boundary since the last checkpoint, whoever took that one. */
#include "tests/policies/policy_case.h"
#include "tests/tap.h"

enum { BOUNDARIES = 20 };

/* `foreign`: the boundary at which another policy takes a checkpoint; -1: none. */
static void check_walk(const char *options, int foreign, const char *want) {
  ck_policy_engine engine = policy_case_open("every_n", options);
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  int64_t last = 0;
  char taken[BOUNDARIES + 1] = "";
  for (int i = 0; i < BOUNDARIES; i++) {
    ck_boundary at = {.kind = CK_BOUNDARY_TOOL_ROUND, .scope = "main", .seq = 7 * i + 5};
    at.since.events = at.seq - 1 - last;
    tap_must(engine.checkpoint(&decision, engine.self, &at, &err) == CK_OK, "a boundary: %s",
             err.text);
    taken[i] = decision.take ? 'x' : '.';
    if (decision.take || i == foreign) last = at.seq;
    ck_decision_clear(&decision);
  }
  tap_is_text(taken, want, "every_n %s", options ? options : "");
  engine.free(engine.self);
}

int main(void) {
  check_walk(NULL, -1, ".........x.........x");
  check_walk("{\"n\":4}", -1, "...x...x...x...x...x");
  check_walk("{\"n\":4}", 5, "...x.....x...x...x..");
  check_walk("{\"n\":1}", -1, "xxxxxxxxxxxxxxxxxxxx");
  check_walk("{\"n\":100}", -1, "....................");
  return tap_done();
}
