/* test_fence.c - who holds a lease whose lock file somebody has removed, and whose session another
 * handle has taken since, changes nothing of it: no event, no checkpoint, no status. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"

static const ck_session_update failed = {.status = CK_SESSION_FAILED, .reason = "an old one"};

static ck_session_status status_of(ck_store *store) {
  ck_session_record record;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_store_get_session(&record, store, "s", &err) == CK_OK, "session: %s", err.text);
  ck_session_status status = record.status;
  ck_session_record_clear(&record);
  return status;
}

/* `step` is the first that the old owner tries. */
static void check(const char *what, const fixture_step *step) {
  char url[512], lock[512];
  fixture old, next;
  ck_error err = CK_ERROR_INIT;
  const char *path = tap_tmpfile(what);
  snprintf(url, sizeof url, "sqlite:%s", path);
  snprintf(lock, sizeof lock, "%s.sessions/s.lock", path);
  ck_store *first = fixture_open(url), *second = fixture_open(url);
  tap_must(fixture_create(&old, first, "s", &err) == CK_OK, "create: %s", err.text);
  tap_must(unlink(lock) == 0, "its lock file is removed");
  tap_must(fixture_acquire(&next, second, "s", &err) == CK_OK, "acquire: %s", err.text);
  int64_t events = fixture_count_events(second, next.lease.session);
  tap_is_status(fixture_commit(&old, step, &err), CK_E_FENCED, &err, "%s of an old epoch", what);
  tap_ok(fixture_count_events(second, next.lease.session) == events &&
             status_of(second) == CK_SESSION_RUNNING,
         "%s: nothing is changed", what);
  tap_is_status(fixture_commit(&next, step, &err), CK_OK, &err, "%s of the new one", what);
  tap_is_int(fixture_verify(second), 0, "%s: verify is clean", what);
  ck_store_release(second, next.lease);
  ck_store_close(second);
  ck_store_close(first);
}

int main(void) {
  check("an event", &(fixture_step){.text = "t"});
  check("a checkpoint", &(fixture_step){.key = "memory.k", .value = "1"});
  check("a status", &(fixture_step){.update = &failed});
  return tap_done();
}
