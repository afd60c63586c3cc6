/* write.c - seals and signs rows that are written. Called under the mutex of the store core, with
 * its arena. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sealed/sealed.h"

#define INNER(to) (((ck_sealed *)(to))->inner)

/* ---- rows ---- */

static ck_status encode_events(const ck_event_row **out, const ck_sealer *with,
                               const ck_event_row *rows, size_t count, ck_arena *arena,
                               ck_error *err) {
  *out = NULL;
  if (count == 0) return CK_OK;
  ck_event_row *copies = ck_arena_push(arena, count * sizeof *copies);
  if (!copies) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && !status; i++) {
    copies[i] = rows[i];
    status = ck_sealed_encode_event(&copies[i], with, arena, err);
  }
  *out = copies;
  return status;
}

static ck_status encode_checkpoint(const ck_checkpoint_row **out, const ck_sealer *with,
                                   const ck_checkpoint_row *row, ck_arena *arena, ck_error *err) {
  *out = NULL;
  if (!row) return CK_OK;
  ck_checkpoint_row *copy = ck_arena_push(arena, sizeof *copy);
  if (!copy) return ck_error_no_memory(err);
  *copy = *row;
  *out = copy;
  return ck_sealed_encode_checkpoint(copy, with, arena, err);
}

/* *out lies in the arena; NULL stays NULL. */
static ck_status encode_text(const char **out, const ck_sealer *with, const char *use,
                             const char *text, ck_arena *arena, ck_error *err) {
  char *sealed;
  *out = NULL;
  ck_status status = ck_sealed_encode_text(&sealed, with, use, text, err);
  if (status || !sealed) return status;
  size_t size = strlen(sealed) + 1;
  char *copy = ck_arena_push(arena, size);
  if (copy) *out = memcpy(copy, sealed, size);
  free(sealed);
  return copy ? CK_OK : ck_error_no_memory(err);
}

static ck_status encode_update(const ck_session_update **out, const ck_sealer *with,
                               const ck_session_update *update, ck_arena *arena, ck_error *err) {
  *out = update;
  if (!update || (!update->reason && !update->node)) return CK_OK;
  ck_session_update *copy = ck_arena_push(arena, sizeof *copy);
  if (!copy) return ck_error_no_memory(err);
  *copy = *update;
  *out = copy;
  ck_status status = encode_text(&copy->reason, with, "reason", update->reason, arena, err);
  return status ? status : encode_text(&copy->node, with, "node", update->node, arena, err);
}

static ck_status encode_head(const ck_head_row **out, const ck_sealer *with, ck_arena *arena,
                             ck_error *err) {
  if (!*out) return CK_OK;
  ck_head_row *copy = ck_arena_push(arena, sizeof *copy);
  if (!copy) return ck_error_no_memory(err);
  *copy = **out;
  ck_sealed_encode_head(copy, with);
  *out = copy;
  return CK_OK;
}

/* ---- commits ---- */

static ck_status encode_batch(ck_row_batch *out, ck_sealed *self, const ck_row_batch *batch,
                              ck_error *err) {
  ck_sealed_home home;
  ck_arena *arena = self->arena;
  *out = *batch;
  if (batch->event_count == 0 && !batch->checkpoint && !batch->update) return CK_OK;
  ck_status status = ck_sealed_get_home(&home, self, batch->lease.session, err);
  if (status == CK_E_NOT_FOUND)
    return CK_OK; /* the backend sets this status itself, and writes nothing */
  ck_sealer with = ck_sealed_sealer(self, &home);
  with.signs_only = batch->unsealed;
  if (!status)
    status = encode_events(&out->events, &with, batch->events, batch->event_count, arena, err);
  if (!status) status = encode_checkpoint(&out->checkpoint, &with, batch->checkpoint, arena, err);
  if (!status) status = encode_update(&out->update, &with, batch->update, arena, err);
  return status ? status : encode_head(&out->head, &with, arena, err);
}

static ck_status commit(void *to, ck_row_batch *batches, size_t count, ck_durability durability,
                        ck_error *err) {
  ck_sealed *self = to;
  ck_row_batch *sealed = ck_arena_push(self->arena, count * sizeof *sealed);
  ck_status status = sealed ? CK_OK : ck_error_no_memory(err);
  for (size_t i = 0; i < count && !status; i++)
    status = encode_batch(&sealed[i], self, &batches[i], err);
  if (!status) status = self->inner.commit(self->inner.self, sealed, count, durability, err);
  for (size_t i = 0; i < count && !status; i++) batches[i].status = sealed[i].status;
  return status;
}

