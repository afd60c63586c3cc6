/* test_no_memory.c - whichever allocation fails, an import says so, leaves no part of a session and
 * leaks nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
/* link: -Wl,--wrap=reallocarray,--wrap=strdup,--wrap=strndup */
#include <stdlib.h>

#include "tests/lua/import/imports.h"
#include "tests/starve.h"
#include "tests/tap.h"
#include "core/store/verify.h"

enum { ALLOCATIONS_MAX = 100000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))
WRAP(strndup, (const char *text, size_t len), (text, len))

static int64_t count_sessions(imports *f) {
  ck_verify_report report;
  tap_must(ck_store_verify(&report, f->store, NULL, NULL, NULL, &f->err) == CK_OK,
           "the store can be verified");
  return report.problems ? -1 : report.sessions;
}

/* Every one of the first, then further and further apart: most of them are alike. */
static void check(const char *name, int64_t sessions) {
  int64_t tries = 0, wrong = 0, torn = 0;
  bool done = false;
  for (long allow = 0; !done && allow < ALLOCATIONS_MAX; allow += 1 + allow / 100, tries++) {
    imports f;
    imports_open(&f);
    const char *path = imports_path("tests/lua/import/data", name);
    budget = allow;
    ck_status status = imports_import(&f, path, NULL);
    budget = -1;
    done = status == CK_OK;
    wrong += !done && status != CK_E_NO_MEMORY;
    if (!done && status != CK_E_NO_MEMORY)
      tap_diag("%s with %ld allocations: %s", name, allow, f.err.text);
    ck_status again = imports_import(&f, path, NULL);
    torn += again != CK_OK || count_sessions(&f) != sessions;
    imports_close(&f);
  }
  tap_ok(done, "%s: with enough memory it is imported, after %d tries", name, (int)tries);
  tap_is_int(wrong, 0, "%s: a lack of memory is told as such", name);
  tap_is_int(torn, 0, "%s: what was not imported can be imported afterwards", name);
}

int main(void) {
  check("claude_code.jsonl", 1);
  check("openai_lines.jsonl", 1);
  check("tau_bench.json", 2);
  return tap_done();
}
