/* checks.h - check digits of numbers that tell who somebody is. Digits are values 0 to 9. */
#ifndef CK_PERSONAL_CHECKS_H
#define CK_PERSONAL_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ISO/IEC 7812-1, annex B. */
bool ck_check_luhn(const uint8_t *digits, size_t count);
/* Verhoeff, "Error detecting decimal codes" (1969). */
bool ck_check_verhoeff(const uint8_t *digits, size_t count);
/* ISO 7064 MOD 11,10. */
bool ck_check_mod_11_10(const uint8_t *digits, size_t count);
/* EAN-13. */
bool ck_check_ean13(const uint8_t *digits, size_t count);
/* The sum of digit times weight. */
unsigned ck_check_weigh(const uint8_t *digits, const uint8_t *weights, size_t count);
/* The number that the digits from `first` on are, modulo `by`. */
unsigned ck_check_modulo(const uint8_t *digits, size_t count, unsigned by);
/* ISO 13616: letters and digits, the first four of them moved to the end, are 1 modulo 97. */
bool ck_check_iban(const char *text, size_t len);
/* ICAO 9303: of letters, digits and '<', weights 7 3 1. */
bool ck_check_mrz(const char *text, size_t len, char digit);
/* A day that there is: years count from any century. */
bool ck_check_date(unsigned year, unsigned month, unsigned day);

#endif
