/* test_silence.c - a server that stands still is given up, by who reads and by who commits; one
 * that takes its time is waited for. */
#include <stdio.h>
#include <string.h>

#include "core/store/postgres/postgres.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_error err;
static char schema[40];

static ck_store *open_store(const char *name, const char *more) {
  char full[600];
  snprintf(schema, sizeof schema, "%s", name);
  snprintf(full, sizeof full, "%s%s", postgres_server_store(name, "a store"), more);
  return fixture_open(full);
}

static ck_status read_one(ck_store *store) {
  ck_session_record record = {0};
  err = (ck_error)CK_ERROR_INIT;
  ck_status status = ck_store_get_session(&record, store, "one", &err);
  ck_session_record_clear(&record);
  return status;
}

/* Whether its lease lapses before the commit is given up hangs on the machine. */
static void test_frozen(void) {
  ck_store *store = open_store("silent", "&lease=7&margin=1");
  fixture one;
  tap_must(fixture_create(&one, store, "one", &err) == CK_OK, "one: %s", err.text);
  postgres_server_freeze();
  tap_is_status(read_one(store), CK_E_IO, &err, "who reads of a server that stands still is told");
  tap_ok(strstr(err.text, "the server has not answered for ") != NULL, "for how long: %s",
         err.text);
  tap_ok(strstr(err.text, "host=") != NULL && strstr(err.text, "pg_isready") != NULL,
         "which one, and what to do");
  fixture_step step = {.text = "waits"};
  ck_status status = fixture_commit(&one, &step, &err);
  tap_ok(status == CK_E_UNKNOWN || status == CK_E_LAPSED || status == CK_E_IO,
         "a commit that it does not answer is not acknowledged");
  postgres_server_thaw();
  ck_store_close(store);
  store = open_store("silent", "&lease=7&margin=1");
  tap_is_status(read_one(store), CK_OK, &err, "when it goes on it can be read");
  tap_is_int(fixture_verify(store), 0, "all is well");
  ck_store_close(store);
}

/* For longer than an answer is waited for. */
static void test_slow(void) {
  ck_store *store = open_store("slow", "&lease=3");
  fixture one;
  tap_must(fixture_create(&one, store, "one", &err) == CK_OK, "one: %s", err.text);
  ck_postgres *self = store->backend.self;
  err = (ck_error)CK_ERROR_INIT;
  tap_is_status(ck_postgres_exec(self->writer, "SELECT pg_sleep(4)", "wait", &err), CK_OK, &err,
                "an answer that comes late is waited for while the server lives");
  ck_store_close(store);
}

int main(void) {
  const char *why;
  if (!postgres_server_url(&why)) tap_skip_all("%s", why);
  test_frozen();
  test_slow();
  return tap_done();
}
