/* writer.c - drains a ring of jobs into one transaction per round.
 *
 * Rounds are committed by the writer thread, or by a thread that would only wait for it: whoever comes first while no
 * round is under way (flat combining: Hendler, Incze, Shavit, Tzafrir 2010). A waiting caller so saves two switches of
 * thread, a third of what a small checkpoint costs; a flow that does not wait never commits anything itself. */
#include "core/runtime/writer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/log.h"

enum { ROUND_MAX = 512, REST_AFTER = 32 /* rounds committed by waiting threads before the writer thread tidies up */ };

struct ck_channel {
  ck_writer *writer;
  ck_lease lease;
  ck_waker *waker;
  uint64_t put, done; /* tickets; guarded by the writer's mutex */
  size_t outstanding; /* jobs in the ring or in the current round, which point here */
  int64_t stored_bytes;
  ck_error failure;   /* status CK_OK while the channel works */
};

typedef struct slot {
  ck_channel *channel;
  uint64_t ticket;
  ck_job job;
} slot;

struct ck_writer {
  ck_store *store;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t filled, drained, acknowledged;
  slot ring[CK_WRITER_QUEUE_MAX];
  size_t head, count;
  bool stopping, sleeping;
  bool committing;            /* a round is under way; the fields of the round belong to that thread */
  unsigned waiters, unrested;
  slot round[ROUND_MAX];
  ck_batch batches[ROUND_MAX];
  ck_session_update updates[ROUND_MAX];
  _Atomic int64_t checkpoint_cost_us;
};

static int64_t mono_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void clear_job(ck_job *job) {
  for (size_t i = 0; i < job->event_count; i++) ck_event_free(job->events[i]);
  free(job->events);
  ck_checkpoint_free(job->checkpoint);
  free(job->update_reason);
  *job = (ck_job){0};
}

/* Moves what is queued into the round. With the mutex. */
static size_t take_round(ck_writer *self) {
  size_t taken = self->count < ROUND_MAX ? self->count : ROUND_MAX;
  for (size_t i = 0; i < taken; i++) self->round[i] = self->ring[(self->head + i) % CK_WRITER_QUEUE_MAX];
  bool was_full = self->count == CK_WRITER_QUEUE_MAX;
  self->head = (self->head + taken) % CK_WRITER_QUEUE_MAX;
  self->count -= taken;
  if (was_full) pthread_cond_broadcast(&self->drained);
  return taken;
}

/* One batch per job of a channel that still works; `*of` maps batches to slots. */
static size_t make_batches(ck_writer *self, size_t count, size_t *of) {
  size_t made = 0;
  for (size_t i = 0; i < count; i++) {
    ck_job *job = &self->round[i].job;
    if (self->round[i].channel->failure.status != CK_OK) continue;
    self->updates[made] = (ck_session_update){.status = job->update_status, .reason = job->update_reason,
                                                .failure = job->update_failure};
    self->batches[made] = (ck_batch){.lease = self->round[i].channel->lease,
                                     .events = job->events,
                                     .event_count = job->event_count,
                                     .checkpoint = job->checkpoint,
                                     .update = job->has_update ? &self->updates[made] : NULL,
                                     .durability = job->durability};
    of[made++] = i;
  }
  return made;
}

static bool keep_last_seq(void *to, const ck_event *event) {
  *(int64_t *)to = event->seq;
  return true;
}

/* After a recovered store: whether the job's rows are in it. */
static ck_status check_committed(ck_writer *self, const slot *of, const ck_error *cause) {
  if (of->job.event_count == 0) return cause->status;
  int64_t last = 0;
  ck_event_query query = {.session = of->channel->lease.session, .last = 1};
  ck_error ignored = CK_ERROR_INIT;
  if (ck_store_read_events(self->store, &query, keep_last_seq, &last, &ignored) != CK_OK) return cause->status;
  return last >= of->job.events[of->job.event_count - 1]->seq ? CK_OK : cause->status;
}

