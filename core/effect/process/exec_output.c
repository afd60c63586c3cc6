/* exec_output.c - keeps the beginning and the end of an output, and spills the whole. */
#include "core/effect/process/exec_output.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/effect/process/exec.h"

static void keep_end(ck_buffer *end, ck_bytes chunk) {
  if (chunk.len > CK_EXEC_ERROR_MAX) {
    chunk.data += chunk.len - CK_EXEC_ERROR_MAX;
    chunk.len = CK_EXEC_ERROR_MAX;
  }
  ck_buffer_append_bytes(end, chunk);
  if (end->failed || end->len <= 2 * CK_EXEC_ERROR_MAX) return;
  memmove(end->data, end->data + end->len - CK_EXEC_ERROR_MAX, CK_EXEC_ERROR_MAX);
  end->len = CK_EXEC_ERROR_MAX;
}

void ck_exec_output_append(ck_exec_output *self, const ck_spill_location *place,
                           const ck_effect *effect, ck_bytes chunk) {
  size_t room = self->keep_max - self->kept.len, fits = chunk.len < room ? chunk.len : room;
  bool first = self->total == self->kept.len && chunk.len > fits;
  self->total += chunk.len;
  keep_end(&self->end, chunk);
  ck_buffer_append(&self->kept, chunk.data, fits);
  if (first && place->shelf && place->withheld)
    (void)!ck_error_set(&self->lost, CK_E_REFUSED, "%s", place->withheld);
  else if (first && place->shelf &&
           ck_spill_open(&self->spill, place, effect, self->name, &self->lost) == CK_OK)
    ck_spill_append(self->spill, ck_buffer_bytes(&self->kept));
  if (self->spill)
    ck_spill_append(self->spill,
                    (ck_bytes){chunk.data + (first ? fits : 0), chunk.len - (first ? fits : 0)});
}

void ck_exec_output_close(ck_exec_output *self) {
  if (self->spill && ck_spill_close(&self->path, self->spill, &self->lost) != CK_OK)
    self->path = NULL;
  self->spill = NULL;
}

/* Only the cut made here can end inside a character; invalid bytes of the program itself are left
 * for is_lossy. */
ck_bytes ck_exec_output_kept(const ck_exec_output *self) {
  ck_bytes kept = ck_buffer_bytes(&self->kept);
  if (self->total > kept.len && kept.len > 0) kept.len = ck_utf8_cut(kept.data, kept.len);
  return kept;
}

bool ck_exec_output_is_lossy(const ck_exec_output *self) {
  ck_bytes rest = ck_exec_output_kept(self);
  while (rest.len > 0) {
    size_t len = *rest.data ? ck_utf8_length(rest.data, rest.len) : 0;
    if (len == 0) return true;
    rest.data += len;
    rest.len -= len;
  }
  return false;
}

void ck_exec_output_clear(ck_exec_output *self) {
  ck_spill_drop(self->spill);
  ck_buffer_clear(&self->kept);
  ck_buffer_clear(&self->end);
  free(self->path);
  *self = (ck_exec_output){0};
}
