/* writer.c - drains a ring of jobs into one transaction per round.
 *
 * Rounds are committed by the writer thread, or by a thread that would only wait for it: whoever
 * comes first while no round is under way (flat combining: Hendler, Incze, Shavit, Tzafrir 2010). A
 * waiting caller so saves two switches of thread, a third of what a small checkpoint costs; a flow
 * that does not wait never commits anything itself. */
#include "core/runtime/commit/writer_private.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/log.h"
#include "core/base/shortage.h"
#include "core/store/lapse.h"

enum {
  REST_AFTER = 32, /* rounds committed by waiting threads before the writer thread tidies up */
  AGAIN = 3,       /* times that a round is committed again whose connection was lost */
  AWAY_MS = 1600   /* the longest wait, each twice the one before, for a server that is away */
};

typedef struct ck_writer_slot slot;

static int64_t mono_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Moves queued jobs into the round. With the mutex. */
static size_t take_round(ck_writer *self) {
  size_t taken = self->count < CK_WRITER_ROUND_MAX ? self->count : CK_WRITER_ROUND_MAX;
  for (size_t i = 0; i < taken; i++)
    self->round[i] = self->ring[(self->head + i) % CK_WRITER_QUEUE_MAX];
  for (size_t i = 0; i < taken; i++) self->bytes -= self->round[i].bytes;
  self->head = (self->head + taken) % CK_WRITER_QUEUE_MAX;
  self->count -= taken;
  self->committed = taken;
  pthread_cond_broadcast(&self->drained);
  return taken;
}

/* Jobs of the backlog come first; when the store does not take them, it takes nothing newer of the
 * channel in this round. */
static ck_status catch_up(ck_writer *self, size_t at) {
  ck_channel *channel = self->round[at].channel;
  if (channel->backlog.count == 0) return CK_OK;
  for (size_t i = 0; i < at; i++)
    if (self->round[i].channel == channel) return self->round[i].status;
  return ck_backlog_retry(&channel->backlog, self->store, channel->lease);
}

/* One batch per job of a channel that still works; `*of` maps batches to slots. */
static size_t make_batches(ck_writer *self, size_t count, size_t *of) {
  size_t made = 0;
  for (size_t i = 0; i < count; i++) {
    ck_job *job = &self->round[i].job;
    ck_channel *channel = self->round[i].channel;
    self->round[i].stored_bytes = 0;
    self->round[i].status =
        channel->failure.status != CK_OK ? channel->failure.status : catch_up(self, i);
    if (self->round[i].status != CK_OK) continue;
    self->updates[made] = (ck_session_update){
        .status = job->update_status, .reason = job->update_reason, .failure = job->update_failure};
    self->batches[made] = (ck_batch){.lease = channel->lease,
                                     .events = job->events,
                                     .event_count = job->event_count,
                                     .prepared = job->prepared,
                                     .checkpoint = job->checkpoint,
                                     .update = job->has_update ? &self->updates[made] : NULL,
                                     .durability = job->durability};
    of[made++] = i;
  }
  return made;
}

/* After a recovered store: whether the job's rows are in it. */
static ck_status check_committed(ck_writer *self, const slot *of, const ck_error *cause) {
  bool found;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_backlog_find(&found, self->store, of->channel->lease, &of->job, &ignored);
  if (status == CK_E_FENCED) return status;
  return status == CK_OK && found ? CK_OK : cause->status;
}

/* Nobody else can have taken one of the round's sessions yet. */
static bool is_leased(ck_writer *self, size_t made, const size_t *of) {
  ck_error ignored = CK_ERROR_INIT;
  for (size_t i = 0; i < made; i++)
    if (ck_store_check_lapse(self->store, self->round[of[i]].channel->lease, &ignored) == CK_OK)
      return true;
  return false;
}

/* A server that is started anew, or replaced, is waited for as long as what is not written is still
 * this process's to write: what it knows would else be in doubt. */
static bool recover(ck_writer *self, size_t made, const size_t *of, ck_error *err) {
  ck_status status = ck_store_recover(self->store, err);
  for (long ms = 100; status != CK_OK && ck_store_has_lapses(self->store);) {
    if (!is_leased(self, made, of)) return false;
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
    ms = ms < AWAY_MS ? ms * 2 : AWAY_MS;
    status = ck_store_recover(self->store, err);
  }
  return status == CK_OK;
}

/* A commit whose sync failed is unknown, not failed: the store is reopened and asked which rows it
 * has. True: it has none of them. */
