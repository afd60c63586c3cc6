/* test_unknown.c - endings that do not tell the outcome: what is asked for again counts at its
 * reserve first, within the budget; what must not be repeated is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/session_private.h"
#include "tests/runtime/execution/limits_fixture.h"
#include "tests/tap.h"

#define CUT CK_E_UNAVAILABLE

static const char one_call[] = HEAD "return " MODEL ".status" TAIL;
/* A tool, as a model calls it, and as a flow does. */
#define TOOL(class, id)                                                                     \
  HEAD "return ctx.effect { kind = 'tool', class = '" class "', request = { name = 'pay', " \
                                                            "index = 0, arguments = {}" id  \
                                                            " } }" TAIL
#define CALLED ", call_id = 'c1'"

static int64_t spent(const fake_flow *s) { return ck_session_totals(s->session)->cost_micros; }

static void test_counts_at_reserve(void) {
  ck_profile *profile = limits_profile();
  profile->budget_micros = 1000;
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, one_call);
  fake_flow_start(&s, "reserve");
  fake_flow_unknown(&s, "model", CUT, "the connection was cut");
  tap_ok(s.count == 1 && spent(&s) == 100, "a lost attempt counts at its reserve, and another "
                                           "one is made");
  fake_flow_unknown(&s, "model", CUT, "the connection was cut");
  tap_is_int(spent(&s), 200, "so does the next");
  fake_flow_ok(&s, "model", limits_reply, 7);
  tap_ok(s.result.status == CK_SESSION_COMPLETED && spent(&s) == 207, "then it goes on: %s",
         s.result.text);
  fake_flow_close(&s);
  ck_profile_free(profile);
}

static void test_stays_in_budget(void) {
  ck_profile *profile = limits_profile();
  profile->budget_micros = 250;
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, one_call);
  fake_flow_start(&s, "budget");
  fake_flow_unknown(&s, "model", CUT, "the connection was cut");
  fake_flow_unknown(&s, "model", CUT, "the connection was cut");
  tap_ok(s.count == 0 && s.result.status == CK_SESSION_PAUSED && s.result.cause == CK_E_LIMIT,
         "an attempt that may pass the budget is not made: %s", s.result.text);
  tap_is_int(spent(&s), 200, "what was lost is counted");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "budget");
  tap_ok(s.count == 0 && spent(&s) == 200, "a resume counts it once, and makes none, either");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

static void test_gives_up(void) {
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, one_call);
  fake_flow_start(&s, "gives-up");
  for (int i = 0; i < CK_EFFECT_TRIES; i++) {
    tap_is_int((int64_t)s.count, 1, "try %d is made", i + 1);
    fake_flow_unknown(&s, "model", CUT, "the connection was cut");
  }
  tap_ok(s.count == 0 && s.result.status == CK_SESSION_PAUSED && s.result.cause == CUT,
         "then the session pauses: %s", s.result.text);
  tap_is_int(spent(&s), 100 * CK_EFFECT_TRIES, "each of them is counted");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "gives-up");
  tap_is_int((int64_t)s.count, 1, "a resume asks again");
  tap_is_int(spent(&s), 100 * CK_EFFECT_TRIES, "and counts nothing twice");
  fake_flow_close(&s);
}

/* Between two lost attempts the process dies: what it had lost by then is counted, once each. */
static void test_dies_in_between(void) {
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, one_call);
  fake_flow_start(&s, "dies");
  fake_flow_unknown(&s, "model", CUT, "the connection was cut");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "dies");
  tap_ok(s.count == 1 && spent(&s) == 200, "both attempts before the crash are counted");
  fake_flow_ok(&s, "model", limits_reply, 5);
  tap_ok(s.result.status == CK_SESSION_COMPLETED && spent(&s) == 205, "and the third is paid");
  fake_flow_close(&s);
}

/* A session that ends while a model's next try is waited for: what the last one cost is known. */
static void check_stopped(int64_t cost, bool known, int64_t counts) {
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, one_call);
  fake_flow_start(&s, "stopped");
  ck_execution_pause(s.execution, "user_requested");
  ck_execution_stop(s.execution);
  fake_flow_turn(&s);
  tap_must(s.count == 1 && s.started[0].cancelled, "a pause cancels what is under way");
  tap_must(ck_outcome_new(&outcome, CK_OUTCOME_FAILED, NULL, "cancelled", &err) == CK_OK,
           "an outcome");
  outcome->error_status = CK_E_INTERRUPTED;
  outcome->cost_micros = cost;
  outcome->cost_known = known;
  s.count = 0;
  s.started[0].sink->done(s.started[0].sink, outcome);
  fake_flow_turn(&s);
  tap_is_int(s.result.status, CK_SESSION_PAUSED, "the session pauses: %s", s.result.text);
  if (known) tap_is_int(spent(&s), counts, "what is known is counted at once");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "stopped");
  tap_ok(s.count == 1 && spent(&s) == counts,
         "a cost of %lld, %s: %lld count, and it is asked again", (long long)cost,
         known ? "known" : "not known", (long long)spent(&s));
  fake_flow_close(&s);
}

