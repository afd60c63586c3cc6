/* verify_checkpoints.c - opens and applies each payload, computes each digest again, compares each
 * keyframe with the rebuilt state. */
#include <string.h>

#include "core/store/verify_walk.h"

/* ---- the row ---- */

static void check_row(ck_verify *self, const ck_checkpoint_row *row) {
  if (row->covers != self->covered)
    ck_verify_add_finding(
        self, row->seq, CK_E_CORRUPT,
        "checkpoint %s covers events from %lld; the checkpoint before it is at %lld", row->id,
        (long long)row->covers, (long long)self->covered);
  if (row->timeline != ck_verify_timeline_of(self, row->seq))
    ck_verify_add_finding(self, row->seq, CK_E_CORRUPT,
                          "checkpoint %s is said to be on timeline %lld", row->id,
                          (long long)row->timeline);
  if (row->parent < 0 || row->parent >= row->seq)
    ck_verify_add_finding(self, row->seq, CK_E_CORRUPT, "checkpoint %s has its parent at %lld",
                          row->id, (long long)row->parent);
}

static void check_keyframe_seq(ck_verify *self, const ck_checkpoint_row *row) {
  if (row->keyframe != row->seq && row->keyframe != self->rebuilt_keyframe)
    ck_verify_add_finding(self, row->seq, CK_E_CORRUPT,
                          "checkpoint %s has keyframe %lld, its parent %lld", row->id,
                          (long long)row->keyframe, (long long)self->rebuilt_keyframe);
}

/* ---- the parent ---- */

static void drop_rebuilt(ck_verify *self) {
  ck_state_rebuild_free(self->rebuilt);
  self->rebuilt = NULL;
}

typedef struct parent_keyframe {
  int64_t keyframe;
} parent_keyframe;

static bool read_keyframe(void *to, const ck_checkpoint_row *row) {
  ((parent_keyframe *)to)->keyframe = row->keyframe;
  return false;
}

/* A run continued a checkpoint that is not the last one: that state is loaded. When this fails, the
 * cause was reported at its own row, and states are not compared before the next keyframe. */
ck_status ck_verify_load(ck_verify *self, int64_t parent) {
  ck_error found = CK_ERROR_INIT;
  const ck_backend *backend = &self->store->backend;
  parent_keyframe header = {0};
  drop_rebuilt(self);
  self->rebuilt_seq = parent;
  self->rebuilt_keyframe = 0;
  self->rebuilt_digest = (ck_digest){{0}};
  if (parent == 0) return ck_state_rebuild_new(&self->rebuilt, self->err);
  ck_load_request load = {.rebuild = &self->rebuilt, .pruned = true};
  ck_status status = ck_store_core_load(&load, self->store, self->record.no, parent, &found);
  if (status == CK_E_NO_MEMORY || status == CK_E_IO)
    return ck_verify_add_error(self, parent, status, &found);
  status =
      ck_store_core_get_digest(&self->rebuilt_digest, self->store, self->record.no, parent, &found);
  if (status == CK_E_NOT_FOUND)
    ck_error_set(&found, status, "the checkpoint at %lld that others build on is gone",
                 (long long)parent);
  if (status) return ck_verify_add_error(self, parent, status, &found);
  int64_t owner;
  status = ck_store_core_get_owner(&owner, self->store, self->record.no, parent, self->err);
  if (status) return status;
  ck_checkpoint_rows rows = {
      .session = owner, .after = parent - 1, .until = parent, .backward = true};
  status = backend->read_checkpoints(backend->self, &rows, read_keyframe, &header, self->err);
  self->rebuilt_keyframe = header.keyframe;
  return status;
}

/* ---- the payload ---- */

/* Applies the checkpoint's payload to the rebuilt state. */
static ck_status apply_delta(ck_verify *self, const ck_codec_reader *reader, ck_error *found) {
  if (!self->rebuilt) return CK_OK;
  ck_status status = ck_state_rebuild_apply(self->rebuilt, reader, found);
  return status ? status : ck_state_rebuild_check_changes(self->rebuilt, reader, found);
}

