/* test_requests_damaged.c - a request whose row is not what was written is told, and holds up none
 * of those behind it. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "core/runtime/session/end.h"
#include "core/runtime/session/requests.h"
#include "core/runtime/session/session_private.h"
#include "core/store/request.h"
#include "core/store/verify.h"
#include "tests/tap.h"

static ck_error err;
static ck_runtime *runtime;
static const char *path;

static void open_store(void) {
  char url[4096];
  snprintf(url, sizeof url, "sqlite:%s", path);
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "a store: %s", err.text);
}

static void leave(const ck_session *session, ck_request_kind kind, const char *text) {
  ck_session_request request = {.kind = kind, .text = (char *)text};
  tap_must(
      ck_request_leave(runtime->store, ck_session_get_record(session), &request, &err) == CK_OK,
      "a request: %s", err.text);
}

/* As a disk, or somebody else, may change the first two of three. */
static void damage(void) {
  sqlite3 *db = NULL;
  tap_must(sqlite3_open(path, &db) == SQLITE_OK &&
               sqlite3_exec(db, "UPDATE request SET kind = 'cancel' WHERE no < 3", NULL, NULL,
                            NULL) == SQLITE_OK &&
               sqlite3_changes(db) == 2,
           "rows are changed: %s", sqlite3_errmsg(db));
  sqlite3_close(db);
}

static int count_rows(const ck_session *session) {
  int count = 0;
  bool found = true;
  ck_request row = {0};
  while (found) {
    ck_status status =
        ck_store_get_request(&row, &found, runtime->store, session->lease, row.no, &err);
    int64_t no = row.no;
    found = status == CK_OK ? found : status == CK_E_CORRUPT;
    ck_request_clear(&row);
    row.no = no;
    count += found;
  }
  return count;
}

static bool is_noted(const ck_session *session, const char *id) {
  bool found;
  ck_buffer problem = {0};
  tap_must(ck_request_find_note(&found, runtime->store, session->record.no, 0, id, &problem,
                                &err) == CK_OK,
           "notes: %s", err.text);
  ck_buffer_append(&problem, "", 1);
  found = found && strstr(problem.data, "is not what was written: its check differs");
  ck_buffer_clear(&problem);
  return found;
}

static void count_problem(void *to, const char *session, int64_t seq, ck_status status,
                          const char *text) {
  (void)session, (void)seq, (void)status;
  *(int *)to += strstr(text, "request") != NULL;
}

/* A store with three requests, of which two are changed; the session's next run has it. */
static ck_session *begin(const char *name) {
  ck_session *session;
  ck_verify_report report;
  int problems = 0;
  path = tap_tmpfile(name);
  open_store();
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK,
           "a session: %s", err.text);
  leave(session, CK_REQUEST_PAUSE, "one");
  leave(session, CK_REQUEST_PAUSE, "two");
  leave(session, CK_REQUEST_PAUSE, "three");
  ck_session_close(session);
  ck_runtime_close(runtime);
  damage();
  open_store();
  tap_is_status(ck_store_verify(&report, runtime->store, NULL, count_problem, &problems, &err),
                CK_OK, &err, "a verify");
  tap_is_int(problems, 2, "names both");
  tap_must(ck_session_resume(&session, runtime, "s", &(ck_resume_options){0}, &err) == CK_OK,
           "its next run: %s", err.text);
  return session;
}

static void test_behind(void) {
  bool found;
  ck_verify_report report;
  ck_session_request taken;
  ck_session *session = begin("behind.db");
  tap_is_status(ck_session_take_request(&taken, &found, session, &err), CK_OK, &err,
                "requests are taken");
  tap_ok(found && taken.kind == CK_REQUEST_PAUSE && strcmp(taken.text, "three") == 0,
         "the one behind two that were changed is served");
  tap_is_status(ck_session_note_request(session, &taken, NULL, &err), CK_OK, &err, "it is noted");
  ck_session_request_clear(&taken);
  tap_is_status(ck_session_flush(session, CK_DURABLE_PROCESS, &err), CK_OK, &err, "all is saved");
  tap_ok(is_noted(session, "no 1") && is_noted(session, "no 2"), "the others are told by number");
  tap_is_status(ck_session_take_request(&taken, &found, session, &err), CK_OK, &err,
                "at the next look");
  tap_ok(!found, "there is none");
  tap_is_int(count_rows(session), 1, "and those that were told are gone");
  tap_is_status(ck_session_end(session, CK_SESSION_PAUSED, "three", NULL, &err), CK_OK, &err,
                "it pauses");
  tap_is_int(count_rows(session), 0, "as it was asked to");
  ck_session_close(session);
  tap_is_status(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err), CK_OK, &err,
                "another verify");
  tap_is_int(report.problems, 0, "finds nothing more");
  ck_runtime_close(runtime);
}

/* What nobody has told yet is there for the next run, or for a verify. */
static void test_rest(void) {
  ck_session *session = begin("rest.db");
  tap_is_status(ck_session_end(session, CK_SESSION_PAUSED, "by itself", NULL, &err), CK_OK, &err,
                "it pauses before it looks");
  tap_is_int(count_rows(session), 2, "the one behind them is carried out, and they are there");
  ck_session_close(session);
  ck_runtime_close(runtime);
}

int main(void) {
  test_behind();
  test_rest();
  return tap_done();
}
