/* test_wal.c - what a commit costs the disk, what a full or failing disk does to it, and how the
 * log keeps its size. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/store/faulty.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

enum { CAP = 8 << 20 };

static char url[400];
static const char *path;

static ck_store *open_store(const char *name) {
  path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  return fixture_open(url);
}

static fixture open_session(const char *name) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  if (fixture_create(&session, open_store(name), "s", &err) != CK_OK)
    tap_must(false, "a session: %s", err.text);
  return session;
}

static int64_t wal_size(void) {
  char name[400];
  struct stat file;
  snprintf(name, sizeof name, "%s-wal", path);
  return stat(name, &file) == 0 ? file.st_size : -1;
}

static void forget_counts(void) {
  faulty_take(FAULTY_WAL);
  faulty_take(FAULTY_DATABASE);
}

static void is_cost(int writes, int syncs, const char *name) {
  faulty_counts wal = faulty_take(FAULTY_WAL), database = faulty_take(FAULTY_DATABASE);
  tap_is_int(database.writes + database.syncs, 0, "%s leaves the database file alone", name);
  tap_is_int(wal.syncs, syncs, "%s: syncs", name);
  if (writes) tap_is_int(wal.writes, writes, "%s: writes", name);
}

static void test_costs(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session = open_session("costs.db");
  const fixture_step step = {.text = "t", .key = "memory.k", .value = "1"};
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "a commit warms up");
  forget_counts();
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "a power commit");
  is_cost(1, 1, "a power commit");
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t", .process = true}, &err),
                CK_OK, &err, "a process commit");
  is_cost(0, 0, "a process commit");
  tap_is_status(ck_store_sync(session.store, &err), CK_OK, &err, "a sync");
  is_cost(0, 1, "a sync after it");
  tap_is_status(fixture_commit(&session, &(fixture_step){0}, &err), CK_OK, &err,
                "an empty power commit");
  is_cost(0, 1, "an empty power commit, which makes what lay before it durable,");
  fixture zombie = session;
  zombie.lease.epoch++;
  tap_is_status(fixture_commit(&zombie, &step, &err), CK_E_FENCED, &err, "a fenced commit");
  is_cost(0, 1, "a fenced commit");
  ck_store_close(session.store);
  faulty_counts wal = faulty_take(FAULTY_WAL), database = faulty_take(FAULTY_DATABASE);
  tap_is_int(wal.writes, 1, "closing empties the log's header");
  tap_is_int(database.syncs, 2, "when all of it is in the database, synced, and its sign is gone");
}

/* ---- the log's size ---- */

static void write_until(fixture *session, int64_t bytes) {
  char *text = malloc(80000);
  if (!text) tap_must(false, "there is memory");
  for (int64_t written = 0; written < bytes; written += 60000) {
    ck_error err = CK_ERROR_INIT;
    for (int i = 0; i < 60000; i++) text[i] = (char)('a' + rand() % 26);
    text[0] = text[59999] = '"';
    text[60000] = '\0';
    fixture_step step = {.key = "memory.big", .value = text, .process = true};
    if (fixture_commit(session, &step, &err) != CK_OK)
      tap_must(false, "a big commit: %s", err.text);
  }
  free(text);
}

static void test_size(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session = open_session("size.db");
  tap_is_int(wal_size(), CAP, "the log has its size before it is needed");
  for (int i = 0; i < 5; i++) {
    write_until(&session, CAP / 2);
    tap_is_status(ck_store_idle(session.store, &err), CK_OK, &err, "an idle writer checkpoints");
  }
  write_until(&session, 1);
  tap_is_int(wal_size(), CAP, "so the log never outgrows it");
  write_until(&session, 3 * CAP);
  tap_is_int(wal_size(), CAP, "nor when the writer is never idle");
  ck_store_close(session.store);
  tap_is_int(wal_size(), CAP, "closing keeps it");
  char wal[400];
  snprintf(wal, sizeof wal, "%s-wal", path);
  ck_store *store = fixture_open(url);
  int64_t events = fixture_count_events(store, session.lease.session);
  tap_is_int(events, session.seq, "with everything in it");
  tap_is_status(ck_store_recover(store, &err), CK_OK, &err, "all of it in the database");
  ck_store_close(store);
  tap_must(unlink(wal) == 0, "another program removes the log");
  store = fixture_open(url);
  tap_is_int(wal_size(), CAP, "it is made again");
  tap_is_int(fixture_count_events(store, session.lease.session), events, "and nothing is missing");
  tap_is_int(fixture_verify(store), 0, "verify is clean");
  ck_store_close(store);
}

