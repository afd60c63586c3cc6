/* test_decisions.c - each boundary's event keeps who was asked about a checkpoint, what each said
 * and how long it took; the event's digest does not depend on that. */
#include <string.h>

#include "core/runtime/session/session.h"
#include "core/store/format/chain.h"
#include "tests/clock.h"
#include "tests/tap.h"

static ck_runtime *runtime;
static clock_steps steps = {.step_us = 5};

/* Of three policies, the second is not asked. */
static ck_status ask(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  (void)self;
  *out = (ck_decision){.take = at->kind != CK_BOUNDARY_NODE_START,
                       .sync = at->kind == CK_BOUNDARY_SAFE_POINT};
  ck_answers_put(&out->answers, 0, CK_ANSWER_NO);
  if (at->kind == CK_BOUNDARY_TOOL_ROUND) ck_answers_put(&out->answers, 2, CK_ANSWER_YES);
  if (at->kind == CK_BOUNDARY_NODE_START) ck_answers_put(&out->answers, 2, CK_ANSWER_NO);
  if (at->kind != CK_BOUNDARY_SAFE_POINT) return CK_OK;
  ck_answers_put(&out->answers, 2, CK_ANSWER_FAILED);
  return ck_error_set(err, CK_E_POLICY, "policy \"third\", checkpoint: p.lua:1: no");
}
static const ck_policy_engine three = {.checkpoint = ask}, nobody = {0};

static ck_session *start(const char *id, const ck_policy_engine *policies) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_session_start(&session, runtime,
                                      &(ck_session_options){.id = id, .policies = policies}, &err);
  tap_must(status == CK_OK, "start: %s", err.text);
  return session;
}

static int64_t reach(ck_session *session, ck_boundary_kind kind) {
  ck_saved saved;
  ck_error err = CK_ERROR_INIT;
  ck_boundary at = {.kind = kind, .node = "n"};
  tap_must(ck_session_boundary(&saved, session, &at, &err) == CK_OK, "boundary: %s", err.text);
  tap_must(ck_session_flush(session, CK_DURABLE_PROCESS, &err) == CK_OK, "flush: %s", err.text);
  return saved.seq;
}

static bool copy(void *to, const ck_event *event) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_event_new(to, event, &err) == CK_OK, "an event: %s", err.text);
  return false;
}

/* Of the stored event. */
static ck_answers answers_at(ck_session *session, int64_t seq) {
  ck_event *event = NULL;
  ck_answers answers;
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {
      .session = ck_session_get_record(session)->no, .after = seq - 1, .until = seq};
  ck_status status = ck_store_read_events(runtime->store, &query, copy, &event, &err);
  tap_must(status == CK_OK && event, "event %lld: %s", (long long)seq, err.text);
  ck_bytes rest = event->decision;
  tap_is_status(ck_answers_decode(&answers, &rest, &err), CK_OK, &err, "event %lld has answers",
                (long long)seq);
  tap_is_int((int64_t)rest.len, 0, "and nothing else");
  ck_event_free(event);
  return answers;
}

static void is_answered(ck_session *session, ck_boundary_kind kind, const uint64_t want[4]) {
  ck_answers got = answers_at(session, reach(session, kind));
  const char *name = ck_boundary_kind_name(kind);
  tap_is_int(got.hook, CK_HOOK_CHECKPOINT, "%s: of the checkpoint hook", name);
  tap_is_int(got.took_us, 5, "%s: it took one reading of the clock", name);
  tap_is_int((int64_t)got.policies[CK_ANSWER_NO], (int64_t)want[0], "%s: who said no", name);
  tap_is_int((int64_t)got.policies[CK_ANSWER_YES], (int64_t)want[1], "%s: who said yes", name);
  tap_is_int((int64_t)got.policies[CK_ANSWER_SYNC], (int64_t)want[2], "%s: and waits", name);
  tap_is_int((int64_t)got.policies[CK_ANSWER_FAILED], (int64_t)want[3], "%s: who failed", name);
}

static void test_boundaries(void) {
  ck_session *session = start("three", &three);
  is_answered(session, CK_BOUNDARY_TOOL_ROUND, (const uint64_t[]){1, 4, 0, 0});
  is_answered(session, CK_BOUNDARY_NODE_START, (const uint64_t[]){5, 0, 0, 0});
  is_answered(session, CK_BOUNDARY_SAFE_POINT, (const uint64_t[]){1, 0, 0, 4});
  is_answered(session, CK_BOUNDARY_PAUSE, (const uint64_t[]){1, 0, 0, 0});
  ck_session_close(session);
  session = start("nobody", &nobody);
  is_answered(session, CK_BOUNDARY_TOOL_ROUND, (const uint64_t[]){0, 0, 0, 0});
  ck_session_close(session);
  session = start("unnamed", NULL);
  is_answered(session, CK_BOUNDARY_TOOL_ROUND, (const uint64_t[]){0, 0, 0, 0});
  ck_session_close(session);
}

/* A run that is repeated takes another time, and is the same all the same. */
static void test_digest(void) {
  ck_event_row row = {.seq = 3, .timeline = 1, .kind = CK_EVENT_BOUNDARY, .scope = "main"};
  ck_bytes body = ck_bytes_text("{}");
  ck_digest without = ck_chain_digest_event(&row, body);
  row.decision = ck_bytes_text("\1\20\5");
  ck_digest with = ck_chain_digest_event(&row, body);
  tap_ok(ck_digest_equal(&with, &without), "the digest of an event is that of what happened");
  tap_ok(ck_chain_check_of_event(&with, row.decision) !=
             ck_chain_check_of_event(&with, ck_bytes_text("\1\20\6")),
         "the row's check is of the answers, too");
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  ck_clock clock = clock_of_steps(&steps);
  ck_status status =
      ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, &clock, &err);
  tap_must(status == CK_OK, "open: %s", err.text);
  test_boundaries();
  test_digest();
  ck_runtime_close(runtime);
  return tap_done();
}
