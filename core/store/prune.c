/* prune.c - drops checkpoints: decides which can be dropped and which payloads nothing needs any
 * more, then changes all rows in one transaction.
 *
 * The rows cannot change between reading and the transaction: only the holder of the lease changes
 * the session's rows, one write at a time, and a takeover moves the session's epoch, which the
 * transaction checks. */
#include <stdlib.h>
#include <string.h>

#include "core/store/checkpoint_list.h"
#include "core/store/prune_plan.h"

typedef ck_prune_node node;
typedef ck_prune_plan plan;

const char *ck_kept_reason_text(ck_kept_reason reason) {
  switch (reason) {
#define X(name, text) \
  case name:          \
    return text;
    CK_KEPT_TABLE(X)
#undef X
  }
  return NULL;
}

void ck_prune_report_clear(ck_prune_report *self) {
  free(self->seqs);
  free(self->ids);
  free(self->kept);
  *self = (ck_prune_report){0};
}

static node *find_node(const plan *self, int64_t seq) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->nodes[middle].seq < seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low < self->count && self->nodes[low].seq == seq ? &self->nodes[low] : NULL;
}

/* ---- protected checkpoints ---- */

static void protect(node *of, ck_kept_reason reason) {
  if (!of || of->is_protected) return;
  of->is_protected = true;
  of->reason = reason;
}

static void protect_visible(plan *self) {
  bool found = false;
  for (size_t i = self->count; i-- > 0 && !self->latest;) {
    node *at = &self->nodes[i];
    if (at->pruned || !ck_view_contains(&self->view, at->seq)) continue;
    if (!found)
      protect(at, CK_KEPT_HEAD);
    else if (at->resumable)
      protect(at, CK_KEPT_LATEST);
    found = true;
    if (at->resumable) self->latest = at;
  }
}

/* Frees `seqs`. */
static void protect_listed(plan *self, int64_t *seqs, size_t count, ck_kept_reason reason) {
  for (size_t i = 0; i < count; i++) protect(find_node(self, seqs[i]), reason);
  free(seqs);
}

static ck_status protect_pins_and_bases(plan *self, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  int64_t *seqs;
  size_t count;
  ck_status status = ck_store_core_list_pins(&seqs, &count, self->store, self->session, err);
  if (status) return status;
  protect_listed(self, seqs, count, CK_KEPT_PINNED);
  status = backend->list_bases(&seqs, &count, backend->self, self->session, err);
  if (status) return status;
  protect_listed(self, seqs, count, CK_KEPT_FORK);
  return CK_OK;
}

static ck_status protect_all(plan *self, ck_error *err) {
  protect_visible(self);
  ck_status status = protect_pins_and_bases(self, err);
  for (size_t i = 0; i < self->timeline_count && !status && !self->bases; i++)
    protect(find_node(self, self->timelines[i].checkpoint), CK_KEPT_TIMELINE);
  return status;
}

/* ---- deciding ---- */

/* A payload that cannot be read is evidence of damage, or of a newer version: it is not dropped. */
static void mark(plan *self, ck_prune_report *out, int64_t seq) {
  node *of = find_node(self, seq);
  if (of && of->drop) return;
  ck_kept kept = {.seq = seq, .reason = CK_KEPT_GONE};
  if (of && !of->pruned) {
    kept.reason = of->is_protected ? of->reason : CK_KEPT_UNREADABLE;
    memcpy(kept.id, of->id, sizeof kept.id);
  }
  if (of && !of->pruned && !of->is_protected && of->readable)
    of->drop = true;
  else
    out->kept[out->kept_count++] = kept;
}

/* A kept checkpoint never needs a dropped payload, so one that cannot be loaded was damaged
 * before. */
static void count_broken(plan *self, ck_prune_report *out) {
  for (size_t i = 0; i < self->count; i++) {
    node *at = &self->nodes[i];
    const node *parent = at->keyframe == at->seq ? NULL : find_node(self, at->parent);
    at->loads = at->readable && (at->keyframe == at->seq || (parent && parent->loads));
    out->broken += !at->loads && !at->pruned && !at->drop;
  }
}

/* Of those that were not pruned before; how many. */
static size_t mark_older(plan *self, ck_prune_report *out) {
  int64_t left = self->page ? self->total : 0;
  size_t marked = 0;
  for (size_t i = 0; i < self->count && !self->page; i++) left += !self->nodes[i].pruned;
  for (size_t i = 0; i < self->count && left > self->keep; i++) {
    if (self->page && (int64_t)marked == self->page) break;
    if (self->nodes[i].pruned) continue;
    mark(self, out, self->nodes[i].seq);
    marked++;
    left--;
  }
  return marked;
}