/* Bound to the run alone. The value is freed with ck_value_free. */
static ck_status encode_about(ck_row_opening *out, const ck_sealed *self,
                              const ck_row_opening *opening, ck_error *err) {
  ck_sealed_home nowhere = {.created_ms = 0};
  ck_sealer with = ck_sealed_sealer(self, &nowhere);
  ck_value *about;
  with.signs_only = opening->unsealed;
  ck_status status =
      ck_sealed_encode_value(&about, &with, "about", opening->timeline->run, opening->about, err);
  out->about = about;
  return status;
}

/* The caller frees out->about. */
static ck_status encode_opening(ck_row_opening *out, ck_sealed *self, const ck_sealed_home *home,
                                const ck_row_opening *opening, ck_error *err) {
  ck_arena *arena = self->arena;
  ck_sealer with = ck_sealed_sealer(self, home);
  with.signs_only = opening->unsealed;
  *out = *opening;
  ck_status status =
      encode_events(&out->events, &with, opening->events, opening->event_count, arena, err);
  if (!status) status = encode_checkpoint(&out->checkpoint, &with, opening->checkpoint, arena, err);
  if (!status) status = encode_update(&out->update, &with, opening->update, arena, err);
  if (!status) status = ck_sealed_encode_blobs(&out->blobs, self, opening->blob_count, err);
  if (status) return status;
  ck_sealed_encode_head(&out->head, &with);
  return encode_about(out, self, opening, err);
}

static ck_status create_session(ck_lease *out, void *to, const ck_session_record *record,
                                const ck_row_opening *opening, ck_error *err) {
  ck_sealed *self = to;
  ck_row_opening rows = {0};
  ck_sealed_home home = {.created_ms = record->created_ms};
  ck_session_record sealed = *record;
  *out = (ck_lease){0};
  sealed.description = NULL;
  memcpy(home.id, record->id, sizeof home.id);
  ck_sealer with = ck_sealed_sealer(self, &home);
  with.signs_only = opening->unsealed;
  ck_status status = ck_sealed_encode_value(&sealed.input, &with, "input", "", record->input, err);
  if (!status)
    status =
        ck_sealed_encode_text(&sealed.description, &with, "description", record->description, err);
  if (!status) status = encode_opening(&rows, self, &home, opening, err);
  if (!status) status = self->inner.create_session(out, self->inner.self, &sealed, &rows, err);
  ck_value_free(sealed.input);
  free(sealed.description);
  ck_value_free((ck_value *)rows.about);
  return status;
}

static ck_status acquire(ck_lease *out, void *to, const char *session_id, uint64_t epoch_read,
                         const ck_row_opening *opening, ck_error *err) {
  ck_sealed *self = to;
  ck_session_record record;
  ck_row_opening rows = {0};
  *out = (ck_lease){0};
  ck_status status = self->inner.get_session(&record, self->inner.self, session_id, err);
  if (status) return status;
  ck_sealed_home home = {.created_ms = record.created_ms};
  memcpy(home.id, record.id, sizeof home.id);
  bool current = record.epoch == epoch_read;
  if (current) status = ck_sealed_check_whole(&record, self, err);
  ck_session_record_clear(&record);
  if (!status) status = encode_opening(&rows, self, &home, opening, err);
  if (!status)
    status = self->inner.acquire(out, self->inner.self, session_id, epoch_read, &rows, err);
  ck_value_free((ck_value *)rows.about);
  return status;
}

/* ---- pruning ---- */

/* A stored checkpoint that pruning changes, so that it must be signed again; its payload is not
 * read. */
typedef struct resigning {
  const ck_sealer *with;
  ck_prune_row *row; /* in: as the store core made it; out: as the backend gets it */
  const ck_sealer *fork;
  ck_arena *arena;
  bool found;
  ck_status status;
  ck_error *err;
} resigning;

static ck_checkpoint_row pruned_row(const ck_checkpoint_row *open, const ck_prune_row *change) {
  ck_checkpoint_row row = *open;
  row.payload_digest = change->payload_digest;
  row.encoding = change->encoding;
  if (change->stub) row.keyframe = row.plain_len = 0;
  row.payload = (ck_bytes){NULL, 0};
  return row;
}

