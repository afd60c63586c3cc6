/* write.c - transactions of the writing connection; what follows when it is lost. */
#include <stdio.h>
#include <string.h>

#include "core/store/postgres/postgres.h"

static void lose(ck_postgres *self) {
  ck_postgres_unlink(self, self->writer);
  self->writer = NULL;
}

ck_status ck_postgres_unknown(ck_postgres *self, ck_error *err) {
  self->unknown = true;
  if (err && err->status == CK_OK)
    ck_error_set(err, CK_E_UNKNOWN, "store %s: the server gave up its wait for a standby",
                 self->url.name);
  ck_error_prefix(err, "it is not known whether the commit was made");
  if (err) err->status = CK_E_UNKNOWN;
  return CK_E_UNKNOWN;
}

ck_status ck_postgres_check_writer(ck_postgres *self, ck_error *err) {
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->url.name);
  if (self->unknown)
    return ck_error_set(err, CK_E_UNKNOWN,
                        "store %s: a commit had no answer before; nothing is written until it is "
                        "known what became of it",
                        self->url.name);
  if (self->writer && ck_postgres_is_lost(self->writer)) lose(self);
  return self->writer ? CK_OK : ck_postgres_link(&self->writer, self, false, err);
}

const char *ck_postgres_level(const ck_postgres *self, ck_durability durability) {
  if (durability != CK_DURABLE_POWER) return "local";
  return self->replicated ? "remote_apply" : "on";
}

/* In one round trip. The lock is for put_key_entry: from here on the store has a key, or gets none
 * before the end. A connection that was lost while nothing was asked of it is made anew. */
static ck_status begin(ck_postgres *self, ck_durability durability, bool alone, ck_error *err) {
  char sql[240];
  snprintf(sql, sizeof sql,
           "BEGIN; SET LOCAL synchronous_commit = %s;"
           " SELECT pg_advisory_xact_lock%s(hashtextextended('ckrun %s', 0))",
           ck_postgres_level(self, durability), alone ? "" : "_shared", self->url.schema);
  return ck_postgres_exec(self->writer, sql, "begin a transaction", err);
}

static ck_status begin_twice(ck_postgres *self, ck_durability durability, bool alone,
                             ck_error *err) {
  ck_status status = ck_postgres_check_writer(self, err);
  if (status != CK_OK) return status;
  status = begin(self, durability, alone, err);
  if (status == CK_OK || !ck_postgres_is_lost(self->writer)) return status;
  lose(self);
  status = ck_postgres_check_writer(self, err);
  return status == CK_OK ? begin(self, durability, alone, err) : status;
}

ck_status ck_postgres_begin(ck_postgres *self, ck_durability durability, ck_error *err) {
  return begin_twice(self, durability, false, err);
}

ck_status ck_postgres_begin_alone(ck_postgres *self, ck_error *err) {
  return begin_twice(self, CK_DURABLE_POWER, true, err);
}

static ck_status roll_back(ck_postgres *self, ck_status status) {
  ck_error ignored = CK_ERROR_INIT;
  if (ck_postgres_is_lost(self->writer) ||
      ck_postgres_exec(self->writer, "ROLLBACK", "undo", &ignored) != CK_OK)
    lose(self);
  return status;
}

ck_status ck_postgres_end(ck_postgres *self, ck_status status, ck_error *err) {
  ck_postgres_connection *by = self->writer;
  if (status != CK_OK) return roll_back(self, status);
  by->warned = false;
  PGresult *result = ck_postgres_answer(by, by->pq->sendQuery(by->conn, "COMMIT"));
  bool done = by->pq->resultStatus(result) == PGRES_COMMAND_OK &&
              strcmp(by->pq->cmdStatus(result), "COMMIT") == 0;
  if (!done) status = ck_postgres_error(by, result, "commit", err);
  by->pq->clear(result);
  bool lost = ck_postgres_is_lost(by);
  if (lost) lose(self);
  return lost || (done && by->warned) ? ck_postgres_unknown(self, err) : status;
}

ck_status ck_postgres_check_lease(ck_postgres *self, ck_lease lease, ck_error *err) {
  static const char doing[] = "look at a lease";
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_CHECK_LEASE};
  ck_postgres_bind_int(&query, lease.session);
  ck_status status = ck_postgres_run(&result, self->writer, &query, doing, err);
  ck_postgres_query_clear(&query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (!row.count)
    status = ck_error_set(err, CK_E_NOT_FOUND, "there is no session number %lld in store %s",
                          (long long)lease.session, self->url.name);
  else if ((uint64_t)ck_postgres_int(&row, 0) != lease.epoch ||
           ck_postgres_int(&row, 1) != ck_postgres_writer_of(self, lease))
    status = ck_error_set(err, CK_E_FENCED, "session number %lld was taken by another run",
                          (long long)lease.session);
  self->pq->clear(result);
  return status;
}

/* Nobody waits for it to be durable. */
ck_status ck_postgres_note(ck_postgres *self, ck_postgres_query *query, const char *doing,
                           ck_error *err) {
  static const char begins[] = "BEGIN READ WRITE; SET LOCAL synchronous_commit = off";
  ck_postgres_connection *by = NULL;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_postgres_take(&by, self, err);
  if (status == CK_OK) status = ck_postgres_exec(by, begins, doing, err);
  if (status == CK_OK) status = ck_postgres_write(NULL, by, query, doing, err);
  ck_postgres_query_clear(query);
  if (status == CK_OK)
    status = ck_postgres_exec(by, "COMMIT", doing, err);
  else if (by)
    (void)!ck_postgres_exec(by, "ROLLBACK", doing, &ignored);
  ck_postgres_give(self, by);
  return status;
}

/* The server may still be at what the lost connection had sent. Each of its statements that writes
 * a session compares the lease's number, so with another one it writes nothing from now on, and
 * what is read then stays so. */
ck_status ck_postgres_recover(void *to, ck_error *err) {
  ck_postgres *self = to;
  lose(self);
  self->unknown = false;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_POWER, err);
  if (status == CK_OK) {
    status = ck_postgres_refence(self, err);
    status = ck_postgres_end(self, status, err);
  }
  if (status == CK_OK) ck_postgres_note_refenced(self);
  self->unknown = status != CK_OK;
  return status;
}
