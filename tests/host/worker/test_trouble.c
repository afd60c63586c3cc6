/* test_trouble.c - what may pass is waited for, longer each time and at most a minute; what is
 * refused is not. */
#include "core/host/worker/trouble.h"

#include <string.h>

#include "core/base/clock.h"
#include "tests/tap.h"

static ck_output output;
static ck_error err;

static void test_passing(void) {
  static const ck_status passing[] = {CK_E_IO, CK_E_BUSY, CK_E_UNAVAILABLE};
  ck_trouble trouble = {.first_ms = 5000, .without = "the session is not seen"};
  ck_error problem = CK_ERROR_INIT;
  tap_is_int(ck_trouble_left_ms(&trouble), 0, "without trouble nothing is waited for");
  for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
    ck_status status = ck_error_set(&problem, passing[i], "away");
    tap_is_status(ck_trouble_take(&trouble, &output, status, &problem, &err), CK_OK, &err,
                  "%s may pass", ck_status_name(status));
  }
  tap_is_int((int)trouble.times, 3, "each is counted");
  int left_ms = ck_trouble_left_ms(&trouble);
  tap_ok(left_ms > 0 && left_ms <= 20001, "the third is waited for four times as long");
  for (int i = 0; i < 60; i++)
    tap_must(ck_trouble_take(&trouble, &output, CK_E_IO, &problem, &err) == CK_OK, "again");
  left_ms = ck_trouble_left_ms(&trouble);
  tap_ok(left_ms > 0 && left_ms <= 60001, "none longer than a minute");
  ck_trouble_end(&trouble, &output);
  tap_is_int(ck_trouble_left_ms(&trouble), 0, "what has ended is not waited for");
}

static void test_refused(void) {
  static const ck_status refused[] = {CK_E_REFUSED, CK_E_NOT_FOUND, CK_E_CORRUPT};
  ck_trouble trouble = {.first_ms = 5000, .without = "the session is not seen"};
  ck_error problem = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    ck_status status = ck_error_set(&problem, refused[i], "never %zu", i);
    tap_is_status(ck_trouble_take(&trouble, &output, status, &problem, &err), refused[i], &err,
                  "%s ends it", ck_status_name(status));
    tap_is_text(err.text, problem.text, "with its words");
  }
  tap_is_int((int)trouble.times, 0, "and is no trouble");
}

int main(void) {
  tap_must(ck_output_open(&output, &err) == CK_OK, "an output");
  output.quiet = true;
  test_passing();
  test_refused();
  ck_output_close(&output);
  return tap_done();
}
