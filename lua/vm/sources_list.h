/* sources_list.h - which policies or profiles there are: shipped ones, then those of a folder. */
#ifndef CK_LUA_VM_SOURCES_LIST_H
#define CK_LUA_VM_SOURCES_LIST_H

#include <lua.h>

#include "lua/vm/sources.h"

/* Loads what is called `name` and writes members of an object that has begun: what it is. */
typedef ck_status (*ck_sources_write)(ck_json_writer *w, const char *name, ck_error *err);
/* One object of the list; borrowed. Another answer than CK_OK ends it. */
typedef ck_status (*ck_sources_take)(void *to, ck_bytes json, ck_error *err);

/* Of a file that `write` refuses, in a body: whether the table on top of the stack, which it
 * returns, was meant as one of the kind. */
typedef bool (*ck_sources_judge)(lua_State *L);

/* The shipped texts of `kind`, then the files of `folder` (NULL: none) that end in .lua, and of its
 * folders policies/ or, for profiles, profiles/ and policies/profiles/; tests of policies
 * (_test.lua) are left out. In the order of their names, as objects: {reference: as ck_source_read
 * takes it, shipped, what `write` writes, summary?: the comment that the text begins with, up to
 * its first annotation}, or where `write` fails {reference, shipped, problem}, but nothing of a
 * file that returns a table which is not `meant` so. CK_E_NOT_FOUND: there is no such folder.
 * CK_E_IO: it cannot be read. */
typedef struct ck_sources_kind {
  const char *name;
  ck_sources_write write;
  ck_sources_judge meant;
} ck_sources_kind;
CK_CHECKED ck_status ck_sources_list(const ck_sources_kind *kind, const char *folder,
                                     ck_sources_take take, void *to, ck_error *err);

#endif
