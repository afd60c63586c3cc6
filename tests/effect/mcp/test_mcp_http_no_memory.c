/* test_mcp_http_no_memory.c - whichever allocation of a call to an MCP server over HTTP fails, it
 * says so, delivers once, does nothing twice and leaks nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/effect/mcp/http_fixture.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 3000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

typedef struct keep {
  ck_effect_sink sink;
  ck_outcome *outcome;
  int delivered;
} keep;

static ck_loop *loop;
static int broken; /* promises that did not hold after a failure */

static void on_update(ck_effect_sink *sink, ck_bytes chunk) { (void)sink, (void)chunk; }

static void on_done(ck_effect_sink *sink, ck_outcome *outcome) {
  keep *self = (keep *)sink;
  self->delivered++;
  self->outcome = outcome;
  ck_loop_stop(loop);
}

/* True when the outcome is the answer; else it has a reason. */
static bool use(http_fixture *it) {
  keep to = {.sink = {.update = on_update, .done = on_done}};
  ck_effect_driver *driver = NULL;
  ck_effect_run *run;
  bool right = ck_mcp_driver_new(&driver, &it->mcp.options, NULL) == CK_OK;
  right = right && driver->start(&run, driver->self, &it->mcp.effect, &to.sink, NULL) == CK_OK;
  while (right && !to.delivered) ck_loop_run(loop);
  if (driver) driver->free(driver->self);
  if (!right) return false;
  broken += to.delivered != 1;
  right = to.outcome->status == CK_OUTCOME_OK;
  if (right)
    broken += !to.outcome->result || !strstr(ck_value_bytes(to.outcome->result).data, "it");
  else
    broken += !to.outcome->error;
  ck_outcome_free(to.outcome);
  return right;
}

/* A call's own text shows how often it was made, however late its server says so. */
static void set_call(http_fixture *it, long number) {
  char arguments[120];
  snprintf(arguments, sizeof arguments,
           "{\"text\":\"it%ld\",\"events\":true,\"ids\":true,\"progress\":1,\"polls\":1,"
           "\"retry\":1}",
           number);
  mcp_fixture_set(&it->mcp, CK_EFFECT_ONCE, "do", arguments);
}

static int count_most(const http_fixture *it, long calls) {
  int most = 0;
  for (long i = 0; i < calls; i++) {
    char line[32];
    snprintf(line, sizeof line, "it%ld\n", i);
    int count = http_fixture_count(it, "done", line);
    most = count > most ? count : most;
  }
  return most;
}

int main(void) {
  http_fixture it;
  long allowed = 0;
  bool right = false;
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  http_fixture_begin(&it, loop);
  while (allowed < ALLOCATIONS_MAX && !right) {
    set_call(&it, allowed);
    budget = allowed++;
    right = use(&it) && budget > 0;
    budget = -1;
  }
  tap_ok(right && allowed > 20, "with %ld allocations it is done", allowed);
  tap_is_int(broken, 0, "with fewer, it says so");
  tap_is_int(count_most(&it, allowed), 1, "each call was made once at most");
  http_fixture_end(&it);
  ck_loop_free(loop);
  return tap_done();
}
