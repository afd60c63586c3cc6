/* test_mcp_hostile.c - misbehaving MCP servers: each call gets one true outcome, in bounds and in
 * time. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/effect/mcp/mcp_fixture.h"
#include "tests/tap.h"

enum { SHORT_MS = 100, LONG_MS = 600000 };

static ck_loop *loop;

/* The outcome of a call whose server misbehaves from its start; nothing was sent to it. */
static void fails(const char *mode, int64_t start_ms, const char *first, const char *second) {
  mcp_fixture it;
  mcp_fixture_begin(&it, mode, NULL);
  it.options.service.start_ms = start_ms;
  it.options.service.line_max = 1 << 20;
  mcp_fixture_open(&it);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL);
  tap_is_text(ck_outcome_status_name(outcome->status), "failed",
              "%s: the call could not be carried out", mode);
  tap_is_status(outcome->error_status, CK_E_UNAVAILABLE, NULL, "%s: the session can go on later",
                mode);
  const char *line = outcome->error ? outcome->error : "";
  tap_ok(strncmp(line, "the MCP server 'box': ", 22) == 0 && strstr(line, first) &&
             strstr(line, second),
         "%s: it says why (%s)", mode, line);
  tap_ok(strlen(line) < 1024 && !strpbrk(line, "\n\r\x1b"),
         "%s: in one line without control characters", mode);
  mcp_fixture_close(&it);
}

static void test_bad_starts(void) {
  fails("babble", 0, "it wrote a line that is no JSON: \"hello, I am a server\"", "");
  fails("number", 0, "it wrote a line that is no JSON-RPC message: \"5\"", "");
  fails("log", 0,
        "no JSON-RPC message: \"{\\\"level\\\":\\\"info\\\",\\\"message\\\":\\\"up\\\"}\"", "");
  fails("exit", 0, "it ended with exit status 7", "; its last words: \"no licence\"");
  fails("line", 0, "it wrote a line of more than 1048576 bytes", "");
  fails("deep", 0, "it wrote a line that is no JSON: \"[[[[", "…");
  fails("close", 0, "it closed its standard output", "");
  fails("close-input", SHORT_MS,
        "it does not take part: the MCP server 'box' did not answer within", "");
  fails("mute", SHORT_MS, "it does not take part: the MCP server 'box' did not answer within", "");
  fails("deaf", SHORT_MS, "did not answer within", "");
  fails("chatter", SHORT_MS, "it does not take part: the MCP server 'box' did not answer within",
        "");
  fails("unwilling", 0,
        "it does not take part: the MCP server 'box': not before noon (error -32603)", "");
}

static void test_unstartable(void) {
  static const char *const bad[] = {"/nowhere/at.all", "ckrun-no-such-program", "/", "/etc/passwd"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mcp_fixture it;
    mcp_fixture_begin(&it, NULL, NULL);
    it.argv[0] = bad[i];
    mcp_fixture_open(&it);
    const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL);
    tap_ok(outcome->status == CK_OUTCOME_FAILED && strstr(outcome->error, "it cannot be started: "),
           "%s is told (%s)", bad[i], outcome->error);
    mcp_fixture_close(&it);
  }
}

/* These are strange, and harmless. */
static void test_tolerated(void) {
  static const char *const modes[] = {"early", "unknown", "double", "batch", "shout"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    mcp_fixture it;
    mcp_fixture_begin(&it, modes[i], NULL);
    mcp_fixture_open(&it);
    for (int k = 0; k < 3; k++) {
      const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", "{\"a\":1,\"b\":1}");
      tap_ok(outcome->status == CK_OUTCOME_OK &&
                 strcmp(ck_value_bytes(outcome->result).data, "\"2\"") == 0,
             "%s: call %d gets its result", modes[i], k);
    }
    mcp_fixture_close(&it);
  }
}

