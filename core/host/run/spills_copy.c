/* spills_copy.c - copies long outputs beside the copy of a store, or into it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/effect/process/spill.h"
#include "core/host/run/spills.h"
#include "core/store/maintenance.h"

enum { CHUNK = 1 << 18 };

typedef struct copying {
  const ck_shelf *from, *to;
  bool is_new;     /* nothing stands there, and nobody sees it yet */
  ck_store *store; /* of `to`; NULL: it is a folder */
  ck_lease lease;  /* of the session `held`; session 0: none */
  char held[CK_ID_SIZE];
  ck_error *err;
  ck_status status;
} copying;

static ck_status failed(const char *folder, ck_error *err) {
  ck_status status = errno == ENOSPC || errno == EDQUOT ? CK_E_FULL : CK_E_IO;
  return ck_error_set(err, errno == EEXIST || errno == ENOTEMPTY ? CK_E_EXISTS : status,
                      "cannot make %s: %s", folder, strerror(errno));
}

/* ---- one ---- */

static ck_status copy_bytes(ck_shelf_item *in, ck_shelf_item *out, ck_error *err) {
  size_t got = 1;
  char *chunk = malloc(CHUNK);
  ck_status status = chunk ? CK_OK : ck_error_no_memory(err);
  while (status == CK_OK && got > 0) {
    status = ck_shelf_read(&got, in, chunk, CHUNK, err);
    if (status == CK_OK && got) status = ck_shelf_write(out, (ck_bytes){chunk, got}, err);
  }
  free(chunk);
  return status == CK_OK ? ck_shelf_end(out, true, err) : status;
}

/* Under another name first, where somebody may look: one that a killed process left there begins
 * anew. */
static ck_status copy_item(const copying *self, ck_shelf_item *in, const char *name,
                           ck_error *err) {
  char *draft = NULL;
  ck_shelf_item *out;
  if (asprintf(&draft, "%s%s", self->is_new ? "" : ".", name) < 0) return ck_error_no_memory(err);
  ck_status status = ck_shelf_make(&out, self->to, draft, err);
  if (status == CK_OK) {
    status = copy_bytes(in, out, err);
    ck_shelf_free(out);
    if (status == CK_OK && !self->is_new) status = ck_shelf_move(self->to, draft, name, err);
    if (status != CK_OK) (void)!ck_shelf_remove(self->to, draft, NULL);
  }
  free(draft);
  return status;
}

/* ---- whose it is ---- */

static void give_back(copying *self) {
  if (self->lease.session) ck_store_release(self->store, self->lease);
  self->lease = (ck_lease){0};
}

/* *there: it is one of a session of the store, whose lock is held now. */
static ck_status hold(bool *there, copying *self, const char *name, ck_error *err) {
  char id[CK_ID_SIZE];
  ck_session_record record;
  ck_error absent = CK_ERROR_INIT;
  *there = ck_spill_session(id, name);
  if (!*there || (self->lease.session && strcmp(id, self->held) == 0)) return CK_OK;
  give_back(self);
  ck_status status = ck_store_get_session(&record, self->store, id, &absent);
  *there = status == CK_OK;
  if (status == CK_E_NOT_FOUND) return CK_OK;
  if (status != CK_OK) return ck_error_set(err, status, "%s", absent.text);
  memcpy(self->held, record.id, sizeof self->held);
  status = ck_store_lock_session(&self->lease, self->store, record.id, record.epoch, err);
  ck_session_record_clear(&record);
  return status;
}

/* ---- all ---- */

static bool is_there(const ck_shelf *shelf, const char *name) {
  ck_shelf_item *found;
  bool there = ck_shelf_open_item(&found, shelf, name, NULL) == CK_OK;
  ck_shelf_free(found);
  return there;
}

/* One that was removed meanwhile is not named by what was copied before. */
static bool copy_one(void *to, const char *name, int64_t bytes) {
  copying *self = to;
  ck_error absent = CK_ERROR_INIT;
  ck_shelf_item *in;
  bool wanted = true;
  (void)bytes;
  if (self->status != CK_OK || name[0] == '.') return false;
  if (!self->is_new && is_there(self->to, name)) return false;
  if (self->store) self->status = hold(&wanted, self, name, self->err);
  if (self->status != CK_OK || !wanted) return false;
  ck_status status = ck_shelf_open_item(&in, self->from, name, &absent);
  if (status == CK_E_NOT_FOUND) return false;
  if (status == CK_OK)
    status = copy_item(self, in, name, self->err);
  else if (self->err)
    *self->err = absent;
  ck_shelf_free(in);
  self->status = status;
  return false;
}

static ck_status copy_all(copying *self, const char *session, ck_error *err) {
  self->err = err;
  ck_status status = ck_spill_sweep(self->from, session, copy_one, self, err);
  return status == CK_OK ? self->status : status;
}

ck_status ck_spills_add(const ck_shelf *from, const ck_shelf *to, ck_store *store, ck_error *err) {
  copying self = {.from = from, .to = to, .store = to->folder ? NULL : store};
  ck_status status = copy_all(&self, NULL, err);
  give_back(&self);
  return status == CK_OK ? ck_shelf_sync(to, err) : status;
}

/* ---- a new folder ---- */

static bool take_all(void *to, const char *name, int64_t bytes) {
  (void)to, (void)name, (void)bytes;
  return true;
}

static ck_status fill(const ck_shelf *from, const char *session, const char *draft, const char *to,
                      ck_error *err) {
  ck_shelf into;
  ck_status status = ck_shelf_open_folder(&into, draft, err);
  copying self = {.from = from, .to = &into, .is_new = true};
  if (status == CK_OK) status = copy_all(&self, session, err);
  if (status == CK_OK) status = ck_shelf_sync(&into, err);
  if (status == CK_OK && rename(draft, to) != 0) status = failed(to, err);
  if (status != CK_OK) (void)!ck_shelf_list(&into, NULL, take_all, NULL, NULL);
  if (status != CK_OK) rmdir(draft);
  ck_shelf_close(&into);
  return status;
}

static bool find_one(void *to, const char *name, int64_t bytes) {
  (void)bytes;
  if (name[0] != '.') *(bool *)to = true;
  return false;
}

ck_status ck_spills_copy(const ck_shelf *from, const char *session, const char *to, ck_error *err) {
  char *draft = NULL;
  bool any = false;
  ck_status status = ck_spill_sweep(from, session, find_one, &any, err);
  if (status != CK_OK || !any) return status;
  if (asprintf(&draft, "%s.XXXXXX", to) < 0) return ck_error_no_memory(err);
  status = mkdtemp(draft) ? fill(from, session, draft, to, err) : failed(to, err);
  free(draft);
  return status;
}
