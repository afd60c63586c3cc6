/* scanner.c - decides where a text that arrives in pieces can be cut, and releases the part
 * before. */
#include "core/redact/scanner.h"

#include <stdlib.h>
#include <string.h>

#include "core/redact/redact_private.h"

enum { CONTEXT_MAX = CK_ASSIGNMENT_REACH, ESCAPE_MAX = 12 };

struct ck_scanner {
  ck_redactor *redactor;
  ck_buffer text; /* released text (context for rules that look back), then held text */
  size_t released;
  size_t searched; /* the length of `text` when it was last searched */
};

ck_status ck_scanner_new(ck_scanner **out, ck_redactor *redactor, ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  (*out)->redactor = redactor;
  return CK_OK;
}

void ck_scanner_free(ck_scanner *self) {
  if (!self) return;
  if (self->text.data) explicit_bzero(self->text.data, self->text.cap);
  ck_buffer_clear(&self->text);
  free(self);
}

/* The length of the end that can be part of an incomplete secret, whatever its content. */
static size_t reach(const ck_scanner *self) {
  size_t known = ck_known_reach(&self->redactor->known);
  return known > CONTEXT_MAX ? known : CONTEXT_MAX;
}

/* The edits of the held text; `*open`: the beginning of a token that has not ended. */
static ck_status find(ck_edits *out, size_t *open, ck_scanner *self, bool more, ck_error *err) {
  ck_redactor *redactor = self->redactor;
  ck_bytes text = ck_buffer_bytes(&self->text),
           held = {text.data + self->released, text.len - self->released};
  ck_edits known = {0};
  ck_status status = ck_known_find(&known, &redactor->known, held, CK_RULE_KNOWN, err);
  for (size_t i = 0; i < known.count && status == CK_OK; i++)
    ck_edits_append(out, self->released + known.list[i].start, self->released + known.list[i].end,
                    ck_edits_text(&known, &known.list[i]), CK_RULE_KNOWN);
  ck_edits_clear(&known);
  if (status == CK_OK) status = ck_leaf_find_plain(out, redactor, text, more ? open : NULL, err);
  ck_edits_merge(out);
  size_t before = ck_edits_find(out, self->released);
  if (before > 0) memmove(out->list, out->list + before, (out->count - before) * sizeof *out->list);
  out->count -= before;
  return status == CK_OK ? ck_edits_check(out, err) : status;
}

/* Not inside of an escape, nor between backslashes. */
static size_t before_escape(const ck_scanner *self, size_t cut) {
  const char *data = self->text.data;
  for (size_t i = cut; i > self->released && cut - i < ESCAPE_MAX; i--)
    if (data[i - 1] == '\\' || data[i - 1] == '%' || data[i - 1] == '\r') cut = i - 1;
  return cut;
}

/* The last position before which nothing can change any more. */
static size_t select_cut(const ck_scanner *self, const ck_edits *edits, size_t open) {
  size_t len = self->text.len, far = reach(self), cut = len > far ? len - far : 0;
  if (open < cut) cut = open;
  if (cut < self->released) cut = self->released;
  cut = before_escape(self, cut);
  size_t i = ck_edits_find(edits, cut);
  if (i < edits->count && edits->list[i].start < cut) cut = edits->list[i].start;
  bool too_much = len - self->released > CK_SCANNER_HOLD + 2 * far;
  if (cut > self->released || !too_much) return cut;
  return i < edits->count && edits->list[i].end < len ? edits->list[i].end : len;
}

static void release(ck_buffer *out, ck_scanner *self, ck_edits *edits, size_t cut) {
  size_t count = 0;
  while (count < edits->count && edits->list[count].start < cut) count++;
  ck_edits_cut(edits, count);
  for (size_t i = 0; i < count; i++) {
    edits->list[i].start -= self->released;
    edits->list[i].end = (edits->list[i].end > cut ? cut : edits->list[i].end) - self->released;
  }
  ck_edits_write(out, edits, (ck_bytes){self->text.data + self->released, cut - self->released});
  ck_redactor_count(self->redactor, edits);
  size_t drop = cut > CONTEXT_MAX ? cut - CONTEXT_MAX : 0;
  memmove(self->text.data, self->text.data + drop, self->text.len - drop);
  self->text.len -= drop;
  self->released = cut - drop;
  self->searched = self->text.len;
}

static ck_status advance(ck_buffer *out, ck_scanner *self, bool more, ck_error *err) {
  ck_edits edits = {0};
  size_t open = self->text.len;
  ck_status status = find(&edits, &open, self, more, err);
  if (status == CK_OK)
    release(out, self, &edits, more ? select_cut(self, &edits, open) : self->text.len);
  ck_edits_clear(&edits);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

/* Searches again only when the held text has doubled, so single bytes cost no more than one large
 * piece. */
ck_status ck_scanner_push(ck_buffer *out, ck_scanner *self, ck_bytes text, ck_error *err) {
  ck_buffer_append_bytes(&self->text, text);
  ck_status status = ck_buffer_check(&self->text, err);
  if (status != CK_OK) return status;
  size_t held = self->searched > self->released ? self->searched - self->released : 0;
  size_t enough = self->searched + reach(self) + held;
  return self->text.len < enough ? CK_OK : advance(out, self, true, err);
}

ck_status ck_scanner_finish(ck_buffer *out, ck_scanner *self, ck_error *err) {
  ck_status status =
      self->text.len > self->released ? advance(out, self, false, err) : ck_buffer_check(out, err);
  if (self->text.data) explicit_bzero(self->text.data, self->text.cap);
  ck_buffer_reset(&self->text);
  self->released = self->searched = 0;
  return status;
}
