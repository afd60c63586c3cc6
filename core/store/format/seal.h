/* seal.h - the key of a store, and its use: sealing bytes, signing rows.
 *
 * A key is 32 random bytes. Every store derives its own subkeys from it (crypto_kdf, then BLAKE2b
 * keyed with that over the store's fingerprint key), one for each use, so nothing of one store
 * opens in another one.
 *
 *   sealed    = 24 bytes random nonce, XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) of the bytes,
 *             16 bytes tag; the associated data is a digest of the bytes' location, so they open
 * nowhere else signature = BLAKE2b-256 keyed, over a digest of what is signed
 *
 * A key and what is derived from it lie in locked memory (sodium_malloc) and are wiped when they
 * are freed. */
#ifndef CK_STORE_FORMAT_SEAL_H
#define CK_STORE_FORMAT_SEAL_H

#include "core/base/buffer.h"

enum { CK_KEY_TEXT_SIZE = 65 }; /* 64 hex digits and a NUL */

typedef struct ck_key ck_key;
/* A random key of the system's source. `source`: its name in messages, such as "env:CKRUN_KEY";
 * copied. */
CK_CHECKED ck_status ck_key_new(ck_key **out, const char *source, ck_error *err);
/* Reads 64 hex digits; line breaks and blanks around them are ignored. The text of CK_E_PARSE has
 * the number of characters, never the characters. */
CK_CHECKED ck_status ck_key_read(ck_key **out, ck_bytes text, const char *source, ck_error *err);
void ck_key_free(ck_key *self);
/* The caller wipes `out`. */
void ck_key_write(char out[CK_KEY_TEXT_SIZE], const ck_key *self);

/* ---- within ckrun ---- */

#include "core/base/digest.h"

enum {
  CK_KEY_SIZE = 32,
  CK_KEY_ID_SIZE = 8,
  CK_KEY_ID_TEXT_SIZE = 17,
  CK_SEAL_NONCE = 24,
  CK_SEAL_OVERHEAD = 40 /* with the tag */
};

/* Identifies a key: derived from it, without revealing it. */
typedef struct ck_key_id {
  uint8_t bytes[CK_KEY_ID_SIZE];
} ck_key_id;
void ck_key_id_hex(char out[CK_KEY_ID_TEXT_SIZE], const ck_key_id *self);
bool ck_key_id_equal(const ck_key_id *a, const ck_key_id *b);
/* False when `bytes` do not have the size of an id. */
bool ck_key_id_read(ck_key_id *out, ck_bytes bytes);

const char *ck_key_source(const ck_key *self);
ck_key_id ck_key_get_id(const ck_key *self);

/* The subkey for fingerprints in placeholders, in a store with those 32 bytes. The caller wipes
 * `out`. */
void ck_key_fingerprint(uint8_t out[CK_KEY_SIZE], const ck_key *self,
                        const uint8_t store[CK_DIGEST_SIZE]);
/* The subkey for sealed exports, the same whatever the store. The caller wipes `out`. */
void ck_key_export(uint8_t out[CK_KEY_SIZE], const ck_key *self);

/* The subkeys of one store. Threads may share it. */
typedef struct ck_seal ck_seal;
CK_CHECKED ck_status ck_seal_new(ck_seal **out, const ck_key *key,
                                 const uint8_t store[CK_DIGEST_SIZE], ck_error *err);
void ck_seal_free(ck_seal *self);
ck_key_id ck_seal_key(const ck_seal *self);

/* Seals `len` bytes in location: they begin at offset CK_SEAL_NONCE of `space`, which holds len +
 * CK_SEAL_OVERHEAD bytes. */
void ck_seal_encode(const ck_seal *self, char *space, size_t len, const ck_digest *location);
/* Writes the plain bytes to `to`, which holds sealed.len - CK_SEAL_OVERHEAD. False: the bytes were
 * changed, or sealed for another location or with another key. */
bool ck_seal_decode(char *to, const ck_seal *self, ck_bytes sealed, const ck_digest *location);

ck_digest ck_seal_sign(const ck_seal *self, const ck_digest *what);
/* The same with other subkeys: the result of one function reveals nothing about another's. */
ck_digest ck_seal_mask(const ck_seal *self, const ck_digest *what);
int64_t ck_seal_check(const ck_seal *self, const ck_digest *what);

#endif