/* A commit whose sync failed is unknown, not failed: the store is reopened and asked. */
static void settle_unknown(ck_writer *self, size_t made, const size_t *of, ck_error *cause) {
  ck_error recovery = CK_ERROR_INIT;
  bool recovered = ck_store_recover(self->store, &recovery) == CK_OK;
  for (size_t i = 0; i < made; i++)
    self->batches[i].status = recovered ? check_committed(self, &self->round[of[i]], cause) : CK_E_UNKNOWN;
  if (recovered) cause->status = CK_E_IO;
  else ck_log_line(CK_LOG_INFO, "%s", recovery.text);
}

static void note_cost(ck_writer *self, size_t made, int64_t begun_us) {
  bool durable = false, checkpoint = false;
  for (size_t i = 0; i < made; i++) {
    durable |= self->batches[i].durability == CK_DURABLE_POWER;
    checkpoint |= self->batches[i].checkpoint != NULL;
  }
  if (!durable || !checkpoint) return;
  int64_t cost = mono_us() - begun_us, average = atomic_load(&self->checkpoint_cost_us);
  atomic_store(&self->checkpoint_cost_us, average ? average + (cost - average) / 8 : cost);
}

static void fail_channel(ck_channel *channel, ck_status status, const ck_error *cause) {
  if (channel->failure.status != CK_OK) return;
  if (cause->status != CK_OK && status != CK_E_FENCED && status != CK_E_RANGE)
    channel->failure = *cause;
  else if (status == CK_E_FENCED)
    ck_error_set(&channel->failure, status, "another run has taken the session over (epoch %llu has passed)",
                 (unsigned long long)channel->lease.epoch);
  else
    ck_error_set(&channel->failure, status, "the store did not accept the session's rows: %s", ck_status_text(status));
}

static void acknowledge(ck_writer *self, size_t count, size_t made, const size_t *of, const ck_error *cause) {
  pthread_mutex_lock(&self->mutex);
  for (size_t i = 0; i < made; i++) {
    ck_channel *channel = self->round[of[i]].channel;
    if (self->batches[i].status != CK_OK) fail_channel(channel, self->batches[i].status, cause);
    channel->stored_bytes += self->batches[i].stored_bytes;
  }
  for (size_t i = 0; i < count; i++) {
    ck_channel *channel = self->round[i].channel;
    channel->outstanding--;
    if (channel->failure.status == CK_OK) channel->done = self->round[i].ticket;
    ck_waker_wake(channel->waker);
  }
  self->committing = false;
  bool waited_for = self->waiters > 0;
  pthread_mutex_unlock(&self->mutex);
  if (waited_for) pthread_cond_broadcast(&self->acknowledged);
}

/* Commits what is queued. With the mutex and no round under way; without the mutex afterwards. */
static void commit_round(ck_writer *self) {
  size_t of[ROUND_MAX];
  ck_error cause = CK_ERROR_INIT;
  self->committing = true;
  size_t count = take_round(self);
  pthread_mutex_unlock(&self->mutex);
  size_t made = make_batches(self, count, of);
  if (made > 0) {
    int64_t begun = mono_us();
    ck_status status = ck_store_commit(self->store, self->batches, made, &cause);
    if (status == CK_E_UNKNOWN) settle_unknown(self, made, of, &cause);
    else if (status != CK_OK)
      for (size_t i = 0; i < made; i++) self->batches[i].status = status;
    else note_cost(self, made, begun);
  }
  for (size_t i = 0; i < count; i++) clear_job(&self->round[i].job);
  acknowledge(self, count, made, of, &cause);
}

/* A failed WAL checkpoint loses nothing (the frames stay), but its connection is not trusted any more. What goes wrong here
 * is told by the next commit, once. */
