/* store.c - opens a store over its backend, holds the leases, and refuses writes that must not be
 * made. */
#include "core/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/store/postgres/url.h"
#include "core/store/store_core.h"
#include "core/store/rekey.h"
#include "core/store/sealed/sealed.h"

typedef struct backend_kind {
  const char *scheme;
  ck_status (*open)(ck_backend *out, const char *path, const ck_store_options *options,
                    ck_error *err);
} backend_kind;

static const backend_kind backend_kinds[] = {
    {"memory:", ck_backend_open_memory},
    {"sqlite:", ck_backend_open_sqlite},
};

ck_status ck_store_check_url(const char *url, ck_error *err) {
  if (strcmp(url, "sqlite::memory:") == 0)
    return ck_error_set(err, CK_E_USAGE, "\"%s\" names no file: a store in memory is \"memory:\"",
                        url);
  if (strncmp(url, "sqlite:file:", strlen("sqlite:file:")) == 0)
    return ck_error_set(err, CK_E_USAGE, "\"%s\" names no file: write \"sqlite:%s\"", url,
                        url + strlen("sqlite:file:"));
  return CK_OK;
}

ck_status ck_store_core_open_backend(ck_backend *out, const char *url,
                                     const ck_store_options *options, ck_error *err) {
  ck_status status = ck_store_check_url(url, err);
  if (status) return status;
  if (ck_postgres_url_is(url)) return ck_backend_open_postgres(out, url, options, err);
  for (size_t i = 0; i < sizeof backend_kinds / sizeof *backend_kinds; i++) {
    size_t len = strlen(backend_kinds[i].scheme);
    if (strncmp(url, backend_kinds[i].scheme, len) == 0)
      return backend_kinds[i].open(out, url + len, options, err);
  }
  return ck_error_set(err, CK_E_USAGE,
                      "store '%s': expected sqlite:PATH, postgres://… or memory:", url);
}

static ck_status open_key(ck_store *self, const ck_store_options *options, ck_error *err) {
  ck_sealed_opening opening = {.url = self->url,
                               .key = options->key,
                               .read_only = options->read_only,
                               .arena = &self->arena};
  if (ck_backend_can(&self->backend, CK_BACKEND_KEY)) {
    const uint8_t *salt = self->backend.fingerprint_key(self->backend.self);
    if (options->key) ck_key_fingerprint(self->fingerprint_key, options->key, salt);
    return ck_sealed_open(&self->has_key, &self->backend, &opening, err);
  }
  return options->key ? ck_backend_require(&self->backend, CK_BACKEND_KEY, self->url, err) : CK_OK;
}

/* As it is told: a password in it is nobody's business. */
static ck_status make_name(char **out, const char *url, ck_error *err) {
  ck_postgres_url read;
  if (!ck_postgres_url_is(url)) return ck_text_copy(out, url, err);
  ck_status status = ck_postgres_url_read(&read, url, err);
  *out = NULL;
  if (status != CK_OK) return status;
  *out = read.name;
  read.name = NULL;
  ck_postgres_url_clear(&read);
  return CK_OK;
}

ck_status ck_store_open(ck_store **out, const char *url, const ck_store_options *options,
                        ck_error *err) {
  *out = NULL;
  ck_store *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  ck_status status = make_name(&self->url, url, err);
  if (!status) status = ck_store_core_open_backend(&self->backend, url, options, err);
  if (status) {
    free(self->url);
    free(self);
    return status;
  }
  self->read_only = options->read_only;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_mutex_init(&self->names_mutex, NULL);
  ck_kept_state_init(&self->kept_state);
  status = open_key(self, options, err);
  if (!status) status = ck_store_core_watch(self, options, err);
  if (status)
    ck_store_close(self);
  else
    *out = self;
  return status;
}

