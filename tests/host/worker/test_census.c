/* test_census.c - how ten thousand sessions stand is one question to their store, not one for each:
 * a monitor asks every few seconds. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/host/worker/census.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

enum { SESSIONS = 10000, KINDS = 10 };

/* No loss of power is tried here. */
int fsync(int fd) {
  (void)fd;
  return 0;
}
int fdatasync(int fd) { return fsync(fd); }

static ck_error err;
static const int64_t minute_ms = 60000;

/* One session in ten each; NULL: it is not paused. */
static const struct {
  ck_session_status status;
  const char *reason;
  ck_standing stands;
  bool due;
} kinds[KINDS] = {
    {CK_SESSION_PAUSED, "queued", CK_STANDING_QUEUED, true},
    {CK_SESSION_PAUSED, "sleeping until 2001-01-01T00:00:00.000Z", CK_STANDING_SLEEPING, true},
    {CK_SESSION_PAUSED, "sleeping until 2999-01-01T00:00:00.000Z", CK_STANDING_SLEEPING, false},
    {CK_SESSION_PAUSED, "retrying at 2999-01-01T00:00:00.000Z", CK_STANDING_RETRYING, false},
    {CK_SESSION_PAUSED, "not today", (ck_standing)CK_SESSION_PAUSED, false},
    {CK_SESSION_PAUSED, NULL, (ck_standing)CK_SESSION_PAUSED, false},
    {CK_SESSION_RUNNING, NULL, (ck_standing)CK_SESSION_RUNNING, false},
    {CK_SESSION_WAITING, NULL, (ck_standing)CK_SESSION_WAITING, false},
    {CK_SESSION_COMPLETED, NULL, (ck_standing)CK_SESSION_COMPLETED, false},
    {CK_SESSION_FAILED, "queued", (ck_standing)CK_SESSION_FAILED, false},
};

/* ---- what is asked of the backend ---- */

static ck_backend inner;
static int asked, listed; /* listed: of the first, those that give each session */

static ck_status list_sessions(void *self, const ck_session_query *query, ck_session_visit visit,
                               void *to, ck_error *problem) {
  asked++;
  listed++;
  return inner.list_sessions(self, query, visit, to, problem);
}

static ck_status group(void *self, ck_session_group_visit visit, void *to, ck_error *problem) {
  asked++;
  return inner.worker.group(self, visit, to, problem);
}

static ck_status get_session(ck_session_record *out, void *self, const char *id,
                             ck_error *problem) {
  asked++;
  return inner.get_session(out, self, id, problem);
}

static ck_status list_timelines(ck_timeline **out, size_t *count, void *self, int64_t session,
                                ck_error *problem) {
  asked++;
  return inner.list_timelines(out, count, self, session, problem);
}

static void watch(ck_store *store) {
  inner = store->backend;
  store->backend.list_sessions = list_sessions;
  if (inner.worker.group) store->backend.worker.group = group;
  store->backend.get_session = get_session;
  store->backend.list_timelines = list_timelines;
  asked = listed = 0;
}

/* ---- the sessions ---- */

static void make(ck_store *store, int no) {
  char id[40];
  fixture session;
  const ck_session_update update = {.status = kinds[no % KINDS].status,
                                    .reason = kinds[no % KINDS].reason};
  const fixture_step step = {.text = "word", .update = &update, .process = true};
  snprintf(id, sizeof id, "s%d", no);
  ck_status status = fixture_create(&session, store, id, &err);
  if (status == CK_OK) status = fixture_commit(&session, &step, &err);
  tap_must(status == CK_OK, "session %d: %s", no, err.text);
  ck_store_release(store, session.lease);
}

/* One of each kind is made as any session is; a server copies the others. */
static void fill(ck_store *store, const char *schema) {
  char sql[1200];
  int most = schema ? KINDS : SESSIONS;
  for (int no = 0; no < most; no++) make(store, no);
  if (!schema) return;
  snprintf(
      sql, sizeof sql,
      "INSERT INTO session (id, status, reason, timeline, run, created_ms, updated_ms, origin, "
      "cut) SELECT id || 'x' || n, status, reason, timeline, run, created_ms, updated_ms, "
      "origin, cut FROM session, generate_series(1, %d) n; INSERT INTO lease (session, epoch, "
      "writer, base, last_seq, expires) SELECT no, 1, 1, 0, 2, 'epoch' FROM session WHERE no "
      "NOT IN (SELECT session FROM lease)",
      SESSIONS / KINDS - 1);
  postgres_server_ask(schema, sql);
}

static int64_t changed_ms(ck_store *store) {
  ck_session_record record;
  tap_must(ck_store_get_session(&record, store, "s0", &err) == CK_OK, "a session: %s", err.text);
  int64_t found = record.updated_ms;
  ck_session_record_clear(&record);
  return found;
}

static void test(const char *name, ck_store *store, const char *schema) {
  ck_census census;
  int64_t expected[CK_STANDING_END] = {0}, due = 0;
  fill(store, schema);
  int64_t now_ms = changed_ms(store) + minute_ms;
  watch(store);
  ck_status status = ck_census_take(&census, store, now_ms, &err);
  tap_is_status(status, CK_OK, &err, "%s: the sessions are counted", name);
  tap_is_int(asked, 1, "%s: by one question", name);
  tap_is_int(listed, inner.worker.group ? 0 : 1, "%s: which a database answers in groups", name);
  tap_ok(inner.worker.group || strcmp(name, "memory") == 0, "%s: as it can", name);
  for (int i = 0; i < KINDS; i++) {
    expected[kinds[i].stands] += SESSIONS / KINDS;
    if (kinds[i].due) due += SESSIONS / KINDS;
  }
  for (ck_standing at = 1; ck_standing_name(at); at++)
    tap_is_int(census.sessions[at], expected[at], "%s: of those that are %s", name,
               ck_standing_name(at));
  tap_is_int(census.due, due, "%s: and of those that are due", name);
  tap_ok(census.oldest_ms >= minute_ms && census.oldest_ms < 2 * minute_ms * SESSIONS,
         "%s: with the age of the oldest one: %lld ms", name, (long long)census.oldest_ms);
  ck_store_close(store);
}

int main(void) {
  char url[300];
  const char *of;
  test("memory", fixture_open("memory:"), NULL);
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("census.db"));
  test("sqlite", fixture_open(url), NULL);
  if ((of = postgres_server_store("census", "a store in PostgreSQL")))
    test("postgres", fixture_open(of), strstr(of, "schema=") + 7);
  return tap_done();
}
