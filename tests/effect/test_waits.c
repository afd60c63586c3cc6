/* test_waits.c - sleeps that end on time whatever the clock does, questions that are answered or
 * wait, readings. */
#include <stdio.h>
#include <string.h>

#include "core/effect/ask.h"
#include "core/effect/read.h"
#include "core/effect/sleep.h"
#include "tests/effect/drive.h"
#include "tests/tap.h"

static ck_loop *loop;
static int64_t wall_ms, mono_us;

/* Time goes on by `tick_ms` at every look at the monotonic clock. */
static int64_t tick_ms;
static int64_t read_wall(void *self) {
  (void)self;
  return wall_ms;
}
static int64_t read_mono(void *self) {
  (void)self;
  return mono_us += tick_ms * 1000;
}
static const ck_clock clock_of_test = {.wall_ms = read_wall, .mono_us = read_mono};

static ck_effect_driver *driver;
static ck_effect effect;
static drive driven;

static void open_effect(ck_effect_kind kind, const char *request) {
  effect = (ck_effect){
      .scope = "main", .key = "k", .attempt = 1, .kind = kind, .request = ck_bytes_text(request)};
  drive_init(&driven, loop);
}

static void close_effect(void) {
  driver->free(driver->self);
  ck_loop_run(loop);
  drive_clear(&driven);
}

/* ---- sleep ---- */

static void open_sleep(const char *request, int64_t begun_ms) {
  open_effect(CK_EFFECT_SLEEP, request);
  effect.begun_ms = begun_ms;
  tap_must(ck_sleep_driver_new(&driver, loop, clock_of_test, NULL) == CK_OK &&
               driver->serves(driver->self, &effect),
           "a driver");
}

static void test_sleeps(void) {
  wall_ms = 10000000;
  tick_ms = 0;
  open_sleep("{\"ms\":0}", 0);
  tap_is_int(drive_effect(&driven, driver, &effect, false)->status, CK_OUTCOME_OK,
             "no time at all passes at once");
  close_effect();
  open_sleep("{\"ms\":3600000}", 10000000 - 3600000);
  tap_is_int(drive_effect(&driven, driver, &effect, false)->status, CK_OUTCOME_OK,
             "a sleep that an earlier run began is over on time");
  close_effect();
  tick_ms = 3600000;
  open_sleep("{\"ms\":3600000}", 20000000);
  tap_is_int(drive_effect(&driven, driver, &effect, false)->status, CK_OUTCOME_OK,
             "a clock that was set back does not make it longer than it is");
  close_effect();
  open_sleep("{\"ms\":3600000}", 0);
  tap_is_int(drive_effect(&driven, driver, &effect, false)->status, CK_OUTCOME_OK,
             "nor one that stands still");
  close_effect();
}

static void test_sleep_ends(void) {
  ck_effect_run *run = NULL;
  tick_ms = 0;
  open_sleep("{\"ms\":9000000000000}", 0);
  tap_must(drive_begin(&run, &driven, driver, &effect, false) == CK_OK,
           "a sleep of centuries begins");
  driver->cancel(driver->self, run);
  driver->cancel(driver->self, run);
  tap_is_int(driven.delivered, 0, "a cancel delivers nothing itself");
  drive_wait(&driven);
  ck_loop_run(loop);
  tap_ok(driven.delivered == 1 && driven.outcome->error_status == CK_E_INTERRUPTED &&
             driven.outcome->error,
         "but at once");
  tap_must(drive_begin(&run, &driven, driver, &effect, false) == CK_OK, "and another");
  close_effect();
  tap_is_int(driven.delivered, 0, "a freed driver delivers nothing");
}

static void test_bad_sleeps(void) {
  static const char *const bad[] = {"{}", "{\"ms\":-1}", "{\"ms\":\"1\"}", "{\"ms\":1.5}",
                                    "{\"ms\":9223372036854775807}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_effect_run *run = NULL;
    open_sleep(bad[i], 0);
    tap_must(drive_begin(&run, &driven, driver, &effect, false) == CK_OK, "it begins");
    driver->cancel(driver->self, run);
    drive_wait(&driven);
    tap_ok(driven.outcome->status == CK_OUTCOME_FAILED && driven.outcome->error_status == CK_E_FLOW,
           "%s is refused", bad[i]);
    close_effect();
  }
}

