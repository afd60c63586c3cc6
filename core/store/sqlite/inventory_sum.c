/* inventory_sum.c - sums of rows, and the row of meta that keeps them. */
#include <string.h>

#include "core/store/format/seal.h"
#include "core/store/sqlite/sqlite.h"

/* The row: version, whether the rest is sealed, then the rest: generation and sums, numbers with
 * their lowest byte first. */
enum {
  VERSION = 1,
  HEAD_SIZE = 2,
  NUMBER_SIZE = 8,
  SUM_SIZE = NUMBER_SIZE + CK_DIGEST_SIZE,
  PLAIN_SIZE = NUMBER_SIZE + CK_INVENTORY_PARTS * SUM_SIZE,
  SEALED_SIZE = PLAIN_SIZE + CK_SEAL_OVERHEAD
};

static const char use[] = "ckrun inventory 1";

/* ---- sums ---- */

void ck_inventory_add(ck_inventory_sum *self, const ck_inventory_sum *other) {
  unsigned carry = 0;
  self->count += other->count;
  for (size_t i = 0; i < CK_DIGEST_SIZE; i++) {
    carry += (unsigned)self->bytes[i] + other->bytes[i];
    self->bytes[i] = (uint8_t)carry;
    carry >>= 8;
  }
}

void ck_inventory_subtract(ck_inventory_sum *self, const ck_inventory_sum *other) {
  int borrow = 0;
  self->count -= other->count;
  for (size_t i = 0; i < CK_DIGEST_SIZE; i++) {
    int byte = self->bytes[i] - other->bytes[i] - borrow;
    borrow = byte < 0;
    self->bytes[i] = (uint8_t)byte;
  }
}

bool ck_inventory_sum_equal(const ck_inventory_sum *a, const ck_inventory_sum *b) {
  return a->count == b->count && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool ck_inventory_equal(const ck_inventory *a, const ck_inventory *b) {
  for (size_t i = 0; i < CK_INVENTORY_PARTS; i++)
    if (!ck_inventory_sum_equal(&a->sums[i], &b->sums[i])) return false;
  return true;
}

/* ---- inventory_sum() ---- */

/* The argument with its type before it, as in row_check(). */
static void update_value(ck_digester *digester, sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  ck_digester_update_int(digester, type);
  if (type == SQLITE_INTEGER) ck_digester_update_int(digester, sqlite3_value_int64(value));
  if (type == SQLITE_INTEGER || type == SQLITE_NULL) return;
  const char *text = (const char *)sqlite3_value_text(value);
  ck_digester_update_field(digester, (ck_bytes){text, (size_t)sqlite3_value_bytes(value)});
}

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  ck_inventory_sum *sum = sqlite3_aggregate_context(context, sizeof *sum);
  const ck_sqlite *store = sqlite3_user_data(context);
  ck_digester digester;
  ck_inventory_sum row = {.count = 1};
  if (!sum) return sqlite3_result_error_nomem(context);
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(use));
  for (int i = 0; i < count; i++) update_value(&digester, values[i]);
  ck_digest digest = ck_digester_final(&digester);
  if (store->seal) digest = ck_seal_sign(store->seal, &digest);
  memcpy(row.bytes, digest.bytes, sizeof row.bytes);
  ck_inventory_add(sum, &row);
}

static void end(sqlite3_context *context) {
  static const ck_inventory_sum none;
  const ck_inventory_sum *sum = sqlite3_aggregate_context(context, 0);
  sqlite3_result_blob(context, sum ? sum : &none, sizeof *sum, SQLITE_TRANSIENT);
}

int ck_inventory_add_function(sqlite3 *db, const ck_sqlite *store) {
  return sqlite3_create_function(db, "inventory_sum", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                 (void *)(uintptr_t)store, NULL, step, end);
}

ck_inventory_sum ck_inventory_column(sqlite3_stmt *stmt) {
  ck_inventory_sum sum = {0};
  const void *blob = sqlite3_column_blob(stmt, 0);
  if (blob && sqlite3_column_bytes(stmt, 0) == (int)sizeof sum) memcpy(&sum, blob, sizeof sum);
  return sum;
}

ck_status ck_inventory_count(ck_inventory *out, const ck_sqlite *self, sqlite3 *db, ck_error *err) {
  static const char *const all[] = {
#define X(name, table, all, one) all,
      CK_INVENTORY_TABLE(X)
#undef X
  };
  *out = (ck_inventory){0};
  for (size_t i = 0; i < CK_INVENTORY_PARTS; i++) {
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db, all[i], -1, &stmt, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(stmt);
    if (code == SQLITE_ROW) out->sums[i] = ck_inventory_column(stmt);
    sqlite3_finalize(stmt);
    if (code != SQLITE_ROW) return ck_sqlite_error(self, db, code, "read its inventory", err);
  }
  return CK_OK;
}

/* ---- the row ---- */

static void put_number(char *at, uint64_t number) {
  for (int i = 0; i < NUMBER_SIZE; i++) at[i] = (char)(number >> (8 * i));
}

