/* fuzz_personal.c - personal data: what is found lies in the text, one behind the other, is of a
 * kind that was asked for, and is found again where the search begins there. The first byte says
 * which kinds, the second how long the label is. */
#include <stdlib.h>

#include "core/personal/personal.h"
#include "tests/fuzz/fuzz.h"

void fuzz_personal(ck_bytes input) {
  unsigned kinds = fuzz_byte(&input) & CK_PERSONAL_ALL;
  ck_bytes label = fuzz_take(&input, fuzz_byte(&input) % 64);
  char *name = fuzz_exact(label), *text = fuzz_exact(input);
  label.data = name;
  ck_personal_hit hit, again;
  ck_bytes all = {text, input.len};
  for (size_t at = 0, behind = 0; ck_personal_next(&hit, &at, kinds, label, all);) {
    size_t from = hit.start;
    fuzz_must(hit.start >= behind && hit.end > hit.start && hit.end <= all.len && at == hit.end,
              "it lies behind the one before: %zu to %zu", hit.start, hit.end);
    fuzz_must(hit.kind & kinds && (hit.kind & (hit.kind - 1)) == 0, "it is of one kind asked for");
    fuzz_must(ck_personal_next(&again, &from, kinds, label, all) && again.start == hit.start &&
                  again.end == hit.end,
              "it is found again at %zu", hit.start);
    behind = hit.end;
  }
  free(name);
  free(text);
}
