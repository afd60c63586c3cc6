/* source.h - finds the text of a policy or a profile: shipped with the program under a bare name,
 * or a file under a path. */
#ifndef CK_LUA_VM_SOURCE_H
#define CK_LUA_VM_SOURCE_H

#include "core/base/digest.h"
#include "core/model/script.h"

/* Zero-initialise; ck_source_clear. */
typedef struct ck_source {
  char *name; /* of the chunk, shown in errors: the file's real path, or the embedded one */
  bool shipped;
  ck_bytes text; /* borrowed from the program or from `file` */
  ck_buffer file;
  ck_digest digest;
} ck_source;

/* A name with a slash or ending in .lua is a path. */
bool ck_source_is_path(const char *name);
/* The shipped folder of a kind: "policies/" of "policy", "policies/profiles/" of "profile". */
const char *ck_source_folder(const char *kind);
/* `kind` is "policy" or "profile" and selects the shipped folder.
 * CK_E_NOT_FOUND: with the folder that was searched; else the answers of ck_vm_read_file. */
CK_CHECKED ck_status ck_source_read(ck_source *out, const char *kind, const char *name,
                                    ck_error *err);
/* The same, and put among `scripts` (NULL: nowhere); when these are closed, a path is answered from
 * them alone. */
CK_CHECKED ck_status ck_source_read_for(ck_source *out, const char *kind, const char *name,
                                        ck_scripts *scripts, ck_error *err);
void ck_source_clear(ck_source *self);

#endif
