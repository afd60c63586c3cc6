/* test_utf8.c - exactly the characters of RFC 3629, checked over all of them. */
#include <string.h>

#include "core/base/utf8.h"
#include "tests/tap.h"

static void test_all(void) {
  bool whole = true, cut = true;
  for (uint32_t point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    char text[4];
    size_t len = ck_utf8_encode(text, point);
    whole = whole && ck_utf8_length(text, len) == len && ck_utf8_point(text, len) == point;
    for (size_t part = 0; part < len; part++) cut = cut && ck_utf8_length(text, part) == 0;
  }
  tap_ok(whole, "every code point reads back");
  tap_ok(cut, "no part of a character is one");
}

static void test_wrong(void) {
  static const char *const wrong[] = {
      "\x80",
      "\xbf",
      "\xc0\x80",
      "\xc1\xbf",
      "\xe0\x80\x80",
      "\xe0\x9f\xbf",
      "\xed\xa0\x80",
      "\xed\xbf\xbf",
      "\xf0\x8f\xbf\xbf",
      "\xf4\x90\x80\x80",
      "\xf5\x80\x80\x80",
      "\xf8\x88\x80\x80\x80",
      "\xfe",
      "\xff",
      "\xc3(",
      "\xe2\x82(",
      "\xf0\x9f\x98(",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tap_is_int((int64_t)ck_utf8_length(wrong[i], strlen(wrong[i])), 0,
               "overlong, surrogate or stray: %zu", i);
  }
}

int main(void) {
  test_all();
  test_wrong();
  const char *text = "a\xf0\x9f\x98\x80"
                     "b";
  static const size_t cuts[] = {0, 1, 1, 1, 1, 5, 6};
  for (size_t len = 0; len <= 6; len++) {
    tap_is_int((int64_t)ck_utf8_cut(text, len), (int64_t)cuts[len], "cut at %zu", len);
  }
  return tap_done();
}
