/* connection.c - one SQLite connection: how it is opened, its statements, its errors, and the pool
 * of readers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/lock_holder.h"
#include "core/store/sqlite/sqlite.h"
#include "core/base/shortage.h"
#include "core/store/sqlite/naming.h"
#include "core/store/sqlite/sql_older.h"
#include "core/store/sqlite/wal.h"

enum { POOL_MAX = 8 };

static const char *const sql_table[] = {
#define X(name, table, all, one) [name##_SUM] = all one,
    CK_INVENTORY_TABLE(X)
#undef X
#define X(name, text) [name] = text,
        CK_SQL_TABLE(X)
#undef X
};

static const char *const schema_1_table[CK_SQL_COUNT] = {
#define X(name, text) [name] = text,
    CK_SQL_SCHEMA_1_TABLE(X)
#undef X
};

static const char *const schema_2_table[CK_SQL_COUNT] = {
#define X(name, text) [name] = text,
    CK_SQL_SCHEMA_2_TABLE(X)
#undef X
};

/* ---- errors ---- */

bool ck_sqlite_is_sync_error(int extended_code) {
  return extended_code == SQLITE_IOERR_FSYNC || extended_code == SQLITE_IOERR_DIR_FSYNC;
}

static ck_status status_of(int code, int os_error) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return CK_E_FULL;
    case SQLITE_READONLY:
      return code == SQLITE_READONLY_DBMOVED ? CK_E_IO : CK_E_READ_ONLY;
    case SQLITE_BUSY:
      return CK_E_BUSY;
    case SQLITE_NOMEM:
      return CK_E_NO_MEMORY;
    case SQLITE_NOTADB:
      return CK_E_NOT_A_STORE;
    case SQLITE_TOOBIG:
      return CK_E_OVERSIZE;
    case SQLITE_CORRUPT:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:
      return CK_E_CORRUPT;
    default:
      break;
  }
  if (os_error == ENOSPC || os_error == EDQUOT) return CK_E_FULL;
  return os_error == EROFS ? CK_E_READ_ONLY : CK_E_IO;
}

/* SQLite keeps the errno of statements and checkpoints, but not of COMMIT or of calls into its
 * files: errno is cleared before those, and calls that succeed do not set it. */
int ck_sqlite_errno(sqlite3 *db, int code) {
  int last = errno, primary = code & 0xff;
  if (primary == SQLITE_FULL) return ENOSPC;
  if (!db || (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)) return 0;
  int kept = sqlite3_errcode(db) == code ? sqlite3_system_errno(db) : 0;
  return kept ? kept : last;
}

ck_status ck_sqlite_error(const ck_sqlite *store, sqlite3 *db, int code, const char *doing,
                          ck_error *err) {
  int os_error = ck_sqlite_errno(db, code);
  if ((code & 0xff) == SQLITE_NOMEM) os_error = ENOMEM;
  const char *cause = os_error == 0        ? sqlite3_errstr(code)
                      : os_error == EAGAIN ? strerror(os_error) /* of a file's lock */
                                           : ck_errno_text(os_error);
  /* SQLite's own message, which says more than the code's text, is valid only while `code` is the
   * connection's last one. */
  if (!os_error && db && sqlite3_errcode(db) == code) cause = sqlite3_errmsg(db);
  if (code == SQLITE_READONLY_DBMOVED) cause = "the file was moved or deleted while it was open";
  return ck_error_set(err, status_of(code, os_error), "store %s: cannot %s: %s", store->path, doing,
                      cause);
}

/* ---- connections ---- */

/* SQLite accepts "immutable" only in a URI. */
static char *immutable_uri(const char *path) {
  ck_buffer uri = {0};
  ck_buffer_append_text(&uri, "file:");
  for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                 strchr("/-_.~", *c);
    if (plain)
      ck_buffer_append_char(&uri, (char)*c);
    else
      ck_buffer_append_format(&uri, "%%%02X", *c);
  }
  ck_buffer_append_text(&uri, "?immutable=1");
  return ck_buffer_take(&uri);
}

