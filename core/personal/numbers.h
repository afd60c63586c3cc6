/* numbers.h - what is told by digits in groups: cards and national ids. */
#ifndef CK_PERSONAL_NUMBERS_H
#define CK_PERSONAL_NUMBERS_H

#include "core/personal/before.h"

enum { CK_NUMBER_DIGITS_MAX = 24, CK_NUMBER_GROUPS_MAX = 8 };

/* Digits in groups, with one sign between two: a space, '-', '.', '/' or '+'. */
typedef struct ck_number {
  uint8_t digits[CK_NUMBER_DIGITS_MAX];
  size_t count;
  struct {
    size_t digits, end; /* up to this group's end: how many digits, and where in the text */
    char sign;          /* before it; '\0': it is the first */
  } groups[CK_NUMBER_GROUPS_MAX];
  size_t group_count;
  bool more; /* a word goes on behind them, or digits that are not read */
} ck_number;

/* At a digit that no word, number or decimal fraction goes before. */
void ck_number_read(ck_number *out, ck_bytes text, size_t at);

/* The card, or the national id, that the first groups are; *end: where it ends. `before`: what goes
 * before it, see before.h. */
bool ck_number_is_card(size_t *end, const ck_number *self);
bool ck_number_is_national_id(size_t *end, const ck_number *self, ck_before *before);
/* A day as people write it, or an address of the internet, by its form alone. */
bool ck_number_is_date(const ck_number *self);

#endif
