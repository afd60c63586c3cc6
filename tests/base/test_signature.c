/* test_signature.c - signatures are those of RFC 8032, keys those of RFC 8410, and nothing else is
 * taken for one. */
#include <string.h>

#include "core/base/signature.h"
#include "tests/tap.h"

/* RFC 8410, section 10.3: a private key without its public one. */
static const char private_pem[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
    "-----END PRIVATE KEY-----\n";
/* Section 10.1: its public key. */
static const char public_base64[] = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

/* RFC 8032, section 7.1, test 1: of an empty message. */
static const uint8_t known[CK_SIGNATURE_SIZE] = {
    0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72, 0x90, 0x86, 0xe2, 0xcc, 0x80, 0x6e, 0x82, 0x8a,
    0x84, 0x87, 0x7f, 0x1e, 0xb8, 0xe5, 0xd9, 0x74, 0xd8, 0x73, 0xe0, 0x65, 0x22, 0x49, 0x01, 0x55,
    0x5f, 0xb8, 0x82, 0x15, 0x90, 0xa3, 0x3b, 0xac, 0xc6, 0x1e, 0x39, 0x70, 0x1c, 0xf9, 0xb4, 0x6b,
    0xd2, 0x5b, 0xf5, 0xf0, 0x59, 0x5b, 0xbe, 0x24, 0x65, 0x51, 0x41, 0x43, 0x8e, 0x7a, 0x10, 0x0b};

static ck_bytes bytes_of(const void *data, size_t len) { return (ck_bytes){data, len}; }

static ck_signing_key *read_key(const char *pem) {
  ck_signing_key *key;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_signing_key_read(&key, ck_bytes_text(pem), &err) == CK_OK, "a key: %s", err.text);
  return key;
}

static void test_known_keys(void) {
  ck_public_key public, other;
  ck_buffer pem = {0};
  ck_signing_key *key = read_key(private_pem);
  ck_signing_key_public(&public, key);
  tap_ok(ck_public_key_read(&other, ck_bytes_text(public_base64)), "the public key of RFC 8410");
  tap_ok(memcmp(&public, &other, sizeof public) == 0, "is that of its private one");
  ck_signing_key_write(&pem, key);
  tap_ok(strcmp(pem.data, private_pem) == 0, "which is written as it was read");
  ck_buffer_clear(&pem);
  ck_signing_key_free(key);
}

/* The key of RFC 8032, as RFC 8410 wraps it. */
static const char known_pem[] = "-----BEGIN PRIVATE KEY-----\n"
                                "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
                                "-----END PRIVATE KEY-----\n";

static void test_known_signature(void) {
  uint8_t made[CK_SIGNATURE_SIZE];
  ck_public_key public;
  ck_signing_key *key = read_key(known_pem);
  ck_signing_key_public(&public, key);
  ck_signing_key_sign(made, key, (ck_bytes){0});
  tap_ok(memcmp(made, known, sizeof made) == 0, "a signature is that of RFC 8032");
  tap_ok(ck_public_key_verify(&public, (ck_bytes){0}, bytes_of(known, sizeof known)),
         "which its key has made");
  ck_signing_key_free(key);
}

static void test_others(void) {
  uint8_t made[CK_SIGNATURE_SIZE];
  char message[] = "what is signed";
  ck_public_key public, other;
  ck_signing_key *key = read_key(known_pem), *another;
  tap_must(ck_signing_key_new(&another, NULL) == CK_OK, "another key");
  ck_signing_key_public(&public, key);
  ck_signing_key_public(&other, another);
  ck_signing_key_sign(made, key, ck_bytes_text(message));
  ck_bytes signature = bytes_of(made, sizeof made);
  tap_ok(ck_public_key_verify(&public, ck_bytes_text(message), signature), "what it is over");
  tap_ok(!ck_public_key_verify(&other, ck_bytes_text(message), signature), "not another key's");
  int taken = 0;
  for (size_t bit = 0; bit < 8 * sizeof made; bit++) {
    made[bit / 8] ^= (uint8_t)(1u << bit % 8);
    taken += ck_public_key_verify(&public, ck_bytes_text(message), signature);
    made[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  for (size_t bit = 0; bit < 8 * (sizeof message - 1); bit++) {
    message[bit / 8] ^= (char)(1u << bit % 8);
    taken += ck_public_key_verify(&public, bytes_of(message, sizeof message - 1), signature);
    message[bit / 8] ^= (char)(1u << bit % 8);
  }
  tap_is_int(taken, 0, "no bit of either can be another");
  signature.len--;
  tap_ok(!ck_public_key_verify(&public, ck_bytes_text(message), signature), "nor a shorter one");
  ck_signing_key_free(key);
  ck_signing_key_free(another);
}

static void test_no_keys(void) {
  ck_public_key public;
  ck_signing_key *key;
  static const char *const none[] = {
      "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIJ1hsZ3v/VpguoRK9JLs"
      "LMREScVpezJpGXA7rAMcrn9g"
      "\n-----END PRIVATE KEY-----",
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMC4=\n-----END ENCRYPTED PRIVATE KEY-----"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    tap_is_status(ck_signing_key_read(&key, ck_bytes_text(none[i]), NULL), CK_E_PARSE, NULL,
                  "no private key: %zu", i);
  tap_ok(!ck_public_key_read(&public, ck_bytes_text("")), "no public key: nothing");
  tap_ok(!ck_public_key_read(&public, ck_bytes_text("MCowBQYDK2VuAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqow"
                                                    "trbLDFw4rXAxZuE=")),
         "no public key: another curve's");
  tap_ok(
      !ck_public_key_read(&public, ck_bytes_text("GU9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=")),
      "no public key: bytes alone");
}

int main(void) {
  test_known_keys();
  test_known_signature();
  test_others();
  test_no_keys();
  return tap_done();
}
