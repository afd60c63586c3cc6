/* prompt.h - Lua over one recorded event, in the sandbox of policies: its views, the options and
 * hooks of a policy. */
#ifndef CK_LUA_POLICY_TOOL_PROMPT_H
#define CK_LUA_POLICY_TOOL_PROMPT_H

#include "core/model/profile.h"
#include "core/runtime/session/policy.h"
#include "lua/policy/view.h"

/* What policies can be shown; NULL: there is none. Borrowed for the prompt's life. */
typedef struct ck_policy_moment {
  const ck_boundary *at;
  ck_view_counts counts; /* of `at` */
  const ck_history *history;
  const ck_checkpoint_info *checkpoint; /* the last one of `history`; that of `session` */
  const ck_event *event;
  const ck_item *item; /* the event's body, as redact is shown it */
  const ck_effect *effect;
  const ck_failure *failure;
  const ck_resume_case *session;
  /* fields of these that are not told as they were: a line that looks at one has failed; ends with
   * NULL. NULL: none */
  const char *const *unknown;
} ck_policy_moment;

typedef struct ck_policy_prompt ck_policy_prompt;
/* `policy`: what `opt` and `policy` are; NULL: there are none. */
CK_CHECKED ck_status ck_policy_prompt_open(ck_policy_prompt **out, const ck_policy_moment *moment,
                                           const ck_profile_policy *policy, ck_error *err);
void ck_policy_prompt_free(ck_policy_prompt *self); /* NULL: nothing */
/* The names that it has, separated by ", ". */
void ck_policy_prompt_append_names(ck_buffer *out, const ck_policy_prompt *self);

/* Runs one expression, a list of them, or statements, with the time and memory of one call of a
 * hook. Global names that it sets stay. Appends the values: as Lua writes them, separated by tabs,
 * a text as it is; or, `json`, as elements of a JSON array. CK_E_PARSE: it does not compile;
 * `*incomplete`: because more is to follow. CK_E_POLICY. */
CK_CHECKED ck_status ck_policy_prompt_run(ck_buffer *out, bool *incomplete, ck_policy_prompt *self,
                                          ck_bytes text, bool json, ck_error *err);

#endif
