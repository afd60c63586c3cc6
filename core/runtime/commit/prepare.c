/* prepare.c - a thread whose jobs would wait behind those of other sessions digests and packs them
 * meanwhile, so that the thread that commits has less to do for each of them. */
#include "core/runtime/commit/writer_private.h"

/* One that is alone goes on at once: its writer keeps up, on another processor. With the mutex. */
static bool is_crowded(const ck_channel *self) {
  const ck_writer *writer = self->writer;
  return writer->count + writer->committed > self->outstanding + CK_WRITER_CROWD;
}

/* With the mutex; NULL: none is free. */
static ck_writer_preparer *take(ck_writer *self) {
  for (size_t i = 0; i < CK_WRITER_PREPARERS; i++) {
    if (self->preparers[i].taken) continue;
    self->preparers[i].taken = true;
    return &self->preparers[i];
  }
  return NULL;
}

void ck_channel_prepare(ck_channel *self, ck_job *job) {
  ck_writer *writer = self->writer;
  if (job->event_count == 0) return;
  pthread_mutex_lock(&writer->mutex);
  ck_writer_preparer *its = is_crowded(self) ? take(writer) : NULL;
  pthread_mutex_unlock(&writer->mutex);
  if (!its) return;
  job->prepared = ck_prepare_events(&its->with, job->events, job->event_count);
  pthread_mutex_lock(&writer->mutex);
  its->taken = false;
  pthread_mutex_unlock(&writer->mutex);
}
