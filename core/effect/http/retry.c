/* retry.c - exponential backoff with full jitter, and the waits that providers ask for instead. */
#include "core/effect/http/retry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool ck_retry_is_passing(int code) {
  return code == 408 || code == 409 || code == 429 || code >= 500;
}

int64_t ck_retry_wait(int number, int64_t base_ms, uint64_t random) {
  int64_t ceiling = base_ms > 0 ? base_ms : 0;
  for (int i = 1; i < number && ceiling < CK_RETRY_CAP_MS; i++) ceiling *= 2;
  if (ceiling > CK_RETRY_CAP_MS) ceiling = CK_RETRY_CAP_MS;
  return (int64_t)(random % (uint64_t)(ceiling + 1));
}

/* Independent of the locale: strtod would read "1,5" in some. */
static bool read_number(double *out, const char *text) {
  size_t digits = strspn(text, "0123456789");
  const char *rest = text + digits;
  *out = 0;
  for (size_t i = 0; i < digits; i++) *out = *out * 10 + (text[i] - '0');
  if (*rest == '.') {
    double unit = 0.1;
    for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10) *out += unit * (*rest - '0');
  }
  return digits > 0 && !*rest;
}

static int64_t milliseconds(double number, double scale) {
  double ms = ceil(number * scale);
  return ms < 9e15 ? (int64_t)ms : INT64_MAX;
}

static int month_of(const char name[4]) {
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (int i = 0; i < 12; i++) {
    if (strcmp(months[i], name) == 0) return i;
  }
  return -1;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", the only form that may be sent today. */
static bool read_date(int64_t *out_ms, const char *text) {
  struct tm at = {0};
  char month[4], zone[4];
  int end = 0;
  if (sscanf(text, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d %3s%n", &at.tm_mday, month,
             &at.tm_year, &at.tm_hour, &at.tm_min, &at.tm_sec, zone, &end) != 7)
    return false;
  at.tm_mon = month_of(month);
  at.tm_year -= 1900;
  if (at.tm_mon < 0 || strcmp(zone, "GMT") != 0 || text[end]) return false;
  *out_ms = (int64_t)timegm(&at) * 1000;
  return true;
}

static bool copy(char *out, size_t size, ck_bytes value) {
  if (value.len >= size || memchr(value.data ? value.data : "", 0, value.len)) return false;
  memcpy(out, value.data ? value.data : "", value.len);
  out[value.len] = '\0';
  return true;
}

int64_t ck_retry_after(ck_bytes value, int64_t now_wall_ms) {
  char text[64];
  double seconds;
  int64_t at;
  if (!copy(text, sizeof text, value)) return -1;
  if (read_number(&seconds, text)) return milliseconds(seconds, 1000);
  if (!read_date(&at, text)) return -1;
  return at > now_wall_ms ? at - now_wall_ms : 0;
}

int64_t ck_retry_after_ms(ck_bytes value) {
  char text[64];
  double ms;
  return copy(text, sizeof text, value) && read_number(&ms, text) ? milliseconds(ms, 1) : -1;
}
