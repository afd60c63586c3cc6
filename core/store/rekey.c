/* rekey.c - changes the key of a store: verifies it, begins, seals row by row, ends. */
#include "core/store/rekey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"
#include "core/store/sealed/sealed.h"

/* ---- rows ---- */

typedef struct change {
  ck_sealed sealed; /* only for its cache of sessions' homes */
  const char *url;
  ck_seal *from, *to; /* from NULL: there was no key */
  ck_key_id from_id, to_id;
  ck_rekey_report *report;
  ck_arena arena;
  ck_buffer space;
  const ck_rekey_beside *beside;
} change;

static ck_sealer sealer_from(const change *self, const ck_sealed_home *home) {
  return (ck_sealer){self->from, &self->from_id, home, false};
}
static ck_sealer sealer_to(const change *self, const ck_sealed_home *home) {
  return (ck_sealer){self->to, &self->to_id, home, false};
}

static ck_status check_plain(ck_bytes mac, ck_bytes key_id, ck_error *err) {
  if (mac.len == 0 && key_id.len == 0) return CK_OK;
  return ck_error_set(err, CK_E_WRONG_KEY, "is signed, in a store that had no key");
}

static ck_status change_event(void *to, int64_t session, ck_event_row *row, ck_error *err) {
  change *self = to;
  ck_sealed_home home;
  int encoding = row->encoding;
  ck_arena_reset(&self->arena);
  ck_status status = ck_sealed_get_home(&home, &self->sealed, session, err);
  if (status) return status;
  ck_sealer from = sealer_from(self, &home), with = sealer_to(self, &home);
  if (self->from)
    status = ck_sealed_decode_event(row, &from, &self->space, err);
  else
    status = check_plain(row->mac, row->key_id, err);
  with.signs_only = self->from && !(encoding & CK_ENCODING_SEALED);
  if (status) ck_error_prefix(err, "session %s, event %lld", home.id, (long long)row->seq);
  if (!status) status = ck_sealed_encode_event(row, &with, &self->arena, err);
  self->report->events += !status;
  return status;
}

static ck_status change_checkpoint(void *to, int64_t session, ck_checkpoint_row *row,
                                   ck_error *err) {
  change *self = to;
  ck_sealed_home home;
  int encoding = row->encoding;
  ck_arena_reset(&self->arena);
  ck_status status = ck_sealed_get_home(&home, &self->sealed, session, err);
  if (status) return status;
  ck_sealer from = sealer_from(self, &home), with = sealer_to(self, &home);
  if (self->from)
    status = ck_sealed_decode_checkpoint(row, &from, &self->space, err);
  else
    status = check_plain(row->mac, row->key_id, err);
  with.signs_only = self->from && !(encoding & CK_ENCODING_SEALED);
  if (status)
    ck_error_prefix(err, "session %s, checkpoint %s (seq %lld)", home.id, row->id,
                    (long long)row->seq);
  if (!status) status = ck_sealed_encode_checkpoint(row, &with, &self->arena, err);
  self->report->checkpoints += !status;
  return status;
}

/* A session whose rows are signed only has such a head. */
static ck_status change_head(void *to, int64_t session, ck_head_row *row, ck_error *err) {
  change *self = to;
  ck_sealed_home home;
  bool sealed = row->digest_len > CK_DIGEST_SIZE;
  ck_status status = ck_sealed_get_home(&home, &self->sealed, session, err);
  if (status) return status;
  ck_sealer from = sealer_from(self, &home), with = sealer_to(self, &home);
  if (self->from)
    status = ck_sealed_decode_head(row, &from, err);
  else
    status = check_plain(ck_head_row_mac(row), ck_head_row_key_id(row), err);
  with.signs_only = self->from && !sealed;
  if (status)
    ck_error_prefix(err, "session %s", home.id);
  else
    ck_sealed_encode_head(row, &with);
  return status;
}

static ck_status change_blob(void *to, ck_blob_row *row, ck_error *err) {
  change *self = to;
  ck_sealed_home nowhere = {.created_ms = 0};
  ck_sealer from = sealer_from(self, &nowhere), with = sealer_to(self, &nowhere);
  ck_buffer plain = {0};
  ck_status status = CK_OK;
  if (self->from)
    status = ck_sealed_decode_blob(row, &from, &plain, err);
  else if (row->encoding & CK_ENCODING_SEALED)
    status = ck_error_set(err, CK_E_WRONG_KEY, "a kept %s is sealed, in a store that had no key",
                          row->kind);
  if (!status) status = ck_sealed_encode_blob(row, &with, &self->space, err);
  ck_buffer_clear(&plain);
  return status;
}

/* ck_rekey.bytes: opened with the old key, sealed with the new one. A text is the mark, then hex
 * digits. */