static ck_status apply_keyframe(ck_verify *self, const ck_codec_reader *reader, ck_error *found) {
  ck_state_rebuild *fresh;
  ck_status status = ck_state_rebuild_new(&fresh, found);
  if (!status) status = ck_state_rebuild_apply(fresh, reader, found);
  if (!status && self->rebuilt)
    status = ck_state_rebuild_check_keyframe(fresh, self->rebuilt, reader, found);
  if (!status) status = ck_state_rebuild_check_changes(fresh, reader, found);
  if (status) {
    ck_state_rebuild_free(fresh);
    return status;
  }
  drop_rebuilt(self);
  self->rebuilt = fresh;
  return CK_OK;
}

static ck_status check_payload(ck_verify *self, const ck_checkpoint_row *row, ck_error *found) {
  ck_codec_reader reader;
  ck_status status = ck_payload_open(&reader, &self->payload, row, found);
  if (status) return status;
  ck_digest digest =
      ck_chain_digest_checkpoint(row, self->record.id, &self->rebuilt_digest, reader.changed);
  if (!ck_digest_equal(&digest, &row->digest))
    ck_verify_add_finding(self, row->seq, CK_E_CORRUPT,
                          "checkpoint %s: its digest is not that of its row and its parent",
                          row->id);
  bool keyframe = reader.form == CK_CODEC_KEYFRAME;
  return keyframe ? apply_keyframe(self, &reader, found) : apply_delta(self, &reader, found);
}

/* Of a checkpoint that builds on a damaged one only the digest is compared. */
static ck_status check_stub(ck_verify *self, const ck_checkpoint_row *row, ck_error *found) {
  drop_rebuilt(self);
  return ck_payload_check_stub(row, self->record.id, found);
}

static ck_status check_whole(ck_verify *self, const ck_checkpoint_row *row, ck_error *found) {
  check_keyframe_seq(self, row);
  return check_payload(self, row, found);
}

static ck_status check_checkpoint(ck_verify *self, const ck_checkpoint_row *row) {
  ck_error found = CK_ERROR_INIT;
  ck_status status = CK_OK;
  check_row(self, row);
  bool stub = ck_payload_is_stub(row);
  if (self->rebuilt_seq != row->parent && !stub) status = ck_verify_load(self, row->parent);
  if (status) return status;
  status = stub ? check_stub(self, row, &found) : check_whole(self, row, &found);
  if (status) {
    ck_error_prefix(&found, "checkpoint %s", row->id);
    drop_rebuilt(self);
  }
  self->rebuilt_seq = row->seq;
  self->rebuilt_keyframe = row->keyframe;
  self->rebuilt_digest = row->digest;
  return ck_verify_add_error(self, row->seq, status, &found);
}

static bool visit_checkpoint(void *to, const ck_checkpoint_row *row) {
  ck_verify *self = to;
  ck_verify_header *header = &self->headers[self->header_count++];
  memcpy(header->id, row->id, sizeof header->id);
  header->seq = row->seq;
  header->events_digest = row->events_digest;
  self->report->checkpoints++;
  self->status = ck_verify_keep_sums(header, row, self->err);
  if (!self->status) self->status = check_checkpoint(self, row);
  self->covered = row->seq;
  return !self->status && self->header_count < CK_VERIFY_CHUNK;
}

ck_status ck_verify_checkpoints(ck_verify *self) {
  const ck_backend *backend = &self->store->backend;
  self->header_count = self->header_next = 0;
  if (self->last_seq == 0) return CK_OK;
  ck_checkpoint_rows rows = {.session = self->record.no,
                             .after = self->covered,
                             .until = self->last_seq,
                             .payloads = true};
  ck_status status =
      backend->read_checkpoints(backend->self, &rows, visit_checkpoint, self, self->err);
  return status ? status : self->status;
}