void ck_store_close(ck_store *self) {
  if (!self) return;
  for (size_t i = 0; i < self->held_count; i++) {
    self->backend.release(self->backend.self, self->held[i].lease);
    ck_chain_free(self->held[i].chain);
    ck_payload_seqs_clear(&self->held[i].with_payload);
  }
  self->backend.close(self->backend.self);
  ck_rollback_close(&self->rollback);
  free(self->held);
  explicit_bzero(self->fingerprint_key, sizeof self->fingerprint_key);
  ck_arena_clear(&self->arena);
  ck_buffer_clear(&self->plain);
  ck_buffer_clear(&self->space);
  ck_compress_clear(&self->compress);
  pthread_mutex_destroy(&self->mutex);
  pthread_mutex_destroy(&self->names_mutex);
  ck_kept_state_clear(&self->kept_state);
  free(self->url);
  free(self);
}

const char *ck_store_url(const ck_store *self) { return self->url; }

bool ck_store_has_key(const ck_store *self) { return self->has_key; }

const uint8_t *ck_store_fingerprint_key(const ck_store *self) {
  return self->has_key ? self->fingerprint_key : NULL;
}

/* ---- the frame of every write ---- */

ck_status ck_store_core_begin_write(ck_store *self, ck_error *err) {
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->url);
  pthread_mutex_lock(&self->mutex);
  if (!self->unknown) return CK_OK;
  ck_status status = ck_error_set(
      err, self->cause.status, "%s; nothing is written before it is recovered", self->cause.text);
  pthread_mutex_unlock(&self->mutex);
  return status;
}

/* `err` may be NULL, or of another failure: the cause is a general text then. */
static void note_cause(ck_store *self, ck_status status, const ck_error *err) {
  self->unknown = true;
  if (err && err->status == status)
    self->cause = *err;
  else
    ck_error_set(&self->cause, status, "store %s: an earlier commit may be on disk or not",
                 self->url);
}

static void drop_chains(ck_store *self) {
  for (size_t i = 0; i < self->held_count; i++) {
    ck_chain_drop(self->held[i].chain);
    self->held[i].tip_seq = 0;
  }
}

ck_status ck_store_core_end_write(ck_store *self, ck_status status, const ck_error *err) {
  if (status == CK_E_UNKNOWN) {
    note_cause(self, status, err);
    drop_chains(self);
  }
  ck_arena_reset(&self->arena);
  pthread_mutex_unlock(&self->mutex);
  return status;
}

ck_status ck_store_recover(ck_store *self, ck_error *err) {
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->url);
  pthread_mutex_lock(&self->mutex);
  drop_chains(self);
  ck_status status = CK_OK;
  if (self->backend.recover) status = self->backend.recover(self->backend.self, err);
  if (status)
    note_cause(self, status, err);
  else
    self->unknown = false;
  pthread_mutex_unlock(&self->mutex);
  return status;
}

bool ck_store_needs_recovery(ck_store *self) {
  pthread_mutex_lock(&self->mutex);
  bool needed = self->unknown;
  pthread_mutex_unlock(&self->mutex);
  return needed;
}

ck_status ck_store_sync(ck_store *self, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  if (self->backend.sync) status = self->backend.sync(self->backend.self, err);
  return ck_store_core_end_write(self, status, err);
}

bool ck_store_claim(ck_store *self) {
  if (!self->backend.claim || self->read_only || pthread_mutex_trylock(&self->mutex) != 0)
    return false;
  bool claimed = !self->unknown && self->backend.claim(self->backend.self, true);
  pthread_mutex_unlock(&self->mutex);
  return claimed;
}

bool ck_store_adds(ck_store *self, ck_lease lease, const ck_checkpoint *checkpoint) {
  if (pthread_mutex_trylock(&self->mutex) != 0) return false;
  const ck_held_lease *held = ck_store_core_get_lease(self, lease.session);
  bool adds = held && ck_chain_adds(held->chain, checkpoint);
  pthread_mutex_unlock(&self->mutex);
  return adds;
}

void ck_store_disclaim(ck_store *self) {
  pthread_mutex_lock(&self->mutex);
  self->backend.claim(self->backend.self, false);
  pthread_mutex_unlock(&self->mutex);
}

ck_status ck_store_idle(ck_store *self, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  if (self->backend.idle) status = self->backend.idle(self->backend.self, err);
  return ck_store_core_end_write(self, status, err);
}

