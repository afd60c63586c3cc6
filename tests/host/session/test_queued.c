/* test_queued.c - which sessions are due for a worker, and which worker may run them. */
#include <string.h>

#include "core/host/session/queued.h"
#include "core/runtime/session/opening/resume.h"
#include "tests/tap.h"

static bool is_due(ck_session_status status, const char *reason) {
  const ck_session_record record = {.status = status, .reason = (char *)reason};
  return ck_queued_is_due(&record);
}

static void test_due(void) {
  tap_ok(is_due(CK_SESSION_PAUSED, "queued"), "what was put into the queue is due");
  tap_ok(is_due(CK_SESSION_PAUSED, "answered"), "what was answered is");
  tap_ok(is_due(CK_SESSION_PAUSED, "resolved"), "what was resolved is");
  tap_ok(is_due(CK_SESSION_RUNNING, NULL), "what runs is, once its process is gone");
  tap_ok(!is_due(CK_SESSION_PAUSED, "user_requested"), "what a person paused is not");
  tap_ok(!is_due(CK_SESSION_PAUSED, "queued up behind the others"), "whatever the person said");
  tap_ok(!is_due(CK_SESSION_PAUSED, NULL), "nor is a pause without a reason");
  static const ck_session_status others[] = {CK_SESSION_WAITING, CK_SESSION_IN_DOUBT,
                                             CK_SESSION_FAILED, CK_SESSION_COMPLETED,
                                             CK_SESSION_CANCELLED};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    tap_ok(!is_due(others[i], "queued"), "one that is %s is not",
           ck_session_status_name(others[i]));
  ck_session_record failing = {.status = CK_SESSION_FAILING,
                               .restarts = {.count = CK_RESTARTS_MAX + 1}};
  tap_ok(!ck_queued_is_due(&failing), "one that is failing is not");
  failing.restarts.count--;
  tap_ok(ck_queued_is_due(&failing), "but where one of its deaths was none, it is");
}

static bool fits(const char *mark, const char *one, const char *two) {
  const char *list[] = {one, two};
  const ck_words labels = {list, (size_t)(one != NULL) + (two != NULL)};
  return ck_queued_fits(ck_bytes_text(mark), &labels);
}

static void test_labels(void) {
  tap_ok(fits("{}", NULL, NULL), "a session without labels is for every worker");
  tap_ok(fits("{}", "gpu", NULL), "also for one with labels");
  tap_ok(fits("{\"labels\":[\"gpu\"]}", "eu", "gpu"),
         "one with a label is for a worker that has it");
  tap_ok(!fits("{\"labels\":[\"gpu\"]}", NULL, NULL), "not for one that has none");
  tap_ok(!fits("{\"labels\":[\"gpu\",\"eu\"]}", "gpu", NULL), "nor for one that has some of them");
  tap_ok(!fits("{\"labels\":[\"gpu\"]}", "gp", "gpus"), "nor for one whose labels look like it");
}

static void test_mark(void) {
  static const char *const wrong[] = {"", "a b", "a\"b", "ä", "a/b"};
  char long_label[66];
  ck_value *mark = NULL;
  ck_error err = CK_ERROR_INIT;
  const char *list[] = {"gpu", "eu-west.1"};
  const ck_words two = {list, 2};
  tap_is_status(ck_queued_mark(&mark, &two, &err), CK_OK, &err, "labels are taken");
  tap_ok(
      ck_bytes_equal(ck_value_bytes(mark), ck_bytes_text("{\"labels\":[\"gpu\",\"eu-west.1\"]}")),
      "as they were given");
  ck_value_free(mark);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *one[] = {wrong[i]};
    const ck_words words = {one, 1};
    tap_is_status(ck_queued_mark(&mark, &words, &err), CK_E_USAGE, &err, "'%s' is no label",
                  wrong[i]);
    tap_ok(!mark, "and gives no mark");
  }
  memset(long_label, 'a', sizeof long_label - 1);
  long_label[sizeof long_label - 1] = 0;
  const char *one[] = {long_label};
  const ck_words words = {one, 1};
  tap_is_status(ck_queued_mark(&mark, &words, &err), CK_E_USAGE, &err, "nor are 65 characters one");
}

int main(void) {
  test_due();
  test_labels();
  test_mark();
  return tap_done();
}
