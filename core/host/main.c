/* main.c - the program: limits, global options, one command, an exit code. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/base/log.h"
#include "core/host/command_table.h"
#include "core/host/session/handover.h"
#include "core/host/session/key_source.h"
#include "core/host/session/own_process.h"
#include "core/host/cli/help.h"
#include "core/host/cli/options.h"
#include "core/host/print/pager.h"

/* Applies also to the programs that are started. A limit of 0 is ignored where core_pattern names a
 * program to pipe to; there a limit of 1 byte forbids core dumps (fs/coredump.c), and a file of one
 * byte is harmless, too. */
static void forbid_core_dumps(void) {
  struct rlimit one = {1, 1}, none = {0};
  if (setrlimit(RLIMIT_CORE, &one) != 0) setrlimit(RLIMIT_CORE, &none);
}

/* A standard stream that the caller has closed must not become the number of the next file that is
 * opened: messages would be written into a store. Output to a closed standard output fails as
 * before. */
static bool reserve_streams(void) {
  static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd) return false;
  return true;
}

/* Files hold private conversations: no core dumps, no file that others can read. A closed pipe and
 * a file size limit become errors of write instead of signals. */
static void set_limits(void) {
  forbid_core_dumps();
  umask(077);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

typedef struct invocation {
  ck_globals globals;
  const ck_command *command; /* NULL: none was given */
  char group[64];            /* the first word of an unfinished two-word command; "" */
  size_t operand_count;
  union {
    unsigned char bytes[CK_COMMAND_VALUES_MAX];
    max_align_t align;
  } values;
} invocation;

static ck_status unknown_command(const char *name, ck_error *err) {
  const char *near = ck_command_nearest(&ck_program_commands, name);
  if (near) return ck_error_set(err, CK_E_USAGE, "no command '%s'; did you mean '%s'?", name, near);
  return ck_error_set(err, CK_E_USAGE, "no command '%s'; see 'ckrun help'", name);
}

/* Adds a word to the command's name, until a command is found. */
static ck_status take_name(invocation *self, ck_option_reader *reader, const char *word,
                           ck_error *err) {
  char name[128];
  snprintf(name, sizeof name, "%s%s%.60s", self->group, self->group[0] ? " " : "", word);
  self->command = ck_command_get(&ck_program_commands, name);
  if (self->command) {
    reader->targets[1] = (ck_option_target){self->command->options, self->values.bytes};
    return CK_OK;
  }
  if (self->group[0] || !ck_command_is_group(&ck_program_commands, name))
    return unknown_command(name, err);
  snprintf(self->group, sizeof self->group, "%.60s", name);
  return CK_OK;
}

static ck_status read_arguments(invocation *self, int argc, char **argv, ck_error *err) {
  ck_option_reader reader = {.argc = argc, .argv = argv, .at = 1};
  reader.targets[0] = (ck_option_target){ck_global_options, &self->globals};
  for (;;) {
    const char *word;
    ck_status status = ck_option_reader_next(&word, &reader, err);
    if (status != CK_OK || !word) return status;
    if (!self->command)
      status = take_name(self, &reader, word, err);
    else
      status = ck_operand_put(self->values.bytes, self->command, self->operand_count++, word, err);
    if (status != CK_OK) return status;
  }
}

static ck_status print_help(const invocation *self, ck_output *output, ck_error *err) {
  ck_buffer text = {0};
  ck_pager_begin(output);
  if (self->command)
    ck_help_append_command(&text, self->command, output->width);
  else if (self->group[0])
    ck_help_append_group(&text, &ck_program_commands, self->group, output->width);
  else
    ck_help_append_overview(&text, &ck_program_commands, output->width);
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) ck_output_write(output, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
  return status;
}

/* To a person who has only typed the name; a script gets an error. */
static const char first_words[] = "ckrun runs agent sessions that survive every crash.\n"
                                  "  ckrun init DIR             makes a project that runs\n"
                                  "  ckrun run FLOW.lua         starts a session\n"
                                  "  ckrun sessions show latest tells what to do next\n"
                                  "  ckrun help                 tells of everything else\n";

static ck_status dispatch(invocation *self, ck_output *output, ck_error *err) {
  if (self->globals.version) {
    if (output->json)
      ck_output_print(output, "{\"%s\":%d,\"version\":\"%s\"}\n", CK_OUTPUT_VERSION_NAME,
                      CK_OUTPUT_VERSION, CK_VERSION);
    else
      ck_output_print(output, "ckrun %s\n", CK_VERSION);
    return CK_OK;
  }
  if (self->globals.help) return print_help(self, output, err);
  if (!self->command && self->group[0])
    return ck_error_set(err, CK_E_USAGE, "'ckrun %s' needs a command; see 'ckrun help %s'",
                        self->group, self->group);
  if (!self->command && output->terminal && !output->json) {
    ck_output_write(output, ck_bytes_text(first_words));
    return CK_OK;
  }
  if (!self->command)
    return ck_error_set(err, CK_E_USAGE, "no command was given; see 'ckrun help'");
  ck_status status = ck_operands_check(self->command, self->operand_count, err);
  if (status != CK_OK) return status;
  ck_host host = {.commands = &ck_program_commands,
                  .store = self->globals.store,
                  .key = ck_key_source_of(self->globals.key),
                  .output = output};
  return self->command->run(&host, self->values.bytes, err);
}

/* An error before --json is reached is reported as JSON, too. */
static bool wants_json(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--json") == 0) return true;
  return false;
}

int main(int argc, char **argv) {
  if (!ck_own_process_hide()) return ck_status_exit(CK_E_NO_MEMORY);
  if (!reserve_streams()) return ck_status_exit(CK_E_IO);
  set_limits();
  ck_error err = CK_ERROR_INIT, late = CK_ERROR_INIT;
  ck_status handed = ck_handover_take(&argc, &argv, &err);
  ck_log_init();
  ck_output output;
  static invocation self;
  ck_status status = ck_output_open(&output, handed == CK_OK ? &err : &late);
  if (status == CK_OK) status = handed;
  if (status == CK_OK) status = read_arguments(&self, argc, argv, &err);
  output.json = self.globals.json || (status != CK_OK && wants_json(argc, argv));
  output.no_pager = self.globals.no_pager;
  output.quiet = self.globals.quiet;
  if (self.globals.verbose) ck_log_raise(CK_LOG_INFO);
  if (status == CK_OK) status = dispatch(&self, &output, &err);
  ck_status written = ck_output_flush(&output, &late);
  if (status != CK_OK) {
    err.status = status;
    ck_output_error(&output, &err);
  } else if (written != CK_OK) {
    status = written;
    ck_output_error(&output, &late);
  }
  bool cut = status == CK_OK && output.cut && !output.pager;
  ck_pager_end(&output);
  ck_output_close(&output);
  return cut ? CK_OUTPUT_UNREAD_EXIT : ck_status_exit(status);
}