static uint64_t get_number(const char *at) {
  uint64_t number = 0;
  for (int i = NUMBER_SIZE; i-- > 0;) number = number << 8 | (uint8_t)at[i];
  return number;
}

static void encode(char plain[PLAIN_SIZE], const ck_inventory *inventory) {
  put_number(plain, inventory->generation);
  for (size_t i = 0; i < CK_INVENTORY_PARTS; i++) {
    char *at = plain + NUMBER_SIZE + i * SUM_SIZE;
    put_number(at, (uint64_t)inventory->sums[i].count);
    memcpy(at + NUMBER_SIZE, inventory->sums[i].bytes, CK_DIGEST_SIZE);
  }
}

static void decode(ck_inventory *out, const char plain[PLAIN_SIZE]) {
  out->generation = get_number(plain);
  for (size_t i = 0; i < CK_INVENTORY_PARTS; i++) {
    const char *at = plain + NUMBER_SIZE + i * SUM_SIZE;
    out->sums[i].count = (int64_t)get_number(at);
    memcpy(out->sums[i].bytes, at + NUMBER_SIZE, CK_DIGEST_SIZE);
  }
}

static ck_digest location(void) { return ck_digest_of(ck_bytes_text(use)); }

/* Without a key, the check of the row answers for it. */
static bool open_row(ck_inventory *out, const ck_sqlite *self, ck_bytes row) {
  char plain[PLAIN_SIZE];
  bool sealed = self->seal != NULL;
  if (row.len < HEAD_SIZE || row.data[0] != VERSION || row.data[1] != (char)sealed) return false;
  ck_bytes rest = {row.data + HEAD_SIZE, row.len - HEAD_SIZE};
  if (rest.len != (sealed ? SEALED_SIZE : PLAIN_SIZE)) return false;
  ck_digest where = location();
  if (sealed && !ck_seal_decode(plain, self->seal, rest, &where)) return false;
  if (!sealed) memcpy(plain, rest.data, sizeof plain);
  decode(out, plain);
  return out->generation > 0;
}

ck_status ck_inventory_read(ck_inventory *out, const ck_sqlite *self, ck_connection *by,
                            ck_error *err) {
  *out = (ck_inventory){0};
  ck_binder binder = ck_binder_of(by, CK_SQL_GET_INVENTORY);
  int code = ck_binder_next(&binder);
  ck_status status = CK_OK;
  bool gone = code == SQLITE_DONE && self->seal && self->signs;
  bool there = code == SQLITE_ROW, sound = false;
  if (there && sqlite3_column_int(binder.stmt, 1))
    sound = open_row(out, self,
                     (ck_bytes){sqlite3_column_blob(binder.stmt, 0),
                                (size_t)sqlite3_column_bytes(binder.stmt, 0)});
  if (gone)
    status =
        ck_error_set(err, CK_E_CORRUPT,
                     "store %s: its inventory, which signs what it holds, is gone", self->path);
  else if (there && !sound)
    status = ck_error_set(err, CK_E_CORRUPT, "store %s: its inventory is not what was written",
                          self->path);
  else if (code != SQLITE_ROW && code != SQLITE_DONE)
    status = ck_sqlite_error(self, by->db, code, "read its inventory", err);
  ck_binder_clear(&binder);
  return status;
}

static void encode_row(char row[HEAD_SIZE + SEALED_SIZE], size_t *size, const ck_sqlite *self,
                       const ck_inventory *inventory) {
  ck_digest where = location();
  char *rest = row + HEAD_SIZE;
  row[0] = VERSION;
  row[1] = self->seal != NULL;
  *size = HEAD_SIZE + (self->seal ? SEALED_SIZE : PLAIN_SIZE);
  encode(rest + (self->seal ? CK_SEAL_NONCE : 0), inventory);
  if (self->seal) ck_seal_encode(self->seal, rest, PLAIN_SIZE, &where);
}

ck_status ck_inventory_write(ck_sqlite *self, const ck_inventory *inventory, ck_error *err) {
  char row[HEAD_SIZE + SEALED_SIZE];
  size_t size;
  encode_row(row, &size, self, inventory);
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_INVENTORY);
  ck_bind_blob(&binder, (ck_bytes){row, size});
  return ck_sqlite_write_row(self, &binder, "write its inventory", err);
}

ck_status ck_inventory_make_in(const ck_sqlite *draft, sqlite3 *db, uint64_t generation,
                               ck_error *err) {
  char row[HEAD_SIZE + SEALED_SIZE];
  size_t size;
  ck_inventory inventory;
  sqlite3_stmt *stmt = NULL;
  ck_status status = ck_inventory_count(&inventory, draft, db, err);
  if (status != CK_OK) return status;
  inventory.generation = generation + 1;
  encode_row(row, &size, draft, &inventory);
  int code = sqlite3_prepare_v2(db, CK_SQL_PUT_INVENTORY_TEXT, -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_blob(stmt, 1, row, (int)size, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? CK_OK : ck_sqlite_error(draft, db, code, "write its inventory", err);
}
