/* row.c - a row of an event, from stored bytes to an event; the integers of a checkpoint's. */
#include "core/store/format/row.h"

#include <string.h>

#include "core/store/format/chain.h"

ck_status ck_row_check_fault(const ck_error *fault, ck_error *err) {
  return fault ? ck_error_set(err, fault->status, "%s", fault->text) : CK_OK;
}

ck_status ck_row_open_body(ck_row_body *self, const ck_event_row *row, ck_error *err) {
  ck_stored stored = {row->encoding, row->plain_len, row->body};
  ck_status status = ck_row_check_fault(row->fault, err);
  if (status == CK_OK)
    status = ck_compress_decode(&self->plain, self->compress, self->space, &stored, err);
  if (status != CK_OK) return status;
  self->digest = ck_chain_digest_event(row, self->plain);
  if (ck_chain_check_of_event(&self->digest, row->decision) == row->check) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT, "is not what was written: its check differs");
}

ck_status ck_row_decode_event(ck_event *out, ck_compress *compress, ck_buffer *space,
                              const ck_event_row *row, ck_error *err) {
  ck_row_body body = {.compress = compress, .space = space};
  ck_value *value = NULL;
  *out = (ck_event){0};
  ck_status status = ck_row_open_body(&body, row, err);
  if (status == CK_OK) status = ck_value_copy(&value, body.plain, err);
  if (status != CK_OK) return status;
  *out = (ck_event){.seq = row->seq,
                    .timeline = row->timeline,
                    .kind = row->kind,
                    .at_ms = row->at_ms,
                    .scope = row->scope,
                    .agent = row->agent,
                    .body = value,
                    .decision = row->decision};
  return CK_OK;
}

void ck_checkpoint_row_ints(int64_t out[CK_CHECKPOINT_ROW_INTS], const ck_checkpoint_row *row) {
  const ck_totals *totals = &row->totals;
  const int64_t numbers[] = {row->seq,
                             row->parent,
                             row->keyframe,
                             row->timeline,
                             row->covers,
                             row->kind,
                             row->created_ms,
                             row->clean,
                             row->resumable,
                             totals->cost_micros,
                             totals->input_tokens,
                             totals->output_tokens,
                             totals->model_calls,
                             totals->tool_calls,
                             totals->unmetered,
                             totals->active_us,
                             row->changed,
                             row->format,
                             [CK_CHECKPOINT_ROW_ENCODING] = row->encoding,
                             row->plain_len};
  _Static_assert(sizeof numbers == CK_CHECKPOINT_ROW_INTS * sizeof *out, "each is given");
  memcpy(out, numbers, sizeof numbers);
}
