/* inventory_check.c - compares the inventory with the rows, makes it anew, and tells generations.
 */
#include <stdio.h>

#include "core/store/sqlite/rekey.h"

/* ---- the comparison ---- */

static const char *const tables[CK_INVENTORY_PARTS] = {
#define X(name, table, all, one) [name] = table,
    CK_INVENTORY_TABLE(X)
#undef X
};

static void tell_difference(ck_inventory_part part, const ck_inventory_sum *signed_as,
                            const ck_inventory_sum *found, ck_problem_visit visit, void *to) {
  char text[400];
  long long was = (long long)signed_as->count, is = (long long)found->count;
  const char *of = tables[part];
  if (is < was)
    snprintf(text, sizeof text,
             "its inventory has %lld %ss, and there are %lld: %lld were taken "
             "away",
             was, of, is, was - is);
  else if (is > was)
    snprintf(text, sizeof text,
             "its inventory has %lld %ss, and there are %lld: %lld were put in "
             "from outside",
             was, of, is, is - was);
  else
    snprintf(text, sizeof text,
             "its %ss are not those of its inventory: one was changed, exchanged "
             "or set back to what it was before",
             of);
  if (visit) visit(to, "", 0, CK_E_CORRUPT, text);
}

static ck_status compare(int64_t *problems, const ck_sqlite *self, ck_connection *by,
                         ck_problem_visit visit, void *to, ck_error *err) {
  ck_inventory inventory, found;
  ck_error unsound = CK_ERROR_INIT;
  ck_status status = ck_inventory_read(&inventory, self, by, &unsound);
  if (status == CK_E_CORRUPT) {
    if (visit) visit(to, "", 0, status, unsound.text);
    ++*problems;
    return CK_OK;
  }
  if (status != CK_OK && err) *err = unsound;
  if (status != CK_OK || inventory.generation == 0) return status;
  status = ck_inventory_count(&found, self, by->db, err);
  for (ck_inventory_part part = 0; part < CK_INVENTORY_PARTS && status == CK_OK; part++) {
    if (ck_inventory_sum_equal(&inventory.sums[part], &found.sums[part])) continue;
    tell_difference(part, &inventory.sums[part], &found.sums[part], visit, to);
    ++*problems;
  }
  return status;
}

/* Both as one moment of the store has them: a live session changes both. */
ck_status ck_inventory_compare(int64_t *problems, ck_sqlite *self, ck_problem_visit visit, void *to,
                               ck_error *err) {
  ck_connection *reader;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  int code = sqlite3_exec(reader->db, "BEGIN", NULL, NULL, NULL);
  status = code == SQLITE_OK ? compare(problems, self, reader, visit, to, err)
                             : ck_sqlite_error(self, reader->db, code, "read its inventory", err);
  sqlite3_exec(reader->db, "ROLLBACK", NULL, NULL, NULL);
  ck_sqlite_put_reader(self, reader);
  return status;
}

static ck_status check_inventory(void *to, ck_problem_visit visit, void *visitor, int64_t *problems,
                                 ck_error *err) {
  return ck_inventory_compare(problems, to, visit, visitor, err);
}

/* ---- generations ---- */

static ck_status get_generation(uint64_t *out, void *to, ck_error *err) {
  ck_sqlite *self = to;
  ck_inventory inventory;
  ck_connection *reader;
  *out = 0;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  status = ck_inventory_read(&inventory, self, reader, err);
  ck_sqlite_put_reader(self, reader);
  if (status == CK_OK) *out = inventory.generation;
  return status;
}

static void watch_generation(void *to, ck_generation_visit advance, void *visitor) {
  ck_sqlite *self = to;
  self->signing.advance = advance;
  self->signing.to = visitor;
}

/* ---- made anew ---- */

static ck_status accept_inventory(void *to, uint64_t generation, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = ck_inventory_make(self, generation, err);
  return ck_sqlite_end(self, status, err);
}

static ck_status sign_store(void *to, ck_bytes entry, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = ck_sqlite_check_idle(self, err);
  if (status == CK_OK) status = ck_inventory_make(self, 0, err);
  if (status == CK_OK) status = ck_sqlite_put_entry(self, entry, err);
  status = ck_sqlite_end(self, status, err);
  if (status == CK_OK) self->signs = true;
  return status == CK_OK ? ck_sqlite_note_entry(self, entry, err) : status;
}

void ck_sqlite_add_inventory(ck_backend *backend) {
  backend->inventory = (ck_inventory_functions){.check = check_inventory,
                                                .get_generation = get_generation,
                                                .watch = watch_generation,
                                                .accept = accept_inventory,
                                                .sign_store = sign_store};
}
