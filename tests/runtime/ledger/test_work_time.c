/* test_work_time.c - the time that a session was at work, without that of people. */
#include "core/runtime/ledger/work_time.h"

#include "tests/tap.h"

typedef struct step {
  ck_event_kind kind; /* 0: the end */
  int64_t at_ms;
  const char *body;
  const char *scope; /* NULL: main */
} step;

#define ASK(key) "{\"key\":\"" key "\",\"kind\":\"ask\"}"
#define MODEL(key) "{\"key\":\"" key "\",\"kind\":\"model\"}"
#define USER "{\"message\":{\"role\":\"user\",\"content\":\"go on\"}}"
#define REPLY "{\"message\":{\"role\":\"assistant\",\"content\":\"done\"}}"

static void check(const char *what, const step *steps, int64_t ms, int64_t active_ms) {
  ck_work_time time = {0};
  ck_error err = CK_ERROR_INIT;
  for (; steps->kind; steps++) {
    ck_event event = {.kind = steps->kind,
                      .at_ms = steps->at_ms,
                      .scope = (char *)(steps->scope ? steps->scope : "main")};
    ck_value *body = NULL;
    if (steps->body)
      tap_must(ck_value_new(&body, ck_bytes_text(steps->body), &err) == CK_OK, "%s", err.text);
    event.body = body;
    tap_must(ck_work_time_take(&time, &event, &err) == CK_OK, "%s", err.text);
    ck_value_free(body);
  }
  tap_is_int(time.ms, ms, "%s: between the events of its runs", what);
  tap_is_int(time.active_ms, active_ms, "%s: at work", what);
  ck_work_time_clear(&time);
}

static void test_questions(void) {
  const step alone[] = {{CK_EVENT_SESSION_STARTED, 1000, NULL, NULL},
                        {CK_EVENT_INTENT, 1100, MODEL("m"), NULL},
                        {CK_EVENT_OUTCOME, 3100, MODEL("m"), NULL},
                        {CK_EVENT_INTENT, 3200, ASK("q"), NULL},
                        {CK_EVENT_OUTCOME, 15063200, ASK("q"), NULL},
                        {CK_EVENT_BOUNDARY, 15063210, "{}", NULL},
                        {0}};
  check("a question of 4 h 11 min", alone, 15062210, 2210);
  const step beside[] = {
      {CK_EVENT_SESSION_STARTED, 1000, NULL, NULL},  {CK_EVENT_INTENT, 1000, ASK("q"), "main.a"},
      {CK_EVENT_INTENT, 1000, MODEL("m"), "main.b"}, {CK_EVENT_OUTCOME, 6000, MODEL("m"), "main.b"},
      {CK_EVENT_OUTCOME, 60000, ASK("q"), "main.a"}, {0}};
  check("a question beside a call", beside, 59000, 5000);
  const step two[] = {{CK_EVENT_SESSION_STARTED, 1000, NULL, NULL},
                      {CK_EVENT_INTENT, 1000, ASK("q"), NULL},
                      {CK_EVENT_INTENT, 2000, ASK("r"), NULL},
                      {CK_EVENT_OUTCOME, 3000, ASK("q"), NULL},
                      {CK_EVENT_OUTCOME, 4000, ASK("r"), NULL},
                      {CK_EVENT_INTENT, 4500, MODEL("m"), NULL},
                      {0}};
  check("two questions", two, 3500, 500);
}

static void test_runs(void) {
  const step paused[] = {{CK_EVENT_SESSION_STARTED, 1000, NULL, NULL},
                         {CK_EVENT_INTENT, 2000, ASK("q"), NULL},
                         {CK_EVENT_SESSION_PAUSED, 2100, "{}", NULL},
                         {CK_EVENT_RESOLUTION, 90000, "{}", NULL},
                         {CK_EVENT_SESSION_RESUMED, 99000, "{}", NULL},
                         {CK_EVENT_INTENT, 99400, MODEL("m"), NULL},
                         {0}};
  check("a pause", paused, 1100 + 400, 1000 + 400);
  const step killed[] = {{CK_EVENT_SESSION_STARTED, 1000, NULL, NULL},
                         {CK_EVENT_INTENT, 1200, MODEL("m"), NULL},
                         {CK_EVENT_RESOLUTION, 90000, "{}", NULL},
                         {CK_EVENT_SESSION_RESUMED, 99000, "{}", NULL},
                         {CK_EVENT_INTENT, 99000, ASK("q"), NULL},
                         {CK_EVENT_OUTCOME, 99900, ASK("q"), NULL},
                         {0}};
  check("a run that died", killed, 200 + 900, 200);
}

static void test_imported(void) {
  const step absent[] = {{CK_EVENT_MESSAGE, 1000, USER, NULL},
                         {CK_EVENT_OUTCOME, 3000, MODEL("m"), NULL},
                         {CK_EVENT_MESSAGE, 15063000, USER, NULL},
                         {CK_EVENT_MESSAGE, 15064000, REPLY, NULL},
                         {0}};
  check("a user who was away", absent, 15063000, 3000);
  const step busy[] = {{CK_EVENT_MESSAGE, 1000, USER, NULL},
                       {CK_EVENT_INTENT, 2000, "{\"key\":\"t\",\"kind\":\"tool\"}", NULL},
                       {CK_EVENT_MESSAGE, 9000, USER, NULL},
                       {0}};
  check("a user who comes while a tool runs", busy, 8000, 8000);
  const step child[] = {
      {CK_EVENT_MESSAGE, 1000, USER, NULL}, {CK_EVENT_MESSAGE, 3000, USER, "coder"}, {0}};
  check("the task of another agent", child, 2000, 2000);
  const step branches[] = {{CK_EVENT_MESSAGE, 1000, USER, NULL},
                           {CK_EVENT_OUTCOME, 61000, MODEL("m"), NULL},
                           {CK_EVENT_OUTCOME, 11000, MODEL("n"), "coder"},
                           {CK_EVENT_OUTCOME, 31000, MODEL("o"), "coder"},
                           {0}};
  check("a branch beside it", branches, 80000, 80000);
  const step disorder[] = {{CK_EVENT_OUTCOME, 5000, MODEL("m"), NULL},
                           {CK_EVENT_OUTCOME, 4001, MODEL("n"), NULL},
                           {CK_EVENT_OUTCOME, 5010, MODEL("o"), NULL},
                           {0}};
  check("lines out of order", disorder, 10, 10);
  const step timeless[] = {{CK_EVENT_MESSAGE, 0, USER, NULL},
                           {CK_EVENT_OUTCOME, 0, MODEL("m"), NULL},
                           {CK_EVENT_OUTCOME, 5000, "{}", NULL},
                           {0}};
  check("a source without times", timeless, 0, 0);
}

int main(void) {
  test_questions();
  test_runs();
  test_imported();
  return tap_done();
}
