/* test_unsettled.c - a paid call that a crash lost counts at its reserve before anything else is
 * admitted, once, for all its payers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/history/fork.h"
#include "core/runtime/ledger/ledger.h"
#include "core/runtime/execution/dry_run.h"
#include "core/runtime/history/resolve.h"
#include "core/runtime/session/session_private.h"
#include "tests/clock.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define MODEL(class) \
  "ctx.effect { kind = 'model', class = '" class "', request = { model = 'm' } } "

static const char reply[] = "{\"role\":\"assistant\",\"content\":\"x\"}";

/* Two branches under one agent: each asks once, stands at a boundary, and asks again. */
static const char branches[] = HEAD "if ctx.task == 2 then if not ctx.position then " MODEL(
    "pure") " ctx.boundary('tool_round', { "
            "position = { path = 'n' } }) "
            "end " MODEL("pure") " return 1 end "
                                 "if ctx.task == 1 "
                                 "then ctx.fork { { "
                                 "scope = 'a', task "
                                 "= 2 }, { scope = "
                                 "'b', task = 2, "
                                 "agent = 'b' } } "
                                 "ctx.join { 'a', "
                                 "'b' } return 1 "
                                 "end "
                                 "ctx.fork { { "
                                 "scope = 'team', "
                                 "task = 1, agent = "
                                 "'team' } } "
                                 "ctx.join { 'team' "
                                 "} return 1" TAIL;

/* The same, and neither may simply run again. */
static const char doubtful[] = HEAD "if ctx.task == 1 then " MODEL(
    "pure") " ctx.boundary('tool_round', { position = { path = "
            "'n' } }) " MODEL("pure") " return 1 end "
                                      "if ctx.task == 2 then return " MODEL(
                                          "once") ".status end "
                                                  "ctx.fork { { scope = 'a', "
                                                  "task = 1 }, { scope = "
                                                  "'b', task = 2, agent = "
                                                  "'b' } } return ctx.join { "
                                                  "'a', 'b' }.b.result" TAIL;

static ck_profile *make_profile(int64_t budget) {
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "lost", &err) == CK_OK, "profile");
  profile->budget_micros = budget;
  return profile;
}

static int64_t spent_by(const fake_flow *s, const char *agent) {
  const ck_agent_spending *spending = ck_spending_get(&s->session->spent.agents, agent);
  return spending ? spending->cost_micros : 0;
}

/* Both calls are lost: whoever asks first finds what both may have cost. */
static void test_first_to_ask(void) {
  ck_profile *profile = make_profile(250);
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, branches);
  fake_flow_start(&s, "first");
  tap_is_int((int64_t)s.count, 2, "two calls of at most 100 are within a limit of 250");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "first");
  tap_is_int((int64_t)s.count, 0, "both were lost: a third is not");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 200, "both count at what was reserved");
  tap_is_int(spent_by(&s, "b"), 100, "for the agent that asked");
  tap_is_int(spent_by(&s, "team"), 200, "and for the one above both");
  tap_ok(s.result.status == CK_SESSION_PAUSED && s.result.cause == CK_E_LIMIT, "it pauses: %s",
         s.result.text);
  for (int i = 0; i < 5; i++) {
    fake_flow_crash(&s);
    fake_flow_resume(&s, "first");
  }
  tap_ok(s.result.cause == CK_E_LIMIT && ck_session_totals(s.session)->cost_micros == 200,
         "resumed five times more, it says the same, and nothing counts twice");
  fake_flow_crash(&s);
  profile->budget_micros = 1000;
  fake_flow_resume(&s, "first");
  tap_is_int((int64_t)s.count, 2, "with a higher limit both go on");
  for (int i = 0; i < 2; i++) fake_flow_ok(&s, "a@", reply, 10);
  for (int i = 0; i < 2; i++) fake_flow_ok(&s, "b@", reply, 10);
  tap_is_int(s.result.status, CK_SESSION_COMPLETED, "to the end");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 240,
             "which cost what was paid and what was lost");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* An agent's own limit, and that of the one above it. */