/* ---- leases ---- */

/* The index of the session's lease, or the one at which it is to be inserted. */
static size_t find_held(const ck_store *self, int64_t session) {
  size_t low = 0, high = self->held_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->held[middle].lease.session < session)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

ck_held_lease *ck_store_core_get_lease(ck_store *self, int64_t session) {
  size_t at = find_held(self, session);
  return at < self->held_count && self->held[at].lease.session == session ? &self->held[at] : NULL;
}

ck_status ck_store_core_check_lease(const ck_held_lease **out, ck_store *self, ck_lease lease,
                                    ck_error *err) {
  *out = ck_store_core_get_lease(self, lease.session);
  if (*out && (*out)->lease.epoch == lease.epoch) return CK_OK;
  return ck_error_set(err, CK_E_FENCED, "the lease on session number %lld is not held",
                      (long long)lease.session);
}

void ck_store_core_drop_lease(ck_store *self, int64_t session) {
  ck_held_lease *held = ck_store_core_get_lease(self, session);
  if (!held) return;
  ck_chain_free(held->chain);
  ck_payload_seqs_clear(&held->with_payload);
  size_t behind = (size_t)(self->held + self->held_count - held) - 1;
  memmove(held, held + 1, behind * sizeof *held);
  self->held_count--;
}

/* Allocates before the backend takes the lease, so that a lease taken is always recorded. */
static ck_status prepare_held(ck_chain **out, ck_store *self, const char *session_id,
                              ck_error *err) {
  *out = NULL;
  ck_held_lease *held = ck_array_grow(self->held, self->held_count, &self->held_cap, sizeof *held);
  if (!held) return ck_error_no_memory(err);
  self->held = held;
  return ck_chain_new(out, session_id, err);
}

static ck_held_lease *add_held(ck_store *self, ck_lease lease, ck_chain *chain, bool unsealed) {
  ck_store_core_drop_lease(self, lease.session);
  size_t at = find_held(self, lease.session);
  memmove(self->held + at + 1, self->held + at, (self->held_count - at) * sizeof *self->held);
  self->held[at] = (ck_held_lease){.lease = lease, .chain = chain, .unsealed = unsealed};
  self->held_count++;
  ck_store_core_put_name(self, lease.session, ck_chain_session(chain));
  return &self->held[at];
}

/* The arguments of create and acquire. */
typedef struct lease_request {
  const char *session_id;
  const ck_session_record *record; /* create; NULL: acquire */
  uint64_t epoch_read;
  const ck_opening *opening;
} lease_request;

static ck_status take_from_backend(ck_lease *out, ck_store *self, const lease_request *request,
                                   const ck_row_opening *opening, ck_error *err) {
  const ck_backend *backend = &self->backend;
  if (request->record)
    return backend->create_session(out, backend->self, request->record, opening, err);
  return backend->acquire(out, backend->self, request->session_id, request->epoch_read, opening,
                          err);
}

/* `head` is that of the opening, not sealed. */
static void hold_run(ck_store *self, ck_lease lease, ck_chain *chain, const ck_opening *opening,
                     const ck_head_row *head) {
  ck_held_lease *held = add_held(self, lease, chain, opening->unsealed);
  held->compress_from = opening->compress_from;
  held->tip_seq = head->seq;
  held->status = head->status;
  if (opening->event_count) held->head_ms = opening->events[opening->event_count - 1]->at_ms;
  memcpy(held->tip.bytes, head->digest, sizeof held->tip.bytes);
}

