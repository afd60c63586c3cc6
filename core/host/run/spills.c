/* spills.c - lists the files of long outputs, and removes those that nothing names. */
#include "core/host/run/spills.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/process/spill.h"
#include "core/host/run/spills_unnamed.h"
#include "core/store/output.h"

ck_status ck_spills_open(ck_shelf *out, const char *store_url, ck_store *store, ck_error *err) {
  static const char scheme[] = "sqlite:";
  size_t len = sizeof scheme - 1;
  char *folder;
  *out = (ck_shelf){0};
  if (strncmp(store_url, scheme, len) != 0)
    return store && ck_store_keeps_outputs(store) ? ck_store_open_outputs(out, store, err) : CK_OK;
  if (asprintf(&folder, "%s.spill", store_url + len) < 0) return ck_error_no_memory(err);
  ck_status status = ck_shelf_open_folder(out, folder, err);
  free(folder);
  return status;
}

/* ---- counting ---- */

static bool count_file(void *to, const char *name, int64_t bytes) {
  ck_spills_size *size = to;
  (void)name;
  size->files++;
  size->bytes += bytes;
  return false;
}

ck_status ck_spills_measure(ck_spills_size *out, const ck_shelf *shelf, ck_error *err) {
  *out = (ck_spills_size){0};
  return ck_spill_sweep(shelf, NULL, count_file, out, err);
}

static bool take_all(void *to, const char *name, int64_t bytes) {
  (void)to, (void)name, (void)bytes;
  return true;
}

ck_status ck_spills_remove(const ck_shelf *shelf, const char *session, ck_error *err) {
  return ck_spill_sweep(shelf, session, take_all, NULL, err);
}

/* ---- named files ---- */

typedef struct sweep {
  ck_spills_unnamed left; /* by all outcomes */
  bool dry;
  ck_spills_size *gone;
} sweep;

static bool goes(void *to, const char *name, int64_t bytes) {
  sweep *self = to;
  for (size_t i = 0; i < self->left.count; i++) {
    if (strcmp(self->left.names[i], name) != 0) continue;
    count_file(self->gone, name, bytes);
    return !self->dry;
  }
  return false;
}

ck_status ck_spills_sweep(ck_spills_size *out, const ck_shelf *shelf, ck_store *store,
                          const ck_session_record *session, bool dry, ck_error *err) {
  sweep self = {.dry = dry, .gone = out};
  *out = (ck_spills_size){0};
  ck_status status = ck_spills_find_unnamed(&self.left, shelf, store, session, err);
  if (status == CK_OK && self.left.count > 0)
    status = ck_spill_sweep(shelf, session->id, goes, &self, err);
  ck_spills_unnamed_clear(&self.left);
  return status;
}
