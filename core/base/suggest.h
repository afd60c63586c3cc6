/* suggest.h - finds the known word nearest to a mistyped one. */
#ifndef CK_BASE_SUGGEST_H
#define CK_BASE_SUGGEST_H

#include <stddef.h>

/* Keeps the best of the words checked; initialise with the word that was typed. */
typedef struct ck_suggestion {
  const char *typed;
  const char *best; /* NULL until a near word was checked */
  size_t distance;
} ck_suggestion;

/* Near: an edit distance (optimal string alignment: insert, delete, replace, swap neighbours) of at
 * most 1/3 of the longer word, or `typed` is a beginning of `word`. Of two equally near words the
 * first counts. */
void ck_suggestion_check(ck_suggestion *self, const char *word);

#endif
