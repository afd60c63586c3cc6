/* kept_state.c - keeps the state that a run goes on from. */
#include "core/store/kept_state.h"

#include "core/store/format/payload.h"
#include "core/store/store_core.h"

void ck_kept_state_init(ck_kept_state *self) { pthread_mutex_init(&self->mutex, NULL); }

static void forget(ck_kept_state *self) {
  ck_state_free(self->state);
  self->state = NULL;
}

void ck_kept_state_clear(ck_kept_state *self) {
  forget(self);
  pthread_mutex_destroy(&self->mutex);
}

void ck_kept_state_put(ck_kept_state *self, const ck_kept_state *from) {
  ck_error ignored = CK_ERROR_INIT;
  ck_state *copy;
  if (ck_state_copy(&copy, from->state, &ignored) != CK_OK) return;
  pthread_mutex_lock(&self->mutex);
  forget(self);
  self->state = copy;
  self->session = from->session;
  self->owner = from->owner;
  self->seq = from->seq;
  self->digest = from->digest;
  self->base = from->owner == from->session ? from->base : (ck_chain_base){0};
  pthread_mutex_unlock(&self->mutex);
}

void ck_kept_state_drop(ck_kept_state *self, int64_t session) {
  pthread_mutex_lock(&self->mutex);
  if (self->session == session) forget(self);
  pthread_mutex_unlock(&self->mutex);
}

typedef struct comparison {
  const ck_digest *digest;
  bool same;
} comparison;

static bool compare(void *to, const ck_checkpoint_row *row) {
  comparison *self = to;
  self->same =
      !row->fault && !ck_payload_is_pruned(row) && ck_digest_equal(&row->digest, self->digest);
  return false;
}

/* Another process may have pruned it, or written its row again, since it was read. */
static ck_status is_there(bool *out, const ck_kept_state *kept, const ck_backend *backend,
                          ck_error *err) {
  comparison with = {.digest = &kept->digest};
  ck_checkpoint_rows rows = {
      .session = kept->owner, .after = kept->seq - 1, .until = kept->seq, .backward = true};
  ck_status status = backend->read_checkpoints(backend->self, &rows, compare, &with, err);
  *out = status == CK_OK && with.same;
  return status;
}

ck_status ck_kept_state_get(ck_kept_state *out, ck_store *store, int64_t session, int64_t seq,
                            ck_error *err) {
  ck_kept_state *self = &store->kept_state;
  bool found = false;
  *out = (ck_kept_state){0};
  pthread_mutex_lock(&self->mutex);
  ck_status status = CK_OK;
  if (self->state && self->session == session && self->seq == seq)
    status = is_there(&found, self, &store->backend, err);
  if (found) status = ck_state_copy(&out->state, self->state, err);
  if (out->state) {
    out->digest = self->digest;
    out->base = self->base;
  }
  pthread_mutex_unlock(&self->mutex);
  return status;
}

ck_status ck_store_get_state_to_go_on(ck_state **out, ck_store *self, int64_t session, int64_t seq,
                                      ck_error *err) {
  ck_kept_state kept, loaded = {.session = session, .seq = seq};
  ck_status status = ck_kept_state_get(&kept, self, session, seq, err);
  *out = kept.state;
  if (status || *out) return status;
  ck_load_request request = {.state = out, .digest = &loaded.digest, .base = &loaded.base};
  status = ck_store_core_load(&request, self, session, seq, err);
  if (status) return status;
  status = ck_store_core_get_owner(&loaded.owner, self, session, seq, err);
  loaded.state = *out;
  if (!status) {
    ck_kept_state_put(&self->kept_state, &loaded);
    return CK_OK;
  }
  ck_state_free(*out);
  *out = NULL;
  return status;
}
