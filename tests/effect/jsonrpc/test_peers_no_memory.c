/* test_peers_no_memory.c - whichever allocation fails during calls of servers and agents, there is
 * one outcome, which is right or names the failure, and no leak. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/effect/acp/acp.h"
#include "core/effect/mcp/mcp.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 2000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

static ck_loop *loop;
static char server_path[1024], agent_path[1024];
static int broken; /* promises that did not hold after a failure */

typedef struct keep {
  ck_effect_sink sink;
  ck_outcome *outcome;
  int delivered;
} keep;

static void on_update(ck_effect_sink *sink, ck_bytes chunk) { (void)sink, (void)chunk; }

static void on_done(ck_effect_sink *sink, ck_outcome *outcome) {
  keep *self = (keep *)sink;
  self->delivered++;
  self->outcome = outcome;
  ck_loop_stop(loop);
}

/* True when the outcome is `want`, or another one that names its reason. */
static bool carry_out(const ck_effect_driver *driver, const ck_effect *effect, const char *want) {
  keep to = {.sink = {.update = on_update, .done = on_done}};
  ck_effect_run *run = NULL;
  ck_error err = CK_ERROR_INIT;
  if (driver->start(&run, driver->self, effect, &to.sink, &err) != CK_OK) return false;
  while (!to.delivered) ck_loop_run(loop);
  broken += to.delivered != 1;
  bool right = to.outcome->status == CK_OUTCOME_OK;
  if (right)
    broken += !to.outcome->result || !strstr(ck_value_bytes(to.outcome->result).data, want);
  else
    broken += !to.outcome->error;
  ck_outcome_free(to.outcome);
  return right;
}

static ck_effect effect_of(ck_effect_kind kind, const char *request) {
  return (ck_effect){.scope = "main",
                     .key = "k",
                     .attempt = 1,
                     .kind = kind,
                     .class = CK_EFFECT_ONCE,
                     .request = ck_bytes_text(request)};
}

static bool use_mcp(void) {
  const char *const argv[] = {server_path, NULL};
  const ck_process process = {.name = "box", .argv = argv};
  const ck_mcp_options options = {
      .service = {.loop = loop, .kill_ms = 50}, .servers = &process, .server_count = 1};
  const ck_effect list = effect_of(CK_EFFECT_TOOL, "{\"server\":\"box\",\"list\":true}");
  const ck_effect slow =
      effect_of(CK_EFFECT_TOOL, "{\"server\":\"box\",\"name\":\"slow\",\"arguments\":\"{}\"}");
  const ck_effect binary = effect_of(CK_EFFECT_TOOL, "{\"server\":\"box\",\"name\":\"binary\"}");
  ck_effect_driver *driver = NULL;
  ck_error err = CK_ERROR_INIT;
  bool right = ck_mcp_driver_new(&driver, &options, &err) == CK_OK;
  broken += right != (driver != NULL);
  right = right && carry_out(driver, &list, "\"surroundings\"");
  right = right && carry_out(driver, &slow, "\"done\"");
  right = right && carry_out(driver, &binary, "\"a\xEF\xBF\xBD");
  if (driver) driver->free(driver->self);
  return right;
}

static ck_permit permit(void *to, const char *kind, ck_bytes request) {
  (void)to, (void)kind, (void)request;
  return CK_PERMIT_ALLOW;
}

static bool use_acp(void) {
  const char *const argv[] = {agent_path, NULL};
  const ck_process process = {.name = "coder", .argv = argv};
  const ck_acp_options options = {.service = {.loop = loop, .kill_ms = 50, .directory = "."},
                                  .agents = &process,
                                  .agent_count = 1,
                                  .permit = permit,
                                  .files = true};
  const ck_effect hello =
      effect_of(CK_EFFECT_AGENT, "{\"process\":\"coder\",\"prompt\":\"hello\"}");
  const ck_effect edit = effect_of(CK_EFFECT_AGENT, "{\"process\":\"coder\",\"prompt\":\"edit\"}");
  const ck_effect file =
      effect_of(CK_EFFECT_AGENT, "{\"process\":\"coder\",\"prompt\":\"read /nowhere\"}");
  ck_effect_driver *driver = NULL;
  ck_error err = CK_ERROR_INIT;
  bool right = ck_acp_driver_new(&driver, &options, &err) == CK_OK;
  broken += right != (driver != NULL);
  right = right && carry_out(driver, &hello, "\"Hello, world.\"");
  right = right && carry_out(driver, &edit, "optionId");
  right = right && carry_out(driver, &file, "-32602");
  if (driver) driver->free(driver->self);
  return right;
}

static void starve(const char *name, bool (*use)(void)) {
  long allowed = 0;
  bool right = false;
  while (allowed < ALLOCATIONS_MAX && !right) {
    budget = allowed++;
    right = use();
    right = right && budget > 0;
    budget = -1;
  }
  tap_ok(right && allowed > 20, "%s: with %ld allocations it is done", name, allowed);
  tap_is_int(broken, 0, "%s: with fewer, it says so", name);
}

int main(void) {
  const char *build = getenv("CKRUN_BUILD");
  snprintf(server_path, sizeof server_path, "%s/tests/effect/mcp/tool_mcp_server",
           build ? build : "build/release");
  snprintf(agent_path, sizeof agent_path, "%s/tests/effect/acp/tool_acp_agent",
           build ? build : "build/release");
  if (access(server_path, X_OK) || access(agent_path, X_OK))
    tap_skip_all("%s is not built", server_path);
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  starve("mcp", use_mcp);
  starve("acp", use_acp);
  ck_loop_free(loop);
  return tap_done();
}
