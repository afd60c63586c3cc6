/* unfold.h - a text without one layer of encoding, and where each of its bytes came from. */
#ifndef CK_REDACT_UNFOLD_H
#define CK_REDACT_UNFOLD_H

#include "core/base/buffer.h"

/* One decoded span: `len` bytes at `at` stand for `from_len` bytes at `from` of the source. Between
 * two folds the bytes equal those of the source. */
typedef struct ck_fold {
  size_t at, from;
  uint8_t len, from_len;
} ck_fold;

/* Zero-initialise to begin; reused by unfolding into it again. After a failed allocation `failed`
 * stays set. */
typedef struct ck_unfolded {
  ck_buffer text;
  ck_fold *folds;
  size_t count, cap;
  bool failed;
} ck_unfolded;

/* Decodes escapes of JSON strings; invalid ones stay. */
void ck_unfold_json(ck_unfolded *out, ck_bytes text);
/* Decodes percent-encoding; '+' stays. */
void ck_unfold_percent(ck_unfolded *out, ck_bytes text);
/* Removes line breaks. */
void ck_unfold_lines(ck_unfolded *out, ck_bytes text);
/* Decodes \xHH and octal \NNN, as languages write bytes. */
void ck_unfold_bytes(ck_unfolded *out, ck_bytes text);
/* Decodes entities of HTML: numeric ones and those of markup characters. */
void ck_unfold_entities(ck_unfolded *out, ck_bytes text);
/* Removes what a terminal or a page does not show: characters without width, sequences that set
 * colours (ECMA-48, CSI). */
void ck_unfold_hidden(ck_unfolded *out, ck_bytes text);

/* Maps the non-empty span from `*start` to `*end` to the source. */
void ck_unfolded_map(const ck_unfolded *self, size_t *start, size_t *end);
void ck_unfolded_clear(ck_unfolded *self);

#endif
