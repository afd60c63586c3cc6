/* test_command.c - tools that are programs: whatever they do, there is one outcome, in bounds, and
 * no process is left. */
#include "core/effect/process/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/effect/drive.h"
#include "tests/tap.h"

enum { SHORT_MS = 50, LONG_MS = 600000 };

static ck_loop *loop;
static char tool_path[1024];

/* One tool effect of the tool "t", which runs tool_child with a mode and an argument. */
typedef struct fixture {
  const char *argv[4], *probe[4];
  ck_command_tool tool;
  ck_effect_driver *driver;
  ck_effect effect;
  drive drive;
} fixture;

static void open_fixture(fixture *self, const char *mode, const char *argument) {
  *self = (fixture){.argv = {tool_path, mode, argument}, .probe = {tool_path, mode, argument}};
  self->tool = (ck_command_tool){.name = "t", .argv = self->argv, .probe = self->probe};
  ck_command_options options = {.loop = loop,
                                .tools = &self->tool,
                                .tool_count = 1,
                                .grace_ms = SHORT_MS,
                                .kill_ms = SHORT_MS};
  tap_must(ck_command_driver_new(&self->driver, &options, NULL) == CK_OK, "%s: there is a driver",
           mode);
  self->effect = (ck_effect){
      .scope = "main",
      .key = "main/agent#3/tool/1",
      .attempt = 2,
      .kind = CK_EFFECT_TOOL,
      .request = ck_bytes_text("{\"name\":\"t\",\"index\":0,\"arguments\":\"{\\\"a\\\":\\n1}\"}")};
  drive_init(&self->drive, loop);
}

static void close_fixture(fixture *self) {
  self->driver->free(self->driver->self);
  drive_clear(&self->drive);
}

/* Runs it to its outcome, which lives until the fixture is closed. */
static const ck_outcome *play(fixture *self, const char *mode, const char *argument, bool probe) {
  open_fixture(self, mode, argument);
  return drive_effect(&self->drive, self->driver, &self->effect, probe);
}

static void gives_at(int line, const char *mode, const char *argument, const char *json) {
  fixture it;
  const ck_outcome *outcome = play(&it, mode, argument, false);
  tap_ok(outcome->status == CK_OUTCOME_OK, "%s %s is ok (line %d)", mode, argument, line);
  ck_bytes result = outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0};
  tap_is_bytes(result, ck_bytes_text(json), "%s %s: the result", mode, argument);
  close_fixture(&it);
}
#define gives(...) gives_at(__LINE__, __VA_ARGS__)

static void test_results(void) {
  gives("echo", NULL,
        "{\"name\":\"t\",\"arguments\":{\"a\": 1},\"key\":\"main/agent#3/tool/1\",\"attempt\":2}");
  gives("print", " [1, 2.50]\n", "[1, 2.50]");
  gives("print", "sunny\n", "\"sunny\"");
  gives("print", "two\nlines\n\n", "\"two\\nlines\\n\"");
  gives("print", "", "\"\"");
  gives("print", "{\"a\":1,\"a\":2}", "\"{\\\"a\\\":1,\\\"a\\\":2}\"");
  gives("descriptors", NULL, "[0,1,2]");
  gives("signals", NULL, "\"leader 1\"");
  gives("close", NULL, "\"\"");

  fixture it;
  const ck_outcome *outcome = play(&it, "bytes", NULL, false);
  tap_ok(outcome->status == CK_OUTCOME_OK &&
             ck_json_check(ck_value_bytes(outcome->result), NULL) == CK_OK,
         "any bytes become valid JSON");
  close_fixture(&it);
}

static void test_environment(void) {
  fixture it;
  setenv("OPENAI_API_KEY", "sk-canary", 1);
  setenv("LC_CKRUN", "here", 1);
  setenv("PATHS", "canary", 1);
  const ck_outcome *outcome = play(&it, "environment", NULL, false);
  const char *text = outcome->result ? ck_value_bytes(outcome->result).data : "";
  tap_ok(strstr(text, "CKRUN_EFFECT_KEY=main/agent#3/tool/1\\n") != NULL,
         "the environment names the effect");
  tap_ok(strstr(text, "CKRUN_EFFECT_ATTEMPT=2") != NULL, "and the attempt");
  tap_ok(strstr(text, "LC_CKRUN=here\\n") && strstr(text, "PATH="), "what is listed is inherited");
  tap_ok(!strstr(text, "canary"), "nothing else is");
  close_fixture(&it);
}

