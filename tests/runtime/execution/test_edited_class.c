/* test_edited_class.c - a flow that was edited declares another class for what was begun: the class
 * that was recorded rules, cell by cell. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/runtime/execution/limits_fixture.h"
#include "tests/tap.h"

/* A tool called by a model, then a boundary, or an error that a resume's attempt comes behind. */
#define ASK(format)                                                                                \
  HEAD "local r = ctx.effect { kind = 'tool', class = '%s', request = { name = 'pay', index = 0, " \
       "arguments = {}, call_id = 'c1' } } " format TAIL
static const char fails[] = ASK("error 'it is broken'");
static const char tells[] = ASK("return { status = r.status, final = ctx.unknown() }");

static const char *const classes[] = {"pure", "idempotent", "reconcilable", "once"};
enum { PURE, IDEMPOTENT, RECONCILABLE, ONCE, CLASSES };

/* One file for each flow and class. */
static const char *path_of(const char *flow, int class) {
  static const char *paths[2][CLASSES];
  const char **path = &paths[flow == tells][class];
  char text[1024];
  snprintf(text, sizeof text, flow, classes[class]);
  if (!*path) *path = flow_file(text);
  return *path;
}

static void open_recorded(fake_flow *s, const char *flow, int class) {
  fake_flow_open_file(s, path_of(flow, class));
  fake_flow_start(s, "s");
}

/* The process dies, and the session goes on with the flow as it is now. */
static void resume_edited(fake_flow *s, const char *flow, int class) {
  ck_error err = CK_ERROR_INIT;
  fake_flow_crash(s);
  s->engine->unload(s->flow);
  ck_status status = s->engine->load(&s->flow, s->engine->self, path_of(flow, class), &err);
  tap_must(status == CK_OK, "load: %s", err.text);
  fake_flow_resume(s, "s");
}

/* ---- begun, and no outcome ---- */

static void test_open(int recorded, int declared) {
  fake_flow s = {0};
  bool repeats = recorded <= IDEMPOTENT;
  open_recorded(&s, tells, recorded);
  resume_edited(&s, tells, declared);
  tap_ok(s.count == repeats && (repeats || s.result.status == CK_SESSION_IN_DOUBT),
         "%s, begun; %s now: %s", classes[recorded], classes[declared],
         repeats ? "made again" : "in doubt");
  if (!repeats) {
    char named[32];
    snprintf(named, sizeof named, "(%s)", classes[recorded]);
    tap_ok(strstr(s.result.text, named), "and named as it was begun: %s", s.result.text);
  }
  fake_flow_close(&s);
}

/* A probe that was asked: what it says, and what follows. */
static ck_status probe(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  fake_flow *self = to;
  struct started *made = &self->started[self->count++];
  (void)err;
  *made = (struct started){.sink = sink};
  snprintf(made->key, sizeof made->key, "probe %s", effect->key);
  *out = (ck_effect_run *)(void *)sink;
  return CK_OK;
}

static void test_probed(int recorded, int declared, bool tells_nothing) {
  fake_flow s = {0};
  open_recorded(&s, tells, recorded);
  s.driver.probe = probe;
  resume_edited(&s, tells, declared);
  bool probed = s.count == 1 && strncmp(s.started[0].key, "probe", 5) == 0;
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  tap_must(probed, "%s, begun; %s now: it is probed", classes[recorded], classes[declared]);
  tap_must(ck_outcome_new(&outcome, tells_nothing ? CK_OUTCOME_UNKNOWN : CK_OUTCOME_ABSENT, NULL,
                          "?", &err) == CK_OK,
           "outcome");
  s.count = 0;
  s.started[0].sink->done(s.started[0].sink, outcome);
  fake_flow_turn(&s);
  bool again = !tells_nothing || recorded <= IDEMPOTENT;
  tap_ok(s.count == again && (again || s.result.status == CK_SESSION_IN_DOUBT),
         "%s, begun; %s now; its probe %s: %s", classes[recorded], classes[declared],
         tells_nothing ? "cannot tell" : "says that it did not happen",
         again ? "made again" : "in doubt");
  fake_flow_close(&s);
}

/* A policy that has repeatable things run again is asked with the class that was recorded. */
static ck_status rerun_harmless(ck_doubt_answer *out, void *self, const ck_effect *effect,
                                ck_error *err) {
  (void)self, (void)err;
  out->word = ck_effect_class_repeats(effect->class) ? CK_DOUBT_RERUN : CK_DOUBT_STOP;
  return CK_OK;
}

