/* sealed.c - opens a store with its key: checks the entry that names the key, then wraps the
 * backend. */
#include "core/store/sealed/sealed.h"

#include <stdlib.h>
#include <string.h>

/* ---- the given key against the store's entry ---- */

static ck_status wrong_key(const ck_sealed_opening *opening, const ck_key_id *theirs,
                           ck_error *err) {
  char stored[CK_KEY_ID_TEXT_SIZE], given[CK_KEY_ID_TEXT_SIZE];
  ck_key_id id = ck_key_get_id(opening->key);
  ck_key_id_hex(stored, theirs);
  ck_key_id_hex(given, &id);
  return ck_error_set(err, CK_E_OTHER_KEY,
                      "store %s is sealed with the key %s; the key given by %s is %s", opening->url,
                      stored, ck_key_source(opening->key), given);
}

static ck_status check_entry(const ck_sealed *self, ck_bytes bytes, const ck_sealed_entry *entry,
                             const ck_sealed_opening *opening, ck_error *err) {
  if (!ck_key_id_equal(&entry->key, &self->key)) return wrong_key(opening, &entry->key, err);
  if (ck_sealed_entry_is_of(bytes, entry, self->seal, NULL)) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s: its entry about its key is not what was written", opening->url);
}

static ck_status no_key(const char *url, const ck_sealed_entry *entry, ck_error *err) {
  char hex[CK_KEY_ID_TEXT_SIZE];
  ck_key_id_hex(hex, &entry->key);
  return ck_error_set(err, CK_E_SECRET_MISSING,
                      "store %s is sealed with the key %s: give it with --key env:NAME or --key "
                      "file:PATH, or set CKRUN_KEY",
                      url, hex);
}

static ck_status is_changing(const char *url, const ck_sealed_entry *entry, ck_error *err) {
  char key[CK_KEY_ID_TEXT_SIZE];
  ck_key_id_hex(key, &entry->key);
  return ck_error_set(
      err, CK_E_REFUSED,
      "store %s is on its way to the key %s: 'ckrun key rotate' must come to its end first", url,
      key);
}

static ck_status was_changed(const char *url, const ck_sealed_entry *entry, ck_error *err) {
  char key[CK_KEY_ID_TEXT_SIZE];
  ck_key_id_hex(key, &entry->key);
  return ck_error_set(
      err, CK_E_OTHER_KEY,
      "store %s was given the key %s since it was opened: do it again with that one", url, key);
}

ck_status ck_sealed_check_unchanged(const ck_backend *backend, const char *url, ck_error *err) {
  ck_buffer bytes = {0};
  ck_sealed_entry entry;
  bool same = true;
  ck_status status = CK_OK;
  if (backend->compare_key_entry)
    status = backend->compare_key_entry(&bytes, &same, backend->self, err);
  if (!status && !same) {
    status = ck_sealed_entry_read(&entry, url, ck_buffer_bytes(&bytes), err);
    if (!status)
      status = entry.changing ? is_changing(url, &entry, err) : was_changed(url, &entry, err);
  }
  ck_buffer_clear(&bytes);
  return status;
}

/* An empty store takes the key as its own; CK_E_REFUSED of the backend says that it is not
 * empty. */
static ck_status take_key(ck_sealed *self, const ck_sealed_opening *opening, ck_error *err) {
  ck_buffer entry = {0};
  ck_sealed_entry_append(&entry, self->seal, NULL, false);
  ck_status status = ck_buffer_check(&entry, err);
  if (!status)
    status = opening->read_only
                 ? CK_E_REFUSED
                 : self->inner.put_key_entry(self->inner.self, ck_buffer_bytes(&entry), err);
  ck_buffer_clear(&entry);
  if (status != CK_E_REFUSED) return status;
  return ck_error_set(err, CK_E_WRONG_KEY,
                      "store %s has no key, so what is in it is not sealed; a key was given by %s: "
                      "leave it away, or let 'ckrun key rotate --new-key' give it to the store",
                      opening->url, ck_key_source(opening->key));
}

/* ---- sessions ---- */