static void fails(const char *mode, const char *argument, const char *first, const char *second) {
  fixture it;
  const ck_outcome *outcome = play(&it, mode, argument, false);
  const char *want = strstr(first, "exit status") ? "error" : "unknown";
  tap_is_text(ck_outcome_status_name(outcome->status), want, "%s %s: its status", mode, argument);
  const char *line = outcome->error ? outcome->error : "";
  tap_ok(strstr(line, first) && strstr(line, second), "%s %s says why (%s)", mode, argument, line);
  tap_ok(outcome->result && ck_json_type_of(ck_value_bytes(outcome->result)) == CK_JSON_STRING &&
             strstr(ck_value_bytes(outcome->result).data, first),
         "%s %s: the model is told", mode, argument);
  close_fixture(&it);
}

static void test_errors(void) {
  fails("fail", "3", "t: exit status 3", "first line\nsecond line\nout");
  fails("fail", "1", "t: exit status 1", "second line");
  fails("fail", "255", "t: exit status 255", "second line");
  fails("die", "9", "t: ended by signal 9 (Killed)", "about to die");
  fails("die", "13", "t: ended by signal 13", "about to die");
  fails("flood", "error", "t: exit status 4", "xxx");
  fails("flood", "output", "wrote more output than is allowed", "killed");
  fixture it;
  const ck_outcome *outcome = play(&it, "flood", "output", false);
  tap_is_status(outcome->error_status, CK_E_OVERSIZE, NULL, "a flood has its own class");
  close_fixture(&it);
  outcome = play(&it, "flood", "error", false);
  ck_bytes text = ck_value_bytes(outcome->result);
  tap_ok(text.len < 8192 && strstr(text.data, "the end"),
         "of a long error the end is kept (%zu bytes)", text.len);
  close_fixture(&it);
}

/* Each exit status, by the rule of signal(7): which signals end a program by default. */
static void test_statuses(void) {
  static const int passing[] = {17, 18, 19, 20, 21, 22, 23, 28}; /* CHLD, CONT, STOP, …, WINCH */
  for (int status = 2; status <= 255; status++) {
    bool unknown = status == 124 || (status > 128 && status <= 128 + 64);
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
      unknown &= status != 128 + passing[i];
    char number[12];
    snprintf(number, sizeof number, "%d", status);
    fixture it;
    const ck_outcome *outcome = play(&it, "fail", number, false);
    const char *signal = strstr(outcome->error, "by which a shell tells of signal ");
    bool named = status == 124 ? strstr(outcome->error, "by which timeout(1) tells") != NULL
                               : unknown == (signal != NULL);
    tap_ok(outcome->status == (unknown ? CK_OUTCOME_UNKNOWN : CK_OUTCOME_ERROR) && named,
           "exit status %d: %s", status, outcome->error);
    close_fixture(&it);
  }
}

static void test_output_limit(void) {
  fixture it;
  open_fixture(&it, "print", "12345678");
  it.driver->free(it.driver->self);
  for (size_t limit = 7; limit <= 8; limit++) {
    ck_command_options options = {
        .loop = loop, .tools = &it.tool, .tool_count = 1, .output_max = limit};
    tap_must(ck_command_driver_new(&it.driver, &options, NULL) == CK_OK, "there is a driver");
    const ck_outcome *outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
    tap_is_int(outcome->status, limit == 8 ? CK_OUTCOME_OK : CK_OUTCOME_UNKNOWN,
               "8 bytes with a limit of %zu", limit);
    if (limit < 8) it.driver->free(it.driver->self);
  }
  close_fixture(&it);
}