static bool settle_unknown(ck_writer *self, size_t made, const size_t *of, ck_error *cause) {
  ck_error recovery = CK_ERROR_INIT;
  bool recovered = recover(self, made, of, &recovery), absent = recovered;
  for (size_t i = 0; i < made; i++) {
    self->batches[i].status =
        recovered ? check_committed(self, &self->round[of[i]], cause) : CK_E_UNKNOWN;
    absent &= self->batches[i].status != CK_OK;
  }
  if (recovered)
    cause->status = CK_E_IO;
  else
    ck_log_line(CK_LOG_INFO, "%s", recovery.text);
  return absent;
}

static void average(_Atomic int64_t *to, int64_t cost) {
  int64_t before = atomic_load(to);
  atomic_store(to, before ? before + (cost - before) / 8 : cost);
}

static void note_cost(ck_writer *self, size_t made, int64_t begun_us) {
  bool durable = false, checkpoint = false;
  int64_t cost = mono_us() - begun_us;
  for (size_t i = 0; i < made; i++) {
    durable |= self->batches[i].durability == CK_DURABLE_POWER;
    checkpoint |= self->batches[i].checkpoint != NULL;
  }
  if (durable) average(&self->durable_cost_us, cost > 0 ? cost : 1);
  if (durable && checkpoint) average(&self->checkpoint_cost_us, cost);
}

static void fail_channel(ck_channel *channel, ck_status status, const ck_error *cause) {
  if (channel->failure.status != CK_OK) return;
  if (cause->status != CK_OK && status != CK_E_FENCED && status != CK_E_RANGE)
    channel->failure = *cause;
  else if (status == CK_E_FENCED)
    ck_error_set(&channel->failure, status,
                 "another run has taken the session over (epoch %llu has passed)",
                 (unsigned long long)channel->lease.epoch);
  else
    ck_error_set(&channel->failure, status, "the store did not accept the session's rows: %s",
                 ck_status_text(status));
  ck_backlog_append_loss(&channel->failure, &channel->backlog);
}

/* A job that was not tried, because the store did not take others before it, failed of their
 * cause. */
static const ck_error *cause_of(const slot *at, const ck_error *round) {
  return round->status == CK_OK && at->channel->backlog.count > 0 ? &at->channel->backlog.cause
                                                                  : round;
}

/* A failed job that may wait moves to its channel's backlog. */
static void keep_failed(ck_writer *self, size_t count, const ck_error *cause) {
  for (size_t i = 0; i < count; i++) {
    slot *at = &self->round[i];
    bool waits = at->status != CK_OK && at->status != CK_E_FENCED;
    at->kept = waits && at->channel->failure.status == CK_OK &&
               ck_backlog_keep(&at->channel->backlog, &at->job, at->ticket, cause_of(at, cause));
    ck_backlog_notify(&at->channel->backlog, self->store, at->channel->lease);
  }
}

/* With the mutex. */
static void note_saving(ck_channel *channel) {
  const ck_backlog *backlog = &channel->backlog;
  channel->saving = (ck_saving){.failing = backlog->count > 0,
                                .checkpoints = backlog->checkpoints,
                                .events = backlog->events,
                                .since_us = backlog->count ? backlog->since_us : 0,
                                .times = backlog->times,
                                .late = backlog->late};
  memcpy(channel->saving.cause, backlog->cause.text, sizeof channel->saving.cause);
  if (backlog->saved > channel->saved) channel->saved = backlog->saved;
  channel->stored_bytes += channel->backlog.stored_bytes;
  channel->backlog.stored_bytes = 0;
}

static void acknowledge(ck_writer *self, size_t count, const ck_error *cause) {
  pthread_mutex_lock(&self->mutex);
  for (size_t i = 0; i < count; i++) {
    slot *at = &self->round[i];
    ck_channel *channel = at->channel;
    channel->outstanding--;
    channel->stored_bytes += at->stored_bytes;
    if (at->status != CK_OK && !at->kept) fail_channel(channel, at->status, cause_of(at, cause));
    if (channel->failure.status == CK_OK) channel->done = at->ticket;
    if (channel->failure.status == CK_OK && at->status == CK_OK) channel->saved = at->ticket;
    if (channel->backlog.times > 0) note_saving(channel);
    ck_waker_wake(channel->waker);
  }
  self->committing = false;
  self->committed = 0;
  bool waited_for = self->waiters > 0;
  pthread_mutex_unlock(&self->mutex);
  if (waited_for) pthread_cond_broadcast(&self->acknowledged);
}

/* Where there is no memory for all at once there can be for some: an outcome is not lost with the
 * checkpoint behind it. Nothing behind the first that fails is tried. */
