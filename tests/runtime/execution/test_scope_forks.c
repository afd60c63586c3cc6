/* test_scope_forks.c - several coroutines in one session: what one waits for holds up no other, and
 * however the session ends, each comes to rest where it can go on. */
#include <stdio.h>
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define TOOL(n) \
  "ctx.effect { kind = 'tool', class = 'once', request = { name = '" n "', arguments = {} } }"

/* Two branches, one tool each; the main coroutine returns what each gave. */
static const char two[] =
    HEAD "if ctx.task then if not ctx.position then "
         "  ctx.memory[ctx.task] = ctx.effect { kind = 'tool', class = 'once', request = { name = "
         "ctx.task, arguments = {} } }.result "
         "  ctx.boundary('step_complete', { position = { path = 'b' } }) end "
         "  local r = ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } } "
         "return r.status end "
         "if not ctx.position then ctx.fork { { scope = 'a', task = 'a' }, { scope = 'b', task = "
         "'b' } } end "
         "local r = ctx.join { 'a', 'b' } "
         "return { r.a.result, r.a.writes['memory.a'], r.b.result, r.b.writes['memory.b'] }" TAIL;

static const char reply[] = "{\"role\":\"assistant\",\"content\":\"x\"}";

static void test_side_by_side(void) {
  fake_flow s = {0};
  fake_flow_open(&s, two);
  fake_flow_start(&s, "side");
  tap_is_int((int64_t)s.count, 2, "both branches' tools are under way at once");
  fake_flow_ok(&s, "a@start/start/tool/1", "\"A\"", 0);
  tap_ok(fake_flow_is_running(&s, "a@start/b/model/1"), "one goes on while the other waits");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "side");
  fake_flow_ok(&s, "a@start/b/model/1", reply, 0);
  tap_is_int(s.status, CK_OK, "after a crash, the tool of the other is in doubt");
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "and the session says so");
  tap_ok(!strstr(s.log.data ? s.log.data : "", "tool"), "no tool ran again");
  fake_flow_close(&s);
}

static void test_pause_waits_for_all(void) {
  fake_flow s = {0};
  fake_flow_open(&s, two);
  fake_flow_start(&s, "pause");
  ck_execution_pause(s.execution, "enough");
  fake_flow_turn(&s);
  tap_is_int(s.status, CK_E_PENDING, "a pause waits for what is under way");
  fake_flow_ok(&s, "a@", "\"A\"", 0);
  tap_is_int(s.status, CK_E_PENDING, "for the other branch, too");
  tap_ok(!fake_flow_is_running(&s, "model"), "but begins nothing behind a boundary");
  fake_flow_ok(&s, "b@", "\"B\"", 0);
  tap_ok(s.status == CK_OK && s.result.status == CK_SESSION_PAUSED && s.result.cause == CK_E_PAUSED,
         "then it is paused");
  tap_is_text(s.result.text, "enough", "for the reason given");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "pause");
  tap_is_int((int64_t)s.count, 2, "both branches go on");
  tap_ok(!strstr(s.log.data, "tool"), "behind their tools");
  fake_flow_ok(&s, "a@", reply, 10);
  fake_flow_ok(&s, "b@", reply, 10);
  tap_is_int(s.result.status, CK_SESSION_COMPLETED, "to the end");
  tap_is_text(fake_flow_result(&s, "pause"), "[\"ok\",\"\\\"A\\\"\",\"ok\",\"\\\"B\\\"\"]",
              "and the parent gets results and writes of both");
  fake_flow_close(&s);
}

static void test_grace_is_over(void) {
  fake_flow s = {0};
  fake_flow_open(&s, two);
  fake_flow_start(&s, "grace");
  fake_flow_ok(&s, "a@", "\"A\"", 0);
  ck_execution_pause(s.execution, NULL);
  ck_execution_stop(s.execution);
  fake_flow_deliver_cancelled(&s);
  tap_is_int(
      s.result.status, CK_SESSION_IN_DOUBT,
      "a once tool that was cancelled leaves the session in doubt, although it was to pause");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "grace");
  fake_flow_ok(&s, "a@start/b/model/1", reply, 0);
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "and a resume does not run it");
  tap_ok(!strstr(s.log.data ? s.log.data : "", "tool"), "at all");
  fake_flow_close(&s);
}

