/* delete.c - deletes a session; its forks are named, or given what they inherit of it first. */
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"
#include "core/store/format/payload.h"

/* The sessions below one in the tree of forks; the first `direct` of them were cut from it. */
typedef struct family {
  ck_store *store;
  ck_session_record *list; /* only no, id, epoch and origin are used */
  size_t count, cap;
  ck_status status;
  ck_error *err;
} family;

static bool add_member(void *to, const ck_session_record *record) {
  family *self = to;
  if (self->count == self->cap) {
    size_t cap = self->cap ? self->cap * 2 : 8;
    ck_session_record *list = reallocarray(self->list, cap, sizeof *list);
    if (!list) {
      self->status = ck_error_no_memory(self->err);
      return false;
    }
    self->list = list;
    self->cap = cap;
  }
  ck_session_record *member = &self->list[self->count++];
  *member = (ck_session_record){.no = record->no, .epoch = record->epoch, .origin = record->origin};
  memcpy(member->id, record->id, sizeof member->id);
  return true;
}

static ck_status add_forks(family *self, int64_t session, ck_error *err) {
  self->err = err;
  ck_status status =
      self->store->backend.list_forks(self->store->backend.self, session, add_member, self, err);
  return status ? status : self->status;
}

static ck_status refuse(const family *self, const char *session_id, ck_error *err) {
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

/* ---- what a fork is given ---- */

typedef struct estate {
  ck_dependent_fork *heir;
  const char *session_id; /* the heir's */
  size_t cap;
  ck_status status;
} estate;

static bool add_stub(void *to, const ck_checkpoint_row *row) {
  estate *self = to;
  ck_dependent_fork *heir = self->heir;
  if (heir->stub_count == self->cap) {
    size_t cap = self->cap ? self->cap * 2 : 64;
    ck_prune_row *stubs = reallocarray(heir->stubs, cap, sizeof *stubs);
    if (!stubs) {
      self->status = CK_E_NO_MEMORY;
      return false;
    }
    heir->stubs = stubs;
    self->cap = cap;
  }
  heir->stubs[heir->stub_count++] =
      (ck_prune_row){.seq = row->seq,
                     .digest = row->digest,
                     .stub = true,
                     .encoding = CK_ENCODING_PRUNED,
                     .payload_digest = ck_payload_seal(row, self->session_id)};
  return true;
}

static ck_status make_heir(ck_dependent_fork *out, ck_store *self, const ck_session_record *fork,
                           ck_origin origin, ck_error *err) {
  const ck_backend *backend = &self->backend;
  ck_timeline *timelines;
  size_t count;
  *out = (ck_dependent_fork){.session = fork->no, .cut = fork->origin.cut, .origin = origin};
  ck_status status = backend->list_timelines(&timelines, &count, backend->self, fork->no, err);
  if (status) return status;
  out->timeline = count ? timelines[0].no : INT64_MAX;
  free(timelines);
  estate all = {.heir = out, .session_id = fork->id};
  status = backend->read_checkpoints(
      backend->self,
      &(ck_checkpoint_rows){.session = fork->origin.session, .until = fork->origin.cut}, add_stub,
      &all, err);
  if (!status && all.status) status = ck_error_no_memory(err);
  return status;
}

/* Its state would be a stub. */
static ck_status check_standing(ck_store *self, const ck_session_record *fork, int64_t session,
                                ck_error *err) {
  ck_head head;
  ck_status status = ck_store_get_head(&head, self, fork->id, err);
  if (status) return status;
  if (!head.has_checkpoint || head.checkpoint.session == session)
    status = ck_error_set(err, CK_E_REFUSED,
                          "nothing was deleted: fork %s stands at a checkpoint that it inherits: "
                          "let it come to one of "
                          "its own, or undo its last rewind or resume",
                          fork->id);
  ck_head_clear(&head);
  return status;
}

static ck_status hold_member(ck_store *self, family *members, size_t index, ck_lease *leases,
                             int64_t session, ck_error *err) {
  const ck_session_record *fork = &members->list[index];
  ck_status status =
      self->backend.lock_session(&leases[index], self->backend.self, fork->id, fork->epoch, err);
  return status ? status : check_standing(self, fork, session, err);
}

/* ---- the whole ---- */

typedef struct deletion {
  ck_store *store;
  ck_lease lease;
  ck_origin origin;
  family members;
  size_t direct;
  ck_lease *leases; /* of the members; session 0: not held */
  ck_dependent_fork *heirs;
} deletion;

/* A run of a fork, or of a fork of it, has read where its transcript lies. */
static ck_status prepare_heirs(deletion *self, ck_error *err) {
  family *members = &self->members;
  ck_status status = CK_OK;
  self->direct = members->count;
  for (size_t i = 0; i < members->count && !status; i++)
    status = add_forks(members, members->list[i].no, err);
  self->leases = calloc(members->count + 1, sizeof *self->leases);
  self->heirs = calloc(self->direct + 1, sizeof *self->heirs);
  if (!status && (!self->leases || !self->heirs)) status = ck_error_no_memory(err);
  for (size_t i = 0; i < members->count && !status; i++)
    status = hold_member(self->store, members, i, self->leases, self->lease.session, err);
  for (size_t i = 0; i < self->direct && !status; i++)
    status = make_heir(&self->heirs[i], self->store, &members->list[i], self->origin, err);
  return status;
}

static void clear(deletion *self) {
  const ck_backend *backend = &self->store->backend;
  for (size_t i = 0; self->leases && i < self->members.count; i++)
    if (self->leases[i].session) backend->release(backend->self, self->leases[i]);
  for (size_t i = 0; self->heirs && i < self->direct; i++) free(self->heirs[i].stubs);
  free(self->leases);
  free(self->heirs);
  free(self->members.list);
}

static ck_status delete_session(deletion *self, const char *session_id, bool detach,
                                ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  ck_identity identity;
  ck_status status = backend->get_identity(&identity, backend->self, self->lease.session, err);
  self->origin = identity.origin;
  if (!status) status = add_forks(&self->members, self->lease.session, err);
  if (!status && self->members.count && !detach) status = refuse(&self->members, session_id, err);
  if (!status && self->members.count)
    status = ck_backend_require(backend, CK_BACKEND_LOCK, self->store->url, err);
  if (!status) status = prepare_heirs(self, err);
  return status
             ? status
             : backend->delete_session(backend->self, self->lease, self->heirs, self->direct, err);
}

ck_status ck_store_delete_session(ck_store *self, ck_lease lease, bool detach, ck_error *err) {
  const ck_held_lease *held;
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_store_core_check_lease(&held, self, lease, err);
  if (!status) status = ck_backend_require(&self->backend, CK_BACKEND_DELETE, self->url, err);
  deletion work = {.store = self, .lease = lease, .members = {.store = self}};
  if (!status) status = delete_session(&work, ck_chain_session(held->chain), detach, err);
  clear(&work);
  if (!status) {
    self->backend.release(self->backend.self, lease);
    ck_store_core_drop_lease(self, lease.session);
  }
  return ck_store_core_end_write(self, status, err);
}
