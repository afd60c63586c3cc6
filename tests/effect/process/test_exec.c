/* test_exec.c - programs that a flow runs: whatever they do, there is one result, in bounds, with
 * the whole output in a file. */
#include "core/base/sealed_text.h"
#include "core/effect/process/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/effect/drive.h"
#include "tests/tap.h"

enum { SHORT_MS = 50, LONG_MS = 600000 };

static ck_loop *loop;
static ck_redactor *redactor;
static char tool_path[1024];

typedef struct fixture {
  ck_shelf shelf;
  ck_exec_options options;
  ck_effect_driver *driver;
  ck_effect effect;
  char request[4096];
  drive drive;
} fixture;

static ck_status resolve(void *to, ck_buffer *out, const char *ref, ck_error *err) {
  (void)to;
  if (strcmp(ref, "env:THERE") != 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s is not set", ref);
  ck_buffer_append_text(out, "opensesame-0123456789");
  return ck_redactor_add_secret(redactor, "there", ck_buffer_bytes(out), err);
}

static void open_fixture(fixture *self, const char *directory) {
  *self = (fixture){.options = {.loop = loop,
                                .directory = tap_tmpdir(),
                                .resolve = resolve,
                                .kill_ms = SHORT_MS,
                                .spill = {.session = "s-1", .redactor = redactor}}};
  if (directory) tap_must(ck_shelf_open_folder(&self->shelf, directory, NULL) == CK_OK, "memory");
  if (directory) self->options.spill.shelf = &self->shelf;
  self->effect = (ck_effect){
      .scope = "main", .key = "main/start/exec/1", .attempt = 2, .kind = CK_EFFECT_EXEC};
  drive_init(&self->drive, loop);
}

static void close_fixture(fixture *self) {
  self->driver->free(self->driver->self);
  drive_clear(&self->drive);
  ck_shelf_close(&self->shelf);
}

/* `rest` has the other members of the request, beside tool_child MODE ARGUMENT. */
static void write_request(fixture *self, const char *mode, const char *argument, const char *rest) {
  snprintf(self->request, sizeof self->request, "{\"argv\":[\"%s\",\"%s\",\"%s\"]%s}", tool_path,
           mode, argument, rest);
  self->effect.request = ck_bytes_text(self->request);
}

static const ck_outcome *carry_out(fixture *self) {
  if (!self->driver)
    tap_must(ck_exec_driver_new(&self->driver, &self->options, NULL) == CK_OK, "there is a driver");
  return drive_effect(&self->drive, self->driver, &self->effect, false);
}

static const ck_outcome *play(fixture *self, const char *mode, const char *argument,
                              const char *rest) {
  open_fixture(self, NULL);
  write_request(self, mode, argument, rest);
  return carry_out(self);
}

static ck_bytes result_of(const ck_outcome *outcome) {
  return outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0};
}

static void gives_at(int line, const char *mode, const char *argument, const char *rest,
                     const char *json) {
  fixture it;
  const ck_outcome *outcome = play(&it, mode, argument, rest);
  tap_is_text(ck_outcome_status_name(outcome->status), "ok", "%s %s (line %d)", mode, argument,
              line);
  tap_is_bytes(result_of(outcome), ck_bytes_text(json), "%s %s%s: the result", mode, argument,
               rest);
  close_fixture(&it);
}
#define gives(...) gives_at(__LINE__, __VA_ARGS__)

#define OUT(text, bytes)                                                        \
  "{\"exit\":0,\"stdout\":\"" text "\",\"stderr\":\"\",\"stdout_bytes\":" bytes \
  ",\"stderr_bytes\":0"

static void test_results(void) {
  gives("print", "hi", "", OUT("hi", "2") "}");
  gives("echo", "", ",\"input\":\"two\\nlines\\n\"", OUT("two\\nlines\\n", "10") "}");
  gives("echo", "", ",\"input\":{\"a\": [1]}", OUT("{\\\"a\\\": [1]}\\n", "11") "}");
  gives("echo", "", "", OUT("", "0") "}");
  gives("descriptors", "", "", OUT("[0,1,2]", "7") "}");
  gives("close", "", ",\"input\":\"unread\"", OUT("", "0") "}");
  gives("print", "häh", ",\"output_max\":2", OUT("h", "4") "}");
  gives("bytes", "", "",
        OUT("a\xef\xbf\xbd"
            "b\xef\xbf\xbd"
            "c\\n",
            "6") ",\"lossy\":true}");
}

