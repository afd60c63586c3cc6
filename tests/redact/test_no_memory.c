/* test_no_memory.c - whichever allocation fails, the redactor says so, lets nothing pass and leaks
 * nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include <stdlib.h>
#include <string.h>

#include "core/redact/redact.h"
#include "core/redact/scanner.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 5000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

#define SECRET "kT9-canary/\\\"+Zq"
static const char json[] =
    "{\"password\":\"hunter22\",\"a\":\"x kT9-canary/\\\\\\\"+Zq y\",\"b\":\"{\\\"secret\\\":\\\"v "
    "w\\\",\\\"n\\\":[1]}\",\"api\\u005fkey\":\"q\\n\","
    "\"c\":[{\"type\":\"thinking\",\"thinking\":\"kT9-canary/"
    "\\\\\\\"+Zq\",\"signature\":\"s\"},1],\"u\":\"https:\\/\\/u:Pq81-xkw0@h\","
    "\"l\":\"log {\\\"token\\\":\\\"Zx81kq77120aa\\\"\",\"e\":\"%6bT9-canary/%5C%22+Zq\"}";
static ck_value *value;
static int broken; /* promises that did not hold after a failure */

static ck_status use_value(ck_redactor *self, ck_error *err) {
  ck_value *kept = NULL;
  ck_status status = ck_redactor_apply(&kept, self, CK_SINK_EVENT, NULL, value, err);
  broken += (kept == NULL) != (status != CK_OK);
  broken += kept && (!ck_redact_is_masked(ck_value_bytes(kept)) ||
                     strstr(ck_value_bytes(kept).data, "hunter22") != NULL);
  ck_value_free(kept);
  return status;
}

static ck_status use_text(ck_redactor *self, ck_error *err) {
  ck_buffer out = {0};
  ck_scanner *scanner = NULL;
  ck_status status = ck_redactor_apply_text(&out, self, CK_SINK_LOG, ck_value_bytes(value), err);
  if (status == CK_OK) status = ck_scanner_new(&scanner, self, err);
  if (status == CK_OK) status = ck_scanner_push(&out, scanner, ck_value_bytes(value), err);
  if (status == CK_OK) status = ck_scanner_finish(&out, scanner, err);
  broken += out.data && strstr(out.data, "Pq81-xkw0") != NULL;
  broken += out.data && strstr(out.data, "canary") != NULL;
  ck_scanner_free(scanner);
  ck_buffer_clear(&out);
  return status;
}

static ck_status use_all(ck_error *err) {
  static const char *const names[] = {"homePhone", "ssn", NULL};
  ck_redactor *self = NULL;
  ck_status status = ck_redactor_new(&self, err);
  broken += (self == NULL) != (status != CK_OK);
  if (status == CK_OK) status = ck_redactor_add_secret(self, "bird", ck_bytes_text(SECRET), err);
  if (status == CK_OK)
    status = ck_redactor_add_secret(self, "lines",
                                    ck_bytes_text("first line of a key\nsecond line of it"), err);
  if (status == CK_OK) status = ck_redactor_set_keys(self, names, err);
  if (status == CK_OK) status = use_value(self, err);
  if (status == CK_OK) status = use_text(self, err);
  ck_redactor_free(self);
  return status;
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "the document: %s", err.text);
  long n = 0, wrong = 0;
  ck_status status = CK_E_NO_MEMORY;
  for (; n < ALLOCATIONS_MAX && status != CK_OK; n++) {
    budget = n;
    status = use_all(&err);
    budget = -1;
    wrong += status != CK_OK && (status != CK_E_NO_MEMORY || err.status != CK_E_NO_MEMORY);
    if (status != CK_OK && status != CK_E_NO_MEMORY) tap_diag("allocation %ld: %s", n, err.text);
  }
  tap_is_status(status, CK_OK, &err, "after %ld failures it succeeds", n - 1);
  tap_ok(n > 50, "many allocations failed");
  tap_is_int(wrong, 0, "each was reported as out of memory");
  tap_is_int(broken, 0, "nothing passed unmasked");
  ck_value_free(value);
  return tap_done();
}