/* Signs and seals the changed row like a new one; a payload that stays is unchanged. */
static bool sign_again(void *to, const ck_checkpoint_row *stored) {
  resigning *self = to;
  ck_buffer space = {0};
  ck_checkpoint_row open = *stored;
  self->found = true;
  self->status = ck_sealed_decode_checkpoint(&open, self->with, &space, self->err);
  ck_sealer with = self->fork ? *self->fork : *self->with;
  with.signs_only = !(stored->encoding & CK_ENCODING_SEALED);
  ck_checkpoint_row row = pruned_row(&open, self->row);
  if (!self->status)
    self->status = ck_sealed_encode_checkpoint(&row, &with, self->arena, self->err);
  if (self->status && self->status != CK_E_NO_MEMORY)
    ck_error_prefix(self->err, "checkpoint %s (seq %lld)", stored->id, (long long)stored->seq);
  bool sealed =
      row.encoding & CK_ENCODING_SEALED; /* the backend compares the stored, masked digest */
  if (sealed) self->row->digest = ck_seal_mask(with.seal, &self->row->digest);
  self->row->payload_digest = row.payload_digest;
  self->row->encoding = row.encoding;
  self->row->mac = row.mac;
  self->row->key_id = row.key_id;
  if (sealed) self->row->info = row.info;
  ck_buffer_clear(&space);
  return false;
}

/* `session`: that of the stored rows; `fork`: the session they are signed for, NULL: the same. */
static ck_status encode_prune(ck_prune_row **out, ck_sealed *self, int64_t session,
                              const ck_prune_row *rows, size_t count, const ck_sealer *fork,
                              ck_error *err) {
  ck_sealed_home home;
  ck_arena *arena = self->arena;
  ck_prune_row *copies = *out = ck_arena_push(arena, (count + 1) * sizeof *copies);
  if (!copies) return ck_error_no_memory(err);
  ck_status status = ck_sealed_get_home(&home, self, session, err);
  ck_sealer with = ck_sealed_sealer(self, &home);
  for (size_t i = 0; i < count && !status; i++) {
    copies[i] = rows[i];
    resigning work = {.with = &with, .row = &copies[i], .fork = fork, .arena = arena, .err = err};
    ck_checkpoint_rows one = {.session = session, .after = rows[i].seq - 1, .until = rows[i].seq};
    status = self->inner.read_checkpoints(self->inner.self, &one, sign_again, &work, err);
    if (!status) status = work.status;
    if (!status && !work.found)
      status = ck_error_set(err, CK_E_CORRUPT, "session %s: the checkpoint at seq %lld is gone",
                            home.id, (long long)rows[i].seq);
  }
  return status;
}

static ck_status prune(void *to, ck_lease lease, const ck_prune_row *rows, size_t count,
                       ck_error *err) {
  ck_sealed *self = to;
  ck_prune_row *sealed;
  ck_status status = encode_prune(&sealed, self, lease.session, rows, count, NULL, err);
  return status ? status : self->inner.prune(self->inner.self, lease, sealed, count, err);
}

/* ---- deleting ---- */

/* Moves rows of events from a deleted session to a fork of it, one at a time. */
typedef struct move {
  ck_sealed_home from_home, to_home;
  ck_sealer from, to;
  ck_buffer space;
  ck_arena arena;
} move;

static ck_status move_event(void *to, ck_event_row *row, ck_error *err) {
  move *self = to;
  ck_arena_reset(&self->arena);
  int encoding = row->encoding;
  ck_status status = ck_sealed_decode_event(row, &self->from, &self->space, err);
  if (status && status != CK_E_NO_MEMORY)
    ck_error_prefix(err, "session %s, event %lld", self->from_home.id, (long long)row->seq);
  if (status) return status;
  self->to.signs_only = !(encoding & CK_ENCODING_SEALED);
  return ck_sealed_encode_event(row, &self->to, &self->arena, err);
}

static ck_status encode_fork(ck_dependent_fork *fork, move *with, ck_sealed *self, int64_t session,
                             ck_error *err) {
  ck_prune_row *stubs;
  ck_status status = ck_sealed_get_home(&with->from_home, self, session, err);
  if (!status) status = ck_sealed_get_home(&with->to_home, self, fork->session, err);
  if (status) return status;
  with->from = ck_sealed_sealer(self, &with->from_home);
  with->to = ck_sealed_sealer(self, &with->to_home);
  status = encode_prune(&stubs, self, session, fork->stubs, fork->stub_count, &with->to, err);
  fork->stubs = stubs;
  fork->move = move_event;
  fork->to = with;
  return status;
}

