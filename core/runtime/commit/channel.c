/* channel.c - a session's line into the writer: its failure, how saving gets on, its prunes. */
#include <stdlib.h>

#include "core/base/log.h"
#include "core/runtime/commit/writer_private.h"

ck_status ck_channel_new(ck_channel **out, ck_writer *writer, ck_lease lease, ck_waker *waker,
                         ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  **out = (ck_channel){.writer = writer, .lease = lease, .waker = waker, .failure = CK_ERROR_INIT};
  return CK_OK;
}

void ck_channel_allow_unsaved(ck_channel *self, const ck_unsaved_limits *limits) {
  self->backlog.limits = *limits;
}

ck_status ck_channel_failure(ck_channel *self, ck_error *err) {
  if (!self) return CK_OK;
  pthread_mutex_lock(&self->writer->mutex);
  ck_status status = self->failure.status;
  if (status != CK_OK && err) *err = self->failure;
  pthread_mutex_unlock(&self->writer->mutex);
  return status;
}

void ck_channel_get_saving(ck_saving *out, ck_channel *self) {
  pthread_mutex_lock(&self->writer->mutex);
  *out = self->saving;
  pthread_mutex_unlock(&self->writer->mutex);
}

bool ck_channel_is_unsaved(ck_channel *self, uint64_t ticket) {
  pthread_mutex_lock(&self->writer->mutex);
  bool unsaved = self->saving.failing && self->saved < ticket;
  pthread_mutex_unlock(&self->writer->mutex);
  return unsaved;
}

/* Whether a prune whose sync failed took place is not known: it is reported as failed. */
static ck_status prune_alone(ck_channel *self, const ck_pruning *what, ck_prune_report *out,
                             ck_error *err) {
  ck_writer *writer = self->writer;
  ck_error recovery = CK_ERROR_INIT;
  ck_status status = (what->bases ? ck_store_prune_bases : ck_store_prune)(
      writer->store, self->lease, what->seqs, what->count, out, err);
  if (status != CK_E_UNKNOWN) return status;
  if (ck_store_recover(writer->store, &recovery) != CK_OK)
    ck_log_line(CK_LOG_INFO, "%s", recovery.text);
  return status;
}

ck_status ck_channel_prune(ck_channel *self, const ck_pruning *what, ck_prune_report *out,
                           ck_error *err) {
  ck_writer *writer = self->writer;
  *out = (ck_prune_report){0};
  ck_status status = ck_channel_wait(self, self->put, err);
  if (status != CK_OK) return status;
  if (ck_channel_is_unsaved(self, self->put))
    return ck_error_set(err, CK_E_IO, "nothing is pruned while checkpoints wait to be saved");
  pthread_mutex_lock(&writer->mutex);
  writer->waiters++;
  while (writer->committing) pthread_cond_wait(&writer->acknowledged, &writer->mutex);
  writer->waiters--;
  writer->committing = true;
  pthread_mutex_unlock(&writer->mutex);
  status = prune_alone(self, what, out, err);
  ck_writer_end_alone(writer);
  return status;
}

uint64_t ck_channel_last(const ck_channel *self) { return self->put; }

int64_t ck_channel_stored_bytes(ck_channel *self) {
  pthread_mutex_lock(&self->writer->mutex);
  int64_t bytes = self->stored_bytes;
  pthread_mutex_unlock(&self->writer->mutex);
  return bytes;
}
