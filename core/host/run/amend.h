/* amend.h - --set, --set-env, --set-file and --limit: edits of a session's state from the command
 * line. */
#ifndef CK_HOST_RUN_AMEND_H
#define CK_HOST_RUN_AMEND_H

#include "core/host/cli/command.h"
#include "core/runtime/session/opening/edit.h"
#include "core/runtime/session/secret.h"

/* The options' values, as a member of a command's own struct. */
typedef struct ck_edit_words {
  ck_words set, env, file, limit;
} ck_edit_words;

/* The rows of a command's option table; `field` is its ck_edit_words. */
#define CK_EDIT_OPTIONS(values, field)                                                            \
  {.name = "set",                                                                                 \
   .type = CK_OPTION_LIST,                                                                        \
   .offset = offsetof(values, field.set),                                                         \
   .value = "KEY=VALUE",                                                                          \
   .help = "set a key of the state, below memory. unless it names another place; JSON, else "     \
           "text; may be given again"},                                                           \
      {.name = "set-env",                                                                         \
       .type = CK_OPTION_LIST,                                                                    \
       .offset = offsetof(values, field.env),                                                     \
       .value = "KEY=VARIABLE",                                                                   \
       .help = "the same with a secret from the environment: kept as a reference, read again by " \
               "each resume"},                                                                    \
      {.name = "set-file",                                                                        \
       .type = CK_OPTION_LIST,                                                                    \
       .offset = offsetof(values, field.file),                                                    \
       .value = "KEY=FILE",                                                                       \
       .complete = CK_COMPLETE_FILE,                                                              \
       .help = "the same with a secret from a file"},                                             \
  {                                                                                               \
    .name = "limit", .type = CK_OPTION_LIST, .offset = offsetof(values, field.limit),             \
    .value = "[AGENT.]NAME=N",                                                                    \
    .help = "a constraint instead of the profile's: budget_usd, time_s, rounds, tokens, "         \
            "tool_calls or model_calls"                                                           \
  }

/* CK_E_USAGE: no '=' or no key, or a key that is set twice. */
CK_CHECKED ck_status ck_amend_take(ck_state_edits *out, const ck_edit_words *words, ck_error *err);
/* The checks of a session under `profile`, except for those of its policies. `problem` is called
 * for each invalid edit. The referenced secrets are registered with the output's redactor. */
CK_CHECKED ck_status ck_amend_check(const ck_state_edits *edits, ck_output *output,
                                    const ck_profile *profile, ck_secret_problem problem, void *to,
                                    ck_error *err);

#endif
