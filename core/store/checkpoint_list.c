/* checkpoint_list.c - lists the checkpoints of a session, in both directions, and counts them. */
#include "core/store/checkpoint_list.h"

#include <stdlib.h>

#include "core/store/format/payload.h"
#include "core/store/store_core.h"

typedef struct row_listing {
  ck_checkpoint_visit visit;
  void *to;
  int64_t inherited;
  int64_t before; /* 0: all */
  bool backward;
  int64_t *pins; /* ascending */
  size_t pin_count;
  bool stopped;
  ck_status status;
  ck_error *err;
} row_listing;

static int compare_seqs(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static bool list_row(void *to, const ck_checkpoint_row *row) {
  row_listing *self = to;
  ck_checkpoint_info info;
  if (ck_payload_is_pruned(row)) return true;
  self->status = ck_store_core_make_info(&info, row, self->err);
  if (self->status) return false;
  info.session = self->inherited;
  info.pinned = self->pin_count && bsearch(&info.seq, self->pins, self->pin_count,
                                           sizeof *self->pins, compare_seqs) != NULL;
  self->stopped = !self->visit(self->to, &info);
  ck_checkpoint_info_clear(&info);
  return !self->stopped;
}

static ck_status list_part(row_listing *listing, ck_store *self, const ck_store_core_part *part,
                           ck_error *err) {
  const ck_backend *backend = &self->backend;
  ck_checkpoint_rows rows = {.session = part->session,
                             .after = part->after,
                             .until = part->until,
                             .backward = listing->backward};
  if (listing->before && (!rows.until || rows.until >= listing->before))
    rows.until = listing->before - 1;
  if (listing->before && rows.until <= rows.after) return CK_OK;
  ck_status status =
      ck_store_core_list_pins(&listing->pins, &listing->pin_count, self, part->session, err);
  if (status) return status;
  status = backend->read_checkpoints(backend->self, &rows, list_row, listing, err);
  free(listing->pins);
  return status ? status : listing->status;
}

static ck_status list_parts(row_listing *listing, ck_store *self, int64_t session, ck_error *err) {
  ck_store_core_lineage lineage;
  ck_status status = ck_store_core_get_lineage(&lineage, self, session, err);
  for (size_t i = 0; i < lineage.count && !status && !listing->stopped; i++) {
    const ck_store_core_part *part = &lineage.parts[listing->backward ? lineage.count - 1 - i : i];
    listing->inherited = part->session == session ? 0 : part->session;
    status = list_part(listing, self, part, err);
  }
  ck_store_core_lineage_clear(&lineage);
  return status;
}

ck_status ck_store_list_checkpoints(ck_store *self, int64_t session, ck_checkpoint_visit visit,
                                    void *to, ck_error *err) {
  row_listing listing = {.visit = visit, .to = to, .err = err};
  return list_parts(&listing, self, session, err);
}

ck_status ck_store_list_checkpoints_backward(ck_store *self, int64_t session, int64_t before,
                                             ck_checkpoint_visit visit, void *to, ck_error *err) {
  row_listing listing = {.visit = visit, .to = to, .before = before, .backward = true, .err = err};
  return list_parts(&listing, self, session, err);
}

/* What is known of the lease's checkpoints goes to the caller. */
static ck_status take_known(ck_payload_seqs *out, ck_store *self, ck_lease lease, ck_error *err) {
  const ck_held_lease *held;
  pthread_mutex_lock(&self->mutex);
  ck_status status = ck_store_core_check_lease(&held, self, lease, err);
  ck_held_lease *of = status ? NULL : ck_store_core_get_lease(self, lease.session);
  *out = of ? of->with_payload : (ck_payload_seqs){0};
  if (of) of->with_payload = (ck_payload_seqs){0};
  pthread_mutex_unlock(&self->mutex);
  return status;
}

/* Frees what nobody needs any more: the lease is gone, or another one has learned it meanwhile. */
static void give_known(ck_store *self, ck_lease lease, ck_payload_seqs *of) {
  pthread_mutex_lock(&self->mutex);
  ck_held_lease *held = ck_store_core_get_lease(self, lease.session);
  bool takes = held && held->lease.epoch == lease.epoch && held->with_payload.until == 0;
  if (takes) held->with_payload = *of;
  pthread_mutex_unlock(&self->mutex);
  if (!takes) ck_payload_seqs_clear(of);
}

ck_status ck_store_list_own_checkpoints(ck_store *self, ck_lease lease, ck_checkpoint_visit visit,
                                        void *to, ck_error *err) {
  row_listing listing = {.visit = visit, .to = to, .err = err};
  const ck_checkpoint_rows rows = {.session = lease.session};
  ck_payload_seqs with_payload;
  ck_status status = take_known(&with_payload, self, lease, err);
  if (status) return status;
  status = ck_store_core_list_pins(&listing.pins, &listing.pin_count, self, lease.session, err);
  if (!status) {
    status = ck_payload_seqs_read(&with_payload, &self->backend, &rows, list_row, &listing, err);
    free(listing.pins);
  }
  give_known(self, lease, &with_payload);
  return status ? status : listing.status;
}

static bool count_row(void *to, const ck_checkpoint_row *row) {
  ck_checkpoint_count *self = to;
  bool pruned = ck_payload_is_pruned(row);
  self->checkpoints += !pruned;
  self->keyframes += !pruned && row->keyframe == row->seq;
  self->stored_bytes += pruned ? 0 : (int64_t)row->payload.len;
  self->hidden += pruned && row->payload.len > 0;
  return true;
}

ck_status ck_store_count_checkpoints(ck_checkpoint_count *out, ck_store *self, int64_t session,
                                     ck_error *err) {
  ck_store_core_lineage lineage;
  const ck_backend *backend = &self->backend;
  *out = (ck_checkpoint_count){0};
  ck_status status = ck_store_core_get_lineage(&lineage, self, session, err);
  for (size_t i = 0; i < lineage.count && !status; i++) {
    const ck_store_core_part *part = &lineage.parts[i];
    ck_checkpoint_rows rows = {
        .session = part->session, .after = part->after, .until = part->until};
    status = backend->count_checkpoints
                 ? backend->count_checkpoints(out, backend->self, &rows, err)
                 : backend->read_checkpoints(backend->self, &rows, count_row, out, err);
  }
  ck_store_core_lineage_clear(&lineage);
  return status;
}
