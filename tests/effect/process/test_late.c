/* test_late.c - at its time limit a program is told to end, and may still say what it did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/effect/process/command.h"
#include "core/effect/process/exec.h"
#include "tests/effect/drive.h"
#include "tests/tap.h"

enum { SHORT_MS = 50, LONG_MS = 600000 };

static ck_loop *loop;
static char tool_path[1024];

static const ck_outcome *run_command(drive *to, const char *mode, ck_effect_class class,
                                     int64_t ms) {
  ck_effect_driver *driver;
  const char *const argv[] = {tool_path, mode, "/dev/null", NULL};
  const ck_command_tool tool = {.name = "t", .argv = argv, .timeout_ms = ms};
  const ck_command_options options = {
      .loop = loop, .tools = &tool, .tool_count = 1, .kill_ms = LONG_MS};
  const ck_effect effect = {.scope = "main",
                            .key = "main/agent#1/tool/1",
                            .attempt = 1,
                            .kind = CK_EFFECT_TOOL,
                            .class = class,
                            .request = ck_bytes_text("{\"name\":\"t\",\"arguments\":{}}")};
  tap_must(ck_command_driver_new(&driver, &options, NULL) == CK_OK, "there is a driver");
  const ck_outcome *outcome = drive_effect(to, driver, &effect, false);
  driver->free(driver->self);
  return outcome;
}

static const ck_outcome *run_exec(drive *to, const char *mode, ck_effect_class class, int64_t ms) {
  ck_effect_driver *driver;
  char request[1200];
  snprintf(request, sizeof request, "{\"argv\":[\"%s\",\"%s\",\"/dev/null\"],\"timeout_ms\":%lld}",
           tool_path, mode, (long long)ms);
  const ck_exec_options options = {.loop = loop, .kill_ms = LONG_MS};
  const ck_effect effect = {.scope = "main",
                            .key = "main/node#1/exec/1",
                            .attempt = 1,
                            .kind = CK_EFFECT_EXEC,
                            .class = class,
                            .request = ck_bytes_text(request)};
  tap_must(ck_exec_driver_new(&driver, &options, NULL) == CK_OK, "there is a driver");
  const ck_outcome *outcome = drive_effect(to, driver, &effect, false);
  driver->free(driver->self);
  return outcome;
}

/* Its time is doubled until it has got as far as to hear that it is over, on a machine of any
 * speed. */
static void late(bool is_tool, const char *mode, ck_effect_class class, ck_outcome_status want,
                 const char *text) {
  drive it;
  const ck_outcome *outcome = NULL;
  drive_init(&it, loop);
  for (int64_t ms = SHORT_MS; ms < LONG_MS / 10; ms *= 2) {
    outcome = (is_tool ? run_command : run_exec)(&it, mode, class, ms);
    if (outcome->status == want) break;
  }
  tap_must(outcome && outcome->result, "%s: it was run", mode);
  tap_ok(outcome->status == want && strstr(ck_value_bytes(outcome->result).data, text),
         "%s, %s (%s): %s", is_tool ? "a tool" : "a program", mode, ck_effect_class_name(class),
         ck_value_bytes(outcome->result).data);
  drive_clear(&it);
}

static void test_tools(void) {
  late(true, "finish", CK_EFFECT_ONCE, CK_OUTCOME_OK, "{\"done\":true}");
  late(true, "finish", CK_EFFECT_PURE, CK_OUTCOME_OK, "{\"done\":true}");
  late(true, "regret", CK_EFFECT_ONCE, CK_OUTCOME_ERROR, "exit status 3");
  late(true, "pass-on", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "before its deadline");
  late(true, "wait", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "before its deadline");
}

static void test_programs(void) {
  late(false, "finish", CK_EFFECT_ONCE, CK_OUTCOME_OK, "{\\\"done\\\":true}");
  late(false, "finish", CK_EFFECT_ONCE, CK_OUTCOME_OK, "\"timed_out\":true");
  late(false, "regret", CK_EFFECT_IDEMPOTENT, CK_OUTCOME_ERROR, "\"exit\":3");
  late(false, "wait", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "\"timed_out\":true");
}

int main(void) {
  const char *build = getenv("CKRUN_BUILD");
  snprintf(tool_path, sizeof tool_path, "%s/tests/effect/process/tool_child",
           build ? build : "build/release");
  if (access(tool_path, X_OK)) tap_skip_all("%s is not built", tool_path);
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  test_tools();
  test_programs();
  ck_loop_free(loop);
  return tap_done();
}
