/* sqlite.c - the SQLite backend: creates or opens a store, and checks that it can be trusted. */
#include "core/store/sqlite/archive.h"
#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/hands.h"
#include "core/store/sqlite/refusal.h"
#include "core/store/sqlite/reserve.h"
#include "core/store/sqlite/wal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/embed.h"
#include "core/base/own_file.h"

static int put_meta(sqlite3 *db, const char *key, const void *value, size_t len) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "INSERT INTO meta VALUES (?1, ?2, row_check('meta', ?1, ?2))",
                                -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_blob(stmt, 2, value, (int)len, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int put_identity(sqlite3 *db) {
  uint8_t key[CK_SQLITE_KEY_SIZE];
  char run[CK_ID_SIZE];
  ck_random_bytes(key, sizeof key);
  ck_id_make_run(run);
  const char *uuid = run + strlen("run_");
  int code = put_meta(db, "fingerprint_key", key, sizeof key);
  return code == SQLITE_OK ? put_meta(db, "uuid", uuid, strlen(uuid)) : code;
}

ck_status ck_sqlite_make_schema(const ck_sqlite *draft, sqlite3 *db,
                                ck_status (*fill)(void *to, ck_error *err), void *to,
                                ck_error *err) {
  char numbers[96];
  snprintf(numbers, sizeof numbers, "PRAGMA application_id=%d; PRAGMA user_version=%d",
           CK_SQLITE_APPLICATION, CK_STORE_SCHEMA);
  ck_bytes schema = ck_embedded_get("core/store/sqlite/schema.sql");
  char *text = schema.data ? strndup(schema.data, schema.len) : NULL;
  if (!text) return ck_error_no_memory(err);
  errno = 0;
  int code = sqlite3_exec(
      db,
      "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; BEGIN",
      NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(db, text, NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(db, numbers, NULL, NULL, NULL);
  if (code == SQLITE_OK) code = put_identity(db);
  ck_status filled = code == SQLITE_OK && fill ? fill(to, err) : CK_OK;
  if (code == SQLITE_OK && filled == CK_OK)
    code = sqlite3_exec(db, "COMMIT; PRAGMA journal_mode=WAL", NULL, NULL, NULL);
  free(text);
  if (filled != CK_OK) return filled;
  if (code == SQLITE_OK) code = ck_use_write(db, &(ck_use){.id = ck_use_make_id()});
  return code == SQLITE_OK ? CK_OK : ck_sqlite_error(draft, db, code, "make it", err);
}

static ck_status enter_wal(const ck_sqlite *self, sqlite3 *db, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "PRAGMA journal_mode=WAL", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  ck_status status = CK_OK;
  if (code != SQLITE_ROW)
    status = ck_sqlite_error(self, db, code, "write it", err);
  else if (sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 0), "wal") != 0)
    status = ck_error_set(err, CK_E_IO, "store %s: this file system cannot hold a write-ahead log",
                          self->path);
  sqlite3_finalize(stmt);
  return status;
}

static ck_status check_numbers(ck_sqlite *self, ck_connection *connection, ck_error *err) {
  int64_t application;
  ck_status status =
      ck_connection_get_int(&application, self, connection, "PRAGMA application_id", err);
  if (status == CK_OK)
    status = ck_connection_get_int(&self->schema, self, connection, "PRAGMA user_version", err);
  if (status == CK_OK) status = ck_sqlite_check_schema(self, application, self->schema, err);
  return status == CK_OK ? ck_sqlite_check_tables(self, connection, err) : status;
}

static ck_status read_key(ck_sqlite *self, ck_connection *connection, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  const char *sql =
      "SELECT value, " CK_SQL_META_IS_SOUND " FROM meta WHERE key = 'fingerprint_key'";
  int code = sqlite3_prepare_v2(connection->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  ck_status status = CK_OK;
  if (code == SQLITE_ROW && sqlite3_column_bytes(stmt, 0) == CK_SQLITE_KEY_SIZE &&
      sqlite3_column_int(stmt, 1))
    memcpy(self->fingerprint_key, sqlite3_column_blob(stmt, 0), CK_SQLITE_KEY_SIZE);
  else if (code == SQLITE_ROW || code == SQLITE_DONE)
    status = ck_error_set(err, CK_E_CORRUPT, "store %s has lost its fingerprint key", self->path);
  else
    status = ck_sqlite_error(self, connection->db, code, "read it", err);
  sqlite3_finalize(stmt);
  return status;
}

ck_status ck_sqlite_open_writer(ck_sqlite *self, ck_error *err) {
  ck_status status = ck_damage_check_files(self, err);
  if (status == CK_OK) status = ck_connection_open(&self->writer, self, CK_CONNECTION_WRITE, err);
  if (status != CK_OK) return status;
  self->use = 0;
  if (sqlite3_db_readonly(self->writer->db, "main") == 1)
    status =
        ck_error_set(err, CK_E_READ_ONLY, "store %s: cannot write it: it is read-only", self->path);
  if (status == CK_OK) status = check_numbers(self, self->writer, err);
  if (status == CK_OK) status = ck_damage_check_index(self, self->writer->db, err);
  if (status == CK_OK) status = enter_wal(self, self->writer->db, err);
  if (status == CK_OK) status = ck_wal_extend(self, err);
  if (status == CK_OK && self->schema < CK_STORE_SCHEMA) status = ck_sqlite_migrate(self, err);
  if (status == CK_OK) {
    ck_wal_watch(self);
    ck_place_note(self);
  } else {
    ck_connection_close(self->writer);
    self->writer = NULL;
  }
  return status;
}

/* A store appears whole or not at all: it is created under another name, synced, and renamed. Under
 * the store's lock: of several processes that found no store, one creates it and the others find
 * it. */
static ck_status make_store(ck_sqlite *self, ck_error *err) {
  struct stat found;
  if (lstat(self->path, &found) == 0 && found.st_size > 0) return CK_OK;
  ck_sqlite draft = {0};
  ck_connection *maker = NULL;
  ck_status status = ck_damage_check_missing(self, err);
  if (status == CK_OK) status = ck_sqlite_make_draft(&draft.path, self, err);
  if (status == CK_OK) status = ck_connection_open(&maker, &draft, CK_CONNECTION_DRAFT, err);
  if (status == CK_OK) status = ck_sqlite_make_schema(&draft, maker->db, NULL, NULL, err);
  ck_connection_close(maker);
  return ck_sqlite_end_draft(draft.path, self, status, err);
}

static ck_status open_writing(ck_sqlite *self, bool fresh, ck_error *err) {
  ck_status status = ck_lock_open(&self->lock, self->path, err);
  if (status == CK_OK) status = ck_lock_acquire(self->lock, CK_LOCK_WAIT_MS, err);
  if (status != CK_OK) return status;
  if (fresh) status = make_store(self, err);
  if (status == CK_OK) status = ck_sqlite_open_writer(self, err);
  if (status == CK_OK) status = read_key(self, self->writer, err);
  ck_lock_release(self->lock);
  return status;
}

static ck_status inspect(ck_sqlite *self, ck_error *err) {
  ck_connection *reader = NULL;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  status = check_numbers(self, reader, err);
  if (status == CK_OK) status = ck_damage_check_index(self, reader->db, err);
  if (status == CK_OK) status = read_key(self, reader, err);
  ck_sqlite_put_reader(self, reader);
  return status;
}

/* A process that writes has made it. */
static bool has_index(const ck_sqlite *self) {
  char *path = NULL;
  bool there = asprintf(&path, "%s-shm", self->path) < 0 || access(path, F_OK) == 0;
  free(path);
  return there;
}

/* Where neither a WAL nor its shared memory can be created, a database with nothing in its WAL can
 * still be read as an immutable file, and one with a WAL without shared memory, which nobody uses,
 * alone. */
static ck_status open_reading(ck_sqlite *self, ck_error *err) {
  ck_status status = ck_damage_check_files(self, err);
  if (status == CK_OK) status = inspect(self, err);
  if (status != CK_E_IO && status != CK_E_READ_ONLY) return status;
  bool logged = ck_wal_read_head(self->wal_path).state == CK_WAL_HEADED;
  if (logged && has_index(self)) return status;
  ck_sqlite_close_readers(self);
  self->immutable = !logged;
  self->alone = logged;
  return inspect(self, err);
}

static void close_store(void *to) {
  ck_sqlite *self = to;
  if (!self) return;
  ck_sqlite_release_all(self);
  ck_sqlite_close_readers(self);
  ck_wal_rest(self);
  ck_connection_close(self->writer);
  ck_lock_close(self->lock);
  if (self->reserved >= 0) close(self->reserved);
  pthread_mutex_destroy(&self->pool_mutex);
  ck_buffer_clear(&self->key_entry);
  free(self->signing.touched);
  if (self->listed) ck_own_file_remove(CK_OWN_STORE, self->path);
  free(self->path);
  free(self->wal_path);
  free(self);
}

/* Before the file is opened for the first time, until nothing of it is open any more. */
static ck_status list_store(ck_sqlite *self, ck_error *err) {
  ck_status status = ck_own_file_add(CK_OWN_STORE, self->path, err);
  self->listed = status == CK_OK;
  return status;
}

static const uint8_t *get_fingerprint_key(void *to) { return ((ck_sqlite *)to)->fingerprint_key; }

void ck_sqlite_add_functions(ck_backend *out, ck_sqlite *self) {
  out->self = self;
  out->commit = ck_sqlite_commit;
  out->prune = ck_sqlite_prune;
  out->pin = ck_sqlite_pin;
  out->delete_session = ck_sqlite_delete_session;
  out->vacuum = ck_sqlite_vacuum;
  out->backup = ck_sqlite_backup;
  out->restore = ck_sqlite_restore;
  out->recover = ck_sqlite_recover;
  out->sync = ck_sqlite_sync;
  out->idle = ck_sqlite_idle;
  out->claim = ck_sqlite_claim;
  ck_sqlite_add_sessions(out);
  ck_sqlite_add_reservation(out);
  ck_sqlite_add_refusals(out);
  ck_sqlite_add_requests(out);
  ck_sqlite_add_reads(out);
  ck_sqlite_add_rows(out);
  ck_sqlite_add_heads(out);
  ck_sqlite_add_facts(out);
  ck_sqlite_add_blobs(out);
  ck_sqlite_add_key(out);
  ck_sqlite_add_rekey(out);
  ck_sqlite_add_inventory(out);
  ck_sqlite_add_scrub(out);
  ck_sqlite_add_copy(out);
  out->fingerprint_key = get_fingerprint_key;
  out->close = close_store;
}

ck_status ck_backend_open_sqlite(ck_backend *out, const char *path, const ck_store_options *options,
                                 ck_error *err) {
  *out = (ck_backend){0};
  ck_sqlite *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  pthread_mutex_init(&self->pool_mutex, NULL);
  self->reserved = -1;
  self->read_only = options && options->read_only;
  bool create = options && options->create && !self->read_only, fresh = false;
  ck_status status = ck_sqlite_resolve(&self->path, path, create, err);
  if (status == CK_OK) status = ck_sqlite_check_hands(self->path, err);
  if (status == CK_OK && asprintf(&self->wal_path, "%s-wal", self->path) < 0) {
    self->wal_path = NULL;
    status = ck_error_no_memory(err);
  }
  if (status == CK_OK) status = list_store(self, err);
  if (status == CK_OK) status = ck_sqlite_check_file(&fresh, self, create, err);
  if (status == CK_OK)
    status = self->read_only ? open_reading(self, err) : open_writing(self, fresh, err);
  if (status == CK_OK) status = ck_own_file_look(err); /* all its files exist now */
  if (status == CK_OK)
    ck_sqlite_add_functions(out, self);
  else
    close_store(self);
  return status;
}

const char *ck_backend_sqlite_version(void) { return sqlite3_libversion(); }
