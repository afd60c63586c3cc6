/* test_kept_sums.c - a version of before kept sums that do not say where conversations lie: a
 * resume reads that of the events, but where they are many it looks for the conversation
 * everywhere, and says nothing of it either. */
#include <stdio.h>

#include "core/runtime/session/scopes.h"
#include "core/runtime/session/session_private.h"
#include "core/store/verify.h"
#include "tests/tap.h"

static ck_error err;

static void append(ck_session *session, ck_event_kind kind, const char *text) {
  ck_value *body;
  tap_must(ck_value_new(&body, ck_bytes_text(text), &err) == CK_OK &&
               ck_session_append(session, kind, NULL, NULL, body, &err) == CK_OK,
           "an event: %s", err.text);
  ck_value_free(body);
}

/* A message, `notes`, and a checkpoint that keeps sums, with or without where that message lies. */
static void live(ck_session *session, int notes, bool untold) {
  ck_saved saved;
  append(session, CK_EVENT_MESSAGE, "{\"message\":{\"role\":\"user\",\"content\":\"x\"}}");
  for (int i = 0; i < notes; i++) append(session, CK_EVENT_NOTE, "{}");
  session->sums.untold |= untold;
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                               &err) == CK_OK &&
               ck_session_flush(session, CK_DURABLE_PROCESS, &err) == CK_OK,
           "a boundary: %s", err.text);
  ck_session_close(session);
}

static ck_session *resume(ck_runtime *runtime) {
  ck_session *session;
  const ck_resume_options again = {.retry = true};
  tap_must(ck_session_resume(&session, runtime, "s", &again, &err) == CK_OK, "a resume: %s",
           err.text);
  return session;
}

static int64_t messages_of(ck_session *session) {
  ck_conversation *conversation;
  tap_must(ck_session_conversation(&conversation, session, "main", &err) == CK_OK,
           "a conversation: %s", err.text);
  return (int64_t)ck_conversation_count(conversation);
}

static void test_untold(int notes, bool read) {
  ck_runtime *runtime;
  ck_session *session;
  ck_verify_report report;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "a store: %s", err.text);
  runtime->sums_every = -1; /* each checkpoint keeps them */
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK,
           "a session: %s", err.text);
  live(session, notes, true);
  for (int run = 1; run < 4; run++) {
    session = resume(runtime);
    tap_ok(session->sums.untold == !read, "%d notes, resume %d: where messages lie is %s", notes,
           run, read ? "read of the events" : "not taken for known");
    tap_is_int(messages_of(session), run, "and all messages are there");
    live(session, 0, false);
  }
  tap_must(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err) == CK_OK, "verify: %s",
           err.text);
  tap_is_int(report.problems, 0, "verify finds nothing");
  ck_runtime_close(runtime);
}

int main(void) {
  test_untold(CK_SUMS_MOST / 2, true);
  test_untold(CK_SUMS_MOST, false);
  return tap_done();
}
