/* environment.h - the part of this process's environment that a child gets. */
#ifndef CK_EFFECT_PROCESS_ENVIRONMENT_H
#define CK_EFFECT_PROCESS_ENVIRONMENT_H

#include "core/base/error.h"

#include <stddef.h>

/* "NAME=value" texts, ended by NULL. All zero: an empty one without its NULL. */
typedef struct ck_environment {
  char **list;
  size_t count;
} ck_environment;

/* Of this process's variables: PATH, HOME, LANG, LC_*, TZ, TMPDIR, the marks of mark.h, and those
 * in `names` (NULL-terminated; NULL: no more). */
CK_CHECKED ck_status ck_environment_take(ck_environment *out, const char *const *names,
                                         ck_error *err);
void ck_environment_clear(ck_environment *self);

#endif
