/* test_commit.c - every kind of commit has a statement of its own: each writes what it has, in
 * every column, and nothing else; and is planned once. */
#include <stdlib.h>
#include <string.h>

#include "core/store/postgres/postgres.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/tap.h"

static ck_error err;
static ck_store *store;
static const char *schema;

static ck_store *open_store(const char *name) {
  schema = name;
  return fixture_open(postgres_server_store(name, "a store"));
}

static ck_postgres *inside(void) { return store->backend.self; }

static const char *ask(const char *sql) { return postgres_server_ask(schema, sql); }

static fixture create(const char *id) {
  fixture session;
  if (fixture_create(&session, store, id, &err) != CK_OK) tap_must(false, "%s: %s", id, err.text);
  return session;
}

/* ---- rows whose columns tell their seq ---- */

enum { EVENTS_MOST = 6, NAME_SIZE = 40 };
typedef struct rows {
  ck_event_row events[EVENTS_MOST];
  char texts[EVENTS_MOST][5][NAME_SIZE];
  ck_checkpoint_row checkpoint;
  ck_head_row head;
  ck_row_batch batch;
} rows;

static ck_bytes name(char out[NAME_SIZE], const char *column, int64_t seq) {
  snprintf(out, NAME_SIZE, "%s %lld", column, (long long)seq);
  return ck_bytes_text(out);
}

/* What may be absent is, in every second one. */
static ck_bytes some(char out[NAME_SIZE], const char *column, int64_t seq) {
  return seq % 2 ? name(out, column, seq) : (ck_bytes){NULL, 0};
}

static void make_event(rows *self, size_t i, int64_t seq) {
  char(*texts)[NAME_SIZE] = self->texts[i];
  self->events[i] = (ck_event_row){.seq = seq,
                                   .timeline = seq + 1,
                                   .kind = (ck_event_kind)(seq + 2),
                                   .at_ms = seq + 3,
                                   .encoding = (int)seq + 4,
                                   .plain_len = seq + 5,
                                   .check = seq + 6,
                                   .scope = name(texts[0], "scope", seq).data,
                                   .agent = some(texts[1], "agent", seq).data,
                                   .body = name(texts[2], "body", seq),
                                   .mac = some(texts[3], "mac", seq),
                                   .decision = some(texts[4], "decision", seq)};
}
static const char whole_events[] =
    "SELECT count(*) FROM event WHERE timeline = seq + 1 AND kind = seq + 2 AND at_ms = seq + 3 "
    "AND encoding = seq + 4 AND plain_len = seq + 5 AND check_sum = seq + 6 AND scope = 'scope ' "
    "|| seq AND body = convert_to('body ' || seq, 'UTF8') AND key_id IS NULL AND CASE WHEN seq % 2 "
    "= 1 THEN agent = 'agent ' || seq AND mac = convert_to('mac ' || seq, 'UTF8') AND decision = "
    "convert_to('decision ' || seq, 'UTF8') ELSE coalesce(agent, mac::text, decision::text) IS NULL"
    " END";

static void make_checkpoint(ck_checkpoint_row *out, int64_t seq, int64_t parent) {
  *out = (ck_checkpoint_row){.seq = seq,
                             .parent = parent,
                             .keyframe = seq + 1,
                             .timeline = seq + 2,
                             .covers = seq + 3,
                             .kind = (ck_boundary_kind)(seq + 4),
                             .created_ms = seq + 5,
                             .clean = seq % 2,
                             .resumable = seq % 3 == 0,
                             .totals = {.cost_micros = seq + 6,
                                        .input_tokens = seq + 7,
                                        .output_tokens = seq + 8,
                                        .model_calls = seq + 9,
                                        .tool_calls = seq + 10,
                                        .unmetered = seq + 11,
                                        .active_us = seq + 12},
                             .changed = seq + 13,
                             .format = (int)seq + 14,
                             .encoding = (int)seq + 15,
                             .plain_len = seq + 16,
                             .info = ck_bytes_text("info"),
                             .payload = ck_bytes_text("payload"),
                             .events_digest = {{1}},
                             .payload_digest = {{2}},
                             .digest = {{3}},
                             .key_id = ck_bytes_text("key")};
  snprintf(out->id, sizeof out->id, "id %lld", (long long)seq);
}
static const char whole_checkpoints[] =
    "SELECT count(*) FROM checkpoint c WHERE id = 'id ' || seq AND parent = coalesce((SELECT "
    "max(seq) FROM checkpoint p WHERE p.seq < c.seq), 0) AND keyframe = seq + 1 AND timeline = seq "
    "+ 2 AND covers = seq + 3 AND kind = seq + 4 AND created_ms = seq + 5 AND clean = seq % 2 AND "
    "resumable = (seq % 3 = 0)::int AND cost_micros = seq + 6 AND input_tokens = seq + 7 AND "
    "output_tokens = seq + 8 AND model_calls = seq + 9 AND tool_calls = seq + 10 AND unmetered = "
    "seq + 11 AND active_us = seq + 12 AND changed = seq + 13 AND format = seq + 14 AND encoding = "
    "seq + 15 AND plain_len = seq + 16 AND info = 'info' AND payload = 'payload' AND mac IS NULL "
    "AND key_id = 'key' AND get_byte(events_digest, 0) = 1 AND get_byte(payload_digest, 0) = 2 AND "
    "get_byte(digest, 0) = 3";

