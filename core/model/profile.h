/* profile.h - how sessions of one kind are run: the settings after inheritance, without any Lua in them. */
#ifndef CK_MODEL_PROFILE_H
#define CK_MODEL_PROFILE_H

#include "core/model/value.h"

/* One policy of the list: what to load and the options that override its defaults. */
typedef struct ck_profile_policy {
  char *name;        /* shipped name or a path */
  ck_value *options; /* JSON object; NULL: defaults */
} ck_profile_policy;

/* -1 in a constraint means: no limit. */
typedef struct ck_profile {
  char *name;
  char *path;        /* of its file; NULL for a shipped one */
  int64_t budget_micros;
  int64_t time_ms;
  int64_t rounds;
  int64_t tokens;
  int64_t tool_calls;
  int64_t model_calls;
  int64_t replay_depth; /* transcript_replay_depth: events in a tail; 0 none; default 50 */
  ck_profile_policy *policies;
  size_t policy_count;
} ck_profile;

/* No limits, replay depth 50, no policies, the given name. */
CK_CHECKED ck_status ck_profile_new(ck_profile **out, const char *name, ck_error *err);
/* Copies `name`, shares `options` (may be NULL). */
CK_CHECKED ck_status ck_profile_append_policy(ck_profile *self, const char *name, const ck_value *options, ck_error *err);
void ck_profile_free(ck_profile *self);

#endif
