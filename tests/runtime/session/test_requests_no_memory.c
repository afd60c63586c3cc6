/* test_requests_no_memory.c - a request that is taken while each allocation fails once is taken
 * whole, or an error says so and it stands: no word of it is left out, and none is lost. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include "core/runtime/session/requests.h"

#include <stdio.h>
#include <string.h>

#include "core/runtime/session/session_private.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { TRIES_MAX = 300 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

static ck_error err;
static ck_runtime *runtime;

static void leave(const ck_session *session, ck_request_kind kind) {
  ck_session_request request = {
      .kind = kind, .text = (char[]){"yes"}, .effect = (char[]){"main/a/ask/1"}};
  tap_must(
      ck_request_leave(runtime->store, ck_session_get_record(session), &request, &err) == CK_OK,
      "a request is left");
}

/* `earlier`: a worker has put the session back into the queue since, which is no rest. */
static ck_session *begin(bool earlier) {
  static int number;
  char id[16];
  ck_session *session;
  snprintf(id, sizeof id, "s%d", ++number);
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK,
           "a session");
  leave(session, earlier ? CK_REQUEST_PAUSE : CK_REQUEST_ANSWER);
  if (!earlier) return session;
  tap_must(ck_session_end_for(session, CK_SESSION_PAUSED, "queued", NULL, &err) == CK_OK,
           "it is put back");
  ck_session_close(session);
  tap_must(ck_session_resume(&session, runtime, id, &(ck_resume_options){0}, &err) == CK_OK,
           "another run has it");
  return session;
}

static bool is_whole(const ck_session_request *taken) {
  return taken->id[0] && taken->text && strcmp(taken->text, "yes") == 0 && taken->effect &&
         strcmp(taken->effect, "main/a/ask/1") == 0 &&
         (taken->by || taken->kind != CK_REQUEST_ANSWER);
}

static void starve(const char *what, bool earlier) {
  ck_status status = CK_E_NO_MEMORY;
  int tries = 0, maimed = 0, untyped = 0, lost = 0;
  for (; tries < TRIES_MAX && status != CK_OK; tries++) {
    bool found, again = false;
    ck_session_request taken;
    ck_error failure = CK_ERROR_INIT;
    ck_session *session = begin(earlier);
    budget = tries;
    status = ck_session_take_request(&taken, &found, session, &failure);
    budget = -1;
    untyped += status != CK_OK && status != CK_E_NO_MEMORY;
    maimed += found && !is_whole(&taken);
    lost += status == CK_OK && !found;
    ck_session_request_clear(&taken);
    if (status != CK_OK) {
      tap_must(ck_session_take_request(&taken, &again, session, &err) == CK_OK, "once more");
      lost += !again || !is_whole(&taken);
      ck_session_request_clear(&taken);
    }
    ck_session_close(session);
  }
  tap_is_status(status, CK_OK, &err, "%s: with enough memory it is taken", what);
  tap_ok(tries > 3, "without, it is not: %d tries", tries);
  tap_is_int(untyped, 0, "each failure says that there is no memory");
  tap_is_int(maimed, 0, "no request is taken with less than it has");
  tap_is_int(lost, 0, "none is lost");
}

int main(void) {
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "there is a store");
  starve("an answer", false);
  starve("a pause for an earlier run", true);
  ck_runtime_close(runtime);
  return tap_done();
}
