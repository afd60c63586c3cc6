/* help.c - help: the commands and their use; man page and completions. */
#include "core/host/print/pager.h"
#include "core/host/command/commands.h"
#include "core/host/cli/help.h"

typedef struct values {
  const char *word, *second;
  bool man, all;
  const char *completion;
} values;

static ck_status append_topic(ck_buffer *out, const ck_host *host, const values *v, ck_error *err) {
  const ck_command_table *table = host->commands;
  int columns = host->output->width;
  char name[128];
  if (!v->word) {
    ck_help_append_overview(out, table, columns);
    return CK_OK;
  }
  snprintf(name, sizeof name, "%s%s%s", v->word, v->second ? " " : "", v->second ? v->second : "");
  const ck_command *command = ck_command_get(table, name);
  if (command)
    ck_help_append_command(out, command, columns);
  else if (ck_command_is_group(table, name))
    ck_help_append_group(out, table, name, columns);
  else {
    const char *near = ck_command_nearest(table, name);
    return near ? ck_error_set(err, CK_E_USAGE, "no command '%s'; did you mean '%s'?", name, near)
                : ck_error_set(err, CK_E_USAGE, "no command '%s'; see 'ckrun help'", name);
  }
  return CK_OK;
}

/* All of them, one behind the other; each begins with its .TH. */
static ck_status append_manual(ck_buffer *out, const ck_host *host, ck_error *err) {
  bool found;
  ck_help_append_man(out, host->commands);
  for (const ck_command *const *c = host->commands->commands; *c; c++)
    ck_help_append_command_man(out, *c);
  ck_status status = ck_help_append_file_man(&found, out, "policy", err);
  return status == CK_OK ? ck_help_append_file_man(&found, out, "profile", err) : status;
}

static ck_status append_man(ck_buffer *out, const ck_host *host, const values *v, ck_error *err) {
  bool found = false;
  if (v->all) return append_manual(out, host, err);
  if (!v->word) {
    ck_help_append_man(out, host->commands);
    return CK_OK;
  }
  char name[128];
  snprintf(name, sizeof name, "%s%s%s", v->word, v->second ? " " : "", v->second ? v->second : "");
  const ck_command *command = ck_command_get(host->commands, name);
  if (command) {
    ck_help_append_command_man(out, command);
    return CK_OK;
  }
  ck_status status = ck_help_append_file_man(&found, out, name, err);
  return status == CK_OK && !found
             ? ck_error_set(err, CK_E_USAGE, "no man page of '%s'; see 'ckrun help'", name)
             : status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_pager_begin(host->output);
  ck_buffer text = {0};
  ck_status status = CK_OK;
  if (v->man)
    status = append_man(&text, host, v, err);
  else if (v->completion)
    ck_help_append_completion(&text, host->commands, v->completion);
  else
    status = append_topic(&text, host, v, err);
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK) ck_output_write(host->output, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
  return status;
}

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const ck_operand operands[] = {
    {.name = "COMMAND",
     .optional = true,
     .offset = offsetof(values, word),
     .help = "the command to tell about",
     .complete = CK_COMPLETE_COMMAND},
    {.name = "SUBCOMMAND",
     .optional = true,
     .offset = offsetof(values, second),
     .help = "its second word"},
    {0},
};

static const ck_option options[] = {
    {.name = "man",
     .offset = offsetof(values, man),
     .help = "print the man page: of ckrun, of that command, of the files policy or profile"},
    {.name = "all",
     .offset = offsetof(values, all),
     .help = "with --man: all man pages, one behind the other"},
    {.name = "completion",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, completion),
     .value = "SHELL",
     .choices = shells,
     .help = "print the completions for bash, zsh or fish"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun help sessions diff", "one command"},
    {"ckrun help --man sessions diff | man -l -", "its man page"},
    {0},
};

const ck_command ck_command_help = {
    .name = "help",
    .summary = "tell what there is and how it is used",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
