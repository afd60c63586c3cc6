/* test_micros.c - amounts of money: added without overflow, written exactly. */
#include <stdint.h>
#include <string.h>

#include "core/model/effect.h"
#include "tests/tap.h"

static void test_written(void) {
  static const struct {
    int64_t micros;
    const char *text;
  } cases[] = {{0, "0.00"},
               {1, "0.000001"},
               {-1, "-0.000001"},
               {10, "0.00001"},
               {120, "0.00012"},
               {1000, "0.001"},
               {10000, "0.01"},
               {100000, "0.10"},
               {359999, "0.359999"},
               {360000, "0.36"},
               {1000000, "1.00"},
               {-1250000, "-1.25"},
               {1000001, "1.000001"},
               {1234567890000, "1234567.89"},
               {INT64_MAX, "9223372036854.775807"},
               {INT64_MIN, "-9223372036854.775808"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[CK_MICROS_TEXT_SIZE];
    memset(text, '#', sizeof text);
    ck_micros_write(text, cases[i].micros);
    tap_ok(memchr(text, '\0', sizeof text) && strcmp(text, cases[i].text) == 0, "%s",
           cases[i].text);
  }
}

static void test_added(void) {
  tap_ok(ck_micros_add(1, 2) == 3, "amounts add up");
  tap_ok(ck_micros_add(INT64_MAX, 0) == INT64_MAX, "up to the greatest");
  tap_ok(ck_micros_add(INT64_MAX, 1) == INT64_MAX, "which stands for all that is beyond");
  tap_ok(ck_micros_add(1, INT64_MAX) == INT64_MAX, "from either side");
}

int main(void) {
  test_written();
  test_added();
  return tap_done();
}