static void check_agent(const char *id, const char *agent, int64_t limit, int64_t begun) {
  ck_profile *profile = make_profile(-1);
  ck_profile_agent *limited;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_put_agent(&limited, profile, agent, &err) == CK_OK, "agent");
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, branches);
  fake_flow_start(&s, id);
  fake_flow_crash(&s);
  limited->budget_micros = limit;
  fake_flow_resume(&s, id);
  tap_is_int((int64_t)s.count, begun,
             "a limit of %lld for %s: %lld calls are begun where two were lost", (long long)limit,
             agent, (long long)begun);
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* A crash before the word is durable, and one after: it is said once. */
static void test_crash_at_once(void) {
  fake_flow s = {.reserve = 100, .retry = true};
  ck_error err = CK_ERROR_INIT;
  ck_resume_options options = {.retry = true};
  fake_flow_open(&s, branches);
  fake_flow_start(&s, "soon");
  fake_flow_crash(&s);
  for (int i = 0; i < 6; i++) {
    ck_execution_options how = {.engine = s.engine,
                                .flow = s.flow,
                                .drivers = s.drivers,
                                .clock = s.clock,
                                .waker = s.runtime->waker};
    tap_must(ck_session_resume(&s.session, s.runtime, "soon", &options, &err) == CK_OK,
             "resume: %s", err.text);
    how.session = s.session;
    tap_must(ck_execution_open(&s.execution, &how, &err) == CK_OK, "open: %s", err.text);
    fake_flow_crash(&s);
  }
  fake_flow_resume(&s, "soon");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 200,
             "opened six times without getting anywhere, it counts each lost call once");
  fake_flow_close(&s);
}

static void resolve(fake_flow *s, const char *id, const char *verdict) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(
      ck_session_resolve(s->runtime, id, "main.b@start/start/model/1", verdict, NULL, &err), CK_OK,
      &err, "%s: a person says %s", id, verdict);
}

/* Until somebody knows, its reserve is held; then it counts, unless it never happened. */
static void check_doubt(const char *verdict, int64_t spent) {
  ck_profile *profile = make_profile(1000);
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, doubtful);
  fake_flow_start(&s, verdict);
  fake_flow_ok(&s, "a@", reply, 10);
  fake_flow_crash(&s);
  profile->budget_micros = 250;
  fake_flow_resume(&s, verdict);
  tap_is_int((int64_t)s.count, 0,
             "%s: 110 are spent, 100 are in doubt: a call of 100 is not within 250", verdict);
  fake_flow_crash(&s);
  resolve(&s, verdict, verdict);
  profile->budget_micros = 1000;
  fake_flow_resume(&s, verdict);
  while (s.count > 0) fake_flow_ok(&s, s.started[0].key, reply, 10);
  tap_is_int(s.result.status, CK_SESSION_COMPLETED, "%s: it goes on to its end", verdict);
  tap_is_int(ck_session_totals(s.session)->cost_micros, spent, "%s: what was in doubt counts",
             verdict);
  fake_flow_close(&s);
  ck_profile_free(profile);
}

static ck_status in_doubt(ck_doubt_answer *out, void *self, const ck_effect *effect,
                          ck_error *err) {
  (void)effect, (void)err;
  *out = *(const ck_doubt_answer *)self;
  return CK_OK;
}

/* The policies have the word on it; `lost`: a crash does, otherwise the driver says that it cannot
 * tell. */
static void check_policy(const char *id, ck_doubt_word word, bool lost, int64_t spent) {
  ck_error err = CK_ERROR_INIT;
  ck_doubt_answer answer = {.word = word, .policy = "p"};
  ck_policy_engine policies = {
      .self = &answer, .checkpoint = ck_policy_always.checkpoint, .in_doubt = in_doubt};
  fake_flow s = {.reserve = 100, .policies = &policies};
  fake_flow_open(&s, HEAD "return " MODEL("once") ".status" TAIL);
  fake_flow_start(&s, id);
  if (lost) {
    fake_flow_crash(&s);
    fake_flow_resume(&s, id);
  } else {
    ck_outcome *unknown;
    tap_must(ck_outcome_new(&unknown, CK_OUTCOME_UNKNOWN, NULL, "who knows", &err) == CK_OK,
             "outcome");
    s.count = 0;
    s.started[0].sink->done(s.started[0].sink, unknown);
    fake_flow_turn(&s);
  }
  if (s.count > 0) fake_flow_ok(&s, "model/1", reply, 10);
  tap_ok(
      s.result.status == CK_SESSION_COMPLETED && ck_session_totals(s.session)->cost_micros == spent,
      "%s: the session ends, and %lld were spent", id,
      (long long)ck_session_totals(s.session)->cost_micros);
  fake_flow_close(&s);
}

/* What a driver can say of a call that was begun. */
static ck_outcome_status known;
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