static void test_unstartable(void) {
  static const char *const bad[] = {"/nowhere/at.all", "ckrun-no-such-program", "/", "/etc/passwd"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture it;
    open_fixture(&it, "echo", NULL);
    it.argv[0] = it.probe[0] = bad[i];
    const ck_outcome *outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
    tap_ok(outcome->status == CK_OUTCOME_ERROR && strstr(outcome->error, "t: cannot be started: "),
           "%s is told (%s)", bad[i], outcome->error);
    outcome = drive_effect(&it.drive, it.driver, &it.effect, true);
    tap_ok(outcome->status == CK_OUTCOME_UNKNOWN, "a probe that cannot be started cannot tell");
    close_fixture(&it);
  }
}

/* More than a pipe holds, to a program that never reads. */
static void test_unread_input(void) {
  fixture it;
  ck_buffer request = {0};
  ck_buffer_append_text(&request, "{\"name\":\"t\",\"arguments\":\"");
  for (int i = 0; i < 200000; i++) ck_buffer_append_text(&request, "tenletters");
  ck_buffer_append_text(&request, "\"}");
  open_fixture(&it, "print", "fine");
  it.effect.request = ck_buffer_bytes(&request);
  tap_ok(drive_effect(&it.drive, it.driver, &it.effect, false)->status == CK_OUTCOME_OK,
         "input may stay unread");
  it.argv[1] = "close";
  tap_ok(drive_effect(&it.drive, it.driver, &it.effect, false)->status == CK_OUTCOME_OK,
         "2 MB of input are delivered");
  close_fixture(&it);
  ck_buffer_clear(&request);
}

static void test_probes(void) {
  static const struct {
    const char *mode, *argument;
    ck_outcome_status want;
  } cases[] = {{"print", "{\"id\":7}", CK_OUTCOME_OK},
               {"fail", "1", CK_OUTCOME_ABSENT},
               {"fail", "2", CK_OUTCOME_UNKNOWN},
               {"die", "9", CK_OUTCOME_UNKNOWN},
               {"flood", "output", CK_OUTCOME_UNKNOWN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture it;
    const ck_outcome *outcome = play(&it, cases[i].mode, cases[i].argument, true);
    tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(cases[i].want),
                "the probe %s %s", cases[i].mode, cases[i].argument);
    bool received =
        outcome->status == CK_OUTCOME_UNKNOWN ? outcome->error != NULL : outcome->error == NULL;
    tap_ok(received, "tells why exactly when it cannot tell");
    close_fixture(&it);
  }
  fixture it;
  const ck_outcome *outcome = play(&it, "echo", NULL, true);
  tap_ok(outcome->result &&
             strstr(ck_value_bytes(outcome->result).data, "\"key\":\"main/agent#3/tool/1\""),
         "a probe gets the same input");
  close_fixture(&it);
}

static void test_routing(void) {
  fixture it;
  open_fixture(&it, "echo", NULL);
  ck_effect_driver *driver = it.driver;
  tap_ok(driver->serves(driver->self, &it.effect) && driver->probes(driver->self, &it.effect),
         "its own tool is served");
  it.tool.probe = NULL;
  tap_ok(!driver->probes(driver->self, &it.effect), "without a probe it cannot be probed");
  it.effect.request = ck_bytes_text("{\"name\":\"T\",\"arguments\":{}}");
  tap_ok(!driver->serves(driver->self, &it.effect), "another tool is not");
  it.effect.request = ck_bytes_text("{\"name\":\"t\"}");
  it.effect.kind = CK_EFFECT_MODEL;
  tap_ok(!driver->serves(driver->self, &it.effect), "nor is a model");
  close_fixture(&it);
}

/* The pid that a remaining daemon reported. */
static pid_t pid_of(const ck_outcome *outcome) {
  int64_t pid = 0;
  tap_must(outcome->result && ck_json_read_int(&pid, ck_value_bytes(outcome->result)) && pid > 1,
           "the daemon has a pid");
  return (pid_t)pid;
}

/* Its new parent may not have collected it yet; then it is a zombie. */
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

