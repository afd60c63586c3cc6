/* prune_read.c - reads the checkpoints of a plan: all of them, or for a page the oldest, and the
 * last ones as far back as to the one that a resume would take. */
#include <string.h>

#include "core/base/array.h"
#include "core/store/prune_plan.h"

/* ---- nodes ---- */

/* Each payload is opened as it is read: those to be dropped, and those through which kept
 * checkpoints load. */
static bool open_payload(ck_prune_plan *self, ck_prune_node *of, const ck_checkpoint_row *row) {
  ck_codec_reader reader;
  ck_error found = CK_ERROR_INIT;
  if (!self->drops || ck_payload_is_stub(row)) return true;
  ck_status status = ck_payload_open(&reader, &self->payload, row, &found);
  of->readable = status == CK_OK;
  if (status == CK_E_NO_MEMORY) self->status = ck_error_no_memory(self->err);
  return self->status == CK_OK;
}

static bool add_node(void *to, const ck_checkpoint_row *row) {
  ck_prune_plan *self = to;
  ck_prune_node *nodes = ck_array_grow(self->nodes, self->count, &self->cap, sizeof *nodes);
  if (!nodes) {
    self->status = ck_error_no_memory(self->err);
    return false;
  }
  self->nodes = nodes;
  ck_prune_node *added = &self->nodes[self->count++];
  *added = (ck_prune_node){.seq = row->seq,
                           .parent = row->parent,
                           .keyframe = row->keyframe,
                           .bytes = (int64_t)(row->payload.len + row->sealing),
                           .encoding = row->encoding,
                           .pruned = ck_payload_is_pruned(row),
                           .resumable = row->resumable,
                           .digest = row->digest,
                           .payload_digest = row->payload_digest};
  bool may_go = (self->drops || added->pruned) && !ck_payload_is_stub(row);
  if (self->writes && may_go) added->seal = ck_payload_seal(row, self->session_id);
  memcpy(added->id, row->id, sizeof added->id);
  return open_payload(self, added, row);
}

/* ---- the page ---- */

typedef struct page {
  ck_prune_plan *plan;
  int64_t left; /* so many more are looked at */
} page;

static bool add_to_page(void *to, const ck_checkpoint_row *row) {
  page *self = to;
  self->left -= !ck_payload_is_pruned(row);
  return add_node(self->plan, row) && self->left > 0;
}

static ck_status read_oldest(ck_prune_plan *self, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  page oldest = {.plan = self, .left = self->page};
  ck_payload_init(&self->payload, self->session_id);
  ck_status status = backend->read_checkpoints(
      backend->self, &(ck_checkpoint_rows){.session = self->session, .payloads = true}, add_to_page,
      &oldest, err);
  ck_payload_clear(&self->payload);
  return status ? status : self->status;
}

static bool count_row(void *to, const ck_checkpoint_row *row) {
  *(int64_t *)to += !ck_payload_is_pruned(row);
  return true;
}

/* Of a backend that does not count them itself. */
static ck_status count_all(ck_prune_plan *self, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  if (backend->count_checkpoints) return CK_OK;
  self->total = 0;
  return backend->read_checkpoints(backend->self, &(ck_checkpoint_rows){.session = self->session},
                                   count_row, &self->total, err);
}

/* ---- the last ones ---- */

typedef struct search {
  const ck_view *view;
  int64_t seq; /* of the latest resumable one that the live timeline sees; 0: none */
} search;

static bool look(void *to, const ck_checkpoint_row *row) {
  search *self = to;
  if (ck_payload_is_pruned(row) || !row->resumable || !ck_view_contains(self->view, row->seq))
    return true;
  self->seq = row->seq;
  return false;
}

static ck_status find_latest(int64_t *out, const ck_prune_plan *self, int64_t after,
                             ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  search latest = {.view = &self->view};
  ck_checkpoint_rows rows = {.session = self->session, .after = after, .backward = true};
  ck_status status = backend->read_checkpoints(backend->self, &rows, look, &latest, err);
  *out = latest.seq;
  return status;
}

/* Their payloads are not opened: none of them is looked at as one to go. */
static ck_status read_page(ck_prune_plan *self, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  int64_t latest = 0;
  ck_status status = count_all(self, err);
  if (!status) status = read_oldest(self, err);
  int64_t after = status || !self->count ? 0 : self->nodes[self->count - 1].seq;
  if (!status) status = find_latest(&latest, self, after, err);
  if (latest) after = latest - 1;
  bool drops = self->drops;
  self->drops = false;
  ck_checkpoint_rows rows = {.session = self->session, .after = after};
  if (!status) status = backend->read_checkpoints(backend->self, &rows, add_node, self, err);
  self->drops = drops;
  return status ? status : self->status;
}

static ck_status read_all(ck_prune_plan *self, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  ck_payload_init(&self->payload, self->session_id);
  const ck_checkpoint_rows rows = {.session = self->session, .payloads = self->drops};
  ck_status status = ck_payload_seqs_read(self->with_payload, backend, &rows, add_node, self, err);
  ck_payload_clear(&self->payload);
  return status ? status : self->status;
}

static ck_status read_view(ck_prune_plan *self, ck_error *err) {
  ck_session_record record;
  ck_status status = ck_store_get_session(&record, self->store, self->session_id, err);
  if (status) return status;
  status = ck_store_core_list_timelines(&self->timelines, &self->timeline_count, self->store,
                                        record.no, err);
  if (!status)
    status = ck_view_make(&self->view, self->timelines, self->timeline_count, record.timeline, err);
  ck_session_record_clear(&record);
  return status;
}

ck_status ck_prune_plan_read(ck_prune_plan *self, ck_error *err) {
  ck_status status = read_view(self, err);
  if (status) return status;
  return self->page ? read_page(self, err) : read_all(self, err);
}
