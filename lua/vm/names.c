/* names.c - edit distance over short names. */
#include "lua/vm/names.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LEN = 63, PREFIX_MIN_LEN = 3 };

static int least(int a, int b) { return a < b ? a : b; }

/* Levenshtein, with a swap of neighbours as one step (Damerau). Both names are at most NAME_MAX_LEN
 * long. */
static int distance(const char *a, const char *b) {
  int rows[3][NAME_MAX_LEN + 1];
  int la = (int)strlen(a), lb = (int)strlen(b);
  for (int j = 0; j <= lb; j++) rows[0][j] = j;
  for (int i = 1; i <= la; i++) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= lb; j++) {
      row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[la % 3][lb];
}

const char *ck_names_nearest(const char *name, const char *const *names) {
  const char *best = NULL;
  size_t len = strlen(name);
  if (len == 0 || len > NAME_MAX_LEN) return NULL;
  int most = (int)len / 3 > 1 ? (int)len / 3 : 1;
  for (; *names; names++) {
    if (strlen(*names) > NAME_MAX_LEN) continue;
    int found = distance(name, *names);
    if (len >= PREFIX_MIN_LEN && strncmp(name, *names, len) == 0 && found > 1)
      found = 1; /* the name is the beginning of a known one */
    if (found > most) continue;
    best = *names;
    most = found - 1;
  }
  return best;
}

void ck_names_hint(char out[CK_NAMES_HINT_SIZE], const char *name, const char *const *names) {
  const char *nearest = ck_names_nearest(name, names);
  out[0] = '\0';
  if (nearest) snprintf(out, CK_NAMES_HINT_SIZE, " (did you mean '%s'?)", nearest);
}
