/* change_bytes.c - the SQL function by which statements change sealed values. */
#include "core/store/sqlite/change_bytes.h"

static void change(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  ck_bytes_change *self = sqlite3_user_data(context);
  ck_buffer out = {0};
  int type = sqlite3_value_type(values[4]);
  if (type == SQLITE_NULL) return;
  const void *data = type == SQLITE_TEXT ? (const void *)sqlite3_value_text(values[4])
                                         : sqlite3_value_blob(values[4]);
  ck_rekey_bytes what = {.use = (const char *)sqlite3_value_text(values[0]),
                         .name = (const char *)sqlite3_value_text(values[1]),
                         .id = (const char *)sqlite3_value_text(values[2]),
                         .created_ms = sqlite3_value_int64(values[3]),
                         .bytes = {data, (size_t)sqlite3_value_bytes(values[4])},
                         .text = type == SQLITE_TEXT};
  bool given = what.use && what.name && what.id;
  ck_status status =
      given ? self->change(&out, self->self, &what, self->err) : ck_error_no_memory(self->err);
  if (status != CK_OK) {
    self->status = status;
    sqlite3_result_error(context, "stopped", -1);
  } else if (what.text) {
    sqlite3_result_text64(context, out.data ? out.data : "", out.len, SQLITE_TRANSIENT,
                          SQLITE_UTF8);
  } else {
    sqlite3_result_blob64(context, out.data ? out.data : "", out.len, SQLITE_TRANSIENT);
  }
  ck_buffer_clear(&out);
}

int ck_bytes_change_add(sqlite3 *db, const char *name, ck_bytes_change *by) {
  return sqlite3_create_function(db, name, 5, SQLITE_UTF8 | SQLITE_DIRECTONLY, by,
                                 by ? change : NULL, NULL, NULL);
}

ck_status ck_bytes_change_run(ck_sqlite *self, const ck_bytes_change *by, const char *sql,
                              const char *doing, ck_error *err) {
  int code = sqlite3_exec(self->writer->db, sql, NULL, NULL, NULL);
  if (by->status != CK_OK) return by->status;
  return code == SQLITE_OK ? CK_OK : ck_sqlite_error(self, self->writer->db, code, doing, err);
}
