/* test_requests.c - a request reaches the run that has the session, and the next ones until it is
 * carried out, and none after that; that it was taken can be seen. */
#include "core/runtime/session/requests.h"
#include "core/store/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/asked.h"
#include "core/runtime/session/end.h"
#include "core/runtime/session/session_private.h"
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

/* ---- over the end of a run ---- */

/* As a run that died leaves it: nobody said that it ended. */
static ck_session *go_on(ck_session *after, const char *id) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_session_close(after);
  tap_must(ck_session_resume(&session, runtime, id, &(ck_resume_options){0}, &err) == CK_OK,
           "another run goes on: %s", err.text);
  return session;
}

/* Takes one of that kind, and notes it. */
static void serve(ck_session *session, ck_request_kind kind, const char *what) {
  ck_session_request taken;
  ck_error err = CK_ERROR_INIT;
  bool found = take(&taken, session);
  tap_ok(found && taken.kind == kind, "%s", what);
  if (found)
    tap_is_status(ck_session_note_request(session, &taken, NULL, &err), CK_OK, &err, "it is noted");
  ck_session_request_clear(&taken);
}

static void is_none(ck_session *session, const char *what) {
  ck_session_request taken;
  tap_ok(!take(&taken, session), "%s", what);
  ck_session_request_clear(&taken);
}

static bool count_note(void *to, const ck_event *event) {
  (void)event;
  ++*(int *)to;
  return true;
}

static int count_notes(const ck_session *session) {
  int count = 0;
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = ck_session_get_record(session)->no,
                          .kinds = UINT64_C(1) << CK_EVENT_NOTE};
  tap_must(ck_store_read_events(runtime->store, &query, count_note, &count, &err) == CK_OK,
           "notes are counted: %s", err.text);
  return count;
}

static void leave_kind(const ck_session *session, ck_request_kind kind, const char *text,
                       const char *effect) {
  ck_session_request request = {.kind = kind, .text = (char *)text, .effect = (char *)effect};
  leave(&request, session);
}

static void test_stands(void) {
  ck_error err = CK_ERROR_INIT;
  ck_session *session = start("stands");
  leave_kind(session, CK_REQUEST_PAUSE, "stop", NULL);
  session = go_on(session, "stands");
  serve(session, CK_REQUEST_PAUSE, "a pause that a dead run has not taken is the next one's");
  is_none(session, "once");
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  is_none(session, "nor once its note is in the store");
  session = go_on(session, "stands");
  serve(session, CK_REQUEST_PAUSE, "one that it had taken is, too: it was not carried out");
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  tap_is_int(count_notes(session), 1, "it is noted once");
  tap_is_status(ck_session_end_for(session, CK_SESSION_PAUSED, "queued", NULL, &err), CK_OK, &err,
                "put back into the queue");
  session = go_on(session, "stands");
  serve(session, CK_REQUEST_PAUSE, "that carries it out no more");
  tap_is_status(ck_session_pause(session, "stop", &err), CK_OK, &err, "it is paused");
  session = go_on(session, "stands");
  is_none(session, "then it is carried out");
  ck_session_close(session);
}

static int count_left(const ck_session *session) {
  int count = 0;
  ck_error err = CK_ERROR_INIT;
  ck_request row;
  int64_t after = 0;
  for (bool found = true; found; ck_request_clear(&row)) {
    tap_must(
        ck_store_get_request(&row, &found, runtime->store, session->lease, after, &err) == CK_OK,
        "what stands is counted: %s", err.text);
    count += found;
    after = row.no;
  }
  return count;
}

/* Each look is as short however often somebody asks for the same. */
static void test_repeated(void) {
  enum { ASKED = 5 };
  ck_error err = CK_ERROR_INIT;
  ck_session *session = start("again");
  for (int i = 0; i < ASKED; i++) {
    leave_kind(session, CK_REQUEST_PAUSE, "stop", NULL);
    leave_kind(session, CK_REQUEST_CANCEL, "end", NULL);
    serve(session, CK_REQUEST_PAUSE, "each pause is taken");
    serve(session, CK_REQUEST_CANCEL, "each cancel is, too");
  }
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  is_none(session, "there is no other");
  tap_is_int(count_notes(session), 2 * ASKED, "who asked is told");
  tap_is_int(count_left(session), 2, "one pause and one cancel stand");
  session = go_on(session, "again");
  serve(session, CK_REQUEST_PAUSE, "the next run has the pause");
  serve(session, CK_REQUEST_CANCEL, "and the cancel");
  is_none(session, "once");
  ck_session_close(session);
}

