/* sandbox.h - what scripts can reach: a fixed environment of bounded functions, read-only, without
 * metatables.
 *
 * Globals are read-only and unknown ones raise, so nothing is kept between calls by accident.
 * pairs and next go in the order numbers, strings, booleans; tostring shows no addresses. No load,
 * rawset, setmetatable, coroutine, os, io. There are no Lua patterns: string.find searches plain
 * text; ck.find, match, gmatch and gsub take patterns of PCRE2.
 *
 * All functions raise: call them inside ck_vm_call. */
#ifndef CK_LUA_VM_SANDBOX_H
#define CK_LUA_VM_SANDBOX_H

#include "core/base/placeholder.h"
#include "lua/vm/vm.h"

enum {
  CK_SANDBOX_TEXT_MAX = 1 << 20,  /* bytes that one library call may produce */
  CK_SANDBOX_ITEMS_MAX = 1 << 20, /* elements that one library call may touch */
  CK_SANDBOX_VALUES_MAX = 4096    /* values that one call may return */
};

/* Builds the environment of an empty state, in the registry. ck_vm_new has done it. */
void ck_sandbox_open(lua_State *L);
/* Pushes the environment (chunk.c). */
void ck_sandbox_push_env(lua_State *L);
/* Takes the table on top as `core`: the modules under lua/ck get it as their second argument
 * (local name, core = ...), and nobody else can reach it. So a host gives its own modules
 * functions that scripts must not have. */
void ck_sandbox_set_core(lua_State *L);
/* Runs lua/ck/<rest of name>.lua once per VM and pushes its result, as `require "ck.…"` does. */
void ck_sandbox_require(lua_State *L, const char *name);

/* print(…): the values as tostring shows them, behind "FILE:LINE: ", as a line of the log: on
 * stderr, redacted and escaped there, never in a store. A line has at most 2,000 bytes; of one
 * state 1,000 are shown. */
int ck_sandbox_print(lua_State *L);
/* Whether the whole process shows none: where hooks are asked for trial only. */
void ck_sandbox_quiet_print(bool quiet);

/* ck.null: what JSON's null is in Lua. */
void ck_sandbox_push_null(lua_State *L);
bool ck_sandbox_is_null(lua_State *L, int index);

/* ck.drop and ck.mask: false for other values. Their numbers are 1 and 2, as in
 * ck_redact_verdict. */
bool ck_sandbox_is_verdict(int *out, lua_State *L, int index);
/* What ck.ref made. */
bool ck_sandbox_is_ref(lua_State *L, int index);
/* The item that a redact hook is asked about from now on. Borrowed. What ck.mask makes of a part of
 * a text is fingerprinted with `key`; NULL: twelve zeros. */
typedef struct ck_sandbox_item {
  const ck_fingerprint_key *key;
  const void *view; /* the userdata that scripts have of it */
  ck_bytes value;   /* JSON */
  const char *name; /* its key; NULL: none */
} ck_sandbox_item;
void ck_sandbox_set_item(lua_State *L, const ck_sandbox_item *item);
/* Pushes the function ck.mask, which is also a verdict, see sandbox_mask.c. */
void ck_sandbox_push_mask(lua_State *L);
void ck_sandbox_push_mask_personal(lua_State *L);
bool ck_sandbox_is_mask(lua_State *L, int index);
/* The list of words at `list`, and how they are to be found at `how` (nil: as they stand); made
 * once for a list that stays as it is. It lives until another one is read. */
struct ck_word_list *ck_sandbox_read_words(lua_State *L, int list, int how);
/* Raises unless the text is "env:" and the name of a variable, as ck.ref takes it. */
void ck_sandbox_check_ref(lua_State *L, const char *text, size_t len);

/* ck.array: the table is a JSON array, also when it is empty. */
void ck_sandbox_mark_array(lua_State *L, int index);
bool ck_sandbox_is_array(lua_State *L, int index);

/* Replaces the plain table on top by a read-only face of it, with all tables in it: writes raise,
 * reads, #, pairs, ipairs, next, table.concat and table.unpack work; type() says "table". Other
 * values stay as they are. A cycle raises. */
void ck_sandbox_freeze(lua_State *L);
/* The same, dearer to make and cheaper to read: for what is read in many calls. */
void ck_sandbox_freeze_lasting(lua_State *L);
/* Pushes a read-only face of a table with `count` elements that is made when it is first looked
 * into: `fill(L, of, call)` pushes it, without tables in it, or raises. */
typedef void (*ck_sandbox_fill)(lua_State *L, const void *of, uint64_t call);
void ck_sandbox_push_lazy(lua_State *L, size_t count, ck_sandbox_fill fill, const void *of,
                          uint64_t call);
/* A face of any table. */
bool ck_sandbox_is_face(lua_State *L, int index);
/* Whether ck_sandbox_freeze_lasting made the value. */
bool ck_sandbox_is_lasting(lua_State *L, int index);
/* Pushes the table itself, or the one behind a face, and gives true; other values: pushes nothing
 * and gives false. */
bool ck_sandbox_push_table(lua_State *L, int index);
/* "nil", "table" (also for a face), …: the result of type(). */
const char *ck_sandbox_type(lua_State *L, int index);
/* Raises unless the value is a table that scripts may write: no face, not the environment or a
 * library. */
void ck_sandbox_check_plain(lua_State *L, int index);

/* The keys of a plain table in the order of pairs. */
typedef struct ck_sandbox_key {
  int type; /* LUA_TNUMBER, LUA_TSTRING, LUA_TBOOLEAN */
  bool is_integer, truth;
  lua_Integer integer;
  lua_Number number;
  const char *text; /* anchored by the table */
  size_t len;
} ck_sandbox_key;
/* Pushes a userdata with the sorted keys of the table at `index`. Raises for a key that has no
 * order (table, function). */
const ck_sandbox_key *ck_sandbox_push_keys(size_t *count, lua_State *L, int index);
void ck_sandbox_push_key(lua_State *L, const ck_sandbox_key *key);
/* `out` borrows the text of the value at `index`. Raises for a value that has no order as a key. */
void ck_sandbox_read_key(ck_sandbox_key *out, lua_State *L, int index);
/* As qsort wants it. */
int ck_sandbox_compare_keys(const void *left, const void *right);
/* Pushes what tostring() gives. */
void ck_sandbox_push_text(lua_State *L, int index);

/* Copies functions of the library below the table on top into that table; `counted`: charged by the
 * length of argument 1. */
void ck_sandbox_take(lua_State *L, const char *const *names, bool counted);
int ck_sandbox_format(lua_State *L); /* string.format */
/* A position counted from 1, or from the end when negative, as an offset clipped to 0 … len. */
size_t ck_sandbox_offset(lua_Integer position, size_t len);
/* Adds find, match, gmatch and gsub to the table on top. */
void ck_sandbox_add_patterns(lua_State *L);
/* One file of functions each; called by ck_sandbox_open. Each pushes its library's table. */
void ck_sandbox_push_base(lua_State *L);
void ck_sandbox_push_string(lua_State *L);
void ck_sandbox_push_table_library(lua_State *L);
void ck_sandbox_push_math(lua_State *L);
void ck_sandbox_push_utf8(lua_State *L);
void ck_sandbox_push_ck(lua_State *L);

#endif