typedef struct slow_reader {
  fixture *session;
  int64_t seen;
  ck_status status;
} slow_reader;

/* A reader that holds its view of the store while the writer writes several times what the log
 * holds. */
static bool read_slowly(void *to, const ck_event *event) {
  slow_reader *self = to;
  if (event->seq == 1) {
    write_until(self->session, 5 * CAP / 2);
    self->status = ck_store_idle(self->session->store, NULL);
  }
  self->seen = event->seq;
  return true;
}

static void test_reader(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session = open_session("reader.db");
  slow_reader reader = {&session, 0, CK_E_FAILED};
  ck_event_query query = {.session = session.lease.session};
  tap_is_status(ck_store_read_events(session.store, &query, read_slowly, &reader, &err), CK_OK,
                &err, "a slow reader reads to its end");
  tap_is_int(reader.seen, 1, "what was there when it began");
  tap_is_status(reader.status, CK_OK, NULL, "nor does it keep the writer from its work");
  tap_ok(wal_size() > 2 * CAP, "only the log grows for its sake");
  tap_is_status(ck_store_recover(session.store, &err), CK_OK, &err, "when it has gone");
  write_until(&session, 1);
  tap_is_int(wal_size(), CAP, "the log has its size again");
  ck_store_close(session.store);
}

/* ---- a disk that fails ---- */

static void test_failed_sync(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session = open_session("sync.db");
  const fixture_step step = {.text = "t", .key = "memory.k", .value = "1"};
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "a commit before");
  faulty_fail_sync(FAULTY_WAL, SQLITE_IOERR_FSYNC, 1);
  tap_is_status(fixture_commit(&session, &step, &err), CK_E_UNKNOWN, &err,
                "a commit whose sync fails is unknown");
  tap_ok(strstr(err.text, path) != NULL, "the store is named: %s", err.text);
  tap_is_int(faulty_left(), 0, "the sync was not tried again");
  tap_is_status(fixture_commit(&session, &step, &err), CK_E_UNKNOWN, &err,
                "nothing is written after it");
  tap_ok(strstr(err.text, "Input/output error") != NULL, "and the cause is reported again: %s",
         err.text);
  tap_is_status(ck_store_sync(session.store, &err), CK_E_UNKNOWN, &err, "nor synced");
  faulty_fail_sync(FAULTY_WAL, SQLITE_IOERR_FSYNC, 1);
  tap_ok(ck_store_recover(session.store, &err) != CK_OK, "a recovery that fails too: %s", err.text);
  tap_is_status(fixture_commit(&session, &step, &err), CK_E_UNKNOWN, &err, "leaves it unknown");
  tap_is_status(ck_store_recover(session.store, &err), CK_OK, &err, "one that does not");
  ck_head head;
  tap_must(ck_store_get_head(&head, session.store, "s", &err) == CK_OK, "a head: %s", err.text);
  tap_ok(head.last_seq == 3 || head.last_seq == 5, "makes the head true, all or nothing: %lld",
         (long long)head.last_seq);
  tap_is_int(head.latest.seq, head.last_seq, "with the checkpoint and its event together");
  session.seq = head.last_seq;
  session.parent = head.latest.seq;
  ck_head_clear(&head);
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "and the session goes on");
  ck_store_close(session.store);
  ck_store *store = fixture_open(url);
  tap_is_int(fixture_count_events(store, session.lease.session), session.seq,
             "the fate does not change any more");
  tap_is_int(fixture_verify(store), 0, "verify is clean");
  ck_store_close(store);
}

static void test_failed_write(int code, ck_status want, const char *name, const char *cause) {
  ck_error err = CK_ERROR_INIT;
  char file[32];
  snprintf(file, sizeof file, "write%d.db", code);
  fixture session = open_session(file);
  const fixture_step power = {.text = "t", .key = "memory.k", .value = "1"};
  const fixture_step process = {.text = "t", .process = true};
  for (int i = 0; i < 2; i++) {
    faulty_fail_write(FAULTY_WAL, code, 1);
    tap_is_status(fixture_commit(&session, i ? &process : &power, &err), want, &err,
                  "%s at a write", name);
    tap_ok(strstr(err.text, path) && strstr(err.text, cause),
           "the store and the cause are named: %s", err.text);
    if (want == CK_E_UNKNOWN)
      tap_is_status(ck_store_recover(session.store, &err), CK_OK, &err, "it recovers");
    tap_is_int(fixture_count_events(session.store, session.lease.session), session.seq,
               "nothing was written");
    tap_is_status(fixture_commit(&session, i ? &process : &power, &err), CK_OK, &err,
                  "when it is over, the session goes on");
  }
  tap_is_int(fixture_verify(session.store), 0, "verify is clean");
  ck_store_close(session.store);
}