static void test_daemons(void) {
  fixture it;
  const ck_outcome *outcome = play(&it, "daemon", "here", false);
  tap_ok(outcome->status == CK_OUTCOME_OK,
         "a daemon that holds the output open does not hold up the outcome");
  pid_t daemon = pid_of(outcome);
  for (int i = 0; i < 100000 && !is_gone(daemon); i++) sched_yield();
  tap_ok(is_gone(daemon), "and ends with its group");
  close_fixture(&it);
  outcome = play(&it, "daemon", "away", false);
  tap_ok(outcome->status == CK_OUTCOME_OK, "nor does one with a session of its own");
  kill(pid_of(outcome), SIGKILL);
  close_fixture(&it);
}

/* Blocks until the tool has reported through the fifo that it runs. */
static void wait_until_there(const char *fifo) {
  char byte = 0;
  int fd = open(fifo, O_RDONLY | O_CLOEXEC);
  tap_must(fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x', "the tool is there");
  close(fd);
}

static const char *make_fifo(void) {
  static int number;
  char name[32];
  snprintf(name, sizeof name, "fifo-%d", number++);
  const char *path = tap_tmpfile(name);
  tap_must(mkfifo(path, 0600) == 0, "there is a fifo");
  return path;
}

static void test_cancel(const char *mode, bool probe, ck_outcome_status want) {
  fixture it;
  ck_effect_run *run = NULL;
  const char *fifo = make_fifo();
  open_fixture(&it, mode, fifo);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, probe) == CK_OK, "it starts");
  wait_until_there(fifo);
  it.driver->cancel(it.driver->self, run);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  ck_loop_run(loop);
  tap_is_int(it.drive.delivered, 1, "%s: a cancelled tool is delivered once", mode);
  tap_is_text(ck_outcome_status_name(it.drive.outcome->status), ck_outcome_status_name(want),
              "%s: cancelled", mode);
  tap_is_status(it.drive.outcome->error_status, CK_E_INTERRUPTED, NULL, "%s: as interrupted", mode);
  close_fixture(&it);
}

/* A tool's own report of its end after SIGTERM. */
static void stops(const char *mode, ck_effect_class class, bool probe, ck_outcome_status want,
                  const char *say) {
  fixture it;
  ck_effect_run *run = NULL;
  const char *fifo = make_fifo();
  open_fixture(&it, mode, fifo);
  it.driver->free(it.driver->self);
  ck_command_options options = {
      .loop = loop, .tools = &it.tool, .tool_count = 1, .kill_ms = LONG_MS};
  tap_must(ck_command_driver_new(&it.driver, &options, NULL) == CK_OK, "there is a patient driver");
  it.effect.class = class;
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, probe) == CK_OK, "it starts");
  wait_until_there(fifo);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  const ck_outcome *outcome = it.drive.outcome;
  tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(want),
              "%s, %s%s: cancelled", mode, ck_effect_class_name(class), probe ? ", a probe" : "");
  const char *said = outcome->error ? outcome->error : ck_value_bytes(outcome->result).data;
  tap_ok(strstr(said, say) != NULL, "%s: what is known of it (%s)", mode, said);
  bool known = want == CK_OUTCOME_OK || want == CK_OUTCOME_ERROR;
  tap_is_status(outcome->error_status, known ? CK_OK : CK_E_INTERRUPTED, NULL, "%s: its class",
                mode);
  close_fixture(&it);
}

static void test_told_ends(void) {
  stops("finish", CK_EFFECT_ONCE, false, CK_OUTCOME_OK, "{\"done\":true}");
  stops("finish", CK_EFFECT_RECONCILABLE, false, CK_OUTCOME_OK, "{\"done\":true}");
  stops("finish", CK_EFFECT_PURE, false, CK_OUTCOME_FAILED, "it was cancelled");
  stops("finish", CK_EFFECT_ONCE, true, CK_OUTCOME_UNKNOWN, "it was cancelled");
  stops("regret", CK_EFFECT_ONCE, false, CK_OUTCOME_ERROR, "exit status 3");
  stops("regret", CK_EFFECT_IDEMPOTENT, false, CK_OUTCOME_FAILED, "it was cancelled");
  stops("pass-on", CK_EFFECT_ONCE, false, CK_OUTCOME_FAILED, "it was cancelled");
  stops("wait", CK_EFFECT_ONCE, false, CK_OUTCOME_FAILED, "it was cancelled");
}

