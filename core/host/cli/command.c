/* command.c - the options of every command, and commands by name. */
#include "core/host/cli/command.h"

#include <string.h>

#include "core/base/suggest.h"

const ck_option ck_global_options[] = {
    {.name = "store",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(ck_globals, store),
     .value = "URL",
     .complete = CK_COMPLETE_FILE,
     .help = "the store: sqlite:PATH, a path, postgres://USER@HOST/DATABASE?schema=NAME, or "
             "memory:; else $CKRUN_STORE, else ckrun/ckrun.db in the user's state folder"},
    {.name = "key",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(ck_globals, key),
     .value = "REF",
     .help = "the key that the store is sealed with, by reference: env:NAME, file:PATH, "
             "credential:NAME (of systemd), keyring:NAME (of the kernel) or command:LINE (what it "
             "prints); else the key itself in $CKRUN_KEY, no reference, else what the command line "
             "$CKRUN_KEY_COMMAND prints"},
    {.name = "json",
     .offset = offsetof(ck_globals, json),
     .help = "print one JSON object, or one per line for lists; errors as an object on stderr"},
    {.name = "no-pager",
     .offset = offsetof(ck_globals, no_pager),
     .help = "print at once what is longer than the terminal; else $CKRUN_PAGER, else $PAGER, else "
             "less shows it"},
    {.name = "quiet",
     .letter = 'q',
     .offset = offsetof(ck_globals, quiet),
     .help = "no progress and no notices on stderr, errors alone"},
    {.name = "verbose",
     .letter = 'v',
     .offset = offsetof(ck_globals, verbose),
     .help = "tell more on stderr, as CKRUN_LOG=info does"},
    {.name = "help",
     .letter = 'h',
     .offset = offsetof(ck_globals, help),
     .help = "print the help of a command"},
    {.name = "version",
     .letter = 'V',
     .offset = offsetof(ck_globals, version),
     .help = "print the version"},
    {0},
};

const ck_command *ck_command_get(const ck_command_table *table, const char *name) {
  for (const ck_command *const *c = table->commands; *c; c++)
    if (strcmp((*c)->name, name) == 0) return *c;
  for (const ck_command_alias *a = table->aliases; a->name; a++)
    if (strcmp(a->name, name) == 0) return a->command;
  return NULL;
}

bool ck_command_is_group(const ck_command_table *table, const char *word) {
  for (const char *const *group = table->groups; *group; group++)
    if (strcmp(*group, word) == 0) return true;
  return false;
}

/* The second word alone is compared too: "prune" is near "sessions prune". */
const char *ck_command_nearest(const ck_command_table *table, const char *name) {
  ck_suggestion near = {.typed = name};
  for (const char *const *group = table->groups; *group; group++)
    ck_suggestion_check(&near, *group);
  for (const ck_command *const *c = table->commands; *c; c++) {
    ck_suggestion_check(&near, (*c)->name);
    const char *last = strrchr((*c)->name, ' ');
    const char *before = near.best;
    if (last) ck_suggestion_check(&near, last + 1);
    if (near.best != before) near.best = (*c)->name;
  }
  for (const ck_command_alias *a = table->aliases; a->name; a++)
    ck_suggestion_check(&near, a->name);
  return near.best;
}
