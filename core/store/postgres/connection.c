/* connection.c - connects, and tells what an error of the server means to a store. */
#include "core/store/postgres/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_SERVER = 120000 };

/* X(SQLSTATE, or how it begins, status) */
#define STATE_TABLE(X)                          \
  X("53100", CK_E_FULL) /* disk full */         \
  X("53", CK_E_BUSY)    /* other resources */   \
  X("55P03", CK_E_BUSY) /* a lock's timeout */  \
  X("40", CK_E_BUSY)    /* repeat it */         \
  X("57014", CK_E_BUSY) /* statement timeout */ \
  X("25006", CK_E_READ_ONLY)                    \
  X("42501", CK_E_REFUSED) /* privileges */     \
  X("28", CK_E_REFUSED)    /* this user */      \
  X("3D000", CK_E_NOT_FOUND)                    \
  X("42P01", CK_E_NOT_A_STORE)                  \
  X("42703", CK_E_NOT_A_STORE)                  \
  X("XX001", CK_E_CORRUPT)                      \
  X("XX002", CK_E_CORRUPT)

static ck_status status_of(const char *state) {
#define X(begin, status) \
  if (state && strncmp(state, begin, strlen(begin)) == 0) return status;
  STATE_TABLE(X)
#undef X
  return CK_E_IO;
}

static const char *state_of(const ck_postgres_connection *self, const PGresult *result) {
  return result ? self->pq->resultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
}

bool ck_postgres_is_lost(const ck_postgres_connection *self) {
  return self->broken || self->pq->status(self->conn) != CONNECTION_OK;
}

/* The first of its lines: those behind it are advice for an administrator. */
static int line_length(const char *text) { return (int)strcspn(text, "\n"); }

static ck_status tell_silence(const ck_postgres_connection *self, const char *doing,
                              ck_error *err) {
  return ck_error_set(err, CK_E_IO,
                      "store %s: cannot %s: the server has not answered for %.1f s, nor does it "
                      "take a connection: it or the way to it stands still; try again when "
                      "'pg_isready' says that it does",
                      self->url->name, doing, (double)self->silent_ms / 1000);
}

ck_status ck_postgres_error(ck_postgres_connection *self, const PGresult *result, const char *doing,
                            ck_error *err) {
  const char *state = state_of(self, result), *text = NULL;
  if (self->silent_ms) return tell_silence(self, doing, err);
  if (result) text = self->pq->resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  if (!text || !*text) text = self->pq->errorMessage(self->conn);
  if (!text || !*text) text = "the server gave no reason";
  /* What libpq says itself has no state. While there is something left to read it takes a
   * connection that it could not write to for one that stands; 57P: the server ends it. */
  if (result && (!state || strncmp(state, "57P", 3) == 0)) self->broken = true;
  ck_status status = ck_postgres_is_lost(self) ? CK_E_IO : status_of(state);
  if (state && strcmp(state, "42501") == 0)
    return ck_postgres_refuse_role(self, doing, (ck_bytes){text, (size_t)line_length(text)}, err);
  return ck_error_set(err, status, "store %s: cannot %s: %.*s%s%s%s", self->url->name, doing,
                      line_length(text), text, state ? " (SQLSTATE " : "", state ? state : "",
                      state ? ")" : "");
}

/* The server says what it denied, in its own language; here stands what helps. */
ck_status ck_postgres_refuse_role(const ck_postgres_connection *self, const char *doing,
                                  ck_bytes text, ck_error *err) {
  const char *role = self->pq->parameterStatus(self->conn, "session_authorization");
  const char *schema = self->url->schema;
  if (!role) role = "ROLE";
  if (strcmp(doing, CK_POSTGRES_MAKING) == 0)
    return ck_error_set(err, CK_E_REFUSED,
                        "store %s: cannot %s: %.*s: let a role make it that may: GRANT CREATE ON "
                        "DATABASE \"%s\" TO \"%s\", or the owner of the schema \"%s\"",
                        self->url->name, doing, (int)text.len, text.data, self->pq->db(self->conn),
                        role, schema);
  return ck_error_set(err, CK_E_REFUSED,
                      "store %s: cannot %s: %.*s: its owner lets the role use it: GRANT USAGE ON "
                      "SCHEMA \"%s\" TO \"%s\"; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES "
                      "IN SCHEMA \"%s\" TO \"%s\"",
                      self->url->name, doing, (int)text.len, text.data, schema, role, schema, role);
}

bool ck_postgres_may_repeat(const ck_postgres_connection *self, const PGresult *result) {
  const char *state = state_of(self, result);
  return state && (strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0);
}

