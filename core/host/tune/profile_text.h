/* profile_text.h - a tuned profile as a Lua file. */
#ifndef CK_HOST_TUNE_PROFILE_TEXT_H
#define CK_HOST_TUNE_PROFILE_TEXT_H

#include "core/model/profile.h"

/* Appends a profile that extends `given` (a shipped name, or a path) and lists the policies of
 * `profile` with all their options. `folder`: of the file that it will be, a real path; paths are
 * seen from there, but for those that have no more than / in common with it. `about`: lines that
 * say where the numbers come from; they become comments. */
CK_CHECKED ck_status ck_tune_profile_append(ck_buffer *out, const ck_profile *profile,
                                            const char *given, const char *folder, ck_bytes about,
                                            ck_error *err);

#endif
