/* environment.h - what a child process may know of its surroundings. */
#ifndef CK_EFFECT_PROCESS_ENVIRONMENT_H
#define CK_EFFECT_PROCESS_ENVIRONMENT_H

#include "core/base/error.h"

#include <stddef.h>

/* "NAME=value" texts, ended by NULL. Zero is an empty one without its end. */
typedef struct ck_environment {
  char **list;
  size_t count;
} ck_environment;

/* Of this process's own: PATH, HOME, LANG, LC_*, TZ, TMPDIR, the marks of mark.h, and those that
 * `names` lists (NULL-terminated; NULL: no more). */
CK_CHECKED ck_status ck_environment_take(ck_environment *out, const char *const *names,
                                         ck_error *err);
void ck_environment_clear(ck_environment *self);

#endif
