/* test_no_memory.c - whichever allocation fails, drivers say so, deliver once and leak nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
/* link: -Wl,--wrap=reallocarray,--wrap=strdup,--wrap=aligned_alloc */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/effect/ask.h"
#include "core/effect/cassette/cassette.h"
#include "core/effect/process/command.h"
#include "core/effect/process/exec.h"
#include "core/effect/read.h"
#include "core/effect/sleep.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 5000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))
WRAP(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

static ck_loop *loop;
static ck_redactor *redactor;
static char tool_path[1024];
static int broken; /* promises that did not hold after a failure */

typedef struct keep {
  ck_effect_sink sink;
  ck_outcome *outcome;
  int delivered;
} keep;

static void on_done(ck_effect_sink *sink, ck_outcome *outcome) {
  keep *self = (keep *)sink;
  self->delivered++;
  self->outcome = outcome;
  ck_loop_stop(loop);
}

/* The outcome's own failure when it was a lack of memory. `*as` is the outcome. */
static ck_status carry_out(ck_outcome_status *as, const ck_effect_driver *driver,
                           const ck_effect *effect, ck_error *err) {
  keep to = {.sink = {.done = on_done}};
  ck_effect_run *run = NULL;
  ck_status status = driver->start(&run, driver->self, effect, &to.sink, err);
  if (status) {
    broken += run != NULL;
    return status;
  }
  while (!to.delivered) ck_loop_run(loop);
  broken += to.delivered != 1;
  *as = to.outcome->status;
  status = to.outcome->error_status == CK_E_NO_MEMORY
               ? ck_error_set(err, CK_E_NO_MEMORY, "%s", to.outcome->error)
               : CK_OK;
  ck_outcome_free(to.outcome);
  return status;
}

static ck_status use_driver(const ck_cassette *cassette, ck_error *err) {
  ck_effect_driver *driver = NULL;
  ck_conversation *sent = NULL;
  ck_outcome_status as = CK_OUTCOME_UNKNOWN;
  ck_effect ask = {.scope = "main", .kind = CK_EFFECT_ASK};
  ck_effect model = {.scope = "main", .kind = CK_EFFECT_MODEL, .consumed = 1};
  ck_effect failed = {
      .scope = "main",
      .kind = CK_EFFECT_TOOL,
      .consumed = 3,
      .request = ck_bytes_text(
          "{\"name\":\"weather\",\"index\":1,\"arguments\":\"{\\\"city\\\": \\\"Oslo\\\"}\"}")};
  ck_status status = ck_cassette_driver_new(&driver, cassette, loop, err);
  if (!status) status = ck_conversation_new(&sent, err);
  model.conversation = sent;
  if (!status) status = carry_out(&as, driver, &ask, err);
  if (!status) broken += as != CK_OUTCOME_OK;
  if (!status) status = carry_out(&as, driver, &model, err);
  if (!status) broken += as != CK_OUTCOME_FAILED;
  if (!status) status = carry_out(&as, driver, &failed, err);
  if (!status) broken += as != CK_OUTCOME_ERROR;
  ck_conversation_free(sent);
  if (driver) driver->free(driver->self);
  return status;
}

static ck_status use_cassette(const char *spec, ck_error *err) {
  static const char *const names[] = {"price", NULL};
  ck_cassette *cassette = NULL;
  ck_status status = ck_cassette_open(&cassette, spec, err);
  broken += (cassette == NULL) != (status != CK_OK);
  if (!status && strstr(spec, "parallel")) status = use_driver(cassette, err);
  if (!status) status = ck_cassette_leave_out(cassette, names, err);
  ck_cassette_close(cassette);
  return status;
}

static ck_status use_own(ck_error *err) { return use_cassette("tests/data/parallel.jsonl", err); }

static ck_status use_tau(ck_error *err) { return use_cassette("tests/data/tau.json#1", err); }

static ck_status use_command(ck_error *err) {
  const char *const argv[] = {tool_path, "print", "text", NULL};
  const ck_command_tool tool = {.name = "t", .argv = argv};
  const ck_command_options options = {.loop = loop, .tools = &tool, .tool_count = 1};
  const ck_effect effect = {.scope = "main",
                            .key = "k",
                            .attempt = 1,
                            .kind = CK_EFFECT_TOOL,
                            .request = ck_bytes_text("{\"name\":\"t\",\"arguments\":\"{}\"}")};
  ck_effect_driver *driver = NULL;
  ck_outcome_status as = CK_OUTCOME_UNKNOWN;
  ck_status status = ck_command_driver_new(&driver, &options, err);
  broken += (driver == NULL) != (status != CK_OK);
  if (!status) status = carry_out(&as, driver, &effect, err);
  if (!status) broken += as != CK_OUTCOME_OK;
  if (driver) driver->free(driver->self);
  return status;
}

static ck_status resolve(void *to, ck_buffer *out, const char *ref, ck_error *err) {
  (void)to, (void)ref;
  ck_buffer_append_text(out, "opensesame-0123456789");
  return ck_buffer_check(out, err);
}

/* The outcome must be the same as with memory, or report the lack of it: a lost spill is reported
 * in the result. */
static ck_status use_exec(ck_error *err) {
  char request[1400];
  snprintf(request, sizeof request,
           "{\"argv\":[\"%s\",\"fail\",\"3\"],\"env\":{\"A\":\"b\",\"K\":{\"ref\":\"env:K\"}},"
           "\"cwd\":\".\",\"input\":[1],\"output_max\":3}",
           tool_path);
  ck_shelf shelf;
  const ck_exec_options options = {
      .loop = loop,
      .directory = "/",
      .resolve = resolve,
      .spill = {.shelf = &shelf, .session = "s", .redactor = redactor}};
  const ck_effect effect = {.scope = "main",
                            .key = "k",
                            .attempt = 1,
                            .kind = CK_EFFECT_EXEC,
                            .request = ck_bytes_text(request)};
  ck_effect_driver *driver = NULL;
  ck_outcome_status as = CK_OUTCOME_UNKNOWN;
  ck_status status = ck_shelf_open_folder(&shelf, tap_tmpfile("spills"), err);
  if (status) return status;
  status = ck_exec_driver_new(&driver, &options, err);
  broken += (driver == NULL) != (status != CK_OK);
  if (!status) status = carry_out(&as, driver, &effect, err);
  if (!status) broken += as != CK_OUTCOME_ERROR;
  if (driver) driver->free(driver->self);
  ck_loop_run(loop);
  ck_shelf_close(&shelf);
  return status;
}

static ck_status use_waits(ck_error *err) {
  static const struct {
    ck_effect_kind kind;
    const char *request;
    ck_outcome_status want;
  } cases[] = {{CK_EFFECT_SLEEP, "{\"ms\":0}", CK_OUTCOME_OK},
               {CK_EFFECT_SLEEP, "{}", CK_OUTCOME_FAILED},
               {CK_EFFECT_READ, "{\"what\":\"clock\"}", CK_OUTCOME_OK},
               {CK_EFFECT_READ, "{}", CK_OUTCOME_FAILED},
               {CK_EFFECT_ASK, "{\"question\":\"?\"}", CK_OUTCOME_FAILED}};
  ck_effect_driver *drivers[4] = {NULL};
  ck_status status = ck_sleep_driver_new(&drivers[0], loop, ck_clock_system(), err);
  if (!status) status = ck_read_driver_new(&drivers[1], loop, ck_clock_system(), NULL, err);
  if (!status) status = ck_ask_driver_new(&drivers[2], loop, NULL, err);
  for (size_t i = 0; !status && i < sizeof cases / sizeof *cases; i++) {
    ck_effect effect = {.scope = "main",
                        .key = "k",
                        .attempt = 1,
                        .kind = cases[i].kind,
                        .request = ck_bytes_text(cases[i].request)};
    ck_outcome_status as = CK_OUTCOME_UNKNOWN;
    ck_effect_driver **driver = drivers;
    while (!(*driver)->serves((*driver)->self, &effect)) driver++;
    status = carry_out(&as, *driver, &effect, err);
    if (!status) broken += as != cases[i].want;
  }
  for (int i = 0; drivers[i]; i++) drivers[i]->free(drivers[i]->self);
  ck_loop_run(loop);
  return status;
}

static void attack(const char *what, ck_status (*use)(ck_error *err)) {
  int wrong = 0;
  long at = 0;
  ck_status status = CK_E_NO_MEMORY;
  broken = 0;
  for (; status != CK_OK && at < ALLOCATIONS_MAX; at++) {
    ck_error err = CK_ERROR_INIT;
    budget = at;
    status = use(&err);
    budget = -1;
    wrong += status != CK_OK && (status != CK_E_NO_MEMORY || err.status != status);
  }
  tap_is_status(status, CK_OK, NULL, "%s: works with %ld allocations", what, at - 1);
  tap_ok(at > 5, "%s: the attack reaches allocations", what);
  tap_is_int(wrong, 0, "%s: each one that fails is reported as out of memory", what);
  tap_is_int(broken, 0, "%s: and one outcome is delivered, the right one", what);
}

int main(void) {
  const char *build = getenv("CKRUN_BUILD");
  snprintf(tool_path, sizeof tool_path, "%s/tests/effect/process/tool_child",
           build ? build : "build/release");
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  attack("a cassette", use_own);
  attack("a tau-bench session", use_tau);
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "there is a redactor");
  attack("sleeps, questions and readings", use_waits);
  if (access(tool_path, X_OK) == 0) attack("a program", use_exec);
  if (access(tool_path, X_OK) == 0)
    attack("a command", use_command);
  else
    tap_skip("%s is not built", tool_path);
  ck_redactor_free(redactor);
  ck_loop_free(loop);
  return tap_done();
}