static void rest(ck_writer *self) {
  ck_error err = CK_ERROR_INIT;
  if (ck_store_idle(self->store, &err) == CK_OK) return;
  ck_log_line(CK_LOG_INFO, "%s", err.text);
  if (ck_store_recover(self->store, &err) != CK_OK) ck_log_line(CK_LOG_INFO, "%s", err.text);
}

/* From here to end_alone nobody commits: between a failure and its recovery a commit would be refused without having been
 * tried. */
static void end_alone(ck_writer *self) {
  pthread_mutex_lock(&self->mutex);
  self->committing = false;
  pthread_cond_broadcast(&self->drained);
  bool waited_for = self->waiters > 0;
  if (self->sleeping && self->count > 0) pthread_cond_signal(&self->filled);
  pthread_mutex_unlock(&self->mutex);
  if (waited_for) pthread_cond_broadcast(&self->acknowledged);
}

static void rest_if_idle(ck_writer *self) {
  pthread_mutex_lock(&self->mutex);
  bool idle = self->count == 0 && !self->committing;
  if (idle) self->committing = true;
  pthread_mutex_unlock(&self->mutex);
  if (!idle) return;
  rest(self);
  end_alone(self);
}

static bool has_work(const ck_writer *self) {
  return !self->committing && (self->count > 0 || self->unrested >= REST_AFTER || self->stopping);
}

static void *run(void *to) {
  ck_writer *self = to;
  for (;;) {
    pthread_mutex_lock(&self->mutex);
    while (!has_work(self)) {
      self->sleeping = true;
      pthread_cond_wait(&self->filled, &self->mutex);
      self->sleeping = false;
    }
    bool queued = self->count > 0, ends = self->stopping && !queued;
    self->unrested = 0;
    if (queued) commit_round(self);
    else pthread_mutex_unlock(&self->mutex);
    if (ends) return NULL;
    rest_if_idle(self);
  }
}

ck_status ck_writer_new(ck_writer **out, ck_store *store, ck_error *err) {
  *out = NULL;
  ck_writer *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->store = store;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_cond_init(&self->filled, NULL);
  pthread_cond_init(&self->drained, NULL);
  pthread_cond_init(&self->acknowledged, NULL);
  int failed = pthread_create(&self->thread, NULL, run, self);
  if (failed) {
    free(self);
    return ck_error_set(err, CK_E_NO_MEMORY, "cannot start the writer thread: error %d", failed);
  }
  *out = self;
  return CK_OK;
}

