/* editor.h - settings by which editors show authors of policies and flows what ckrun gives them. */
#ifndef CK_HOST_PRINT_EDITOR_H
#define CK_HOST_PRINT_EDITOR_H

#include "core/base/buffer.h"

/* Writes .luarc.json, the settings of the Lua language server, into the current folder: the version
 * of Lua, which of its libraries there are, and where the annotations of ckrun lie, as installed or
 * in the folder that ckrun was built in. *written: false where there is such a file already, or no
 * annotations are found. CK_E_IO. */
CK_CHECKED ck_status ck_editor_write(bool *written, ck_error *err);

#endif