static ck_status take_lease(ck_lease *out, ck_store *self, const lease_request *request,
                            ck_error *err) {
  ck_row_opening rows;
  ck_chain *chain = NULL;
  *out = (ck_lease){0};
  ck_status status = request->record ? ck_id_check_new("session id", request->session_id, err)
                                     : ck_id_check("session id", request->session_id, err);
  if (!status) status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = prepare_held(&chain, self, request->session_id, err);
  uint64_t epoch = request->record ? 1 : request->epoch_read + 1;
  if (!status)
    status = ck_store_core_encode_opening(&rows, self, chain, epoch, request->record,
                                          request->opening, err);
  if (!status) status = take_from_backend(out, self, request, &rows, err);
  if (status)
    ck_chain_free(chain);
  else
    hold_run(self, *out, chain, request->opening, &rows.head);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_create_session(ck_lease *out, ck_store *self, const ck_session_record *record,
                                  const ck_opening *opening, ck_error *err) {
  return take_lease(
      out, self, &(lease_request){.session_id = record->id, .record = record, .opening = opening},
      err);
}

ck_status ck_store_acquire(ck_lease *out, ck_store *self, const char *session_id,
                           uint64_t epoch_read, const ck_opening *opening, ck_error *err) {
  lease_request request = {.session_id = session_id, .epoch_read = epoch_read, .opening = opening};
  return take_lease(out, self, &request, err);
}

ck_status ck_store_lock_session(ck_lease *out, ck_store *self, const char *session_id,
                                uint64_t epoch_read, ck_error *err) {
  ck_chain *chain = NULL;
  *out = (ck_lease){0};
  ck_status status = ck_id_check("session id", session_id, err);
  if (!status) status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_LOCK, self->url, err);
  if (!status) status = prepare_held(&chain, self, session_id, err);
  if (!status)
    status = self->backend.lock_session(out, self->backend.self, session_id, epoch_read, err);
  if (status)
    ck_chain_free(chain);
  else
    add_held(self, *out, chain, false);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_pin(ck_store *self, ck_lease lease, int64_t seq, bool pinned, ck_error *err) {
  const ck_held_lease *held;
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_store_core_check_lease(&held, self, lease, err);
  if (!status) status = ck_backend_require(&self->backend, CK_BACKEND_PIN, self->url, err);
  if (!status) status = self->backend.pin(self->backend.self, lease, seq, pinned, err);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_vacuum(int64_t *bytes, ck_store *self, ck_error *err) {
  *bytes = 0;
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  if (self->backend.vacuum) status = self->backend.vacuum(bytes, self->backend.self, err);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_check_owner(ck_store *self, const char *session_id, ck_error *err) {
  return self->backend.check_owner(self->backend.self, session_id, err);
}

void ck_store_release(ck_store *self, ck_lease lease) {
  pthread_mutex_lock(&self->mutex);
  ck_held_lease *held = ck_store_core_get_lease(self, lease.session);
  if (held && held->lease.epoch == lease.epoch) {
    self->backend.release(self->backend.self, lease);
    ck_store_core_drop_lease(self, lease.session);
    ck_rollback_flush(&self->rollback);
  }
  pthread_mutex_unlock(&self->mutex);
}

void ck_store_set_fault(ck_store *self, ck_lease lease, const char *text) {
  pthread_mutex_lock(&self->mutex);
  const ck_held_lease *held = ck_store_core_get_lease(self, lease.session);
  if (held && held->lease.epoch == lease.epoch && self->backend.set_fault)
    self->backend.set_fault(self->backend.self, lease, text);
  pthread_mutex_unlock(&self->mutex);
}

void ck_store_get_fault(char out[CK_STORE_FAULT_MAX], ck_store *self, const char *session_id) {
  out[0] = 0;
  if (self->backend.get_fault) self->backend.get_fault(out, self->backend.self, session_id);
}

/* ---- requests ---- */

ck_status ck_store_put_request(ck_store *self, const ck_request *request, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_REQUEST, self->url, err);
  if (!status) status = self->backend.put_request(self->backend.self, request, err);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_get_request(ck_request *out, bool *found, ck_store *self, ck_lease lease,
                               int64_t after, ck_error *err) {
  *out = (ck_request){0};
  *found = false;
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  if (ck_backend_can(&self->backend, CK_BACKEND_REQUEST))
    status = self->backend.get_request(out, found, self->backend.self, lease, after, err);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_drop_request(ck_store *self, ck_lease lease, int64_t no, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_REQUEST, self->url, err);
  if (!status) status = self->backend.drop_request(self->backend.self, lease, no, err);
  return ck_store_core_end_write(self, status, err);
}