static ck_status change_bytes(ck_buffer *out, void *to, const ck_rekey_bytes *what, ck_error *err) {
  change *self = to;
  ck_buffer sealed = {0}, plain = {0};
  ck_sealed_home home = {.created_ms = what->created_ms};
  snprintf(home.id, sizeof home.id, "%s", what->id);
  ck_sealer from = sealer_from(self, &home), with = sealer_to(self, &home);
  bool was_sealed = ck_sealed_is_sealed(what->bytes);
  ck_status status = ck_sealed_append_stored(&sealed, what->bytes, what->text, err);
  if (!status && was_sealed && !self->from)
    status = ck_error_set(err, CK_E_WRONG_KEY, "its %s is sealed, in a store that had no key",
                          what->use);
  if (!status)
    status =
        ck_sealed_decode_bytes(&plain, &from, what->use, what->name, ck_buffer_bytes(&sealed), err);
  ck_buffer_reset(&sealed);
  bool again = was_sealed || !self->from;
  if (!status && again)
    status =
        ck_sealed_encode_bytes(&sealed, &with, what->use, what->name, ck_buffer_bytes(&plain), err);
  ck_bytes now = ck_buffer_bytes(again ? &sealed : &plain);
  if (!status && what->text && again)
    ck_sealed_append_hex(out, now);
  else if (!status)
    ck_buffer_append_bytes(out, now);
  ck_buffer_clear(&sealed);
  ck_buffer_clear(&plain);
  return status ? status : ck_buffer_check(out, err);
}

/* ---- the change ---- */

/* Through the old key: damage would be sealed in for ever, or stop the change half way. */
static ck_status verify(const char *url, const ck_store_options *with, ck_error *err) {
  ck_store *store;
  ck_verify_report report = {0};
  ck_status status = ck_store_open(&store, url, with, err);
  if (!status) status = ck_store_verify(&report, store, NULL, NULL, NULL, err);
  ck_store_close(store);
  if (!status && report.problems)
    status = ck_error_set(
        err, CK_E_CORRUPT,
        "store %s: %lld problems, so nothing was changed: 'ckrun store verify' tells which", url,
        (long long)report.problems);
  return status;
}

static ck_status other_change(const change *self, const ck_sealed_entry *entry, ck_error *err) {
  char key[CK_KEY_ID_TEXT_SIZE], before[CK_KEY_ID_TEXT_SIZE];
  ck_key_id none = {{0}};
  ck_key_id_hex(key, &entry->key);
  ck_key_id_hex(before, &entry->before);
  bool had_none = ck_key_id_equal(&entry->before, &none);
  return ck_error_set(
      err, CK_E_OTHER_KEY,
      "store %s is on its way from %s%s to the key %s: give these with --key and --new-key",
      self->url, had_none ? "no key" : "the key ", had_none ? "" : before, key);
}

static ck_status begin_change(change *self, const ck_store_options *with, ck_bytes bytes,
                              const ck_sealed_entry *entry, ck_error *err) {
  ck_buffer begun = {0};
  ck_backend *backend = &self->sealed.inner;
  self->report->resumed = entry->changing;
  if (entry->changing && ck_sealed_entry_is_of(bytes, entry, self->to, self->from)) return CK_OK;
  if (entry->changing) return other_change(self, entry, err);
  ck_status status = verify(self->url, with, err);
  ck_sealed_entry_append(&begun, self->to, self->from, true);
  if (!status) status = ck_buffer_check(&begun, err);
  if (!status) status = backend->begin_rekey(backend->self, ck_buffer_bytes(&begun), err);
  ck_buffer_clear(&begun);
  return status;
}

static ck_status change_all(change *self, ck_error *err) {
  ck_buffer ended = {0};
  const ck_backend *backend = &self->sealed.inner;
  ck_rekey with = {.from = self->from,
                   .to = self->to,
                   .self = self,
                   .event = change_event,
                   .checkpoint = change_checkpoint,
                   .head = change_head,
                   .blob = change_blob,
                   .bytes = change_bytes};
  int64_t rows;
  ck_status status;
  do status = backend->rekey_rows(&rows, backend->self, &with, err);
  while (!status && rows > 0);
  ck_sealed_entry_append(&ended, self->to, NULL, false);
  if (!status) status = ck_buffer_check(&ended, err);
  if (!status) status = backend->end_rekey(backend->self, &with, ck_buffer_bytes(&ended), err);
  ck_buffer_clear(&ended);
  return status;
}

static ck_status change_beside(const change *self, const ck_key *from, const ck_key *to,
                               const uint8_t *salt, ck_error *err) {
  uint8_t keys[2][CK_KEY_SIZE];
  if (!self->beside || !self->beside->before) return CK_OK;
  if (from) ck_key_fingerprint(keys[0], from, salt);
  ck_key_fingerprint(keys[1], to, salt);
  ck_status status = self->beside->before(self->beside->self, &self->sealed.inner,
                                          from ? keys[0] : NULL, keys[1], err);
  explicit_bzero(keys, sizeof keys);
  return status;
}

