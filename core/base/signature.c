/* signature.c - Ed25519 of libsodium; the few bytes of DER around its keys. */
#include "core/base/signature.h"

#include <sodium.h>
#include <string.h>

#include "core/base/base64.h"
#include "core/base/digest.h"
#include "core/base/locked.h"

#define PRIVATE_BEGIN "-----BEGIN PRIVATE KEY-----"
#define PRIVATE_END "-----END PRIVATE KEY-----"

enum { KEY = crypto_sign_SEEDBYTES };
_Static_assert(CK_SIGNATURE_SIZE == crypto_sign_BYTES, "a signature");
_Static_assert(sizeof(ck_public_key) == crypto_sign_PUBLICKEYBYTES, "a public key");

/* Every key of the kind begins so (RFC 8410, sections 4 and 7); the 32 bytes of the key follow. */
static const uint8_t public_head[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
static const uint8_t private_head[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                       0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};

struct ck_signing_key {
  uint8_t secret[crypto_sign_SECRETKEYBYTES]; /* the seed, then the public key */
};

/* ---- DER in PEM ---- */

static bool read_der(uint8_t key[KEY], ck_bytes base64, const uint8_t *head, size_t head_len) {
  ck_buffer der = {0};
  bool whole = ck_base64_read(&der, base64) && !der.failed && der.len == head_len + KEY &&
               memcmp(der.data, head, head_len) == 0;
  if (whole) memcpy(key, der.data + head_len, KEY);
  if (der.data) sodium_memzero(der.data, der.cap);
  ck_buffer_clear(&der);
  return whole;
}

static void write_der(ck_buffer *out, const uint8_t *head, size_t head_len, const uint8_t *key) {
  uint8_t der[sizeof private_head + KEY];
  memcpy(der, head, head_len);
  memcpy(der + head_len, key, KEY);
  ck_base64_append(out, (ck_bytes){(const char *)der, head_len + KEY});
  sodium_memzero(der, sizeof der);
}

/* ---- public keys ---- */

bool ck_public_key_read(ck_public_key *out, ck_bytes base64) {
  return read_der(out->bytes, base64, public_head, sizeof public_head);
}

void ck_public_key_write(ck_buffer *out, const ck_public_key *self) {
  ck_buffer_append_text(out, CK_PEM_PUBLIC_BEGIN "\n");
  write_der(out, public_head, sizeof public_head, self->bytes);
  ck_buffer_append_text(out, "\n" CK_PEM_PUBLIC_END "\n");
}

void ck_public_key_id(char out[CK_PUBLIC_KEY_ID_SIZE], const ck_public_key *self) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest digest = ck_digest_of((ck_bytes){(const char *)self->bytes, sizeof self->bytes});
  ck_digest_hex(hex, &digest);
  memcpy(out, hex, CK_PUBLIC_KEY_ID_SIZE - 1);
  out[CK_PUBLIC_KEY_ID_SIZE - 1] = '\0';
}

bool ck_public_key_verify(const ck_public_key *self, ck_bytes message, ck_bytes signature) {
  if (signature.len != CK_SIGNATURE_SIZE) return false;
  return crypto_sign_verify_detached((const unsigned char *)signature.data,
                                     (const unsigned char *)message.data, message.len,
                                     self->bytes) == 0;
}

/* ---- private keys ---- */

static ck_status make_key(ck_signing_key **out, const uint8_t seed[KEY], ck_error *err) {
  uint8_t public[crypto_sign_PUBLICKEYBYTES];
  *out = ck_locked_new(sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  crypto_sign_seed_keypair(public, (*out)->secret, seed);
  return CK_OK;
}

ck_status ck_signing_key_new(ck_signing_key **out, ck_error *err) {
  uint8_t seed[KEY];
  ck_random_bytes(seed, sizeof seed);
  ck_status status = make_key(out, seed, err);
  sodium_memzero(seed, sizeof seed);
  return status;
}

ck_status ck_signing_key_read(ck_signing_key **out, ck_bytes pem, ck_error *err) {
  uint8_t seed[KEY];
  const size_t begin = sizeof PRIVATE_BEGIN - 1;
  *out = NULL;
  const char *from = pem.len ? memmem(pem.data, pem.len, PRIVATE_BEGIN, begin) : NULL;
  const char *end = pem.data + pem.len,
             *to = from ? memmem(from, (size_t)(end - from), PRIVATE_END, sizeof PRIVATE_END - 1)
                        : NULL;
  ck_bytes inside = to ? (ck_bytes){from + begin, (size_t)(to - from) - begin} : (ck_bytes){0};
  if (!to || !read_der(seed, inside, private_head, sizeof private_head))
    return ck_error_set(err, CK_E_PARSE,
                        "it is no unencrypted private key of Ed25519 in PEM: 'ckrun flow key' and "
                        "'openssl genpkey -algorithm ed25519' make one");
  ck_status status = make_key(out, seed, err);
  sodium_memzero(seed, sizeof seed);
  return status;
}

void ck_signing_key_free(ck_signing_key *self) { ck_locked_free(self); }

void ck_signing_key_write(ck_buffer *out, const ck_signing_key *self) {
  ck_buffer_append_text(out, PRIVATE_BEGIN "\n");
  write_der(out, private_head, sizeof private_head, self->secret);
  ck_buffer_append_text(out, "\n" PRIVATE_END "\n");
}

void ck_signing_key_public(ck_public_key *out, const ck_signing_key *self) {
  memcpy(out->bytes, self->secret + KEY, sizeof out->bytes);
}

void ck_signing_key_sign(uint8_t out[CK_SIGNATURE_SIZE], const ck_signing_key *self,
                         ck_bytes message) {
  crypto_sign_detached(out, NULL, (const unsigned char *)message.data, message.len, self->secret);
}
