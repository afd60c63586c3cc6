/* taken.c - the requests that a run has taken, until they are carried out. */
#include "core/runtime/session/taken.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/model/pause_reason.h"
#include "core/runtime/session/requests.h"
#include "core/runtime/session/session_private.h"
#include "core/store/request.h"

void ck_taken_clear(ck_taken *self) {
  free(self->list);
  *self = (ck_taken){0};
}

ck_status ck_taken_add(ck_taken *self, const ck_taken_request *request, ck_error *err) {
  ck_taken_request *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  list[self->count++] = *request;
  return CK_OK;
}

ck_taken_request *ck_taken_find(const ck_taken *self, const char *id) {
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(self->list[i].id, id) == 0) return &self->list[i];
  return NULL;
}

ck_taken_request *ck_taken_find_no(const ck_taken *self, int64_t no) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].no == no) return &self->list[i];
  return NULL;
}

bool ck_taken_is_repeated(const ck_taken *self, const ck_taken_request *one) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_taken_request *other = &self->list[i];
    if (other != one && other->kind == one->kind && other->noted && !other->over) return true;
  }
  return false;
}

static bool is_saved(ck_session *self, uint64_t ticket) {
  ck_error ignored = CK_ERROR_INIT;
  return ck_session_peek(self, ticket, &ignored) == CK_OK && !ck_session_is_unsaved(self, ticket);
}

ck_status ck_session_drop_over(ck_session *self, ck_error *err) {
  ck_taken *all = &self->taken;
  for (size_t i = 0; i < all->count;) {
    ck_taken_request *one = &all->list[i];
    if (!one->over || !is_saved(self, one->ticket)) {
      i++;
      continue;
    }
    ck_status status = ck_store_drop_request(self->runtime->store, self->lease, one->no, err);
    if (status != CK_OK) return status;
    *one = all->list[--all->count];
  }
  return CK_OK;
}

void ck_session_meet_asked(ck_session *self, uint64_t ticket) {
  for (size_t i = 0; i < self->taken.count; i++) {
    ck_taken_request *one = &self->taken.list[i];
    if (one->kind != CK_REQUEST_CHECKPOINT || !one->noted || one->over) continue;
    one->over = true;
    one->ticket = ticket;
  }
}

/* A pause that programs end by themselves is no rest; a cancel stands until the session is
 * cancelled; an answer, a pin and a prune are for whichever run is the next. */
static bool is_settled(const ck_session *self, const ck_request *row, ck_session_status status,
                       const char *reason) {
  int64_t from_ms;
  const ck_taken_request *one = ck_taken_find_no(&self->taken, row->no);
  bool goes_on = status == CK_SESSION_PAUSED && ck_pause_reason_goes_on(&from_ms, reason);
  if (one && one->over) return true;
  if (!row->kind) return false; /* damaged: it is told first, by the next run */
  if (status == CK_SESSION_COMPLETED || status == CK_SESSION_CANCELLED) return true;
  ck_request_kind kind = ck_request_kind_of(row->kind);
  return !goes_on && (kind == CK_REQUEST_PAUSE || kind == CK_REQUEST_CHECKPOINT);
}

void ck_session_settle_requests(ck_session *self, ck_session_status status, const char *reason) {
  ck_store *store = self->runtime->store;
  ck_error ignored = CK_ERROR_INIT;
  ck_request row = {0};
  for (bool more = true; more;) {
    bool found;
    ck_status read = ck_store_get_request(&row, &found, store, self->lease, row.no, &ignored);
    more = (read == CK_OK && found) || (read == CK_E_CORRUPT && row.no);
    if (more && is_settled(self, &row, status, reason))
      more = ck_store_drop_request(store, self->lease, row.no, &ignored) == CK_OK;
    int64_t no = row.no;
    ck_request_clear(&row);
    row.no = no;
  }
}
