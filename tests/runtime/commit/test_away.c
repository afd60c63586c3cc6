/* test_away.c - a commit meets a server that is away: it is waited for while the lease lasts, and
 * what is not written is written then. */
/* link: -Wl,--wrap=ck_store_commit -Wl,--wrap=ck_store_recover -Wl,--wrap=ck_store_has_lapses */
/* link: -Wl,--wrap=ck_store_check_lapse -Wl,--wrap=nanosleep */
#include <stdio.h>
#include <time.h>

#include "core/runtime/session/session.h"
#include "core/store/lapse.h"
#include "core/store/maintenance.h"
#include "tests/tap.h"

/* Of a server, by a clock that waits alone move. */
static struct {
  ck_store *store; /* NULL: none is away */
  int64_t now_ms, back_ms, lapse_ms;
} server;

static bool is_away(const ck_store *store) {
  return store == server.store && server.now_ms < server.back_ms;
}

int __wrap_nanosleep(const struct timespec *wait, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wait, struct timespec *left) {
  (void)left;
  server.now_ms += (int64_t)wait->tv_sec * 1000 + wait->tv_nsec / 1000000;
  return 0;
}

ck_status __real_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err) {
  if (is_away(store)) return ck_error_set(err, CK_E_UNKNOWN, "no answer");
  return __real_ck_store_commit(store, batches, count, err);
}

ck_status __real_ck_store_recover(ck_store *store, ck_error *err);
ck_status __wrap_ck_store_recover(ck_store *store, ck_error *err);
ck_status __wrap_ck_store_recover(ck_store *store, ck_error *err) {
  if (is_away(store)) return ck_error_set(err, CK_E_IO, "it is away");
  return __real_ck_store_recover(store, err);
}

bool __wrap_ck_store_has_lapses(const ck_store *store);
bool __wrap_ck_store_has_lapses(const ck_store *store) { return store == server.store; }

ck_status __wrap_ck_store_check_lapse(ck_store *store, ck_lease lease, ck_error *err);
ck_status __wrap_ck_store_check_lapse(ck_store *store, ck_lease lease, ck_error *err) {
  (void)lease;
  if (store != server.store || server.now_ms < server.lapse_ms) return CK_OK;
  return ck_error_set(err, CK_E_LAPSED, "the lease has ended");
}

/* A step while the server is away for so long; how long it was waited for. */
static ck_status step(int64_t *waited_ms, const char *name, int64_t away_ms) {
  char url[600];
  ck_runtime *runtime;
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_saved saved;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile(name));
  tap_must(
      ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK &&
          ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK &&
          ck_session_flush(session, CK_DURABLE_POWER, &err) == CK_OK,
      "%s", err.text);
  server.store = runtime->store;
  server.now_ms = 0;
  server.back_ms = away_ms;
  server.lapse_ms = 12000;
  ck_status status =
      ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_STEP_COMPLETE}, &err);
  if (status == CK_OK) status = ck_session_wait(session, saved.ticket, &err);
  *waited_ms = server.now_ms;
  server.store = NULL;
  ck_session_close(session);
  ck_runtime_close(runtime);
  return status;
}

int main(void) {
  int64_t waited;
  tap_is_int(step(&waited, "moment.db", 50), CK_OK, "a server that is back in a moment");
  tap_ok(waited <= 100, "is waited for no longer (%lld ms)", (long long)waited);
  tap_is_int(step(&waited, "while.db", 9000), CK_OK, "one that is away for nine seconds of twelve");
  tap_ok(waited >= 9000 && waited < 11000, "is met soon after (%lld ms)", (long long)waited);
  tap_is_int(step(&waited, "long.db", 60000), CK_E_UNKNOWN,
             "one that is away for longer than the lease is given up");
  tap_ok(waited >= 12000 && waited < 14000, "when that has ended (%lld ms)", (long long)waited);
  return tap_done();
}