static void test_stopped(void) {
  ck_outcome free_try = {.cost_known = true};
  ck_outcome_count_reserve(&free_try, 100);
  tap_is_int(free_try.cost_micros, 0, "no reserve counts for what is known to cost nothing");
  check_stopped(7, true, 7);
  check_stopped(0, true, 0);
  check_stopped(0, false, 100);
}

static void test_called_once(void) {
  fake_flow s = {0};
  fake_flow_open(&s, TOOL("once", CALLED));
  fake_flow_start(&s, "called");
  fake_flow_unknown(&s, "tool", CK_OK, "half of it");
  tap_ok(s.count == 0 && s.result.status == CK_SESSION_COMPLETED,
         "a model's call of class once is not made again, and the model goes on");
  const char *result = fake_flow_result(&s, "called");
  tap_ok(strstr(result, "\"status\":\"unknown\"") && strstr(result, "half of it\\n") &&
             strstr(result, "it may have happened"),
         "with what it wrote, and a warning: %s", result);
  fake_flow_close(&s);
}

static void test_asked_once(void) {
  fake_flow s = {0};
  fake_flow_open(&s, TOOL("once", ""));
  fake_flow_start(&s, "asked");
  fake_flow_unknown(&s, "tool", CK_OK, "half of it");
  tap_ok(
      s.count == 0 && s.result.status == CK_SESSION_IN_DOUBT && strstr(s.result.text, "half of it"),
      "a flow's own is in doubt, and says why: %s", s.result.text);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "asked");
  tap_ok(s.count == 0 && s.result.status == CK_SESSION_IN_DOUBT, "also when it is resumed");
  fake_flow_close(&s);
}

/* Cut, as a model's call: the service went away after it had the request. */
static void test_called_cut(void) {
  fake_flow s = {0};
  fake_flow_open(&s, TOOL("once", CALLED));
  fake_flow_start(&s, "cut");
  fake_flow_unknown(&s, "tool", CUT, "the server is gone");
  tap_ok(s.count == 0 && s.result.status == CK_SESSION_COMPLETED,
         "a call that was cut off is told to the model, too");
  fake_flow_close(&s);
}

static void test_repeatable_tools(void) {
  fake_flow s = {0};
  fake_flow_open(&s, TOOL("idempotent", CALLED));
  fake_flow_start(&s, "repeatable");
  for (int i = 0; i < CK_EFFECT_TRIES; i++) fake_flow_unknown(&s, "tool", CK_OK, "late");
  const char *result = fake_flow_result(&s, "repeatable");
  tap_ok(s.result.status == CK_SESSION_COMPLETED && strstr(result, "\"unknown\"") &&
             !strstr(result, "may have happened"),
         "a model's call that may be repeated is, three times in all, then told: %s", result);
  fake_flow_close(&s);
}

static ck_status say(ck_doubt_answer *out, void *self, const ck_effect *effect, ck_error *err) {
  (void)effect, (void)err;
  *out = *(const ck_doubt_answer *)self;
  return CK_OK;
}

static ck_status fail(ck_doubt_answer *out, void *self, const ck_effect *effect, ck_error *err) {
  (void)out, (void)self, (void)effect;
  return ck_error_set(err, CK_E_POLICY, "it is broken");
}

/* What a policy says of a model's call goes before what happens without one. */
static void test_policies(void) {
  static const ck_doubt_word answers[] = {CK_DOUBT_STOP, CK_DOUBT_RERUN, CK_DOUBT_TELL};
  static const ck_session_status ends[] = {CK_SESSION_IN_DOUBT, 0, CK_SESSION_COMPLETED};
  for (int i = 0; i < 4; i++) {
    ck_doubt_answer answer = {.word = answers[i % 3], .policy = "p"};
    const ck_policy_engine policies = {
        .self = &answer, .checkpoint = ck_policy_always.checkpoint, .in_doubt = i < 3 ? say : fail};
    fake_flow s = {.policies = &policies};
    fake_flow_open(&s, TOOL("once", CALLED));
    fake_flow_start(&s, "policy");
    fake_flow_unknown(&s, "tool", CK_OK, "half of it");
    tap_is_int(s.result.status, ends[i % 3], "%s: the session", i < 3 ? "an answer" : "a failure");
    tap_is_int((int64_t)s.count, answer.word == CK_DOUBT_RERUN,
               "runs it again when that is its word");
    fake_flow_close(&s);
  }
}

int main(void) {
  test_counts_at_reserve();
  test_stays_in_budget();
  test_gives_up();
  test_dies_in_between();
  test_stopped();
  test_called_once();
  test_asked_once();
  test_called_cut();
  test_repeatable_tools();
  test_policies();
  return tap_done();
}
