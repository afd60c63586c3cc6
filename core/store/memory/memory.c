/* memory.c - the backend that keeps everything in the process: "memory:" for one handle,
 * "memory:NAME" for all handles of the process that name it, until the last of them is closed.
 * A mark in the session (its owner) takes the part of the lock file. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/memory/memory.h"

#include "core/base/array.h"
#include "core/base/text.h"

static pthread_mutex_t named_mutex = PTHREAD_MUTEX_INITIALIZER;
static ck_memory *named;

ck_memory *ck_memory_lock(void *self) {
  ck_memory *memory = ((ck_memory_handle *)self)->memory;
  pthread_mutex_lock(&memory->mutex);
  return memory;
}

ck_status ck_memory_unlock(ck_memory *self, ck_status status) {
  pthread_mutex_unlock(&self->mutex);
  return status;
}

ck_status ck_memory_check_lease(const ck_memory_session *session, ck_lease lease, ck_error *err) {
  if (!session)
    return ck_error_set(err, CK_E_NOT_FOUND, "there is no session number %lld",
                        (long long)lease.session);
  if (session->record.epoch != lease.epoch)
    return ck_error_set(err, CK_E_FENCED, "session %s was taken by another run",
                        session->record.id);
  return CK_OK;
}

/* ---- committing ---- */

static bool has_checkpoint(const ck_memory_session *session, int64_t seq) {
  const ck_memory_rows *rows = &session->checkpoints;
  size_t at = ck_memory_find_checkpoint(session, seq);
  return at < rows->staged && ((const ck_checkpoint_row *)rows->rows[at])->seq == seq;
}

static ck_status check_events(const ck_memory_session *session, const ck_event_row *events,
                              size_t count, ck_error *err) {
  for (size_t i = 0; i < count; i++) {
    int64_t before = session->base + (int64_t)(session->events.staged + i);
    if (events[i].seq != before + 1)
      return ck_error_set(err, CK_E_RANGE, "session %s: event %lld does not follow event %lld",
                          session->record.id, (long long)events[i].seq, (long long)before);
  }
  return CK_OK;
}

static ck_status check_batch(const ck_memory_session *session, const ck_row_batch *batch) {
  ck_status status = ck_memory_check_lease(session, batch->lease, NULL);
  if (!status) status = check_events(session, batch->events, batch->event_count, NULL);
  if (!status && batch->head && batch->event_count == 0 && batch->head->seq &&
      batch->head->seq != session->base + (int64_t)session->events.staged)
    status = CK_E_RANGE;
  if (status || !batch->checkpoint) return status;
  int64_t seq = batch->checkpoint->seq, parent = batch->checkpoint->parent;
  if (batch->event_count == 0 || seq < batch->events[0].seq ||
      seq > batch->events[batch->event_count - 1].seq)
    return CK_E_RANGE;
  return parent <= session->base || has_checkpoint(session, parent) ? CK_OK : CK_E_NOT_FOUND;
}

/* Texts of an update, copied before anything is changed. */
typedef struct update_texts {
  char *reason, *failure, *node;
} update_texts;

static void free_texts(update_texts *texts) {
  free(texts->reason);
  free(texts->failure);
  free(texts->node);
}

static ck_status copy_texts(update_texts *out, const ck_session_update *update, ck_error *err) {
  *out = (update_texts){0};
  if (!update) return CK_OK;
  ck_status status = ck_text_copy(&out->reason, update->reason, err);
  if (!status) status = ck_text_copy(&out->failure, update->failure, err);
  if (!status) status = ck_text_copy(&out->node, update->node, err);
  if (!status) return CK_OK;
  free_texts(out);
  *out = (update_texts){0};
  return status;
}

/* Cannot fail. Takes the texts. */
static void apply_update(ck_memory_session *session, const ck_session_update *update,
                         const update_texts *texts) {
  free(session->record.reason);
  free(session->record.failure);
  free(session->record.node);
  session->record.node = texts->node;
  session->record.reason = texts->reason;
  session->record.failure = texts->failure;
  session->record.status = update ? update->status : CK_SESSION_RUNNING;
}

static ck_status stage_batch(ck_memory_session *session, const ck_row_batch *batch,
                             update_texts *texts, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < batch->event_count && !status; i++)
    status = ck_memory_push_event(session, &batch->events[i], err);
  if (!status && batch->checkpoint)
    status = ck_memory_push_checkpoint(session, batch->checkpoint, err);
  return status ? status : copy_texts(texts, batch->update, err);
}

/* Cannot fail. Takes the texts. */
static void apply_batch(ck_memory_session *session, const ck_row_batch *batch,
                        const update_texts *texts) {
  ck_memory_apply_staged(session);
  if (batch->head) session->head = *batch->head;
  if (!batch->update) return;
  session->record.updated_ms = batch->at_ms;
  apply_update(session, batch->update, texts);
}

