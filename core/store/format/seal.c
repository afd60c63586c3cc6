/* seal.c - libsodium's key derivation, XChaCha20-Poly1305 and keyed BLAKE2b. */
#include "core/store/format/seal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT "ckrunkey" /* of crypto_kdf: 8 bytes */

enum {
  NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
  TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES
};
_Static_assert(NONCE - CK_SEAL_NONCE == 0 && NONCE + TAG == CK_SEAL_OVERHEAD, "what sealing adds");
_Static_assert(CK_KEY_SIZE == crypto_kdf_KEYBYTES, "a key is one of crypto_kdf");

/* Numbers of the subkeys: they never change. */
enum { USE_SEAL = 1, USE_SIGN, USE_MASK, USE_CHECK, USE_ID, USE_FINGERPRINT, USE_EXPORT };

struct ck_key {
  unsigned char bytes[CK_KEY_SIZE];
  char *source;
};

struct ck_seal {
  unsigned char seal[CK_KEY_SIZE], sign[CK_KEY_SIZE], mask[CK_KEY_SIZE], check[CK_KEY_SIZE];
  ck_key_id id;
};

/* ---- ids ---- */

void ck_key_id_hex(char out[CK_KEY_ID_TEXT_SIZE], const ck_key_id *self) {
  sodium_bin2hex(out, CK_KEY_ID_TEXT_SIZE, self->bytes, sizeof self->bytes);
}