void ck_writer_free(ck_writer *self) {
  if (!self) return;
  pthread_mutex_lock(&self->mutex);
  self->stopping = true;
  pthread_cond_signal(&self->filled);
  pthread_mutex_unlock(&self->mutex);
  pthread_join(self->thread, NULL);
  pthread_cond_destroy(&self->filled);
  pthread_cond_destroy(&self->drained);
  pthread_cond_destroy(&self->acknowledged);
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

int64_t ck_writer_checkpoint_cost_us(const ck_writer *self) { return atomic_load(&self->checkpoint_cost_us); }

ck_status ck_channel_new(ck_channel **out, ck_writer *writer, ck_lease lease, ck_waker *waker, ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  **out = (ck_channel){.writer = writer, .lease = lease, .waker = waker, .failure = CK_ERROR_INIT};
  return CK_OK;
}

/* Instead of waiting: commits what is queued, and tells the writer thread what is left for it. With the mutex, also afterwards. */
static void help(ck_writer *self) {
  commit_round(self);
  pthread_mutex_lock(&self->mutex);
  self->unrested++;
  if (self->sleeping && has_work(self)) pthread_cond_signal(&self->filled);
}

/* Waits until `ticket` was dealt with, well or not. */
static ck_status await(ck_channel *self, uint64_t ticket, ck_error *err) {
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
  if (writer->sleeping && has_work(writer)) pthread_cond_signal(&writer->filled);
  while (self->outstanding > 0) pthread_cond_wait(&writer->acknowledged, &writer->mutex);
  writer->waiters--;
  pthread_mutex_unlock(&writer->mutex);
  free(self);
}

ck_status ck_channel_put(uint64_t *ticket, ck_channel *self, ck_job *job, ck_error *err) {
  ck_writer *writer = self->writer;
  *ticket = 0;
  pthread_mutex_lock(&writer->mutex);
  while (writer->count == CK_WRITER_QUEUE_MAX && self->failure.status == CK_OK) {
    if (writer->committing) pthread_cond_wait(&writer->drained, &writer->mutex);
    else help(writer);
  }
  ck_status status = self->failure.status;
  if (status == CK_OK) {
    *ticket = ++self->put;
    self->outstanding++;
    writer->ring[(writer->head + writer->count++) % CK_WRITER_QUEUE_MAX] =
        (slot){.channel = self, .ticket = *ticket, .job = *job};
    bool wakes = !job->waited || writer->count >= ROUND_MAX; /* nobody has to wait after all */
    if (writer->sleeping && wakes) pthread_cond_signal(&writer->filled);
  } else if (err) {
    *err = self->failure;
  }
  pthread_mutex_unlock(&writer->mutex);
  if (status != CK_OK) clear_job(job);
  *job = (ck_job){0};
  return status;
}

ck_status ck_channel_check(ck_channel *self, uint64_t ticket, ck_error *err) {
  pthread_mutex_lock(&self->writer->mutex);
  ck_status status = self->done >= ticket ? CK_OK : self->failure.status != CK_OK ? self->failure.status : CK_E_PENDING;
  if (status == CK_E_PENDING && self->writer->sleeping && has_work(self->writer)) pthread_cond_signal(&self->writer->filled);
  else if (status != CK_OK && status != CK_E_PENDING && err) *err = self->failure;
  pthread_mutex_unlock(&self->writer->mutex);
  return status;
}

ck_status ck_channel_failure(ck_channel *self, ck_error *err) {
  if (!self) return CK_OK;
  pthread_mutex_lock(&self->writer->mutex);
  ck_status status = self->failure.status;
  if (status != CK_OK && err) *err = self->failure;
  pthread_mutex_unlock(&self->writer->mutex);
  return status;
}

/* Of a prune whose sync failed it is not known whether it took place; what is told is that it failed. */
static ck_status prune_alone(ck_channel *self, const int64_t *seqs, size_t count, ck_prune_report *out, ck_error *err) {
  ck_writer *writer = self->writer;
  ck_error recovery = CK_ERROR_INIT;
  ck_status status = ck_store_prune(writer->store, self->lease, seqs, count, out, err);
  if (status != CK_E_UNKNOWN) return status;
  if (ck_store_recover(writer->store, &recovery) != CK_OK) ck_log_line(CK_LOG_INFO, "%s", recovery.text);
  return status;
}

ck_status ck_channel_prune(ck_channel *self, const int64_t *seqs, size_t count, ck_prune_report *out, ck_error *err) {
  ck_writer *writer = self->writer;
  *out = (ck_prune_report){0};
  ck_status status = await(self, self->put, err);
  if (status != CK_OK) return status;
  pthread_mutex_lock(&writer->mutex);
  writer->waiters++;
  while (writer->committing) pthread_cond_wait(&writer->acknowledged, &writer->mutex);
  writer->waiters--;
  writer->committing = true;
  pthread_mutex_unlock(&writer->mutex);
  status = prune_alone(self, seqs, count, out, err);
  end_alone(writer);
  return status;
}

ck_status ck_channel_wait(ck_channel *self, uint64_t ticket, ck_error *err) { return await(self, ticket, err); }

uint64_t ck_channel_last(const ck_channel *self) { return self->put; }

int64_t ck_channel_stored_bytes(ck_channel *self) {
  pthread_mutex_lock(&self->writer->mutex);
  int64_t bytes = self->stored_bytes;
  pthread_mutex_unlock(&self->writer->mutex);
  return bytes;
}