/* All rows become visible at once, or none. */
static ck_status commit(void *self, ck_row_batch *batches, size_t count, ck_durability durability,
                        ck_error *err) {
  (void)durability;
  update_texts *texts = calloc(count + 1, sizeof *texts);
  if (!texts) return ck_error_no_memory(err);
  ck_memory *memory = ck_memory_lock(self);
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && !status; i++) {
    ck_memory_session *session = ck_memory_get_session(memory, batches[i].lease.session);
    batches[i].status = check_batch(session, &batches[i]);
    if (!batches[i].status) status = stage_batch(session, &batches[i], &texts[i], err);
  }
  for (size_t i = 0; i < count; i++) {
    ck_memory_session *session = ck_memory_get_session(memory, batches[i].lease.session);
    if (status) free_texts(&texts[i]);
    if (status && session) ck_memory_drop_staged(session);
    if (!status && !batches[i].status) apply_batch(session, &batches[i], &texts[i]);
  }
  free(texts);
  return ck_memory_unlock(memory, status);
}

/* ---- owning ---- */

static ck_status owned(const ck_memory_session *session, ck_error *err) {
  char host[65] = "";
  gethostname(host, sizeof host - 1);
  return ck_error_set(err, CK_E_OWNED, "session %s is run by process %ld on %s", session->record.id,
                      (long)getpid(), host);
}

static ck_status put_opening(ck_memory_session *session, const ck_row_opening *opening,
                             ck_error *err) {
  const ck_timeline *timeline = opening->timeline;
  const ck_event_row *events = opening->events;
  size_t count = opening->event_count;
  update_texts texts = {0};
  ck_status status = check_events(session, events, count, err);
  for (size_t i = 0; i < count && !status; i++)
    status = ck_memory_push_event(session, &events[i], err);
  if (!status && opening->checkpoint)
    status = ck_memory_push_checkpoint(session, opening->checkpoint, err);
  if (!status) status = copy_texts(&texts, opening->update, err);
  if (!status) status = ck_memory_push_timeline(session, timeline, opening->about, err);
  if (status) {
    free_texts(&texts);
    ck_memory_drop_staged(session);
    return status;
  }
  ck_memory_apply_staged(session);
  apply_update(session, opening->update, &texts);
  session->head = opening->head;
  session->record.timeline = timeline->no;
  session->record.restarts = opening->restarts;
  memcpy(session->record.run, timeline->run, sizeof session->record.run);
  if (count && session->record.updated_ms < events[count - 1].at_ms)
    session->record.updated_ms = events[count - 1].at_ms;
  return CK_OK;
}

static ck_status reserve_session(ck_memory *self, ck_error *err) {
  ck_memory_session **sessions =
      ck_array_grow(self->sessions, self->session_count, &self->session_cap, sizeof *sessions);
  if (!sessions) return ck_error_no_memory(err);
  self->sessions = sessions;
  return CK_OK;
}

