/* known.h - secrets whose value is known, found in every encoding they are likely to be written
 * in. */
#ifndef CK_REDACT_KNOWN_H
#define CK_REDACT_KNOWN_H

#include "core/redact/edits.h"
#include "core/redact/patterns.h"
#include "core/base/placeholder.h"
#include "core/redact/unfold.h"

enum { CK_KNOWN_LAYERS = 8 };

typedef struct ck_secret {
  char kind[CK_KIND_SIZE];
  char placeholder[CK_PLACEHOLDER_SIZE];
  char *bytes;
  size_t len;
} ck_secret;

/* Zero-initialise to begin. */
typedef struct ck_known {
  ck_secret *secrets;
  size_t count, cap;
  ck_locked_pool bytes; /* of the secrets */
  ck_patterns patterns;
  size_t longest; /* the longest secret, in bytes */
  /* the text being searched, with one layer decoded after the other */
  ck_unfolded layers[CK_KNOWN_LAYERS];
} ck_known;

/* As ck_redactor_add_secret. */
CK_CHECKED ck_status ck_known_append(ck_known *self, const ck_fingerprint_key *key,
                                     const char *name, ck_bytes secret, ck_error *err);
/* Placeholders are made again, because they depend on the key. */
void ck_known_set_key(ck_known *self, const ck_fingerprint_key *key);
/* Appends edits, merged and with `rule`, for all known secrets in `text`, under at most five layers
 * of JSON escapes, and there under two of percent-encoding, or one of: line breaks, entities of
 * HTML, bytes as languages escape them, what is not shown. */
CK_CHECKED ck_status ck_known_find(ck_edits *out, ck_known *self, ck_bytes text, uint32_t rule,
                                   ck_error *err);
/* The most bytes that one encoded secret can have in a text. */
size_t ck_known_reach(const ck_known *self);
void ck_known_clear(ck_known *self);

#endif
