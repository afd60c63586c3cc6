/* files.h - text files of the working folder, for an agent; nothing outside of it. */
#ifndef CK_EFFECT_ACP_FILES_H
#define CK_EFFECT_ACP_FILES_H

#include "core/base/json.h"

enum { CK_ACP_FILE_MAX = 4 << 20 }; /* bytes of one file */

/* `folder` must contain "path". CK_E_REFUSED: no file that an agent gets (beneath.h), no text, or
 * too large. */

/* params {path, line?, limit?}: appends {"content": TEXT}. */
CK_CHECKED ck_status ck_acp_file_read(ck_buffer *out, const char *folder, ck_bytes params,
                                      ck_error *err);
/* params {path, content}: the file holds `content` and nothing else; made when it is not there. */
CK_CHECKED ck_status ck_acp_file_write(const char *folder, ck_bytes params, ck_error *err);

#endif
