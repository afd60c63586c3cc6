/* suggest.c - finds the known word nearest to a mistyped one. */
#include "core/base/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Three rows are enough, because a swap looks back two rows. */
static size_t edit_distance(const char *a, const char *b) {
  size_t rows[3][WORD_MAX + 1], len_a = strlen(a), len_b = strlen(b);
  for (size_t j = 0; j <= len_b; j++) rows[0][j] = j;
  for (size_t i = 1; i <= len_a; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= len_b; j++) {
      row[j] = least(least(above[j] + 1, row[j - 1] + 1), above[j - 1] + (a[i - 1] != b[j - 1]));
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = least(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[len_a % 3][len_b];
}

void ck_suggestion_check(ck_suggestion *self, const char *word) {
  size_t typed_len = strlen(self->typed), len = strlen(word);
  if (typed_len == 0 || typed_len > WORD_MAX || len > WORD_MAX) return;
  size_t longer = typed_len > len ? typed_len : len;
  size_t distance = edit_distance(self->typed, word);
  bool begins = typed_len >= 2 && strncmp(word, self->typed, typed_len) == 0;
  if (begins) distance = least(distance, 1);
  if (distance > (longer + 2) / 3 || distance >= longer) return;
  if (self->best && distance >= self->distance) return;
  self->best = word;
  self->distance = distance;
}
