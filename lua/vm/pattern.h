/* pattern.h - patterns of PCRE2 over UTF-8, charged step by step; what ck.find, match, gmatch and
 * gsub are made of. All functions raise. */
#ifndef CK_LUA_VM_PATTERN_H
#define CK_LUA_VM_PATTERN_H

#include "lua/vm/vm.h"

enum { CK_PATTERN_GROUPS_MAX = 32 }; /* the whole match is one */

typedef struct ck_pattern_search {
  const void *code; /* the compiled pattern, anchored by its userdata */
  uint32_t groups;  /* with the whole match */
  bool empty;       /* it can match the empty text */
  const char *text;
  size_t len;
} ck_pattern_search;

/* Offsets in the text. SIZE_MAX: the group took no part. */
typedef struct ck_pattern_match {
  size_t begin[CK_PATTERN_GROUPS_MAX], end[CK_PATTERN_GROUPS_MAX];
} ck_pattern_match;

/* Reads text and pattern, arguments 1 and 2; pushes the compiled pattern, which anchors the
 * search. */
ck_pattern_search ck_pattern_read(lua_State *L);
/* The search for a compiled pattern and a text that ck_pattern_read took. */
ck_pattern_search ck_pattern_again(lua_State *L, int text, int compiled);
/* The first match that begins at `from` or after it; `moved`: not an empty one at `from` itself. */
bool ck_pattern_find(ck_pattern_match *out, lua_State *L, const ck_pattern_search *in, size_t from,
                     bool moved);

#endif
