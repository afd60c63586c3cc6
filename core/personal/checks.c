/* checks.c - check digits, as their standards define them. */
#include "core/personal/checks.h"

bool ck_check_luhn(const uint8_t *digits, size_t count) {
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned digit = digits[count - 1 - i];
    if (i % 2 == 1) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
    sum += digit;
  }
  return count > 0 && sum % 10 == 0;
}

/* In the group D5: rotations below 5, reflections from 5 on. */
static unsigned multiply(unsigned a, unsigned b) {
  unsigned turn = a < 5 ? a % 5 + b % 5 : 5 + a % 5 - b % 5;
  return turn % 5 + ((a < 5) == (b < 5) ? 0 : 5);
}

bool ck_check_verhoeff(const uint8_t *digits, size_t count) {
  static const uint8_t permutation[] = {1, 5, 7, 6, 2, 8, 3, 0, 9, 4};
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned digit = digits[count - 1 - i];
    for (size_t k = 0; k < i % 8; k++) digit = permutation[digit];
    sum = multiply(sum, digit);
  }
  return sum == 0;
}

bool ck_check_mod_11_10(const uint8_t *digits, size_t count) {
  unsigned product = 10;
  for (size_t i = 0; i + 1 < count; i++) {
    unsigned sum = (digits[i] + product) % 10;
    product = (sum == 0 ? 10 : sum) * 2 % 11;
  }
  return count > 0 && (digits[count - 1] + product) % 10 == 1;
}

bool ck_check_ean13(const uint8_t *digits, size_t count) {
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++) sum += digits[i] * (i % 2 ? 3U : 1U);
  return count == 13 && sum % 10 == 0;
}

unsigned ck_check_weigh(const uint8_t *digits, const uint8_t *weights, size_t count) {
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++) sum += (unsigned)digits[i] * weights[i];
  return sum;
}

unsigned ck_check_modulo(const uint8_t *digits, size_t count, unsigned by) {
  unsigned rest = 0;
  for (size_t i = 0; i < count; i++) rest = (rest * 10 + digits[i]) % by;
  return rest;
}

bool ck_check_iban(const char *text, size_t len) {
  unsigned rest = 0;
  for (size_t i = 0; i < len; i++) {
    char c = text[(i + 4) % len];
    if (c >= '0' && c <= '9')
      rest = (rest * 10 + (unsigned)(c - '0')) % 97;
    else
      rest = (rest * 100 + (unsigned)(c - 'A') + 10) % 97;
  }
  return rest == 1;
}

bool ck_check_mrz(const char *text, size_t len, char digit) {
  static const unsigned weights[] = {7, 3, 1};
  unsigned sum = 0;
  for (size_t i = 0; i < len; i++) {
    char c = text[i];
    unsigned value = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10
                                            : 0;
    sum += value * weights[i % 3];
  }
  return digit >= '0' && digit <= '9' && sum % 10 == (unsigned)(digit - '0');
}

bool ck_check_date(unsigned year, unsigned month, unsigned day) {
  static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  bool leap = month == 2 && year % 4 == 0;
  return day <= days[month - 1] + leap;
}
