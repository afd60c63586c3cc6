/* test_mcp_total.c - a call has an end, however much progress its server reports. */
/* link: -Wl,--wrap=uv_hrtime */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/effect/mcp/mcp_fixture.h"
#include "tests/tap.h"

enum { STEP_S = 30, ENDLESS = 1000 };

static ck_loop *loop;
static uint64_t now_s = 1000000, passes_s; /* the clock's; what each look at it takes */
static int reports;

uint64_t __wrap_uv_hrtime(void);
uint64_t __wrap_uv_hrtime(void) { return (now_s += passes_s) * 1000000000; }

static void on_progress(ck_effect_sink *sink, ck_bytes chunk) {
  (void)sink, (void)chunk;
  reports++;
  now_s += STEP_S;
}

static void begin(mcp_fixture *it, const char *mode) {
  mcp_fixture_begin(it, mode, NULL);
  it->drive.sink.update = on_progress;
  reports = 0;
}

static const ck_outcome *ticks(mcp_fixture *it, ck_effect_class class, int count) {
  char arguments[32];
  snprintf(arguments, sizeof arguments, "{\"count\":%d}", count);
  mcp_fixture_open(it);
  return mcp_fixture_call(it, class, "tick", arguments);
}

/* One report may be on its way when the time is over. */
static void ends(const ck_outcome *outcome, int64_t total_s, const char *what) {
  char text[512];
  snprintf(text, sizeof text,
           "the MCP server 'box' was still at work on \"tick\" after %lld s, the most that one "
           "request to it may take, also when it reports progress; a greater total_s of this "
           "process in the flow allows it more",
           (long long)total_s);
  tap_is_text(ck_outcome_status_name(outcome->status), "unknown", "%s: nobody can tell what it did",
              what);
  tap_is_int(outcome->error_status, CK_OK, "%s: as after any time limit", what);
  tap_is_text(outcome->error, text, "%s: it says what took how long, and what to do", what);
  tap_ok(reports >= total_s / STEP_S && reports <= total_s / STEP_S + 1,
         "%s: after %d reports of %d s", what, reports, STEP_S);
}

static void test_cap(void) {
  for (int class = CK_EFFECT_PURE; class <= CK_EFFECT_ONCE; class ++) {
    mcp_fixture it;
    begin(&it, NULL);
    ends(ticks(&it, (ck_effect_class) class, ENDLESS), 3600,
         ck_effect_class_name((ck_effect_class) class));
    const ck_outcome *next = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", "{\"a\":3}");
    tap_ok(next->status == CK_OUTCOME_OK, "the server heard that, and is there for the next call");
    mcp_fixture_close(&it);
  }
}

static void test_limits(void) {
  mcp_fixture it;
  begin(&it, NULL);
  it.process.total_ms = 900000;
  ends(ticks(&it, CK_EFFECT_ONCE, ENDLESS), 900, "total_s of the process");
  mcp_fixture_close(&it);
  begin(&it, NULL);
  it.options.total_ms = 1500000;
  ends(ticks(&it, CK_EFFECT_ONCE, ENDLESS), 1500, "total_ms of the driver");
  mcp_fixture_close(&it);
  begin(&it, NULL);
  it.process.timeout_ms = 7200000;
  ends(ticks(&it, CK_EFFECT_ONCE, ENDLESS), 7200, "a longer timeout_s, and no total_s");
  mcp_fixture_close(&it);
  begin(&it, NULL);
  it.process.timeout_ms = 7200000;
  it.process.total_ms = 600000;
  ends(ticks(&it, CK_EFFECT_ONCE, ENDLESS), 600, "a longer timeout_s than total_s");
  mcp_fixture_close(&it);
}

/* 3,000 s are five times the silence that is allowed. */
static void test_progress(void) {
  mcp_fixture it;
  begin(&it, NULL);
  tap_ok(ticks(&it, CK_EFFECT_ONCE, 100)->status == CK_OUTCOME_OK && reports == 100,
         "before the cap progress goes on renewing the time");
  mcp_fixture_close(&it);
}

/* Of each look at the clock a minute: a page is not silent for long, all of them are. */
static void test_list(void) {
  mcp_fixture it;
  begin(&it, "endless");
  it.process.timeout_ms = 3600000;
  mcp_fixture_open(&it);
  mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL);
  passes_s = 60;
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_PURE, NULL, NULL);
  passes_s = 0;
  tap_ok(outcome->error && strstr(outcome->error,
                                  "the MCP server 'box' was still at work on the list of its tools "
                                  "after 3600 s"),
         "all pages of a list have the time of one request (%s)",
         outcome->error ? outcome->error : "");
  mcp_fixture_close(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  test_cap();
  test_limits();
  test_progress();
  test_list();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
