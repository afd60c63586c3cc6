/* test_blocked.c - a session that went back and calls something else where a once tool was run:
 * neither is taken for the other, nothing is run twice, and a person or a policy says how it goes
 * on. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define TOOL(class, n)                                                      \
  "ctx.effect { kind = 'tool', class = '" class "', request = { name = '" n \
                                                "', said = said, arguments = {} } } "
#define FLOW(class)                                                                      \
  "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) " \
  "local said = ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } " \
  "}.result.content "                                                                    \
  "local booked = " TOOL(class, "book")                                                  \
      TOOL("pure", "last") "return booked.result or booked.error end }"

static const char one[] = "{\"role\":\"assistant\",\"content\":\"one\"}",
                  other[] = "{\"role\":\"assistant\",\"content\":\"other\"}";

static void go_on(fake_flow *s) {
  fake_flow_crash(s);
  fake_flow_resume(s, "s");
}

/* "book" is run for the first answer; the session fails behind it, and the model, asked anew, says
 * another. */
static void displace(fake_flow *s, const char *flow) {
  fake_flow_open(s, flow);
  fake_flow_start(s, "s");
  fake_flow_ok(s, "/model/1", one, 5);
  fake_flow_ok(s, "main/start/tool/1", "\"booked one\"", 0);
  fake_flow_failed(s, "main/start/tool/2", CK_E_CREDENTIALS, "no");
  go_on(s);
  fake_flow_ok(s, "/model/1", other, 5);
}

static void say(fake_flow *s, const char *verdict, const ck_value *result) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_session_resolve(s->runtime, "s", "main/start/tool/1", verdict, result, &err),
                CK_OK, &err, "%s: a person's word", verdict);
  fake_flow_resume(s, "s");
}

static void check_stops(const char *class, const char *flow) {
  fake_flow s = {0};
  displace(&s, flow);
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "%s: it stops in doubt", class);
  tap_ok(!fake_flow_is_running(&s, "tool"), "%s: nothing is run", class);
  tap_ok(strstr(s.result.text, "main/start/tool/1") && strstr(s.result.text, "retry"),
         "%s: it says what can be done: %s", class, s.result.text);
  go_on(&s);
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "%s: and again, as long as nobody says", class);
  tap_ok(s.count == 0, "%s: nor is anything run then, or asked of a probe", class);
  fake_flow_close(&s);
}

static void test_done(void) {
  fake_flow s = {0};
  displace(&s, FLOW("once"));
  fake_flow_crash(&s);
  say(&s, "done", NULL);
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"booked one\"", "done: what was done stands for it");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 10, "done: and costs nothing again");
  fake_flow_close(&s);
}

static void test_done_with_result(void) {
  fake_flow s = {0};
  ck_error err = CK_ERROR_INIT;
  ck_value *result;
  tap_must(ck_value_copy(&result, ck_bytes_text("\"by hand\""), &err) == CK_OK, "a value");
  displace(&s, FLOW("once"));
  fake_flow_crash(&s);
  say(&s, "done", result);
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"by hand\"", "done with a result: that counts");
  ck_value_free(result);
  fake_flow_close(&s);
}

static void test_retry(void) {
  fake_flow s = {0};
  displace(&s, FLOW("once"));
  fake_flow_crash(&s);
  say(&s, "retry", NULL);
  tap_ok(fake_flow_is_running(&s, "main/start/tool/1"), "retry: it is run");
  go_on(&s);
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "retry: killed then, its outcome is not known");
  fake_flow_crash(&s);
  say(&s, "retry", NULL);
  fake_flow_ok(&s, "main/start/tool/1", "\"booked other\"", 0);
  go_on(&s);
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"booked other\"",
              "retry: its outcome counts, also after a crash");
  fake_flow_close(&s);
}

static void test_abort(void) {
  fake_flow s = {0};
  displace(&s, FLOW("once"));
  fake_flow_crash(&s);
  say(&s, "abort", NULL);
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"aborted: it was not run\"",
              "abort: the flow gets an error, that it was not run");
  fake_flow_close(&s);
}

/* ---- the same action, as another answer of the model asks for it ---- */

#define BATCH                                                                                 \
  "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "      \
  "local said = ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } "      \
  "}.result.content "                                                                         \
  "local booked = ctx.effects { { kind = 'tool', class = 'once', request = { name = 'book', " \
  "call_id = said, arguments = { n = 1 } } } }[1] " TOOL("pure",                              \
                                                         "last") "return booked.result end }"

static void test_another_id(void) {
  fake_flow s = {0};
  displace(&s, BATCH);
  tap_ok(!fake_flow_is_running(&s, "main/start/tool/1"), "another id: it is not run again");
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"booked one\"", "another id: its outcome is taken: %s",
              s.result.text);
  fake_flow_close(&s);
}

