/* test_acp_policies.c - what an agent wants to do, put to the policies by way of the sink. */
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "tests/effect/acp/acp_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;

/* The runtime: what it was asked, and what it answers, with the loop's next turn. */
static struct {
  ck_action_word word;
  bool silent, person; /* silent: it answers nothing yet */
  ck_status refuses;
  bool aside; /* no policy has a word in it */
  int asked, forgotten;
  ck_action action;
  char request[2048], call[64], option[64];
  ck_loop_task task;
} now;

static ck_action_question *const question = (ck_action_question *)(void *)&now;

static void say(void *to) {
  (void)to;
  now.action.answered(now.action.to, now.word, now.person, "because");
}

static ck_status permit(ck_action_question **out, ck_effect_sink *sink, const ck_action *action,
                        ck_error *err) {
  (void)sink;
  *out = NULL;
  now.asked++;
  now.action = *action;
  snprintf(now.request, sizeof now.request, "%.*s", (int)action->request.len, action->request.data);
  snprintf(now.call, sizeof now.call, "%.*s", (int)action->call.len, action->call.data);
  snprintf(now.option, sizeof now.option, "%.*s", (int)action->option.len, action->option.data);
  if (now.refuses) return ck_error_set(err, now.refuses, "not now");
  if (now.aside) return CK_OK;
  *out = question;
  if (!now.silent) ck_loop_defer(loop, &now.task, say, NULL);
  return CK_OK;
}

static void forget(ck_effect_sink *sink, ck_action_question *which) {
  (void)sink;
  now.forgotten += which == question;
}

static void begin(acp_fixture *it, ck_permit rule) {
  acp_fixture_begin(it, NULL);
  it->rule = rule;
  it->options.files = true;
  it->drive.sink.permit = permit;
  it->drive.sink.forget = forget;
  acp_fixture_open_driver(it);
  memset(&now, 0, sizeof now);
}

#define SELECTED(option) "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" option "\"}}"

static void hears(ck_permit rule, ck_action_word word, bool person, const char *want,
                  const char *by) {
  acp_fixture it;
  begin(&it, rule);
  now.word = word;
  now.person = person;
  const ck_outcome *outcome = acp_fixture_prompt(&it, "twice same", NULL);
  tap_ok(strstr(acp_fixture_result(outcome, "text"), want) != NULL, "rule %d, word %d: it hears %s",
         rule, word, want);
  tap_ok(strstr(it.updates.data, by) != NULL, "and is told who decided: %s", by);
  tap_is_int(now.asked, 2, "each request is asked about");
  tap_is_int(now.forgotten, 0, "none is forgotten");
  acp_fixture_close(&it);
}

static void test_words(void) {
  hears(CK_PERMIT_UNSET, CK_ACTION_ALLOWED, false, SELECTED("yes"), "\"by\":\"policy\"");
  hears(CK_PERMIT_ALLOW, CK_ACTION_DENIED, false, SELECTED("no"), "\"by\":\"policy\"");
  hears(CK_PERMIT_ASK, CK_ACTION_ALLOWED, true, SELECTED("yes"), "\"by\":\"person\"");
}

/* An agent that has no answer for this once: a person alone gives one for ever. */
static void ever(ck_permit rule, bool person, const char *option, const char *want) {
  acp_fixture it;
  begin(&it, rule);
  now.word = CK_ACTION_ALLOWED;
  now.person = person;
  const ck_outcome *outcome = acp_fixture_prompt(&it, "permit-ever", NULL);
  tap_ok(strstr(acp_fixture_result(outcome, "text"), want) != NULL, "rule %d, %s: it hears %s",
         rule, person ? "a person" : "a policy", want);
  tap_is_text(now.option, option, "what could be chosen");
  tap_ok(now.action.lasts, "it is known to last");
  acp_fixture_close(&it);
}

static void test_ever(void) {
  ever(CK_PERMIT_ASK, true, "\"ever\"", SELECTED("ever"));
  ever(CK_PERMIT_ASK, false, "\"ever\"", SELECTED("never"));
  ever(CK_PERMIT_ALLOW, false, "", SELECTED("never"));
}

