/* test_pending.c - events between two checkpoints do not gather in memory without end: at a
 * boundary that takes none they go to the store, and a resume leaves them behind like all that came
 * behind its checkpoint. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/session/scopes.h"
#include "core/runtime/session/session_private.h"
#include "core/store/verify.h"
#include "tests/tap.h"

enum { STEPS = 4000, MESSAGE_BYTES = 1000 };

static ck_error err;
static bool takes;

static ck_status decide(ck_decision *out, void *self, const ck_boundary *at, ck_error *ignored) {
  (void)self, (void)at, (void)ignored;
  *out = (ck_decision){.take = takes, .sync = takes};
  return CK_OK;
}

static ck_saved step(ck_session *session, int number) {
  char text[MESSAGE_BYTES + 100];
  ck_value *body;
  ck_saved saved;
  snprintf(text, sizeof text, "{\"message\":{\"role\":\"user\",\"content\":\"%0*d\"}}",
           MESSAGE_BYTES, number);
  tap_must(ck_value_new(&body, ck_bytes_text(text), &err) == CK_OK &&
               ck_session_append(session, CK_EVENT_MESSAGE, NULL, NULL, body, &err) == CK_OK &&
               ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                                   &err) == CK_OK,
           "a step: %s", err.text);
  ck_value_free(body);
  return saved;
}

static int64_t last_seq(ck_runtime *runtime) {
  ck_head head;
  tap_must(ck_store_get_head(&head, runtime->store, "s", &err) == CK_OK, "%s", err.text);
  int64_t seq = head.last_seq;
  ck_head_clear(&head);
  return seq;
}

static int64_t problems(ck_runtime *runtime) {
  ck_verify_report report;
  tap_must(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err) == CK_OK, "%s",
           err.text);
  return report.problems;
}

static size_t run(ck_session *session) {
  size_t most = 0;
  takes = true;
  for (int i = 0; i < 3; i++) step(session, i);
  takes = false;
  for (int i = 0; i < STEPS; i++) {
    step(session, i);
    if (session->transcript.bytes > most) most = session->transcript.bytes;
  }
  return most;
}

int main(void) {
  ck_runtime *runtime;
  ck_session *session;
  ck_conversation *kept;
  ck_policy_engine policies = {.checkpoint = decide};
  const ck_session_options options = {.id = "s", .policies = &policies};
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
                   CK_OK &&
               ck_session_start(&session, runtime, &options, &err) == CK_OK,
           "%s", err.text);
  size_t most = run(session);
  tap_ok(most < CK_PENDING_BYTES_MAX + 4 * MESSAGE_BYTES, "%zu KB of %d gather at most",
         most / 1024, STEPS * MESSAGE_BYTES / 1024);
  uint64_t last = ck_channel_last(session->channel);
  tap_is_status(ck_session_wait(session, last, &err), CK_OK, &err, "what was queued is committed");
  tap_ok(last_seq(runtime) > STEPS, "most of it, without a checkpoint (%lld events)",
         (long long)last_seq(runtime));
  ck_session_close(session);
  tap_must(ck_session_resume(&session, runtime, "s", &(ck_resume_options){.policies = &policies},
                             &err) == CK_OK &&
               ck_session_conversation(&kept, session, "main", &err) == CK_OK,
           "%s", err.text);
  tap_is_int((int64_t)ck_conversation_count(kept), 3, "a resume goes on from the checkpoint");
  ck_session_close(session);
  tap_is_int(problems(runtime), 0, "and the store is sound");
  ck_runtime_close(runtime);
  return tap_done();
}
