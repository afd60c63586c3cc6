/* signature.h - Ed25519 (RFC 8032): who signed some bytes. Keys are PEM, as OpenSSL writes them
 * (RFC 8410): "PRIVATE KEY" and "PUBLIC KEY". */
#ifndef CK_BASE_SIGNATURE_H
#define CK_BASE_SIGNATURE_H

#include "core/base/buffer.h"

enum { CK_SIGNATURE_SIZE = 64, CK_PUBLIC_KEY_ID_SIZE = 17 };

#define CK_PEM_PUBLIC_BEGIN "-----BEGIN PUBLIC KEY-----"
#define CK_PEM_PUBLIC_END "-----END PUBLIC KEY-----"

typedef struct ck_public_key {
  uint8_t bytes[32];
} ck_public_key;

/* Of the base64 between the two lines of a PEM text. False: it is no Ed25519 key. */
bool ck_public_key_read(ck_public_key *out, ck_bytes base64);
/* Appends PEM. */
void ck_public_key_write(ck_buffer *out, const ck_public_key *self);
/* 16 hex digits and a NUL, of its digest: for people. */
void ck_public_key_id(char out[CK_PUBLIC_KEY_ID_SIZE], const ck_public_key *self);
/* Whether `signature` (CK_SIGNATURE_SIZE bytes, else false) is this key's, over `message`. */
bool ck_public_key_verify(const ck_public_key *self, ck_bytes message, ck_bytes signature);

/* In locked memory. */
typedef struct ck_signing_key ck_signing_key;
CK_CHECKED ck_status ck_signing_key_new(ck_signing_key **out, ck_error *err);
/* CK_E_PARSE: `pem` is no unencrypted private key of Ed25519; nothing of it is repeated. */
CK_CHECKED ck_status ck_signing_key_read(ck_signing_key **out, ck_bytes pem, ck_error *err);
void ck_signing_key_free(ck_signing_key *self);
/* Appends PEM; wipe it. */
void ck_signing_key_write(ck_buffer *out, const ck_signing_key *self);
void ck_signing_key_public(ck_public_key *out, const ck_signing_key *self);
void ck_signing_key_sign(uint8_t out[CK_SIGNATURE_SIZE], const ck_signing_key *self,
                         ck_bytes message);

#endif
