/* help.c - the help texts, made from the table of commands. */
#include "core/host/cli/help.h"

#include "core/host/print/format.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 26, WIDTH = 80, WIDTH_MIN = 50 };

void ck_help_append_option(ck_buffer *out, const ck_option *option) {
  if (option->letter) ck_buffer_append_format(out, "-%c, ", option->letter);
  ck_buffer_append_format(out, "--%s", option->name);
  if (option->value) ck_buffer_append_format(out, " %s", option->value);
}

void ck_help_append_usage(ck_buffer *out, const ck_command *command) {
  ck_buffer_append_format(out, "ckrun %s", command->name);
  for (const ck_operand *o = command->operands; o && o->name; o++)
    ck_buffer_append_format(out, o->optional ? " [%s%s]" : " %s%s", o->name, o->many ? "..." : "");
  for (const ck_option *o = command->options; o && o->name; o++) {
    ck_buffer_append_text(out, o->required ? " " : " [");
    ck_help_append_option(out, o);
    if (!o->required) ck_buffer_append_char(out, ']');
  }
}

/* Lines that are longer than WIDTH are hard to read. */
static size_t line_width(int columns) {
  if (columns <= 0 || columns > WIDTH) return WIDTH;
  return columns < WIDTH_MIN ? WIDTH_MIN : (size_t)columns;
}

/* Where a text begins, and goes on. */
typedef struct place {
  size_t at, indent;
} place;

/* Appends `text` in lines that fit, continued under the indent. */
static void append_wrapped(ck_buffer *out, const char *text, place where, int columns) {
  size_t at = where.at, indent = where.indent;
  for (const char *word = text; *word;) {
    size_t len = strcspn(word, " \n");
    bool paragraph = word > text && word[-1] == '\n';
    if (paragraph || (word > text && at + len > line_width(columns))) {
      ck_buffer_append_format(out, "%s%*s", paragraph ? "\n\n" : "\n", (int)indent, "");
      at = indent;
    } else if (word > text) {
      ck_buffer_append_char(out, ' ');
    }
    ck_buffer_append(out, word, len);
    at += len + 1;
    word += len;
    if (*word) word++;
    while (*word == '\n') word++;
  }
  ck_buffer_append_char(out, '\n');
}

/* "  left                help": the help begins at COLUMN, on a line of its own when the left side
 * is too long. */
static void append_pair(ck_buffer *out, ck_bytes left, const char *help, int columns) {
  ck_buffer_append_text(out, "  ");
  ck_buffer_append_bytes(out, left);
  size_t width = ck_format_width(left);
  if (width + 4 > COLUMN)
    ck_buffer_append_format(out, "\n%*s", COLUMN, "");
  else
    ck_buffer_append_format(out, "%*s", (int)(COLUMN - width - 2), "");
  append_wrapped(out, help, (place){COLUMN, COLUMN}, columns);
}

static void append_options(ck_buffer *out, const char *title, const ck_option *options,
                           int columns) {
  if (!options || !options->name) return;
  ck_buffer_append_format(out, "\n%s:\n", title);
  for (const ck_option *o = options; o->name; o++) {
    ck_buffer left = {0};
    ck_help_append_option(&left, o);
    if (left.failed) out->failed = true;
    append_pair(out, ck_buffer_bytes(&left), o->help, columns);
    ck_buffer_clear(&left);
  }
}

static void append_operands(ck_buffer *out, const ck_command *command, int columns) {
  if (!command->operands) return;
  ck_buffer_append_char(out, '\n');
  for (const ck_operand *o = command->operands; o->name; o++)
    append_pair(out, ck_bytes_text(o->name), o->help, columns);
}

static void append_examples(ck_buffer *out, const ck_command *command, int columns) {
  if (!command->examples) return;
  ck_buffer_append_text(out, "\nexamples:\n");
  for (const ck_example *e = command->examples; e->line; e++) {
    ck_buffer_append_format(out, "  %s\n      ", e->line);
    append_wrapped(out, e->what, (place){6, 6}, columns);
  }
}

void ck_help_append_command(ck_buffer *out, const ck_command *command, int columns) {
  ck_buffer usage = {0};
  ck_help_append_usage(&usage, command);
  if (usage.failed) out->failed = true;
  ck_buffer_append_text(out, "usage: ");
  append_wrapped(out, usage.data ? usage.data : "", (place){7, 11}, columns);
  ck_buffer_clear(&usage);
  ck_buffer_append_format(out, "\n%c%s.\n", toupper((unsigned char)command->summary[0]),
                          command->summary + 1);
  if (command->details) {
    ck_buffer_append_char(out, '\n');
    append_wrapped(out, command->details, (place){0, 0}, columns);
  }
  append_operands(out, command, columns);
  append_options(out, "options", command->options, columns);
  append_examples(out, command, columns);
  append_options(out, "everywhere", ck_global_options, columns);
}

/* The commands of a group, with its aliases; `group` NULL: all commands, without aliases. */
static void append_commands(ck_buffer *out, const ck_command_table *table, const char *group,
                            int columns) {
  size_t len = group ? strlen(group) : 0;
  for (const ck_command *const *c = table->commands; *c; c++) {
    bool member = !group || (strncmp((*c)->name, group, len) == 0 && (*c)->name[len] == ' ');
    if (member) append_pair(out, ck_bytes_text((*c)->name), (*c)->summary, columns);
  }
  for (const ck_command_alias *a = table->aliases; a->name; a++) {
    bool member = group && strncmp(a->name, group, len) == 0 && a->name[len] == ' ';
    if (member) append_pair(out, ck_bytes_text(a->name), a->command->summary, columns);
  }
}

void ck_help_append_group(ck_buffer *out, const ck_command_table *table, const char *group,
                          int columns) {
  ck_buffer_append_format(out, "usage: ckrun %s COMMAND …\n\ncommands:\n", group);
  append_commands(out, table, group, columns);
  ck_buffer_append_format(out, "\n'ckrun help %s COMMAND' tells more.\n", group);
}

void ck_help_append_overview(ck_buffer *out, const ck_command_table *table, int columns) {
  ck_buffer_append_text(out,
                        "ckrun runs agent sessions that survive every crash and repeat nothing.\n\n"
                        "usage: ckrun [--store URL] [--json] COMMAND …\n\ncommands:\n");
  append_commands(out, table, NULL, columns);
  append_options(out, "options", ck_global_options, columns);
  ck_buffer_append_text(out, "\nexit codes:\n");
#define X(code, meaning) append_pair(out, ck_bytes_text(#code), meaning, columns);
  CK_EXIT_TABLE(X)
#undef X
  ck_buffer_append_text(out, "\n'ckrun help COMMAND' tells more about a command.\n");
}
