/* sources.h - which policies or profiles there are: those shipped with the program, then the Lua
 * files of a folder. */
#ifndef CK_LUA_VM_SOURCES_H
#define CK_LUA_VM_SOURCES_H

#include "core/base/json.h"

/* `name` as ck_source_read takes it; borrowed. Another answer than CK_OK ends the visit. */
typedef ck_status (*ck_sources_visit)(void *to, const char *name, ck_error *err);

/* The bare names of shipped texts of a kind ("policy", "profile"), in their order. */
CK_CHECKED ck_status ck_sources_visit_shipped(const char *kind, ck_sources_visit visit, void *to,
                                              ck_error *err);

/* True of a folder that can be read. */
bool ck_sources_is_folder(const char *path);
/* The tests of policies (_test.lua) directly in `folder`, as "FOLDER/NAME", in the order of their
 * names. CK_E_NOT_FOUND: there is no such folder. CK_E_IO. */
CK_CHECKED ck_status ck_sources_visit_tests(const char *folder, ck_sources_visit visit, void *to,
                                            ck_error *err);

/* The other Lua files directly in `folder`, likewise. */
CK_CHECKED ck_status ck_sources_visit_files(const char *folder, ck_sources_visit visit, void *to,
                                            ck_error *err);
/* By errno, for a folder that cannot be read. */
ck_status ck_sources_cannot_list(const char *folder, ck_error *err);

#endif
