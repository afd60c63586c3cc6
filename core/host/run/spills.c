/* spills.c - lists the files of long outputs, and searches recorded outcomes for their names. */
#include "core/host/run/spills.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/effect/process/spill.h"

ck_status ck_spills_find(char **out, const char *store_url, ck_error *err) {
  static const char scheme[] = "sqlite:";
  size_t len = sizeof scheme - 1;
  *out = NULL;
  if (strncmp(store_url, scheme, len) != 0) return CK_OK;
  if (asprintf(out, "%s.spill", store_url + len) >= 0) return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

/* ---- counting ---- */

static bool count_file(void *to, const char *name, int64_t bytes) {
  ck_spills_size *size = to;
  (void)name;
  size->files++;
  size->bytes += bytes;
  return false;
}

ck_status ck_spills_measure(ck_spills_size *out, const char *folder, ck_error *err) {
  *out = (ck_spills_size){0};
  return folder ? ck_spill_sweep(folder, NULL, count_file, out, err) : CK_OK;
}

static bool take_all(void *to, const char *name, int64_t bytes) {
  (void)to, (void)name, (void)bytes;
  return true;
}

ck_status ck_spills_remove(const char *folder, const char *session, ck_error *err) {
  return folder ? ck_spill_sweep(folder, session, take_all, NULL, err) : CK_OK;
}

/* ---- named files ---- */

/* The files that no outcome names so far. */
typedef struct sweep {
  char **names;
  size_t count, cap;
  bool failed, dry;
  ck_spills_size *gone;
} sweep;

static bool note_file(void *to, const char *name, int64_t bytes) {
  sweep *self = to;
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
static bool drop_named(void *to, const ck_event *event) {
  sweep *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!memmem(body.data, body.len, "\"spill\"", 7)) return true;
  for (size_t i = self->count; i-- > 0;) {
    if (!memmem(body.data, body.len, self->names[i], strlen(self->names[i]))) continue;
    free(self->names[i]);
    self->names[i] = self->names[--self->count];
  }
  return self->count > 0;
}

static bool goes(void *to, const char *name, int64_t bytes) {
  sweep *self = to;
  for (size_t i = 0; i < self->count; i++) {
    if (strcmp(self->names[i], name) != 0) continue;
    count_file(self->gone, name, bytes);
    return !self->dry;
  }
  return false;
}

ck_status ck_spills_sweep(ck_spills_size *out, const char *folder, ck_store *store,
                          const ck_session_record *session, bool dry, ck_error *err) {
  sweep self = {.dry = dry, .gone = out};
  *out = (ck_spills_size){0};
  if (!folder) return CK_OK;
  ck_status status = ck_spill_sweep(folder, session->id, note_file, &self, err);
  if (status == CK_OK && self.failed) status = ck_error_no_memory(err);
  const ck_event_query query = {.session = session->no, .kinds = UINT64_C(1) << CK_EVENT_OUTCOME};
  if (status == CK_OK && self.count > 0)
    status = ck_store_read_events(store, &query, drop_named, &self, err);
  if (status == CK_OK && self.count > 0)
    status = ck_spill_sweep(folder, session->id, goes, &self, err);
  for (size_t i = 0; i < self.count; i++) free(self.names[i]);
  free(self.names);
  return status;
}