static ck_status create_session(ck_lease *out, void *self, const ck_session_record *record,
                                const ck_row_opening *opening, ck_error *err) {
  ck_memory_session *session = NULL;
  *out = (ck_lease){0};
  ck_memory *memory = ck_memory_lock(self);
  ck_status status = reserve_session(memory, err);
  if (!status && ck_memory_get_named(memory, record->id))
    status =
        ck_error_set(err, CK_E_EXISTS,
                     "session %s exists already in store memory:%s: give another id, or resume it",
                     record->id, memory->name);
  if (!status) status = ck_memory_session_new(&session, record, err);
  if (!status && record->origin.session)
    status = ck_memory_check_base(memory, session, record->origin.cut, err);
  if (!status) status = put_opening(session, opening, err);
  if (status) {
    ck_memory_session_free(session);
    return ck_memory_unlock(memory, status);
  }
  memory->sessions[memory->session_count++] = session;
  session->record.no = (int64_t)memory->session_count;
  session->record.restarts = (ck_restarts){0};
  session->record.epoch = 1;
  session->record.updated_ms = record->created_ms;
  session->owner = self;
  *out = (ck_lease){session->record.no, 1};
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status check_acquire(const ck_memory_session *session, uint64_t epoch_read,
                               const ck_timeline *timeline, ck_error *err) {
  if (session->owner) return owned(session, err);
  if (session->record.epoch != epoch_read)
    return ck_error_set(err, CK_E_FENCED,
                        "session %s was taken by another run: its epoch is %llu, not %llu",
                        session->record.id, (unsigned long long)session->record.epoch,
                        (unsigned long long)epoch_read);
  for (size_t i = 0; i < session->timeline_count; i++) {
    if (session->timelines[i].no >= timeline->no)
      return ck_error_set(err, CK_E_RANGE, "timeline %lld of session %s exists already",
                          (long long)timeline->no, session->record.id);
  }
  return CK_OK;
}

static ck_status acquire(ck_lease *out, void *self, const char *session_id, uint64_t epoch_read,
                         const ck_row_opening *opening, ck_error *err) {
  *out = (ck_lease){0};
  ck_memory *memory = ck_memory_lock(self);
  ck_memory_session *session = ck_memory_get_named(memory, session_id);
  if (!session) return ck_memory_unlock(memory, ck_memory_no_session(memory, session_id, err));
  ck_status status = check_acquire(session, epoch_read, opening->timeline, err);
  if (!status && opening->timeline->checkpoint)
    status = ck_memory_check_base(memory, session, opening->timeline->checkpoint, err);
  if (!status) status = put_opening(session, opening, err);
  if (status) return ck_memory_unlock(memory, status);
  session->record.epoch++;
  session->owner = self;
  *out = (ck_lease){session->record.no, session->record.epoch};
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status lock_session(ck_lease *out, void *self, const char *session_id,
                              uint64_t epoch_read, ck_error *err) {
  *out = (ck_lease){0};
  ck_memory *memory = ck_memory_lock(self);
  ck_memory_session *session = ck_memory_get_named(memory, session_id);
  if (!session) return ck_memory_unlock(memory, ck_memory_no_session(memory, session_id, err));
  if (session->owner) return ck_memory_unlock(memory, owned(session, err));
  ck_status status =
      ck_memory_check_lease(session, (ck_lease){session->record.no, epoch_read}, err);
  if (status) return ck_memory_unlock(memory, status);
  session->owner = self;
  *out = (ck_lease){session->record.no, epoch_read};
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status check_owner(void *self, const char *session_id, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_named(memory, session_id);
  return ck_memory_unlock(memory, session && session->owner ? owned(session, err) : CK_OK);
}

static void release(void *self, ck_lease lease) {
  ck_memory *memory = ck_memory_lock(self);
  ck_memory_session *session = ck_memory_get_session(memory, lease.session);
  if (session && session->owner == self && session->record.epoch == lease.epoch)
    session->owner = NULL;
  ck_memory_unlock(memory, CK_OK);
}

/* ---- opening ---- */

static const uint8_t *fingerprint_key(void *self) {
  return ((ck_memory_handle *)self)->memory->key;
}

static void free_memory(ck_memory *self) {
  for (size_t i = 0; i < self->session_count; i++) ck_memory_session_free(self->sessions[i]);
  free(self->sessions);
  while (self->requests) {
    ck_memory_request *next = self->requests->next;
    ck_memory_request_free(self->requests);
    self->requests = next;
  }
  ck_memory_free_retired(self);
  ck_memory_free_facts(self);
  ck_buffer_clear(&self->key_entry);
  free(self->retired);
  pthread_mutex_destroy(&self->mutex);
  free(self->name);
  free(self);
}

static void close_handle(void *self) {
  ck_memory *memory = ck_memory_lock(self);
  for (size_t i = 0; i < memory->session_count; i++) {
    if (memory->sessions[i]->owner == self) memory->sessions[i]->owner = NULL;
  }
  ck_memory_unlock(memory, CK_OK);
  pthread_mutex_lock(&named_mutex);
  bool last = --memory->handles == 0;
  for (ck_memory **at = &named; last && *at; at = &(*at)->next) {
    if (*at != memory) continue;
    *at = memory->next;
    break;
  }
  pthread_mutex_unlock(&named_mutex);
  if (last) free_memory(memory);
  free(self);
}

static ck_memory *make_memory(const char *name) {
  ck_memory *self = calloc(1, sizeof *self);
  if (self) self->name = strdup(name);
  if (!self || !self->name) {
    free(self);
    return NULL;
  }
  pthread_mutex_init(&self->mutex, NULL);
  ck_random_bytes(self->key, sizeof self->key);
  return self;
}

/* The store of that name, created when there is none yet; "": always a new one. NULL without
 * memory. */
static ck_memory *get_memory(const char *name) {
  pthread_mutex_lock(&named_mutex);
  ck_memory *found = *name ? named : NULL;
  while (found && strcmp(found->name, name) != 0) found = found->next;
  if (!found) {
    found = make_memory(name);
    if (found && *name) {
      found->next = named;
      named = found;
    }
  }
  if (found) found->handles++;
  pthread_mutex_unlock(&named_mutex);
  return found;
}

ck_status ck_backend_open_memory(ck_backend *out, const char *path, const ck_store_options *options,
                                 ck_error *err) {
  (void)options;
  *out = (ck_backend){0};
  ck_memory_handle *handle = malloc(sizeof *handle);
  if (handle) handle->memory = get_memory(path);
  if (!handle || !handle->memory) {
    free(handle);
    return ck_error_no_memory(err);
  }
  *out = (ck_backend){.self = handle,
                      .commit = commit,
                      .prune = ck_memory_prune,
                      .create_session = create_session,
                      .acquire = acquire,
                      .lock_session = lock_session,
                      .pin = ck_memory_pin,
                      .delete_session = ck_memory_delete_session,
                      .list_forks = ck_memory_list_forks,
                      .list_pins = ck_memory_list_pins,
                      .list_bases = ck_memory_list_bases,
                      .check_owner = check_owner,
                      .release = release,
                      .fingerprint_key = fingerprint_key,
                      .close = close_handle};
  ck_memory_add_reading(out);
  ck_memory_add_key(out);
  ck_memory_add_requests(out);
  ck_memory_add_facts(out);
  return CK_OK;
}
