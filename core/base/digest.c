/* digest.c - BLAKE2b-256 and random bytes of libsodium. */
#include "core/base/digest.h"

#include <assert.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(crypto_generichash_state) <= sizeof(((ck_digester *)0)->opaque),
              "the state must fit");
static_assert(_Alignof(crypto_generichash_state) <= _Alignof(ck_digester),
              "the state must be aligned");

/* libsodium fails only when the system has no random source: nothing can be trusted then. */
static void start_sodium(void) {
  if (sodium_init() < 0) abort();
}

static void need_sodium(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_sodium);
}

static crypto_generichash_state *state_of(ck_digester *self) {
  return (crypto_generichash_state *)(void *)self->opaque;
}

static void put_little_endian(unsigned char out[8], uint64_t number) {
  for (int i = 0; i < 8; i++) out[i] = (unsigned char)(number >> (8 * i));
}

void ck_digester_init(ck_digester *self) {
  need_sodium();
  crypto_generichash_init(state_of(self), NULL, 0, CK_DIGEST_SIZE);
}

void ck_digester_update(ck_digester *self, const void *data, size_t len) {
  if (len > 0) crypto_generichash_update(state_of(self), data, len);
}

void ck_digester_update_field(ck_digester *self, ck_bytes field) {
  ck_digester_update_int(self, (int64_t)field.len);
  ck_digester_update(self, field.data, field.len);
}

void ck_digester_update_int(ck_digester *self, int64_t number) {
  unsigned char bytes[8];
  put_little_endian(bytes, (uint64_t)number);
  ck_digester_update(self, bytes, sizeof bytes);
}

ck_digest ck_digester_final(ck_digester *self) {
  ck_digest digest;
  crypto_generichash_final(state_of(self), digest.bytes, sizeof digest.bytes);
  return digest;
}

ck_digest ck_digest_of(ck_bytes bytes) {
  need_sodium();
  ck_digest digest;
  crypto_generichash(digest.bytes, sizeof digest.bytes, (const unsigned char *)bytes.data,
                     bytes.len, NULL, 0);
  return digest;
}

/* In constant time: a digest may be a MAC. */
bool ck_digest_equal(const ck_digest *a, const ck_digest *b) {
  return sodium_memcmp(a->bytes, b->bytes, CK_DIGEST_SIZE) == 0;
}

bool ck_digest_is_zero(const ck_digest *self) {
  return sodium_is_zero(self->bytes, CK_DIGEST_SIZE) == 1;
}

void ck_digest_hex(char out[CK_DIGEST_HEX_SIZE], const ck_digest *self) {
  sodium_bin2hex(out, CK_DIGEST_HEX_SIZE, self->bytes, CK_DIGEST_SIZE);
}

bool ck_digest_read_hex(ck_digest *out, ck_bytes hex) {
  memset(out, 0, sizeof *out);
  if (hex.len != CK_DIGEST_HEX_SIZE - 1) return false;
  ck_digest digest;
  size_t len;
  if (sodium_hex2bin(digest.bytes, CK_DIGEST_SIZE, hex.data, hex.len, NULL, &len, NULL) != 0)
    return false;
  if (len != CK_DIGEST_SIZE) return false;
  *out = digest;
  return true;
}

void ck_random_bytes(void *out, size_t len) {
  need_sodium();
  randombytes_buf(out, len);
}
