/* state.c - loads the state at a checkpoint: its keyframe, then the deltas on the way to it. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/store_core.h"
#include "core/store/format/row.h"
#include "core/store/format/payload.h"
#include "core/store/format/state_rebuild.h"

/* The rows from a checkpoint back to its keyframe, along the parents; newest first. */
typedef struct row_walk {
  ck_store *store;
  int64_t session;
  const char *session_id;
  ck_checkpoint_row **rows;
  size_t count, cap;
  bool pruned;        /* the first row may be a pruned checkpoint */
  bool is_pruned;     /* a row that the walk needs is pruned */
  bool borrows;       /* the rebuild may point into `keyframe` */
  ck_buffer keyframe; /* its unpacked payload */
  int64_t wanted;
  ck_status status;
  ck_error *err;
} row_walk;

/* Copies the row with its payload and info into one allocation; mac, key_id and fault are left
 * out. */
static ck_checkpoint_row *copy_row(const ck_checkpoint_row *row) {
  ck_checkpoint_row *copy = malloc(sizeof *copy + row->payload.len + row->info.len);
  if (!copy) return NULL;
  char *bytes = (char *)(copy + 1);
  *copy = *row;
  copy->mac = copy->key_id = (ck_bytes){NULL, 0};
  copy->fault = NULL;
  copy->payload.data = bytes;
  copy->info.data = bytes + row->payload.len;
  if (row->payload.len) memcpy(bytes, row->payload.data, row->payload.len);
  if (row->info.len) memcpy(bytes + row->payload.len, row->info.data, row->info.len);
  return copy;
}

static ck_status keep_row(row_walk *self, const ck_checkpoint_row *row) {
  ck_checkpoint_row **rows = ck_array_grow(self->rows, self->count, &self->cap, sizeof *rows);
  if (!rows) return ck_error_no_memory(self->err);
  self->rows = rows;
  ck_checkpoint_row *copy = copy_row(row);
  if (!copy) return ck_error_no_memory(self->err);
  self->rows[self->count++] = copy;
  return CK_OK;
}

static ck_status check_row(const row_walk *self, const ck_checkpoint_row *row) {
  if (row->fault) return ck_row_check_fault(row->fault, self->err);
  if (row->key_id.len)
    return ck_error_set(self->err, CK_E_WRONG_KEY, "sealed, and no key was given");
  if (row->keyframe > row->seq || row->keyframe < 1)
    return ck_error_set(self->err, CK_E_CORRUPT, "its keyframe is said to be at %lld",
                        (long long)row->keyframe);
  if (row->keyframe != row->seq && row->parent < row->keyframe)
    return ck_error_set(self->err, CK_E_CORRUPT, "its parents do not lead to its keyframe %lld",
                        (long long)row->keyframe);
  if (self->count && row->keyframe != self->rows[0]->keyframe)
    return ck_error_set(self->err, CK_E_CORRUPT,
                        "it has another keyframe (%lld) than what follows it (%lld)",
                        (long long)row->keyframe, (long long)self->rows[0]->keyframe);
  return CK_OK;
}

/* Rows of other timelines lie in between and are skipped. */
static bool visit_row(void *to, const ck_checkpoint_row *row) {
  row_walk *self = to;
  if (row->seq > self->wanted) return true;
  if (row->seq < self->wanted) return false;
  self->is_pruned =
      self->count || self->pruned ? ck_payload_is_stub(row) : ck_payload_is_pruned(row);
  if (self->is_pruned) return false;
  self->status = ck_payload_error(check_row(self, row), self->err, self->session_id, row);
  if (!self->status) self->status = keep_row(self, row);
  self->wanted = row->keyframe == row->seq ? 0 : row->parent;
  return self->status == CK_OK && self->wanted != 0;
}

static bool read_pruned(void *to, const ck_checkpoint_row *row) {
  *(bool *)to = ck_payload_is_pruned(row);
  return false;
}

/* A row that builds on a stub is damage, unless both were pruned while the rows were read. */
static ck_status answer_pruned(const row_walk *self, int64_t seq, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  bool gone = self->count == 0;
  ck_status status = CK_OK;
  ck_checkpoint_rows rows = {
      .session = self->session, .after = seq - 1, .until = seq, .backward = true};
  if (!gone) status = backend->read_checkpoints(backend->self, &rows, read_pruned, &gone, err);
  if (status) return status;
  if (gone)
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s, checkpoint at seq %lld: it was pruned",
                        self->session_id, (long long)seq);
  return ck_error_set(
      err, CK_E_CORRUPT,
      "session %s, checkpoint %s: the checkpoint at seq %lld that it builds on was pruned",
      self->session_id, self->rows[0]->id, (long long)self->wanted);
}

