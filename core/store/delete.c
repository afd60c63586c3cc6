/* delete.c - deletes a session; its forks are named in the refusal, or first receive a copy of what
 * they inherit. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/store_core.h"
#include "core/store/format/payload.h"

/* All sessions below one in the tree of forks: first its direct forks (deletion.direct of them),
 * then the forks of these. */
typedef struct descendant_list {
  ck_store *store;
  ck_session_record *list; /* only no, id, epoch and origin are used */
  size_t count, cap;
  ck_status status;
  ck_error *err;
} descendant_list;

static bool add_descendant(void *to, const ck_session_record *record) {
  descendant_list *self = to;
  ck_session_record *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->status = ck_error_no_memory(self->err);
    return false;
  }
  self->list = list;
  ck_session_record *added = &self->list[self->count++];
  *added = (ck_session_record){.no = record->no, .epoch = record->epoch, .origin = record->origin};
  memcpy(added->id, record->id, sizeof added->id);
  return true;
}

static ck_status add_forks(descendant_list *self, int64_t session, ck_error *err) {
  self->err = err;
  ck_status status = self->store->backend.list_forks(self->store->backend.self, session,
                                                     add_descendant, self, err);
  return status ? status : self->status;
}

static ck_status refuse(const descendant_list *self, const char *session_id, ck_error *err) {
  ck_buffer names = {0};
  for (size_t i = 0; i < self->count && i < 8; i++)
    ck_buffer_append_format(&names, "%s%s", i ? ", " : "", self->list[i].id);
  if (self->count > 8) ck_buffer_append_text(&names, ", …");
  ck_status status = ck_buffer_check(&names, err);
  if (!status)
    status = ck_error_set(err, CK_E_REFUSED,
                          "session %s is not deleted: forked from it: %s; --detach lets them have "
                          "what they need of it",
                          session_id, names.data);
  ck_buffer_clear(&names);
  return status;
}

/* ---- the copy for one fork ---- */

typedef struct copy {
  ck_dependent_fork *fork_copy;
  const char *session_id; /* the fork's */
  size_t cap;
  ck_status status;
} copy;

static bool add_stub(void *to, const ck_checkpoint_row *row) {
  copy *self = to;
  ck_dependent_fork *fork_copy = self->fork_copy;
  ck_prune_row *stubs =
      ck_array_grow(fork_copy->stubs, fork_copy->stub_count, &self->cap, sizeof *stubs);
  if (!stubs) {
    self->status = CK_E_NO_MEMORY;
    return false;
  }
  fork_copy->stubs = stubs;
  fork_copy->stubs[fork_copy->stub_count++] =
      (ck_prune_row){.seq = row->seq,
                     .digest = row->digest,
                     .stub = true,
                     .encoding = CK_ENCODING_PRUNED,
                     .payload_digest = ck_payload_seal(row, self->session_id)};
  return true;
}

static ck_status make_copy(ck_dependent_fork *out, ck_store *self, const ck_session_record *fork,
                           ck_origin origin, ck_error *err) {
  const ck_backend *backend = &self->backend;
  ck_timeline *timelines;
  size_t count;
  *out = (ck_dependent_fork){.session = fork->no, .cut = fork->origin.cut, .origin = origin};
  ck_status status = backend->list_timelines(&timelines, &count, backend->self, fork->no, err);
  if (status) return status;
  out->timeline = count ? timelines[0].no : INT64_MAX;
  free(timelines);
  copy all = {.fork_copy = out, .session_id = fork->id};
  status = backend->read_checkpoints(
      backend->self,
      &(ck_checkpoint_rows){.session = fork->origin.session, .until = fork->origin.cut}, add_stub,
      &all, err);
  if (!status && all.status) status = ck_error_no_memory(err);
  return status;
}

/* A fork whose current checkpoint is inherited could not be loaded any more: the copy of that
 * checkpoint is a stub. */
