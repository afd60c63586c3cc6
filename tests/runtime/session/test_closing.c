/* test_closing.c - a session that its program closes without an end has not died; one whose process
 * is gone has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ckrun.h"
#include "tests/tap.h"

static char folder[] = "/tmp/ckrun-closing.XXXXXX";
static char url[128];

static ck_runtime *open_runtime(void) {
  ck_runtime *runtime;
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err);
  tap_must(status == CK_OK, "the store opens: %s", err.text);
  return runtime;
}

/* What a process does with the session before it closes it, or is gone. */
typedef enum { NOTHING, A_NOTE, AN_END } work;

static ck_status act(ck_session *session, work what, ck_error *err) {
  ck_value *body = NULL;
  if (what == AN_END) return ck_session_end(session, CK_SESSION_WAITING, "waits", NULL, err);
  if (what == NOTHING) return CK_OK;
  ck_status status = ck_value_new(&body, ck_bytes_text("{\"note\":1}"), err);
  if (status == CK_OK) status = ck_session_append(session, CK_EVENT_NOTE, NULL, NULL, body, err);
  ck_value_free(body);
  return status;
}

static ck_status go_on(const char *id, bool retry, work what, bool dies) {
  ck_error err = CK_ERROR_INIT;
  ck_session *session;
  ck_runtime *runtime = open_runtime();
  ck_resume_options options = {.retry = retry};
  ck_status status = ck_session_resume(&session, runtime, id, &options, &err);
  if (status == CK_OK) status = act(session, what, &err);
  if (dies) _exit(status);
  ck_session_close(session);
  ck_runtime_close(runtime);
  return status;
}

/* In a process that is gone with the session open. */
static ck_status die(const char *id) {
  int ended;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) _exit((int)go_on(id, false, NOTHING, true));
  tap_must(child > 0 && waitpid(child, &ended, 0) == child && WIFEXITED(ended), "a process ended");
  return (ck_status)WEXITSTATUS(ended);
}

static void begin(const char *id) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_runtime *runtime = open_runtime();
  ck_status status = ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err);
  tap_must(status == CK_OK, "session %s is started: %s", id, err.text);
  ck_session_close(session);
  ck_runtime_close(runtime);
}

static void is_left(const char *id, ck_session_status status, const char *reason,
                    const char *name) {
  ck_head head;
  ck_error err = CK_ERROR_INIT;
  ck_runtime *runtime = open_runtime();
  tap_must(ck_store_get_head(&head, runtime->store, id, &err) == CK_OK, "head: %s", err.text);
  const char *why = head.session.reason ? head.session.reason : "";
  tap_ok(head.session.status == status && strstr(why, reason), "%s: %s, %s", name,
         ck_session_status_name(head.session.status), why);
  ck_head_clear(&head);
  ck_runtime_close(runtime);
}

static void test_closed(work what, const char *name) {
  begin(name);
  is_left(name, CK_SESSION_PAUSED, "closed it", "a session closed after its start is paused");
  for (int i = 0; i < 8; i++)
    tap_is_int(go_on(name, false, what, false), CK_OK, "%s, close %d does not block it", name, i);
  is_left(name, CK_SESSION_PAUSED, "closed it", "and so is one closed after a resume");
}

static void test_dead(void) {
  begin("dead");
  for (int i = 0; i < 3; i++) tap_is_int(die("dead"), CK_OK, "death %d", i);
  is_left("dead", CK_SESSION_RUNNING, "", "a session whose process is gone is running");
  tap_is_int(die("dead"), CK_E_REFUSED, "after three deaths in a row it is blocked");
  is_left("dead", CK_SESSION_FAILING, "died three times", "as failing");
  tap_is_int(go_on("dead", false, NOTHING, false), CK_E_REFUSED, "a refused resume is closed");
  is_left("dead", CK_SESSION_FAILING, "died three times", "which leaves it failing");
}

static void test_mixed(void) {
  begin("mixed");
  for (int i = 0; i < 3; i++) {
    tap_is_int(die("mixed"), CK_OK, "a death");
    tap_is_int(die("mixed"), CK_OK, "another");
    tap_is_int(go_on("mixed", false, NOTHING, false), CK_OK, "a close begins the count again");
  }
}

static void test_ended(void) {
  begin("ended");
  tap_is_int(go_on("ended", false, AN_END, false), CK_OK, "a session ends");
  is_left("ended", CK_SESSION_WAITING, "waits", "its end stays what it was");
}

int main(void) {
  char command[160];
  tap_must(mkdtemp(folder) != NULL, "a folder is made");
  snprintf(url, sizeof url, "sqlite:%s/s.db", folder);
  test_closed(NOTHING, "untouched");
  test_closed(A_NOTE, "noted");
  test_dead();
  test_mixed();
  test_ended();
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) == 0 ? tap_done() : 1;
}