/* ---- ask ---- */

/* An asker that answers for a person. */
typedef struct person {
  ck_asker asker;
  ck_status refuses, status; /* questions to come; answers to give */
  const char *says;
  char seen[256];
  void (*answered)(void *to, const ck_answer *answer);
  void *to;
  ck_loop_task task;
  int dropped;
} person;

static void speak(void *to) {
  person *self = to;
  const ck_answer answer = {.status = self->status, .text = ck_bytes_text(self->says)};
  self->answered(self->to, &answer);
}

static ck_status hear(ck_asking **out, void *to, const ck_question *question, ck_error *err) {
  person *self = to;
  *out = (ck_asking *)self;
  snprintf(self->seen, sizeof self->seen, "%s: %s", question->from, question->text);
  for (const char *const *option = question->options; option && *option; option++)
    snprintf(self->seen + strlen(self->seen), sizeof self->seen - strlen(self->seen), " [%s]",
             *option);
  if (self->refuses != CK_OK) return ck_error_set(err, self->refuses, "nobody is there");
  self->answered = question->answered;
  self->to = question->to;
  if (self->says || self->status != CK_OK) ck_loop_defer(loop, &self->task, speak, self);
  return CK_OK;
}

static void interrupt(void *to, ck_asking *asking) {
  person *self = to;
  (void)asking;
  self->status = CK_E_INTERRUPTED;
  ck_loop_defer(loop, &self->task, speak, self);
}

static void forget(void *to, ck_asking *asking, const char *why) {
  person *self = to;
  (void)asking;
  self->dropped++;
  snprintf(self->seen, sizeof self->seen, "%s", why ? why : "");
}

static void open_ask(person *who, const char *request) {
  open_effect(CK_EFFECT_ASK, request);
  if (who) who->asker = (ck_asker){.self = who, .ask = hear, .cancel = interrupt, .drop = forget};
  tap_must(ck_ask_driver_new(&driver, loop, who ? &who->asker : NULL, NULL) == CK_OK &&
               driver->serves(driver->self, &effect),
           "a driver");
}

static void fails(person *who, const char *request, ck_status class, const char *text) {
  open_ask(who, request);
  const ck_outcome *outcome = drive_effect(&driven, driver, &effect, false);
  tap_is_status(outcome->error_status, class, NULL, "%s", request);
  tap_is_text(outcome->error, text, "its text");
  tap_is_int(outcome->status, CK_OUTCOME_FAILED, "is FAILED");
  close_effect();
}

/* Whoever allows an effect knows what it would be called with. */
static void test_permit_question(void) {
  person who = {.says = "deny"};
  open_ask(&who, "{\"question\":\"Run sh?\",\"options\":[\"deny\"],\"effect\":{\"kind\":\"exec\","
                 "\"request\":{\"argv\":[\"rm\",\"-rf\",\"/\"]}}}");
  (void)drive_effect(&driven, driver, &effect, false);
  tap_is_text(strchr(who.seen, 'R'), "Run sh?\n  exec {\"argv\":[\"rm\",\"-rf\",\"/\"]} [deny]",
              "who is asked whether an effect may begin sees what it would do");
  close_effect();
  fails(NULL, "{\"question\":\"Run sh?\",\"effect\":{\"request\":{}}}", CK_E_WAITING, "Run sh?");
}

