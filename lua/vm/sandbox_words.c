/* sandbox_words.c - lists of words that scripts give ck.mask, read once for as long as they stay as
 * they are. */
#include <lauxlib.h>
#include <string.h>

#include "core/personal/word_list.h"
#include "lua/vm/names.h"
#include "lua/vm/sandbox.h"

/* PLACES: lists that are kept; together they have CK_WORD_LIST_MAX bytes at most. */
enum { PLACES = 8, BYTES_PER_UNIT = 8, WORDS_PER_UNIT = 4 };

typedef struct place {
  ck_word_list *list; /* NULL: free */
  const void *table;  /* that it was read from; anchored by the user value of its number */
  unsigned how;
  size_t bytes;
} place;

/* A userdata of the registry. Its user values are copies of the tables: element 0 is the table. */
typedef struct kept_lists {
  place places[PLACES];
  int next; /* the place that is made free first */
} kept_lists;

static const char kept_key;

static void clear_place(place *self) {
  ck_word_list_free(self->list);
  *self = (place){0};
}

static int free_lists(lua_State *L) {
  kept_lists *self = lua_touserdata(L, 1);
  for (int i = 0; i < PLACES; i++) clear_place(&self->places[i]);
  return 0;
}

/* Pushes it. */
static kept_lists *push_kept(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kept_key) == LUA_TUSERDATA) return lua_touserdata(L, -1);
  lua_pop(L, 1);
  kept_lists *self = lua_newuserdatauv(L, sizeof *self, PLACES);
  *self = (kept_lists){0};
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_lists);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
  return self;
}

/* ---- the words ---- */

static void refuse_list(lua_State *L) {
  luaL_error(L, "ck.mask: a pattern, or a list of texts, is expected; a table with names is none");
}

static void check_list(lua_State *L, int table, lua_Integer count) {
  lua_Integer keys = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    keys++;
    if (!lua_isinteger(L, -2)) refuse_list(L);
  }
  if (keys != count) refuse_list(L);
  ck_vm_charge(L, 1 + count / WORDS_PER_UNIT);
}

static void add_word(place *self, lua_State *L, lua_Integer number, int index) {
  ck_error failure = CK_ERROR_INIT;
  ck_bytes word;
  if (lua_type(L, index) != LUA_TSTRING)
    luaL_error(L, "ck.mask: element %d of the list is a %s, not a text", (int)number,
               ck_sandbox_type(L, index));
  word.data = lua_tolstring(L, index, &word.len);
  self->bytes += word.len;
  ck_status status = ck_word_list_add(self->list, word, &failure);
  if (status == CK_E_NO_MEMORY) ck_vm_raise(L, status, "no memory for a list of words");
  if (status != CK_OK) /* the word itself is what nobody is to read */
    luaL_error(L, "ck.mask: element %d of the list: %s", (int)number, failure.text);
}

/* Stack: … kept. Reads the table at `table` into the place of that number. */
static void fill_place(kept_lists *kept, int number, lua_State *L, int table) {
  place *self = &kept->places[number];
  ck_error failure = CK_ERROR_INIT;
  lua_Integer count = (lua_Integer)lua_rawlen(L, table);
  check_list(L, table, count);
  ck_status status = ck_word_list_new(&self->list, self->how, &failure);
  lua_createtable(L, (int)count, 1);
  lua_pushvalue(L, table);
  lua_rawseti(L, -2, 0);
  for (lua_Integer i = 1; status == CK_OK && i <= count; i++) {
    lua_rawgeti(L, table, i);
    add_word(self, L, i, -1);
    lua_rawseti(L, -2, i);
  }
  if (status == CK_OK) status = ck_word_list_close(self->list, &failure);
  if (status != CK_OK) ck_vm_raise(L, status, "ck.mask: %s", failure.text);
  lua_setiuservalue(L, -2, number + 1);
  self->table = lua_topointer(L, table);
  ck_vm_charge(L, 1 + (int64_t)(self->bytes / BYTES_PER_UNIT));
}

/* ---- those that are kept ---- */

/* Stack: … kept. The table is as it was when it was read. */
static bool is_unchanged(lua_State *L, int number, int table) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, table);
  lua_getiuservalue(L, -1, number + 1);
  bool same = (lua_Integer)lua_rawlen(L, -1) == count;
  for (lua_Integer i = 1; same && i <= count; i++) {
    lua_rawgeti(L, -1, i);
    lua_rawgeti(L, table, i);
    same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  ck_vm_charge(L, 1 + count / WORDS_PER_UNIT);
  return same;
}

/* -1: there is none. */
static int find_place(const kept_lists *kept, const void *table, unsigned how) {
  for (int i = 0; i < PLACES; i++)
    if (kept->places[i].list && kept->places[i].table == table && kept->places[i].how == how)
      return i;
  return -1;
}

static size_t count_bytes(const kept_lists *kept) {
  size_t bytes = 0;
  for (int i = 0; i < PLACES; i++) bytes += kept->places[i].bytes;
  return bytes;
}

/* What was read last is behind all others. */
static int make_room(kept_lists *kept) {
  int number = kept->next;
  kept->next = (number + 1) % PLACES;
  clear_place(&kept->places[number]);
  for (int i = kept->next; count_bytes(kept) > CK_WORD_LIST_MAX / 2 && i != number;
       i = (i + 1) % PLACES)
    clear_place(&kept->places[i]);
  return number;
}

/* ---- how they are found ---- */

static void read_setting(unsigned *how, lua_State *L) {
  static const char *const names[] = {"words", "case", NULL};
  char hint[CK_NAMES_HINT_SIZE];
  const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
  bool whole = name[0] == 'w', truth = lua_toboolean(L, -1);
  if (strcmp(name, names[0]) != 0 && strcmp(name, names[1]) != 0) {
    ck_names_hint(hint, name, names);
    luaL_error(L, "ck.mask: words and case are what can be said of a list, not '%s'%s", name, hint);
  }
  if (!lua_isboolean(L, -1))
    luaL_error(L, "ck.mask: %s: true or false is expected, not a %s", name, ck_sandbox_type(L, -1));
  if (whole && truth) *how |= CK_WORDS_WHOLE;
  if (!whole && !truth) *how |= CK_WORDS_ANY_CASE;
}

static unsigned read_how(lua_State *L, int index) {
  unsigned how = 0;
  if (lua_isnil(L, index)) return 0;
  if (!ck_sandbox_push_table(L, index))
    luaL_argerror(L, index, "{ words = true, case = false } expected");
  int table = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) read_setting(&how, L);
  lua_settop(L, table - 1);
  return how;
}

struct ck_word_list *ck_sandbox_read_words(lua_State *L, int list, int how) {
  unsigned bits = read_how(L, how);
  luaL_checkstack(L, 8, "ck.mask");
  if (!ck_sandbox_push_table(L, list))
    luaL_argerror(L, list, "a pattern, or a list of texts, expected");
  int table = lua_gettop(L);
  kept_lists *kept = push_kept(L);
  int number = find_place(kept, lua_topointer(L, table), bits);
  bool same = number >= 0 && (ck_sandbox_is_lasting(L, list) || is_unchanged(L, number, table));
  if (number < 0) number = make_room(kept);
  if (!same) {
    clear_place(&kept->places[number]);
    kept->places[number].how = bits;
    fill_place(kept, number, L, table);
  }
  lua_settop(L, table - 1);
  return kept->places[number].list;
}
