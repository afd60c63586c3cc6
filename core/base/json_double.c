/* json_double.c - decimal text to the nearest double, in any locale and without allocation. */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/json_scan.h"

/* A double lies exactly between two neighbours with at most 767 digits: of more digits only "is
 * there more" counts. */
enum { DIGITS_MAX = 780, EXPONENT_LIMIT = 100000 };

static locale_t c_locale;

static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static double text_to_double(const char *text) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_locale);
  return c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
}

/* `at` is the E, or the end. */
static int64_t read_exponent(const char *at, const char *end) {
  if (at == end || ++at == end) return 0;
  bool negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  int64_t exponent = 0;
  for (; at < end; at++) {
    if (exponent < INT64_MAX / 100) exponent = exponent * 10 + (*at - '0');
  }
  return negative ? -exponent : exponent;
}

/* Rewrites the number as 0.DIGITSeEXPONENT with no zero in front and a bounded number of digits. */
double ck_json_scan_double(ck_bytes number) {
  char text[DIGITS_MAX + 32] = "-0.";
  size_t len = 3, digits = 0;
  bool fraction = false, more = false;
  int64_t exponent = 0;
  const char *at = number.data, *end = number.data + number.len;
  bool negative = at < end && *at == '-';
  for (at += negative; at < end && *at != 'e' && *at != 'E'; at++) {
    if (*at == '.') {
      fraction = true;
    } else if (digits == 0 && *at == '0') {
      exponent -= fraction;
    } else {
      exponent += !fraction;
      if (digits < DIGITS_MAX)
        text[len++] = *at, digits++;
      else
        more |= *at != '0';
    }
  }
  if (more) text[len++] = '1';
  exponent += read_exponent(at, end);
  if (exponent > EXPONENT_LIMIT) exponent = EXPONENT_LIMIT;
  if (exponent < -EXPONENT_LIMIT) exponent = -EXPONENT_LIMIT;
  snprintf(text + len, sizeof text - len, "e%d", (int)exponent);
  return text_to_double(negative ? text : text + 1);
}
