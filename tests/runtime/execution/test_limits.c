/* test_limits.c - constraints: no limit is passed where the price is known, every ancestor pays,
 * and no crash forgets a micro-dollar. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/history/rewind.h"
#include "core/runtime/execution/limits.h"
#include "core/runtime/history/resolve.h"
#include "tests/runtime/execution/limits_fixture.h"
#include "tests/dice.h"
#include "tests/tap.h"

static int64_t count_events(fake_flow *s, const char *what);

typedef struct finding {
  const char *what;
  int64_t count;
} finding;

static bool find(void *to, const ck_event *event) {
  finding *self = to;
  self->count += ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "what"), self->what);
  return true;
}

static int64_t count_events(fake_flow *s, const char *what) {
  ck_error err = CK_ERROR_INIT;
  finding f = {.what = what};
  ck_event_query query = {.session = ck_session_get_record(s->session)->no,
                          .kinds = 1ull << CK_EVENT_CONSTRAINT};
  tap_must(ck_session_flush(s->session, CK_DURABLE_PROCESS, &err) == CK_OK, "flush: %s", err.text);
  tap_must(ck_store_read_events(s->runtime->store, &query, find, &f, &err) == CK_OK, "events: %s",
           err.text);
  return f.count;
}

static void test_exact(void) {
  char text[CK_ERROR_TEXT_MAX];
  ck_limit_hit hit = {
      .dimension = CK_DIMENSION_BUDGET, .agent = "x", .spent = 2466, .limit = 4000, .asked = 18000};
  ck_limits_describe(text, sizeof text, &hit);
  tap_is_text(text,
              "budget of agent x: $0.002466 of $0.004 spent, and the next call may cost $0.018",
              "money is written to the micro-dollar");
  ck_limits_write_remedy(text, sizeof text, &hit);
  tap_is_text(text, "--limit x.budget_usd=0.020466", "and so is what lifts the limit");
  hit = (ck_limit_hit){.dimension = CK_DIMENSION_BUDGET, .spent = 359999, .limit = 360000};
  ck_limits_describe(text, sizeof text, &hit);
  tap_is_text(text, "budget: $0.359999 of $0.36 spent", "what is not reached does not seem to be");
  hit = (ck_limit_hit){.dimension = CK_DIMENSION_TIME, .spent = 1234, .limit = 1000, .asked = -1};
  ck_limits_write_remedy(text, sizeof text, &hit);
  tap_is_text(text, "--limit time_s=3", "seconds are whole, and enough");
}

/* $4.80 of $5.00 leaves $0.20. */
static void test_budget(void) {
  ck_profile *profile = limits_profile();
  fake_flow s = {.profile = profile, .reserve = 150000};
  profile->budget_micros = 5000000;
  fake_flow_open(&s, limits_loop);
  fake_flow_start(&s, "budget");
  fake_flow_ok(&s, "model/1", limits_reply, 4000000);
  tap_is_int(count_events(&s, "approaching"), 1,
             "$4.00 of $5.00: it comes near, and that is recorded");
  fake_flow_ok(&s, "model/1", limits_reply, 800000);
  tap_is_int(count_events(&s, "approaching"), 1, "once");
  tap_is_int((int64_t)s.count, 1, "a call that costs at most $0.15 is within the $0.20 left");
  fake_flow_ok(&s, "model/1", limits_reply, 100000);
  tap_is_int((int64_t)s.count, 0, "with $0.10 left it is not begun");
  tap_ok(s.result.status == CK_SESSION_PAUSED && s.result.cause == CK_E_LIMIT,
         "the session pauses");
  tap_is_text(s.result.text,
              "budget: $4.90 of $5.00 spent, and the next call may cost $0.15; --limit "
              "budget_usd=5.05 lifts it",
              "and says why, and what lifts it");
  fake_flow_crash(&s);
  s.reserve = 100000;
  fake_flow_resume(&s, "budget");
  tap_is_int((int64_t)s.count, 1, "resumed, a call of at most $0.10 is begun");
  fake_flow_ok(&s, "model/1", limits_reply, 100000);
  tap_is_int(s.result.status, CK_SESSION_PAUSED, "and the next is not");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 5000000,
             "all of $5.00 was spent, and no more");
  fake_flow_crash(&s);
  profile->budget_micros = 6000000;
  fake_flow_resume(&s, "budget");
  tap_is_int((int64_t)s.count, 1, "with another dollar in the profile it goes on");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* Paused after 45 of 60 minutes, it has 60 fresh ones. */
