/* before.h - what goes before a place in a text, and can say what stands there: "Phone: ", a name
 * of a member. */
#ifndef CK_PERSONAL_BEFORE_H
#define CK_PERSONAL_BEFORE_H

#include "core/base/buffer.h"

enum { CK_BEFORE_MAX = 48 };

/* Begins as {.label = …, .text = …, .at = …}; the rest is read when it is asked for. */
typedef struct ck_before {
  ck_bytes label; /* the name of the member or the column that the text is the value of */
  ck_bytes text;
  size_t at;
  bool is_read;
  char words[2 * CK_BEFORE_MAX + 1]; /* in lower case */
  size_t len;
} ck_before;

/* Whether one of the words, each between bars ("|ssn|social security|"), stands before the place on
 * its line, with no digit between, and not inside of a longer word; where the text begins there,
 * also in the label. Words of names that are joined (phoneNumber, phone_number) are words. */
bool ck_before_says(ck_before *self, const char *words);

#endif
