/* digest.h - BLAKE2b-256 (RFC 7693), the one hash of ckrun. */
#ifndef CK_BASE_DIGEST_H
#define CK_BASE_DIGEST_H

#include "core/base/buffer.h"

enum { CK_DIGEST_SIZE = 32, CK_DIGEST_HEX_SIZE = 65 };

typedef struct ck_digest {
  uint8_t bytes[CK_DIGEST_SIZE];
} ck_digest;

bool ck_digest_equal(const ck_digest *a, const ck_digest *b);
/* 64 hex digits and a NUL. */
void ck_digest_hex(char out[CK_DIGEST_HEX_SIZE], const ck_digest *self);

/* ---- within ckrun ---- */

/* The running state; caller's memory. Copying it by assignment forks the hash: a prefix is hashed
 * once. */
typedef struct ck_digester {
  _Alignas(64) unsigned char opaque[384];
} ck_digester;

void ck_digester_init(ck_digester *self);
void ck_digester_update(ck_digester *self, const void *data, size_t len);
/* Length (8 bytes, little endian), then the bytes: joined fields cannot be confused with each
 * other. */
void ck_digester_update_field(ck_digester *self, ck_bytes field);
void ck_digester_update_int(ck_digester *self, int64_t number);
/* Ends `self`; copy it first to continue it. */
ck_digest ck_digester_final(ck_digester *self);

ck_digest ck_digest_of(ck_bytes bytes);
bool ck_digest_is_zero(const ck_digest *self);
/* False unless `hex` is exactly 64 hex digits. */
bool ck_digest_read_hex(ck_digest *out, ck_bytes hex);
/* Bytes from the system's random source. */
void ck_random_bytes(void *out, size_t len);

#endif