/* ---- all kinds ---- */

typedef struct kind {
  size_t events;
  bool checkpoint, update, head;
} kind;

/* What is there, as the test knows. */
typedef struct known {
  int64_t seq, events, checkpoints, parent, updated, head;
} known;

static void expect(const known *of, const char *what) {
  char expected[200];
  snprintf(expected, sizeof expected, "%lld %lld %lld %lld reason %lld %lld", (long long)of->seq,
           (long long)of->events, (long long)of->checkpoints, (long long)of->updated,
           (long long)of->updated, (long long)of->head);
  tap_is_text(ask("SELECT concat_ws(' ', last_seq, (SELECT count(*) FROM event), (SELECT count(*) "
                  "FROM checkpoint), s.updated_ms, s.reason, h.seq) FROM lease JOIN session s ON "
                  "s.no = lease.session JOIN head h ON h.session = s.no"),
              expected, "%s", what);
}

static void commit_kind(known *of, const fixture *session, kind has) {
  static rows made;
  char reason[40], what[120];
  int64_t at_ms = of->updated + 1;
  ck_session_update update = {.status = CK_SESSION_PAUSED, .reason = reason};
  snprintf(reason, sizeof reason, "reason %lld", (long long)at_ms);
  made.batch = (ck_row_batch){.lease = session->lease,
                              .events = made.events,
                              .event_count = has.events,
                              .at_ms = at_ms,
                              .update = has.update ? &update : NULL};
  for (size_t i = 0; i < has.events; i++) make_event(&made, i, ++of->seq);
  if (has.checkpoint) {
    make_checkpoint(&made.checkpoint, of->seq, of->parent);
    made.batch.checkpoint = &made.checkpoint;
    of->parent = of->seq;
  }
  if (has.head) {
    made.head = ck_head_row_of(1, CK_SESSION_PAUSED, of->seq, &(ck_digest){{7}});
    made.batch.head = &made.head;
    of->head = of->seq;
  }
  of->events += (int64_t)has.events;
  of->checkpoints += has.checkpoint;
  if (has.update) of->updated = at_ms;
  snprintf(what, sizeof what, "%zu events%s%s%s", has.events, has.checkpoint ? ", checkpoint" : "",
           has.update ? ", status" : "", has.head ? ", head" : "");
  ck_status status = ck_postgres_commit(inside(), &made.batch, 1, CK_DURABLE_PROCESS, &err);
  tap_must(status == CK_OK && made.batch.status == CK_OK, "%s: %s", what, err.text);
  expect(of, what);
}

static void test_kinds(void) {
  static const size_t counts[] = {0, 1, 2, 3, EVENTS_MOST};
  store = open_store("kinds");
  fixture session = create("kinds");
  known of = {.seq = session.seq, .head = session.seq};
  ask("DELETE FROM event; UPDATE session SET updated_ms = 0, reason = 'reason 0'");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int has = counts[i] ? 0 : 2; has < 8; has += counts[i] ? 1 : 2)
      commit_kind(&of, &session, (kind){counts[i], has & 1, has & 2, has & 4});
  tap_is_int(atoi(ask(whole_events)), of.events, "the events are whole");
  tap_is_int(atoi(ask(whole_checkpoints)), of.checkpoints, "so are the checkpoints");
  tap_is_text(ask("SELECT get_byte(digest, 0) FROM head"), "7", "and the head");
  ck_store_close(store);
}

