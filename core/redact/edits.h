/* edits.h - spans of a text that are replaced, while the rest stays byte for byte. */
#ifndef CK_REDACT_EDITS_H
#define CK_REDACT_EDITS_H

#include "core/base/buffer.h"

typedef struct ck_edit {
  size_t start, end;     /* of the source */
  size_t text, text_len; /* in `texts` */
  uint32_t rule;         /* for the counts */
} ck_edit;

/* Zero-initialise to begin. After a failed allocation `failed` stays set. */
typedef struct ck_edits {
  ck_edit *list;
  size_t count, cap;
  ck_buffer texts;
  bool failed;
} ck_edits;

void ck_edits_append(ck_edits *self, size_t start, size_t end, ck_bytes text, uint32_t rule);
/* Keeps the first `count` edits. */
void ck_edits_cut(ck_edits *self, size_t count);
/* Sorts; overlapping edits become one that covers all of them, with the text of the longest. */
void ck_edits_merge(ck_edits *self);
ck_bytes ck_edits_text(const ck_edits *self, const ck_edit *edit);
/* The index of the first merged edit that ends after `at`. */
size_t ck_edits_find(const ck_edits *self, size_t at);
/* Appends `source` with the merged edits applied. */
void ck_edits_write(ck_buffer *out, const ck_edits *self, ck_bytes source);
CK_CHECKED ck_status ck_edits_check(const ck_edits *self, ck_error *err);
void ck_edits_clear(ck_edits *self);

#endif