static void test_questions(void) {
  person who = {.says = "yes \"please\""};
  open_ask(&who, "{\"question\":\"Send?\",\"options\":[\"yes \\\"please\\\"\",\"n\\u00f6\"]}");
  const ck_outcome *outcome = drive_effect(&driven, driver, &effect, false);
  tap_ok(outcome->status == CK_OUTCOME_OK, "a question is answered");
  tap_is_bytes(ck_value_bytes(outcome->result), ck_bytes_text("\"yes \\\"please\\\"\""),
               "with what was said");
  tap_is_text(who.seen, "main: Send? [yes \"please\"] [nö]", "the person saw all of it");
  close_effect();
  effect.agent = NULL;
  fails(NULL, "{\"question\":\"Send\\nit?\"}", CK_E_WAITING, "Send\nit?");
  fails(NULL, "{}", CK_E_WAITING, "the flow waits for an answer");
  person gone = {.refuses = CK_E_WAITING}, silent = {.status = CK_E_WAITING},
         broken = {.refuses = CK_E_FAILED};
  fails(&gone, "{\"question\":\"Who?\"}", CK_E_WAITING, "Who?");
  fails(&silent, "{\"question\":\"Who?\"}", CK_E_WAITING, "Who?");
  fails(&broken, "{\"question\":\"Who?\"}", CK_E_FAILED, "nobody is there");
  fails(&who, "{\"question\":\"Who?\",\"options\":[1]}", CK_E_FLOW,
        "the options of a question must be texts");
}

static void test_question_ends(void) {
  ck_effect_run *run = NULL;
  person mute = {.says = NULL};
  open_ask(&mute, "{\"question\":\"Who?\"}");
  tap_must(drive_begin(&run, &driven, driver, &effect, false) == CK_OK, "a question stands");
  driver->cancel(driver->self, run);
  drive_wait(&driven);
  tap_ok(driven.outcome->error_status == CK_E_INTERRUPTED && driven.delivered == 1,
         "it can be cancelled");
  mute.status = CK_OK;
  tap_must(drive_begin(&run, &driven, driver, &effect, false) == CK_OK, "another stands");
  close_effect();
  tap_is_int(mute.dropped, 1, "when the driver is freed, nobody is asked any more");
  tap_is_text(mute.seen, "", "nor told why");
  open_ask(&mute, "{\"question\":\"Who?\"}");
  tap_must(drive_begin(&run, &driven, driver, &effect, false) == CK_OK, "another one");
  tap_ok(driver->withdraw(driver->self, run, "me"), "is withdrawn");
  tap_is_text(mute.seen, "answered from elsewhere: me", "the person is told why");
  tap_ok(driven.delivered == 0 && !driver->withdraw(driver->self, run, "me"),
         "nothing is delivered, and it is gone");
  close_effect();
  tap_is_int(mute.dropped, 2, "once");
}

/* ---- read ---- */

static int64_t read_number(const char *request) {
  int64_t number = -1;
  open_effect(CK_EFFECT_READ, request);
  tap_must(ck_read_driver_new(&driver, loop, clock_of_test, NULL, NULL) == CK_OK &&
               driver->serves(driver->self, &effect),
           "a driver");
  const ck_outcome *outcome = drive_effect(&driven, driver, &effect, false);
  if (outcome->status == CK_OUTCOME_OK)
    ck_json_read_int(&number, ck_value_bytes(outcome->result));
  else
    tap_is_status(outcome->error_status, CK_E_FLOW, NULL, "%s is refused", request);
  close_effect();
  return number;
}

static void test_readings(void) {
  int64_t seen = 0, all = 0;
  wall_ms = 1700000000123;
  tap_is_int(read_number("{\"what\":\"clock\"}"), 1700000000123, "the clock that was handed in");
  for (int i = 0; i < 256; i++) {
    int64_t number = read_number("{\"what\":\"random\"}");
    if (number < 0 || number >= INT64_C(1) << 53)
      tap_ok(false, "%lld is no number of 53 bits", (long long)number);
    seen |= number;
    all |= ~number;
  }
  tap_is_int(seen, (INT64_C(1) << 53) - 1, "each of 53 bits is set now and then");
  tap_is_int(all & seen, seen, "and is not");
  tap_is_int(read_number("{\"what\":\"dice\"}"), -1, "nothing else can be read");
  tap_is_int(read_number("{}"), -1, "nor nothing");
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  test_sleeps();
  test_sleep_ends();
  test_bad_sleeps();
  test_questions();
  test_permit_question();
  test_question_ends();
  test_readings();
  ck_loop_free(loop);
  return tap_done();
}
