/* view_fields.h - the fields of each kind of view, with their types and meanings. */
#ifndef CK_LUA_POLICY_VIEW_FIELDS_H
#define CK_LUA_POLICY_VIEW_FIELDS_H

#include "lua/policy/view.h"

enum { VIEW_FIELDS_MAX = 24 };

typedef void view_push(lua_State *L, const void *subject, const ck_view_slot *slot);

typedef struct view_field {
  const char *name;    /* NULL: no more */
  view_push *push;     /* NULL: the view kept as user value `child` */
  int child;           /* from 1; 0: none */
  const char *type;    /* as an annotation of the Lua language server */
  const char *meaning; /* with the words of its type in front when it is empty or begins with ; */
} view_field;

typedef struct view_type {
  const char *name, *class;
  size_t size; /* of one element */
  int children;
  const char *meaning;
} view_type;

extern const view_type ck_view_types[CK_VIEW_COUNT];
extern const view_field ck_view_fields[CK_VIEW_COUNT][VIEW_FIELDS_MAX + 1];

#endif
