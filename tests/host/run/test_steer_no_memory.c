/* test_steer_no_memory.c - a session that is asked to pause or to end before its run begins does so
 * for the reason that was given, or not at all: where there is no memory for that, it is refused or
 * it stands, and is not carried out for another reason. */
/* link: -Wl,--wrap=strdup */
#include <stdio.h>
#include <string.h>

#include "core/host/run/steer.h"
#include "core/runtime/session/session.h"
#include "tests/tap.h"

enum { TRIES_MAX = 300 };

static int fails = -1; /* so many copies still succeed, then one does not; -1: all do */

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text) {
  if (fails >= 0 && fails-- == 0) return NULL;
  return __real_strdup(text);
}

static ck_error err;
static ck_runtime *runtime;

static ck_session *begin(ck_request_kind kind) {
  static int number;
  char id[16];
  ck_session *session;
  ck_session_request request = {.kind = kind, .text = (char[]){"enough"}};
  snprintf(id, sizeof id, "s%d", ++number);
  tap_must(
      ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK &&
          ck_request_leave(runtime->store, ck_session_get_record(session), &request, &err) == CK_OK,
      "a session that is asked for something: %s", err.text);
  return session;
}

static void starve(const char *what, ck_request_kind kind, ck_session_status as) {
  bool ended = false, spared = false;
  int tries = 0, otherwise = 0, half = 0, refused = 0;
  for (; tries < TRIES_MAX && !spared; tries++) {
    ck_session *session = begin(kind);
    ck_steer steer = {.session = session, .clock = ck_clock_system()};
    ck_execution_result result = {0};
    ck_error failure = CK_ERROR_INIT;
    fails = tries;
    ck_status status = ck_steer_serve_first(&ended, &result, &steer, &failure);
    bool failed = fails < 0;
    fails = -1;
    ck_session_status is = ck_session_get_record(session)->status;
    otherwise += ended && (status != CK_OK || is != as || strcmp(result.text, "enough") != 0);
    half += !ended && status == CK_OK && (steer.first || is != CK_SESSION_RUNNING);
    refused += !ended && status == CK_OK;
    spared = !failed;
    ck_steer_clear(&steer);
    ck_session_close(session);
  }
  tap_ok(ended && tries > 3, "%s: each of %d copies of a text fails once", what, tries - 1);
  tap_ok(refused > 0, "%s: it is refused where there is no memory for its reason (%d)", what,
         refused);
  tap_is_int(otherwise, 0, "%s: for the reason that was given alone", what);
  tap_is_int(half, 0, "%s: and what is refused is not carried out", what);
}

int main(void) {
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "a store: %s", err.text);
  starve("a pause", CK_REQUEST_PAUSE, CK_SESSION_PAUSED);
  starve("a cancel", CK_REQUEST_CANCEL, CK_SESSION_CANCELLED);
  ck_runtime_close(runtime);
  return tap_done();
}
