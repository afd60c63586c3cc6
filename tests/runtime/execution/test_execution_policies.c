/* test_execution_policies.c - checkpoints at a policy's choice, branches that were left, rules of a
 * resume. */
#include <stdio.h>
#include <string.h>

#include "core/store/verify.h"
#include "tests/runtime/scripted_flow.h"
#include "tests/tap.h"

static ck_runtime *runtime;

typedef scripted_ending ending;

static void open_runtime(const char *url) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "open %s: %s", url, err.text);
}

static ending run(ck_session *session, scripted_flow *s, int moves) {
  return scripted_flow_run(s, runtime, session, moves);
}

static ck_session *start(const char *id) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK,
           "start %s: %s", id, err.text);
  return session;
}

static ck_session *resume_with(const char *id, const ck_resume_options *options) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_session_resume(&session, runtime, id, options, &err);
  tap_must(status == CK_OK, "resume %s: %s", id, err.text);
  return session;
}

static ck_session *resume(const char *id) { return resume_with(id, &(ck_resume_options){0}); }

static bool ran_once(const scripted_flow *s) {
  for (int i = 0; i < s->iterations * s->tools; i++)
    if (s->ran[i] != 1) return false;
  return true;
}

static scripted_flow make_world(void) {
  return (scripted_flow){
      .iterations = 4, .tools = 2, .class = CK_EFFECT_RECONCILABLE, .probes = true};
}

static int64_t spent_seen; /* by the last boundary's policy */

/* A policy that says yes to the boundaries of its list, counted over the whole process. */
typedef struct picky {
  unsigned seen;
  uint64_t takes; /* bit per boundary, the rest no */
} picky;

static ck_status pick(ck_decision *out, void *to, const ck_boundary *at, ck_error *err) {
  picky *self = to;
  (void)at, (void)err;
  *out = (ck_decision){.take = self->takes >> (self->seen++ % 64) & 1};
  return CK_OK;
}

static ck_session *start_picky(const char *id, const ck_policy_engine *policies) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime,
                            &(ck_session_options){.id = id, .policies = policies}, &err) == CK_OK,
           "start: %s", err.text);
  return session;
}

/* The first run reaches far without a checkpoint; the second takes one early and dies: what the
 * first did beyond it has lower seqs than that checkpoint, and must still be known. Random runs of
 * this kind. */
static void test_left_branches(ck_effect_class class) {
  int wrong = 0, runs = 0;
  for (unsigned seed = 1; seed <= 60; seed++) {
    char id[48];
    unsigned dice = seed * 2654435761u;
    scripted_flow s = make_world();
    s.class = class;
    picky p = {.takes = (uint64_t)dice << 13 | seed};
    ck_policy_engine policies = {.self = &p, .checkpoint = pick};
    snprintf(id, sizeof id, "branches-%d-%u", class, seed);
    ck_session *session = start_picky(id, &policies);
    ending e = run(session, &s, 5 + (int)(dice >> 27));
    for (int turn = 0; e.crashed && turn < 200; turn++, runs++) {
      dice = dice * 1664525u + 1013904223u;
      ck_session_close(session);
      session = resume_with(id, &(ck_resume_options){.policies = &policies});
      e = run(session, &s, 4 + turn + (int)(dice >> 28));
    }
    wrong += !(e.turn == CK_OK && ran_once(&s) && ck_session_totals(session)->tool_calls == 8);
    ck_session_close(session);
  }
  tap_is_int(wrong, 0,
             "60 sessions, %d resumes under a policy that changes its mind: each %s tool ran once "
             "and was counted once",
             runs, ck_effect_class_name(class));
}

static bool keep_first(void *to, const ck_checkpoint_info *checkpoint) {
  snprintf(to, CK_ID_SIZE, "%s", checkpoint->id);
  return false;
}

/* From an older checkpoint, then a crash, then the latest: the branch that was left did it all once
 * before. */
static void test_older_checkpoint(void) {
  ck_error err = CK_ERROR_INIT;
  char oldest[CK_ID_SIZE] = "";
  scripted_flow s = make_world();
  s.class = CK_EFFECT_ONCE;
  s.fail_at = 4;
  ck_session *session = start("older");
  run(session, &s, 1000);
  tap_must(ck_store_list_checkpoints(runtime->store, ck_session_get_record(session)->no, keep_first,
                                     oldest, &err) == CK_OK,
           "list");
  ck_session_close(session);
  s.fail_at = 0;
  s.stop_after =
      s.starts +
      2; /* the models of the second and the third round: they are pure, and asked anew */
  session = resume_with("older", &(ck_resume_options){.checkpoint = oldest});
  ending e = run(session, &s, 1000);
  tap_ok(e.crashed, "it goes on from the oldest checkpoint and dies again");
  ck_session_close(session);
  s.stop_after = 0;
  session = resume("older");
  e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_COMPLETED && ran_once(&s),
         "no once tool of the branch that was left runs again: %s", e.result.text);
  ck_session_close(session);
}