bool ck_key_id_equal(const ck_key_id *a, const ck_key_id *b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool ck_key_id_read(ck_key_id *out, ck_bytes bytes) {
  *out = (ck_key_id){{0}};
  if (bytes.len != sizeof out->bytes) return false;
  memcpy(out->bytes, bytes.data, sizeof out->bytes);
  return true;
}

/* ---- keys ---- */

/* ck_digest_of initialises libsodium, which everything here needs. */
static ck_key *make_key(const char *source) {
  ck_digest_of((ck_bytes){NULL, 0});
  ck_key *self = sodium_malloc(sizeof *self);
  if (!self) return NULL;
  memset(self, 0, sizeof *self);
  self->source = strdup(source);
  if (self->source) return self;
  sodium_free(self);
  return NULL;
}

void ck_key_free(ck_key *self) {
  if (!self) return;
  free(self->source);
  sodium_free(self);
}

ck_status ck_key_new(ck_key **out, const char *source, ck_error *err) {
  *out = make_key(source);
  if (!*out) return ck_error_no_memory(err);
  crypto_kdf_keygen((*out)->bytes);
  return CK_OK;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* "file:PATH", which a person takes for what goes here: no key has a colon. */
static bool is_reference(ck_bytes text) {
  size_t word = 0;
  while (word < text.len && text.data[word] >= 'a' && text.data[word] <= 'z') word++;
  return word > 0 && word < text.len && text.data[word] == ':';
}

static ck_status refuse_text(ck_bytes text, const char *source, ck_error *err) {
  if (is_reference(text))
    return ck_error_set(err, CK_E_PARSE,
                        "%s holds a reference, %.*s:…, where the %d hex digits of a key belong: "
                        "a reference is given as --key",
                        source, (int)((const char *)memchr(text.data, ':', text.len) - text.data),
                        text.data, CK_KEY_TEXT_SIZE - 1);
  return ck_error_set(
      err, CK_E_PARSE,
      "%s holds %zu characters where a key has %d hex digits: make one with 'ckrun key new FILE'",
      source, text.len, CK_KEY_TEXT_SIZE - 1);
}

ck_status ck_key_read(ck_key **out, ck_bytes text, const char *source, ck_error *err) {
  size_t len;
  *out = NULL;
  while (text.len && is_blank(text.data[text.len - 1])) text.len--;
  while (text.len && is_blank(*text.data)) text.data++, text.len--;
  if (text.len != CK_KEY_TEXT_SIZE - 1 || is_reference(text)) return refuse_text(text, source, err);
  ck_key *self = make_key(source);
  if (!self) return ck_error_no_memory(err);
  if (sodium_hex2bin(self->bytes, sizeof self->bytes, text.data, text.len, NULL, &len, NULL) == 0 &&
      len == sizeof self->bytes) {
    *out = self;
    return CK_OK;
  }
  ck_key_free(self);
  return ck_error_set(
      err, CK_E_PARSE,
      "%s holds something else than the %d hex digits of a key: make one with 'ckrun key new FILE'",
      source, CK_KEY_TEXT_SIZE - 1);
}

const char *ck_key_source(const ck_key *self) { return self->source; }

ck_key_id ck_key_get_id(const ck_key *self) {
  ck_key_id id;
  unsigned char subkey[CK_KEY_SIZE];
  crypto_kdf_derive_from_key(subkey, sizeof subkey, USE_ID, CONTEXT, self->bytes);
  memcpy(id.bytes, subkey, sizeof id.bytes);
  sodium_memzero(subkey, sizeof subkey);
  return id;
}

void ck_key_write(char out[CK_KEY_TEXT_SIZE], const ck_key *self) {
  sodium_bin2hex(out, CK_KEY_TEXT_SIZE, self->bytes, sizeof self->bytes);
}

/* ---- what is done with them ---- */

static void derive(unsigned char out[CK_KEY_SIZE], const ck_key *key, uint64_t use,
                   const uint8_t store[CK_DIGEST_SIZE]) {
  unsigned char subkey[CK_KEY_SIZE];
  crypto_kdf_derive_from_key(subkey, sizeof subkey, use, CONTEXT, key->bytes);
  crypto_generichash(out, CK_KEY_SIZE, store, CK_DIGEST_SIZE, subkey, sizeof subkey);
  sodium_memzero(subkey, sizeof subkey);
}

void ck_key_fingerprint(uint8_t out[CK_KEY_SIZE], const ck_key *self,
                        const uint8_t store[CK_DIGEST_SIZE]) {
  derive(out, self, USE_FINGERPRINT, store);
}

void ck_key_export(uint8_t out[CK_KEY_SIZE], const ck_key *self) {
  crypto_kdf_derive_from_key(out, CK_KEY_SIZE, USE_EXPORT, CONTEXT, self->bytes);
}

ck_status ck_seal_new(ck_seal **out, const ck_key *key, const uint8_t store[CK_DIGEST_SIZE],
                      ck_error *err) {
  ck_seal *self = *out = sodium_malloc(sizeof *self);
  if (!self) return ck_error_no_memory(err);
  derive(self->seal, key, USE_SEAL, store);
  derive(self->sign, key, USE_SIGN, store);
  derive(self->mask, key, USE_MASK, store);
  derive(self->check, key, USE_CHECK, store);
  self->id = ck_key_get_id(key);
  sodium_mprotect_readonly(self);
  return CK_OK;
}

void ck_seal_free(ck_seal *self) { sodium_free(self); }

ck_key_id ck_seal_key(const ck_seal *self) { return self->id; }

void ck_seal_encode(const ck_seal *self, char *space, size_t len, const ck_digest *place) {
  unsigned char *nonce = (unsigned char *)space, *text = nonce + NONCE;
  ck_random_bytes(nonce, NONCE);
  crypto_aead_xchacha20poly1305_ietf_encrypt(text, NULL, text, len, place->bytes,
                                             sizeof place->bytes, NULL, nonce, self->seal);
}

bool ck_seal_decode(char *to, const ck_seal *self, ck_bytes sealed, const ck_digest *place) {
  if (sealed.len < CK_SEAL_OVERHEAD) return false;
  const unsigned char *nonce = (const unsigned char *)sealed.data;
  return crypto_aead_xchacha20poly1305_ietf_decrypt((unsigned char *)to, NULL, NULL, nonce + NONCE,
                                                    sealed.len - NONCE, place->bytes,
                                                    sizeof place->bytes, nonce, self->seal) == 0;
}

static ck_digest keyed(const ck_digest *what, const unsigned char key[CK_KEY_SIZE]) {
  ck_digest digest;
  crypto_generichash(digest.bytes, sizeof digest.bytes, what->bytes, sizeof what->bytes, key,
                     CK_KEY_SIZE);
  return digest;
}

ck_digest ck_seal_sign(const ck_seal *self, const ck_digest *what) {
  return keyed(what, self->sign);
}

ck_digest ck_seal_mask(const ck_seal *self, const ck_digest *what) {
  return keyed(what, self->mask);
}

int64_t ck_seal_check(const ck_seal *self, const ck_digest *what) {
  ck_digest digest = keyed(what, self->check);
  int64_t check;
  memcpy(&check, digest.bytes, sizeof check);
  return check;
}
