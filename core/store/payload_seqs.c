/* payload_seqs.c - reads what is known to stand, stretch by stretch, and all that came later. */
#include "core/store/payload_seqs.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/store/format/payload.h"

enum { STRETCH_GAP = 256 /* seqs between two of one stretch, at most */ };

typedef struct reading {
  const ck_backend *backend;
  ck_checkpoint_row_visit visit;
  void *to;
  ck_payload_seqs found;
  bool stopped, failed; /* failed: there was no memory for what was found */
} reading;

void ck_payload_seqs_clear(ck_payload_seqs *self) {
  free(self->seqs);
  *self = (ck_payload_seqs){0};
}

static void note(reading *self, int64_t seq) {
  ck_payload_seqs *found = &self->found;
  int64_t *seqs = ck_array_grow(found->seqs, found->count, &found->cap, sizeof *seqs);
  self->failed |= !seqs;
  if (!seqs) return;
  found->seqs = seqs;
  seqs[found->count++] = seq;
}

static bool take(void *to, const ck_checkpoint_row *row) {
  reading *self = to;
  if (row->seq > self->found.until) self->found.until = row->seq;
  if (ck_payload_is_stub(row)) return true;
  note(self, row->seq);
  self->stopped = !self->visit(self->to, row);
  return !self->stopped;
}

static ck_status read_stretch(reading *self, ck_checkpoint_rows rows, int64_t after, int64_t until,
                              ck_error *err) {
  rows.after = after;
  rows.until = until;
  return self->backend->read_checkpoints(self->backend->self, &rows, take, self, err);
}

ck_status ck_payload_seqs_read(ck_payload_seqs *self, const ck_backend *backend,
                               const ck_checkpoint_rows *rows, ck_checkpoint_row_visit visit,
                               void *to, ck_error *err) {
  reading with = {.backend = backend, .visit = visit, .to = to, .found = {.until = self->until}};
  ck_status status = CK_OK;
  for (size_t i = 0, last; i < self->count && !status && !with.stopped; i = last + 1) {
    for (last = i; last + 1 < self->count; last++)
      if (self->seqs[last + 1] - self->seqs[last] > STRETCH_GAP) break;
    status = read_stretch(&with, *rows, self->seqs[i] - 1, self->seqs[last], err);
  }
  if (!status && !with.stopped) status = read_stretch(&with, *rows, self->until, 0, err);
  bool whole = !status && !with.stopped && !with.failed;
  ck_payload_seqs_clear(whole ? self : &with.found);
  if (whole) *self = with.found;
  return status;
}
