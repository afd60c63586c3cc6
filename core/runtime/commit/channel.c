/* channel.c - a session's line into the writer: its failure, how saving gets on, its prunes. */
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/log.h"
#include "core/runtime/commit/writer_private.h"

enum {
  HERE_MAX = 4, /* jobs at most that a session which waits for each of its steps has queued */
  HERE_COST_US = 5000, /* of a durable commit, in the mean */
  HERE_BYTES = 8 << 20 /* of what is written here */
};

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

/* ---- jobs ---- */

/* With the mutex. */
static void wake_writer(ck_writer *self) {
  if (self->sleeping && ck_writer_has_work(self)) pthread_cond_signal(&self->filled);
}

/* Instead of waiting: commits queued jobs, and wakes the writer thread for the rest. With the
 * mutex, also afterwards. */
static void help(ck_writer *self) {
  ck_writer_commit_round(self);
  pthread_mutex_lock(&self->mutex);
  self->unrested++;
  wake_writer(self);
}

/* Until the ticket is committed, or the channel has failed. */
ck_status ck_channel_wait(ck_channel *self, uint64_t ticket, ck_error *err) {
  ck_writer *writer = self->writer;
  pthread_mutex_lock(&writer->mutex);
  while (self->done < ticket && self->failure.status == CK_OK) {
    if (!writer->committing && writer->count > 0) {
      help(writer);
      continue;
    }
    writer->waiters++;
    pthread_cond_wait(&writer->acknowledged, &writer->mutex);
    writer->waiters--;
  }
  ck_status status = self->done >= ticket ? CK_OK : self->failure.status;
  if (status != CK_OK && err) *err = self->failure;
  pthread_mutex_unlock(&writer->mutex);
  return status;
}

void ck_channel_free(ck_channel *self) {
  if (!self) return;
  ck_writer *writer = self->writer;
  pthread_mutex_lock(&writer->mutex);
  writer->waiters++;
  wake_writer(writer);
  while (self->outstanding > 0) pthread_cond_wait(&writer->acknowledged, &writer->mutex);
  writer->waiters--;
  pthread_mutex_unlock(&writer->mutex);
  ck_backlog_clear(&self->backlog);
  free(self);
}

/* With the mutex. */
static bool has_room(const ck_writer *self, int64_t bytes) {
  return self->count == 0 ||
         (self->count < CK_WRITER_QUEUE_MAX && self->bytes + bytes <= CK_WRITER_BYTES_MAX);
}

ck_status ck_channel_put(uint64_t *ticket, ck_channel *self, ck_job *job, ck_error *err) {
  ck_writer *writer = self->writer;
  int64_t bytes = ck_job_bytes(job);
  *ticket = 0;
  ck_channel_prepare(self, job);
  pthread_mutex_lock(&writer->mutex);
  while (!has_room(writer, bytes) && self->failure.status == CK_OK) {
    if (writer->committing)
      pthread_cond_wait(&writer->drained, &writer->mutex);
    else
      help(writer);
  }
  ck_status status = self->failure.status;
  bool wakes = false;
  if (status == CK_OK) {
    *ticket = ++self->put;
    self->outstanding++;
    writer->ring[(writer->head + writer->count++) % CK_WRITER_QUEUE_MAX] =
        (ck_writer_slot){.channel = self, .ticket = *ticket, .job = *job, .bytes = bytes};
    writer->bytes += bytes;
    /* Who waits for each of its steps commits them itself. More is of several sessions: the writer
     * thread commits what there is while the others go on. */
    wakes = writer->sleeping && (!job->waited || writer->count > HERE_MAX);
  } else if (err) {
    *err = self->failure;
  }
  pthread_mutex_unlock(&writer->mutex);
  if (wakes) pthread_cond_signal(&writer->filled);
  if (status != CK_OK) ck_job_clear(job);
  *job = (ck_job){0};
  return status;
}

/* With the mutex. */
static ck_status answer(const ck_channel *self, uint64_t ticket, ck_error *err) {
  if (self->done >= ticket) return CK_OK;
  if (self->failure.status == CK_OK) return CK_E_PENDING;
  if (err) *err = self->failure;
  return self->failure.status;
}

ck_status ck_channel_peek(ck_channel *self, uint64_t ticket, ck_error *err) {
  pthread_mutex_lock(&self->writer->mutex);
  ck_status status = answer(self, ticket, err);
  pthread_mutex_unlock(&self->writer->mutex);
  return status;
}

ck_status ck_channel_check(ck_channel *self, uint64_t ticket, ck_error *err) {
  pthread_mutex_lock(&self->writer->mutex);
  ck_status status = answer(self, ticket, err);
  if (status == CK_E_PENDING) wake_writer(self->writer);
  pthread_mutex_unlock(&self->writer->mutex);
  return status;
}

/* A large state is written as a whole now and then, which is too much for one turn. With the mutex,
 * and no round under way. */
static bool adds(ck_writer *self) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_writer_slot *at = &self->ring[(self->head + i) % CK_WRITER_QUEUE_MAX];
    if (at->job.checkpoint && !ck_store_adds(self->store, at->channel->lease, at->job.checkpoint))
      return false;
  }
  return true;
}

/* What a disk or a store has kept waiting may do so again, and what did not fit once takes its
 * time. The first commit of all tells how long one takes. With the mutex. */
static bool may_commit_here(const ck_channel *self, size_t state_bytes) {
  ck_writer *writer = self->writer;
  int64_t cost = atomic_load(&writer->durable_cost_us);
  return !writer->committing && writer->count > 0 && writer->count <= HERE_MAX &&
         writer->bytes <= HERE_BYTES && self->backlog.count == 0 && cost > 0 &&
         cost <= HERE_COST_US && (state_bytes <= HERE_BYTES || adds(writer));
}

ck_status ck_channel_commit(ck_channel *self, uint64_t ticket, size_t state_bytes, ck_error *err) {
  ck_writer *writer = self->writer;
  pthread_mutex_lock(&writer->mutex);
  ck_status status = answer(self, ticket, err);
  if (status == CK_E_PENDING && may_commit_here(self, state_bytes) &&
      ck_store_claim(writer->store)) {
    writer->claimed = true;
    help(writer);
    status = answer(self, ticket, err);
  }
  if (status == CK_E_PENDING) wake_writer(writer);
  pthread_mutex_unlock(&writer->mutex);
  return status;
}
