/* codes.h - what is told by letters and digits: accounts, passports, national ids with letters. */
#ifndef CK_PERSONAL_CODES_H
#define CK_PERSONAL_CODES_H

#include "core/personal/before.h"

/* Each at a capital letter or a digit that no word goes before; *end: where it ends. */
bool ck_code_is_iban(size_t *end, ck_bytes text, size_t at);
/* A machine-readable line of a passport, or a number behind the word. */
bool ck_code_is_passport(size_t *end, ck_bytes text, size_t at, ck_before *before);
bool ck_code_is_national_id(size_t *end, ck_bytes text, size_t at);

#endif
