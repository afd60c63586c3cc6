/* test_pausing.c - a session that waits for a worker is paused, and nobody is told so who was not
 * heard: the store fails as it is paused, or somebody else has it by then. */
/* link: -Wl,--wrap=ck_session_leave */
#include "core/host/session/pausing.h"

#include <stdio.h>

#include "core/runtime/session/end.h"
#include "core/runtime/session/session_private.h"
#include "tests/tap.h"

void __real_ck_session_leave(ck_session *self, const char *reason);
void __wrap_ck_session_leave(ck_session *self, const char *reason);

static ck_error err;
static ck_output output;
static char url[4200];

/* ---- what happens when it is to be paused ---- */

static enum { WORKS, FAILS, OTHERS } as; /* OTHERS: another process has it, and pauses it */
static int tries;

static ck_runtime *open_runtime(void) {
  ck_runtime *runtime;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "there is a store: %s", err.text);
  return runtime;
}

static void take_over(void) {
  ck_session *session;
  ck_runtime *runtime = open_runtime();
  tap_must(ck_session_resume(&session, runtime, "s", &(ck_resume_options){0}, &err) == CK_OK &&
               ck_session_pause(session, "lunch", &err) == CK_OK,
           "another process pauses it: %s", err.text);
  ck_session_close(session);
  ck_runtime_close(runtime);
}

/* As after a commit that failed: the row stays as it is, and the lease ends. */
void __wrap_ck_session_leave(ck_session *self, const char *reason) {
  enum { MOST = 3 };
  tap_must(++tries <= MOST, "it is not tried again and again");
  if (as == WORKS) {
    __real_ck_session_leave(self, reason);
    return;
  }
  ck_store_release(self->runtime->store, self->lease);
  self->lease.session = 0;
  if (as == OTHERS) take_over();
}

/* ---- */

static void put_into_queue(void) {
  ck_session *session;
  ck_value *about = NULL; /* as ckrun submit keeps it */
  ck_runtime *runtime = open_runtime();
  tap_must(ck_value_new(&about, ck_bytes_text("{\"queued\":{}}"), &err) == CK_OK, "a mark");
  const ck_session_options options = {.id = "s", .about = about};
  tap_must(ck_session_start(&session, runtime, &options, &err) == CK_OK &&
               ck_session_end_for(session, CK_SESSION_PAUSED, "queued", NULL, &err) == CK_OK,
           "a session waits for a worker: %s", err.text);
  ck_value_free(about);
  ck_session_close(session);
  ck_runtime_close(runtime);
}

static void begin(ck_remote_command *out, const ck_host *host) {
  static int number;
  char name[16];
  snprintf(name, sizeof name, "%d.db", ++number);
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile(name));
  put_into_queue();
  tap_must(ck_remote_command_open(out, host, "s", NULL, &err) == CK_OK, "it is opened: %s",
           err.text);
  tries = 0;
}

static void test(int happens, ck_status want, const char *reason, const char *what) {
  ck_remote_command remote;
  const ck_host host = {.store = url, .output = &output};
  begin(&remote, &host);
  as = happens;
  tap_is_status(ck_pausing_pause(&remote, "enough", &err), want, &err, "%s", what);
  tap_is_int(tries, 1, "it was tried once");
  const ck_session_record *record = &remote.head.session;
  tap_is_text(record->reason ? record->reason : "", reason, "the reason is what was kept");
  ck_remote_command_close(&remote);
}

/* Who looks at the session takes it for one that goes on by itself, and the pause never ends. */
static void test_reason(const char *reason) {
  ck_remote_command remote;
  const ck_host host = {.store = url, .output = &output};
  begin(&remote, &host);
  as = WORKS;
  tap_is_status(ck_pausing_pause(&remote, reason, &err), CK_E_USAGE, &err,
                "a person does not pause with '%s'", reason);
  tap_is_int(tries, 0, "nothing was tried");
  tap_is_text(remote.head.session.reason, "queued", "it waits for a worker as before");
  ck_remote_command_close(&remote);
}

int main(void) {
  tap_must(ck_output_open(&output, &err) == CK_OK, "there is an output: %s", err.text);
  test(WORKS, CK_OK, "enough", "what waits for a worker is paused");
  test(FAILS, CK_E_IO, "", "a store that does not take it is told");
  test(OTHERS, CK_OK, "lunch", "somebody who was faster has paused it");
  test_reason("queued");
  test_reason("answered");
  test_reason("sleeping until 2030-01-31T23:59:59.123Z");
  ck_output_close(&output);
  return tap_done();
}
