/* test_sealed_text.c - a sealed file opens with its key under its name, whole, or not at all. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/sealed_text.h"
#include "tests/starve.h"
#include "tests/tap.h"

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))

static const uint8_t key[CK_SEALED_TEXT_KEY] = {1, 2, 3};
static const char name[] = "s-0123456789abcdef-1.stdout";

static void seal(ck_buffer *out, ck_bytes text) {
  tap_must(ck_sealed_text_write(out, key, name, text, NULL) == CK_OK, "it is sealed");
}

static bool opens(ck_bytes file, const uint8_t *with, const char *as, ck_bytes want) {
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  char *copy = malloc(file.len + 1); /* the sanitizer sees a look behind it */
  if (file.len) memcpy(copy, file.data, file.len);
  ck_status status = ck_sealed_text_open(&text, with, as, (ck_bytes){copy, file.len}, &err);
  bool is = status == CK_OK && ck_bytes_equal(ck_buffer_bytes(&text), want);
  tap_must(is || (status == CK_E_CORRUPT && text.len == 0), "all of it or nothing");
  free(copy);
  ck_buffer_clear(&text);
  return is;
}

static void test_sizes(void) {
  static const size_t sizes[] = {
      0, 1, 1000, CK_SEALED_TEXT_PIECE, CK_SEALED_TEXT_PIECE + 1, 3 * CK_SEALED_TEXT_PIECE};
  char *text = malloc(3 * CK_SEALED_TEXT_PIECE);
  memset(text, 'x', 3 * CK_SEALED_TEXT_PIECE);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    ck_buffer file = {0};
    seal(&file, (ck_bytes){text, sizes[i]});
    size_t pieces = sizes[i] ? (sizes[i] - 1) / CK_SEALED_TEXT_PIECE + 1 : 1;
    tap_is_int((int64_t)file.len, (int64_t)(32 + sizes[i] + 21 * pieces),
               "%zu bytes: its length tells theirs, and no more", sizes[i]);
    tap_ok(opens(ck_buffer_bytes(&file), key, name, (ck_bytes){text, sizes[i]}), "it opens");
    ck_buffer_clear(&file);
  }
  free(text);
}

/* Another bit, byte, end, name, key. */
static void test_changes(void) {
  ck_bytes text = ck_bytes_text("a text with some length");
  ck_buffer file = {0};
  int wrong = 0, cut = 0;
  uint8_t other[CK_SEALED_TEXT_KEY] = {1, 2, 4};
  ck_sealed_text *writer;
  tap_must(ck_sealed_text_new(&writer, &file, key, name, NULL) == CK_OK, "begun");
  for (size_t at = 0; at < text.len; at += 5)
    tap_must(ck_sealed_text_append(
                 &file, writer, (ck_bytes){text.data + at, at + 5 < text.len ? 5 : text.len - at},
                 at + 5 >= text.len, NULL) == CK_OK,
             "a piece");
  ck_sealed_text_free(writer);
  ck_bytes whole = ck_buffer_bytes(&file);
  tap_ok(opens(whole, key, name, text), "pieces of any length make one text");
  for (size_t bit = 0; bit < 8 * whole.len; bit++) {
    file.data[bit / 8] ^= (char)(1 << bit % 8);
    wrong += opens(whole, key, name, text);
    file.data[bit / 8] ^= (char)(1 << bit % 8);
  }
  tap_is_int(wrong, 0, "none of %zu bits can be another", 8 * whole.len);
  for (size_t len = 0; len < whole.len; len++)
    cut += opens((ck_bytes){whole.data, len}, key, name, text);
  tap_is_int(cut, 0, "no beginning of it is taken for the whole");
  ck_buffer longer = {0};
  ck_buffer_append_bytes(&longer, whole);
  ck_buffer_append_char(&longer, 'x');
  tap_ok(!opens(ck_buffer_bytes(&longer), key, name, text), "nothing is behind it");
  tap_ok(!opens(whole, key, "s-0123456789abcdef-2.stdout", text), "another file's name");
  tap_ok(!opens(whole, other, name, text), "another key");
  ck_buffer_clear(&longer);
  ck_buffer_clear(&file);
}

static void test_uses(void) {
  uint8_t one[CK_SEALED_TEXT_KEY], two[CK_SEALED_TEXT_KEY];
  ck_sealed_text_derive(one, key, "ckfiles1");
  ck_sealed_text_derive(two, key, "ckfiles2");
  tap_ok(memcmp(one, two, sizeof one) != 0 && memcmp(one, key, sizeof one) != 0,
         "each use has a key of its own");
}

static void test_starved(void) {
  ck_status status = CK_E_NO_MEMORY;
  int failures = 0;
  for (long room = 0; status == CK_E_NO_MEMORY && room < 100; room++) {
    ck_buffer file = {0}, text = {0};
    ck_bytes plain = ck_bytes_text("a text");
    budget = room;
    status = ck_sealed_text_write(&file, key, name, plain, NULL);
    if (status == CK_OK)
      status = ck_sealed_text_open(&text, key, name, ck_buffer_bytes(&file), NULL);
    budget = -1;
    failures += status == CK_E_NO_MEMORY;
    tap_must(status == CK_E_NO_MEMORY ||
                 (status == CK_OK && ck_bytes_equal(ck_buffer_bytes(&text), plain)),
             "with little memory: %s", ck_status_name(status));
    ck_buffer_clear(&file);
    ck_buffer_clear(&text);
  }
  tap_ok(status == CK_OK && failures > 1, "each of %d allocations can fail", failures);
}

int main(void) {
  test_sizes();
  test_changes();
  test_uses();
  test_starved();
  return tap_done();
}
