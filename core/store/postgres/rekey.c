/* rekey.c - changes the key of all rows: events and checkpoints a few at a time, the rest at once;
 * each transaction is alone in the store. */
#include <stdio.h>
#include <string.h>

#include "core/store/postgres/rekey.h"

static const char doing[] = "change its key";

static ck_bytes bytes_of(const ck_digest *digest) {
  return (ck_bytes){(const char *)digest->bytes, CK_DIGEST_SIZE};
}

/* ---- which keys there are ---- */

static ck_status list_keys(void *to, ck_key_visit visit, void *visitor, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_LIST_KEYS};
  ck_status status = ck_postgres_read(&result, self, &query, "list its keys", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  for (; row.at < row.count; row.at++)
    visit(visitor, ck_postgres_bytes(&row, 0), ck_postgres_int(&row, 1), ck_postgres_int(&row, 2));
  self->pq->clear(result);
  return CK_OK;
}

/* ---- the beginning ---- */

/* One process changes it; the lock lasts as long as the connection. */
static ck_status take_lock(ck_postgres *self, ck_error *err) {
  char sql[160];
  snprintf(sql, sizeof sql, "SELECT pg_try_advisory_lock(hashtextextended('ckrun key of %s', 0))",
           self->url.schema);
  PGresult *result =
      ck_postgres_answer(self->writer, self->writer->pq->sendQuery(self->writer->conn, sql));
  ck_status status = CK_OK;
  if (self->pq->resultStatus(result) != PGRES_TUPLES_OK)
    status = ck_postgres_error(self->writer, result, doing, err);
  else if (*self->pq->getvalue(result, 0, 0) != 't')
    status = ck_error_set(err, CK_E_BUSY, "store %s: another process is changing its key",
                          self->url.name);
  self->pq->clear(result);
  return status;
}

static ck_status begin(ck_postgres *self, ck_error *err) {
  ck_status status = ck_postgres_begin_alone(self, err);
  if (status != CK_OK) return status;
  status = take_lock(self, err);
  return status == CK_OK ? CK_OK : ck_postgres_end(self, status, err);
}

static ck_status put_entry(ck_postgres *self, ck_bytes entry, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_META};
  ck_postgres_bind_text(&query, "key");
  ck_postgres_bind_blob(&query, entry);
  return ck_postgres_write(NULL, self->writer, &query, doing, err);
}

static ck_status note_entry(ck_postgres *self, ck_bytes entry, ck_error *err) {
  ck_buffer_reset(&self->key_entry);
  ck_buffer_append_bytes(&self->key_entry, entry);
  return ck_buffer_check(&self->key_entry, err);
}

/* Refused while a session is being run: its owner would continue to write with the old key. One
 * whose lease has ended, but who stands still and may go on, is fenced. */
static ck_status check_idle(ck_postgres *self, ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_LIST_OWNED};
  ck_postgres_bind_int(&query, self->url.lease_ms);
  ck_status status = ck_postgres_run(&result, self->writer, &query, doing, err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  for (; row.at < row.count && status == CK_OK; row.at++)
    status = ck_postgres_check_free(self, &row, ck_postgres_text(&row, 7), err);
  self->pq->clear(result);
  if (status == CK_E_OWNED)
    ck_error_prefix(err, "store %s: its key cannot be changed now", self->url.name);
  if (status != CK_OK) return status;
  return ck_postgres_exec(self->writer,
                          "UPDATE lease SET owner = NULL, fault = NULL, writer = 0,"
                          " expires = 'epoch' WHERE owner IS NOT NULL OR writer <> 0",
                          doing, err);
}

static ck_status begin_rekey(void *to, ck_bytes entry, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = begin(self, err);
  if (status != CK_OK) return status;
  status = ck_postgres_check_key(self, err);
  if (status == CK_OK) status = check_idle(self, err);
  if (status == CK_OK) status = put_entry(self, entry, err);
  status = ck_postgres_end(self, status, err);
  return status == CK_OK ? note_entry(self, entry, err) : status;
}

/* ---- events and checkpoints ---- */

static ck_status change_event(ck_postgres_walk *self, const ck_postgres_row *row, ck_error *err) {
  ck_event_row event = ck_postgres_event_row(row);
  int64_t session = ck_postgres_int(row, 13);
  self->at[0] = session;
  self->at[1] = event.seq;
  ck_status status = self->with->event(self->with->self, session, &event, err);
  if (status != CK_OK) return status;
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_EVENT};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, event.seq);
  ck_postgres_bind_int(&query, event.encoding);
  ck_postgres_bind_int(&query, event.check);
  ck_postgres_bind_blob(&query, event.mac);
  ck_postgres_bind_blob(&query, event.key_id);
  ck_postgres_bind_blob(&query, event.body);
  return ck_postgres_write(NULL, self->store->writer, &query, doing, err);
}