/* Killed while "book" runs: what came of it nobody knows, whatever is asked now. */
static void test_open(void) {
  fake_flow s = {0};
  fake_flow_open(&s, FLOW("once"));
  fake_flow_start(&s, "s");
  fake_flow_ok(&s, "/model/1", one, 5);
  fake_flow_failed(&s, "main/start/tool/1", CK_E_CREDENTIALS, "no");
  go_on(&s);
  fake_flow_ok(&s, "/model/1", one, 5);
  go_on(&s);
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "killed in the midst: in doubt");
  tap_ok(strstr(s.result.text, "was begun"), "and it says that it was begun: %s", s.result.text);
  fake_flow_close(&s);
}

static ck_status answer(ck_doubt_answer *out, void *self, const ck_effect *effect, ck_error *err) {
  (void)effect, (void)err;
  *out = *(ck_doubt_answer *)self;
  return CK_OK;
}

static void test_policies(void) {
  ck_doubt_answer rerun = {.word = CK_DOUBT_RERUN, .policy = "p"},
                  tell = {.word = CK_DOUBT_TELL, .policy = "p"};
  ck_policy_engine engine = {.self = &rerun, .in_doubt = answer};
  fake_flow s = {.policies = &engine};
  displace(&s, FLOW("once"));
  tap_ok(fake_flow_is_running(&s, "main/start/tool/1"), "a policy that says rerun: it is run");
  fake_flow_close(&s);
  engine.self = &tell;
  s = (fake_flow){.policies = &engine};
  displace(&s, FLOW("once"));
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"),
              "\"not run: another call was made in its place before the session went back\"",
              "one that says tell: the flow gets an error");
  fake_flow_close(&s);
}

/* ---- another tool ---- */

/* What the model says names the tool; "one" is `first` of its class. */
#define EITHER(first)                                                                          \
  "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "       \
  "local said = ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } "       \
  "}.result.content "                                                                          \
  "local got = ctx.effect { kind = 'tool', class = said == 'one' and '" first "' or 'once',"   \
  " request = { name = said == 'one' and 'look' or 'pay', arguments = { n = said } } } " TOOL( \
      "pure", "last") "return got.result or got.error end }"

/* What may be repeated was done there: another tool has nothing to do with it. */
static void check_harmless(const char *class, const char *flow) {
  fake_flow s = {0};
  displace(&s, flow);
  fake_flow_ok(&s, "main/start/tool/1", "\"paid\"", 0);
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"paid\"", "in the place of another, %s: it is run: %s",
              class, s.result.text);
  fake_flow_close(&s);
}

typedef struct shown {
  int count;
  char request[256], instead[256], outcome[512];
} shown;

static void keep_shown(void *to, const ck_open_effect *effect) {
  shown *self = to;
  ck_bytes outcome = effect->outcome ? ck_value_bytes(effect->outcome) : (ck_bytes){0};
  self->count++;
  snprintf(self->request, sizeof self->request, "%.*s", (int)effect->request.len,
           effect->request.data);
  snprintf(self->instead, sizeof self->instead, "%.*s", (int)effect->displaced.len,
           effect->displaced.data);
  snprintf(self->outcome, sizeof self->outcome, "%.*s", (int)outcome.len, outcome.data);
}

static void check_shown(fake_flow *s, const char *what) {
  ck_error err = CK_ERROR_INIT;
  shown it = {0};
  tap_is_status(ck_session_list_doubts(s->runtime, "s", keep_shown, &it, &err), CK_OK, &err,
                "%s: the doubts are read", what);
  tap_is_int(it.count, 1, "%s: it is one", what);
  tap_ok(strstr(it.request, "\"pay\"") && strstr(it.instead, "\"look\""),
         "%s: with what is asked, and what was done: %s, %s", what, it.request, it.instead);
  tap_ok(strstr(it.outcome, "booked one"), "%s: and its outcome: %s", what, it.outcome);
}

/* What must not be repeated was done there: a person is asked, is shown both, and neither's outcome
 * is taken for the other's. */
static void test_other_tool(void) {
  fake_flow s = {0};
  displace(&s, EITHER("once"));
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "another once tool: it stops in doubt");
  fake_flow_crash(&s);
  check_shown(&s, "another once tool");
  fake_flow_resume(&s, "s");
  fake_flow_crash(&s);
  check_shown(&s, "asked for again");
  say(&s, "done", NULL);
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"done (confirmed by hand; its output is not known)\"",
              "another once tool, done: its outcome is not the other's");
  fake_flow_close(&s);
}

