/* test_limits_ask.c - on_limit = "ask": a person is asked for a new limit, and the answer counts
 * exactly once. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "tests/runtime/execution/limits_fixture.h"
#include "tests/tap.h"

static void test_asks(void) {
  ck_profile *profile = limits_profile();
  fake_flow s = {.profile = profile, .reserve = 100};
  profile->budget_micros = 150;
  profile->on_limit = CK_LIMIT_ASK;
  fake_flow_open(&s, limits_loop);
  fake_flow_start(&s, "asks");
  fake_flow_ok(&s, "model/1", limits_reply, 100);
  tap_is_int(s.result.status, CK_SESSION_WAITING, "on_limit = ask: it waits for a person");
  tap_ok(strstr(s.result.text, "new limit") != NULL, "and says what for: %s", s.result.text);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "asks");
  tap_is_int(s.result.status, CK_SESSION_WAITING, "also when it is resumed without an answer");
  fake_flow_crash(&s);
  limits_refuse(&s, "asks", "\"perhaps\"");
  fake_flow_resume(&s, "asks");
  tap_is_int(s.result.status, CK_SESSION_WAITING, "an answer that is no number leaves it waiting");
  fake_flow_crash(&s);
  limits_answer(&s, "asks", "\"0.00035\"");
  fake_flow_resume(&s, "asks");
  tap_is_int((int64_t)s.count, 1, "a new limit lets it go on");
  fake_flow_ok(&s, "model/1", limits_reply, 100);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "asks");
  tap_is_int(s.result.status, CK_SESSION_WAITING,
             "up to that limit: a call lost in a crash counts too");
  fake_flow_crash(&s);
  limits_answer(&s, "asks", "\"stop\"");
  fake_flow_resume(&s, "asks");
  tap_ok(s.result.status == CK_SESSION_FAILED && s.result.cause == CK_E_LIMIT, "stop ends it");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* A number that a person gave is kept with the word that it was taken: no crash asks for it
 * again. */
static void test_answer_survives(void) {
  ck_profile *profile = limits_profile();
  fake_flow s = {.profile = profile, .reserve = 100};
  profile->budget_micros = 150;
  profile->on_limit = CK_LIMIT_ASK;
  fake_flow_open(&s, HEAD MODEL MODEL "return 1" TAIL);
  fake_flow_start(&s, "given");
  fake_flow_ok(&s, "model/1", limits_reply, 100);
  tap_is_int(s.result.status, CK_SESSION_WAITING, "a person is asked");
  fake_flow_crash(&s);
  limits_answer(&s, "given", "\"0.00100\"");
  fake_flow_resume(&s, "given");
  tap_is_int((int64_t)s.count, 1, "and answers");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "given");
  tap_is_int((int64_t)s.count, 1, "after a crash the limit that was given still holds: %s",
             s.result.text);
  fake_flow_close(&s);
  ck_profile_free(profile);
}

static void count_question(void *to, const ck_open_effect *effect) {
  (void)effect;
  ++*(int *)to;
}

/* Two ask, one is answered, and that is enough for both. */
static void test_one_answer_for_two(void) {
  static const char flow[] = HEAD "if ctx.task then " MODEL
                                  " ctx.boundary('step_complete', { position = { path = 'b' } }) "
                                  "return ctx.effect { kind = 'ask', class = 'idempotent', request "
                                  "= { question = 'Well?' } }.result end "
                                  "ctx.fork { { scope = 'a', task = 1 }, { scope = 'b', task = 1 } "
                                  "} ctx.join { 'a', 'b' } return 1" TAIL;
  ck_profile *profile = limits_profile();
  ck_error err = CK_ERROR_INIT;
  ck_value *text;
  int open = 0;
  fake_flow s = {.profile = profile, .reserve = 100};
  profile->budget_micros = 50;
  profile->on_limit = CK_LIMIT_ASK;
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "two");
  fake_flow_crash(&s);
  tap_must(ck_value_new(&text, ck_bytes_text("\"0.00100\""), &err) == CK_OK, "value");
  tap_is_status(
      ck_session_answer(s.runtime, "two", "main.a@start/start/model/1/limit/1", text, &err), CK_OK,
      &err, "one of two questions is answered");
  ck_value_free(text);
  fake_flow_resume(&s, "two");
  tap_is_int((int64_t)s.count, 2, "both go on");
  fake_flow_crash(&s);
  tap_must(ck_session_list_questions(s.runtime, "two", count_question, &open, &err) == CK_OK,
           "questions");
  tap_is_int(open, 0, "and nothing is asked any more");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

/* A question that a crash left behind the checkpoint is asked again where a person can find it. */
static void test_question_survives(void) {
  static const char flow[] = HEAD "if ctx.task == 1 then " MODEL " return 1 end "
                                  "if ctx.task == 2 then ctx.effect { kind = 'sleep', class = "
                                  "'pure', request = { ms = 3600000 } } return 1 end "
                                  "ctx.fork { { scope = 'a', task = 1 }, { scope = 'b', task = 2 } "
                                  "} ctx.join { 'a', 'b' } return 1" TAIL;
  ck_profile *profile = limits_profile();
  ck_error err = CK_ERROR_INIT;
  int open = 0;
  fake_flow s = {.profile = profile, .reserve = 100};
  profile->budget_micros = 50;
  profile->on_limit = CK_LIMIT_ASK;
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "question");
  tap_is_int((int64_t)s.count, 1, "one branch waits for a word on the limit, the other sleeps");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "question");
  fake_flow_crash(&s);
  tap_must(ck_session_list_questions(s.runtime, "question", count_question, &open, &err) == CK_OK,
           "questions");
  tap_is_int(open, 1, "after a crash and a resume the question can be found");
  limits_answer(&s, "question", "\"0.00100\"");
  fake_flow_resume(&s, "question");
  tap_is_int((int64_t)s.count, 2, "and once it is answered the call is begun");
  fake_flow_close(&s);
  ck_profile_free(profile);
}

int main(void) {
  test_asks();
  test_answer_survives();
  test_one_answer_for_two();
  test_question_survives();
  return tap_done();
}