static ck_status read_rows(row_walk *self, int64_t seq, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  self->err = err;
  self->wanted = seq;
  if (seq < 1)
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no checkpoint at seq %lld",
                        self->session_id, (long long)seq);
  ck_checkpoint_rows rows = {
      .session = self->session, .until = seq, .backward = true, .payloads = true};
  ck_status status = backend->read_checkpoints(backend->self, &rows, visit_row, self, err);
  if (!status) status = self->status;
  if (status) return status;
  if (self->is_pruned) return answer_pruned(self, seq, err);
  if (self->count == 0)
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no checkpoint at seq %lld",
                        self->session_id, (long long)seq);
  if (self->wanted != 0)
    return ck_error_set(
        err, CK_E_CORRUPT,
        "session %s, checkpoint %s: the checkpoint at seq %lld that it builds on is gone",
        self->session_id, self->rows[0]->id, (long long)self->wanted);
  return CK_OK;
}

/* The loaded checkpoint's own digest: over its row, its changes, and its parent's digest. */
static ck_status check_digest(const row_walk *self, ck_bytes changed, ck_error *err) {
  const ck_checkpoint_row *head = self->rows[0];
  ck_digest parent;
  ck_status status = CK_OK;
  if (self->count > 1)
    parent = self->rows[1]->digest;
  else
    status = ck_store_core_get_digest(&parent, self->store, self->session, head->parent, err);
  if (status == CK_E_NOT_FOUND)
    return ck_error_set(err, CK_E_CORRUPT, "its parent at seq %lld is gone",
                        (long long)head->parent);
  if (status) return status;
  ck_digest digest = ck_chain_digest_checkpoint(head, self->session_id, &parent, changed);
  if (ck_digest_equal(&digest, &head->digest)) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "its row or its parent's is not what was written (digest)");
}

/* A keyframe is most of a state, and its values seldom change in the deltas after it: they are
 * borrowed from where they were unpacked. */
static ck_status apply_row(ck_state_rebuild *rebuild, row_walk *self, ck_payload *payload,
                           size_t at, ck_error *err) {
  ck_codec_reader reader;
  const ck_checkpoint_row *row = self->rows[at];
  bool borrow = self->borrows && at + 1 == self->count;
  ck_status status = ck_payload_open(&reader, payload, row, err);
  if (!status)
    status = borrow ? ck_state_rebuild_borrow(rebuild, &reader, err)
                    : ck_state_rebuild_apply(rebuild, &reader, err);
  if (!status && at == 0) status = ck_state_rebuild_check_splices(rebuild, err);
  if (!status && at == 0) status = check_digest(self, reader.changed, err);
  if (borrow) {
    self->keyframe = payload->space;
    payload->space = (ck_buffer){0};
  }
  return ck_payload_error(status, err, self->session_id, row);
}

static ck_status rebuild_state(ck_state_rebuild **out, row_walk *self, ck_error *err) {
  ck_payload payload;
  ck_state_rebuild *rebuild;
  ck_payload_init(&payload, self->session_id);
  ck_status status = ck_state_rebuild_new(&rebuild, err);
  for (size_t i = self->count; i-- > 0 && !status;)
    status = apply_row(rebuild, self, &payload, i, err);
  ck_payload_clear(&payload);
  if (status)
    ck_state_rebuild_free(rebuild);
  else
    *out = rebuild;
  return status;
}

static ck_chain_base base_of(const row_walk *self) {
  ck_chain_base base = {.keyframe = self->rows[0]->keyframe, .delta_count = self->count - 1};
  for (size_t i = 0; i < base.delta_count; i++)
    base.delta_bytes += (size_t)self->rows[i]->plain_len;
  base.keyframe_bytes = (size_t)self->rows[base.delta_count]->plain_len;
  return base;
}

ck_status ck_store_core_load(const ck_load_request *out, ck_store *self, int64_t session,
                             int64_t seq, ck_error *err) {
  char session_id[CK_ID_SIZE];
  row_walk walk = {.store = self,
                   .session = session,
                   .session_id = session_id,
                   .borrows = !out->rebuild,
                   .pruned = out->pruned};
  ck_state_rebuild *rebuild = NULL;
  ck_status status = ck_store_core_get_owner(&walk.session, self, session, seq, err);
  if (!status) status = ck_store_core_get_name(session_id, self, walk.session, err);
  if (!status) status = read_rows(&walk, seq, err);
  if (!status) status = rebuild_state(&rebuild, &walk, err);
  if (!status && out->digest) *out->digest = walk.rows[0]->digest;
  if (!status && out->base) *out->base = base_of(&walk);
  if (!status && out->state) {
    status = ck_state_rebuild_get_state(out->state, rebuild, err);
    ck_payload_error(status, err, session_id, walk.rows[0]);
  }
  if (!status && out->rebuild) {
    *out->rebuild = rebuild;
    rebuild = NULL;
  }
  ck_state_rebuild_free(rebuild);
  for (size_t i = 0; i < walk.count; i++) free(walk.rows[i]);
  free(walk.rows);
  ck_buffer_clear(&walk.keyframe);
  return status;
}

ck_status ck_store_get_state(ck_state **out, ck_store *self, int64_t session, int64_t seq,
                             ck_error *err) {
  *out = NULL;
  return ck_store_core_load(&(ck_load_request){.state = out}, self, session, seq, err);
}
