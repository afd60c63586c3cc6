/* pause_reason.c - writes the reasons of pauses that end by themselves, and reads them. */
#include "core/model/pause_reason.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void write_reason(char out[CK_PAUSE_REASON_SIZE], const char *words, int64_t at_ms) {
  char moment[CK_TIME_TEXT_SIZE];
  ck_time_text(moment, at_ms);
  snprintf(out, CK_PAUSE_REASON_SIZE, "%s%s", words, moment);
}

void ck_pause_reason_sleeping(char out[CK_PAUSE_REASON_SIZE], int64_t until_ms) {
  write_reason(out, CK_PAUSE_SLEEPING, until_ms);
}

void ck_pause_reason_retrying(char out[CK_PAUSE_REASON_SIZE], int64_t at_ms) {
  write_reason(out, CK_PAUSE_RETRYING, at_ms);
}

/* What is written again as it stood: no other form, no day that is none. */
static bool read_moment(int64_t *out, const char *text) {
  struct tm at = {0};
  int ms = 0, len = 0;
  char again[CK_TIME_TEXT_SIZE];
  *out = 0;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &at.tm_year, &at.tm_mon, &at.tm_mday,
             &at.tm_hour, &at.tm_min, &at.tm_sec, &ms, &len) != 7 ||
      !len || text[len])
    return false;
  at.tm_year -= 1900;
  at.tm_mon -= 1;
  int64_t moment = (int64_t)timegm(&at) * 1000 + ms;
  ck_time_text(again, moment);
  if (strcmp(again, text) != 0) return false;
  *out = moment;
  return true;
}

bool ck_pause_reason_goes_on(int64_t *from_ms, const char *reason) {
  static const char *const at_once[] = {CK_PAUSE_QUEUED, "answered", "resolved"};
  static const char *const later[] = {CK_PAUSE_SLEEPING, CK_PAUSE_RETRYING};
  *from_ms = 0;
  if (!reason) return false;
  for (size_t i = 0; i < sizeof at_once / sizeof *at_once; i++)
    if (strcmp(reason, at_once[i]) == 0) return true;
  for (size_t i = 0; i < sizeof later / sizeof *later; i++)
    if (strncmp(reason, later[i], strlen(later[i])) == 0)
      return read_moment(from_ms, reason + strlen(later[i]));
  return false;
}

ck_status ck_pause_reason_check(const char *reason, ck_error *err) {
  int64_t from_ms;
  if (!ck_pause_reason_goes_on(&from_ms, reason)) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "the reason '%s' is that of a session which workers go on with: give another",
                      reason);
}
