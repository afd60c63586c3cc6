/* names.h - the known name that is nearest to an unknown one, for messages. */
#ifndef CK_LUA_VM_NAMES_H
#define CK_LUA_VM_NAMES_H

/* `names` ends with NULL. Borrowed from `names`; NULL when none is near enough (edit distance up
 * to a third, or a name that begins with it). */
const char *ck_names_nearest(const char *name, const char *const *names);

/* " (did you mean 'x'?)", or nothing. */
enum { CK_NAMES_HINT_SIZE = 96 };
void ck_names_hint(char out[CK_NAMES_HINT_SIZE], const char *name, const char *const *names);

#endif
