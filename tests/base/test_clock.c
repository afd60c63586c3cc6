/* test_clock.c - moments are written the same for every year there is; durations never run back. */
#include <stdint.h>

#include "core/base/clock.h"
#include "tests/tap.h"

static void is_time(int64_t wall_ms, const char *want) {
  char text[CK_TIME_TEXT_SIZE];
  ck_time_text(text, wall_ms);
  tap_is_text(text, want, "time text of %lld ms", (long long)wall_ms);
}

int main(void) {
  is_time(0, "1970-01-01T00:00:00.000Z");
  is_time(1769903999123, "2026-01-31T23:59:59.123Z");
  is_time(951782400000, "2000-02-29T00:00:00.000Z");
  is_time(-1, "1969-12-31T23:59:59.999Z");
  is_time(-1000, "1969-12-31T23:59:59.000Z");
  is_time(-62167219200000, "0000-01-01T00:00:00.000Z");
  is_time(253402300799999, "9999-12-31T23:59:59.999Z");
  is_time(INT64_MIN, "0000-01-01T00:00:00.000Z");
  is_time(INT64_MAX, "9999-12-31T23:59:59.999Z");

  ck_clock clock = ck_clock_system();
  tap_ok(clock.wall_ms(clock.self) > 1700000000000,
         "the wall clock counts milliseconds since 1970");
  int64_t last = clock.mono_us(clock.self);
  bool forward = true;
  for (int i = 0; i < 10000; i++) {
    int64_t now = clock.mono_us(clock.self);
    forward = forward && now >= last;
    last = now;
  }
  tap_ok(forward, "the monotonic clock never goes back");
  return tap_done();
}
