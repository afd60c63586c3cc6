/* values.h - finds tokens by their shape; PCRE2 is used in values.c and expression.c only. */
#ifndef CK_REDACT_VALUES_H
#define CK_REDACT_VALUES_H

#include "core/redact/edits.h"
#include "core/base/placeholder.h"

typedef struct ck_values ck_values;
enum { CK_VALUES_MAX = 496 }; /* rows of all tables */

CK_CHECKED ck_status ck_values_new(ck_values **out, ck_error *err);
void ck_values_free(ck_values *self);

/* One token; `rule` is its row in the table. */
typedef struct ck_value_hit {
  size_t start, end;
  uint32_t rule;
} ck_value_hit;

/* The first token at or after `*at`; `*found` is false when there is none. `*at` moves past it, or
 * to the end. `open` (may be NULL): more text follows later; when the end of the text can still
 * become a token, or a longer one, `*open` is its beginning, else the length of the text. A pattern
 * that exceeds its limits masks the run of characters it was tried on. */
CK_CHECKED ck_status ck_values_next(ck_value_hit *out, bool *found, ck_values *self, ck_bytes text,
                                    size_t *at, size_t *open, ck_error *err);
/* Appends edits for all tokens, with rules from `first_rule` on. Matches inside placeholders are
 * ignored. `open` as above. */
CK_CHECKED ck_status ck_values_find(ck_edits *out, ck_values *self, const ck_fingerprint_key *key,
                                    ck_bytes text, uint32_t first_rule, size_t *open,
                                    ck_error *err);
/* True when the text of a JSON document contains a token, or escapes that could hide one: \/ and
 * \u00XX. */
CK_CHECKED ck_status ck_values_suspect(bool *out, ck_values *self, ck_bytes json, ck_error *err);

/* The kinds of the tables, and how their tokens begin; NULL after the last. */
const char *ck_values_kind(size_t rule);
const char *ck_values_front(size_t rule);

#endif