/* A tool that could not be begun for want of memory or descriptors is begun by a resume. */
static void test_shortage_pauses(void) {
  static const ck_status short_of[] = {CK_E_NO_MEMORY, CK_E_UNAVAILABLE};
  for (size_t i = 0; i < sizeof short_of / sizeof *short_of; i++) {
    fake_flow s = {0};
    fake_flow_open(&s, two);
    fake_flow_start(&s, "short");
    fake_flow_failed(&s, "a@", short_of[i], "there is none");
    fake_flow_ok(&s, "b@", "\"B\"", 0);
    tap_is_int(s.result.status, CK_SESSION_PAUSED, "%s pauses the session",
               ck_status_name(short_of[i]));
    fake_flow_crash(&s);
    fake_flow_resume(&s, "short");
    tap_ok(fake_flow_is_running(&s, "a@start/start/tool/1"), "a resume begins the tool");
    fake_flow_close(&s);
  }
}

/* A question in one branch, work in the other. */
static const char asks[] = HEAD
    "if ctx.task == 'a' then return ctx.effect { kind = 'ask', class = 'idempotent', request = { "
    "question = 'Which?' } }.result end "
    "if ctx.task == 'b' then for i = 1, 2 do " TOOL(
        "t") " ctx.boundary('step_complete', { position = { path = 'b' .. i } }) end return 1 end "
             "ctx.fork { { scope = 'a', task = 'a' }, { scope = 'b', task = 'b' } } return "
             "ctx.join { 'a', 'b' }.a.result" TAIL;

static void test_waits_for_a_person(void) {
  fake_flow s = {0};
  ck_error err = CK_ERROR_INIT;
  fake_flow_open(&s, asks);
  fake_flow_start(&s, "asks");
  fake_flow_failed(&s, "ask/1", CK_E_WAITING, "Which?");
  tap_is_int(s.status, CK_E_PENDING, "a question nobody answers holds up no other branch");
  fake_flow_ok(&s, "b@", "1", 0);
  fake_flow_ok(&s, "b@", "1", 0);
  tap_is_int(s.result.status, CK_SESSION_WAITING, "then the session waits");
  tap_is_text(s.result.text, "Which?", "and says for what");
  tap_is_status(ck_execution_answer(s.execution, NULL, "late", &err), CK_OK, &err,
                "an answer that comes too late for this process is no error");
  fake_flow_close(&s);
}

static void test_answered_while_others_go_on(void) {
  fake_flow s = {0};
  ck_error err = CK_ERROR_INIT;
  fake_flow_open(&s, asks);
  fake_flow_start(&s, "answered");
  fake_flow_failed(&s, "ask/1", CK_E_WAITING, "Which?");
  tap_is_status(ck_execution_answer(s.execution, "main/x/ask/9", "this", &err), CK_E_NOT_FOUND,
                &err, "an answer to no question");
  tap_is_status(ck_execution_answer(s.execution, NULL, "this", &err), CK_OK, &err,
                "the answer comes while the other branch works");
  fake_flow_turn(&s);
  err = (ck_error)CK_ERROR_INIT;
  tap_is_status(ck_execution_answer(s.execution, NULL, "that", &err), CK_E_NOT_FOUND, &err,
                "a second one finds nothing to answer");
  fake_flow_ok(&s, "b@", "1", 0);
  fake_flow_ok(&s, "b@", "1", 0);
  tap_is_text(fake_flow_result(&s, "answered"), "\"this\"",
              "it is applied once, and the session completes");
  fake_flow_close(&s);
}

static bool withdraw(void *self, ck_effect_run *run, const char *answer) {
  (void)self, (void)run, (void)answer;
  return true;
}

/* One driver may serve questions and sleeps. */
static void test_sleeps_are_no_questions(void) {
  fake_flow s = {0};
  ck_error err = CK_ERROR_INIT;
  fake_flow_open(&s,
                 HEAD "return ctx.effect { kind = 'sleep', class = 'pure', request = { ms = 1 } "
                      "}.status" TAIL);
  s.driver.withdraw = withdraw;
  fake_flow_start(&s, "sleeps");
  tap_is_status(ck_execution_answer(s.execution, NULL, "up", &err), CK_E_NOT_FOUND, &err,
                "a sleep takes no answer to whichever question is open");
  fake_flow_ok(&s, "sleep/1", "null", 0);
  tap_is_int(s.result.status, CK_SESSION_COMPLETED, "and goes on when it is over");
  fake_flow_close(&s);
}

static void check_failure(const char *flow, const char *part) {
  fake_flow s = {0};
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "bad");
  bool good = s.result.status == CK_SESSION_FAILED && strstr(s.result.text, part);
  tap_ok(good, "refused: %s", part);
  if (!good) tap_diag("got: %s", s.result.text);
  fake_flow_close(&s);
}