ck_status ck_postgres_exec(ck_postgres_connection *self, const char *sql, const char *doing,
                           ck_error *err) {
  PGresult *result = ck_postgres_answer(self, self->pq->sendQuery(self->conn, sql));
  ExecStatusType got = self->pq->resultStatus(result);
  ck_status status = got == PGRES_COMMAND_OK || got == PGRES_TUPLES_OK
                         ? CK_OK
                         : ck_postgres_error(self, result, doing, err);
  self->pq->clear(result);
  return status;
}

/* ---- connecting ---- */

/* A commit whose wait for a standby was given up is acknowledged with a warning: told by the place
 * in the server's source that it comes from, since its words depend on the language. */
static void take_notice(void *to, const PGresult *notice) {
  ck_postgres_connection *self = to;
  const char *from = self->pq->resultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
  if (from && strcmp(from, "SyncRepWaitForLSN") == 0) self->warned = true;
}

static ck_status check_server(const ck_postgres_connection *self, ck_error *err) {
  int version = self->pq->serverVersion(self->conn);
  const char *encoding = self->pq->parameterStatus(self->conn, "server_encoding");
  if (version < OLDEST_SERVER)
    return ck_error_set(err, CK_E_UNSUPPORTED,
                        "store %s: its server is PostgreSQL %d.%d; ckrun needs 12 or later",
                        self->url->name, version / 10000, version / 100 % 100);
  if (!encoding || strcmp(encoding, "UTF8") != 0)
    return ck_error_set(
        err, CK_E_UNSUPPORTED,
        "store %s: its database is encoded in %s; ckrun needs one that is made WITH "
        "ENCODING 'UTF8'",
        self->url->name, encoding ? encoding : "nothing known");
  return CK_OK;
}

/* The waits are bounded: for a lock of another session, and, by the server, for this process in the
 * midst of a transaction, whose locks others need. */
static ck_status configure(ck_postgres_connection *self, bool read_only, ck_error *err) {
  char sql[512];
  snprintf(sql, sizeof sql,
           "SET search_path = \"%s\"; SET lock_timeout = '10s';"
           " SET idle_in_transaction_session_timeout = '10s'; SET jit = off;"
           " SET default_transaction_isolation = 'read committed';"
           " SET default_transaction_read_only = %s",
           self->url->schema, read_only ? "on" : "off");
  return ck_postgres_exec(self, sql, "use it", err);
}

/* libpq puts its account of each address that it tried in front; none has a password. */
static ck_status refuse(const ck_postgres_connection *self, ck_error *err) {
  const char *text = self->pq->errorMessage(self->conn);
  bool user = strstr(text, "password") || strstr(text, "authentication") || strstr(text, "role ") ||
              strstr(text, "pg_hba.conf") || strstr(text, "permission denied for");
  bool base = strstr(text, "database \"") && strstr(text, "does not exist");
  bool full = strstr(text, "too many connections"); /* of a role, of a database: for now */
  char late[120];
  snprintf(late, sizeof late,
           " (%d s): it or the way to it stands still; try again when 'pg_isready' says that it "
           "answers",
           ck_postgres_patience_s(self->url));
  return ck_error_set(err,
                      full   ? CK_E_BUSY
                      : base ? CK_E_NOT_FOUND
                      : user ? CK_E_REFUSED
                             : CK_E_IO,
                      "store %s: cannot connect: %.*s%s", self->url->name, line_length(text), text,
                      strstr(text, "timeout expired") ? late : "");
}

ck_status ck_postgres_connect(ck_postgres_connection **out, const ck_postgres_url *url,
                              bool read_only, ck_error *err) {
  const ck_libpq *pq;
  *out = NULL;
  ck_status status = ck_libpq_load(&pq, err);
  if (status != CK_OK) return status;
  ck_postgres_connection *self = calloc(1, sizeof *self);
  if (self)
    *self = (ck_postgres_connection){
        .pq = pq, .url = url, .socket = -1, .conn = ck_postgres_dial(pq, url)};
  if (!self || !self->conn) {
    free(self);
    return ck_error_no_memory(err);
  }
  pq->setNoticeReceiver(self->conn, take_notice, self);
  status = ck_postgres_is_lost(self) ? refuse(self, err) : check_server(self, err);
  if (status == CK_OK) status = configure(self, read_only, err);
  if (status == CK_OK)
    *out = self;
  else
    ck_postgres_disconnect(self);
  return status;
}

void ck_postgres_disconnect(ck_postgres_connection *self) {
  if (!self) return;
  self->pq->finish(self->conn);
  free(self);
}
