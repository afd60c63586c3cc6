/* test_pause_reason.c - which pauses end by themselves, and when. */
#include "core/model/pause_reason.h"

#include "tests/tap.h"

static bool goes_on(const char *reason, int64_t at_ms) {
  int64_t from_ms = -1;
  return ck_pause_reason_goes_on(&from_ms, reason) && from_ms == at_ms;
}

static void test_words(void) {
  int64_t from_ms;
  tap_ok(goes_on("queued", 0), "what was put into the queue goes on at once");
  tap_ok(goes_on("answered", 0), "so does what was answered");
  tap_ok(goes_on("resolved", 0), "and what was resolved");
  static const char *const persons[] = {"",
                                        "user_requested",
                                        "queued up",
                                        "sleeping",
                                        "sleeping until ",
                                        "retrying at ",
                                        "retrying until 2026-01-31T23:59:59.999Z",
                                        "sleeping until tomorrow",
                                        "sleeping until 2026-02-30T00:00:00.000Z",
                                        "sleeping until 2026-01-31T24:00:00.000Z",
                                        "sleeping until 2026-01-31T23:59:59.999Z, or so",
                                        "sleeping until 2026-1-31T23:59:59.999Z",
                                        "sleeping until 2026-01-31T23:59:59Z",
                                        " sleeping until 2026-01-31T23:59:59.999Z"};
  for (size_t i = 0; i < sizeof persons / sizeof *persons; i++)
    tap_ok(!ck_pause_reason_goes_on(&from_ms, persons[i]) && from_ms == 0, "'%s' is a person's",
           persons[i]);
  tap_ok(!ck_pause_reason_goes_on(&from_ms, NULL), "so is no reason");
}

/* Moments and their texts from another source: date(1). */
static void test_moments(void) {
  static const struct {
    int64_t ms;
    const char *text;
  } moments[] = {{1769903999999, "sleeping until 2026-01-31T23:59:59.999Z"},
                 {1709164800001, "sleeping until 2024-02-29T00:00:00.001Z"},
                 {4102444800000, "sleeping until 2100-01-01T00:00:00.000Z"},
                 {1709164800001, "retrying at 2024-02-29T00:00:00.001Z"}};
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
    char reason[CK_PAUSE_REASON_SIZE];
    if (*moments[i].text == 's')
      ck_pause_reason_sleeping(reason, moments[i].ms);
    else
      ck_pause_reason_retrying(reason, moments[i].ms);
    tap_is_text(reason, moments[i].text, "a wait says until when");
    tap_ok(goes_on(moments[i].text, moments[i].ms), "and goes on then");
  }
}

int main(void) {
  test_words();
  test_moments();
  return tap_done();
}
