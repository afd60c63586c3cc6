/* man.c - the man pages, made from the table of commands: ckrun(1), and one for each command. */
#include <ctype.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/host/cli/roff.h"

static void append_upper(ck_buffer *out, const char *text) {
  for (; *text; text++)
    ck_buffer_append_char(out, *text == ' ' ? '-' : (char)toupper((unsigned char)*text));
}

/* The name of a command's page: "ckrun-sessions-diff". */
static void append_page(ck_buffer *out, const char *name) {
  ck_buffer_append_text(out, "ckrun\\-");
  for (; *name; name++) ck_roff_append_char(out, *name == ' ' ? '-' : *name);
}

static void append_option(ck_buffer *out, const ck_option *o) {
  ck_buffer_append_text(out, ".TP\n");
  if (o->letter) ck_buffer_append_format(out, "\\fB\\-%c\\fR, ", o->letter);
  ck_buffer_append_text(out, "\\fB\\-\\-");
  ck_roff_append_text(out, o->name);
  ck_buffer_append_text(out, "\\fR");
  if (o->value) {
    ck_buffer_append_text(out, " \\fI");
    ck_roff_append_text(out, o->value);
    ck_buffer_append_text(out, "\\fR");
  }
  ck_buffer_append_char(out, '\n');
  ck_roff_append_line(out, o->help);
}

static void append_options(ck_buffer *out, const ck_option *options) {
  for (const ck_option *o = options; o && o->name; o++) append_option(out, o);
}

static void append_synopsis(ck_buffer *out, const ck_command *command) {
  ck_buffer usage = {0};
  ck_help_append_usage(&usage, command);
  if (usage.failed) out->failed = true;
  ck_buffer_append_text(out, ".SH SYNOPSIS\n.HP 4\n");
  ck_roff_append_line(out, usage.data ? usage.data : "");
  ck_buffer_clear(&usage);
}

static void append_examples(ck_buffer *out, const ck_command *command) {
  if (!command->examples) return;
  ck_buffer_append_text(out, ".SH EXAMPLES\n");
  for (const ck_example *e = command->examples; e->line; e++) {
    ck_buffer_append_text(out, ".TP\n.B ");
    ck_roff_append_line(out, e->line);
    ck_roff_append_line(out, e->what);
  }
}

void ck_help_append_command_man(ck_buffer *out, const ck_command *command) {
  ck_buffer_append_text(out, ".TH CKRUN-");
  append_upper(out, command->name);
  ck_buffer_append_text(out, " 1 \"\" \"ckrun " CK_VERSION "\" \"User Commands\"\n.SH NAME\n");
  append_page(out, command->name);
  ck_buffer_append_text(out, " \\- ");
  ck_roff_append_line(out, command->summary);
  append_synopsis(out, command);
  if (command->details) {
    ck_buffer_append_text(out, ".SH DESCRIPTION\n");
    ck_roff_append_line(out, command->details);
  }
  if (command->operands) ck_buffer_append_text(out, ".SH OPERANDS\n");
  for (const ck_operand *o = command->operands; o && o->name; o++) {
    ck_buffer_append_text(out, ".TP\n\\fI");
    ck_roff_append_text(out, o->name);
    ck_buffer_append_text(out, "\\fR\n");
    ck_roff_append_line(out, o->help);
  }
  if (command->options) ck_buffer_append_text(out, ".SH OPTIONS\n");
  append_options(out, command->options);
  append_examples(out, command);
  ck_buffer_append_text(out, ".SH SEE ALSO\n.BR ckrun (1)\n"
                             "has the options of all commands, exit status and environment.\n");
}

/* ---- ckrun(1) ---- */

static void append_commands(ck_buffer *out, const ck_command_table *table) {
  for (const ck_command *const *c = table->commands; *c; c++) {
    ck_buffer_append_text(out, ".TP\n.BR ");
    append_page(out, (*c)->name);
    ck_buffer_append_text(out, " (1)\n");
    ck_roff_append_line(out, (*c)->summary);
  }
  for (const ck_command_alias *a = table->aliases; a->name; a++) {
    ck_buffer_append_format(out, ".TP\n.B ckrun %s\nThe same as\n.BR ", a->name);
    append_page(out, a->command->name);
    ck_buffer_append_text(out, " (1).\n");
  }
}

static const char environment[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B CKRUN_STORE\nThe store, where \\fB\\-\\-store\\fR is not given.\n"
    ".TP\n.B CKRUN_KEY\nThe key of the store itself, 64 hex digits and no reference, where\n"
    "\\fB\\-\\-key\\fR is not given; without it what the\ncommand line "
    "\\fBCKRUN_KEY_COMMAND\\fR prints.\n"
    ".TP\n.B XDG_STATE_HOME\nWithout a store, it is \\fIckrun/ckrun.db\\fR under this folder, or "
    "under\n\\fI~/.local/state\\fR.\n"
    ".TP\n.B CKRUN_COUNTERS\nThe folder of the counters by which an older copy in a store's place "
    "is found;\n\\fIoff\\fR: there are none. Without it, \\fIckrun/counters\\fR under that "
    "folder.\n"
    ".TP\n.B CKRUN_LOG\nHow much is said on standard error: error, warn (as it is), info, debug.\n"
    ".TP\n.BR CKRUN_PAGER ,\\  PAGER\nWhat shows on a terminal what is longer than it.\n"
    ".TP\n.B CKRUN_DUMPABLE\nWith 1 a debugger of the same user may read this process, and so may "
    "the\nprograms that it starts.\n"
    ".TP\n.B NO_COLOR\nWhen it is set and not empty, nothing is in colour or bold.\n";

void ck_help_append_man(ck_buffer *out, const ck_command_table *table) {
  ck_buffer_append_text(
      out, ".TH CKRUN 1 \"\" \"ckrun " CK_VERSION "\" \"User Commands\"\n"
           ".SH NAME\nckrun \\- runs agent sessions that survive every crash and repeat nothing\n"
           ".SH SYNOPSIS\n.B ckrun\n[\\fB\\-\\-store\\fR \\fIURL\\fR] [\\fB\\-\\-json\\fR] "
           "\\fICOMMAND\\fR ...\n"
           ".SH DESCRIPTION\nA session is one durable execution of a flow under a profile. Its "
           "answers that were\npaid for are kept, its actions are not repeated blindly, no secret "
           "is written down.\nEach command has a page of its own.\n"
           ".SH COMMANDS\n");
  append_commands(out, table);
  ck_buffer_append_text(out, ".SH OPTIONS\nThese work before and behind every command.\n");
  append_options(out, ck_global_options);
  ck_buffer_append_text(out, ".SH EXIT STATUS\n");
#define X(code, meaning) ck_buffer_append_text(out, ".TP\n\\fB" #code "\\fR\n" meaning "\n");
  CK_EXIT_TABLE(X)
#undef X
  ck_buffer_append_text(out, environment);
  ck_buffer_append_text(out, ".SH SEE ALSO\n.BR ckrun\\-profile (5),\n.BR ckrun\\-policy (5)\n");
}