static ck_status check_position(ck_store *self, const ck_session_record *fork, int64_t session,
                                ck_error *err) {
  ck_head head;
  ck_status status = ck_store_get_head(&head, self, fork->id, err);
  if (status) return status;
  if (!head.has_checkpoint || head.checkpoint.session == session)
    status = ck_error_set(err, CK_E_REFUSED,
                          "nothing was deleted: fork %s stands at a checkpoint that it inherits: "
                          "let it come to one of its own, or undo its last rewind or resume",
                          fork->id);
  ck_head_clear(&head);
  return status;
}

static ck_status lock_descendant(ck_store *self, descendant_list *descendants, size_t index,
                                 ck_lease *leases, int64_t session, ck_error *err) {
  const ck_session_record *fork = &descendants->list[index];
  ck_status status =
      self->backend.lock_session(&leases[index], self->backend.self, fork->id, fork->epoch, err);
  return status ? status : check_position(self, fork, session, err);
}

/* ---- the whole ---- */

typedef struct deletion {
  ck_store *store;
  ck_lease lease;
  ck_origin origin;
  descendant_list descendants;
  size_t direct;
  ck_lease *leases; /* of the descendants; session 0: not locked */
  ck_dependent_fork *copies;
} deletion;

/* All descendants are locked, because a run of one has already read which sessions its transcript
 * lies in. */
static ck_status prepare_copies(deletion *self, ck_error *err) {
  descendant_list *descendants = &self->descendants;
  ck_status status = CK_OK;
  self->direct = descendants->count;
  for (size_t i = 0; i < descendants->count && !status; i++)
    status = add_forks(descendants, descendants->list[i].no, err);
  self->leases = calloc(descendants->count + 1, sizeof *self->leases);
  self->copies = calloc(self->direct + 1, sizeof *self->copies);
  if (!status && (!self->leases || !self->copies)) status = ck_error_no_memory(err);
  for (size_t i = 0; i < descendants->count && !status; i++)
    status = lock_descendant(self->store, descendants, i, self->leases, self->lease.session, err);
  for (size_t i = 0; i < self->direct && !status; i++)
    status = make_copy(&self->copies[i], self->store, &descendants->list[i], self->origin, err);
  return status;
}

static void clear(deletion *self) {
  const ck_backend *backend = &self->store->backend;
  for (size_t i = 0; self->leases && i < self->descendants.count; i++)
    if (self->leases[i].session) backend->release(backend->self, self->leases[i]);
  for (size_t i = 0; self->copies && i < self->direct; i++) free(self->copies[i].stubs);
  free(self->leases);
  free(self->copies);
  free(self->descendants.list);
}

static ck_status delete_session(deletion *self, const char *session_id, bool detach,
                                ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  ck_identity identity;
  ck_status status = backend->get_identity(&identity, backend->self, self->lease.session, err);
  self->origin = identity.origin;
  if (!status) status = add_forks(&self->descendants, self->lease.session, err);
  if (!status && self->descendants.count && !detach)
    status = refuse(&self->descendants, session_id, err);
  if (!status && self->descendants.count)
    status = ck_backend_require(backend, CK_BACKEND_LOCK, self->store->url, err);
  if (!status) status = prepare_copies(self, err);
  return status
             ? status
             : backend->delete_session(backend->self, self->lease, self->copies, self->direct, err);
}

ck_status ck_store_delete_session(ck_store *self, ck_lease lease, bool detach, ck_error *err) {
  const ck_held_lease *held;
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_store_core_check_lease(&held, self, lease, err);
  if (!status) status = ck_backend_require(&self->backend, CK_BACKEND_DELETE, self->url, err);
  deletion work = {.store = self, .lease = lease, .descendants = {.store = self}};
  if (!status) status = delete_session(&work, ck_chain_session(held->chain), detach, err);
  clear(&work);
  if (!status) {
    self->backend.release(self->backend.self, lease);
    ck_store_core_drop_lease(self, lease.session);
  }
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_clear_log(ck_store *self, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  if (self->backend.clear_log) status = self->backend.clear_log(self->backend.self, err);
  return ck_store_core_end_write(self, status, err);
}
