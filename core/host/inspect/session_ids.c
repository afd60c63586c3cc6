/* session_ids.c - finds the sessions that a command is about. */
#include "core/host/inspect/session_ids.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

static bool append(ck_session_ids *self, const char *id) {
  void *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *self->list);
  if (!list) return false;
  self->list = list;
  memcpy(self->list[self->count++], id, CK_ID_SIZE);
  return true;
}

typedef struct listing {
  ck_session_ids *out;
  bool failed;
} listing;

static bool take(void *to, const ck_session_record *record) {
  listing *self = to;
  self->failed = !append(self->out, record->id);
  return !self->failed;
}

static void reverse(ck_session_ids *self) {
  char kept[CK_ID_SIZE];
  for (size_t i = 0, k = self->count; i + 1 < k; i++) {
    k--;
    memcpy(kept, self->list[i], sizeof kept);
    memcpy(self->list[i], self->list[k], sizeof kept);
    memcpy(self->list[k], kept, sizeof kept);
  }
}

/* The store lists the newest first. */
static ck_status find_all(ck_session_ids *out, const ck_inspection *of, ck_error *err) {
  listing all = {.out = out};
  ck_status status = ck_store_list_sessions(of->store, 0, take, &all, err);
  if (status != CK_OK) return status;
  if (all.failed) return ck_error_no_memory(err);
  reverse(out);
  return out->count
             ? CK_OK
             : ck_error_set(err, CK_E_NOT_FOUND, "there is no session in %s", of->location.url);
}

ck_status ck_session_ids_find(ck_session_ids *out, const ck_inspection *of, const ck_words *given,
                              ck_error *err) {
  if (!given->count) return find_all(out, of, err);
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < given->count; i++) {
    char id[CK_ID_SIZE];
    status = ck_resolve_session(id, of->store, given->list[i], err);
    if (status == CK_OK && !append(out, id)) status = ck_error_no_memory(err);
  }
  return status;
}

void ck_session_ids_clear(ck_session_ids *self) {
  free(self->list);
  *self = (ck_session_ids){0};
}