static ck_status fail_to_decide(ck_decision *out, void *self, const ck_boundary *at,
                                ck_error *err) {
  (void)self, (void)at;
  *out = (ck_decision){.take = true, .sync = true};
  return ck_error_set(err, CK_E_POLICY, "broken.lua:1: it broke");
}

static bool count_event(void *to, const ck_event *event) {
  (void)event;
  ++*(int *)to;
  return true;
}

/* Fails closed: the checkpoint is taken; recorded: an event each; bounded: the third in a row
 * pauses. */
static void test_failing_policy(void) {
  ck_error err = CK_ERROR_INIT;
  scripted_flow s = make_world();
  ck_policy_engine policies = {.checkpoint = fail_to_decide};
  ck_session *session = start_picky("failing-policy", &policies);
  ending e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_PAUSED && e.result.cause == CK_E_POLICY,
         "three failures of a policy in a row pause the session");
  tap_ok(e.counts.boundaries == 3 && e.counts.checkpoints == 3,
         "each time the checkpoint was taken");
  int recorded = 0;
  ck_event_query query = {.session = ck_session_get_record(session)->no,
                          .kinds = 1ull << CK_EVENT_POLICY_ERROR};
  tap_must(ck_store_read_events(runtime->store, &query, count_event, &recorded, &err) == CK_OK,
           "read: %s", err.text);
  tap_ok(recorded >= 3, "and recorded");
  ck_session_close(session);
  session = resume("failing-policy");
  e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_COMPLETED && ran_once(&s), "with other policies it goes on");
  ck_session_close(session);
}

static ck_status ruled(ck_resume_rules *out, void *self, const ck_resume_case *of, ck_error *err) {
  (void)of, (void)err;
  *out = *(const ck_resume_rules *)self;
  return CK_OK;
}

static ck_status see_spent(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  (void)self, (void)err;
  spent_seen = at->budget.spent_micros;
  *out = (ck_decision){.take = true};
  return CK_OK;
}

/* Spending continues over a resume unless a rule resets it; the totals never go back; a rule can
 * refuse. */
static void test_resume_rules(void) {
  ck_error err = CK_ERROR_INIT;
  ck_resume_rules rules = {.budget = CK_RULE_REFUSE};
  ck_policy_engine policies = {.self = &rules, .checkpoint = see_spent, .resume = ruled};
  scripted_flow s = make_world();
  ck_session *session = start_picky("rules", &policies);
  s.stop_after = 7; /* two rounds done, the third's model asked */
  run(session, &s, 1000);
  ck_session_close(session);
  ck_status status = ck_session_resume(&session, runtime, "rules",
                                       &(ck_resume_options){.policies = &policies}, &err);
  tap_is_status(status, CK_E_REFUSED, &err, "a rule refuses the resume");
  tap_ok(strstr(err.text, "budget") != NULL, "and the dimension is named");
  rules.budget = CK_RULE_RESET;
  s.stop_after = 0;
  session = resume_with("rules", &(ck_resume_options){.policies = &policies});
  ending e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_COMPLETED, "another resets the budget");
  tap_is_int(ck_session_totals(session)->cost_micros, 4000, "what was spent in all stays 4 calls");
  tap_is_int(spent_seen, 2000, "what counts against the budget begins at the resume");
  ck_session_close(session);
}

static void test_all(const char *url) {
  tap_diag("%s", url);
  open_runtime(url);
  test_left_branches(CK_EFFECT_RECONCILABLE);
  test_left_branches(CK_EFFECT_ONCE);
  test_older_checkpoint();
  test_failing_policy();
  test_resume_rules();
  ck_verify_report report;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err), CK_OK, &err,
                "the store can be verified");
  tap_is_int(report.problems, 0, "and is clean");
  ck_runtime_close(runtime);
}

int main(void) {
  char url[512];
  test_all("memory:");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("execution_policies.db"));
  test_all(url);
  return tap_done();
}
