/* test_text.c - owned texts: copied, replaced, left as they are without memory. */
/* link: -Wl,--wrap=strdup */
#include "core/base/text.h"

#include <string.h>

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

int main(void) {
  test_copy();
  test_replace();
  test_starved();
  return tap_done();
}