static void test_what_is_seen(void) {
  acp_fixture it;
  begin(&it, CK_PERMIT_ASK);
  acp_fixture_prompt(&it, "twice same", NULL);
  tap_is_text(now.request,
              "{\"name\":\"execute\",\"process\":\"coder\",\"title\":\"Run ls\",\"arguments\":"
              "{\"command\":\"ls\"},\"options\":[{\"name\":\"Always\",\"kind\":\"allow_always\"},"
              "{\"name\":\"Yes\",\"kind\":\"allow_once\"},{\"name\":\"No\",\"kind\":"
              "\"reject_once\"}]}",
              "the action, without the agent's ids");
  tap_is_text(now.call, "\"w1\"", "its id beside it");
  tap_is_text(now.option, "\"yes\"", "the option that allows it once");
  tap_is_int(now.action.rule, CK_PERMIT_ASK, "the rule");
  tap_is_int(now.action.class, CK_EFFECT_ONCE, "what runs a program cannot be taken back");
  acp_fixture_prompt(&it, "permit search", NULL);
  tap_is_int(now.action.class, CK_EFFECT_PURE, "what searches can");
  acp_fixture_prompt(&it, "permit fetch", NULL);
  tap_is_int(now.action.class, CK_EFFECT_ONCE, "what fetches tells others something");
  acp_fixture_prompt(&it, "read /nowhere", NULL);
  tap_ok(strstr(now.request, "\"arguments\":{\"path\":\"/nowhere\"}") != NULL,
         "a file is asked about with its path (%s)", now.request);
  acp_fixture_prompt(&it, "nonsense always", NULL);
  tap_ok(now.action.lasts && now.option[0], "for ever is not once, and is said to be that");
  acp_fixture_close(&it);
}

static void test_nothing_without_a_word(void) {
  acp_fixture it;
  begin(&it, CK_PERMIT_REJECT);
  const ck_outcome *outcome = acp_fixture_prompt(&it, "permit execute", NULL);
  tap_is_text(acp_fixture_result(outcome, "text"), SELECTED("no"), "what the profile rejects");
  tap_is_int(now.asked, 0, "nobody is asked about");
  acp_fixture_close(&it);
  begin(&it, CK_PERMIT_ALLOW);
  now.aside = true;
  outcome = acp_fixture_prompt(&it, "permit execute", NULL);
  tap_is_text(acp_fixture_result(outcome, "text"), SELECTED("yes"),
              "what no policy has a word in, the rule decides");
  now.refuses = CK_E_RANGE;
  outcome = acp_fixture_prompt(&it, "permit execute", NULL);
  tap_is_text(acp_fixture_result(outcome, "text"), SELECTED("no"),
              "what cannot be asked about is rejected, whatever the rule");
  acp_fixture_close(&it);
}

/* The turn ends, and is to go again. */
static void test_later(void) {
  acp_fixture it;
  begin(&it, CK_PERMIT_ALLOW);
  now.word = CK_ACTION_LATER;
  const ck_outcome *outcome = acp_fixture_prompt(&it, "twice same", NULL);
  tap_is_text(ck_outcome_status_name(outcome->status), "failed", "it fails");
  tap_is_int(outcome->error_status, CK_E_WAITING, "as one that waits");
  tap_is_text(outcome->error, "because", "for this");
  tap_is_int(now.asked, 1, "nothing else is asked about");
  tap_ok(acp_fixture_prompt(&it, "hello", NULL)->status == CK_OUTCOME_OK, "the agent is there");
  acp_fixture_close(&it);
}

/* Whatever ends the turn, the runtime hears that no answer is needed. */
static void test_forgotten(void) {
  acp_fixture it;
  ck_effect_run *run;
  begin(&it, CK_PERMIT_ALLOW);
  now.silent = true;
  const ck_outcome *outcome = acp_fixture_prompt(&it, "at-once deaf", NULL);
  tap_is_text(acp_fixture_result(outcome, "text"), "did not wait", "an agent that does not wait");
  tap_is_int(now.forgotten, 2, "both are forgotten");
  acp_fixture_close(&it);
  begin(&it, CK_PERMIT_ALLOW);
  now.silent = true;
  acp_fixture_set(&it, CK_EFFECT_ONCE, "twice same", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "a turn is begun");
  while (now.asked == 0) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  it.driver->cancel(it.driver->self, run);
  tap_is_int(now.forgotten, 1, "a turn that is cancelled");
  drive_wait(&it.drive);
  tap_is_int(now.forgotten, 1, "once");
  acp_fixture_close(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  acp_fixture_init(loop);
  test_words();
  test_ever();
  test_what_is_seen();
  test_nothing_without_a_word();
  test_later();
  test_forgotten();
  ck_loop_free(loop);
  return tap_done();
}
