/* spills_scrub.c - takes secrets out of the files of long outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/process/spill.h"
#include "core/host/run/spill_windows.h"
#include "core/host/run/spills.h"

/* What is written before it takes a file's place; one that a kill left is removed. */
#define DRAFT ".scrub"
enum { MATCH_MAX = 64 << 10 }; /* of what an expression finds across the end of a window */

typedef struct scrub {
  const ck_shelf *shelf;
  const ck_spills_scrub_order *order;
  int64_t changed;
  ck_error *err;
  ck_status status;
} scrub;

static bool is_draft(const char *name) {
  size_t len = strlen(name), end = sizeof DRAFT - 1;
  return len > end && strcmp(name + len - end, DRAFT) == 0;
}

/* One file, read up to twice: the second time it is written. */
typedef struct pass {
  const scrub *of;
  ck_spill_draft *draft; /* NULL: it is only looked at */
  ck_buffer before;      /* for an expression: the end of the last window, that may cut a match */
  bool changed;
} pass;

static ck_status learn(pass *self, ck_bytes text, ck_error *err) {
  const ck_spills_scrub_order *order = self->of->order;
  size_t end = text.len < MATCH_MAX ? text.len : MATCH_MAX;
  ck_buffer_append_bytes(&self->before, text);
  ck_status status = ck_buffer_check(&self->before, err);
  if (status == CK_OK)
    status = ck_expression_learn(order->expression, order->redactor, ck_buffer_bytes(&self->before),
                                 err);
  ck_buffer_reset(&self->before);
  ck_buffer_append(&self->before, text.data + text.len - end, end);
  return status;
}

static ck_status take_window(void *to, ck_bytes text, ck_error *err) {
  pass *self = to;
  const ck_spills_scrub_order *order = self->of->order;
  ck_buffer kept = {0};
  if (order->expression) return learn(self, text, err);
  if (self->changed && !self->draft) return CK_OK;
  ck_status status = ck_redactor_apply_text(&kept, order->redactor, CK_SINK_EVENT, text, err);
  if (status == CK_OK) self->changed |= !ck_bytes_equal(ck_buffer_bytes(&kept), text);
  if (status == CK_OK && self->draft)
    status = ck_spill_draft_append(self->draft, ck_buffer_bytes(&kept), err);
  ck_buffer_clear(&kept);
  return status;
}

static ck_status walk(bool *sealed, pass *self, const ck_spill_file *file, ck_error *err) {
  ck_spill_windows windows = {
      .redactor = self->of->order->redactor, .visit = take_window, .to = self};
  ck_status status = ck_spill_file_walk(sealed, file, ck_spill_windows_take, &windows, err);
  if (status == CK_OK) status = ck_spill_windows_end(&windows, err);
  ck_spill_windows_clear(&windows);
  if (self->before.data) explicit_bzero(self->before.data, self->before.cap);
  ck_buffer_clear(&self->before);
  return status;
}

static ck_status replace(pass *self, const ck_spill_file *file, ck_error *err) {
  char *name;
  bool sealed;
  if (asprintf(&name, "%s" DRAFT, file->name) < 0) return ck_error_no_memory(err);
  ck_status status = ck_spill_draft_open(&self->draft, file, name, err);
  if (status == CK_OK) status = walk(&sealed, self, file, err);
  if (status == CK_OK)
    status = ck_spill_draft_end(self->draft, file->name, err);
  else
    ck_spill_draft_drop(self->draft);
  free(name);
  return status;
}

/* What lay there before the store had a key is sealed now. */
static ck_status scrub_file(scrub *self, const ck_spill_file *file) {
  const ck_spills_scrub_order *order = self->order;
  pass work = {.of = self};
  bool sealed;
  ck_status status = walk(&sealed, &work, file, self->err);
  if (status != CK_OK || order->expression) return status;
  self->changed += work.changed;
  bool changed = work.changed || (file->key && !sealed);
  return changed && !order->dry_run ? replace(&work, file, self->err) : CK_OK;
}

static bool visit(void *to, const char *name, int64_t bytes) {
  scrub *self = to;
  ck_spill_file file = {.shelf = self->shelf, .name = name, .key = self->order->key};
  (void)bytes;
  if (self->status != CK_OK) return false;
  if (is_draft(name)) return !self->order->dry_run && !self->order->expression;
  self->status = scrub_file(self, &file);
  return false;
}

ck_status ck_spills_scrub(int64_t *changed, const ck_shelf *shelf, const char *session,
                          const ck_spills_scrub_order *order, ck_error *err) {
  scrub self = {.shelf = shelf, .order = order, .err = err};
  *changed = 0;
  ck_status status = ck_spill_sweep(shelf, session, visit, &self, err);
  *changed = self.changed;
  return self.status != CK_OK ? self.status : status;
}
