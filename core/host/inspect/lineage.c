/* lineage.c - the origin and the forks of a session, as they are shown. */
#include "core/host/inspect/lineage.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/maintenance.h"

static bool add_fork(void *to, const ck_session_record *record) {
  ck_lineage *self = to;
  if (!ck_session_filter_has(self->filter, self->store, record)) return true;
  ck_relative *forks = ck_array_grow(self->forks, self->count, &self->cap, sizeof *forks);
  if (!forks) return !(self->failed = true);
  self->forks = forks;
  ck_relative *fork = &self->forks[self->count++];
  *fork = (ck_relative){.cut = record->origin.cut};
  memcpy(fork->id, record->id, sizeof fork->id);
  return true;
}

ck_status ck_lineage_read(ck_lineage *self, ck_store *store, const ck_session_record *record,
                          ck_error *err) {
  ck_status status = CK_OK;
  self->store = store;
  self->origin.cut = record->origin.cut;
  if (record->origin.session)
    status = ck_store_get_session_id(self->origin.id, store, record->origin.session, err);
  if (status == CK_OK) status = ck_store_list_forks(store, record->no, add_fork, self, err);
  return status == CK_OK && self->failed ? ck_error_no_memory(err) : status;
}

void ck_lineage_clear(ck_lineage *self) {
  free(self->forks);
  *self = (ck_lineage){0};
}

static void put(ck_document *document, struct cJSON *at, const ck_relative *relative) {
  ck_document_put_text(document, at, "session", relative->id);
  ck_document_put_int(document, at, "cut", relative->cut);
}

void ck_lineage_put(ck_document *document, const ck_lineage *self) {
  if (self->origin.id[0])
    put(document, ck_document_put_object(document, NULL, "origin"), &self->origin);
  struct cJSON *forks = ck_document_put_array(document, NULL, "forks");
  for (size_t i = 0; i < self->count; i++)
    put(document, ck_document_put_object(document, forks, NULL), &self->forks[i]);
}

static void put_row(ck_table *table, const char *name, const ck_relative *relative) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%s, after seq %lld", relative->id, (long long)relative->cut);
  ck_table_put_word(table, name);
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

void ck_lineage_put_rows(ck_table *table, const ck_lineage *self) {
  if (self->origin.id[0]) put_row(table, "origin", &self->origin);
  for (size_t i = 0; i < self->count; i++) put_row(table, "fork", &self->forks[i]);
}