static int open_handle(sqlite3 **out, const ck_sqlite *store, ck_connection_mode mode) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
  bool reads_only = store->read_only || mode == CK_CONNECTION_PROBE;
  flags |= reads_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (store->alone) return sqlite3_open_v2(store->path, out, flags, "unix-none");
  if (!store->immutable)
    return sqlite3_open_v2(store->path, out, flags,
                           mode == CK_CONNECTION_WRITE ? ck_vfs_name() : NULL);
  char *uri = immutable_uri(store->path);
  if (!uri) return SQLITE_NOMEM;
  int code = sqlite3_open_v2(uri, out, flags | SQLITE_OPEN_URI, NULL);
  free(uri);
  return code;
}

/* Hardening against a maliciously prepared file, and a WAL that is kept after the connection is
 * closed. */
static int configure(sqlite3 *db, const ck_sqlite *store) {
  static const int switches[][2] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_FKEY, 1},
      {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
  };
  int code = SQLITE_OK;
  for (size_t i = 0; i < sizeof switches / sizeof *switches && code == SQLITE_OK; i++)
    code = sqlite3_db_config(db, switches[i][0], switches[i][1], NULL);
  int persist = 1;
  if (code == SQLITE_OK)
    code = sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
  if (code == SQLITE_OK) code = sqlite3_wal_autocheckpoint(db, 0);
  if (code == SQLITE_OK) code = ck_sqlite_add_check(db, store);
  if (code == SQLITE_OK) code = ck_inventory_add_function(db, store);
  if (code == SQLITE_OK) code = ck_naming_add_function(db);
  if (code == SQLITE_OK) code = ck_lock_holder_wait(db, store);
  return code;
}

/* A connection that locks its database for good needs no shared memory for the index of the log;
 * without locks it needs no file that it can write either. */
static int stay_alone(sqlite3 *db) {
  return sqlite3_exec(db, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL);
}

static int set_pragmas(sqlite3 *db, ck_connection_mode mode) {
  char *sql = sqlite3_mprintf("PRAGMA synchronous=FULL; PRAGMA journal_size_limit=%d; PRAGMA "
                              "secure_delete=ON; PRAGMA cell_size_check=ON;PRAGMA mmap_size=0; "
                              "PRAGMA page_size=%d; PRAGMA query_only=%d",
                              CK_WAL_CAP, CK_SQLITE_PAGE, mode == CK_CONNECTION_READ);
  if (!sql) return SQLITE_NOMEM;
  int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  return code;
}

