/* naming.c - which bodies of events may name an agent; SQLite's own instr compares at each byte. */
#include "core/store/sqlite/naming.h"

#include <sqlite3.h>
#include <string.h>

#include "core/base/buffer.h"

static ck_bytes bytes_of(sqlite3_value *value) {
  const void *data = sqlite3_value_blob(value);
  return (ck_bytes){data, (size_t)sqlite3_value_bytes(value)};
}

static bool has(ck_bytes body, ck_bytes part) {
  return part.len && body.len && memmem(body.data, body.len, part.data, part.len);
}

/* memchr is several times as fast as a memmem for two bytes. */
static bool has_unicode_escape(ck_bytes body) {
  const char *end = body.data + body.len, *at = body.data;
  while (at && at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
    if (at + 1 < end && at[1] == 'u') return true;
    at += 2;
  }
  return false;
}

/* The name's bytes, or a \u that stands for one of them. */
static void may_name(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  ck_bytes body = bytes_of(values[0]);
  sqlite3_result_int(context, has(body, bytes_of(values[1])) || has_unicode_escape(body));
}

int ck_naming_add_function(sqlite3 *db) {
  return sqlite3_create_function(db, "may_name", 2,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                 may_name, NULL, NULL);
}
