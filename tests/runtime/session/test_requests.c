/* test_requests.c - a request reaches the run it was meant for, once, and no other; that it was
 * taken can be seen. */
#include "core/runtime/session/requests.h"
#include "core/store/request.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static ck_runtime *runtime;

static ck_session *start(const char *id) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK,
           "there is a session");
  return session;
}

static bool take(ck_session_request *out, ck_session *session) {
  bool found;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_session_take_request(out, &found, session, &err), CK_OK, &err,
                "requests are looked for");
  return found;
}

static void leave(ck_session_request *request, const ck_session *session) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_request_leave(runtime->store, ck_session_get_record(session), request, &err),
                CK_OK, &err, "a request is left");
}

/* True when the note on it is there. */
static bool noted(const ck_session_request *request, const ck_session *session,
                  ck_buffer *problem) {
  bool found;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_request_find_note(&found, runtime->store, ck_session_get_record(session)->no, 0,
                                     request->id, problem, &err),
                CK_OK, &err, "notes are looked for");
  return found;
}

static void test_way(void) {
  ck_session *session = start("way");
  ck_session_request first = {.kind = CK_REQUEST_PAUSE, .text = (char[]){"a \"reason\""}};
  ck_session_request second = {
      .kind = CK_REQUEST_ANSWER, .text = (char[]){"yes"}, .effect = (char[]){"main/a/ask/1"}};
  ck_session_request taken;
  ck_buffer problem = {0};
  ck_error err = CK_ERROR_INIT;
  tap_ok(!take(&taken, session), "there is none at first");
  leave(&first, session);
  leave(&second, session);
  tap_ok(!noted(&first, session, &problem), "nobody has taken it");
  tap_ok(take(&taken, session) && taken.kind == CK_REQUEST_PAUSE &&
             strcmp(taken.text, "a \"reason\"") == 0,
         "the oldest comes first");
  tap_ok(!taken.effect && strcmp(taken.id, first.id) == 0, "as it was left");
  tap_is_status(ck_session_note_request(session, &taken, NULL, &err), CK_OK, &err, "that is noted");
  ck_session_request_clear(&taken);
  tap_ok(take(&taken, session) && taken.kind == CK_REQUEST_ANSWER &&
             strcmp(taken.effect, "main/a/ask/1") == 0,
         "then the next");
  tap_is_status(ck_session_note_request(session, &taken, "nobody asked", &err), CK_OK, &err,
                "a problem is noted, too");
  ck_session_request_clear(&taken);
  tap_ok(!take(&taken, session), "each is taken once");
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err,
                "the notes are committed");
  tap_ok(noted(&first, session, &problem) && problem.len == 0, "the first was heeded");
  tap_ok(noted(&second, session, &problem) && strcmp(problem.data, "nobody asked") == 0,
         "the second was not");
  ck_buffer_clear(&problem);
  ck_session_close(session);
}

static void is_refused(const char *id, ck_status want, const char *what) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_request_pause(runtime->store, id, NULL, &err), want, &err, "%s", what);
}

/* The reason and the status that the store has. */
static void is_paused(const char *id, const char *reason) {
  ck_session_record record = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_store_get_session(&record, runtime->store, id, &err), CK_OK, &err, "%s", id);
  tap_ok(record.status == CK_SESSION_PAUSED && record.reason && strcmp(record.reason, reason) == 0,
         "it is paused for its reason: %s", reason);
  ck_session_record_clear(&record);
}

static void test_pause(void) {
  ck_session *session = start("calls");
  ck_session_request taken;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_request_pause(runtime->store, "calls", NULL, &err), CK_OK, &err,
                "a live session is asked to pause by one call");
  tap_ok(take(&taken, session) && taken.kind == CK_REQUEST_PAUSE &&
             strcmp(taken.text, "user_requested") == 0,
         "its run is told, with the reason that pauses have");
  ck_session_request_clear(&taken);
  tap_is_status(ck_session_pause(session, NULL, &err), CK_OK, &err, "and pauses by one call");
  ck_session_close(session);
  is_paused("calls", "user_requested");
  is_refused("calls", CK_E_REFUSED, "a session that is paused is not asked");
  is_refused("nobody", CK_E_NOT_FOUND, "nor one that is not there");
  session = start("told");
  tap_is_status(ck_session_pause(session, "lunch", &err), CK_OK, &err, "a pause with a reason");
  ck_session_close(session);
  is_paused("told", "lunch");
}

static void test_other_run(void) {
  ck_session *session = start("other");
  ck_session_request late = {.kind = CK_REQUEST_CANCEL, .text = (char[]){"late"}}, taken;
  ck_error err = CK_ERROR_INIT;
  leave(&late, session);
  ck_session_close(session);
  tap_must(ck_session_resume(&session, runtime, "other", &(ck_resume_options){0}, &err) == CK_OK,
           "another run goes on: %s", err.text);
  tap_ok(!take(&taken, session), "a request for the run before is dropped");
  tap_ok(!take(&taken, session), "for good");
  ck_session_close(session);
}

/* What others write into the store is not trusted. */
static void test_nonsense(void) {
  static const char *const bodies[] = {
      NULL, "{}", "[]", "null", "{\"run\":1}", "{\"run\":\"RUN\"}", "{\"run\":\"RUN\",\"id\":5}"};
  ck_session *session = start("nonsense");
  ck_session_request taken;
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char text[256] = "", kind[] = "pause";
    const char *at = bodies[i] ? strstr(bodies[i], "RUN") : NULL;
    if (at)
      snprintf(text, sizeof text, "%.*s%s%s", (int)(at - bodies[i]), bodies[i],
               ck_session_run(session), at + 3);
    else if (bodies[i])
      snprintf(text, sizeof text, "%s", bodies[i]);
    ck_request request = {.session = ck_session_get_record(session)->no, .kind = kind};
    tap_must(!bodies[i] || ck_value_copy(&request.body, ck_bytes_text(text), &err) == CK_OK,
             "there is a body");
    tap_must(ck_store_put_request(runtime->store, &request, &err) == CK_OK, "it is left: %s",
             err.text);
    ck_value_free(request.body);
    tap_ok(!take(&taken, session), "%s is passed over", bodies[i] ? bodies[i] : "nothing");
  }
  ck_session_close(session);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "there is a store: %s", err.text);
  test_way();
  test_pause();
  test_other_run();
  test_nonsense();
  ck_runtime_close(runtime);
  return tap_done();
}