static ck_status change_checkpoint(ck_postgres_walk *self, const ck_postgres_row *row,
                                   ck_error *err) {
  ck_checkpoint_row one = ck_postgres_checkpoint_row(row);
  int64_t session = ck_postgres_int(row, 29);
  self->at[0] = session;
  self->at[1] = one.seq;
  ck_status status = self->with->checkpoint(self->with->self, session, &one, err);
  if (status != CK_OK) return status;
  ck_postgres_query query = {.sql = CK_POSTGRES_REKEY_CHECKPOINT};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, one.seq);
  ck_postgres_bind_int(&query, one.encoding);
  ck_postgres_bind_blob(&query, bytes_of(&one.events_digest));
  ck_postgres_bind_blob(&query, bytes_of(&one.payload_digest));
  ck_postgres_bind_blob(&query, bytes_of(&one.digest));
  ck_postgres_bind_blob(&query, one.mac);
  ck_postgres_bind_blob(&query, one.key_id);
  ck_postgres_bind_blob(&query, one.info);
  ck_postgres_bind_blob(&query, one.payload);
  return ck_postgres_write(NULL, self->store->writer, &query, doing, err);
}

/* The next page of rows that are not signed with the new key, behind those of this handle. */
static ck_status change_next(ck_postgres_walk *self, ck_postgres_sql sql, ck_postgres_change change,
                             ck_error *err) {
  bool more;
  ck_key_id id = ck_seal_key(self->with->to);
  ck_postgres_query query = {.sql = sql};
  ck_postgres_bind_blob(&query, (ck_bytes){(const char *)id.bytes, sizeof id.bytes});
  ck_postgres_bind_int(&query, self->at[0]);
  ck_postgres_bind_int(&query, self->at[1]);
  return ck_postgres_change_page(&more, self, &query, change, err);
}

static ck_postgres_walk walk_from(ck_postgres *self, const ck_rekey *with, const int64_t at[2]) {
  return (ck_postgres_walk){.store = self, .with = with, .at = {at[0], at[1]}};
}

static ck_status rekey_rows(int64_t *rows, void *to, const ck_rekey *with, ck_error *err) {
  ck_postgres *self = to;
  ck_postgres_walk events = walk_from(self, with, self->rekeyed_event),
                   checkpoints = walk_from(self, with, self->rekeyed_checkpoint);
  *rows = 0;
  ck_status status = begin(self, err);
  if (status != CK_OK) return status;
  status = change_next(&events, CK_POSTGRES_NEXT_EVENTS, change_event, err);
  if (status == CK_OK && !events.rows)
    status = change_next(&checkpoints, CK_POSTGRES_NEXT_CHECKPOINTS, change_checkpoint, err);
  status = ck_postgres_end(self, status, err);
  if (status != CK_OK) return status;
  memcpy(self->rekeyed_event, events.at, sizeof events.at);
  memcpy(self->rekeyed_checkpoint, checkpoints.at, sizeof checkpoints.at);
  *rows = events.rows + checkpoints.rows;
  return CK_OK;
}

/* ---- the end ---- */

static ck_status end_rekey(void *to, const ck_rekey *with, ck_bytes entry, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = begin(self, err);
  if (status != CK_OK) return status;
  status = ck_postgres_rekey_tables(self, with, err);
  if (status == CK_OK) status = put_entry(self, entry, err);
  status = ck_postgres_end(self, status, err);
  return status == CK_OK ? note_entry(self, entry, err) : status;
}

/* The server keeps what a row was until it is vacuumed: the tables are written anew. */
static ck_status clear_log(void *to, ck_error *err) {
  static const char *const tables[] = {"event", "checkpoint", "session", "timeline", "head",
                                       "fact",  "request",    "blob",    "output"};
  ck_postgres *self = to;
  ck_status status = ck_postgres_check_writer(self, err);
  for (size_t i = 0; i < sizeof tables / sizeof *tables && status == CK_OK; i++) {
    char sql[64];
    snprintf(sql, sizeof sql, "VACUUM FULL %s", tables[i]);
    status = ck_postgres_exec(self->writer, sql, "remove what its rows were before", err);
  }
  return status;
}

void ck_postgres_add_rekey(ck_backend *backend) {
  backend->list_keys = list_keys;
  backend->begin_rekey = begin_rekey;
  backend->rekey_rows = rekey_rows;
  backend->end_rekey = end_rekey;
  backend->clear_log = clear_log;
}