static int64_t fake_us;
static int64_t fake_mono(void *self) {
  (void)self;
  return fake_us;
}
static int64_t fake_wall(void *self) {
  (void)self;
  return 1000 + fake_us / 1000;
}

static void test_time(void) {
  ck_profile *profile = limits_profile();
  const int64_t minute = 60000000;
  fake_flow s = {.profile = profile, .clock = {.mono_us = fake_mono, .wall_ms = fake_wall}};
  fake_us = 1;
  profile->time_ms = 60 * minute / 1000;
  fake_flow_open(&s, limits_loop);
  fake_flow_start(&s, "time");
  fake_us += 45 * minute;
  ck_execution_pause(s.execution, NULL);
  fake_flow_ok(&s, "model/1", limits_reply, 0);
  tap_is_int(s.result.cause, CK_E_PAUSED, "paused after 45 minutes");
  fake_flow_crash(&s);
  fake_us += 1000 * minute;
  fake_flow_resume(&s, "time");
  fake_us += 59 * minute;
  fake_flow_ok(&s, "model/1", limits_reply, 0);
  tap_is_int(s.status, CK_E_PENDING,
             "59 minutes after the resume it still runs, whatever lay between");
  fake_us += 2 * minute;
  fake_flow_ok(&s, "model/1", limits_reply, 0);
  tap_is_int(s.result.cause, CK_E_LIMIT, "after 61 it does not");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* An analyst under an orchestrator: who may spend, and who has spent. */
static const char nested[] =
    HEAD "if ctx.task == 2 then for i = 1, 10 do " MODEL
         " ctx.boundary('tool_round', { position = { path = 'c' .. i } }) end return 1 end "
         "if ctx.task == 1 then ctx.fork { { scope = 'child', task = 2, agent = 'child' } } return "
         "ctx.join { 'child' }.child.result end "
         "ctx.fork { { scope = 'parent', task = 1, agent = 'parent' } } return ctx.join { 'parent' "
         "}.parent.result" TAIL;

static void check_nested(const char *id, const char *agent, int64_t session_limit,
                         int64_t agent_limit, int calls) {
  ck_profile *profile = limits_profile();
  ck_profile_agent *limited;
  ck_error err = CK_ERROR_INIT;
  profile->budget_micros = session_limit;
  if (agent) {
    tap_must(ck_profile_put_agent(&limited, profile, agent, &err) == CK_OK, "agent");
    limited->budget_micros = agent_limit;
  }
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, nested);
  fake_flow_start(&s, id);
  int done = 0;
  for (; done < 10 && s.status == CK_E_PENDING && s.count > 0; done++)
    fake_flow_ok(&s, "child", limits_reply, 100);
  tap_is_int(done, calls, "%s: a limit of %s stops the child after %d calls", id,
             agent ? agent : "the session", calls);
  tap_ok(s.result.cause == CK_E_LIMIT && (!agent || strstr(s.result.text, agent)),
         "%s: and says whose it is", id);
  fake_flow_crash(&s);
  fake_flow_resume(&s, id);
  tap_ok(s.count == 0 && s.result.cause == CK_E_LIMIT, "%s: a resume forgets nothing of it", id);
  fake_flow_close(&s);
  ck_profile_free(profile);
}

static void test_hierarchy(void) {
  check_nested("own", "child", -1, 350, 3);
  check_nested("ancestor", "parent", -1, 200, 2);
  check_nested("session", NULL, 500, 0, 5);
}

