/* embed.h - the project's own Lua and SQL texts, linked into the program. */
#ifndef CK_BASE_EMBED_H
#define CK_BASE_EMBED_H

#include "core/base/buffer.h"

typedef struct ck_embedded {
  /* path from the repository's root, such as "lua/ck/flow.lua"; also the chunk name */
  const char *name;
  const char *begin, *end;
} ck_embedded;

/* Made by the build; ends with a NULL name; sorted by name. */
extern const ck_embedded ck_embedded_table[];

/* No bytes with NULL data when there is no such text. */
ck_bytes ck_embedded_get(const char *name);

#endif