/* `cut_off`: it is left when its run has just come to rest. */
static void test_rest(ck_request_kind kind, bool cut_off, bool stands) {
  ck_error err = CK_ERROR_INIT;
  char id[16];
  static int number;
  snprintf(id, sizeof id, "rest%d", ++number);
  ck_session *session = start(id);
  ck_session_request request = {.kind = kind, .text = (char[]){"1"}};
  if (!cut_off) leave(&request, session);
  ck_session_record before = *ck_session_get_record(session); /* borrowed */
  char run[CK_ID_SIZE];
  memcpy(run, before.run, sizeof run);
  tap_is_status(ck_session_pause(session, "of its own accord", &err), CK_OK, &err, "it rests");
  /* left as the run ends, by one who has not seen that yet */
  if (cut_off)
    tap_is_status(ck_request_leave(runtime->store, &before, &request, &err), CK_OK, &err,
                  "a request comes late");
  session = go_on(session, id);
  ck_session_request taken;
  tap_is_int(take(&taken, session), stands, "a %s %s a rest", ck_request_kind_name(kind),
             stands ? "stands behind" : "is void behind");
  ck_session_request_clear(&taken);
  is_none(session, "and no other is there");
  ck_session_close(session);
}

static void test_superseded(void) {
  char *reason;
  ck_buffer problem = {0};
  ck_error err = CK_ERROR_INIT;
  ck_session_request pause = {.kind = CK_REQUEST_PAUSE, .text = (char[]){"stop"}};
  ck_session *session = start("newer");
  leave(&pause, session);
  leave_kind(session, CK_REQUEST_CANCEL, "end", NULL);
  session = go_on(session, "newer");
  leave_kind(session, CK_REQUEST_PAUSE, "again", NULL);
  tap_is_status(ck_session_supersede_pauses(&reason, session, &err), CK_OK, &err,
                "a person resumes it");
  tap_is_text(reason, "stop", "the older pause is told");
  free(reason);
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  tap_ok(noted(&pause, session, &problem) && strcmp(problem.data, CK_REQUEST_SUPERSEDED) == 0,
         "and noted as superseded");
  ck_buffer_clear(&problem);
  serve(session, CK_REQUEST_CANCEL, "a cancel is superseded by nothing");
  ck_session_request since;
  tap_ok(take(&since, session) && since.kind == CK_REQUEST_PAUSE, "nor is a pause that came since");
  tap_is_status(ck_session_note_request(session, &since, NULL, &err), CK_OK, &err, "noted");
  is_none(session, "there is no other");
  session = go_on(session, "newer");
  tap_is_status(ck_session_supersede_pauses(&reason, session, &err), CK_OK, &err,
                "a person resumes it again");
  tap_is_text(reason, "again", "that one is older than this");
  free(reason);
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  tap_ok(noted(&since, session, &problem) && problem.len,
         "what a run before has taken is refused by a second note");
  ck_buffer_clear(&problem);
  ck_session_request_clear(&since);
  serve(session, CK_REQUEST_CANCEL, "the cancel stands");
  tap_is_status(ck_session_end(session, CK_SESSION_CANCELLED, "end", NULL, &err), CK_OK, &err,
                "until the session is cancelled");
  is_none(session, "then nothing is left");
  ck_session_close(session);
}

static void test_checkpoint(void) {
  ck_error err = CK_ERROR_INIT;
  ck_session_request taken;
  ck_saved saved;
  ck_session *session = start("saved");
  leave_kind(session, CK_REQUEST_CHECKPOINT, "now", NULL);
  serve(session, CK_REQUEST_CHECKPOINT, "a checkpoint is asked for");
  session = go_on(session, "saved");
  tap_ok(take(&taken, session) && taken.kind == CK_REQUEST_CHECKPOINT,
         "a run that died before its boundary leaves that to the next");
  tap_is_status(ck_session_ask_checkpoint(session, taken.id, NULL, &err), CK_OK, &err, "asked");
  tap_is_status(ck_session_note_request(session, &taken, NULL, &err), CK_OK, &err, "noted");
  ck_session_request_clear(&taken);
  ck_boundary at = {.kind = CK_BOUNDARY_STEP_COMPLETE, .node = "a"};
  tap_is_status(ck_session_boundary(&saved, session, &at, &err), CK_OK, &err, "a boundary");
  tap_ok(saved.taken, "takes it");
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  session = go_on(session, "saved");
  is_none(session, "and the next run is not asked again");
  ck_session_close(session);
}

