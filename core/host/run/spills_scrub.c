/* spills_scrub.c - takes secrets out of the files of long outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/process/spill.h"
#include "core/host/run/spill_file.h"
#include "core/host/run/spills.h"

/* What is written before it takes a file's place; one that a kill left is removed. */
#define DRAFT ".scrub"

typedef struct scrub {
  const char *folder;
  const ck_spills_scrub_order *order;
  int64_t changed;
  ck_error *err;
  ck_status status;
} scrub;

static bool is_draft(const char *name) {
  size_t len = strlen(name), end = sizeof DRAFT - 1;
  return len > end && strcmp(name + len - end, DRAFT) == 0;
}

static ck_status replace(const ck_spill_file *file, ck_bytes text, ck_error *err) {
  char *draft;
  if (asprintf(&draft, "%s" DRAFT, file->name) < 0) return ck_error_no_memory(err);
  ck_status status = ck_spill_file_put(file, draft, file->name, text, err);
  free(draft);
  return status;
}

/* What lay there before the store had a key is sealed now. */
static ck_status scrub_text(scrub *self, const ck_spill_file *file, bool sealed, ck_bytes text) {
  const ck_spills_scrub_order *order = self->order;
  ck_buffer kept = {0};
  if (order->expression)
    return ck_expression_learn(order->expression, order->redactor, text, self->err);
  ck_status status = ck_redactor_apply_text(&kept, order->redactor, CK_SINK_EVENT, text, self->err);
  bool changed = status == CK_OK && !ck_bytes_equal(ck_buffer_bytes(&kept), text);
  self->changed += changed;
  changed |= status == CK_OK && file->key && !sealed;
  if (changed && !order->dry_run) status = replace(file, ck_buffer_bytes(&kept), self->err);
  ck_buffer_clear(&kept);
  return status;
}

static bool visit(void *to, const char *name, int64_t bytes) {
  scrub *self = to;
  ck_buffer text = {0};
  bool sealed;
  ck_spill_file file = {.folder = self->folder, .name = name, .key = self->order->key};
  (void)bytes;
  if (self->status != CK_OK) return false;
  if (is_draft(name)) return !self->order->dry_run && !self->order->expression;
  self->status = ck_spill_file_read(&text, &sealed, &file, self->err);
  if (self->status == CK_OK) self->status = scrub_text(self, &file, sealed, ck_buffer_bytes(&text));
  if (text.data) explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
  return false;
}

ck_status ck_spills_scrub(int64_t *changed, const char *folder, const char *session,
                          const ck_spills_scrub_order *order, ck_error *err) {
  scrub self = {.folder = folder, .order = order, .err = err};
  *changed = 0;
  if (!folder) return CK_OK;
  ck_status status = ck_spill_sweep(folder, session, visit, &self, err);
  *changed = self.changed;
  return self.status != CK_OK ? self.status : status;
}
