/* test_policy_tool_no_memory.c - whichever allocation fails, checks, tests, figures and simulations
 * say so and leak nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/session.h"
#include "core/runtime/simulation/simulate.h"
#include "lua/policy_tool/policy_tool.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { BOUNDARIES = 80 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

static const char *policy, *tests;
static ck_store *store;
static int broken; /* promises that did not hold after a failure */

static ck_status check(ck_error *err) {
  ck_value *about = NULL;
  ck_status status =
      ck_policy_tool_check(&about, &(ck_profile_policy){.name = (char *)policy}, err);
  broken += (about == NULL) != (status != CK_OK);
  if (status == CK_OK) broken += ck_json_count(ck_json_get(ck_value_bytes(about), "problems")) != 0;
  ck_value_free(about);
  return status;
}

static ck_status bench(ck_error *err) {
  ck_value *rows = NULL;
  ck_policy_tool_bench_options options = {.calls = 1, .clock = ck_clock_system()};
  ck_status status =
      ck_policy_tool_bench(&rows, &(ck_profile_policy){.name = (char *)policy}, &options, err);
  broken += (rows == NULL) != (status != CK_OK);
  ck_value_free(rows);
  return status;
}

static void visit(void *to, const ck_policy_tool_test *test) {
  (void)to;
  broken += !test->ok;
  if (!test->ok) tap_diag("%s: %s", test->name ? test->name : "-", test->text);
}

static ck_status test(ck_error *err) {
  return ck_policy_tool_run_tests(tests, &(ck_policy_tool_tests){.visit = visit}, err);
}

static ck_status cover(ck_error *err) {
  ck_coverage *coverage = NULL;
  ck_value *reached = NULL;
  ck_status status = ck_coverage_new(&coverage, err);
  if (status == CK_OK)
    status = ck_policy_tool_run_tests(
        tests, &(ck_policy_tool_tests){.coverage = coverage, .visit = visit}, err);
  if (status == CK_OK) status = ck_coverage_write(&reached, coverage, err);
  broken += (reached == NULL) != (status != CK_OK);
  ck_value_free(reached);
  ck_coverage_free(coverage);
  return status;
}

static ck_status simulate(ck_error *err) {
  ck_recording *recording = NULL;
  ck_simulation simulation = {0};
  ck_status status = ck_recording_read(&recording, store, "s", err);
  broken += (recording == NULL) != (status != CK_OK);
  if (status != CK_OK) return status;
  broken += recording->boundary_count != BOUNDARIES + 1;
  const ck_shown_as as = {.limit_micros = -1, .text = CK_TEXT_SHOWN};
  status = ck_recording_read_texts(recording, store, &as, err);
  if (status == CK_OK)
    status = ck_simulate(&simulation, recording, &ck_policy_always, &as, &(ck_prune_rules){0}, err);
  broken += (simulation.decisions == NULL) != (status != CK_OK);
  ck_simulation_clear(&simulation);
  ck_recording_free(recording);
  return status;
}

/* Each allocation in turn at first, then ever fewer of them. */
static void attack(const char *name, ck_status (*run)(ck_error *err)) {
  int attempts = 0, wrong = 0;
  ck_status status = CK_E_NO_MEMORY;
  broken = 0;
  for (long allowed = 0; status == CK_E_NO_MEMORY && attempts < 2000;
       allowed += 1 + allowed / 100) {
    ck_error err = CK_ERROR_INIT;
    budget = allowed;
    status = run(&err);
    budget = -1;
    attempts++;
    if (status != CK_OK && (status != CK_E_NO_MEMORY || !err.text[0])) {
      wrong++;
      tap_diag("%s after %ld allocations: %s: %s", name, allowed, ck_status_name(status), err.text);
      status = CK_E_NO_MEMORY;
    }
  }
  tap_ok(status == CK_OK && wrong == 0,
         "%s: every failure is told as what it is (%d attempts, %d wrong)", name, attempts, wrong);
  tap_is_int(broken, 0, "%s: and gives nothing out, or all", name);
}

static void record(ck_runtime *runtime) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK,
           "start: %s", err.text);
  for (int i = 0; i < BOUNDARIES; i++) {
    ck_saved saved;
    ck_boundary at = {.kind = CK_BOUNDARY_NODE_COMPLETE,
                      .node = "n",
                      .agent = "a",
                      .next = {.node = "m", .tool = "t"},
                      .last_error = "e"};
    tap_must(ck_session_boundary(&saved, session, &at, &err) == CK_OK, "boundary: %s", err.text);
  }
  tap_must(ck_session_end(session, CK_SESSION_COMPLETED, NULL, NULL, &err) == CK_OK, "end: %s",
           err.text);
  ck_session_close(session);
}

int main(void) {
  ck_runtime *runtime;
  ck_error err = CK_ERROR_INIT;
  vm_script_file("answer.lua", "return { word = 'many' }");
  policy = vm_script_file(
      "mine.lua",
      "local answer = require './answer'\n"
      "return { name = 'mine', version = 1, options = { n = 2 },\n"
      "checkpoint = function(at, opt) return at.since.events > opt.n and answer.word end,\n"
      "prune = function(history) return { drop = { history[1] and history[1].id } } end,\n"
      "redact = function(item) return ck.ref 'env:X' end,\n"
      "resume = function(session) return session.status == 'failed' and ck.refuse 'no' or { time = "
      "'reset' } end,\n"
      "tail = function(event, agent) return event.agent == agent end,\n"
      "on_failure = function() return 'retry' end, in_doubt = function() return 'tell' end,\n"
      "migrate = function(doc) return doc end }");
  tests = vm_script_file(
      "mine_test.lua",
      "local test = require 'ck.test'\nlocal mine = test.policy('./mine.lua', { n = 5 })\n"
      "return { test_a = function() test.equal(mine.checkpoint { since = { events = 9 } }, 'many') "
      "end,\n"
      "test_b = function() test.equal(mine.prune(test.history(2)), { 'c1' }) end }");
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "open: %s", err.text);
  store = runtime->store;
  record(runtime);
  attack("check", check);
  attack("bench", bench);
  attack("test", test);
  attack("coverage", cover);
  attack("simulate", simulate);
  ck_runtime_close(runtime);
  return tap_done();
}
