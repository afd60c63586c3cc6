/* verify_sums.c - adds up a session's events, and compares that with what its checkpoints keep. */
#include "core/store/session_sums.h"
#include "core/store/verify_walk.h"

typedef struct newest {
  bool keeps;
} newest;

static bool look_for_sums(void *to, const ck_checkpoint_row *row) {
  ((newest *)to)->keeps = !row->fault && ck_json_get(row->info, CK_SUMS_MEMBER).len > 0;
  return false;
}

/* What a fork inherits is added up when it keeps sums by now: its origin then has them, too. */
ck_status ck_verify_begin_sums(ck_verify *self) {
  const ck_backend *backend = &self->store->backend;
  newest of = {0};
  if (!self->record.origin.session) return CK_OK;
  ck_status status = backend->read_checkpoints(
      backend->self, &(ck_checkpoint_rows){.session = self->record.no, .backward = true},
      look_for_sums, &of, self->err);
  self->sums.failed = !of.keeps;
  if (status || !of.keeps) return status;
  ck_error found = CK_ERROR_INIT;
  const ck_sums_query query = {
      .session = self->record.no, .until = self->record.origin.cut, .said = true};
  status = ck_store_get_sums(&self->sums, self->store, &query, &found);
  self->sums.failed |= status != CK_OK; /* reported where it lies, with the origin */
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(self->err) : CK_OK;
}

void ck_verify_clear_sums(ck_verify *self) {
  for (size_t i = self->header_next; i < self->header_count; i++)
    ck_value_free(self->headers[i].sums);
  ck_sums_clear(&self->sums);
}

ck_status ck_verify_keep_sums(ck_verify_header *to, const ck_checkpoint_row *row, ck_error *err) {
  ck_bytes sums = row->fault ? (ck_bytes){0} : ck_json_get(row->info, CK_SUMS_MEMBER);
  to->sums = NULL;
  return ck_json_type_of(sums) == CK_JSON_OBJECT ? ck_value_copy(&to->sums, sums, err) : CK_OK;
}

/* Behind an event that cannot be read nothing is compared. */
void ck_verify_take_sums(ck_verify *self, const ck_event_row *row, ck_bytes body) {
  const ck_event event = {.seq = row->seq, .timeline = row->timeline, .kind = row->kind};
  self->sums.failed |= !body.data;
  if (!self->sums.failed) ck_sums_take(&self->sums, &event, body);
}

void ck_verify_check_sums(ck_verify *self, ck_verify_header *header) {
  ck_buffer sums = {0};
  ck_value *kept = header->sums;
  header->sums = NULL;
  self->sums.untold = kept && ck_json_get(ck_value_bytes(kept), "said").len == 0;
  if (kept && !self->sums.failed) ck_sums_write(&sums, &self->sums);
  if (sums.len && !sums.failed && !ck_bytes_equal(ck_buffer_bytes(&sums), ck_value_bytes(kept)))
    ck_verify_add_finding(self, header->seq, CK_E_CORRUPT,
                          "checkpoint %s: the sums that it keeps are not those of the events",
                          header->id);
  self->sums.untold = false;
  ck_buffer_clear(&sums);
  ck_value_free(kept);
}
