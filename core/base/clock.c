/* clock.c - the system's clocks, and a moment as text. */
#include "core/base/clock.h"

#include <time.h>

static int64_t system_wall_ms(void *self) {
  (void)self;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_mono_us(void *self) {
  (void)self;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

ck_clock ck_clock_system(void) { return (ck_clock){system_wall_ms, system_mono_us, NULL}; }

static int64_t thread_us(void *self) {
  (void)self;
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

ck_clock ck_clock_thread(void) { return (ck_clock){system_wall_ms, thread_us, NULL}; }

/* Writes `width` digits and returns the position after them. */
static char *put_digits(char *at, int number, int width) {
  for (int i = width - 1; i >= 0; i--, number /= 10) at[i] = (char)('0' + number % 10);
  return at + width;
}

void ck_time_text(char out[CK_TIME_TEXT_SIZE], int64_t wall_ms) {
  const int64_t first = -62167219200000, last = 253402300799999; /* 0000-01-01 to 9999-12-31 */
  if (wall_ms < first) wall_ms = first;
  if (wall_ms > last) wall_ms = last;
  int64_t ms = (wall_ms % 1000 + 1000) % 1000;
  time_t seconds = (time_t)((wall_ms - ms) / 1000);
  struct tm tm;
  gmtime_r(&seconds, &tm);
  const struct {
    int number, width;
    char end;
  } parts[] = {{tm.tm_year + 1900, 4, '-'},
               {tm.tm_mon + 1, 2, '-'},
               {tm.tm_mday, 2, 'T'},
               {tm.tm_hour, 2, ':'},
               {tm.tm_min, 2, ':'},
               {tm.tm_sec, 2, '.'},
               {(int)ms, 3, 'Z'}};
  char *at = out;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    at = put_digits(at, parts[i].number, parts[i].width);
    *at++ = parts[i].end;
  }
  *at = '\0';
}
