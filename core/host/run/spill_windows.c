/* spill_windows.c - cuts a long text where nothing is masked. */
#include "core/host/run/spill_windows.h"

#include <string.h>

enum {
  LEAST = 1 << 20,  /* of a window */
  REACH = 96 << 10, /* of a secret: 64 KiB, and its breaks between lines */
  TRIES = 24        /* places, before more of the text is waited for */
};

static ck_status mask(ck_buffer *out, const ck_spill_windows *self, const char *from,
                      const char *to, ck_error *err) {
  return ck_redactor_apply_text(out, self->redactor, CK_SINK_EVENT,
                                (ck_bytes){from, (size_t)(to - from)}, err);
}

/* *clean: what is around `at` is masked by halves as it is as a whole. */
static ck_status look(bool *clean, const ck_spill_windows *self, size_t at, ck_error *err) {
  const char *text = self->window.data, *cut = text + at;
  size_t behind = self->window.len - at;
  const char *from = at > REACH ? cut - REACH : text, *to = cut + (behind < REACH ? behind : REACH);
  ck_buffer whole = {0}, halves = {0};
  ck_status status = mask(&whole, self, from, to, err);
  if (status == CK_OK) status = mask(&halves, self, from, cut, err);
  if (status == CK_OK) status = mask(&halves, self, cut, to, err);
  *clean = status == CK_OK && ck_bytes_equal(ck_buffer_bytes(&whole), ck_buffer_bytes(&halves));
  if (whole.data) explicit_bzero(whole.data, whole.cap);
  if (halves.data) explicit_bzero(halves.data, halves.cap);
  ck_buffer_clear(&whole);
  ck_buffer_clear(&halves);
  return status;
}

/* *at: behind a line's end if there is one, nearest to the end of what can be judged; 0: none. */
static ck_status find_cut(size_t *at, ck_spill_windows *self, ck_error *err) {
  size_t end = self->window.len - REACH, least = self->tried ? self->tried : end / 2;
  const char *text = self->window.data;
  ck_status status = CK_OK;
  bool clean = false;
  *at = end;
  for (int i = 0; i < TRIES && status == CK_OK && *at > least; i++) {
    const char *line = memrchr(text + least, '\n', *at - least);
    *at = line ? (size_t)(line - text) + 1 : *at - 1021;
    if (*at > least) status = look(&clean, self, *at, err);
    if (clean) return status;
    if (line) (*at)--;
  }
  self->tried = end;
  *at = 0;
  return status;
}

static ck_status give(ck_spill_windows *self, size_t len, ck_error *err) {
  ck_status status = self->visit(self->to, (ck_bytes){self->window.data, len}, err);
  self->window.len -= len;
  memmove(self->window.data, self->window.data + len, self->window.len);
  self->tried = 0;
  return status;
}

ck_status ck_spill_windows_take(void *to, ck_bytes part, ck_error *err) {
  ck_spill_windows *self = to;
  size_t at = 0;
  ck_buffer_append_bytes(&self->window, part);
  ck_status status = ck_buffer_check(&self->window, err);
  if (status != CK_OK || self->window.len < LEAST + REACH) return status;
  status = find_cut(&at, self, err);
  if (!at && self->window.len >= CK_SPILL_WINDOW_MAX) at = self->window.len - REACH;
  return status == CK_OK && at ? give(self, at, err) : status;
}

ck_status ck_spill_windows_end(ck_spill_windows *self, ck_error *err) {
  return self->window.len ? give(self, self->window.len, err) : CK_OK;
}

void ck_spill_windows_clear(ck_spill_windows *self) {
  if (self->window.data) explicit_bzero(self->window.data, self->window.cap);
  ck_buffer_clear(&self->window);
}
