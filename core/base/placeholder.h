/* placeholder.h - the text that replaces a secret: "[redacted:<kind>:<12 hex>]".
 *
 * The hex is a fingerprint keyed by what only the owner of the store has, or twelve zeros: a key
 * that lies beside the placeholders would let anybody find a PIN by trying all of them. What is
 * compared (digests of requests, recordings) is compared without fingerprints, so no other key
 * makes it different. */
#ifndef CK_BASE_PLACEHOLDER_H
#define CK_BASE_PLACEHOLDER_H

#include "core/base/buffer.h"
#include "core/base/digest.h"

enum {
  CK_KIND_SIZE = 33,
  CK_PLACEHOLDER_SIZE = 64,
  CK_FINGERPRINT_KEY_SIZE = 32,
  CK_FINGERPRINT_SIZE = 13
};

/* All zeros: there is none. */
typedef struct ck_fingerprint_key {
  uint8_t bytes[CK_FINGERPRINT_KEY_SIZE];
} ck_fingerprint_key;

bool ck_fingerprint_key_is_set(const ck_fingerprint_key *self);

/* Makes a kind of any name: lower case letters, digits, '_', '-' and '.', at most 32. */
void ck_kind_write(char out[CK_KIND_SIZE], const char *name);
/* Twelve zeros without a key. */
void ck_fingerprint_write(char out[CK_FINGERPRINT_SIZE], const ck_fingerprint_key *key,
                          ck_bytes secret);
/* `key` NULL or all zeros: the fingerprint is twelve zeros. */
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
/* Equal, or different in fingerprints alone. */
bool ck_placeholder_equal(ck_bytes a, ck_bytes b);
/* Adds `text` as a field, each fingerprint in it as zeros: without placeholders the same as
 * ck_digester_update_field. True: there was a placeholder. */
bool ck_placeholder_digest_field(ck_digester *to, ck_bytes text);
/* As ck_redact_matches. */
bool ck_placeholder_matches(ck_bytes masked, ck_bytes original);

#endif
