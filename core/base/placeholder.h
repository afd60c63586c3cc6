/* placeholder.h - the text that replaces a secret: "[redacted:<kind>:<12 hex>]". */
#ifndef CK_BASE_PLACEHOLDER_H
#define CK_BASE_PLACEHOLDER_H

#include "core/base/buffer.h"

enum {
  CK_KIND_SIZE = 33,
  CK_PLACEHOLDER_SIZE = 64,
  CK_FINGERPRINT_KEY_SIZE = 32,
  CK_FINGERPRINT_SIZE = 13
};

typedef struct ck_fingerprint_key {
  uint8_t bytes[CK_FINGERPRINT_KEY_SIZE];
} ck_fingerprint_key;

/* Makes a kind of any name: lower case letters, digits, '_', '-' and '.', at most 32. */
void ck_kind_write(char out[CK_KIND_SIZE], const char *name);
void ck_fingerprint_write(char out[CK_FINGERPRINT_SIZE], const ck_fingerprint_key *key,
                          ck_bytes secret);
/* `key` NULL: the fingerprint is twelve zeros. */
void ck_placeholder_write(char out[CK_PLACEHOLDER_SIZE], const ck_fingerprint_key *key,
                          const char *kind, ck_bytes secret);
/* The first placeholder in `text`; `*kind` (may be NULL) lies inside it. */
bool ck_placeholder_find(ck_bytes *out, ck_bytes *kind, ck_bytes text);
/* The length of the placeholder at the beginning of `text`; 0: there is none. */
size_t ck_placeholder_measure(ck_bytes text);
/* The text is one placeholder and nothing else. */
bool ck_placeholder_is(ck_bytes text);
/* The placeholder that covers the byte at `at`, which may be its first. */
bool ck_placeholder_around(ck_bytes *kind, ck_bytes text, size_t at);
/* As ck_redact_matches. */
bool ck_placeholder_matches(ck_bytes masked, ck_bytes original);

#endif
