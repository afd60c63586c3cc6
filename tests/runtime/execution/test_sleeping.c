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

static int64_t until(const fake_flow *flow) { return ck_execution_sleeps_until(flow->execution); }

/* A sleep, a longer one, a tool and a question side by side. */
int main(void) {
  clock_steps steps = {.step_us = 1};
  fake_flow flow = {.clock = clock_of_steps(&steps)};
  flow.clock.wall_ms = read_wall;
  now_ms = 1000000;
  fake_flow_open(&flow, HEAD FORK TAIL);
  flow.driver.name = "sleep";
  fake_flow_start(&flow, "s");
  tap_ok(flow.count == 4, "four effects are under way");
  tap_ok(until(&flow) == 0, "beside a tool and a question nobody says that it only sleeps");
  fake_flow_ok(&flow, "work", "null", 0);
  tap_ok(until(&flow) == 0, "nor beside a question that somebody is asked here");
  fake_flow_failed(&flow, "ask/", CK_E_WAITING, "go?");
  tap_ok(until(&flow) == 1009000, "with a question that waits for a person it sleeps, until the "
                                  "first of its sleeps is over");
  fake_flow_ok(&flow, "short", "null", 0);
  tap_ok(until(&flow) == 1060000, "then until the next one is");
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
  return tap_done();
}