static void deliver_cost(fake_flow *s, int64_t cost) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value = NULL;
  ck_outcome *outcome;
  tap_must(s->count == 1 && strncmp(s->started[0].key, "probe", 5) == 0, "it is probed first");
  tap_must(ck_value_new(&value, ck_bytes_text(reply), &err) == CK_OK, "value");
  tap_must(ck_outcome_new(&outcome, known, known == CK_OUTCOME_OK ? value : NULL,
                          known == CK_OUTCOME_OK ? NULL : "?", &err) == CK_OK,
           "outcome");
  outcome->cost_micros = cost;
  ck_value_free(value);
  s->count = 0;
  s->started[0].sink->done(s->started[0].sink, outcome);
  fake_flow_turn(s);
}

static void check_probe(ck_outcome_status says, int64_t cost, int64_t spent) {
  ck_profile *profile = make_profile(150);
  fake_flow s = {.profile = profile, .reserve = 100};
  known = says;
  fake_flow_open(&s, HEAD MODEL("idempotent") " return 1" TAIL);
  s.driver.probe = probe;
  fake_flow_start(&s, "probed");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "probed");
  deliver_cost(&s, cost);
  if (s.count > 0) fake_flow_ok(&s, "model/1", reply, 10);
  const char *name = ck_outcome_status_name(says);
  tap_is_int(ck_session_totals(s.session)->cost_micros, spent,
             "a probe says \"%s\": it counts as that", name);
  bool ends = says != CK_OUTCOME_UNKNOWN;
  tap_is_int(s.result.status, ends ? CK_SESSION_COMPLETED : CK_SESSION_PAUSED, "\"%s\": and %s",
             name, ends ? "the session ends" : "another call is over the limit");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* Two under one agent: the call of one was lost, and a probe that has not answered may tell of it;
 * the other one wants to ask. */
#define SIBLINGS                                                                             \
  "if ctx.task == 3 then ctx.fork { { scope = 'a', task = 1, agent = 'a' }, { scope = 'b', " \
  "task = 2, agent = 'b' } } ctx.join { 'a', 'b' } return 1 end "                            \
  "ctx.fork { { scope = 'team', task = 3, agent = 'team' } } ctx.join { 'team' } return 1"
#define BESIDE(class) \
  "ctx.effect { kind = 'model', class = '" class "', request = {} } return 1 end "
static const char siblings[] =
    HEAD "if ctx.task == 1 then ctx.effect { kind = 'tool', class = 'pure', request = {} } " BESIDE(
        "pure") "if ctx.task == 2 then " BESIDE("idempotent") SIBLINGS TAIL;

static void check_siblings(const char *id, const char *agent, int64_t limit, bool begins) {
  ck_profile *profile = make_profile(-1);
  ck_profile_agent *limited;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_put_agent(&limited, profile, agent, &err) == CK_OK, "agent");
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, siblings);
  s.driver.probe = probe;
  fake_flow_start(&s, id);
  fake_flow_crash(&s);
  limited->budget_micros = limit;
  fake_flow_resume(&s, id);
  tap_must(s.count == 2, "both are probed");
  fake_flow_ok(&s, "tool/1", "\"seen\"", 0);
  tap_is_int(fake_flow_is_running(&s, "a@") && !s.result.status, begins,
             "100 of another one's are lost, or not: with a limit of %lld for %s a call of 100 %s",
             (long long)limit, agent, begins ? "is begun" : "is not");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* Stores of earlier versions: the intent does not name its payers. */
static void test_old_intent(void) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body;
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, HEAD "ctx.effect { kind = 'ask', class = 'idempotent', request = { question = "
                          "'Well?' } } return 1" TAIL);
  fake_flow_start(&s, "old");
  tap_must(
      ck_value_new(
          &body,
          ck_bytes_text("{\"key\":\"main/start/model/"
                        "1\",\"attempt\":1,\"kind\":\"model\",\"class\":\"pure\",\"digest\":\"\","
                        "\"reserve\":70,\"request\":{}}"),
          &err) == CK_OK,
      "body");
  tap_must(ck_session_append(s.session, CK_EVENT_INTENT, "main", "ann", body, &err) == CK_OK,
           "append");
  ck_value_free(body);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "old");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 70,
             "an intent that names no payers counts for the session");
  tap_is_int(spent_by(&s, "ann"), 70, "and for the agent that asked");
  fake_flow_close(&s);
}

/* A dry run says what a resume will find. */
static void count_again(void *to, const ck_dry_run_effect *effect) {
  *(int *)to += effect->what == CK_DRY_RUN_AGAIN;
}

