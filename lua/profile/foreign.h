/* foreign.h - the names that settings have in other systems, and what does the same here. */
#ifndef CK_LUA_PROFILE_FOREIGN_H
#define CK_LUA_PROFILE_FOREIGN_H

#include "core/base/error.h"
#include "core/base/json.h"

/* Sets the error for `key` with its `value`, and true: it is a name of another system. */
bool ck_profile_refuse_foreign(const char *key, ck_bytes value, ck_error *err);
/* A table that another system keeps such settings in. */
bool ck_profile_is_foreign_table(const char *key, ck_bytes value);

#endif
