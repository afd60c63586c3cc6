/* word_list.h - a list of words, such as the names of customers, and where they stand in a text.
 *
 * A word is any text: one, several, a part of one. What two of them cover together, so that they
 * share a character, is one place. A placeholder is none of a text's characters: no word lies in
 * one or goes into it. A word is also found as JSON writes it inside of a text, with its quotes and
 * line breaks escaped, once or twice over. */
#ifndef CK_PERSONAL_WORD_LIST_H
#define CK_PERSONAL_WORD_LIST_H

#include "core/base/buffer.h"

/* Bits. WHOLE: no letter or digit goes before a word that begins with one, or comes behind one that
 * ends with one, but for an escape of JSON before it ("\nAda") and in scripts that are written
 * without spaces between words. ANY_CASE: letters are compared one by one, upper and lower case
 * alike. */
enum { CK_WORDS_WHOLE = 1, CK_WORDS_ANY_CASE = 2 };
enum {
  CK_WORD_LIST_MAX = 1 << 20,  /* bytes of all words, escaped ones too */
  CK_WORD_PLACES_MAX = 1 << 18 /* in one text */
};

typedef struct ck_word_list ck_word_list;

/* CK_E_FAILED: the system knows no upper and lower case. */
CK_CHECKED ck_status ck_word_list_new(ck_word_list **out, unsigned how, ck_error *err);
void ck_word_list_free(ck_word_list *self);
/* CK_E_RANGE: an empty text, one that is not UTF-8, or more than CK_WORD_LIST_MAX in all. */
CK_CHECKED ck_status ck_word_list_add(ck_word_list *self, ck_bytes word, ck_error *err);
/* After the last word, before the first text. */
CK_CHECKED ck_status ck_word_list_close(ck_word_list *self, ck_error *err);

typedef struct ck_word_place {
  size_t begin, end;
} ck_word_place;

typedef struct ck_word_places {
  const ck_word_place *list; /* in order, apart; the word list's, until it is asked again */
  size_t count;
  uint64_t work; /* steps that the search took */
  bool too_many; /* more than CK_WORD_PLACES_MAX: the list is cut */
} ck_word_places;
/* Linear in the text: of words that end in one another only WHOLE looks at more than the longest.
 * CK_E_RANGE: the text is not UTF-8. */
CK_CHECKED ck_status ck_word_list_find(ck_word_places *out, ck_word_list *self, ck_bytes text,
                                       ck_error *err);

#endif
