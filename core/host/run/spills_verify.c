/* spills_verify.c - checks the files of long outputs that recorded outcomes name. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/effect/process/spill.h"
#include "core/host/run/spill_file.h"
#include "core/host/run/spills.h"

typedef struct checking {
  ck_spill_file file; /* without a name */
  const char *session;
  char **names; /* of files that no outcome has named so far */
  size_t count, cap;
  bool failed;
  int64_t *unsealed;
  ck_spills_damaged visit;
  void *to;
} checking;

static bool note(void *to, const char *name, int64_t bytes) {
  checking *self = to;
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

static void check(checking *self, const char *name) {
  ck_error found = CK_ERROR_INIT;
  ck_buffer text = {0};
  bool sealed;
  ck_spill_file file = self->file;
  file.name = name;
  ck_status status = ck_spill_file_read(&text, &sealed, &file, &found);
  *self->unsealed += status == CK_OK && file.key && !sealed;
  if (status != CK_OK) self->visit(self->to, self->session, status, found.text);
  if (text.data) explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
}

static bool check_named(void *to, const ck_event *event) {
  checking *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!memmem(body.data, body.len, "\"spill\"", 7)) return true;
  for (size_t i = self->count; i-- > 0;) {
    if (!memmem(body.data, body.len, self->names[i], strlen(self->names[i]))) continue;
    check(self, self->names[i]);
    free(self->names[i]);
    self->names[i] = self->names[--self->count];
  }
  return self->count > 0;
}

ck_status ck_spills_verify(int64_t *unsealed, const char *folder, ck_store *store,
                           const ck_session_record *session, ck_spills_damaged visit, void *to,
                           ck_error *err) {
  checking self = {.file = {.folder = folder, .key = ck_store_fingerprint_key(store)},
                   .session = session->id,
                   .unsealed = unsealed,
                   .visit = visit,
                   .to = to};
  *unsealed = 0;
  if (!folder) return CK_OK;
  ck_status status = ck_spill_sweep(folder, session->id, note, &self, err);
  if (status == CK_OK && self.failed) status = ck_error_no_memory(err);
  const ck_event_query query = {.session = session->no, .kinds = UINT64_C(1) << CK_EVENT_OUTCOME};
  if (status == CK_OK && self.count > 0)
    status = ck_store_read_events(store, &query, check_named, &self, err);
  for (size_t i = 0; i < self.count; i++) free(self.names[i]);
  free(self.names);
  return status;
}
