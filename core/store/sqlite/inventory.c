/* inventory.c - keeps the inventory while a transaction changes rows that it answers for. */
#include <stdlib.h>

#include "core/base/array.h"
#include "core/store/sqlite/sqlite.h"

static const ck_sql sums[CK_INVENTORY_PARTS] = {
#define X(name, table, all, one) [name] = name##_SUM,
    CK_INVENTORY_TABLE(X)
#undef X
};

typedef void (*change)(ck_inventory_sum *self, const ck_inventory_sum *other);

static ck_status change_sum(ck_sqlite *self, ck_inventory_part part, ck_binder *binder, change how,
                            ck_error *err) {
  int code = ck_binder_next(binder);
  if (code == SQLITE_ROW) {
    ck_inventory_sum sum = ck_inventory_column(binder->stmt);
    how(&self->signing.now.sums[part], &sum);
  }
  ck_binder_clear(binder);
  if (code == SQLITE_ROW) return CK_OK;
  return ck_sqlite_error(self, self->writer->db, code, "read its inventory", err);
}

static ck_status change_session(ck_sqlite *self, int64_t session, change how, ck_error *err) {
  ck_status status = CK_OK;
  for (ck_inventory_part part = 0; part < CK_INVENTORY_FACT && status == CK_OK; part++) {
    ck_binder binder = ck_binder_of(self->writer, sums[part]);
    ck_bind_int(&binder, session);
    status = change_sum(self, part, &binder, how, err);
  }
  return status;
}

/* ---- what is about to be changed ---- */

/* A store without a key that has none, of an older ckrun, gets one now; one with a key, when it is
 * opened by a process that is alone with it (sealed.c). */
static ck_status begin(ck_sqlite *self, ck_error *err) {
  ck_signing *signing = &self->signing;
  if (signing->begun) return CK_OK;
  ck_status status = ck_inventory_read(&signing->before, self, self->writer, err);
  bool has = signing->before.generation > 0;
  signing->absent = !has && self->seal;
  if (status == CK_OK && !has && !signing->absent)
    status = ck_inventory_count(&signing->before, self, self->writer->db, err);
  signing->now = signing->before;
  signing->begun = status == CK_OK;
  return status;
}

static bool is_touched(const ck_signing *signing, int64_t session) {
  for (size_t i = signing->touched_count; i-- > 0;)
    if (signing->touched[i] == session) return true;
  return false;
}

ck_status ck_inventory_touch_session(ck_sqlite *self, int64_t session, ck_error *err) {
  ck_signing *signing = &self->signing;
  ck_status status = begin(self, err);
  if (status != CK_OK || signing->absent || is_touched(signing, session)) return status;
  int64_t *touched = ck_array_grow(signing->touched, signing->touched_count, &signing->touched_cap,
                                   sizeof *touched);
  if (!touched) return ck_error_no_memory(err);
  signing->touched = touched;
  status = change_session(self, session, ck_inventory_subtract, err);
  if (status == CK_OK) touched[signing->touched_count++] = session;
  return status;
}

static ck_status change_fact(ck_sqlite *self, const char *owner, const char *key, change how,
                             ck_error *err) {
  ck_status status = begin(self, err);
  if (status != CK_OK || self->signing.absent) return status;
  ck_binder binder = ck_binder_of(self->writer, sums[CK_INVENTORY_FACT]);
  ck_bind_text(&binder, owner);
  ck_bind_text(&binder, key);
  return change_sum(self, CK_INVENTORY_FACT, &binder, how, err);
}

ck_status ck_inventory_take_fact(ck_sqlite *self, const char *owner, const char *key,
                                 ck_error *err) {
  return change_fact(self, owner, key, ck_inventory_subtract, err);
}

ck_status ck_inventory_put_fact(ck_sqlite *self, const char *owner, const char *key,
                                ck_error *err) {
  return change_fact(self, owner, key, ck_inventory_add, err);
}

/* One that cannot be read has no generation: the caller's counts. */
ck_status ck_inventory_make(ck_sqlite *self, uint64_t generation, ck_error *err) {
  ck_signing *signing = &self->signing;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_inventory_read(&signing->before, self, self->writer, &ignored) != CK_OK)
    signing->before.generation = 0;
  uint64_t last = signing->before.generation;
  ck_status status = ck_inventory_count(&signing->now, self, self->writer->db, err);
  signing->before = (ck_inventory){0};
  signing->now.generation = last > generation ? last : generation;
  signing->touched_count = 0;
  signing->absent = false;
  signing->begun = status == CK_OK;
  return status;
}

/* ---- transactions ---- */

void ck_inventory_begin(ck_sqlite *self) {
  self->signing.begun = false;
  self->signing.touched_count = 0;
  self->signing.writing = 0;
}

ck_status ck_inventory_end(ck_sqlite *self, ck_error *err) {
  ck_signing *signing = &self->signing;
  ck_status status = CK_OK;
  if (!signing->begun || signing->absent) return CK_OK;
  for (size_t i = 0; i < signing->touched_count && status == CK_OK; i++)
    status = change_session(self, signing->touched[i], ck_inventory_add, err);
  bool same = signing->before.generation && ck_inventory_equal(&signing->before, &signing->now);
  if (status != CK_OK || same) return status;
  signing->writing = ++signing->now.generation;
  return ck_inventory_write(self, &signing->now, err);
}

void ck_inventory_note_committed(ck_sqlite *self) {
  if (self->signing.writing) self->signing.written = self->signing.writing;
}

void ck_inventory_note_synced(ck_sqlite *self) {
  ck_signing *signing = &self->signing;
  if (!signing->advance || signing->told == signing->written) return;
  signing->told = signing->written;
  signing->advance(signing->to, signing->written);
}