ck_status ck_sealed_get_home(ck_sealed_home *out, ck_sealed *self, int64_t session, ck_error *err) {
  size_t slot = (uint64_t)session % CK_SEALED_HOMES;
  pthread_mutex_lock(&self->mutex);
  bool known = session > 0 && self->homes[slot].no == session;
  if (known) *out = self->homes[slot].home;
  pthread_mutex_unlock(&self->mutex);
  if (known) return CK_OK;
  ck_identity identity;
  ck_status status = self->inner.get_identity(&identity, self->inner.self, session, err);
  if (status) return status;
  *out = (ck_sealed_home){.created_ms = identity.created_ms};
  memcpy(out->id, identity.id, sizeof out->id);
  pthread_mutex_lock(&self->mutex);
  self->homes[slot].no = session;
  self->homes[slot].home = *out;
  pthread_mutex_unlock(&self->mutex);
  return CK_OK;
}

ck_sealer ck_sealed_sealer(const ck_sealed *self, const ck_sealed_home *home) {
  return (ck_sealer){self->seal, &self->key, home, false};
}

/* ---- opening and closing ---- */

static void close_sealed(void *to) {
  ck_sealed *self = to;
  if (self->inner.close) self->inner.close(self->inner.self);
  ck_seal_free(self->seal);
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

/* A store that an older ckrun sealed is signed as a whole by the first process that opens it to
 * write; one that finds it in use leaves that to a later one. */
static ck_status sign_older(ck_sealed *self, ck_error *err) {
  ck_buffer entry = {0};
  ck_error owned = CK_ERROR_INIT;
  if (!self->inner.inventory.sign_store) return CK_OK;
  ck_sealed_entry_append(&entry, self->seal, NULL, false);
  ck_status status = ck_buffer_check(&entry, &owned);
  if (!status)
    status = self->inner.inventory.sign_store(self->inner.self, ck_buffer_bytes(&entry), &owned);
  ck_buffer_clear(&entry);
  if (status && status != CK_E_OWNED && err) *err = owned;
  return status == CK_E_OWNED ? CK_OK : status;
}

static ck_status open_sealed(ck_sealed *self, const ck_sealed_opening *opening, ck_bytes bytes,
                             const ck_sealed_entry *entry, ck_error *err) {
  const ck_backend *inner = &self->inner;
  ck_status status =
      ck_seal_new(&self->seal, opening->key, inner->fingerprint_key(inner->self), err);
  if (status) return status;
  self->key = ck_seal_key(self->seal);
  if (entry->is_there) status = check_entry(self, bytes, entry, opening, err);
  if (!status && inner->use_seal)
    inner->use_seal(inner->self, self->seal, entry->is_signed || !entry->is_there);
  if (!status && !entry->is_there) status = take_key(self, opening, err);
  if (!status && entry->is_there && !entry->is_signed && !opening->read_only)
    status = sign_older(self, err);
  if (status && inner->use_seal) inner->use_seal(inner->self, NULL, false);
  return status;
}

/* After a failure the wrapped backend is still the caller's. */
static ck_status wrap(ck_backend *backend, const ck_sealed_opening *opening, ck_bytes bytes,
                      const ck_sealed_entry *entry, ck_error *err) {
  ck_sealed *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  pthread_mutex_init(&self->mutex, NULL);
  self->arena = opening->arena;
  self->inner = *backend;
  ck_status status = open_sealed(self, opening, bytes, entry, err);
  if (status) {
    self->inner.close = NULL;
    close_sealed(self);
    return status;
  }
  *backend = (ck_backend){.self = self, .close = close_sealed};
  ck_sealed_add_writes(backend);
  ck_sealed_add_reads(backend);
  ck_sealed_add_blobs(backend);
  ck_sealed_add_outputs(backend);
  ck_sealed_add_worker(backend);
  ck_sealed_add_scrub(backend);
  return CK_OK;
}

ck_status ck_sealed_open(bool *sealed, ck_backend *backend, const ck_sealed_opening *opening,
                         ck_error *err) {
  ck_buffer bytes = {0};
  ck_sealed_entry entry;
  *sealed = false;
  ck_status status = backend->get_key_entry(&bytes, backend->self, err);
  if (!status) status = ck_sealed_entry_read(&entry, opening->url, ck_buffer_bytes(&bytes), err);
  if (!status && entry.changing)
    status = is_changing(opening->url, &entry, err);
  else if (!status && opening->key)
    status = wrap(backend, opening, ck_buffer_bytes(&bytes), &entry, err);
  else if (!status && entry.is_there)
    status = no_key(opening->url, &entry, err);
  *sealed = !status && opening->key;
  ck_buffer_clear(&bytes);
  return status;
}
