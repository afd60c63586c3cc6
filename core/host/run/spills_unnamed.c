/* spills_unnamed.c - searches the recorded outcomes of a session for the names of its files. */
#include "core/host/run/spills_unnamed.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/effect/process/spill.h"

void ck_spills_unnamed_clear(ck_spills_unnamed *self) {
  for (size_t i = 0; i < self->count; i++) free(self->names[i]);
  free(self->names);
  *self = (ck_spills_unnamed){0};
}

static bool note_file(void *to, const char *name, int64_t bytes) {
  ck_spills_unnamed *self = to;
  (void)bytes;
  char **names = ck_array_grow(self->names, self->count, &self->cap, sizeof *names);
  self->failed |= !names;
  if (!names) return false;
  self->names = names;
  char *copy = strdup(name);
  self->failed |= !copy;
  if (copy) self->names[self->count++] = copy;
  return false;
}

/* A name is hex digits, the session's id and a word: JSON contains it without escapes. */
static bool take_named(void *to, const ck_event *event) {
  ck_spills_unnamed *left = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!memmem(body.data, body.len, "\"spill\"", 7)) return true;
  for (size_t i = left->count; i-- > 0;) {
    char *name = left->names[i];
    if (!memmem(body.data, body.len, name, strlen(name))) continue;
    left->names[i] = left->names[--left->count];
    free(name);
  }
  return left->count > 0;
}

ck_status ck_spills_find_unnamed(ck_spills_unnamed *out, const ck_shelf *shelf, ck_store *store,
                                 const ck_session_record *session, ck_error *err) {
  const ck_event_query query = {.session = session->no, .kinds = UINT64_C(1) << CK_EVENT_OUTCOME};
  *out = (ck_spills_unnamed){0};
  ck_status status = ck_spill_sweep(shelf, session->id, note_file, out, err);
  if (status == CK_OK && out->failed) status = ck_error_no_memory(err);
  if (status == CK_OK && out->count > 0)
    status = ck_store_read_events(store, &query, take_named, out, err);
  return status;
}
