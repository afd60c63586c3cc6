/* manifest.h - the declarations of a flow, known before it runs; copied from the table of its
 * file. */
#ifndef CK_LUA_FLOW_MANIFEST_H
#define CK_LUA_FLOW_MANIFEST_H

#include <lua.h>

#include "core/runtime/session/flow.h"

/* Owns all that `shown` points to. Zero-initialise to begin. */
typedef struct ck_manifest {
  ck_flow_manifest shown;
  void **owned;
  size_t count, cap;
} ck_manifest;

/* Inside a body: reads the table at `index`. Raises CK_E_TYPE, naming the problem and the expected
 * shape; ck_manifest_clear frees what was copied by then. `path` is copied. */
void ck_manifest_read(ck_manifest *self, lua_State *L, int index, const char *path);
void ck_manifest_clear(ck_manifest *self);

#endif
