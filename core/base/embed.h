/* embed.h - the project's own Lua and SQL texts, linked into the program. */
#ifndef CK_BASE_EMBED_H
#define CK_BASE_EMBED_H

#include "core/base/buffer.h"

typedef struct ck_embedded {
  /* path from the repository's root, such as "lua/ck/flow.lua"; also the chunk name */
  const char *name;
  const char *begin, *end;
  /* a Lua text as ck_embedded_compiler compiled it; empty: it did not */
  const char *code, *code_end;
} ck_embedded;

/* Made by the build; ends with a NULL name; sorted by name. */
extern const ck_embedded ck_embedded_table[];

/* The Lua library of the build, as lua_ident has it. */
extern const char ck_embedded_compiler[];

/* No bytes with NULL data when there is no such text. */
ck_bytes ck_embedded_get(const char *name);
/* The compiled form of what ck_embedded_get gave for that name, the very bytes, not others like
 * them; else no bytes. */
ck_bytes ck_embedded_get_code(const char *name, ck_bytes text);

#endif