/* Commits until the idle writer has something to say. */
static ck_status write_until_idle_fails(fixture *session, ck_error *err) {
  ck_status status = CK_OK;
  for (int i = 0; i < 1000 && status == CK_OK; i++) {
    write_until(session, 1);
    status = ck_store_idle(session->store, err);
  }
  return status;
}

/* The disk is full when the idle writer makes its WAL checkpoint: neither that nor the recovery
 * succeeds, and the session has not heard of it. */
static void test_refusal_names_cause(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session = open_session("cause.db");
  const fixture_step step = {.text = "t", .key = "memory.k", .value = "1"};
  faulty_fail_write(FAULTY_DATABASE, SQLITE_FULL, 1);
  tap_is_status(write_until_idle_fails(&session, &err), CK_E_FULL, &err,
                "a checkpoint onto a full disk");
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, 1);
  tap_is_status(ck_store_recover(session.store, NULL), CK_E_FULL, NULL,
                "a recovery that finds it full too");
  tap_is_status(fixture_commit(&session, &step, &err), CK_E_FULL, &err,
                "the next commit is refused for it");
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, 1);
  tap_is_status(ck_store_recover(session.store, &err), CK_E_FULL, &err, "another one");
  tap_is_status(fixture_commit(&session, &step, &err), CK_E_FULL, &err, "refused again");
  tap_ok(strstr(err.text, path) && strstr(err.text, "No space left"),
         "one line names store and cause: %s", err.text);
  tap_is_status(ck_store_recover(session.store, &err), CK_OK, &err, "with room it recovers");
  tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "and the session goes on");
  tap_is_int(fixture_count_events(session.store, session.lease.session), session.seq,
             "nothing was lost");
  ck_store_close(session.store);
}

/* The log is full and the database cannot take it: what was committed stays in the log. */
static void test_failed_checkpoint(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session = open_session("checkpoint.db");
  faulty_fail_write(FAULTY_DATABASE, SQLITE_FULL, 1);
  tap_is_status(write_until_idle_fails(&session, &err), CK_E_FULL, &err,
                "a checkpoint onto a full disk says so");
  tap_is_int(fixture_count_events(session.store, session.lease.session), session.seq,
             "and loses nothing");
  faulty_fail_sync(FAULTY_DATABASE, SQLITE_IOERR_FSYNC, 1);
  tap_is_status(write_until_idle_fails(&session, &err), CK_E_UNKNOWN, &err,
                "one whose sync fails asks for a recovery");
  tap_is_status(ck_store_recover(session.store, &err), CK_OK, &err, "which can be made");
  tap_is_int(fixture_count_events(session.store, session.lease.session), session.seq,
             "and loses nothing");
  tap_is_int(fixture_verify(session.store), 0, "verify is clean");
  ck_store_close(session.store);
}

static void test_failed_opening(void) {
  static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE};
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  path = tap_tmpfile("never.db");
  snprintf(url, sizeof url, "sqlite:%s", path);
  for (int i = 0; i < 2; i++) {
    ck_status want = i % 2 ? CK_E_IO : CK_E_FULL;
    faulty_fail_write(FAULTY_DATABASE, codes[i], 1000);
    tap_is_status(ck_store_open(&store, url, &(ck_store_options){.create = true}, &err), want, &err,
                  "no store can be made");
    tap_ok(strstr(err.text, path) != NULL, "it is named: %s", err.text);
    faulty_heal();
    tap_ok(access(path, F_OK) != 0, "and nothing is left of it");
  }
  faulty_fail_write(FAULTY_WAL, SQLITE_IOERR_WRITE, 1);
  tap_is_status(ck_store_open(&store, url, &(ck_store_options){.create = true}, &err), CK_E_IO,
                &err, "nor with a bad log");
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, 1);
  store = fixture_open(url);
  tap_ok(wal_size() < CAP, "a disk too full for the whole log still takes a store");
  ck_store_close(store);
  store = fixture_open(url);
  tap_is_int(fixture_verify(store), 0, "later it can");
  ck_store_close(store);
}

int main(void) {
  faulty_install();
  test_costs();
  test_size();
  test_reader();
  test_failed_sync();
  test_failed_write(SQLITE_FULL, CK_E_FULL, "a full disk", "No space left");
  test_failed_write(SQLITE_IOERR_WRITE, CK_E_UNKNOWN, "an error", "Input/output error");
  test_failed_checkpoint();
  test_refusal_names_cause();
  test_failed_opening();
  return tap_done();
}