/* The outcome of a call that was sent before its server died or fell silent. */
static void test_classes(void) {
  static const struct {
    const char *tool;
    ck_effect_class class;
    ck_outcome_status want;
    ck_status error_status;
    const char *say;
  } cases[] = {
      {"die", CK_EFFECT_PURE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it ended with exit status 3; its last words: \"the roof is on fire\""},
      {"die", CK_EFFECT_IDEMPOTENT, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it ended with exit status 3"},
      {"die", CK_EFFECT_RECONCILABLE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it ended with exit status 3"},
      {"die", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE, "it ended with exit status 3"},
      {"blurt", CK_EFFECT_PURE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "no JSON: \"DEBUG: got \\\"here\\\"\\u001b[2J\""},
      {"blurt", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE, "no JSON: \"DEBUG: got"},
      {"much", CK_EFFECT_PURE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it wrote a line of more than 8388608 bytes"},
      {"much", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it wrote a line of more than 8388608 bytes"},
      {"nest", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it wrote a line that is no JSON: \"{"},
      {"nul", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it wrote a line that is no JSON: \"{"},
      {"infinity", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE,
       "it wrote a line that is no JSON: \"{"},
      {"hang", CK_EFFECT_PURE, CK_OUTCOME_UNKNOWN, CK_OK,
       "the MCP server 'box' did not answer within"},
      {"hang", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, CK_OK,
       "the MCP server 'box' did not answer within"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mcp_fixture it;
    mcp_fixture_begin(&it, NULL, NULL);
    mcp_fixture_open(&it);
    mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL);
    if (strcmp(cases[i].tool, "hang") == 0) it.process.timeout_ms = SHORT_MS;
    const ck_outcome *outcome = mcp_fixture_call(&it, cases[i].class, cases[i].tool, NULL);
    const char *class = ck_effect_class_name(cases[i].class);
    tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(cases[i].want),
                "%s during a call that is %s", cases[i].tool, class);
    tap_ok(strstr(outcome->error, cases[i].say), "%s, %s: it says why (%s)", cases[i].tool, class,
           outcome->error);
    tap_is_int(outcome->error_status, cases[i].error_status, "%s, %s: its class", cases[i].tool,
               class);
    it.process.timeout_ms = 0;
    outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", "{\"a\":3}");
    tap_ok(outcome->status == CK_OUTCOME_OK &&
               strcmp(ck_value_bytes(outcome->result).data, "\"3\"") == 0,
           "%s, %s: the next call is answered", cases[i].tool, class);
    mcp_fixture_close(&it);
  }
}

static void test_restarts(void) {
  mcp_fixture it;
  mcp_fixture_begin(&it, NULL, NULL);
  it.options.service.starts_max = 3;
  mcp_fixture_open(&it);
  for (int i = 0; i < 3; i++) mcp_fixture_call(&it, CK_EFFECT_ONCE, "die", NULL);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL);
  tap_ok(outcome->status == CK_OUTCOME_FAILED && outcome->error_status == CK_E_UNAVAILABLE,
         "a server that dies and dies is left alone");
  tap_is_text(outcome->error,
              "the MCP server 'box' ended 3 times; it is not started again in this run",
              "and told");
  mcp_fixture_close(&it);
}

static void test_endless_list(void) {
  mcp_fixture it;
  mcp_fixture_begin(&it, "endless", NULL);
  mcp_fixture_open(&it);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_PURE, NULL, NULL);
  tap_ok(
      outcome->status == CK_OUTCOME_ERROR && strstr(outcome->error, "it lists more than 64 pages"),
      "a list without an end ends (%s)", outcome->error);
  mcp_fixture_close(&it);
}

/* Late enough that the call is sent before, on a machine of any speed. */
static const ck_outcome *ask_before_deadline(mcp_fixture *it) {
  const ck_outcome *outcome = NULL;
  for (int64_t ms = 1000; ms < LONG_MS; ms *= 2) {
    struct timespec now;
    mcp_fixture_set(it, CK_EFFECT_PURE, "hang", NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    it->effect.deadline_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
    outcome = drive_effect(&it->drive, it->driver, &it->effect, false);
    if (!strstr(outcome->error, "its deadline has passed")) break;
  }
  return outcome;
}

static void test_deadline(void) {
  mcp_fixture it;
  mcp_fixture_begin(&it, NULL, NULL);
  mcp_fixture_open(&it);
  mcp_fixture_call(&it, CK_EFFECT_PURE, "add", NULL);
  const ck_outcome *outcome = ask_before_deadline(&it);
  tap_ok(outcome->status == CK_OUTCOME_UNKNOWN && strstr(outcome->error, "did not answer within"),
         "a deadline holds (%s)", outcome->error);
  it.effect.deadline_ms = 1;
  it.effect.class = CK_EFFECT_ONCE;
  outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
  tap_ok(outcome->status == CK_OUTCOME_FAILED && strstr(outcome->error, "its deadline has passed"),
         "what is too late is not even sent (%s)", outcome->error);
  mcp_fixture_close(&it);
}

typedef struct cancelling {
  const char *tool;
  bool initialized; /* it was sent; else the cancel comes before the server was initialized */
  ck_effect_class class;
  ck_outcome_status want;
  const char *say; /* the result, or the line */
} cancelling;

static void cancels(const cancelling *as) {
  mcp_fixture it;
  ck_effect_run *run;
  mcp_fixture_begin(&it, NULL, NULL);
  it.options.cancel_ms = as->want == CK_OUTCOME_UNKNOWN ? MCP_SCENE_SHORT_MS : LONG_MS;
  mcp_fixture_open(&it);
  if (as->initialized) mcp_fixture_call(&it, CK_EFFECT_PURE, "add", NULL);
  mcp_fixture_set(&it, as->class, as->tool, NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  it.driver->cancel(it.driver->self, run);
  it.driver->cancel(it.driver->self, run);
  tap_is_int(it.drive.delivered, 0, "a cancel delivers later");
  drive_wait(&it.drive);
  const ck_outcome *outcome = it.drive.outcome;
  tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(as->want),
              "%s, a %s call, cancelled %s", as->tool, ck_effect_class_name(as->class),
              as->initialized ? "under way" : "before it was sent");
  bool known = as->want == CK_OUTCOME_OK || as->want == CK_OUTCOME_ERROR;
  if (!known) tap_is_int(outcome->error_status, CK_E_INTERRUPTED, "its class");
  const char *said =
      as->want == CK_OUTCOME_OK ? ck_value_bytes(outcome->result).data : outcome->error;
  tap_ok(strstr(said, as->say) != NULL, "what is known of it (%s)", said);
  outcome = mcp_fixture_call(&it, CK_EFFECT_PURE, "add", "{\"a\":5}");
  tap_ok(outcome->status == CK_OUTCOME_OK &&
             strcmp(ck_value_bytes(outcome->result).data, "\"5\"") == 0,
         "the late answer of the other is not mistaken");
  mcp_fixture_close(&it);
}

/* The server's answer to a cancelled call counts, where the call may have had its effect. */
static void test_cancel(void) {
  static const cancelling cases[] = {
      {"hang", false, CK_EFFECT_ONCE, CK_OUTCOME_ABSENT, "it was cancelled"},
      {"hang", false, CK_EFFECT_PURE, CK_OUTCOME_ABSENT, "it was cancelled"},
      {"hang", true, CK_EFFECT_PURE, CK_OUTCOME_FAILED, "it was cancelled"},
      {"hang", true, CK_EFFECT_ONCE, CK_OUTCOME_OK, "too late"},
      {"hang", true, CK_EFFECT_RECONCILABLE, CK_OUTCOME_OK, "too late"},
      {"give-up", true, CK_EFFECT_ONCE, CK_OUTCOME_ERROR, "Request cancelled"},
      {"obey", true, CK_EFFECT_IDEMPOTENT, CK_OUTCOME_FAILED, "it was cancelled"},
      {"obey", true, CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "did not answer within"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) cancels(&cases[i]);
}

static bool is_gone(pid_t pid) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  if (!file) return true;
  size_t got = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  const char *state = got ? strrchr(text, ')') : NULL;
  return !state || state[2] == 'Z' || state[2] == 'X';
}

static void test_grandchild(void) {
  mcp_fixture it;
  int pid = 0;
  const char *path = tap_tmpfile("grandchild");
  mcp_fixture_begin(&it, "grandchild", path);
  mcp_fixture_open(&it);
  tap_ok(mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL)->status == CK_OUTCOME_OK,
         "a server with a grandchild serves");
  FILE *file = NULL;
  for (int i = 0; i < 1000000 && (!file || fscanf(file, "%d", &pid) != 1); i++) {
    if (file) fclose(file);
    file = fopen(path, "r");
    sched_yield();
  }
  if (file) fclose(file);
  tap_must(pid > 1, "the grandchild has a pid");
  mcp_fixture_close(&it);
  for (int i = 0; i < 1000000 && !is_gone(pid); i++) sched_yield();
  tap_ok(is_gone(pid), "a grandchild that is deaf to SIGTERM ends with the driver");
}

/* More bytes than a pipe holds, to a server that does not read, repeatedly. */
static void test_unread_calls(void) {
  enum { COUNT = 24 };
  mcp_fixture it;
  drive drives[COUNT];
  ck_buffer request = {0};
  int refused = 0, late = 0;
  mcp_fixture_begin(&it, NULL, NULL);
  mcp_fixture_open(&it);
  mcp_fixture_call(&it, CK_EFFECT_PURE, "add", NULL);
  ck_buffer_append_text(&request, "{\"server\":\"box\",\"name\":\"add\",\"arguments\":{\"a\":\"");
  for (int i = 0; i < 1 << 17; i++) ck_buffer_append_text(&request, "tenletters");
  ck_buffer_append_text(&request, "\"}}");
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_PURE, "pid", NULL);
  int pid = atoi(ck_value_bytes(outcome->result).data + 1);
  kill(pid, SIGSTOP);
  it.process.timeout_ms = SHORT_MS;
  it.effect.request = ck_buffer_bytes(&request);
  for (int i = 0; i < COUNT; i++) {
    ck_effect_run *run;
    drive_init(&drives[i], loop);
    tap_must(drive_begin(&run, &drives[i], it.driver, &it.effect, false) == CK_OK,
             "call %d is taken", i);
  }
  for (int i = 0; i < COUNT; i++) {
    drive_wait(&drives[i]);
    refused += drives[i].outcome->status == CK_OUTCOME_FAILED &&
               strstr(drives[i].outcome->error, "it does not read its standard input");
    late += drives[i].outcome->status == CK_OUTCOME_UNKNOWN &&
            strstr(drives[i].outcome->error, "did not answer within");
    drive_clear(&drives[i]);
  }
  tap_ok(refused > 0 && late > 0 && refused + late == COUNT,
         "to a server that does not read, only so much is kept (%d refused, %d late)", refused,
         late);
  ck_buffer_clear(&request);
  mcp_fixture_close(&it);
}

static void test_free_while_running(void) {
  static const char *const modes[] = {"good", "mute", "deaf", "chatter"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    mcp_fixture it;
    ck_effect_run *run;
    mcp_fixture_begin(&it, modes[i], NULL);
    mcp_fixture_open(&it);
    mcp_fixture_set(&it, CK_EFFECT_ONCE, "hang", NULL);
    tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
    mcp_fixture_close(&it);
    tap_is_int(it.drive.delivered, 0, "%s: a driver that is freed delivers nothing", modes[i]);
  }
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  test_bad_starts();
  test_unstartable();
  test_tolerated();
  test_classes();
  test_restarts();
  test_endless_list();
  test_deadline();
  test_cancel();
  test_grandchild();
  test_unread_calls();
  test_free_while_running();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
