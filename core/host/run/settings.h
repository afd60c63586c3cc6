/* settings.h - --option and --policy: what one run sets over its profile. */
#ifndef CK_HOST_RUN_SETTINGS_H
#define CK_HOST_RUN_SETTINGS_H

#include "core/host/cli/command.h"
#include "core/model/profile.h"

/* The options' values, as a member of a command's own struct. */
typedef struct ck_settings_words {
  ck_words options, policies;
} ck_settings_words;

/* The rows of a command's option table; `field` is its ck_settings_words. */
#define CK_SETTINGS_OPTIONS(values, field)                                                       \
  {.name = "option",                                                                             \
   .type = CK_OPTION_LIST,                                                                       \
   .offset = offsetof(values, field.options),                                                    \
   .value = "POLICY.KEY=VALUE",                                                                  \
   .help = "an option of a policy, for this run, over the profile and its agents; JSON, else "   \
           "text; may be given again"},                                                          \
  {                                                                                              \
    .name = "policy", .type = CK_OPTION_LIST, .offset = offsetof(values, field.policies),        \
    .value = "POLICY", .complete = CK_COMPLETE_FILE,                                             \
    .help = "one more policy for this run, behind the profile's: a shipped name or a Lua file; " \
            "may be given again"                                                                 \
  }

/* Sets them (NULL: none) in a profile that was just loaded. CK_E_USAGE names the word's POLICY.KEY
 * and the nearest known one, never its VALUE; the answers of ck_profile_add_policy. */
CK_CHECKED ck_status ck_settings_take(ck_profile *to, const ck_settings_words *words,
                                      ck_error *err);

#endif