/* ---- the parent of a checkpoint ---- */

static ck_status commit_on(fixture *session, int64_t parent) {
  static rows made;
  int64_t seq = session->seq + 1;
  make_event(&made, 0, seq);
  make_checkpoint(&made.checkpoint, seq, parent);
  made.batch = (ck_row_batch){.lease = session->lease,
                              .events = made.events,
                              .event_count = 1,
                              .checkpoint = &made.checkpoint};
  ck_status status = ck_postgres_commit(inside(), &made.batch, 1, CK_DURABLE_POWER, &err);
  if (status == CK_OK && made.batch.status == CK_OK) session->seq = seq;
  return status == CK_OK ? made.batch.status : status;
}

/* Under the lease the last one needs no look. */
static void test_parents(void) {
  store = open_store("parents");
  fixture session = create("parents");
  tap_is_status(commit_on(&session, 1), CK_E_NOT_FOUND, NULL, "a parent that never was");
  tap_is_status(commit_on(&session, 0), CK_OK, NULL, "none");
  int64_t first = session.seq;
  tap_is_status(commit_on(&session, first), CK_OK, NULL, "the last one");
  tap_is_status(commit_on(&session, first), CK_OK, NULL, "an older one");
  int64_t last = session.seq;
  tap_is_status(commit_on(&session, 1), CK_E_NOT_FOUND, NULL, "one that never was, again");
  tap_is_status(commit_on(&session, last + 1), CK_E_NOT_FOUND, NULL, "itself");
  ck_store_release(store, session.lease);
  ck_status status = ck_store_lock_session(&session.lease, store, "parents", 1, &err);
  tap_is_status(status, CK_OK, &err, "taken again");
  tap_is_status(commit_on(&session, last + 2), CK_E_NOT_FOUND, NULL, "one that is to come");
  tap_is_status(commit_on(&session, last), CK_OK, NULL, "it goes on");
  tap_is_text(ask("SELECT string_agg(parent::text, ' ' ORDER BY seq) FROM checkpoint"), "0 2 2 4",
              "and that is what is there");
  ck_store_close(store);
}

/* ---- plans ---- */

/* Of the writer's connection. */
static long ask_writer(const char *sql) {
  ck_postgres_connection *by = inside()->writer;
  PGresult *result = ck_postgres_answer(by, by->pq->sendQuery(by->conn, sql));
  tap_must(by->pq->resultStatus(result) == PGRES_TUPLES_OK, "%s", sql);
  long number = atol(by->pq->getvalue(result, 0, 0));
  by->pq->clear(result);
  return number;
}

static void test_plans(void) {
  static const char once[] = "SELECT sum(generic_plans) FROM pg_prepared_statements";
  static const char each[] = "SELECT sum(custom_plans) FROM pg_prepared_statements";
  enum { COMMITS = 8 };
  store = open_store("plans");
  fixture session = create("plans");
  fixture_step step = {.text = "hello", .process = true};
  bool counts = inside()->pq->serverVersion(inside()->writer->conn) >= 140000;
  long before = counts ? ask_writer(each) : 0;
  for (int i = 0; i < COMMITS; i++)
    tap_must(fixture_commit(&session, &step, &err) == CK_OK, "%s", err.text);
  if (counts) {
    tap_ok(ask_writer(once) >= COMMITS, "commits have a plan that is made once");
    tap_is_int(ask_writer(each) - before, 0, "and none is planned for itself");
  } else {
    tap_skip("this server does not count plans");
  }
  tap_is_int(ask_writer("SELECT (current_setting('synchronous_commit') = 'on')::int"), 1,
             "a commit that waits for no standby leaves those behind it as they were");
  ck_store_close(store);
}

int main(void) {
  const char *why;
  if (!postgres_server_url(&why)) tap_skip_all("%s", why);
  test_kinds();
  test_parents();
  test_plans();
  return tap_done();
}
