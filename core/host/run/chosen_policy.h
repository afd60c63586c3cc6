/* chosen_policy.h - one policy with the options under which a command tries it: --profile, --agent
 * and --option. */
#ifndef CK_HOST_RUN_CHOSEN_POLICY_H
#define CK_HOST_RUN_CHOSEN_POLICY_H

#include "core/host/cli/command.h"
#include "core/model/profile.h"

/* The options' values, as a member of a command's own struct. */
typedef struct ck_policy_words {
  const char *profile, *agent;
  ck_words options;
} ck_policy_words;

/* The rows of a command's option table; `field` is its ck_policy_words. */
#define CK_POLICY_OPTIONS(values, field)                                                    \
  {.name = "profile",                                                                       \
   .type = CK_OPTION_TEXT,                                                                  \
   .offset = offsetof(values, field.profile),                                               \
   .value = "FILE",                                                                         \
   .complete = CK_COMPLETE_FILE,                                                            \
   .help = "take the options of the policy from this profile"},                             \
      {.name = "agent",                                                                     \
       .type = CK_OPTION_TEXT,                                                              \
       .offset = offsetof(values, field.agent),                                             \
       .value = "AGENT",                                                                    \
       .help = "from its list for this agent, where that has the policy"},                  \
  {                                                                                         \
    .name = "option", .type = CK_OPTION_LIST, .offset = offsetof(values, field.options),    \
    .value = "KEY=VALUE",                                                                   \
    .help = "an option of the policy, over the others; JSON, else text; may be given again" \
  }

/* Ends with ck_chosen_policy_clear. */
typedef struct ck_chosen_policy {
  ck_profile *profile;             /* that is named; NULL: none */
  ck_profile *own;                 /* has the policy alone */
  const ck_profile_policy *policy; /* in `own`; NULL: none is named */
} ck_chosen_policy;

/* Loads the profile that `words` names, if it names one. */
CK_CHECKED ck_status ck_chosen_policy_open(ck_chosen_policy *out, const ck_policy_words *words,
                                           ck_error *err);
/* Finds the policy by its file or its name. Without --agent it is that of the list of `acting`
 * (NULL: nobody), else of the profile's list. `name` NULL: the only one of the profile; without a
 * profile there is none. CK_E_USAGE: the profile does not list it, or agents alone do; what
 * ck_profile_set_option answers. */
CK_CHECKED ck_status ck_chosen_policy_find(ck_chosen_policy *self, const ck_policy_words *words,
                                           const char *name, const char *acting, ck_error *err);
void ck_chosen_policy_clear(ck_chosen_policy *self);

#endif
