/* counted.c - counts the checkpoints of a session as they are written. */
#include "core/store/sqlite/counted.h"

#include "core/store/sqlite/sqlite.h"

/* A session that has no row is read as a whole for its first one: a long one not often, as those
 * whose policies prune lose it again and again. */
ck_status ck_counted_add(ck_sqlite *self, const ck_row_batch *batch, ck_error *err) {
  ck_owned *owned = ck_sqlite_get_owned(self, batch->lease);
  if (!owned || ++owned->uncounted % CK_COUNTED_EVERY) return CK_OK;
  bool begins =
      batch->checkpoint->seq < CK_COUNTED_BEGIN || owned->uncounted % CK_COUNTED_SELDOM == 0;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_COUNTED);
  ck_bind_int(&binder, batch->lease.session);
  ck_bind_int(&binder, begins);
  return ck_sqlite_write(self, &binder, "count its checkpoints", err);
}

int ck_counted_drop(sqlite3 *db, int64_t session) {
  static const char sql[] = "DELETE FROM meta WHERE key = 'checkpoints:' || ?1 OR (?1 = 0 AND key "
                            "GLOB 'checkpoints:*')";
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(stmt, 1, session);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  int ended = sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? code : ended ? ended : code;
}

ck_status ck_sqlite_drop_counted(ck_sqlite *self, int64_t session, ck_error *err) {
  int code = ck_counted_drop(self->writer->db, session);
  return code == SQLITE_DONE ? CK_OK
                             : ck_sqlite_error(self, self->writer->db, code,
                                               "forget the number of its checkpoints", err);
}
