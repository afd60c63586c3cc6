/* store_prune.c - drops checkpoints: decides which can go and which payloads nothing needs, then changes the rows at once.
 *
 * What is read here is what the transaction finds: only the holder of the lease changes the session's rows, one write at a
 * time, and whoever takes the session over moves its epoch, which the transaction checks. */
#include <stdlib.h>
#include <string.h>

#include "core/store/front.h"
#include "core/store/payload.h"

/* A checkpoint as far as pruning looks at it. */
typedef struct node {
  int64_t seq, parent, keyframe;
  int64_t bytes;       /* of its payload, as stored */
  int encoding;
  bool pruned, resumable;
  bool is_protected;
  bool drop;
  bool needed;         /* a kept checkpoint, or one that a kept one loads through */
  ck_digest digest, payload_digest;
  ck_digest seal;      /* as a stub; not of those that are one */
} node;

typedef struct plan {
  ck_store *store;
  ck_lease lease;
  const char *session_id;
  node *nodes;         /* ascending */
  size_t count, cap;
  node *latest;        /* the latest resumable one that the live timeline sees; NULL */
  ck_prune_row *rows;
  size_t row_count;
  ck_status status;
  ck_error *err;
} plan;

void ck_prune_report_clear(ck_prune_report *self) {
  free(self->seqs);
  *self = (ck_prune_report){0};
}

/* ---- reading ---- */

static bool add_node(void *to, const ck_checkpoint_row *row) {
  plan *self = to;
  if (self->count == self->cap) {
    size_t cap = self->cap ? self->cap * 2 : 64;
    node *nodes = realloc(self->nodes, cap * sizeof *nodes);
    if (!nodes) {
      self->status = ck_error_no_memory(self->err);
      return false;
    }
    self->nodes = nodes;
    self->cap = cap;
  }
  node *added = &self->nodes[self->count++];
  *added = (node){.seq = row->seq, .parent = row->parent, .keyframe = row->keyframe, .bytes = (int64_t)row->payload.len,
                  .encoding = row->encoding, .pruned = ck_payload_is_pruned(row), .resumable = row->resumable,
                  .digest = row->digest, .payload_digest = row->payload_digest};
  if (!ck_payload_is_stub(row)) added->seal = ck_payload_seal(row, self->session_id);
  return true;
}

static node *find_node(const plan *self, int64_t seq) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->nodes[middle].seq < seq) low = middle + 1;
    else high = middle;
  }
  return low < self->count && self->nodes[low].seq == seq ? &self->nodes[low] : NULL;
}

/* ---- what must stay ---- */

static void protect_visible(plan *self, const ck_view *view) {
  bool found = false;
  for (size_t i = self->count; i-- > 0 && !self->latest;) {
    node *at = &self->nodes[i];
    if (at->pruned || !ck_view_contains(view, at->seq)) continue;
    at->is_protected |= !found || at->resumable;
    found = true;
    if (at->resumable) self->latest = at;
  }
}

static ck_status protect(plan *self, ck_error *err) {
  ck_session_record record;
  ck_timeline *timelines = NULL;
  size_t count = 0;
  ck_view view = {0};
  ck_status status = ck_store_get_session(&record, self->store, self->session_id, err);
  if (status) return status;
  status = ck_front_list_timelines(&timelines, &count, self->store, record.no, err);
  if (!status) status = ck_view_make(&view, timelines, count, record.timeline, err);
  if (!status) protect_visible(self, &view);
  for (size_t i = 0; i < count && !status; i++) {
    node *base = find_node(self, timelines[i].checkpoint);
    if (base) base->is_protected = true;
  }
  ck_view_clear(&view);
  free(timelines);
  ck_session_record_clear(&record);
  return status;
}

/* ---- what goes ---- */

typedef struct reading {
  ck_payload payload;
  ck_status status;
  ck_error *err;
} reading;

static bool open_payload(void *to, const ck_checkpoint_row *row) {
  reading *self = to;
  ck_codec_reader reader;
  self->status = ck_payload_open(&reader, &self->payload, row, self->err);
  return false;
}

/* What cannot be read is evidence of a damage, or of a newer version, and is left as it is. */
static ck_status mark(bool *out, plan *self, int64_t seq, reading *read, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  node *of = find_node(self, seq);
  *out = false;
  if (!of || of->pruned || of->is_protected || of->drop) return CK_OK;
  read->status = CK_E_CORRUPT;
  read->err = err;
  ck_status status = backend->read_checkpoints(backend->self, self->lease.session, seq - 1, seq, false, true, open_payload, read, err);
  if (status) return status;
  if (read->status == CK_E_NO_MEMORY) return CK_E_NO_MEMORY;
  *out = of->drop = read->status == CK_OK;
  return CK_OK;
}

