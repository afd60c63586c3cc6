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

/* Loads what is called `name` and writes members of an object that has begun: what it is. */
typedef ck_status (*ck_sources_write)(ck_json_writer *w, const char *name, ck_error *err);
/* One object of the list; borrowed. Another answer than CK_OK ends it. */
typedef ck_status (*ck_sources_take)(void *to, ck_bytes json, ck_error *err);

/* The shipped texts of `kind`, then the files of `folder` (NULL: none) that end in .lua, and of its
 * folders policies/ or, for profiles, profiles/ and policies/profiles/; tests of policies
 * (_test.lua) are left out. In the order of their names, as objects: {reference: as ck_source_read
 * takes it, shipped, what `write` writes, summary?: the comment that the text begins with, up to
 * its first annotation}, or where `write` fails {reference, shipped, problem}. CK_E_NOT_FOUND:
 * there is no such folder. CK_E_IO: it cannot be read. */
CK_CHECKED ck_status ck_sources_list(const char *kind, const char *folder, ck_sources_write write,
                                     ck_sources_take take, void *to, ck_error *err);

#endif
