/* test_pause.c - a program without a flow pauses its session through the C API, and goes on with
 * it. */
#include "core/ckrun.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static ck_runtime *runtime;

static void must(ck_status status, const ck_error *err, const char *what) {
  tap_must(status == CK_OK, "%s: %s", what, err->text);
}

static void put(ck_session *session, const char *key, const char *json) {
  ck_value *value = NULL;
  ck_error err = CK_ERROR_INIT;
  must(ck_value_new(&value, ck_bytes_text(json), &err), &err, "a value");
  must(ck_session_put(session, key, value, &err), &err, "a key");
  ck_value_free(value);
}

static ck_head head_of(const char *id) {
  ck_head head;
  ck_error err = CK_ERROR_INIT;
  must(ck_store_get_head(&head, runtime->store, id, &err), &err, "the head");
  return head;
}

/* Pauses and closes; the id of the checkpoint that the store then stands at is in `id`. */
static void pause_session(char id[CK_ID_SIZE], ck_session *session, const char *reason) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_session_end(session, CK_SESSION_PAUSED, reason, NULL, &err), CK_OK, &err,
                "it is paused");
  ck_session_close(session);
  ck_head head = head_of("s");
  tap_ok(head.session.status == CK_SESSION_PAUSED, "when the call returns, the store says so");
  tap_is_text(head.session.reason, reason, "with the reason");
  tap_ok(head.has_checkpoint && head.checkpoint.kind == CK_BOUNDARY_PAUSE,
         "at a checkpoint of its own");
  memcpy(id, head.checkpoint.id, CK_ID_SIZE);
  ck_head_clear(&head);
}

static ck_session *go_on(void) {
  ck_session *session = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_session_resume(&session, runtime, "s", &(ck_resume_options){0}, &err), CK_OK,
                &err, "it goes on");
  if (!session) exit(tap_done());
  return session;
}

static void test_pause(void) {
  ck_session *session = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info older;
  char first[CK_ID_SIZE], second[CK_ID_SIZE];
  must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err), &err,
       "a session");
  put(session, "scratch.ann", "{\"known\":1}");
  pause_session(first, session, "user_requested");
  session = go_on();
  tap_is_bytes(ck_value_bytes(ck_session_get(session, "scratch.ann")),
               ck_bytes_text("{\"known\":1}"), "with what it knew");
  put(session, "scratch.ann", "{\"known\":2}");
  pause_session(second, session, "again");
  tap_ok(strcmp(first, second) != 0, "a second pause moves the latest");
  ck_head head = head_of("s");
  tap_is_status(ck_store_get_checkpoint(&older, runtime->store, head.session.no, first, 0, &err),
                CK_OK, &err, "the older one stays");
  ck_checkpoint_info_clear(&older);
  ck_head_clear(&head);
  session = go_on();
  tap_is_bytes(ck_value_bytes(ck_session_get(session, "scratch.ann")),
               ck_bytes_text("{\"known\":2}"), "the later one counts");
  ck_session_close(session);
}

/* ---- reasons that workers go on with a session for ---- */

static const char *const words[] = {"queued", "answered", "resolved",
                                    "sleeping until 2026-01-31T23:59:59.999Z",
                                    "retrying at 2026-01-31T23:59:59.999Z"};

static void is_refused(ck_status status, const char *word, const ck_error *err, const char *what) {
  tap_is_status(status, CK_E_USAGE, err, "%s '%s' is refused", what, word);
  tap_ok(strstr(err->text, word) && strstr(err->text, "give another"), "by name: %s", err->text);
}

static void test_words(void) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    char id[8] = {'w', (char)('0' + i)}, said[64] = "paused: ";
    ck_session *session = NULL;
    ck_error err = CK_ERROR_INIT;
    must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err), &err, id);
    is_refused(ck_session_pause(session, words[i], &err), words[i], &err, "a pause for");
    is_refused(ck_session_end(session, CK_SESSION_PAUSED, words[i], NULL, &err), words[i], &err,
               "an end as paused for");
    is_refused(ck_request_pause(runtime->store, id, words[i], &err), words[i], &err,
               "asking for a pause for");
    tap_ok(ck_session_get_record(session)->status == CK_SESSION_RUNNING, "it runs still");
    ck_session_leave(session, words[i]);
    ck_session_close(session);
    ck_head head = head_of(id);
    tap_ok(head.session.status == CK_SESSION_PAUSED, "one that is left so is paused");
    tap_is_text(head.session.reason, strcat(said, words[i]), "for no word that anybody goes by");
    ck_head_clear(&head);
  }
}

/* ---- a session that a worker has found due, and that somebody pauses before it takes it ---- */

static void test_seen(void) {
  ck_error err = CK_ERROR_INIT;
  ck_session *session = NULL;
  must(ck_session_start(&session, runtime, &(ck_session_options){.id = "seen"}, &err), &err,
       "a session");
  ck_resume_options seen = {.seen_epoch = ck_session_get_record(session)->epoch,
                            .seen_status = CK_SESSION_RUNNING};
  must(ck_session_pause(session, "mine", &err), &err, "its own run pauses it");
  ck_session_close(session);
  tap_is_status(ck_session_resume(&session, runtime, "seen", &seen, &err), CK_E_OWNED, &err,
                "who saw it run does not go on with it");
  tap_ok(strstr(err.text, "paused: mine") != NULL, "and is told: %s", err.text);
  seen.seen_status = CK_SESSION_PAUSED;
  tap_is_status(ck_session_resume(&session, runtime, "seen", &seen, &err), CK_OK, &err,
                "who saw it paused does");
  must(ck_session_pause(session, "again", &err), &err, "somebody pauses it");
  ck_session_close(session);
  tap_is_status(ck_session_resume(&session, runtime, "seen", &seen, &err), CK_E_OWNED, &err,
                "but not who saw it so an epoch ago");
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err), &err,
       "a runtime");
  test_pause();
  test_words();
  test_seen();
  ck_runtime_close(runtime);
  return tap_done();
}
