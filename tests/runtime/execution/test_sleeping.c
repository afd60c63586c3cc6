/* test_sleeping.c - when an execution does nothing but wait for a time, and until when. */
#include <string.h>

#include "tests/clock.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define FORK                                                                         \
  "if ctx.task == 1 then return ctx.effect { kind = 'sleep', class = 'idempotent', " \
  "request = { ms = 60000 } }.status end "                                           \
  "if ctx.task == 2 then return ctx.effect { kind = 'sleep', class = 'idempotent', " \
  "request = { ms = 9000 } }.status end "                                            \
  "if ctx.task == 3 then return ctx.effect { kind = 'tool', class = 'idempotent', "  \
  "request = { name = 'work', arguments = {} } }.status end "                        \
  "if ctx.task == 4 then return ctx.effect { kind = 'ask', class = 'idempotent', "   \
  "request = { question = 'go?' } }.status end "                                     \
  "ctx.fork { { scope = 'long', task = 1 }, { scope = 'short', task = 2 }, "         \
  "{ scope = 'work', task = 3 }, { scope = 'ask', task = 4 } } "                     \
  "ctx.join { 'long', 'short', 'work', 'ask' } return 1"

static int64_t now_ms;
static int64_t read_wall(void *self) { return (void)self, now_ms; }

static bool retries; /* as `until` found last */
static int64_t until(const fake_flow *flow) {
  return ck_execution_sleeps_until(&retries, flow->execution);
}

/* Waits an hour after the first try, two after the second. */
static uint32_t tries[8], asked;
static ck_status try_again(ck_failure_answer *out, void *self, const ck_failure *failure,
                           ck_error *err) {
  (void)self, (void)err;
  if (asked < 8) tries[asked] = failure->tries;
  asked++;
  out->word = CK_FAILURE_RETRY;
  out->wait_ms = 3600000 * (int64_t)failure->tries;
  return CK_OK;
}
static const ck_policy_engine patient = {.on_failure = try_again};

#define WORK                                                                                      \
  "return ctx.effect { kind = 'tool', class = 'idempotent', request = { name = 'work', arguments" \
  " = {} } }.status"

/* As a worker does: the wait is cancelled, and the session rests. */
static void release(fake_flow *flow) {
  ck_execution_pause(flow->execution, "sleeping");
  fake_flow_deliver_cancelled(flow);
  tap_ok(flow->status == CK_OK && flow->result.status == CK_SESSION_PAUSED, "it can be released");
  fake_flow_crash(flow);
}

static void test_retries(void) {
  clock_steps steps = {.step_us = 1};
  fake_flow flow = {.clock = clock_of_steps(&steps), .policies = &patient, .goes_on_waiting = true};
  flow.clock.wall_ms = read_wall;
  now_ms = 1000000;
  fake_flow_open(&flow, HEAD WORK TAIL);
  flow.driver.name = "sleep";
  fake_flow_start(&flow, "r");
  tap_ok(until(&flow) == 0, "an effect that is tried is no wait");
  fake_flow_failed(&flow, "tool/", CK_E_UNAVAILABLE, "away");
  tap_ok(until(&flow) == 4600000 && retries, "one that failed waits for its next try");
  release(&flow);
  now_ms = 2000000;
  fake_flow_resume(&flow, "r");
  tap_ok(until(&flow) == 4600000, "another run of the queue waits until the same moment");
  tap_ok(asked == 1, "and asks no policy what it was asked before");
  release(&flow);
  now_ms = 4600000;
  fake_flow_resume(&flow, "r");
  tap_ok(flow.count == 1 && until(&flow) == 0, "when it is due it is tried at once");
  fake_flow_failed(&flow, "tool/", CK_E_UNAVAILABLE, "away");
  tap_ok(asked == 2 && tries[1] == 2, "the policy is told which try that was");
  tap_ok(until(&flow) == 4600000 + 7200000, "and has it wait longer");
  release(&flow);
  now_ms = 11800000;
  fake_flow_resume(&flow, "r");
  fake_flow_failed(&flow, "tool/", CK_E_UNAVAILABLE, "away");
  tap_ok(asked == 3 && tries[2] == 3 && flow.result.status == CK_SESSION_FAILED,
         "behind the third nobody waits");
  fake_flow_crash(&flow);
  fake_flow_resume(&flow, "r");
  tap_ok(flow.count == 1 && until(&flow) == 0, "a run of the session that failed begins anew");
  fake_flow_failed(&flow, "tool/", CK_E_UNAVAILABLE, "away");
  tap_ok(asked == 4 && tries[3] == 1, "with the first try");
  release(&flow);
  flow.goes_on_waiting = false;
  fake_flow_resume(&flow, "r");
  tap_ok(flow.count == 1 && until(&flow) == 0, "a person who resumes it has it tried at once");
  fake_flow_failed(&flow, "tool/", CK_E_UNAVAILABLE, "away");
  tap_ok(asked == 5 && tries[4] == 1, "as for the first time");
  fake_flow_crash(&flow);
  fake_flow_close(&flow);
}

/* A sleep, a longer one, a tool and a question side by side. */
static void test_sleeps(void) {
  clock_steps steps = {.step_us = 1};
  fake_flow flow = {.clock = clock_of_steps(&steps)};
  flow.clock.wall_ms = read_wall;
  now_ms = 1000000;
  fake_flow_open(&flow, HEAD FORK TAIL);
  flow.driver.name = "sleep";
  fake_flow_start(&flow, "s");
  tap_ok(flow.count == 4, "four effects are under way");
  tap_ok(until(&flow) == 0 && !retries,
         "beside a tool and a question nobody says that it only sleeps");
  fake_flow_ok(&flow, "work", "null", 0);
  tap_ok(until(&flow) == 0, "nor beside a question that somebody is asked here");
  fake_flow_failed(&flow, "ask/", CK_E_WAITING, "go?");
  tap_ok(until(&flow) == 1009000, "with a question that waits for a person it sleeps, until the "
                                  "first of its sleeps is over");
  fake_flow_ok(&flow, "short", "null", 0);
  tap_ok(until(&flow) == 1060000 && !retries, "then until the next one is");
  fake_flow_crash(&flow);
  now_ms = 1050000;
  fake_flow_resume(&flow, "s");
  fake_flow_failed(&flow, "ask/", CK_E_WAITING, "go?");
  tap_ok(until(&flow) == 1060000, "in another process until the same moment");
  flow.driver.name = "cassette";
  tap_ok(until(&flow) == 0, "not where a recording answers it");
  flow.driver.name = "sleep";
  ck_execution_pause(flow.execution, NULL);
  tap_ok(until(&flow) == 0, "nor when it is to end");
  fake_flow_deliver_cancelled(&flow);
  fake_flow_close(&flow);
}

int main(void) {
  test_sleeps();
  test_retries();
  return tap_done();
}
