/* protected.c - reads pins, bases of forks, and the checkpoints that runs went on from. */
#include "core/runtime/simulation/protected.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/store/maintenance.h"

void ck_protected_clear(ck_protected *self) {
  free(self->list);
  *self = (ck_protected){0};
}

static ck_status add(ck_protected *self, ck_protected_seq of, ck_error *err) {
  ck_protected_seq *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  list[self->count++] = of;
  return CK_OK;
}

ck_status ck_protected_read(ck_protected *out, ck_store *store, const ck_head *head,
                            ck_error *err) {
  int64_t *seqs;
  size_t count;
  ck_status status = ck_store_list_kept(&seqs, &count, store, head->session.no, err);
  for (size_t i = 0; status == CK_OK && i < count; i++)
    status = add(out, (ck_protected_seq){.seq = seqs[i]}, err);
  if (status == CK_OK) free(seqs);
  for (size_t i = 0; status == CK_OK && i < head->timeline_count; i++) {
    const ck_timeline *of = &head->timelines[i];
    if (of->session || !of->checkpoint) continue;
    status = add(out, (ck_protected_seq){of->checkpoint, of->begin, true}, err);
  }
  return status;
}

void ck_protected_mark(bool *stays, const ck_protected *self, const int64_t *seqs, size_t count,
                       int64_t at, bool bases) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_protected_seq *of = &self->list[i];
    if (of->from > at || (of->base && bases)) continue;
    size_t newest = count;
    while (newest > 0 && seqs[newest - 1] > of->seq) newest--;
    if (newest > 0 && (of->base || seqs[newest - 1] == of->seq)) stays[newest - 1] = true;
  }
}
