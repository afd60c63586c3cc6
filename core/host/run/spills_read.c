/* spills_read.c - reads files of long outputs: that of an effect, or all of a session, to check
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/process/spill.h"
#include "core/host/run/spill_file.h"
#include "core/host/run/spills.h"

/* ---- one ---- */

typedef struct looking {
  const char *begin, *end; /* of the name: up to the attempt's number; ".stdout" */
  unsigned long attempt;   /* the last one that was found */
  char *name;
  bool failed;
} looking;

static bool look(void *to, const char *name, int64_t bytes) {
  looking *self = to;
  char *rest;
  size_t len = strlen(self->begin);
  (void)bytes;
  if (strncmp(name, self->begin, len) != 0) return false;
  unsigned long attempt = strtoul(name + len, &rest, 10);
  if (strcmp(rest, self->end) != 0 || attempt < self->attempt) return false;
  free(self->name);
  self->attempt = attempt;
  self->name = strdup(name);
  self->failed |= !self->name;
  return false;
}

static ck_status find(looking *self, const ck_shelf *shelf, const char *session, ck_error *err) {
  ck_status status = ck_spill_sweep(shelf, session, look, self, err);
  return status == CK_OK && self->failed ? ck_error_no_memory(err) : status;
}

ck_status ck_spills_read(ck_buffer *out, const ck_shelf *shelf, const uint8_t *key,
                         const char *session, const char *effect, const char *name, ck_error *err) {
  char *begin, end[16];
  bool sealed;
  snprintf(end, sizeof end, ".%.10s", name);
  ck_status status = ck_spill_name(&begin, session, effect, err);
  if (status != CK_OK) return status;
  looking self = {.begin = begin, .end = end};
  status = find(&self, shelf, session, err);
  if (status == CK_OK && !self.name)
    status = ck_error_set(err, CK_E_NOT_FOUND,
                          "effect %s of session %s has no long %s: what is not longer than "
                          "output_max is in its outcome, which 'ckrun sessions log' shows",
                          effect, session, name);
  const ck_spill_file file = {.shelf = shelf, .name = self.name, .key = key};
  if (status == CK_OK) status = ck_spill_file_read(out, &sealed, &file, err);
  free(self.name);
  free(begin);
  return status;
}