static ck_status mark_all(plan *self, ck_prune_report *out, const int64_t *seqs, size_t count, ck_error *err) {
  reading read = {.status = CK_OK};
  ck_status status = CK_OK;
  ck_payload_init(&read.payload, self->session_id);
  for (size_t i = 0; i < count && !status; i++) {
    bool dropped;
    status = mark(&dropped, self, seqs[i], &read, err);
    if (!status && !dropped) out->refused++;
  }
  ck_payload_clear(&read.payload);
  return status;
}

/* Parents come before their children: one pass from the end reaches every keyframe. */
static void mark_needed(plan *self) {
  for (size_t i = self->count; i-- > 0;) {
    node *at = &self->nodes[i];
    at->needed |= !at->pruned && !at->drop;
    node *parent = at->needed && at->keyframe != at->seq ? find_node(self, at->parent) : NULL;
    if (parent) parent->needed = true;
  }
}

static void plan_row(plan *self, ck_prune_report *out, const node *of) {
  bool goes = !of->needed && of->bytes > 0;
  if (of->drop) out->seqs[out->count++] = of->seq;
  if ((of->drop || of->pruned) && !goes && of->bytes > 0) out->hidden++;
  if (!of->drop && !(of->pruned && goes)) return;
  ck_prune_row *row = &self->rows[self->row_count++];
  *row = (ck_prune_row){.seq = of->seq, .digest = of->digest, .stub = goes, .encoding = CK_ENCODING_PRUNED};
  if (goes) {
    row->payload_digest = of->seal;
    out->emptied++;
    out->bytes += of->bytes;
    return;
  }
  row->encoding |= of->encoding;
  row->payload_digest = ck_payload_hide(&of->payload_digest);
}

static ck_status plan_rows(plan *self, ck_prune_report *out, ck_error *err) {
  self->rows = calloc(self->count + 1, sizeof *self->rows);
  out->seqs = calloc(self->count + 1, sizeof *out->seqs);
  if (!self->rows || !out->seqs) return ck_error_no_memory(err);
  mark_needed(self);
  for (size_t i = 0; i < self->count; i++) plan_row(self, out, &self->nodes[i]);
  return CK_OK;
}

/* ---- the whole ---- */

static ck_status read_nodes(plan *self, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  ck_status status = backend->read_checkpoints(backend->self, self->lease.session, 0, 0, false, false, add_node, self, err);
  return status ? status : self->status;
}

/* While older ones are still there that it could be replaced by. */
static ck_status check_latest(const plan *self, ck_error *err) {
  ck_state *state = NULL;
  if (!self->latest) return CK_OK;
  ck_status status = ck_store_get_state(&state, self->store, self->lease.session, self->latest->seq, err);
  ck_state_free(state);
  if (status) ck_error_prefix(err, "nothing is pruned, as the latest checkpoint cannot be loaded");
  return status;
}

static ck_status prune(plan *self, ck_prune_report *out, const int64_t *seqs, size_t count, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  ck_status status = read_nodes(self, err);
  if (!status) status = protect(self, err);
  if (!status) status = mark_all(self, out, seqs, count, err);
  if (!status) status = plan_rows(self, out, err);
  if (status || self->row_count == 0) return status;
  status = check_latest(self, err);
  return status ? status : backend->prune(backend->self, self->lease, self->rows, self->row_count, err);
}

ck_status ck_store_prune(ck_store *self, ck_lease lease, const int64_t *seqs, size_t count, ck_prune_report *out,
                         ck_error *err) {
  *out = (ck_prune_report){0};
  ck_status status = ck_front_begin_write(self, err);
  if (status) return status;
  const ck_held *held = ck_front_get_held(self, lease.session);
  if (!held || held->lease.epoch != lease.epoch) {
    status = ck_error_set(err, CK_E_FENCED, "the lease on session number %lld is not held", (long long)lease.session);
    return ck_front_end_write(self, status, err);
  }
  plan work = {.store = self, .lease = lease, .session_id = ck_chain_session(held->chain), .err = err};
  status = prune(&work, out, seqs, count, err);
  free(work.nodes);
  free(work.rows);
  if (status) ck_prune_report_clear(out);
  return ck_front_end_write(self, status, err);
}