ck_status ck_connection_open(ck_connection **out, const ck_sqlite *store, ck_connection_mode mode,
                             ck_error *err) {
  *out = NULL;
  ck_connection *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  int code = open_handle(&self->db, store, mode);
  if (code == SQLITE_OK) code = configure(self->db, store);
  if (code == SQLITE_OK && store->alone) code = stay_alone(self->db);
  if (code == SQLITE_OK && mode != CK_CONNECTION_PROBE) code = set_pragmas(self->db, mode);
  if (code != SQLITE_OK) {
    ck_status status = ck_sqlite_error(store, self->db, code, "open it", err);
    ck_connection_close(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_connection_close(ck_connection *self) {
  if (!self) return;
  for (int i = 0; i < CK_SQL_COUNT; i++) sqlite3_finalize(self->statements[i]);
  sqlite3_close(self->db);
  free(self);
}

ck_status ck_connection_get_int(int64_t *out, const ck_sqlite *store, ck_connection *self,
                                const char *sql, ck_error *err) {
  *out = 0;
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(self->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) *out = sqlite3_column_int64(stmt, 0);
  ck_status status = code == SQLITE_ROW || code == SQLITE_DONE
                         ? CK_OK
                         : ck_sqlite_error(store, self->db, code, "read it", err);
  sqlite3_finalize(stmt);
  return status;
}

/* ---- statements ---- */

static const char *text_of(const ck_connection *connection, ck_sql sql) {
  if (connection->schema == 1 && schema_1_table[sql]) return schema_1_table[sql];
  if (connection->schema && connection->schema <= 2 && schema_2_table[sql])
    return schema_2_table[sql];
  return sql_table[sql];
}

ck_binder ck_binder_of(ck_connection *connection, ck_sql sql) {
  sqlite3_stmt **stmt = &connection->statements[sql];
  ck_binder self = {.code = SQLITE_OK};
  if (!*stmt)
    self.code = sqlite3_prepare_v3(connection->db, text_of(connection, sql), -1,
                                   SQLITE_PREPARE_PERSISTENT, stmt, NULL);
  self.stmt = *stmt;
  return self;
}

static void note(ck_binder *self, int code) {
  if (self->code == SQLITE_OK) self->code = code;
}

void ck_bind_int(ck_binder *self, int64_t number) {
  note(self, sqlite3_bind_int64(self->stmt, ++self->at, number));
}

void ck_bind_text(ck_binder *self, const char *text) {
  note(self, sqlite3_bind_text(self->stmt, ++self->at, text, -1, SQLITE_STATIC));
}

void ck_bind_blob(ck_binder *self, ck_bytes bytes) {
  note(self, sqlite3_bind_blob64(self->stmt, ++self->at, bytes.len ? bytes.data : "", bytes.len,
                                 SQLITE_STATIC));
}

void ck_bind_optional(ck_binder *self, ck_bytes bytes) {
  note(self, sqlite3_bind_blob64(self->stmt, ++self->at, bytes.len ? bytes.data : NULL, bytes.len,
                                 SQLITE_STATIC));
}

void ck_bind_digest(ck_binder *self, const ck_digest *digest) {
  ck_bind_blob(self, (ck_bytes){(const char *)digest->bytes, CK_DIGEST_SIZE});
}

int ck_binder_next(ck_binder *self) {
  if (self->code == SQLITE_OK || self->code == SQLITE_ROW) self->code = sqlite3_step(self->stmt);
  if (self->code != SQLITE_ROW) sqlite3_reset(self->stmt);
  return self->code;
}

void ck_binder_clear(ck_binder *self) { sqlite3_reset(self->stmt); }

/* ---- the pool ---- */

ck_status ck_sqlite_get_reader(ck_connection **out, ck_sqlite *self, ck_error *err) {
  *out = self->snapshot;
  if (self->snapshot) return CK_OK;
  pthread_mutex_lock(&self->pool_mutex);
  ck_connection *reader = self->pool;
  unsigned generation = self->generation;
  if (reader) {
    self->pool = reader->next;
    self->pool_count--;
  }
  pthread_mutex_unlock(&self->pool_mutex);
  *out = reader;
  ck_status status = CK_OK;
  if (!reader) status = ck_place_check(self, err); /* SQLite would make a missing log anew */
  if (!reader && status == CK_OK) status = ck_connection_open(out, self, CK_CONNECTION_READ, err);
  if (status != CK_OK) return status;
  (*out)->generation = generation;
  (*out)->schema = self->schema;
  return CK_OK;
}

void ck_sqlite_put_reader(ck_sqlite *self, ck_connection *reader) {
  if (reader == self->snapshot) return;
  pthread_mutex_lock(&self->pool_mutex);
  bool keep = reader->generation == self->generation && self->pool_count < POOL_MAX;
  if (keep) {
    reader->next = self->pool;
    self->pool = reader;
    self->pool_count++;
  }
  pthread_mutex_unlock(&self->pool_mutex);
  if (!keep) ck_connection_close(reader);
}

void ck_sqlite_close_readers(ck_sqlite *self) {
  pthread_mutex_lock(&self->pool_mutex);
  ck_connection *pool = self->pool;
  self->pool = NULL;
  self->pool_count = 0;
  self->generation++;
  pthread_mutex_unlock(&self->pool_mutex);
  while (pool) {
    ck_connection *next = pool->next;
    ck_connection_close(pool);
    pool = next;
  }
}
