/* prune.c - pruning in memory: a row is replaced by a changed copy, and freed when no read is under
 * way. */
#include <stdlib.h>

#include "core/store/memory/memory.h"

void ck_memory_free_retired(ck_memory *self) {
  while (self->retired_count > 0) free(self->retired[--self->retired_count]);
}

static ck_status reserve_retired(ck_memory *self, size_t count, ck_error *err) {
  if (self->retired_cap - self->retired_count >= count) return CK_OK;
  size_t cap = self->retired_count + count;
  void **retired = realloc(self->retired, cap * sizeof *retired);
  if (!retired) return ck_error_no_memory(err);
  self->retired = retired;
  self->retired_cap = cap;
  return CK_OK;
}

static ck_status change(ck_checkpoint_row **out, const ck_memory_session *session,
                        const ck_prune_row *of, ck_error *err) {
  size_t at = ck_memory_find_checkpoint(session, of->seq);
  const ck_checkpoint_row *old =
      at < session->checkpoints.count ? session->checkpoints.rows[at] : NULL;
  *out = NULL;
  if (!old || old->seq != of->seq || !ck_digest_equal(&old->digest, &of->digest))
    return ck_error_set(err, CK_E_CORRUPT,
                        "session %s: the checkpoint at seq %lld is not the one that was read",
                        session->record.id, (long long)of->seq);
  ck_checkpoint_row changed = *old;
  changed.encoding = of->encoding;
  changed.payload_digest = of->payload_digest;
  changed.mac = of->mac;
  changed.key_id = of->key_id;
  if (of->info.len) changed.info = of->info;
  if (of->stub) {
    changed.payload = (ck_bytes){NULL, 0};
    changed.keyframe = changed.plain_len = 0;
  }
  *out = ck_memory_copy_checkpoint(&changed);
  return *out ? CK_OK : ck_error_no_memory(err);
}

/* Cannot fail. */
static void apply(ck_memory *self, ck_memory_session *session, ck_checkpoint_row **fresh,
                  size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t at = ck_memory_find_checkpoint(session, fresh[i]->seq);
    self->retired[self->retired_count++] = session->checkpoints.rows[at];
    session->checkpoints.rows[at] = fresh[i];
    fresh[i] = NULL;
  }
  if (self->walks == 0) ck_memory_free_retired(self);
}

static ck_status check_bases(const ck_memory *memory, int64_t session, const ck_prune_row *rows,
                             size_t count, ck_error *err) {
  int64_t *bases;
  size_t base_count;
  ck_status status = ck_memory_read_bases(&bases, &base_count, memory, session, err);
  for (size_t i = 0; i < base_count && !status; i++)
    for (size_t j = 0; j < count && !status; j++)
      if (rows[j].drop && rows[j].seq == bases[i])
        status = ck_error_set(
            err, CK_E_BUSY,
            "nothing was pruned: a fork went on from the checkpoint at seq %lld meanwhile",
            (long long)bases[i]);
  free(bases);
  return status;
}

ck_status ck_memory_prune(void *self, ck_lease lease, const ck_prune_row *rows, size_t count,
                          ck_error *err) {
  ck_checkpoint_row **fresh = calloc(count + 1, sizeof *fresh);
  if (!fresh) return ck_error_no_memory(err);
  ck_memory *memory = ck_memory_lock(self);
  ck_memory_session *session = ck_memory_get_session(memory, lease.session);
  ck_status status = ck_memory_check_lease(session, lease, err);
  if (!status) status = check_bases(memory, lease.session, rows, count, err);
  if (!status) status = reserve_retired(memory, count, err);
  for (size_t i = 0; i < count && !status; i++) status = change(&fresh[i], session, &rows[i], err);
  if (!status) apply(memory, session, fresh, count);
  for (size_t i = 0; i < count; i++) free(fresh[i]);
  free(fresh);
  return ck_memory_unlock(memory, status);
}