static ck_status mark_all(plan *self, ck_prune_report *out, const int64_t *seqs, size_t count,
                          ck_error *err) {
  out->kept = calloc((self->latest_stay ? self->count : count) + 1, sizeof *out->kept);
  if (!out->kept) return ck_error_no_memory(err);
  size_t marked = self->latest_stay ? mark_older(self, out) : count;
  for (size_t i = 0; i < count; i++) mark(self, out, seqs[i]);
  if (marked && !self->page) count_broken(self, out);
  int64_t asked = self->total - self->keep;
  out->more = self->page && asked > (int64_t)marked ? asked - (int64_t)marked : 0;
  return CK_OK;
}

/* Parents have smaller seqs than their children, so one pass from the end reaches every
 * keyframe. */
static void mark_needed(plan *self) {
  for (size_t i = self->count; i-- > 0;) {
    node *at = &self->nodes[i];
    at->needed |= !at->pruned && !at->drop;
    node *parent = at->needed && at->keyframe != at->seq ? find_node(self, at->parent) : NULL;
    if (parent) parent->needed = true;
  }
}

static void plan_row(plan *self, ck_prune_report *out, const node *of) {
  bool becomes_stub = !of->needed && of->bytes > 0;
  out->before += !of->pruned;
  if (of->drop) {
    memcpy(out->ids[out->count], of->id, sizeof of->id);
    out->seqs[out->count++] = of->seq;
  }
  if (self->page) return; /* what others load through is not known */
  if ((of->drop || of->pruned) && !becomes_stub && of->bytes > 0) out->hidden++;
  if (!of->drop && !(of->pruned && becomes_stub)) return;
  ck_prune_row *row = &self->rows[self->row_count++];
  *row = (ck_prune_row){.seq = of->seq,
                        .digest = of->digest,
                        .stub = becomes_stub,
                        .drop = of->drop,
                        .encoding = CK_ENCODING_PRUNED};
  if (becomes_stub) {
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
  out->ids = calloc(self->count + 1, sizeof *out->ids);
  if (!self->rows || !out->seqs || !out->ids) return ck_error_no_memory(err);
  if (!self->page) mark_needed(self);
  for (size_t i = 0; i < self->count; i++) plan_row(self, out, &self->nodes[i]);
  if (self->page) out->before = self->total;
  return CK_OK;
}

/* ---- the plan and its execution ---- */

/* Before older checkpoints are dropped that could replace the latest one. */
static ck_status check_latest(const plan *self, ck_error *err) {
  ck_state *state = NULL;
  if (!self->latest) return CK_OK;
  ck_status status = ck_store_get_state(&state, self->store, self->session, self->latest->seq, err);
  ck_state_free(state);
  if (status) ck_error_prefix(err, "nothing is pruned, as the latest checkpoint cannot be loaded");
  return status;
}

static ck_status make_plan(plan *self, ck_prune_report *out, const int64_t *seqs, size_t count,
                           ck_error *err) {
  const ck_store *store = self->store;
  self->err = err;
  self->drops = count > 0 || self->latest_stay;
  ck_status status = ck_backend_require(&store->backend, CK_BACKEND_PRUNE, store->url, err);
  if (!status) status = ck_prune_plan_read(self, err);
  if (!status) status = protect_all(self, err);
  if (!status) status = mark_all(self, out, seqs, count, err);
  if (!status) status = plan_rows(self, out, err);
  return status || !(self->row_count || out->count) ? status : check_latest(self, err);
}

static ck_status end_plan(plan *self, ck_prune_report *out, ck_status status) {
  ck_view_clear(&self->view);
  free(self->timelines);
  free(self->nodes);
  free(self->rows);
  if (status) ck_prune_report_clear(out);
  return status;
}

/* Where nothing is asked to go, and no payload of one that went before is left, nothing can go:
 * that is counted, not read. */
static ck_status count_if_idle(bool *idle, plan *self, ck_prune_report *out, ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  ck_checkpoint_count count = {0};
  *idle = false;
  if (!backend->count_checkpoints || !ck_backend_can(backend, CK_BACKEND_PRUNE)) return CK_OK;
  ck_checkpoint_rows all = {.session = self->session};
  ck_status status = backend->count_checkpoints(&count, backend->self, &all, err);
  self->total = count.checkpoints;
  bool all_stay = !self->latest_stay || count.checkpoints <= self->keep;
  *idle = !status && (!count.hidden || self->page) && all_stay;
  if (*idle) out->before = count.checkpoints;
  return status;
}

static ck_status plan_only(plan *work, const char *session_id, const int64_t *seqs, size_t count,
                           ck_prune_report *out, ck_error *err) {
  ck_session_record record;
  *out = (ck_prune_report){0};
  ck_status status = ck_store_get_session(&record, work->store, session_id, err);
  if (status) return status;
  work->session = record.no;
  work->session_id = session_id;
  ck_session_record_clear(&record);
  bool idle = false;
  if (!count) status = count_if_idle(&idle, work, out, err);
  if (status || idle) return status;
  ck_payload_seqs unknown = {0};
  work->with_payload = &unknown;
  status = end_plan(work, out, make_plan(work, out, seqs, count, err));
  ck_payload_seqs_clear(&unknown);
  return status;
}

ck_status ck_store_plan_prune(ck_store *self, const char *session_id, const int64_t *seqs,
                              size_t count, ck_prune_report *out, ck_error *err) {
  plan work = {.store = self};
  return plan_only(&work, session_id, seqs, count, out, err);
}

ck_status ck_store_plan_prune_to(ck_store *self, const char *session_id, int64_t keep,
                                 ck_prune_report *out, ck_error *err) {
  plan work = {.store = self, .latest_stay = true, .keep = keep};
  return plan_only(&work, session_id, NULL, 0, out, err);
}

ck_status ck_store_plan_prune_page(ck_store *self, const char *session_id, int64_t keep,
                                   int64_t limit, ck_prune_report *out, ck_error *err) {
  plan work = {.store = self, .latest_stay = true, .keep = keep, .page = limit};
  return plan_only(&work, session_id, NULL, 0, out, err);
}

static ck_status prune(plan *work, ck_lease lease, const int64_t *seqs, size_t count,
                       ck_prune_report *out, ck_error *err) {
  ck_store *self = work->store;
  *out = (ck_prune_report){0};
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  const ck_backend *backend = &self->backend;
  const ck_held_lease *held = NULL;
  status = ck_store_core_check_lease(&held, self, lease, err);
  if (status) return ck_store_core_end_write(self, status, err);
  work->session = lease.session;
  work->session_id = ck_chain_session(held->chain);
  work->with_payload = &ck_store_core_get_lease(self, lease.session)->with_payload;
  status = make_plan(work, out, seqs, count, err);
  if (!status && work->row_count)
    status = backend->prune(backend->self, lease, work->rows, work->row_count, err);
  return ck_store_core_end_write(self, end_plan(work, out, status), err);
}

ck_status ck_store_prune(ck_store *self, ck_lease lease, const int64_t *seqs, size_t count,
                         ck_prune_report *out, ck_error *err) {
  plan work = {.store = self, .writes = true};
  return prune(&work, lease, seqs, count, out, err);
}

ck_status ck_store_prune_to(ck_store *self, ck_lease lease, int64_t keep, ck_prune_report *out,
                            ck_error *err) {
  plan work = {.store = self, .writes = true, .latest_stay = true, .keep = keep};
  return prune(&work, lease, NULL, 0, out, err);
}

ck_status ck_store_prune_bases(ck_store *self, ck_lease lease, const int64_t *seqs, size_t count,
                               ck_prune_report *out, ck_error *err) {
  plan work = {.store = self, .bases = true, .writes = true};
  return prune(&work, lease, seqs, count, out, err);
}

ck_status ck_store_list_kept(int64_t **out, size_t *count, ck_store *self, int64_t session,
                             ck_error *err) {
  int64_t *bases = NULL;
  size_t base_count = 0;
  const ck_backend *backend = &self->backend;
  ck_status status = ck_store_core_list_pins(out, count, self, session, err);
  if (!status && ck_backend_can(backend, CK_BACKEND_PRUNE))
    status = backend->list_bases(&bases, &base_count, backend->self, session, err);
  int64_t *all = status ? NULL : reallocarray(*out, *count + base_count + 1, sizeof *all);
  if (!status && !all) status = ck_error_no_memory(err);
  if (status) {
    free(*out);
    *out = NULL;
  } else {
    *out = all;
    for (size_t i = 0; i < base_count; i++) all[(*count)++] = bases[i];
  }
  free(bases);
  return status;
}