static void test_failures(void) {
  static const struct {
    const char *mode, *argument, *rest, *json, *line;
  } cases[] = {
      {"fail", "3", "",
       "{\"exit\":3,\"stdout\":\"out\\n\",\"stderr\":\"first line\\nsecond line\\n\"",
       "exit status 3: first line"},
      {"die", "9", "", "{\"signal\":9,\"stdout\":\"\",\"stderr\":\"about to die\\n\"",
       "ended by signal 9 (Killed): about to die"},
      {"flood", "error", "", "{\"exit\":4,", "exit status 4: …"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture it;
    const ck_outcome *outcome = play(&it, cases[i].mode, cases[i].argument, cases[i].rest);
    const char *want = strcmp(cases[i].mode, "die") == 0 ? "unknown" : "error";
    tap_is_text(ck_outcome_status_name(outcome->status), want, "%s %s", cases[i].mode,
                cases[i].argument);
    tap_ok(strstr(outcome->error, cases[i].line) != NULL, "says why (%s)", outcome->error);
    tap_ok(strncmp(result_of(outcome).data, cases[i].json, strlen(cases[i].json)) == 0,
           "with the result (%.100s)", result_of(outcome).data);
    close_fixture(&it);
  }
}

static void is_refused(const char *request, ck_status class, const char *text) {
  fixture it;
  open_fixture(&it, NULL);
  it.effect.request = ck_bytes_text(request);
  const ck_outcome *outcome = carry_out(&it);
  tap_is_text(ck_outcome_status_name(outcome->status), "failed", "%s", request);
  tap_is_status(outcome->error_status, class, NULL, "has a class");
  tap_ok(outcome->error && strstr(outcome->error, text), "and says '%s' (%s)", text,
         outcome->error);
  close_fixture(&it);
}

static void test_refusals(void) {
  is_refused("{\"argv\":[\"/nowhere/at.all\"]}", CK_E_NOT_FOUND,
             "/nowhere/at.all: cannot be started: No such file");
  is_refused("{\"argv\":[\"ckrun-no-such-program\"]}", CK_E_NOT_FOUND, "cannot be started");
  is_refused("{\"argv\":[\"/etc/passwd\"]}", CK_E_FAILED, "Permission denied");
  is_refused("{\"argv\":[\"true\"],\"cwd\":\"not/there\"}", CK_E_NOT_FOUND, "there is no folder");
  is_refused("{\"argv\":[\"true\"],\"env\":{\"A\":{\"ref\":\"env:GONE\"}}}", CK_E_SECRET_MISSING,
             "env:GONE is not set");
  is_refused("{\"argv\":[]}", CK_E_FLOW, "argv must be a list");
  is_refused("{\"argv\":\"ls -l\"}", CK_E_FLOW, "argv must be a list");
  is_refused("{\"argv\":[\"ls\",1]}", CK_E_FLOW, "each of argv must be a string");
  is_refused("{\"argv\":[\"\"]}", CK_E_FLOW, "name is empty");
  is_refused("{}", CK_E_FLOW, "argv must be a list");
  is_refused("{\"argv\":[\"true\"],\"env\":[]}", CK_E_FLOW, "env must be an object");
  is_refused("{\"argv\":[\"true\"],\"env\":{\"A=B\":\"\"}}", CK_E_FLOW,
             "'A=B' is not a variable's name");
  is_refused("{\"argv\":[\"true\"],\"env\":{\"A\":7}}", CK_E_FLOW, "A must be a string");
  is_refused("{\"argv\":[\"true\"],\"timeout_ms\":0}", CK_E_FLOW,
             "timeout_ms must be a whole number from 1");
  is_refused("{\"argv\":[\"true\"],\"output_max\":-1}", CK_E_FLOW,
             "output_max must be a whole number from 0");
}

static void test_surroundings(void) {
  fixture it;
  setenv("OPENAI_API_KEY", "sk-canary", 1);
  setenv("LC_CKRUN", "here", 1);
  const ck_outcome *outcome =
      play(&it, "environment", "",
           ",\"env\":{\"PLAIN\":\"x=y\",\"LC_CKRUN\":\"there\",\"KEY\":{\"ref\":\"env:THERE\"}}");
  const char *text = result_of(outcome).data;
  tap_ok(text && strstr(text, "PLAIN=x=y\\n") && strstr(text, "PATH="),
         "the request's variables stand beside the usual ones");
  tap_ok(strstr(text, "LC_CKRUN=there\\n") && !strstr(text, "LC_CKRUN=here"), "and before them");
  tap_ok(strstr(text, "KEY=opensesame-0123456789\\n") != NULL,
         "a reference is resolved for the program alone");
  tap_ok(strstr(text, "CKRUN_EFFECT_KEY=main/start/exec/1\\n") &&
             strstr(text, "CKRUN_EFFECT_ATTEMPT=2\\n"),
         "the effect is named");
  tap_ok(!strstr(text, "canary"), "nothing else is inherited");
  close_fixture(&it);
  tap_must(mkdir(tap_tmpfile("below"), 0700) == 0, "a folder below the session's");
  open_fixture(&it, NULL);
  it.effect.request = ck_bytes_text("{\"argv\":[\"pwd\"],\"cwd\":\"below\"}");
  text = result_of(carry_out(&it)).data;
  tap_ok(text && strstr(text, "/below\\n"), "cwd is seen from the session's folder");
  close_fixture(&it);
}

/* The contents and the mode of a file. */
static ck_buffer read_file(const char *path, mode_t *mode) {
  ck_buffer out = {0};
  struct stat info;
  char chunk[65536];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  tap_must(fd >= 0 && fstat(fd, &info) == 0, "%s is there", path);
  *mode = info.st_mode;
  for (ssize_t len; (len = read(fd, chunk, sizeof chunk)) > 0;)
    ck_buffer_append(&out, chunk, (size_t)len);
  close(fd);
  return out;
}

static char *spill_of(const ck_outcome *outcome, const char *name) {
  return ck_json_dup_string(ck_json_get(ck_json_get(result_of(outcome), "spill"), name));
}

static void test_spills(void) {
  fixture it;
  mode_t mode;
  open_fixture(&it, tap_tmpfile("spills"));
  write_request(&it, "flood", "error", ",\"output_max\":1000");
  const ck_outcome *outcome = carry_out(&it);
  char *path = spill_of(outcome, "stderr");
  tap_ok(path && strstr(path, "/spills/s-1-") && strstr(path, "-2.stderr"),
         "what is too long goes to a file (%s)", path);
  ck_buffer text = read_file(path, &mode);
  tap_is_int((int64_t)text.len, 64 * 65536 + 7, "the whole of it");
  tap_ok(text.len > 7 && memcmp(text.data + text.len - 7, "the end", 7) == 0, "to its end");
  tap_is_int(mode & 0777, 0600, "for the user alone");
  tap_is_int((int64_t)ck_json_get(result_of(outcome), "stderr").len, 1002,
             "the result has the beginning");
  tap_ok(!spill_of(outcome, "stdout"), "what is short does not");
  free(path);
  ck_buffer_clear(&text);
  write_request(&it, "print", "0123456789", ",\"output_max\":10");
  tap_ok(ck_json_get(result_of(carry_out(&it)), "spill").len == 0, "what just fits is kept");
  write_request(&it, "print", "0123456789x", ",\"output_max\":10");
  path = spill_of(carry_out(&it), "stdout");
  text = read_file(path, &mode);
  tap_is_bytes(ck_buffer_bytes(&text), ck_bytes_text("0123456789x"), "one byte more is not");
  free(path);
  ck_buffer_clear(&text);
  close_fixture(&it);
}

/* Beside a store with a key: the text of every window, and nothing that can be read. */
static void test_sealed_spills(void) {
  static const uint8_t store_key[32] = {7};
  fixture it;
  mode_t mode;
  uint8_t key[CK_SPILL_KEY];
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  open_fixture(&it, tap_tmpfile("sealed"));
  it.options.spill.key = store_key;
  write_request(&it, "flood", "error", ",\"output_max\":1000");
  char *path = spill_of(carry_out(&it), "stderr");
  tap_must(path != NULL, "it spills");
  ck_buffer file = read_file(path, &mode);
  tap_ok(ck_sealed_text_is(ck_buffer_bytes(&file)) &&
             !memmem(file.data, file.len, "xxxxxxxxxxxx", 12) &&
             !memmem(file.data, file.len, "the end", 7),
         "a store with a key has it sealed");
  ck_spill_derive_key(key, store_key);
  tap_is_status(
      ck_sealed_text_open(&text, key, strrchr(path, '/') + 1, ck_buffer_bytes(&file), &err), CK_OK,
      &err, "which its key opens");
  tap_is_int((int64_t)text.len, 64 * 65536 + 7, "to the whole of it");
  free(path);
  ck_buffer_clear(&file);
  ck_buffer_clear(&text);
  close_fixture(&it);
}

/* Printed across the borders of windows: the shell puts the secret at each place once. */
static void test_no_secret_spills(void) {
  static const char script[] =
      "{\"argv\":[\"sh\",\"-c\",\"i=0; while [ $i -lt 40 ]; do printf '%0*d' $((26200 + i)) 7; "
      "printf %s \\\"$KEY\\\"; i=$((i+1)); done\"],"
      "\"env\":{\"KEY\":{\"ref\":\"env:THERE\"}},\"output_max\":0}";
  fixture it;
  mode_t mode;
  open_fixture(&it, tap_tmpfile("spills"));
  for (int shift = 0; shift < 8; shift++) {
    ck_buffer request = {0};
    ck_buffer_append_format(&request, "%.*s%d%s", (int)(strstr(script, "26200") - script), script,
                            26200 + shift * 3, strstr(script, "26200") + 5);
    it.effect.request = ck_buffer_bytes(&request);
    const ck_outcome *outcome = carry_out(&it);
    char *path = spill_of(outcome, "stdout");
    tap_must(path != NULL, "it spills");
    ck_buffer text = read_file(path, &mode);
    tap_ok(text.len > CK_SPILL_WINDOW && !memmem(text.data, text.len, "opensesame-0123456789", 21),
           "a known secret that is printed 40 times over %zu bytes is never in the file", text.len);
    free(path);
    ck_buffer_clear(&text);
    ck_buffer_clear(&request);
  }
  close_fixture(&it);
}

static bool take_all(void *to, const char *name, int64_t bytes) {
  (void)to, (void)name, (void)bytes;
  return true;
}

/* Of the session "s-1". */
static ck_status remove_all(const char *folder, ck_error *err) {
  ck_shelf shelf;
  ck_status status = ck_shelf_open_folder(&shelf, folder, err);
  if (status == CK_OK) status = ck_spill_sweep(&shelf, "s-1", take_all, NULL, err);
  ck_shelf_close(&shelf);
  return status;
}

static void test_removal(void) {
  const char *folder = tap_tmpfile("spills");
  ck_buffer other = {0};
  ck_error err = CK_ERROR_INIT;
  ck_buffer_append_format(&other, "%s/s-1-0123456789abcdef-0123456789abcdef-1.stdout", folder);
  int fd = open(other.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  tap_must(fd >= 0, "a file of a session whose name begins the same");
  close(fd);
  tap_is_status(remove_all(folder, &err), CK_OK, &err, "the spills of a session are removed");
  tap_ok(access(other.data, F_OK) == 0, "another's stay");
  unlink(other.data);
  tap_ok(rmdir(folder) == 0, "and nothing else is there");
  tap_is_status(remove_all(folder, &err), CK_OK, &err, "no folder is fine");
  ck_buffer_clear(&other);
}

static void test_lost_spill(void) {
  fixture it;
  open_fixture(&it, "/dev/null/nowhere");
  write_request(&it, "print", "0123456789", ",\"output_max\":4");
  const ck_outcome *outcome = carry_out(&it);
  tap_ok(outcome->status == CK_OUTCOME_OK && ck_json_get(result_of(outcome), "spill_lost").len > 0,
         "a program that ran well did so without a spill, too (%s)", result_of(outcome).data);
  close_fixture(&it);
}

static void test_flood(void) {
  fixture it;
  open_fixture(&it, tap_tmpfile("spills"));
  it.options.total_max = 3 << 20;
  write_request(&it, "flood", "output", ",\"output_max\":1000");
  const ck_outcome *outcome = carry_out(&it);
  tap_ok(outcome->status == CK_OUTCOME_UNKNOWN && outcome->error_status == CK_E_OVERSIZE,
         "a flood without end is killed (%s)", outcome->error);
  bool flooded = false;
  int64_t total = 0;
  tap_ok(ck_json_read_bool(&flooded, ck_json_get(result_of(outcome), "flooded")) && flooded,
         "and the result says so");
  tap_ok(
      ck_json_read_int(&total, ck_json_get(result_of(outcome), "stdout_bytes")) && total <= 3 << 20,
      "%lld bytes were taken", (long long)total);
  close_fixture(&it);
  tap_is_status(remove_all(tap_tmpfile("spills"), NULL), CK_OK, NULL, "its file can be removed");
  rmdir(tap_tmpfile("spills"));
}

static const char *make_fifo(const char *name) {
  const char *path = tap_tmpfile(name);
  tap_must(mkfifo(path, 0600) == 0, "there is a fifo");
  return path;
}

static void wait_until_there(const char *fifo) {
  char byte = 0;
  int fd = open(fifo, O_RDONLY | O_CLOEXEC);
  tap_must(fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x', "the program is there");
  close(fd);
}

/* A program that reports its outcome itself after SIGTERM. */
static void test_told_ends(void) {
  static const struct {
    const char *mode;
    ck_effect_class class;
    ck_outcome_status want;
    const char *say;
  } cases[] = {
      {"finish", CK_EFFECT_ONCE, CK_OUTCOME_OK, "{\"exit\":0,\"stdout\":\"{\\\"done\\\":true}\""},
      {"finish", CK_EFFECT_PURE, CK_OUTCOME_FAILED, "it was cancelled"},
      {"regret", CK_EFFECT_ONCE, CK_OUTCOME_ERROR, "exit status 3: half of it"},
      {"pass-on", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "it was cancelled"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture it;
    ck_effect_run *run = NULL;
    char name[32];
    snprintf(name, sizeof name, "fifo-told-%zu", i);
    const char *fifo = make_fifo(name);
    open_fixture(&it, NULL);
    it.options.kill_ms = LONG_MS;
    write_request(&it, cases[i].mode, fifo, "");
    it.effect.class = cases[i].class;
    tap_must(ck_exec_driver_new(&it.driver, &it.options, NULL) == CK_OK, "there is a driver");
    tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it starts");
    wait_until_there(fifo);
    it.driver->cancel(it.driver->self, run);
    drive_wait(&it.drive);
    const ck_outcome *outcome = it.drive.outcome;
    const char *said = outcome->error ? outcome->error : result_of(outcome).data;
    tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(cases[i].want),
                "%s, %s: cancelled", cases[i].mode, ck_effect_class_name(cases[i].class));
    tap_ok(strstr(said, cases[i].say) != NULL, "what is known of it (%s)", said);
    close_fixture(&it);
  }
}

static void test_ends(void) {
  fixture it;
  ck_effect_run *run = NULL;
  const char *fifo = make_fifo("fifo-cancel");
  open_fixture(&it, NULL);
  write_request(&it, "stay", fifo, "");
  tap_must(ck_exec_driver_new(&it.driver, &it.options, NULL) == CK_OK, "there is a driver");
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it starts");
  wait_until_there(fifo);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_ok(it.drive.outcome->status == CK_OUTCOME_FAILED &&
             it.drive.outcome->error_status == CK_E_INTERRUPTED,
         "one that is deaf to SIGTERM is cancelled");
  close_fixture(&it);
  fifo = make_fifo("fifo-timeout");
  open_fixture(&it, NULL);
  write_request(&it, "stay", fifo, ",\"timeout_ms\":1");
  tap_must(ck_exec_driver_new(&it.driver, &it.options, NULL) == CK_OK, "there is a driver");
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it starts");
  int fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  drive_wait(&it.drive);
  close(fd);
  bool timed_out = false;
  ck_json_read_bool(&timed_out, ck_json_get(result_of(it.drive.outcome), "timed_out"));
  tap_ok(it.drive.outcome->status == CK_OUTCOME_UNKNOWN && timed_out,
         "its own time ends it, too (%s)", it.drive.outcome->error);
  close_fixture(&it);
}

static void test_free_while_running(void) {
  fixture it;
  ck_effect_run *run = NULL;
  const char *fifo = make_fifo("fifo-free");
  open_fixture(&it, NULL);
  write_request(&it, "stay", fifo, "");
  tap_must(ck_exec_driver_new(&it.driver, &it.options, NULL) == CK_OK, "there is a driver");
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it starts");
  wait_until_there(fifo);
  it.driver->free(it.driver->self);
  ck_loop_run(loop);
  tap_is_int(it.drive.delivered, 0, "a freed driver delivers nothing");
  drive_clear(&it.drive);
}

int main(void) {
  const char *build = getenv("CKRUN_BUILD");
  snprintf(tool_path, sizeof tool_path, "%s/tests/effect/process/tool_child",
           build ? build : "build/release");
  if (access(tool_path, X_OK)) tap_skip_all("%s is not built", tool_path);
  tap_must(ck_loop_new(&loop, NULL) == CK_OK && ck_redactor_new(&redactor, NULL) == CK_OK,
           "there is a loop");
  test_results();
  test_failures();
  test_refusals();
  test_surroundings();
  test_spills();
  test_sealed_spills();
  test_no_secret_spills();
  test_removal();
  test_lost_spill();
  test_flood();
  test_told_ends();
  test_ends();
  test_free_while_running();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  ck_redactor_free(redactor);
  return tap_done();
}
