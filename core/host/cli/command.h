/* command.h - the description of a command: name, operands, options and help beside its code. */
#ifndef CK_HOST_CLI_COMMAND_H
#define CK_HOST_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/version.h"
#include "core/host/print/output.h"

/* The words that the shell completes with. */
typedef enum {
  CK_COMPLETE_NONE,
  CK_COMPLETE_FILE,
  CK_COMPLETE_SESSION,
  CK_COMPLETE_COMMAND
} ck_complete;

typedef enum {
  CK_OPTION_FLAG,   /* bool */
  CK_OPTION_TEXT,   /* const char *, borrowed from argv */
  CK_OPTION_NUMBER, /* int64_t, from 1 */
  CK_OPTION_LIST    /* ck_words: each occurrence adds one */
} ck_option_type;

/* A table of options ends with a NULL name. `offset` locates the value in the command's own
 * struct. */
typedef struct ck_option {
  const char *name; /* long name without the dashes */
  char letter;      /* 0: none */
  ck_option_type type;
  size_t offset;
  const char *value; /* placeholder; NULL for a flag */
  const char *help;
  const char *const *choices; /* the allowed values, ends with NULL; NULL: any */
  ck_complete complete;
  bool required; /* help and man page show it without brackets; the command refuses to go without */
} ck_option;

/* The words of an operand that takes many, or of a list option; the list lives until the program
 * ends. */
typedef struct ck_words {
  const char **list;
  size_t count;
} ck_words;

/* A word that is not an option. A table ends with a NULL name; only trailing operands can be
 * optional. */
typedef struct ck_operand {
  const char *name; /* placeholder */
  bool optional;
  bool many;     /* of the last one: it takes all remaining words */
  size_t offset; /* of a const char *, or of a ck_words */
  const char *help;
  const char *const *choices;
  ck_complete complete;
} ck_operand;

typedef struct ck_command_table ck_command_table;

struct ck_session_filter;

/* The context of every command. */
typedef struct ck_host {
  const ck_command_table *commands; /* of the program */
  const char *store;                /* --store; NULL */
  /* the reference of the store's key: --key, else env:CKRUN_KEY when it is set; NULL: it has
   * none */
  const char *key;
  ck_output *output;
  const struct ck_session_filter *filter; /* the sessions that there are for it; NULL: all */
  /* Whoever asked does not want it any more: a wait for another process ends. NULL: they do. */
  bool (*given_up)(void *to);
  void *given_up_to;
} ck_host;

enum { CK_COMMAND_VALUES_MAX = 256 }; /* bytes of the largest struct of options */

/* A command line as somebody would type it, and what it is for. */
typedef struct ck_example {
  const char *line; /* "ckrun run flow.lua" */
  const char *what; /* one line, no full stop */
} ck_example;

/* The status determines the exit code; main prints the text of `err`, if there is one. */
typedef struct ck_command {
  const char *name;    /* all its words, such as "sessions list" */
  const char *summary; /* one line, no full stop */
  const char *details; /* paragraphs for help and man page, an empty line between them; NULL */
  const ck_operand *operands; /* NULL: none */
  const ck_option *options;   /* NULL: none of its own */
  const ck_example *examples; /* at least one; ends with a NULL line; each is run by the tests */
  CK_CHECKED ck_status (*run)(ck_host *host, const void *values, ck_error *err);
} ck_command;

/* A second name for a command. */
typedef struct ck_command_alias {
  const char *name;
  const ck_command *command;
} ck_command_alias;

/* The commands of a program. */
struct ck_command_table {
  const ck_command *const *commands; /* in the order of the help text; ends with NULL */
  const ck_command_alias *aliases;   /* ends with a NULL name */
  const char *const *groups;         /* the first words of commands of two words; ends with NULL */
};

/* By all words of its name or alias; NULL: there is none. */
const ck_command *ck_command_get(const ck_command_table *table, const char *name);
bool ck_command_is_group(const ck_command_table *table, const char *word);
/* The command or group whose name is nearest to `name`; NULL: none is near. */
const char *ck_command_nearest(const ck_command_table *table, const char *name);

/* The options that work before and behind every command. */
extern const ck_option ck_global_options[];
typedef struct ck_globals {
  const char *store, *key;
  bool json, no_pager, quiet, verbose, help, version;
} ck_globals;

#endif
