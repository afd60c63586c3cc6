/* test_acp_total.c - a turn has an end, however much its agent tells; what a person takes to answer
 * does not count. */
/* link: -Wl,--wrap=uv_hrtime */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <uv.h>

#include "tests/effect/acp/acp_fixture.h"
#include "tests/tap.h"

enum { DAY_S = 86400 };

static ck_loop *loop;
static uint64_t now_s = 1000000, step_s; /* the clock's; what passes with each update */
static int updates;

uint64_t __wrap_uv_hrtime(void);
uint64_t __wrap_uv_hrtime(void) { return now_s * 1000000000; }

/* Those of the agent, and of decisions: which session it has is told before it begins. */
static void on_update(ck_effect_sink *sink, ck_bytes chunk) {
  (void)sink;
  if (ck_json_get(chunk, "session").len) return;
  updates++;
  now_s += step_s;
}

static void begin(acp_fixture *it, uint64_t step) {
  acp_fixture_begin(it, NULL);
  it->drive.sink.update = on_update;
  updates = 0;
  step_s = step;
}

/* Two updates may be on their way when the time is over, and the decision is told in that of the
 * person. */
static void ends(const ck_outcome *outcome, int64_t total_s, const char *what) {
  char text[512];
  snprintf(text, sizeof text,
           "the agent 'coder' was still at work on its turn after %lld s, the most that one "
           "request to it may take, also when it reports progress; a greater total_s of this "
           "process in the flow allows it more",
           (long long)total_s);
  tap_is_text(ck_outcome_status_name(outcome->status), "unknown", "%s: nobody can tell what it did",
              what);
  tap_is_int(outcome->error_status, CK_OK, "%s: as after any time limit", what);
  tap_is_text(outcome->error, text, "%s: it says what took how long, and what to do", what);
  int64_t least = total_s / (int64_t)step_s;
  tap_ok(updates >= least && updates <= least + 3, "%s: after %d updates of %d s", what, updates,
         (int)step_s);
}

static void test_cap(void) {
  acp_fixture it;
  begin(&it, 60);
  acp_fixture_open_driver(&it);
  ends(acp_fixture_prompt(&it, "tick 1000", NULL), 10800, "three hours");
  tap_ok(acp_fixture_prompt(&it, "hello", NULL)->status == CK_OUTCOME_OK,
         "the agent heard that, and is there for the next turn");
  acp_fixture_close(&it);
  begin(&it, 60);
  it.process.total_ms = 1200000;
  acp_fixture_open_driver(&it);
  ends(acp_fixture_prompt(&it, "tick 1000", NULL), 1200, "total_s of the process");
  acp_fixture_close(&it);
  begin(&it, 60);
  it.options.total_ms = 2400000;
  acp_fixture_open_driver(&it);
  ends(acp_fixture_prompt(&it, "tick 1000", NULL), 2400, "total_ms of the driver");
  acp_fixture_close(&it);
  begin(&it, 60);
  it.process.timeout_ms = 14400000;
  acp_fixture_open_driver(&it);
  ends(acp_fixture_prompt(&it, "tick 1000", NULL), 14400, "a longer timeout_s, and no total_s");
  acp_fixture_close(&it);
}

/* 9,000 s are five times the silence that is allowed. */
static void test_updates(void) {
  acp_fixture it;
  begin(&it, 60);
  acp_fixture_open_driver(&it);
  const ck_outcome *outcome = acp_fixture_prompt(&it, "tick 150", NULL);
  tap_ok(outcome->status == CK_OUTCOME_OK && updates == 150,
         "before the cap updates go on renewing the time");
  acp_fixture_close(&it);
}

/* A turn of `prompt` in which a person answers after a day; its outcome lives as long as `it`. */
static const ck_outcome *answer_late(acp_fixture *it, const char *prompt) {
  ck_effect_run *run;
  begin(it, 1);
  it->process.total_ms = 100000;
  acp_fixture_ask_session(it);
  it->silent = true;
  acp_fixture_open_driver(it);
  acp_fixture_set(it, CK_EFFECT_ONCE, prompt, NULL);
  tap_must(drive_begin(&run, &it->drive, it->driver, &it->effect, false) == CK_OK, "it is begun");
  while (!it->asked) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  now_s += DAY_S;
  it->answered(it->to, CK_ACTION_ALLOWED, true, "");
  drive_wait(&it->drive);
  return it->drive.outcome;
}

static void test_person(void) {
  acp_fixture it;
  const ck_outcome *outcome = answer_late(&it, "tick 40 40");
  tap_ok(outcome->status == CK_OUTCOME_OK, "a day in which a person thinks does not count (%s)",
         outcome->error ? outcome->error : "");
  acp_fixture_close(&it);
  ends(answer_late(&it, "tick 60 1000"), 100, "what was before it and comes after it does");
  acp_fixture_close(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  acp_fixture_init(loop);
  test_cap();
  test_updates();
  test_person();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
