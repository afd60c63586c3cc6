/* help.h - help text, man page and shell completions, all made from the table of commands. */
#ifndef CK_HOST_CLI_HELP_H
#define CK_HOST_CLI_HELP_H

#include "core/host/cli/command.h"

/* Appends the overview of all commands. `columns`: of the terminal, 0 where there is none; lines
 * are 50 to 80 wide. */
void ck_help_append_overview(ck_buffer *out, const ck_command_table *table, int columns);
/* Appends the help of one command. */
void ck_help_append_command(ck_buffer *out, const ck_command *command, int columns);
/* Appends the commands of a group, such as "sessions". */
void ck_help_append_group(ck_buffer *out, const ck_command_table *table, const char *group,
                          int columns);
/* Appends "ckrun run FLOW [options]". */
void ck_help_append_usage(ck_buffer *out, const ck_command *command);
/* Appends "--session ID" or "-h, --help". */
void ck_help_append_option(ck_buffer *out, const ck_option *option);

/* Man pages, as roff of man(7): ckrun(1), and of one command. */
void ck_help_append_man(ck_buffer *out, const ck_command_table *table);
void ck_help_append_command_man(ck_buffer *out, const ck_command *command);
/* That of the files of a kind, section 5: "policy", "profile". `*found` false: there is none. */
CK_CHECKED ck_status ck_help_append_file_man(bool *found, ck_buffer *out, const char *name,
                                             ck_error *err);
/* False when the shell is not bash, zsh or fish. */
bool ck_help_append_completion(ck_buffer *out, const ck_command_table *table, const char *shell);

/* X(code, meaning): the exit codes of the program. */
/* clang-format off */
#define CK_EXIT_TABLE(X) \
  X(0, "done") \
  X(1, "the session failed") \
  X(2, "wrong usage, or input that cannot be read") \
  X(3, "not found") \
  X(4, "a secret is missing") \
  X(5, "refused: by a constraint, a policy or the checks before a resume") \
  X(7, "something stored is damaged") \
  X(8, "the session is paused or waits for a human") \
  X(74, "the store cannot be read or written") \
  X(75, "the outcome of an effect is unknown: resolve it") \
  X(76, "another process runs the session or has taken it over") \
  X(130, "interrupted") \
  X(141, "it stopped, as nobody reads any more what it shows")
/* clang-format on */

#endif
