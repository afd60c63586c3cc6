/* test_spills_references.c - which long outputs an outcome names is known, or it is known that it
 * is not: for want of memory none is passed over as if it were there. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include "core/host/run/spills_verify.h"

#include <stdio.h>

#include "core/effect/process/spill.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { TRIES_MAX = 50 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

int main(void) {
  char body[600], *begin;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_spill_name(&begin, "s", "main/a/exec/1", &err) == CK_OK, "a name");
  snprintf(body, sizeof body,
           "{\"key\":\"main/a/exec/1\",\"kind\":\"exec\",\"result\":{\"spill\":{"
           "\"stdout\":\"/store.spill/%s1.stdout\",\"stderr\":\"/store.spill/%s1.stderr\"}}}",
           begin, begin);
  int tries = 0, wrong = 0;
  for (bool whole = false; !whole && tries < TRIES_MAX; tries++) {
    ck_spills_references found = {0};
    budget = tries;
    ck_spills_references_take(&found, "s", 7, CK_EVENT_OUTCOME, ck_bytes_text(body));
    budget = -1;
    whole = !found.failed;
    wrong += whole && found.count != 2;
    ck_spills_references_clear(&found);
  }
  tap_ok(tries < TRIES_MAX, "with enough memory both are known");
  tap_ok(tries > 3, "without, they are not: %d tries", tries);
  tap_is_int(wrong, 0, "and that is said");
  free(begin);
  return tap_done();
}
