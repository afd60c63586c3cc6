/* beneath.h - opens a file of a folder for an agent: none outside of it, and none that ckrun itself
 * works with. */
#ifndef CK_EFFECT_ACP_BENEATH_H
#define CK_EFFECT_ACP_BENEATH_H

#include <stdbool.h>

#include "core/base/error.h"

/* Opens the regular file at `path`, an absolute path that must lie in `folder`, whatever links
 * there are: both are compared as the system resolves them. `writes`: for writing, and made when it
 * does not exist; the content stays. Everything is decided before the file is opened.
 *
 * CK_E_REFUSED: outside, no regular file, an own file of this process (core/base/own_file.h) or
 * something of a ".git" under whatever name; for writing also a file with several names. */
CK_CHECKED ck_status ck_acp_open_beneath(int *out, const char *folder, const char *path,
                                         bool writes, ck_error *err);

#endif
