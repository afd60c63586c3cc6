/* settings.h - the settings of a profile, by path: "constraints.tokens", "compress". */
#ifndef CK_LUA_PROFILE_SETTINGS_H
#define CK_LUA_PROFILE_SETTINGS_H

#include "lua/profile/reading.h"

enum { PROFILE_PATH_MAX = 256 }; /* bytes of a path */

/* What is being set, and by which file. */
typedef struct profile_target {
  ck_profile *profile;
  ck_profile_agent *agent; /* NULL: the profile itself */
  const ck_source *source;
  profile_sink *sink;
  const char *path; /* of the table whose members are set: "agents.ann.constraints"; "": the top */
} profile_target;

/* Sets what `path` names, and notes where it came from. `*known` is false, and nothing is set, when
 * the target has no such setting. */
CK_CHECKED ck_status ck_profile_put_setting(bool *known, const profile_target *to, const char *path,
                                            ck_bytes value, ck_error *err);
/* Notes where the value of a path came from. */
CK_CHECKED ck_status ck_profile_set_origin(const profile_target *to, const char *path,
                                           ck_bytes json, ck_error *err);

/* True for a setting that is no member of a table. */
bool ck_profile_has_setting(const char *name);
/* A table of settings, such as "constraints". */
bool ck_profile_is_section(const char *name);
/* The error for a key that `section` (NULL: the top) does not have: what does the same here, or the
 * nearest known key. */
ck_status ck_profile_refuse_key(const profile_target *to, const char *section, const char *key,
                                ck_bytes value, ck_error *err);

#endif
