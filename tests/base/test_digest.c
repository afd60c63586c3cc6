/* test_digest.c - BLAKE2b-256 by its published vectors; joined fields cannot be confused. */
#include <stdio.h>
#include <string.h>

#include "core/base/digest.h"
#include "tests/tap.h"

static void is_digest(ck_bytes text, const char *want, const char *name) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest digest = ck_digest_of(text);
  ck_digest_hex(hex, &digest);
  tap_is_text(hex, want, "vector: %s", name);
}

static ck_digest of_fields(const char *first, const char *second) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(first));
  ck_digester_update_field(&digester, ck_bytes_text(second));
  return ck_digester_final(&digester);
}

static void test_stream(void) {
  static char text[1000];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (char)i;
  ck_digest whole = ck_digest_of((ck_bytes){text, sizeof text});
  bool same = true, forked = true;
  for (size_t cut = 0; cut <= sizeof text; cut += 37) {
    ck_digester digester, fork;
    ck_digester_init(&digester);
    ck_digester_update(&digester, text, cut);
    fork = digester;
    ck_digester_update(&digester, text + cut, sizeof text - cut);
    ck_digest digest = ck_digester_final(&digester);
    same = same && ck_digest_equal(&digest, &whole);
    ck_digester_update(&fork, text + cut, sizeof text - cut);
    digest = ck_digester_final(&fork);
    forked = forked && ck_digest_equal(&digest, &whole);
  }
  tap_ok(same, "the pieces do not matter");
  tap_ok(forked, "a copied digester goes on from the prefix");
}

static void test_fields(void) {
  ck_digest a = of_fields("ab", "c"), b = of_fields("a", "bc"), c = of_fields("", "abc"),
            d = of_fields("ab", "c");
  tap_ok(!ck_digest_equal(&a, &b) && !ck_digest_equal(&a, &c) && !ck_digest_equal(&b, &c),
         "the border of two fields counts");
  tap_ok(ck_digest_equal(&a, &d), "equal fields digest equally");
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update(&digester,
                     "\x02\0\0\0\0\0\0\0"
                     "ab"
                     "\x01\0\0\0\0\0\0\0"
                     "c",
                     19);
  ck_digest raw = ck_digester_final(&digester);
  tap_ok(ck_digest_equal(&a, &raw), "a field is its length in little endian, then its bytes");
}

static void test_hex(void) {
  char hex[CK_DIGEST_HEX_SIZE], bad[80];
  ck_digest digest = ck_digest_of(ck_bytes_text("x")), back;
  ck_digest_hex(hex, &digest);
  tap_ok(ck_digest_read_hex(&back, ck_bytes_text(hex)) && ck_digest_equal(&back, &digest),
         "hex reads back");
  for (char *c = hex; *c; c++) *c = (char)(*c >= 'a' ? *c - 32 : *c);
  tap_ok(ck_digest_read_hex(&back, ck_bytes_text(hex)) && ck_digest_equal(&back, &digest),
         "capitals too");
  bool refused = true;
  for (size_t i = 0; i < 64; i++) {
    memcpy(bad, hex, sizeof hex);
    bad[i] = "g :\0\xff/@`"[i % 8];
    refused =
        refused && !ck_digest_read_hex(&back, (ck_bytes){bad, 64}) && ck_digest_is_zero(&back);
  }
  tap_ok(refused, "anything but 64 hex digits is refused and leaves zero");
  snprintf(bad, sizeof bad, "%s0", hex);
  tap_ok(!ck_digest_read_hex(&back, ck_bytes_text(bad)), "65 digits are refused");
  tap_ok(!ck_digest_read_hex(&back, (ck_bytes){hex, 63}), "63 digits are refused");
  tap_ok(!ck_digest_read_hex(&back, (ck_bytes){NULL, 0}), "no digits are refused");
}

int main(void) {
  is_digest((ck_bytes){NULL, 0}, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8",
            "empty");
  is_digest(ck_bytes_text("abc"),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319", "abc");
  test_stream();
  test_fields();
  test_hex();
  ck_digest zero = {{0}}, one = {{[31] = 1}};
  tap_ok(ck_digest_is_zero(&zero) && !ck_digest_is_zero(&one), "zero is known");
  unsigned char random[2][32] = {{0}};
  ck_random_bytes(random[0], 32);
  ck_random_bytes(random[1], 32);
  tap_ok(memcmp(random[0], random[1], 32) != 0, "random bytes differ");
  return tap_done();
}