static ck_status delete_session(void *to, ck_lease lease, const ck_dependent_fork *forks,
                                size_t count, ck_error *err) {
  ck_sealed *self = to;
  ck_dependent_fork *sealed = calloc(count + 1, sizeof *sealed);
  move *moves = calloc(count + 1, sizeof *moves);
  ck_status status = sealed && moves ? CK_OK : ck_error_no_memory(err);
  for (size_t i = 0; i < count && !status; i++) {
    sealed[i] = forks[i];
    status = encode_fork(&sealed[i], &moves[i], self, lease.session, err);
  }
  if (!status) status = self->inner.delete_session(self->inner.self, lease, sealed, count, err);
  for (size_t i = 0; moves && i < count; i++) {
    ck_buffer_clear(&moves[i].space);
    ck_arena_clear(&moves[i].arena);
  }
  free(moves);
  free(sealed);
  return status;
}

/* ---- facts ---- */

/* The owner's length makes the pair of owner and key unambiguous. */
void ck_sealed_append_fact_name(ck_buffer *out, const char *owner, const char *key) {
  ck_buffer_append_format(out, "%zu:%s%s", strlen(owner), owner, key);
}

static ck_status put_fact(void *to, const ck_fact *fact, ck_error *err) {
  ck_sealed *self = to;
  ck_sealed_home nowhere = {.created_ms = 0};
  ck_sealer with = ck_sealed_sealer(self, &nowhere);
  ck_fact sealed = *fact;
  ck_value *value = NULL;
  ck_buffer name = {0};
  ck_sealed_append_fact_name(&name, fact->owner, fact->key);
  ck_status status = ck_buffer_check(&name, err);
  if (!status) status = ck_sealed_encode_value(&value, &with, "fact", name.data, fact->value, err);
  sealed.value = value;
  if (!status) status = self->inner.put_fact(self->inner.self, &sealed, err);
  ck_value_free(value);
  ck_buffer_clear(&name);
  return status;
}

/* ---- functions that pass on what they are given ---- */

static ck_status recover(void *to, ck_error *err) { return INNER(to).recover(INNER(to).self, err); }
static ck_status sync_all(void *to, ck_error *err) { return INNER(to).sync(INNER(to).self, err); }
static ck_status idle(void *to, ck_error *err) { return INNER(to).idle(INNER(to).self, err); }
static bool claim(void *to, bool on) { return INNER(to).claim(INNER(to).self, on); }
static int news(bool *found, void *to) { return INNER(to).news(found, INNER(to).self); }
static ck_status replicate(void *to, ck_error *err) {
  return INNER(to).server.replicate(INNER(to).self, err);
}
static ck_status examine(void *to, ck_server_visit visit, void *of, ck_error *err) {
  return INNER(to).server.examine(INNER(to).self, visit, of, err);
}
static ck_status lock_session(ck_lease *out, void *to, const char *session_id, uint64_t epoch_read,
                              ck_error *err) {
  return INNER(to).lock_session(out, INNER(to).self, session_id, epoch_read, err);
}
static ck_status pin(void *to, ck_lease lease, int64_t seq, bool pinned, ck_error *err) {
  return INNER(to).pin(INNER(to).self, lease, seq, pinned, err);
}
static ck_status vacuum(int64_t *bytes, void *to, ck_error *err) {
  return INNER(to).vacuum(bytes, INNER(to).self, err);
}
/* Rows as they are stored: sealed. */
static ck_status backup(ck_backup_report *out, void *to, const ck_backup_order *order,
                        ck_error *err) {
  return INNER(to).backup(out, INNER(to).self, order, err);
}
static ck_status restore(void *to, const char *path, ck_restored_visit visit, void *visitor,
                         ck_error *err) {
  return INNER(to).restore(INNER(to).self, path, visit, visitor, err);
}

/* Optional functions are provided when the wrapped backend provides them. */
void ck_sealed_add_writes(ck_backend *out) {
  const ck_backend *inner = &INNER(out->self);
  out->commit = commit;
  out->create_session = create_session;
  out->acquire = acquire;
  if (inner->prune) out->prune = prune;
  if (inner->delete_session) out->delete_session = delete_session;
  if (inner->put_request) out->put_request = ck_sealed_put_request;
  if (inner->get_request) out->get_request = ck_sealed_get_request;
  if (inner->drop_request) out->drop_request = ck_sealed_drop_request;
  if (inner->put_fact) out->put_fact = put_fact;
  if (inner->recover) out->recover = recover;
  if (inner->sync) out->sync = sync_all;
  if (inner->idle) out->idle = idle;
  if (inner->claim) out->claim = claim;
  if (inner->news) out->news = news;
  if (inner->server.replicate) out->server = (ck_server_functions){replicate, examine};
  if (inner->lock_session) out->lock_session = lock_session;
  if (inner->pin) out->pin = pin;
  if (inner->vacuum) out->vacuum = vacuum;
  if (inner->backup) out->backup = backup;
  if (inner->restore) out->restore = restore;
}
