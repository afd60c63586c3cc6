/* view_fields.h - the fields of each kind of view. For view.c and view_fields.c only. */
#ifndef CK_LUA_POLICY_VIEW_FIELDS_H
#define CK_LUA_POLICY_VIEW_FIELDS_H

#include "lua/policy/view.h"

enum { VIEW_FIELDS_MAX = 18 };

typedef struct view_field {
  const char *name; /* NULL: no more */
  void (*push)(lua_State *L, const void *subject,
               const ck_view_slot *slot); /* NULL: the view kept as user value `child` */
  int child;
} view_field;

typedef struct view_type {
  const char *name, *class;
  size_t size; /* of one element */
  int children;
} view_type;

extern const view_type view_types[CK_VIEW_COUNT];
extern const view_field view_fields[CK_VIEW_COUNT][VIEW_FIELDS_MAX + 1];

#endif