/* Two under one agent, side by side: what one may cost is not there for the other. */
static void check_siblings(const char *agent, int64_t limit, size_t begun) {
  static const char flow[] =
      HEAD "if ctx.task == 2 then " MODEL " return 1 end "
           "if ctx.task == 1 then ctx.fork { { scope = 'a', task = 2, agent = 'a' }, "
           "{ scope = 'b', task = 2, agent = 'b' } } ctx.join { 'a', 'b' } return 1 end "
           "ctx.fork { { scope = 'team', task = 1, agent = 'team' } } ctx.join { 'team' } return "
           "1" TAIL;
  ck_profile *profile = limits_profile();
  ck_profile_agent *limited;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_put_agent(&limited, profile, agent, &err) == CK_OK, "agent");
  limited->budget_micros = limit;
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, flow);
  fake_flow_start(&s, agent);
  tap_is_int((int64_t)s.count, (int64_t)begun,
             "a limit of %lld for %s: %zu of two calls of 100 are begun", (long long)limit, agent,
             begun);
  while (s.count > 0) fake_flow_ok(&s, s.started[0].key, limits_reply, 10);
  tap_is_int(s.result.status, CK_SESSION_COMPLETED,
             "%s: once it is known that one took 10, the other is made, too", agent);
  fake_flow_close(&s);
  ck_profile_free(profile);
}

static void test_siblings(void) {
  check_siblings("team", 150, 1);
  check_siblings("a", 150, 2);
}

/* Counts of calls, also of those side by side. */
static void test_calls(void) {
  static const char flow[] =
      HEAD "if ctx.task then return " MODEL ".status end "
           "ctx.fork { { scope = 'a', task = 1 }, { scope = 'b', task = 1 }, { scope = 'c', task = "
           "1 } } return ctx.join { 'a', 'b', 'c' }" TAIL;
  ck_profile *profile = limits_profile();
  fake_flow s = {.profile = profile};
  profile->model_calls = 2;
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "calls");
  tap_is_int((int64_t)s.count, 2, "of three calls side by side, two are within a limit of two");
  fake_flow_ok(&s, "a@", limits_reply, 0);
  fake_flow_ok(&s, "b@", limits_reply, 0);
  tap_is_text(s.result.text, "model_calls: 2 of 2 spent; --limit model_calls=3 lifts it",
              "the third is what it pauses at, and the reason says what is spent by now");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

