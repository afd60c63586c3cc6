/* test_growth.c - a text full of names of secrets is gone through once: what is searched grows as
 * the text does. Counted are the bytes that memchr looks at, which is how signs are searched. */
/* link: -Wl,--wrap=memchr */
#include <string.h>

#include "core/redact/redact.h"
#include "tests/tap.h"

enum { SMALL = 32 * 1024, TIMES = 8 };

static size_t searched;

void *__real_memchr(const void *text, int c, size_t len);
void *__wrap_memchr(const void *text, int c, size_t len);

void *__wrap_memchr(const void *text, int c, size_t len) {
  const char *found = __real_memchr(text, c, len);
  searched += found ? (size_t)(found - (const char *)text) + 1 : len;
  return (void *)found;
}

static ck_redactor *redactor;

/* Bytes that are searched in a text of at least `len` bytes made of `unit`. */
static size_t search(const char *unit, size_t len) {
  ck_buffer text = {0}, json = {0};
  ck_value *value, *kept;
  ck_error err;
  while (text.len < len) ck_buffer_append_text(&text, unit);
  ck_json_append_string(&json, ck_buffer_bytes(&text));
  tap_must(ck_value_from(&value, &json, &err) == CK_OK, "%s", err.text);
  searched = 0;
  ck_status status = ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, &err);
  tap_must(status == CK_OK, "%s", err.text);
  size_t count = searched;
  ck_value_free(kept);
  ck_value_free(value);
  ck_buffer_clear(&json);
  ck_buffer_clear(&text);
  return count;
}

int main(void) {
  static const char *const units[] = {"DB_PASSWORD=hunter2\n",
                                      "password: hunter2\n",
                                      "<password>hunter2</password>",
                                      "--password hunter2 ",
                                      "{\"password\": \"hunter2\"}\n",
                                      "token=",
                                      ":password>",
                                      "password=a.b.",
                                      "cookie: a=",
                                      "password='",
                                      "Your API key: a1b2c3d4e5\n",
                                      "https://u:hunter2@h/ "};
  ck_error err;
  tap_must(ck_redactor_new(&redactor, &err) == CK_OK, "%s", err.text);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    size_t small = search(units[i], SMALL), large = search(units[i], (size_t)SMALL * TIMES);
    tap_ok(small > 0 && large <= small * TIMES * 5 / 4, "searched once, whatever its length: %s",
           units[i]);
    if (large > small * TIMES * 5 / 4) tap_diag("%zu bytes, then %zu", small, large);
  }
  ck_redactor_free(redactor);
  return tap_done();
}