#define CALL(name)                                                                       \
  "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) " \
  "return ctx.effect { kind = 'tool', class = 'once', request = { name = '" name "' } "  \
  "}.result end }"

/* A person's word on an effect in doubt is no word on another tool's. */
static void test_word_on_another(void) {
  fake_flow s = {0};
  ck_error err = CK_ERROR_INIT;
  fake_flow_open(&s, CALL("look"));
  fake_flow_start(&s, "s");
  go_on(&s);
  fake_flow_crash(&s);
  tap_is_status(ck_session_resolve(s.runtime, "s", "main/start/tool/1", "done", NULL, &err), CK_OK,
                &err, "look was killed; a person says that it happened");
  s.engine->unload(s.flow);
  tap_must(s.engine->load(&s.flow, s.engine->self, flow_file(CALL("pay")), &err) == CK_OK,
           "load: %s", err.text);
  fake_flow_resume(&s, "s");
  tap_ok(s.result.status == CK_SESSION_FAILED && s.result.cause == CK_E_DIVERGED,
         "pay in its place was not meant: %s", s.result.text);
  fake_flow_close(&s);
}

/* ---- what was carried out stands, whatever became of what was asked for in its place ---- */

/* Once more from before the model's answer, which is now `answer`. */
static void goes_back(fake_flow *s, const char *answer) {
  fake_flow_failed(s, "main/start/tool/2", CK_E_CREDENTIALS, "no");
  go_on(s);
  fake_flow_ok(s, "/model/1", answer, 5);
}

static bool is_run(const fake_flow *s) { return fake_flow_is_running(s, "main/start/tool/1"); }

static void stands(fake_flow *s, const char *name) {
  fake_flow_ok(s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(s, "s"), "\"booked one\"", "%s: it stands for itself: %s", name,
              s->result.text);
}

/* "other" is asked for in the place of "one", and a person says `verdict`. */
static void decide(fake_flow *s, const char *flow, const char *verdict) {
  displace(s, flow);
  fake_flow_crash(s);
  say(s, verdict, NULL);
}

static void test_stands_after(const char *verdict, const char *flow, const char *name) {
  fake_flow s = {0};
  decide(&s, flow, verdict);
  goes_back(&s, one);
  tap_ok(!is_run(&s), "%s, %s: it is not run again", name, verdict);
  go_on(&s);
  tap_ok(!is_run(&s), "%s, %s: nor after a crash", name, verdict);
  stands(&s, name);
  fake_flow_close(&s);
}

/* A person's "retry" ran the other one, too: both stand. */
static void test_both_stand(void) {
  fake_flow s = {0};
  decide(&s, EITHER("once"), "retry");
  fake_flow_ok(&s, "main/start/tool/1", "\"paid\"", 0);
  goes_back(&s, one);
  tap_ok(!is_run(&s), "both were run: the first is not run again");
  goes_back(&s, other);
  tap_ok(!is_run(&s), "nor the other");
  fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"paid\"", "and each has its own outcome");
  fake_flow_close(&s);
}

/* The other one was run and failed: nothing of it stands. */
static void test_stands_after_error(void) {
  fake_flow s = {0};
  decide(&s, EITHER("once"), "retry");
  fake_flow_error(&s, "main/start/tool/1", "refused");
  goes_back(&s, one);
  tap_ok(!is_run(&s), "the other one failed: the first is not run again");
  stands(&s, "the other one failed");
  fake_flow_close(&s);
}

/* What a person did not want run is put to a person again. */
static void test_asked_again(void) {
  fake_flow s = {0};
  decide(&s, EITHER("once"), "abort");
  goes_back(&s, other);
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT, "aborted, and asked for again: in doubt again");
  tap_ok(!is_run(&s), "and not run");
  fake_flow_crash(&s);
  check_shown(&s, "asked for again after abort");
  fake_flow_close(&s);
}

int main(void) {
  test_stands_after("abort", FLOW("once"), "the same tool");
  test_stands_after("abort", EITHER("once"), "another tool");
  test_stands_after("abort", EITHER("reconcilable"), "another tool, reconcilable");
  test_stands_after("done", EITHER("once"), "another tool");
  test_both_stand();
  test_stands_after_error();
  test_asked_again();

  check_harmless("pure", EITHER("pure"));
  check_harmless("idempotent", EITHER("idempotent"));
  test_other_tool();
  test_word_on_another();

  check_stops("once", FLOW("once"));
  check_stops("reconcilable", FLOW("reconcilable"));
  test_done();
  test_done_with_result();
  test_retry();
  test_abort();
  test_policies();
  test_another_id();
  test_open();
  return tap_done();
}
