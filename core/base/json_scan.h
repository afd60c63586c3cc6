/* json_scan.h - strict scanning of JSON's tokens, shared by the files json*.c. */
#ifndef CK_BASE_JSON_SCAN_H
#define CK_BASE_JSON_SCAN_H

#include "core/base/buffer.h"

/* A position in a text. A successful scan moves `at` past the token; a failed one leaves it at the
 * fault. */
typedef struct ck_json_scan {
  const char *at, *end;
  const char *fault; /* such as "expected a value" */
} ck_json_scan;

static inline const char *ck_json_skip_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
  return at;
}

/* Moves to the first byte that is a quote, a backslash, below 0x20 or above 0x7f; `end` when there
 * is none. */
const char *ck_json_skip_plain(const char *at, const char *end);

/* `at` is the opening quote. `*escaped`: there is a backslash in it. */
bool ck_json_scan_string(ck_json_scan *self, bool *escaped);
/* `at` is the backslash; a surrogate pair is one escape. U+0000 is a fault. */
bool ck_json_scan_escape(ck_json_scan *self, uint32_t *point);
/* A number by the grammar whose double is finite. */
bool ck_json_scan_number(ck_json_scan *self);
/* true, false or null. */
bool ck_json_scan_literal(ck_json_scan *self);

/* The double nearest to a number that ck_json_scan_number accepted or found too large; infinite
 * then. Any locale. */
double ck_json_scan_double(ck_bytes number);
/* True when `inner` (a string without its quotes) decodes to `text`. Allocates nothing. */
bool ck_json_scan_equal(ck_bytes inner, ck_bytes text);
/* Appends what `inner` decodes to; false at a malformed escape. */
bool ck_json_scan_decode(ck_buffer *out, ck_bytes inner);

#endif