static void test_deadline(void) {
  fixture it;
  ck_effect_run *run = NULL;
  const char *fifo = make_fifo();
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  open_fixture(&it, "stay", fifo);
  it.effect.deadline_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it starts");
  wait_until_there(fifo);
  drive_wait(&it.drive);
  tap_ok(
      it.drive.outcome->status == CK_OUTCOME_UNKNOWN && strstr(it.drive.outcome->error, "deadline"),
      "a tool that is deaf to SIGTERM ends at its deadline (%s)", it.drive.outcome->error);
  close_fixture(&it);
}

/* Neither a tool that ignores SIGTERM, nor one that closed its outputs long before. */
static void test_timeout(const char *mode) {
  fixture it;
  ck_effect_run *run = NULL;
  const char *fifo = make_fifo();
  open_fixture(&it, mode, fifo);
  it.tool.timeout_ms = SHORT_MS;
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it starts");
  wait_until_there(fifo);
  drive_wait(&it.drive);
  tap_ok(
      it.drive.outcome->status == CK_OUTCOME_UNKNOWN && strstr(it.drive.outcome->error, "deadline"),
      "%s: a tool's own time is a deadline, too (%s)", mode, it.drive.outcome->error);
  tap_ok(strstr(ck_value_bytes(it.drive.outcome->result).data, "t: it did not end"),
         "%s: and the model is told", mode);
  close_fixture(&it);
}

static void test_free_while_running(void) {
  fixture it;
  ck_effect_run *run = NULL;
  const char *fifo = make_fifo();
  open_fixture(&it, "stay", fifo);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it starts");
  wait_until_there(fifo);
  it.driver->free(it.driver->self);
  ck_loop_run(loop);
  tap_is_int(it.drive.delivered, 0, "a freed driver delivers nothing");
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "and its child is gone and collected");
  drive_clear(&it.drive);
}

static int count_descriptors(void) {
  int count = 0;
  DIR *list = opendir("/proc/self/fd");
  while (list && readdir(list)) count++;
  closedir(list);
  return count;
}

static void test_many_at_once(void) {
  enum { COUNT = 32 };
  static fixture all[COUNT];
  int good = 0;
  for (int i = 0; i < COUNT; i++) {
    ck_effect_run *run = NULL;
    open_fixture(&all[i], "print", "\"x\"");
    good += drive_begin(&run, &all[i].drive, all[i].driver, &all[i].effect, false) == CK_OK;
  }
  tap_is_int(good, COUNT, "%d tools start", COUNT);
  for (int i = 0; i < COUNT; i++) {
    drive_wait(&all[i].drive);
    good -= all[i].drive.outcome->status == CK_OUTCOME_OK;
  }
  tap_is_int(good, 0, "and all end well");
  for (int i = 0; i < COUNT; i++) close_fixture(&all[i]);
}

int main(void) {
  const char *build = getenv("CKRUN_BUILD");
  snprintf(tool_path, sizeof tool_path, "%s/tests/effect/process/tool_child",
           build ? build : "build/release");
  if (access(tool_path, X_OK)) tap_skip_all("%s is not built", tool_path);
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  tap_must(dup2(STDERR_FILENO, 200) == 200, "a descriptor that children would inherit");
  gives("print", "first", "\"first\"");
  int before = count_descriptors();
  test_results();
  test_environment();
  test_errors();
  test_statuses();
  test_output_limit();
  test_unstartable();
  test_unread_input();
  test_probes();
  test_routing();
  test_daemons();
  test_cancel("wait", false, CK_OUTCOME_FAILED);
  test_cancel("stay", false, CK_OUTCOME_FAILED);
  test_cancel("stay", true, CK_OUTCOME_UNKNOWN);
  test_told_ends();
  test_deadline();
  test_timeout("stay");
  test_timeout("mute");
  test_free_while_running();
  test_many_at_once();
  tap_is_int(count_descriptors(), before, "no descriptor is left open");
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
