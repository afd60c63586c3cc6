/* man.c - the man page, made from the table of commands. */
#include <ctype.h>

#include "core/host/cli/help.h"

/* To roff a backslash is special, as are a dot and a quote at the beginning of a line; a plain
 * minus becomes a hyphen. */
static void append_text(ck_buffer *out, const char *text) {
  bool begin = true;
  for (; *text; text++) {
    if (begin && (*text == '.' || *text == '\'')) ck_buffer_append_text(out, "\\&");
    if (*text == '\\')
      ck_buffer_append_text(out, "\\e");
    else if (*text == '-')
      ck_buffer_append_text(out, "\\-");
    else if (*text == '\n' && text[1] == '\n')
      ck_buffer_append_text(out, "\n.PP");
    else
      ck_buffer_append_char(out, *text);
    begin = *text == '\n';
  }
}

static void append_line(ck_buffer *out, const char *text) {
  append_text(out, text);
  ck_buffer_append_char(out, '\n');
}

static void append_options(ck_buffer *out, const ck_option *options) {
  for (const ck_option *o = options; o && o->name; o++) {
    ck_buffer_append_text(out, ".TP\n");
    if (o->letter) ck_buffer_append_format(out, "\\fB\\-%c\\fR, ", o->letter);
    ck_buffer_append_text(out, "\\fB\\-\\-");
    append_text(out, o->name);
    ck_buffer_append_text(out, "\\fR");
    if (o->value) ck_buffer_append_format(out, " \\fI%s\\fR", o->value);
    ck_buffer_append_char(out, '\n');
    append_line(out, o->help);
  }
}

static void append_command(ck_buffer *out, const ck_command *command) {
  ck_buffer usage = {0};
  ck_help_append_usage(&usage, command);
  if (usage.failed) out->failed = true;
  ck_buffer_append_format(out, ".SS %s\n.RS 4\n.HP 4\n", command->name);
  append_line(out, usage.data ? usage.data : "");
  ck_buffer_append_text(out, ".PP\n");
  ck_buffer_clear(&usage);
  ck_buffer_append_char(out, (char)toupper((unsigned char)command->summary[0]));
  append_text(out, command->summary + 1);
  ck_buffer_append_text(out, ".\n");
  if (command->details) {
    ck_buffer_append_text(out, ".PP\n");
    append_line(out, command->details);
  }
  for (const ck_operand *o = command->operands; o && o->name; o++) {
    ck_buffer_append_format(out, ".TP\n\\fI%s\\fR\n", o->name);
    append_line(out, o->help);
  }
  append_options(out, command->options);
  ck_buffer_append_text(out, ".RE\n");
}

void ck_help_append_man(ck_buffer *out, const ck_command_table *table) {
  ck_buffer_append_text(
      out, ".TH CKRUN 1 \"\" \"ckrun " CK_VERSION "\" \"User Commands\"\n"
           ".SH NAME\nckrun \\- runs agent sessions that survive every crash and repeat nothing\n"
           ".SH SYNOPSIS\n.B ckrun\n[\\fB\\-\\-store\\fR \\fIURL\\fR] [\\fB\\-\\-json\\fR] "
           "\\fICOMMAND\\fR ...\n"
           ".SH COMMANDS\n");
  for (const ck_command *const *c = table->commands; *c; c++) append_command(out, *c);
  for (const ck_command_alias *a = table->aliases; a->name; a++)
    ck_buffer_append_format(out, ".SS %s\n.RS 4\nThe same as \\fB%s\\fR.\n.RE\n", a->name,
                            a->command->name);
  ck_buffer_append_text(out, ".SH OPTIONS\nThese work before and behind every command.\n");
  append_options(out, ck_global_options);
  ck_buffer_append_text(out, ".SH EXIT STATUS\n");
#define X(code, meaning) ck_buffer_append_text(out, ".TP\n\\fB" #code "\\fR\n" meaning "\n");
  CK_EXIT_TABLE(X)
#undef X
  ck_buffer_append_text(
      out, ".SH ENVIRONMENT\n"
           ".TP\n.B CKRUN_STORE\nThe store, where \\fB\\-\\-store\\fR is not given.\n"
           ".TP\n.B XDG_STATE_HOME\nWithout both, the store is \\fIckrun/ckrun.db\\fR under this "
           "folder, or under\n"
           "\\fI~/.local/state\\fR.\n"
           ".TP\n.B CKRUN_COUNTERS\nThe folder of the counters by which an older copy in a store's "
           "place is found;\n\\fIoff\\fR: there are none. Without it, \\fIckrun/counters\\fR under "
           "that folder.\n"
           ".TP\n.B CKRUN_LOG\nHow much is said on standard error: error, warn (as it is), info, "
           "debug.\n"
           ".TP\n.B CKRUN_DUMPABLE\nWith 1 a debugger of the same user may read this process, and "
           "so may the\nprograms that it starts.\n"
           ".TP\n.B NO_COLOR\nWhen it is set and not empty, tables have no bold header.\n");
}