static void test_dry_run(void) {
  ck_dry_run plan;
  ck_error err = CK_ERROR_INIT;
  int again = 0;
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, branches);
  fake_flow_start(&s, "planned");
  fake_flow_crash(&s);
  for (int i = 0; i < 2; i++) {
    again = 0;
    tap_is_status(ck_session_dry_run(&plan, s.runtime, "planned", &(ck_resume_options){0},
                                     &(ck_dry_run_visitor){count_again, NULL, &again}, &err),
                  CK_OK, &err, "a dry run of it");
    tap_ok(plan.constraints[CK_DIMENSION_BUDGET].spent == 200 + i * 200 && again == 2,
           "%d calls are made again, %lld are spent", again,
           (long long)plan.constraints[CK_DIMENSION_BUDGET].spent);
    fake_flow_resume(&s, "planned");
    fake_flow_crash(&s);
  }
  fake_flow_close(&s);
}

/* What a dry run takes itself is no running time of the session: told twice, it is the same. */
static void test_dry_run_time(void) {
  clock_steps seconds = {.step_us = 1000000};
  ck_dry_run plan;
  ck_error err = CK_ERROR_INIT;
  int again = 0;
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, branches);
  fake_flow_start(&s, "timed");
  fake_flow_crash(&s);
  ck_clock before = s.runtime->clock;
  s.runtime->clock = clock_of_steps(&seconds);
  tap_is_status(ck_session_dry_run(&plan, s.runtime, "timed", &(ck_resume_options){0},
                                   &(ck_dry_run_visitor){count_again, NULL, &again}, &err),
                CK_OK, &err, "a dry run that takes seconds");
  tap_is_int(plan.constraints[CK_DIMENSION_TIME].spent, 0, "none of them is the session's");
  s.runtime->clock = before;
  fake_flow_close(&s);
}

/* A call of the checkpoint's time that its session goes on with: whoever forks does not pay for
 * it. */
static void test_fork(void) {
  ck_error err = CK_ERROR_INIT;
  ck_history_edit_result forked;
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, branches);
  fake_flow_start(&s, "origin");
  fake_flow_ok(&s, "a@", reply, 10);
  fake_flow_crash(&s);
  tap_is_status(ck_session_fork(&forked, s.runtime, "origin",
                                &(ck_history_edit_options){.fork = "fork"}, &err),
                CK_OK, &err, "it is forked");
  fake_flow_resume(&s, "fork");
  tap_is_int(ck_session_totals(s.session)->cost_micros - s.session->spent.base.cost_micros, 0,
             "the fork has spent nothing");
  fake_flow_close(&s);
}

static const char twice[] =
    HEAD "if not ctx.position then " MODEL("pure") "ctx.boundary('tool_round', { position = { path "
                                                   "= 'n' } }) end " MODEL("pure") "return 1" TAIL;

/* A branch without a checkpoint is left behind with a call that it had begun; the one that counts
 * has counted it as lost, finished the call, and stands at a checkpoint behind both. */
static void test_known_outcome(void) {
  fake_flow s = {.reserve = 100};
  fake_flow_open(&s, twice);
  fake_flow_start(&s, "known");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "known");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 100, "the first call counts as lost");
  fake_flow_ok(&s, "main/", reply, 10);
  tap_is_int(ck_session_totals(s.session)->cost_micros, 110, "made again it is paid");
  for (int lost = 1; lost < 4; lost++) {
    fake_flow_crash(&s);
    fake_flow_resume(&s, "known");
    tap_is_int(ck_session_totals(s.session)->cost_micros, 110 + 100 * lost,
               "resumed behind it, the second one alone counts as lost once more");
  }
  fake_flow_ok(&s, "main/", reply, 10);
  tap_is_int(s.result.status, CK_SESSION_COMPLETED, "to the end");
  fake_flow_close(&s);
}

int main(void) {
  test_known_outcome();
  test_first_to_ask();
  check_agent("own", "b", 150, 1);
  check_agent("above", "team", 250, 0);
  test_crash_at_once();
  check_doubt("done", 220);
  check_doubt("abort", 220);
  check_doubt("retry", 230);
  check_policy("told", CK_DOUBT_TELL, true, 100);
  check_policy("told-unknown", CK_DOUBT_TELL, false, 100);
  check_policy("rerun", CK_DOUBT_RERUN, true, 110);
  check_policy("rerun-unknown", CK_DOUBT_RERUN, false, 110);
  check_probe(CK_OUTCOME_OK, 30, 30);
  check_probe(CK_OUTCOME_ABSENT, 0, 10);
  check_probe(CK_OUTCOME_UNKNOWN, 0, 100);
  check_siblings("sibling-held", "team", 150, false);
  check_siblings("sibling-room", "team", 200, true);
  check_siblings("sibling-own", "a", 150, true);
  test_old_intent();
  test_dry_run();
  test_dry_run_time();
  test_fork();
  return tap_done();
}