static void test_policy(int recorded, int declared) {
  const ck_policy_engine policies = {.checkpoint = ck_policy_always.checkpoint,
                                     .in_doubt = rerun_harmless};
  fake_flow s = {.policies = &policies};
  open_recorded(&s, tells, recorded);
  resume_edited(&s, tells, declared);
  tap_ok(s.count == 0 && s.result.status == CK_SESSION_IN_DOUBT,
         "%s, begun; %s now: a policy sees what was recorded", classes[recorded],
         classes[declared]);
  fake_flow_close(&s);
}

/* ---- an outcome, at a later attempt ---- */

/* Recorded as unknown: neither the resume nor what the flow's own `retry` goes by takes it for
 * something that may be repeated. */
static void test_unknown(int recorded, int declared) {
  fake_flow s = {0};
  open_recorded(&s, fails, recorded);
  while (s.count > 0) fake_flow_unknown(&s, "tool", CK_OK, "half of it");
  tap_must(s.result.status == CK_SESSION_FAILED, "the session fails: %s", s.result.text);
  resume_edited(&s, tells, declared);
  bool kept = recorded >= RECONCILABLE || declared >= RECONCILABLE;
  tap_ok((s.count == 0) == kept, "%s, unknown; %s now: %s", classes[recorded], classes[declared],
         kept ? "not made again" : "made again");
  const char *result = fake_flow_result(&s, "s");
  if (kept)
    tap_ok(strstr(result, "\"status\":\"unknown\"") && strstr(result, "\"final\":true"),
           "and no retry is told that it may be: %s", result);
  fake_flow_close(&s);
}

static void test_ok(int recorded, int declared) {
  fake_flow s = {0};
  open_recorded(&s, fails, recorded);
  fake_flow_ok(&s, "tool", "\"paid\"", 0);
  tap_must(s.result.status == CK_SESSION_FAILED, "the session fails: %s", s.result.text);
  resume_edited(&s, tells, declared);
  bool kept = recorded > PURE || declared > PURE;
  tap_ok((s.count == 0) == kept, "%s, done; %s now: %s", classes[recorded], classes[declared],
         kept ? "replayed" : "made again");
  fake_flow_close(&s);
}

static void count_doubt(void *to, const ck_open_effect *effect) {
  *(int *)to += strcmp(effect->key, "main/start/tool/1") == 0 && strcmp(effect->class, "once") == 0;
}

/* Done as `once`; edited to `pure` with another request: a person is asked, and can answer. */
static void test_other_request(void) {
  fake_flow s = {0};
  ck_error err = CK_ERROR_INIT;
  int doubts = 0;
  open_recorded(&s, fails, ONCE);
  fake_flow_ok(&s, "tool", "\"paid\"", 0);
  fake_flow_crash(&s);
  s.engine->unload(s.flow);
  ck_status status = s.engine->load(
      &s.flow, s.engine->self,
      flow_file(HEAD "return ctx.effect { kind = 'tool', class = 'pure', request = { name = 'pay', "
                     "index = 0, arguments = { 2 }, call_id = 'c1' } }" TAIL),
      &err);
  tap_must(status == CK_OK, "load: %s", err.text);
  fake_flow_resume(&s, "s");
  tap_ok(s.count == 0 && s.result.status == CK_SESSION_IN_DOUBT,
         "another request in the place of what was done once is not made, either");
  fake_flow_crash(&s);
  tap_is_status(ck_session_list_doubts(s.runtime, "s", count_doubt, &doubts, &err), CK_OK, &err,
                "the doubts are listed");
  tap_is_int(doubts, 1, "a person can settle it");
  fake_flow_resume(&s, "s");
  fake_flow_close(&s);
}

int main(void) {
  test_other_request();
  for (int recorded = 0; recorded < CLASSES; recorded++)
    for (int declared = 0; declared < CLASSES; declared++) {
      test_open(recorded, declared);
      test_probed(recorded, declared, true);
      test_probed(recorded, declared, false);
      if (recorded >= RECONCILABLE) test_policy(recorded, declared);
      test_unknown(recorded, declared);
      test_ok(recorded, declared);
    }
  return tap_done();
}
