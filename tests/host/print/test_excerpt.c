/* test_excerpt.c - excerpts of two long texts show their difference, whole characters only, within
 * bounds. */
#include "core/host/print/excerpt.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "tests/tap.h"

static void shows(const char *value, const char *other, size_t limit, const char *want) {
  ck_buffer got = {0};
  ck_excerpt_append(&got, ck_bytes_text(value), ck_bytes_text(other), limit);
  tap_is_bytes(ck_buffer_bytes(&got), ck_bytes_text(want), "%s beside %s", value, other);
  ck_buffer_clear(&got);
}

static void test_examples(void) {
  shows("1", "2", 10, "1");
  shows("\"short\"", "\"other\"", 10, "\"short\"");
  shows("", "\"other\"", 10, "");
  shows("[1,2,3,4,5,6]", "[]", 10, "[1,2,3,4,5…(3 more bytes)");
  shows("\"abcdefghijklmnopqrstuvwxyz\"", "\"abcdefghijklmnopqrstuvwXYZ\"", 10,
        "…(7)hijklmnopqrstuvw[xyz]");
  shows("\"abcdefghijklmnopqrstuvwxyz\"", "\"ABcdefghijklmnopqrstuvwxyz\"", 10,
        "[ab]cdefghijklmnopqr(8)…");
  shows("\"aaaaaaaaaaaaaaaa\"", "\"aaaaaaaaaaaaaaaaaa\"", 10, "aaaaaaaaaaaaaaaa[]");
  shows("\"aaaaaaaaaaaaaaaaaa\"", "\"aaaaaaaaaaaaaaaa\"", 10, "aaaaaaaaaaaaaaaa[aa]");
  shows("\"0123456789abcdefghij\"", "\"\"", 10, "[0123456789…(10 more bytes)]");
  shows("\"xxxxxxxxxxxxé\"", "\"xxxxxxxxxxxxè\"", 10,
        "xxxxxxxxxxxx[é]"); /* they share their first byte */
}

/* Any two texts of few letters, one of them long in bytes, so that every cut has a chance to fall
 * inside one. */
static void test_random(void) {
  static const char *const letters[] = {"a", "b", "é", "è", "€", "😀"};
  int broken = 0;
  srand(7);
  for (int i = 0; i < 20000; i++) {
    ck_buffer one = {0}, other = {0}, got = {0};
    ck_buffer_append_char(&one, '"'), ck_buffer_append_char(&other, '"');
    for (int n = rand() % 40; n-- > 0;) {
      const char *letter = letters[rand() % 6];
      ck_buffer_append_text(&one, letter);
      ck_buffer_append_text(&other, rand() % 8 ? letter : letters[rand() % 6]);
    }
    ck_buffer_append_char(&one, '"'), ck_buffer_append_char(&other, '"');
    ck_excerpt_append(&got, ck_buffer_bytes(&one), ck_buffer_bytes(&other), 10);
    for (size_t at = 0, len; at < got.len; at += len) {
      len = ck_utf8_length(got.data + at, got.len - at);
      if (len == 0) broken++, len = 1;
    }
    broken += got.len > 120;
    ck_buffer_clear(&one), ck_buffer_clear(&other), ck_buffer_clear(&got);
  }
  tap_is_int(broken, 0, "no character is cut in two, nothing is long");
}

int main(void) {
  test_examples();
  test_random();
  return tap_done();
}
