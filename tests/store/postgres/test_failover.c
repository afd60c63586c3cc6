/* test_failover.c - a standby becomes the primary: what it knows of leases may be old, so nobody is
 * taken over for the length of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_error err;

static ck_store *open_store(const char *lease) {
  char url[900];
  snprintf(url, sizeof url, "postgres:///postgres?%s&schema=failover%s", postgres_server_hosts(),
           lease);
  return fixture_open(url);
}

static const char *ask(const char *sql) { return postgres_server_ask("failover", sql); }

int main(void) {
  const char *why;
  fixture session;
  ck_lease lease;
  if (!postgres_server_url(&why)) tap_skip_all("%s", why);
  ck_store *store = open_store("&lease=600");
  tap_must(fixture_create(&session, store, "one", &err) == CK_OK, "a session: %s", err.text);
  postgres_server_stand_by();
  fixture_step step = {.text = "hello", .key = "memory.a", .value = "1"};
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "a commit");
  ask("UPDATE lease SET owner = '7 7 another-boot another-ns elsewhere run_x'");
  while (strcmp(ask("SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= "
                    "pg_current_wal_lsn()"),
                "1") != 0)
    usleep(10000);
  double dead = atof(ask("SELECT extract(epoch FROM clock_timestamp())"));
  postgres_server_fail_over();
  /* The renewals that were on their way to the standby are lost. */
  ask("UPDATE lease SET expires = clock_timestamp() - interval '1 ms'");
  tap_is_status(ck_store_check_owner(store, "one", &err), CK_E_OWNED, &err,
                "behind a failover a lease that ended for the new primary lasts");
  ck_store_close(store);
  store = open_store("&lease=2");
  ck_status status = ck_store_lock_session(&lease, store, "one", 1, &err);
  tap_is_status(status, CK_E_OWNED, &err, "nobody takes it over");
  while ((status = ck_store_lock_session(&lease, store, "one", 1, &err)) == CK_E_OWNED)
    usleep(10000);
  double waited = atof(ask("SELECT extract(epoch FROM clock_timestamp())")) - dead;
  tap_is_status(status, CK_OK, &err, "later it can be");
  tap_ok(waited >= 2, "%.2f s behind the death of the old primary: a lease at least", waited);
  tap_is_int(fixture_count_events(store, 1), 3, "what was committed is there");
  tap_is_int(fixture_verify(store), 0, "and all is well");
  ck_store_close(store);
  return tap_done();
}
