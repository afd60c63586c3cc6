/* commands.c - the table of commands. */
#include "core/host/command/commands.h"

#include <string.h>

#include "core/host/cli/suggest.h"

const ck_command *const ck_commands[] = {
    &ck_command_run,
    &ck_command_resume,
    &ck_command_pause,
    &ck_command_cancel,
    &ck_command_answer,
    &ck_command_resolve,
    &ck_command_sessions_list,
    &ck_command_sessions_show,
    &ck_command_sessions_checkpoints,
    &ck_command_sessions_inspect,
    &ck_command_sessions_diff,
    &ck_command_sessions_log,
    &ck_command_sessions_tail,
    &ck_command_sessions_export,
    &ck_command_sessions_fork,
    &ck_command_sessions_rewind,
    &ck_command_sessions_undo,
    &ck_command_sessions_pin,
    &ck_command_sessions_prune,
    &ck_command_sessions_delete,
    &ck_command_sessions_import,
    &ck_command_policy_check,
    &ck_command_policy_test,
    &ck_command_policy_simulate,
    &ck_command_policy_bench,
    &ck_command_profile_check,
    &ck_command_profile_show,
    &ck_command_store_verify,
    &ck_command_store_stats,
    &ck_command_key_new,
    &ck_command_key_list,
    &ck_command_key_rotate,
    &ck_command_mcp,
    &ck_command_help,
    NULL,
};

const ck_command_alias ck_command_aliases[] = {
    {"sessions resume", &ck_command_resume},
    {0},
};

const ck_option ck_global_options[] = {
    {.name = "store",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(ck_globals, store),
     .value = "URL",
     .complete = CK_COMPLETE_FILE,
     .help = "the store: sqlite:PATH, a path, or memory:; else $CKRUN_STORE, else ckrun/ckrun.db "
             "in the user's state folder"},
    {.name = "key",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(ck_globals, key),
     .value = "REF",
     .help = "the key that the store is sealed with, by reference: env:NAME or file:PATH; else "
             "$CKRUN_KEY"},
    {.name = "json",
     .offset = offsetof(ck_globals, json),
     .help = "print one JSON object, or one per line for lists; errors as an object on stderr"},
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

const ck_command *ck_command_get(const char *name) {
  for (const ck_command *const *c = ck_commands; *c; c++)
    if (strcmp((*c)->name, name) == 0) return *c;
  for (const ck_command_alias *a = ck_command_aliases; a->name; a++)
    if (strcmp(a->name, name) == 0) return a->command;
  return NULL;
}

const char *const ck_command_groups[] = {"sessions", "policy", "profile", "store", "key", NULL};

bool ck_command_is_group(const char *word) {
  for (const char *const *group = ck_command_groups; *group; group++)
    if (strcmp(*group, word) == 0) return true;
  return false;
}

const char *ck_command_nearest(const char *name) {
  ck_suggestion near = {.typed = name};
  for (const char *const *group = ck_command_groups; *group; group++)
    ck_suggestion_check(&near, *group);
  for (const ck_command *const *c = ck_commands; *c; c++) {
    ck_suggestion_check(&near, (*c)->name);
    const char *last = strrchr((*c)->name, ' ');
    const char *before = near.best;
    if (last) ck_suggestion_check(&near, last + 1);
    if (near.best != before) near.best = (*c)->name;
  }
  for (const ck_command_alias *a = ck_command_aliases; a->name; a++)
    ck_suggestion_check(&near, a->name);
  return near.best;
}