static void record_answer(ck_session *session, const char *json) {
  ck_value *body;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&body, ck_bytes_text(json), &err) == CK_OK &&
               ck_session_append(session, CK_EVENT_RESOLUTION, NULL, NULL, body, &err) == CK_OK &&
               ck_session_flush(session, CK_DURABLE_PROCESS, &err) == CK_OK,
           "an answer is recorded: %s", err.text);
  ck_value_free(body);
}

/* A run died when it had applied an answer, and before it could say so. */
static void test_answers(void) {
  ck_error err = CK_ERROR_INIT;
  ck_buffer problem = {0};
  static char yes[] = "yes", no[] = "no", one[] = "main/a/ask/1", other[] = "main/b/ask/1";
  ck_session_request given = {.kind = CK_REQUEST_ANSWER, .text = yes, .effect = one},
                     late = {.kind = CK_REQUEST_ANSWER, .text = no, .effect = one},
                     twice = {.kind = CK_REQUEST_ANSWER, .text = yes, .effect = one},
                     open = {.kind = CK_REQUEST_ANSWER, .text = yes, .effect = other},
                     any = {.kind = CK_REQUEST_ANSWER, .text = yes}, taken;
  ck_session *session = start("answers");
  record_answer(session, "{\"key\":\"main/a/ask/1\",\"verdict\":\"done\",\"result\":\"yes\"}");
  leave(&given, session);
  leave(&late, session);
  leave(&any, session);
  leave(&twice, session);
  leave(&open, session);
  session = go_on(session, "answers");
  tap_ok(take(&taken, session) && strcmp(taken.id, open.id) == 0,
         "of five answers the next run takes the one whose question is open");
  tap_ok(ck_session_request_is_earlier(session, &taken), "and knows that it is no new one");
  ck_session_request_clear(&taken);
  is_none(session, "no other");
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  tap_ok(noted(&given, session, &problem) && !problem.len, "what was applied is noted so");
  ck_buffer_clear(&problem);
  tap_ok(noted(&late, session, &problem) && problem.len, "what came too late is refused");
  ck_buffer_clear(&problem);
  tap_ok(noted(&any, session, &problem) && problem.len, "so is what names no question");
  ck_buffer_clear(&problem);
  tap_ok(noted(&twice, session, &problem) && !problem.len,
         "one that says what was applied is not refused for what the one before it said");
  ck_buffer_clear(&problem);
  session = go_on(session, "answers");
  tap_ok(take(&taken, session) && strcmp(taken.id, open.id) == 0, "the open one stands on");
  ck_session_request_clear(&taken);
  is_none(session, "none of the others comes again");
  ck_session_close(session);
}

/* It was noted, and its run died before it could take it out of the store. */
static void test_noted(void) {
  ck_error err = CK_ERROR_INIT;
  ck_session *session = start("noted");
  leave_kind(session, CK_REQUEST_PIN, "1", NULL);
  serve(session, CK_REQUEST_PIN, "a pin is taken");
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "flushed");
  session = go_on(session, "noted");
  is_none(session, "what is noted as carried out is not done again");
  ck_session_close(session);
}

/* What others write into the store is not trusted. */
static void test_nonsense(void) {
  static const char *const bodies[] = {NULL,
                                       "{}",
                                       "[]",
                                       "null",
                                       "{\"run\":1}",
                                       "{\"run\":\"RUN\"}",
                                       "{\"run\":\"RUN\",\"id\":5}",
                                       "{\"run\":\"RUN\",\"id\":\"\"}",
                                       "{\"id\":\"x\"}",
                                       "{\"id\":\"x\",\"run\":\"another\"}"};
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
  test_stands();
  test_repeated();
  test_rest(CK_REQUEST_PAUSE, false, false);
  test_rest(CK_REQUEST_PAUSE, true, false);
  test_rest(CK_REQUEST_CHECKPOINT, false, false);
  test_rest(CK_REQUEST_CANCEL, false, true);
  test_rest(CK_REQUEST_CANCEL, true, true);
  test_rest(CK_REQUEST_PIN, false, true);
  test_superseded();
  test_checkpoint();
  test_answers();
  test_noted();
  test_nonsense();
  ck_runtime_close(runtime);
  return tap_done();
}