static void test_misuse(void) {
  check_failure(HEAD "if ctx.task then " TOOL(
                    "t") " end ctx.fork { { scope = 'a', task = 1 } } return 1" TAIL,
                "must be joined");
  check_failure(HEAD "ctx.join { 'nobody' } return 1" TAIL, "has not forked");
  check_failure(
      HEAD "if ctx.task then " TOOL("t") " end ctx.fork { { scope = 'a', task = 1 } } ctx.fork { { "
                                         "scope = 'a', task = 2 } } return 1" TAIL,
      "open already");
  check_failure(HEAD "if ctx.task then return 1 end ctx.fork { { scope = 'a', task = 1 } } "
                     "ctx.join { 'a' } ctx.fork { { scope = 'a', task = 1 } } return 1" TAIL,
                "a boundary is needed first");
  check_failure(HEAD "if ctx.task then error('inner', 0) end ctx.fork { { scope = 'a', task = 1 } "
                     "} local r = ctx.join { 'a' } error(r.a.error, 0)" TAIL,
                "inner");
}

/* The same scope again behind a boundary: its conversation goes on, its effects are others. */
static const char again[] =
    HEAD "if ctx.task then ctx.message('user', 'n' .. ctx.task) ctx.effect { kind = 'model', class "
         "= 'pure', request = { model = 'm' } } "
         "  return ctx.conversation_length() end "
         "local first = ctx.position and ctx.position.first "
         "if not first then ctx.fork { { scope = 'analyst', task = 1, agent = 'analyst' } } first "
         "= ctx.join { 'analyst' }.analyst.result "
         "  ctx.boundary('round_complete', { position = { path = 'round#2', first = first } }) end "
         "ctx.fork { { scope = 'analyst', task = 2, agent = 'analyst' } } return { first, ctx.join "
         "{ 'analyst' }.analyst.result }" TAIL;

static void test_forked_again(void) {
  fake_flow s = {0};
  fake_flow_open(&s, again);
  fake_flow_start(&s, "again");
  fake_flow_ok(&s, "analyst@start/start/model/1", reply, 1);
  tap_ok(fake_flow_is_running(&s, "analyst@round#2/start/model/1"),
         "a scope that is forked again has effects of its own");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "again");
  tap_ok(fake_flow_is_running(&s, "analyst@round#2/start/model/1"), "also after a resume");
  fake_flow_ok(&s, "analyst@round#2", reply, 1);
  tap_is_text(fake_flow_result(&s, "again"), "[2,4]", "and goes on with its conversation");
  fake_flow_close(&s);
}

/* After a failure the flow goes another way: what a join was given on the first way does not answer
 * for the second. */
static const char other_way[] =
    HEAD "local way = ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } "
         "}.result.content "
         "local one, two = way .. '1', way .. '2' "
         "if ctx.task then return " TOOL(
             "t") ".result end "
                  "ctx.fork { { scope = one, task = 1 }, { scope = two, task = 1 } } local r = "
                  "ctx.join_any { one, two } "
                  "if way == 'x' then error('no', 0) end ctx.join { r[one] and two or one } return "
                  "r[one] and 'one' or r[two] and 'two' or 'none'" TAIL;

#define SAYS(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"

static void test_join_on_another_way(void) {
  fake_flow s = {0};
  fake_flow_open(&s, other_way);
  fake_flow_start(&s, "ways");
  fake_flow_ok(&s, "main/start/model/1", SAYS("x"), 0);
  fake_flow_ok(&s, "x1@start/start/model/1", SAYS("x"), 0);
  fake_flow_ok(&s, "x2@start/start/model/1", SAYS("x"), 0);
  fake_flow_ok(&s, "x1@", "1", 0);
  fake_flow_ok(&s, "x2@", "1", 0);
  tap_is_int(s.result.status, CK_SESSION_FAILED, "the first way fails");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "ways");
  fake_flow_ok(&s, "main/start/model/1", SAYS("y"), 0);
  fake_flow_ok(&s, "y1@start/start/model/1", SAYS("y"), 0);
  fake_flow_ok(&s, "y2@start/start/model/1", SAYS("y"), 0);
  fake_flow_ok(&s, "y2@", "1", 0);
  fake_flow_ok(&s, "y1@", "1", 0);
  tap_is_text(fake_flow_result(&s, "ways"), "\"two\"", "the second waits for one of its own: %s",
              s.result.text);
  fake_flow_close(&s);
}

int main(void) {
  test_join_on_another_way();
  test_side_by_side();
  test_pause_waits_for_all();
  test_grace_is_over();
  test_shortage_pauses();
  test_waits_for_a_person();
  test_answered_while_others_go_on();
  test_sleeps_are_no_questions();
  test_misuse();
  test_forked_again();
  return tap_done();
}
