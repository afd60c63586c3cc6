/* options.h - reads the command line against the tables of command.h. */
#ifndef CK_HOST_CLI_OPTIONS_H
#define CK_HOST_CLI_OPTIONS_H

#include "core/host/cli/command.h"

/* One table and the struct its values go to. */
typedef struct ck_option_target {
  const ck_option *options; /* NULL: none */
  void *values;
} ck_option_target;

/* Walks argv once. `targets` may be changed between two calls: once the command is known, its own
 * options are added. --name VALUE, --name=VALUE, -n VALUE, -nVALUE, bundled flags -ab; "--" ends
 * the options; "-" alone is a word. Of options with one name the later target's counts. Of an
 * option that is given twice the last value counts, except for a list. */
typedef struct ck_option_reader {
  int argc;
  char *const *argv;
  int at;       /* index of the word to read next */
  bool literal; /* "--" was seen */
  ck_option_target targets[2];
} ck_option_reader;

/* Reads options up to the next word that is no option; `*word` is NULL at the end. CK_E_USAGE: an
 * unknown option (names the nearest one), a missing, superfluous or impossible value. */
CK_CHECKED ck_status ck_option_reader_next(const char **word, ck_option_reader *self,
                                           ck_error *err);

/* Stores `word` as the `index`-th operand of `command`. CK_E_USAGE: one too many, or not one of its
 * choices. */
CK_CHECKED ck_status ck_operand_put(void *values, const ck_command *command, size_t index,
                                    const char *word, ck_error *err);
/* CK_E_USAGE names the first required operand that is missing when `count` were given. */
CK_CHECKED ck_status ck_operands_check(const ck_command *command, size_t count, ck_error *err);

#endif
