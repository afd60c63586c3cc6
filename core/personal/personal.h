/* personal.h - finds what tells who somebody is in plain text: mail addresses, telephone numbers,
 * cards, accounts, passports, national ids.
 *
 * By form and, where there is one, by check digits: a number without them needs a word before it
 * that says what it is ("SSN: …"), or a form that little else has. Nothing is looked up; a name or
 * an address is not found. */
#ifndef CK_PERSONAL_PERSONAL_H
#define CK_PERSONAL_PERSONAL_H

#include "core/base/buffer.h"

/* X(enumerator, name, what is found): the kinds, one bit each. */
/* clang-format off */
#define CK_PERSONAL_TABLE(X) \
  X(CK_PERSONAL_EMAIL, "email", "addresses of mail") \
  X(CK_PERSONAL_PHONE, "phone", "telephone numbers: international, American, behind a word") \
  X(CK_PERSONAL_CARD, "card", "numbers of payment cards, by issuer, length and Luhn digit") \
  X(CK_PERSONAL_IBAN, "iban", "accounts, by country, length and check digits") \
  X(CK_PERSONAL_PASSPORT, "passport", "the machine-readable lines, and numbers behind the word") \
  X(CK_PERSONAL_NATIONAL_ID, "national_id", "numbers of people by which states know them")
/* clang-format on */
enum {
#define X(name, text, what) name##_BIT,
  CK_PERSONAL_TABLE(X)
#undef X
      CK_PERSONAL_COUNT
};
typedef enum {
#define X(name, text, what) name = 1 << name##_BIT,
  CK_PERSONAL_TABLE(X)
#undef X
} ck_personal;
enum { CK_PERSONAL_ALL = (1 << CK_PERSONAL_COUNT) - 1 };

/* Of one bit. */
const char *ck_personal_name(ck_personal kind);
/* 0: no such kind. */
ck_personal ck_personal_of(ck_bytes name);

typedef struct ck_personal_hit {
  size_t start, end;
  ck_personal kind;
} ck_personal_hit;

/* The first one that begins at or after `*at`, which moves behind it, or to the end of the text;
 * false: there is none. `kinds`: bits. `label`: the name of the member or the column that the text
 * is the value of; no bytes: none. Placeholders are searched as any text is: callers leave them
 * out. Each byte of the text is looked at a bounded number of times. */
bool ck_personal_next(ck_personal_hit *out, size_t *at, unsigned kinds, ck_bytes label,
                      ck_bytes text);

#endif
