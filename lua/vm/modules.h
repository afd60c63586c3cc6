/* modules.h - files that a script requires while it is loaded: require "./lib", seen from the
 * folder of the file that says so.
 *
 * A module runs in the sandbox of the script, once per VM, and what it returns is read-only. */
#ifndef CK_LUA_VM_MODULES_H
#define CK_LUA_VM_MODULES_H

#include "lua/vm/source.h"
#include "lua/vm/vm.h"

enum { CK_MODULES_MAX = 64 }; /* files that one script may require, directly and by others */

/* The modules of one script, while it is loaded. Zero-initialise, then fill in what is above the
 * line; it must not move between open and close. */
typedef struct ck_modules {
  const char *kind;    /* among `scripts`: "flow_module", "policy_module" */
  const char *chunk;   /* the script's name, as ck_vm_push_chunk got it; borrowed */
  const char *path;    /* its real path; borrowed */
  ck_scripts *scripts; /* as ck_source_read_for; NULL: none */
  /* ---- */
  size_t count;
  ck_digester digester;
  ck_source reading;
  ck_buffer key;
} ck_modules;

/* Inside a body: from open to close `require` takes paths in the VM's scripts. After a failure in
 * between the VM must not run again. */
void ck_modules_open(ck_modules *self, lua_State *L);
void ck_modules_close(lua_State *L);
/* The digest of the script and what it required: `text`, that of its own text, when that was
 * nothing; else of `text` and, in the order in which modules were loaded, of each one's name, as
 * it was written, and the digest of its text. */
ck_digest ck_modules_digest(const ck_modules *self, const ck_digest *text);
/* Frees what it holds; after the body. */
void ck_modules_clear(ck_modules *self);

/* A name that begins with ./ or ../ */
bool ck_modules_is_path(const char *name);
/* For `require`: pushes what the module returns; raises. */
void ck_modules_require(lua_State *L, const char *name);

#endif