static void test_what_happens(void) {
  ck_profile *profile = limits_profile();
  fake_flow s = {.profile = profile, .reserve = 100};
  profile->budget_micros = 150;
  profile->on_limit = CK_LIMIT_FAIL;
  profile->minimum.rounds = 10;
  fake_flow_open(&s, limits_loop);
  fake_flow_start(&s, "fails");
  fake_flow_ok(&s, "model/1", limits_reply, 100);
  tap_ok(s.result.status == CK_SESSION_FAILED && s.result.cause == CK_E_LIMIT,
         "on_limit = fail: it fails");
  tap_is_int(count_events(&s, "hit"), 1, "the hit is an event");
  tap_is_int(count_events(&s, "conflict"), 1,
             "and so is that less than half of another minimum is met");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* Half of a minimum is enough. */
static void test_half(void) {
  ck_profile *profile = limits_profile();
  fake_flow s = {.profile = profile, .reserve = 100};
  profile->budget_micros = 150;
  profile->minimum.model_calls = 2;
  fake_flow_open(&s, limits_loop);
  fake_flow_start(&s, "half");
  fake_flow_ok(&s, "model/1", limits_reply, 100);
  tap_is_int(count_events(&s, "hit"), 1, "a limit is hit with half of another minimum met");
  tap_is_int(count_events(&s, "conflict"), 0, "which is no conflict");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* Crashes at random, in three coroutines: what was delivered was spent, and a call that was lost
 * counts at what it reserved. */
static void test_never_forgets(void) {
  static const char flow[] =
      HEAD "if ctx.task then for i = ctx.position and ctx.position.i or 1, 6 do " MODEL
           " ctx.boundary('tool_round', { position = { path = 'i#' .. i, i = i + 1 } }) end return "
           "1 end "
           "ctx.fork { { scope = 'a', task = 1, agent = 'a' }, { scope = 'b', task = 1, agent = "
           "'b' }, { scope = 'c', task = 1, agent = 'c' } } "
           "ctx.join { 'a', 'b', 'c' } return 1" TAIL;
  int wrong = 0, completed = 0, crashes = 0;
  test_dice dice = {4};
  for (int round = 0; round < 200; round++) {
    char id[32];
    snprintf(id, sizeof id, "never-%d", round);
    fake_flow s = {.reserve = 1000, .retry = true};
    int64_t spent = 0;
    fake_flow_open(&s, flow);
    fake_flow_start(&s, id);
    for (int move = 0; move < 400 && s.status == CK_E_PENDING; move++) {
      if (dice_pick(&dice, 5) == 0) {
        spent += (int64_t)s.count * 1000; /* begun, and lost */
        fake_flow_crash(&s);
        fake_flow_resume(&s, id);
        crashes++;
      } else if (s.count > 0) {
        int64_t cost = (int64_t)dice_pick(&dice, 900) + 1;
        char key[CK_STATE_KEY_MAX];
        snprintf(key, sizeof key, "%s", s.started[dice_pick(&dice, s.count)].key);
        spent += cost;
        fake_flow_ok(&s, key, limits_reply, cost);
      }
    }
    completed += s.result.status == CK_SESSION_COMPLETED;
    int64_t known = ck_session_totals(s.session)->cost_micros;
    if (known != spent)
      tap_diag("round %d: %lld spent, %lld known", round, (long long)spent, (long long)known);
    wrong += known != spent;
    fake_flow_close(&s);
  }
  tap_is_int(wrong, 0, "200 sessions, %d crashes: not a micro-dollar is forgotten", crashes);
  tap_is_int(completed, 200, "and all complete");
}

/* What only waits is put off when the session is to end, also what was asked for a moment
 * before. */
static void test_sleep_beside(void) {
  static const char flow[] =
      HEAD "ctx.effects { { kind = 'sleep', class = 'pure', request = { ms = 3600000 } }, "
           "{ kind = 'model', class = 'pure', request = { model = 'm' } } } return 1" TAIL;
  ck_profile *profile = limits_profile();
  fake_flow s = {.profile = profile, .reserve = 100};
  profile->budget_micros = 50;
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "sleep");
  fake_flow_deliver_cancelled(&s);
  tap_is_int(s.result.status, CK_SESSION_PAUSED,
             "a limit pauses the session although something sleeps");
  tap_is_int((int64_t)s.count, 0, "and nothing sleeps on");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* An agent has spent what it has spent, also when the session was rewound by hand since. */
static void test_rewound(void) {
  static const char flow[] = HEAD "local function ask() ctx.effect { kind = 'model', class = "
                                  "'pure', agent = 'a', request = { model = 'm' } } end "
                                  "if not ctx.position then ctx.boundary('loop_iteration', { "
                                  "position = { path = 'b' } }) end ask() ask() return 1" TAIL;
  ck_profile *profile = limits_profile();
  ck_profile_agent *limited;
  ck_history_edit_result rewound;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_put_agent(&limited, profile, "a", &err) == CK_OK, "agent");
  limited->budget_micros = 150;
  fake_flow s = {.profile = profile, .reserve = 100};
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "rewound");
  fake_flow_ok(&s, "model/1", limits_reply, 100);
  fake_flow_crash(&s);
  tap_is_status(ck_session_rewind(&rewound, s.runtime, "rewound",
                                  &(ck_history_edit_options){.report = "r"}, &err),
                CK_OK, &err, "it is rewound");
  fake_flow_resume(&s, "rewound");
  tap_ok(s.count == 0 && s.result.cause == CK_E_LIMIT,
         "what its agent spent before still counts: %s", s.result.text);
  fake_flow_close(&s);
  ck_profile_free(profile);
}

int main(void) {
  test_rewound();
  test_sleep_beside();
  test_exact();
  test_budget();
  test_time();
  test_hierarchy();
  test_siblings();
  test_calls();
  test_what_happens();
  test_half();
  test_never_forgets();
  return tap_done();
}
