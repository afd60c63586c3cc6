/* test_shortage.c - no descriptor, process or memory for a program: it was not begun, the class of
 * the failure says that it may be tried later, the text what to do about it. */
/* link: -Wl,--wrap=pipe2,--wrap=uv_spawn */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "core/effect/process/command.h"
#include "core/effect/process/exec.h"
#include "tests/effect/drive.h"
#include "tests/tap.h"

static int pipe_error, spawn_error; /* 0: none */

int __real_pipe2(int fds[2], int flags);
int __wrap_pipe2(int fds[2], int flags);
int __wrap_pipe2(int fds[2], int flags) {
  if (pipe_error == 0) return __real_pipe2(fds, flags);
  errno = pipe_error;
  return -1;
}

int __real_uv_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *how);
int __wrap_uv_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *how);
int __wrap_uv_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *how) {
  if (spawn_error == 0) return __real_uv_spawn(loop, process, how);
  how = &(uv_process_options_t){
      .file = "/nowhere/at/all", .args = how->args, .exit_cb = how->exit_cb};
  int failed = __real_uv_spawn(loop, process, how); /* libuv's handle is to be closed */
  return failed ? -spawn_error : failed;
}

static ck_loop *loop;

typedef struct subject {
  const char *name;
  ck_effect_driver *driver;
  ck_effect effect;
} subject;

/* A start that is refused fails with that; one that is made ends with it. */
static void check(const subject *it, const char *what, const char *advice) {
  drive d;
  ck_effect_run *run;
  ck_error err = CK_ERROR_INIT;
  drive_init(&d, loop);
  ck_status status = it->driver->start(&run, it->driver->self, &it->effect, &d.sink, &err);
  if (status == CK_OK) {
    drive_wait(&d);
    tap_is_int(d.outcome->status, CK_OUTCOME_FAILED, "%s, %s: it was not carried out", it->name,
               what);
    status = d.outcome->error_status;
    snprintf(err.text, sizeof err.text, "%s", d.outcome->error);
  }
  tap_is_int(status, CK_E_UNAVAILABLE, "%s, %s: it can be had later", it->name, what);
  if (!tap_ok(strstr(err.text, advice) != NULL, "%s, %s: it says %s", it->name, what, advice))
    tap_diag("%s", err.text);
  drive_clear(&d);
}

static void check_all(const subject *it) {
  static const struct {
    int error;
    const char *what, *advice;
  } cases[] = {{EMFILE, "no descriptor", "'ulimit -n'"},
               {ENFILE, "no descriptor on the machine", "end other programs"},
               {EAGAIN, "no process", "'ulimit -u'"},
               {ENOMEM, "no memory", "'ulimit -v'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    spawn_error = cases[i].error;
    check(it, cases[i].what, cases[i].advice);
    spawn_error = 0;
    if (cases[i].error == EAGAIN) continue;
    pipe_error = cases[i].error;
    check(it, cases[i].what, cases[i].advice);
    pipe_error = 0;
  }
}

int main(void) {
  char *argv[] = {(char[]){"true"}, NULL};
  const ck_command_tool tool = {.name = "true", .argv = (const char *const *)argv};
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  subject command = {.name = "a tool"}, program = {.name = "a program"};
  command.effect = (ck_effect){.scope = "main",
                               .key = "main/start/tool/1",
                               .attempt = 1,
                               .kind = CK_EFFECT_TOOL,
                               .request = ck_bytes_text("{\"name\":\"true\",\"arguments\":{}}")};
  program.effect = (ck_effect){.scope = "main",
                               .key = "main/start/exec/1",
                               .attempt = 1,
                               .kind = CK_EFFECT_EXEC,
                               .request = ck_bytes_text("{\"argv\":[\"true\"]}")};
  ck_command_options commands = {.loop = loop, .tools = &tool, .tool_count = 1};
  ck_exec_options programs = {.loop = loop, .directory = tap_tmpdir()};
  tap_must(ck_command_driver_new(&command.driver, &commands, NULL) == CK_OK &&
               ck_exec_driver_new(&program.driver, &programs, NULL) == CK_OK,
           "there are drivers");
  check_all(&command);
  check_all(&program);
  command.driver->free(command.driver->self);
  program.driver->free(program.driver->self);
  ck_loop_free(loop);
  return tap_done();
}