static ck_status commit_singly(ck_writer *self, size_t made, ck_error *cause) {
  ck_status status = CK_OK;
  *cause = (ck_error)CK_ERROR_INIT;
  for (size_t i = 0; i < made; i++) {
    if (status == CK_OK) status = ck_store_commit(self->store, &self->batches[i], 1, cause);
    if (status != CK_OK) self->batches[i].status = status;
  }
  return status;
}

static ck_status commit_together(ck_writer *self, size_t made, ck_error *cause) {
  int64_t begun = mono_us();
  ck_status status = ck_store_commit(self->store, self->batches, made, cause);
  for (size_t i = 0; i < made && status != CK_OK; i++) self->batches[i].status = status;
  if (status == CK_OK) note_cost(self, made, begun);
  return status;
}

/* What a lost connection to a server has not committed is committed by a new one. A disk whose sync
 * failed is not trusted so. */
static void commit_made(ck_writer *self, size_t made, const size_t *of, ck_error *cause) {
  ck_status status = commit_together(self, made, cause);
  if (status == CK_E_NO_MEMORY && made > 1) status = commit_singly(self, made, cause);
  for (int left = AGAIN; status == CK_E_UNKNOWN; left--) {
    bool absent = settle_unknown(self, made, of, cause);
    if (!absent || left == 0 || !ck_store_has_lapses(self->store)) return;
    *cause = (ck_error)CK_ERROR_INIT;
    status = commit_together(self, made, cause);
  }
}

void ck_writer_commit_round(ck_writer *self) {
  size_t of[CK_WRITER_ROUND_MAX];
  ck_error cause = CK_ERROR_INIT;
  self->committing = true;
  size_t count = take_round(self);
  pthread_mutex_unlock(&self->mutex);
  size_t made = make_batches(self, count, of);
  if (made > 0) commit_made(self, made, of, &cause);
  for (size_t i = 0; i < made; i++) {
    self->round[of[i]].status = self->batches[i].status;
    self->round[of[i]].stored_bytes = self->batches[i].stored_bytes;
  }
  if (self->claimed) ck_store_disclaim(self->store);
  self->claimed = false;
  keep_failed(self, count, &cause);
  for (size_t i = 0; i < count; i++) ck_job_clear(&self->round[i].job);
  acknowledge(self, count, &cause);
}

/* A failed WAL checkpoint loses nothing (the frames stay), but its connection is not trusted any
 * more. A failure of the recovery is reported by the next commit, once. */
static void rest(ck_writer *self) {
  ck_error err = CK_ERROR_INIT;
  if (ck_store_idle(self->store, &err) == CK_OK) return;
  ck_log_line(CK_LOG_INFO, "%s", err.text);
  if (ck_store_recover(self->store, &err) != CK_OK) ck_log_line(CK_LOG_INFO, "%s", err.text);
}

void ck_writer_end_alone(ck_writer *self) {
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
  ck_writer_end_alone(self);
}

bool ck_writer_has_work(const ck_writer *self) {
  return !self->committing && (self->count > 0 || self->unrested >= REST_AFTER || self->stopping);
}

static void *run(void *to) {
  ck_writer *self = to;
  for (;;) {
    pthread_mutex_lock(&self->mutex);
    while (!ck_writer_has_work(self)) {
      self->sleeping = true;
      pthread_cond_wait(&self->filled, &self->mutex);
      self->sleeping = false;
    }
    bool queued = self->count > 0, ends = self->stopping && !queued;
    self->unrested = 0;
    if (queued)
      ck_writer_commit_round(self);
    else
      pthread_mutex_unlock(&self->mutex);
    if (ends) return NULL;
    rest_if_idle(self);
  }
}

/* Signals are for the caller's threads: one that its threads have blocked would end the process
 * from here. */
static int start_thread(ck_writer *self) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&self->thread, NULL, run, self);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
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
  int failed = start_thread(self);
  if (failed) {
    free(self);
    return ck_error_set(err, CK_E_UNAVAILABLE, "cannot start the writer thread: %s",
                        ck_errno_text(failed));
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
  for (size_t i = 0; i < CK_WRITER_PREPARERS; i++) ck_preparer_clear(&self->preparers[i].with);
  pthread_cond_destroy(&self->filled);
  pthread_cond_destroy(&self->drained);
  pthread_cond_destroy(&self->acknowledged);
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

int64_t ck_writer_checkpoint_cost_us(const ck_writer *self) {
  return atomic_load(&self->checkpoint_cost_us);
}
