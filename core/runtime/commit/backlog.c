/* backlog.c - keeps jobs that failed, joined as far as they can be, and commits them together. */
#include "core/runtime/commit/backlog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

void ck_backlog_clear(ck_backlog *self) {
  for (size_t i = 0; i < self->count; i++) ck_job_clear(&self->jobs[i]);
  free(self->jobs);
  self->jobs = NULL;
  self->count = self->cap = 0;
  self->checkpoints = self->events = self->bytes = 0;
}

bool ck_backlog_bears(ck_status status) {
  return status == CK_E_FULL || status == CK_E_IO || status == CK_E_BUSY ||
         status == CK_E_READ_ONLY || status == CK_E_UNKNOWN;
}

/* ---- keeping ---- */

static bool is_within(const ck_backlog *self, const ck_job *job) {
  int64_t waited_us = self->count ? job->at_us - self->since_us : 0;
  return self->checkpoints + (job->checkpoint != NULL) <= self->limits.checkpoints &&
         waited_us <= self->limits.time_us &&
         self->bytes + ck_job_bytes(job) <= CK_BACKLOG_BYTES_MAX;
}

/* Events without a checkpoint are one job with the events behind them. */
static bool join(ck_backlog *self, ck_job *job) {
  ck_job *last = self->count ? &self->jobs[self->count - 1] : NULL;
  if (!last || last->checkpoint) return false;
  ck_event **events =
      reallocarray(last->events, last->event_count + job->event_count, sizeof *events);
  if (!events) return false;
  memcpy(events + last->event_count, job->events, job->event_count * sizeof *events);
  last->events = events;
  last->event_count += job->event_count;
  last->checkpoint = job->checkpoint;
  if (job->durability == CK_DURABLE_POWER) last->durability = CK_DURABLE_POWER;
  free(job->events);
  free(job->prepared);
  free(last->prepared);
  last->prepared = NULL;
  return true;
}

static bool append(ck_backlog *self, ck_job *job) {
  ck_job *jobs = ck_array_grow(self->jobs, self->count, &self->cap, sizeof *jobs);
  if (!jobs) return false;
  self->jobs = jobs;
  self->jobs[self->count++] = *job;
  return true;
}

bool ck_backlog_keep(ck_backlog *self, ck_job *job, uint64_t ticket, const ck_error *cause) {
  bool waits = job->may_wait && job->event_count > 0 && ck_backlog_bears(cause->status) &&
               is_within(self, job);
  bool first = self->count == 0, with_checkpoint = job->checkpoint != NULL;
  int64_t bytes = ck_job_bytes(job), at_us = job->at_us;
  size_t events = job->event_count;
  if (!waits || !(join(self, job) || append(self, job))) return false;
  if (first) self->since_us = at_us;
  self->times += first;
  self->checkpoints += with_checkpoint;
  self->events += (int64_t)events;
  self->bytes += bytes;
  self->last = ticket;
  self->cause = *cause;
  self->uncertain |= cause->status == CK_E_UNKNOWN;
  *job = (ck_job){0};
  return true;
}

/* ---- catching up ---- */

typedef struct looking {
  const ck_event *own;
  bool found;
} looking;

/* Another's can have its number: of a run behind this one, or of a person who prunes a session that
 * seemed to be nobody's. */
static bool compare(void *to, const ck_event *event) {
  looking *self = to;
  self->found = event->seq == self->own->seq && event->timeline == self->own->timeline &&
                event->kind == self->own->kind && event->at_ms == self->own->at_ms;
  return false;
}

static ck_status check_epoch(ck_store *store, ck_lease lease, ck_error *err) {
  char id[CK_ID_SIZE];
  ck_session_record record = {0};
  ck_status status = ck_store_get_session_id(id, store, lease.session, err);
  if (status != CK_OK) return status;
  status = ck_store_get_session(&record, store, id, err);
  if (status == CK_OK && record.epoch != lease.epoch)
    status = ck_error_set(err, CK_E_FENCED,
                          "another run has taken the session over (epoch %" PRIu64 " has passed)",
                          lease.epoch);
  ck_session_record_clear(&record);
  return status;
}

/* The epoch is read last: it can pass meanwhile. */
ck_status ck_backlog_find(bool *out, ck_store *store, ck_lease lease, const ck_job *job,
                          ck_error *err) {
  *out = false;
  if (job->event_count == 0) return CK_OK;
  looking at = {.own = job->events[job->event_count - 1]};
  ck_event_query query = {.session = lease.session, .after = at.own->seq - 1, .until = at.own->seq};
  ck_status status = ck_store_read_events(store, &query, compare, &at, err);
  if (status == CK_OK) status = check_epoch(store, lease, err);
  *out = status == CK_OK && at.found;
  return status;
}

/* A commit whose sync failed may be on disk all the same: with all of its jobs or none. Those that
 * are there must not be written again. */
static ck_status settle(ck_backlog *self, ck_store *store, ck_lease lease, ck_error *err) {
  size_t done = 0;
  bool found = true;
  ck_status status = ck_store_needs_recovery(store) ? ck_store_recover(store, err) : CK_OK;
  while (status == CK_OK && self->uncertain && found && done < self->count) {
    status = ck_backlog_find(&found, store, lease, &self->jobs[done], err);
    done += status == CK_OK && found;
  }
  if (status != CK_OK) return status;
  for (size_t i = 0; i < done; i++) ck_job_clear(&self->jobs[i]);
  self->count -= done;
  memmove(self->jobs, self->jobs + done, self->count * sizeof *self->jobs);
  self->uncertain = false;
  return CK_OK;
}

static ck_status commit(ck_backlog *self, ck_store *store, ck_lease lease, ck_error *err) {
  if (self->count == 0) return CK_OK;
  ck_batch *batches = calloc(self->count, sizeof *batches);
  if (!batches) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->count; i++) {
    const ck_job *job = &self->jobs[i];
    batches[i] = (ck_batch){.lease = lease,
                            .events = job->events,
                            .event_count = job->event_count,
                            .prepared = job->prepared,
                            .checkpoint = job->checkpoint,
                            .durability = job->durability};
  }
  ck_status status = ck_store_commit(store, batches, self->count, err);
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    if (batches[i].status != CK_OK)
      status = ck_error_set(err, batches[i].status, "%s", ck_status_text(batches[i].status));
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    self->stored_bytes += batches[i].stored_bytes;
  self->uncertain |= status == CK_E_UNKNOWN;
  free(batches);
  return status;
}

ck_status ck_backlog_retry(ck_backlog *self, ck_store *store, ck_lease lease) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = settle(self, store, lease, &failure);
  if (status == CK_OK) status = commit(self, store, lease, &failure);
  if (status != CK_OK) {
    self->cause = failure;
    return status;
  }
  self->late += self->checkpoints;
  self->saved = self->last;
  ck_backlog_clear(self);
  return CK_OK;
}

void ck_backlog_notify(ck_backlog *self, ck_store *store, ck_lease lease) {
  bool waits = self->count > 0;
  if (waits == self->reported) return;
  ck_store_set_fault(store, lease, waits ? self->cause.text : NULL);
  self->reported = waits;
}

void ck_backlog_append_loss(ck_error *to, const ck_backlog *self) {
  if (self->count == 0) return;
  size_t len = strlen(to->text);
  snprintf(to->text + len, sizeof to->text - len,
           "; %" PRId64 " checkpoint%s and %" PRId64 " event%s before it could not be saved either",
           self->checkpoints, self->checkpoints == 1 ? "" : "s", self->events,
           self->events == 1 ? "" : "s");
}
