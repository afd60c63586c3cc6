/* test_help.c - usage lines tell options that a command needs from those that it can go without. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/cli/help.h"
#include "core/host/command_table.h"
#include "tests/tap.h"

/* Every option that a command refuses to go without; the table of commands must agree. */
static const struct {
  const char *command, *usage;
} needed[] = {
    {"flow sign", " --with KEY"},
    {"key rotate", " --new-key REF"},
    {"sessions export", " --format FORMAT"},
    {"sessions rewind", " --report TEXT"},
};
enum { NEEDED = sizeof needed / sizeof *needed };

static char *usage_of(const ck_command *command) {
  ck_buffer out = {0};
  ck_help_append_usage(&out, command);
  return ck_buffer_take(&out);
}

/* Its usage without brackets holds them, and without them it is an error that names one. */
static void test_needed(const char *name, const char *wanted) {
  const ck_command *command = ck_command_get(&ck_program_commands, name);
  tap_must(command != NULL, "there is %s", name);
  char *usage = usage_of(command);
  tap_ok(strstr(usage, wanted) != NULL, "%s shows what it needs: %s", name, usage);
  free(usage);
  _Alignas(max_align_t) char values[CK_COMMAND_VALUES_MAX] = {0};
  ck_host host = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(command->run(&host, values, &err), CK_E_USAGE, &err, "%s refuses to go without",
                name);
  for (const ck_option *o = command->options; o->name; o++) {
    char text[64];
    snprintf(text, sizeof text, "--%s", o->name);
    tap_ok(!o->required || strstr(err.text, text) != NULL, "%s: %s is named if it is needed", name,
           text);
  }
}

static bool is_needed(const char *command) {
  for (size_t i = 0; i < NEEDED; i++)
    if (strcmp(needed[i].command, command) == 0) return true;
  return false;
}

/* Around the option are brackets, unless it is needed. */
static bool is_shown_right(const char *usage, const ck_option *option) {
  ck_buffer out = {0};
  ck_buffer_append_text(&out, option->required ? " " : " [");
  ck_help_append_option(&out, option);
  if (!option->required) ck_buffer_append_char(&out, ']');
  char *text = ck_buffer_take(&out);
  bool shown = strstr(usage, text) != NULL;
  free(text);
  return shown;
}

static void test_brackets(const ck_command *command) {
  char *usage = usage_of(command);
  for (const ck_option *o = command->options; o && o->name; o++) {
    tap_ok(is_shown_right(usage, o), "%s: brackets are around what is optional: --%s",
           command->name, o->name);
    tap_ok(!o->required || is_needed(command->name), "%s: --%s is known as such", command->name,
           o->name);
  }
  free(usage);
}

static void test_man(void) {
  ck_buffer out = {0};
  for (const ck_command *const *c = ck_program_commands.commands; *c; c++)
    ck_help_append_command_man(&out, *c);
  char *text = ck_buffer_take(&out);
  tap_ok(strstr(text, "ckrun key rotate \\-\\-new\\-key REF\n") != NULL,
         "man pages show a needed option without brackets");
  tap_ok(strstr(text, "[\\-o, \\-\\-output FILE]") != NULL, "and others with them");
  free(text);
}

int main(void) {
  for (size_t i = 0; i < NEEDED; i++) test_needed(needed[i].command, needed[i].usage);
  for (const ck_command *const *c = ck_program_commands.commands; *c; c++) test_brackets(*c);
  test_man();
  return tap_done();
}
