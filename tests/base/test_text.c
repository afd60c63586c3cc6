/* test_text.c - owned texts: copied, replaced, left as they are without memory; what of a text fits
 * into a buffer is whole characters. */
/* link: -Wl,--wrap=strdup */
#include "core/base/text.h"

#include <string.h>

#include "core/base/utf8.h"
#include "tests/starve.h"
#include "tests/tap.h"

WRAP(strdup, (const char *text), (text))

static void test_copy(void) {
  ck_error err = CK_ERROR_INIT;
  const char *text = "a text";
  char *copy = NULL;
  tap_is_status(ck_text_copy(&copy, text, &err), CK_OK, &err, "a text is copied");
  tap_ok(copy && copy != text && strcmp(copy, "a text") == 0, "to one of the caller's own");
  free(copy);
  tap_is_status(ck_text_copy(&copy, "", &err), CK_OK, &err, "an empty one, too");
  tap_ok(copy && *copy == '\0', "is empty, not none");
  free(copy);
  copy = (char *)text;
  tap_is_status(ck_text_copy(&copy, NULL, &err), CK_OK, &err, "none is copied");
  tap_ok(!copy, "to none");
}

static void test_replace(void) {
  ck_error err = CK_ERROR_INIT;
  char *text = NULL;
  tap_is_status(ck_text_replace(&text, "first", &err), CK_OK, &err,
                "a text takes the place of none");
  tap_ok(text && strcmp(text, "first") == 0, "and is there");
  tap_is_status(ck_text_replace(&text, NULL, &err), CK_OK, &err, "none takes no place");
  tap_ok(text && strcmp(text, "first") == 0, "the text stays");
  tap_is_status(ck_text_replace(&text, "second", &err), CK_OK, &err, "another one does");
  tap_ok(text && strcmp(text, "second") == 0, "and is there");
  tap_is_status(ck_text_replace(&text, text + 3, &err), CK_OK, &err, "so does a part of itself");
  tap_ok(text && strcmp(text, "ond") == 0, "and is there");
  free(text);
}

static void test_starved(void) {
  ck_error err = CK_ERROR_INIT;
  const char *borrowed = "before";
  char *copy = (char *)borrowed, *text = strdup("before");
  char *before = text;
  budget = 0;
  ck_status copied = ck_text_copy(&copy, "after", &err);
  ck_status replaced = ck_text_replace(&text, "after", &err);
  ck_status none = ck_text_copy(&(char *){0}, NULL, &err),
            kept = ck_text_replace(&text, NULL, &err);
  budget = -1;
  tap_is_status(copied, CK_E_NO_MEMORY, NULL, "without memory a copy fails");
  tap_ok(!copy, "and there is none");
  tap_is_status(replaced, CK_E_NO_MEMORY, NULL, "so does a replacement");
  tap_ok(text == before && strcmp(text, "before") == 0, "and the text stays");
  tap_ok(none == CK_OK && kept == CK_OK, "no text needs no memory");
  free(text);
}

/* Of 1, 2, 3 and 4 bytes. */
static const char characters[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";

static bool is_whole(const char *text) {
  size_t len = strlen(text), at = 0, step;
  while (at < len && (step = ck_utf8_length(text + at, len - at)) > 0) at += step;
  return at == len;
}

static void test_fits(void) {
  char text[64];
  int halves = 0, long_ones = 0, lost = 0, argument = 0;
  for (size_t size = 1; size < sizeof text; size++) {
    ck_text_format(text, size, "%s%s%s", characters, characters, characters);
    halves += !is_whole(text);
    long_ones += strlen(text) >= size;
    lost += strlen(text) + 4 < size && strlen(text) < 3 * strlen(characters);
    ck_text_format(text, sizeof text, "x: %.*s", (int)size, characters);
    argument += !is_whole(text);
  }
  tap_is_int(halves, 0, "whatever fits, no character is cut in two");
  tap_is_int(long_ones, 0, "and no more than fits");
  tap_is_int(lost, 0, "nor less");
  tap_is_int(argument, 0, "what an argument was cut in is left out at the end");
  int wrong = 0;
  for (size_t most = 0; most < 12; most++) {
    int len = ck_text_fits(characters, most);
    memcpy(text, characters, (size_t)len);
    text[len] = '\0';
    wrong += (size_t)len > most || !is_whole(text) || (most >= 10 && len != 10);
  }
  tap_is_int(wrong, 0, "the length of what fits is one of whole characters");
}

int main(void) {
  test_copy();
  test_replace();
  test_starved();
  test_fits();
  return tap_done();
}
