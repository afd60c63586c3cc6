/* clock.h - clocks are passed as arguments, so that tests control time. */
#ifndef CK_BASE_CLOCK_H
#define CK_BASE_CLOCK_H

#include <stdint.h>

/* Wall time names moments (never orders them); monotonic time measures durations. */
typedef struct ck_clock {
  int64_t (*wall_ms)(void *self); /* since 1970-01-01 UTC */
  int64_t (*mono_us)(void *self); /* since an arbitrary point; never goes back */
  void *self;
} ck_clock;

/* CLOCK_REALTIME and CLOCK_MONOTONIC. */
ck_clock ck_clock_system(void);
/* Durations are those that the calling thread had a processor: what else runs does not count. */
ck_clock ck_clock_thread(void);
/* "2026-01-31T23:59:59.123Z"; `out` holds 25 bytes with the NUL. Years 0 to 9999; others are
 * clamped. */
enum { CK_TIME_TEXT_SIZE = 25 };
void ck_time_text(char out[CK_TIME_TEXT_SIZE], int64_t wall_ms);

#endif