static ck_status end_beside(const change *self, const ck_key *to, const uint8_t *salt,
                            ck_error *err) {
  uint8_t key[CK_KEY_SIZE];
  if (!self->beside || !self->beside->behind) return CK_OK;
  ck_key_fingerprint(key, to, salt);
  ck_status status = self->beside->behind(self->beside->self, &self->sealed.inner, key, err);
  explicit_bzero(key, sizeof key);
  return status;
}

static ck_status change_key(change *self, const ck_store_options *with, const ck_key *to,
                            ck_error *err) {
  ck_buffer bytes = {0};
  ck_sealed_entry entry = {0};
  ck_backend *backend = &self->sealed.inner;
  ck_key_id none = {{0}};
  ck_status status = backend->get_key_entry(&bytes, backend->self, err);
  if (!status) status = ck_sealed_entry_read(&entry, self->url, ck_buffer_bytes(&bytes), err);
  bool had_key = entry.changing ? !ck_key_id_equal(&entry.before, &none) : entry.is_there;
  const uint8_t *salt = backend->fingerprint_key(backend->self);
  if (!status) status = ck_seal_new(&self->to, to, salt, err);
  if (!status && had_key && with->key) status = ck_seal_new(&self->from, with->key, salt, err);
  if (!status) self->to_id = ck_seal_key(self->to);
  if (!status && self->from) self->from_id = ck_seal_key(self->from);
  if (!status && !entry.changing &&
      ck_sealed_entry_is_of(ck_buffer_bytes(&bytes), &entry, self->to, NULL) && entry.is_there) {
    self->report->was_done = true;
  } else if (!status) {
    ck_store_options verified = {.key = had_key ? with->key : NULL, .watch = with->watch};
    status = begin_change(self, &verified, ck_buffer_bytes(&bytes), &entry, err);
    if (!status) status = change_beside(self, verified.key, to, salt, err);
    if (!status && backend->use_seal) backend->use_seal(backend->self, self->from, false);
    if (!status) status = change_all(self, err);
  }
  if (!status) status = backend->clear_log(backend->self, err);
  if (!status) status = end_beside(self, to, salt, err);
  ck_buffer_clear(&bytes);
  return status;
}

ck_status ck_store_rekey(ck_rekey_report *out, const char *url, const ck_store_options *with,
                         const ck_key *to, const ck_rekey_beside *beside, ck_error *err) {
  *out = (ck_rekey_report){0};
  change *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->url = url;
  self->report = out;
  self->beside = beside;
  ck_backend *backend = &self->sealed.inner;
  pthread_mutex_init(&self->sealed.mutex, NULL);
  ck_status status = ck_store_core_open_backend(backend, url, &(ck_store_options){0}, err);
  if (!status) status = ck_backend_require(backend, CK_BACKEND_REKEY, url, err);
  if (!status) status = ck_backend_require(backend, CK_BACKEND_KEY, url, err);
  if (!status) status = change_key(self, with, to, err);
  if (backend->close) backend->close(backend->self);
  ck_seal_free(self->from);
  ck_seal_free(self->to);
  ck_arena_clear(&self->arena);
  ck_buffer_clear(&self->space);
  pthread_mutex_destroy(&self->sealed.mutex);
  free(self);
  return status;
}

/* ---- the keys in use ---- */

typedef struct listing {
  ck_sealed_entry entry;
  ck_key_use_visit visit;
  void *to;
} listing;

static void list_key(void *to, ck_bytes key_id, int64_t events, int64_t checkpoints) {
  listing *self = to;
  ck_key_use use = {.events = events, .checkpoints = checkpoints};
  use.is_key = ck_key_id_read(&use.id, key_id);
  use.is_current = use.is_key && self->entry.is_there && ck_key_id_equal(&use.id, &self->entry.key);
  use.is_before =
      use.is_key && self->entry.changing && ck_key_id_equal(&use.id, &self->entry.before);
  self->visit(self->to, &use);
}

ck_status ck_store_list_keys(const char *url, ck_key_use_visit visit, void *to, ck_error *err) {
  ck_backend backend = {0};
  ck_buffer bytes = {0};
  listing list = {.visit = visit, .to = to};
  ck_status status =
      ck_store_core_open_backend(&backend, url, &(ck_store_options){.read_only = true}, err);
  if (!status) status = ck_backend_require(&backend, CK_BACKEND_LIST_KEYS, url, err);
  if (!status) status = ck_backend_require(&backend, CK_BACKEND_KEY, url, err);
  if (!status) status = backend.get_key_entry(&bytes, backend.self, err);
  if (!status) status = ck_sealed_entry_read(&list.entry, url, ck_buffer_bytes(&bytes), err);
  if (!status) status = backend.list_keys(backend.self, list_key, &list, err);
  if (backend.close) backend.close(backend.self);
  ck_buffer_clear(&bytes);
  return status;
}
