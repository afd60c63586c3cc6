/* test_flow_given.c - messages and events that a flow gives between two steps are bounded: they lie
 * outside of the Lua state, whose budget does not count them. */
#include <stdio.h>
#include <string.h>

#include "tests/clock.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define BIG "local big = (\"x\"):rep(1000000) for _ = 1, 3 do big = big .. big end "
#define TOO_MUCH                                                                       \
  "messages and events come to more than 64 MiB without a step between them, such as " \
  "ctx.boundary"

/* The error of the flow, or how its log ends. */
static void ends(const char *body, ck_status want, const char *with, const char *promise) {
  clock_steps still = {0};
  ck_clock clock = clock_of_steps(&still);
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(&driver, body, &clock);
  ck_status status = flow_driver_run(&driver, &err);
  const char *text = status == CK_OK ? flow_driver_log(&driver) : err.text;
  size_t len = strlen(text), end = strlen(with);
  bool same = status == want && len >= end && strcmp(text + len - end, with) == 0;
  if (!tap_ok(same, "%s", promise))
    tap_diag("status %d, ends with: %s", status, text + (len > 200 ? len - 200 : 0));
  flow_driver_clear(&driver);
}

int main(void) {
  ends(BIG "for n = 1, 100 do ctx.message(\"user\", big) end", CK_E_FLOW, ":1: " TOO_MUCH,
       "messages without a step between them are bounded");
  ends(BIG "for n = 1, 100 do ctx.event(\"note\", { t = big }) end", CK_E_FLOW, ":1: " TOO_MUCH,
       "events are");
  ends(BIG "for n = 1, 4 do ctx.message(\"user\", big) ctx.event(\"note\", { t = big }) end "
           "ctx.message(\"user\", big) ctx.message(\"user\", big)",
       CK_E_FLOW, ":1: " TOO_MUCH, "both together");
  ends(BIG "for n = 1, 20 do pcall(ctx.event, \"note\", { t = big }) end "
           "return select(2, pcall(ctx.message, \"user\", \"x\"))",
       CK_OK, "done \"" TOO_MUCH "\"\n", "a flow that catches the error adds nothing more");
  ends(BIG "for n = 1, 6 do ctx.message(\"user\", big) end "
           "ctx.boundary(\"tool_round\", { position = { path = \"p#1\" } }) "
           "for n = 1, 6 do ctx.message(\"user\", big) end return ctx.conversation_length()",
       CK_OK, "done 12\n", "with a step between them there may be more");
  return tap_done();
}
