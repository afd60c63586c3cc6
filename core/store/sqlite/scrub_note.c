/* scrub_note.c - the note about a scrub under way, and its end: tables are packed, free pages given
 * back, the log is cut. */
#include "core/store/sqlite/scrub.h"
#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/wal.h"

static const char doing[] = "scrub it";

static ck_status begin_scrub(void *to, ck_bytes note, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_key(self, err);
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_SCRUB);
  ck_bind_blob(&binder, note);
  if (status == CK_OK)
    status = ck_sqlite_write_row(self, &binder, doing, err);
  else
    ck_binder_clear(&binder);
  return ck_sqlite_end(self, status, err);
}

static ck_status get_scrub(ck_buffer *out, void *to, ck_error *err) {
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_GET_SCRUB, err);
  if (status != CK_OK) return status;
  if (ck_binder_next(&read.binder) == SQLITE_ROW)
    ck_buffer_append_bytes(out, ck_column_bytes(read.binder.stmt, 0));
  status = ck_reader_end(&read, CK_OK, "read what was scrubbed", err);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

/* ---- the end ---- */

/* Where SQLite moves rows to another page it leaves their bytes behind in the old one, outside of
 * what secure_delete clears, and they may be those of a row that was scrubbed later. So each table
 * is emptied, which clears its pages, and filled again. */
static const char pack_table[] = "CREATE TEMP TABLE packed AS SELECT * FROM main.%s;"
                                 "DELETE FROM main.%s;"
                                 "INSERT INTO main.%s SELECT * FROM temp.packed;"
                                 "DROP TABLE temp.packed";
static const char *const packed[] = {"event", "checkpoint", "session", "timeline",
                                     "fact",  "request",    "blob",    "blob_use"};

static ck_status pack_tables(ck_sqlite *self, ck_error *err) {
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  ck_sqlite_note_change(self);
  for (size_t i = 0; i < sizeof packed / sizeof *packed && status == CK_OK; i++) {
    char sql[512];
    sqlite3_snprintf(sizeof sql, sql, pack_table, packed[i], packed[i], packed[i]);
    int code = sqlite3_exec(self->writer->db, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK) status = ck_sqlite_error(self, self->writer->db, code, doing, err);
  }
  return ck_sqlite_end(self, status, err);
}

/* With foreign keys SQLite would delete row by row, and clear no page as a whole. */
static ck_status pack(ck_sqlite *self, ck_error *err) {
  int64_t checks;
  sqlite3 *db = self->writer->db;
  ck_status status = ck_connection_get_int(&checks, self, self->writer, "PRAGMA foreign_keys", err);
  if (status != CK_OK) return status;
  int code = sqlite3_exec(db, "PRAGMA foreign_keys=OFF", NULL, NULL, NULL);
  if (code != SQLITE_OK) return ck_sqlite_error(self, db, code, doing, err);
  status = pack_tables(self, err);
  code = sqlite3_exec(db, checks ? "PRAGMA foreign_keys=ON" : "PRAGMA foreign_keys=OFF", NULL, NULL,
                      NULL);
  return status == CK_OK && code != SQLITE_OK ? ck_sqlite_error(self, db, code, doing, err)
                                              : status;
}

static ck_status forget_note(ck_sqlite *self, ck_error *err) {
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_DROP_SCRUB);
  return ck_sqlite_end(self, ck_sqlite_write(self, &binder, doing, err), err);
}

static ck_status end_scrub(void *to, ck_error *err) {
  ck_sqlite *self = to;
  int64_t freed;
  ck_status status = pack(self, err);
  if (status == CK_OK) status = ck_sqlite_vacuum(&freed, self, err);
  if (status == CK_OK) status = ck_sqlite_clear_log(self, err);
  return status == CK_OK ? forget_note(self, err) : status;
}

void ck_sqlite_add_scrub(ck_backend *backend) {
  backend->scrub = (ck_scrub_functions){ck_sqlite_scrub, begin_scrub, get_scrub, end_scrub};
}
